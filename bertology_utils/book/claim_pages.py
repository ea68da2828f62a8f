"""A page for every claim, so that a single result can be linked and cited: card, evidence, history, how to cite."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import nbformat

from .. import runs
from ..cards import Card, markup
from ..cards.findings import verdict
from ..cards.standing import Standing
from ..cards.words import badge, count
from ..claims import ledger
from ..claims.rules import NOT_RERUN
from ..provenance import commit
from . import archive, cite, folding, methods, social

History = Mapping[str, Mapping[str, Mapping[str, str]]]  # release -> claim -> slot -> label
HISTORY = Path(__file__).parents[1] / "assets" / "history.json"
COLAB = "https://colab.research.google.com/github"
_CARD = re.compile(r'claim-card\\" id=\\"([\w.]+)\\"')  # in a stored output


def write(folder: Path, found: Sequence[Standing], repository: str = "", site: str = "") -> None:
    """Write ``<id>.md`` for every claim into a folder, which is made; addresses as of `pages.write`."""
    pictures = folder.parent / "book" / "_static" / "claims"
    for path in (folder, pictures):
        path.mkdir(parents=True, exist_ok=True)
    past = json.loads(HISTORY.read_text(encoding="utf-8"))
    shown, items = (read(folder.parent / "notebooks") for read in (shown_in, items_in))
    for s in found:
        social.draw(s, pictures / f"{s.row.id}.png")
        text = page(s, past, repository, site, shown.get(s.row.id, ""), items.get(s.row.id, ""))
        (folder / f"{s.row.id}.md").write_text(text, encoding="utf-8")


def shown_in(folder: Path) -> dict[str, str]:
    """The chapter, by its notebook's name, that shows a claim's card."""
    return {
        id: path.stem
        for path in sorted(folder.glob("*.ipynb"))
        for id in _CARD.findall(path.read_text(encoding="utf-8"))
    }


def items_in(folder: Path) -> dict[str, str]:
    """What notebooks print of one or two items of a claim and of the answers to them; of claims about recorded runs nothing."""
    cells = (c for path in sorted(folder.glob("*.ipynb")) for c in nbformat.read(path, as_version=4).cells)
    said = (
        (id, folding.printed(cell))
        for cell in cells
        for function, id in [folding.shows(cell)]
        if function == "examples"
    )
    return {id: text for id, text in said if text.partition("\n")[0].endswith(":")}


def page(s: Standing, past: History, repository: str = "", site: str = "", chapter: str = "", item: str = "") -> str:
    """The page of one claim as Markdown; `chapter` is the notebook that shows its card, `item` as of `items_in`."""
    row = s.row
    section = next(x for x in ledger.sections() if x.name == row.section)
    where = (
        f'<a href="../notebooks/{chapter}.html#{row.id}">{escape(section.title)}</a>'
        if chapter
        else escape(section.title)
    )
    picture = [f"og:image: {site}_static/claims/{row.id}.png"] if site else []
    return "\n".join(
        (
            "---",
            "html_theme.sidebar_secondary.remove: true",
            *picture,
            "myst:",
            "  html_meta:",
            f"    description: {json.dumps(f'{row.title}. {verdict(s)}', ensure_ascii=False)}",
            "---",
            "",
            f"# {row.title}",
            "",
            "```{raw} html",
            f'<p class="claim-where">{where} · <code>{escape(row.id)}</code></p>',
            "```",
            "",
            "" if row.claim.rstrip(".") == row.title else row.claim,
            "",
            "```{raw} html",
            # in one line: a line of its own, out of some record, could end the fence
            _card(s, item),
            _evidence(s, repository, chapter),
            _disagree(row.id, repository),
            _history(s, past),
            "```",
            "",
            "## How to cite this result",
            "",
            "```bibtex",
            cite.of_claim(s, site),
            "```",
            "",
            f"The studies: {' '.join(f'{{cite:t}}`{key}`,' for key in row.studies).rstrip(',')}.",
            "",
        )
    )


def _card(s: Standing, item: str) -> str:
    """The card, with an item under its verdict, and with its method drawn beside the rule."""
    card, rule = " ".join(Card(s, whole=True)._repr_html_().splitlines()), '<div class="claim-rules">'
    answer = f'<p class="claim-verdict">{escape(verdict(s))}</p>'
    card = card.replace(answer, answer + _item(item), 1) if item else card
    return card.replace(rule, methods.beside_rule(s.row) + rule, 1)


def _item(said: str) -> str:
    """One item, what counts as right and what a network answers; what was printed beyond it in a fold.

    Answers are indented, and so are further lines of an item: the second one begins where no line is any more.
    """
    asked, *lines = said.rstrip().splitlines()
    question, _, who = asked.rpartition("? ")
    end = next(iter(folding.answered(lines)), len(lines))
    more = (
        f"<details><summary>Another item, or more of this one</summary>{_lines(lines[end:])}</details>"
        if lines[end:]
        else ""
    )
    head = f"<p><b>One item.</b> {escape(question)}? <small>{escape(who.rstrip(':'))}</small></p>"
    return f'<div class="claim-item">{head}{_lines(lines[:end])}{more}</div>'


def _lines(lines: Sequence[str]) -> str:
    kinds = (' class="claim-answer"' if line.startswith(" ") else "" for line in lines)
    return "<ul>" + "".join(f"<li{kind}>{escape(x.strip())}</li>" for kind, x in zip(kinds, lines)) + "</ul>"


def _evidence(s: Standing, repository: str, chapter: str) -> str:
    id, n = escape(s.row.id), len(s.records)
    own = (
        f'<a href="../_static/claims/{id}.json" download>The {count(n)} records of this claim</a>'
        if n > 1
        else f'<a href="../_static/claims/{id}.json" download>The one record of this claim</a>'
        if n
        else "No record yet"
    )
    links = [f"{own} (JSON)", f'<a href="../_static/{archive.NAME}" download>all evidence</a> (one archive)']
    if repository:
        links.append(f'<a href="{repository}/tree/main/bertology_utils/assets/evidence/{id}">in the repository</a>')
        if chapter:
            github = repository.removeprefix("https://github.com/")
            links.append(f'<a href="{COLAB}/{github}/blob/main/notebooks/{chapter}.ipynb">run the chapter on Colab</a>')
    return f'<h2 id="evidence">Evidence</h2><p>{" · ".join(links)}</p>{measured_by(s.row.id, repository)}'


def measured_by(id: str, repository: str = "") -> str:
    """The function that measures a claim, by file and line, linked where the repository's address is known."""
    if id not in runs.registered():
        return ""
    name, file, line = runs.get(id).place()
    said = f"<code>{escape(name)}</code> in {file}, line {line}"
    if repository:
        said = f'<a href="{repository}/blob/{(commit() or "main").rstrip("+")}/{file}#L{line}">{said}</a>'
    return f"<p>Measured by {said}.</p>"


def _disagree(id: str, repository: str) -> str:
    how = f"Run it yourself (<code>bertology run {escape(id)}</code>) and compare"
    if repository:
        address = f"{repository}/issues/new?template=disagree.yml&amp;title={escape(id)}"
        how += f', or <a href="{address}">open an issue</a> that says what is wrong'
    return f'<h2 id="disagree">Disagree?</h2><p>{how}.</p>'


def _history(s: Standing, past: History) -> str:
    shown = {"real": "BERT", "mini": s.own, "untrained": s.twin}  # slot -> what readers see
    lines = {cite.release(): [badge(getattr(s, who).label, who=who) for who in shown]}
    for release, labels in past.items():
        lines[escape(release)] = [escape(labels.get(s.row.id, {}).get(who, NOT_RERUN)) for who in shown]
    rows = (f"<tr><td>{release}</td>{''.join(f'<td>{x}</td>' for x in cells)}</tr>" for release, cells in lines.items())
    return (
        f'<h2 id="history">History</h2>{markup.table("facts history", ("release", *shown.values()), rows)}'
        "<p><small>Earlier releases decided by rules of their own; their outcomes are shown in the words they used.</small></p>"
    )
