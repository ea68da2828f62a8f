"""A page for every claim, so that a single result can be linked and cited: card, history, how to cite, the record."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from ..cards import Card
from ..cards.standing import Standing
from ..cards.words import KINDS, SIGNS, sentence
from ..claims import ledger
from . import social

History = Mapping[str, Mapping[str, Mapping[str, str]]]  # release -> claim -> slot -> label
HISTORY = Path(__file__).parents[1] / "assets" / "history.json"


def write(folder: Path, found: Sequence[Standing], repository: str = "", site: str = "") -> None:
    """Write ``<id>.md`` for every claim into a folder, which is made."""
    pictures = folder.parent / "book" / "_static" / "claims"
    for path in (folder, pictures):
        path.mkdir(parents=True, exist_ok=True)
    past = json.loads(HISTORY.read_text(encoding="utf-8"))
    for standing in found:
        social.draw(standing, pictures / f"{standing.row.id}.png")
        (folder / f"{standing.row.id}.md").write_text(page(standing, past, repository, site), encoding="utf-8")


def page(s: Standing, past: History, repository: str = "", site: str = "") -> str:
    """The page of one claim as Markdown; `site` is the address the book is read at, for its picture."""
    row = s.row
    section = next(x for x in ledger.sections() if x.name == row.section)
    return "\n".join(
        (
            "---",
            "html_theme.sidebar_secondary.remove: true",
            "myst:",
            "  html_meta:",
            f"    description: {json.dumps(f'{row.title}. {sentence(s)}', ensure_ascii=False)}",
            f"    'property=og:image': {site}_static/claims/{row.id}.png" if site else "",
            "---",
            "",
            f"# {row.title}",
            "",
            f"*{section.title}* · `{row.id}`",
            "",
            row.claim,
            "",
            "```{raw} html",
            _own_page(Card(s, whole=True)._repr_html_()),
            _history(s, past),
            _disagree(row.id, repository),
            "```",
            "",
            "## How to cite this result",
            "",
            "```bibtex",
            bibtex(s),
            "```",
            "",
            f"The studies: {' '.join(f'{{cite:t}}`{key}`,' for key in row.studies).rstrip(',')}.",
            "",
        )
    )


def _own_page(html: str) -> str:
    """The card on its own page: no link to the page it is on."""
    start = html.find('<a class="claim-page"')
    end = html.find("</a> · ", start) + len("</a> · ")
    return html[:start] + html[end:] if start >= 0 else html


def _history(s: Standing, past: History) -> str:
    lines = [(release, past[release].get(s.row.id, {})) for release in past]
    rows = "".join(
        f"<tr><td>{escape(release)}</td>"
        + "".join(f"<td>{escape(labels.get(who, 'not rerun'))}</td>" for who in ("real", "mini", "untrained"))
        + "</tr>"
        for release, labels in lines
    )
    now = "".join(
        f'<td><span class="outcome outcome-{KINDS[x.label]}">{SIGNS[x.label]} {escape(x.label)}</span></td>'
        for x in (s.real, s.mini, s.untrained)
    )
    return (
        '<h2>History</h2><div class="claim-scroll"><table class="facts history"><thead><tr><th>release</th>'
        f"<th>real BERT</th><th>mini</th><th>untrained</th></tr></thead><tbody><tr><td>this one</td>{now}</tr>{rows}"
        "</tbody></table></div>"
    )


def _disagree(id: str, repository: str) -> str:
    if not repository:
        return ""
    address = f"{repository}/issues/new?template=disagree.yml&amp;title={escape(id)}"
    record = f"{repository}/tree/main/bertology_utils/assets/evidence/{escape(id)}"
    return f'<p><a href="{record}">The evidence records</a> · <a href="{address}">Disagree with this outcome?</a></p>'


def bibtex(s: Standing) -> str:
    """An entry for one result."""
    from .. import __version__

    key = s.row.id.replace(".", "-")
    return "\n".join(
        (
            f"@misc{{bertology-{key},",
            f"  title = {{{{{s.row.title}}}}},",
            "  author = {{The BERTology, rerun contributors}},",
            "  howpublished = {BERTology, rerun},",
            f"  note = {{Claim {s.row.id}, release {__version__}}},",
            "  year = {2026}",
            "}",
        )
    )
