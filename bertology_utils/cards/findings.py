"""What we found, in words: texts whose figures come from the evidence and whose outcomes are checked against it.

The texts are the project's own and lie in `assets/findings/`, one file per section, one entry per claim (and `five`, the
five things a chapter shows; `verdicts.yaml` has a sentence for each)::

    syn.agreement.goldberg2019:
      text: The real BERT prefers the right verb in {real} of sentences; ours in {mini}.
      figures:
        real: {model: bert-base-uncased, data: goldberg2019_bert_syntax, measure: accuracy, where: {attractors: all}, as: .0%}
        mini: {model: mini, data: gulordava2018_linzen2016, measure: accuracy, where: {condition: original}, as: .2f}
      outcomes: {real: holds, mini: does not hold, untrained: does not hold}

Where a claim was put to a trained relative, `relative` says in a text of its own, from the same figures, what came of it.
A difference of shares is in percentage points (`as: .1p`, and the text says points), not in per cent, which would be of
something. A figure that no row gives, or an outcome that is no longer so, is an error: a text cannot outlive its evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from ..claims import ledger, reported, strict
from ..claims.evidence import SHIPPED
from ..settings import TWIN, Settings
from . import words
from .concordance import SAME
from .standing import MINILM, Standing, standing

FINDINGS = Path(__file__).parents[1] / "assets" / "findings"
SIGNED = "A sign says what came of the survey's claim that the sentence is about."
APART = "(Each network on texts of its own.)"
FIELDS = {"text", "figures", "outcomes", "relative"}
OPENING = re.compile(r".+?[.:;?!]”?(?=\s)")  # of a text: up to the end of its first sentence or main part
# a figure in parentheses with no more than a network's name: of what was measured in the one before it
BESIDE = re.compile(
    r"\{(\w+)\}[^{}]*?\((?:mpnet|MiniLM|mini|me5|BERT|ours|untrained|its (?:untrained )?twin):? \{(\w+)\}"
)


class StaleFinding(ValueError):
    """A text says what the evidence does not; the message names text and figure."""


@dataclass(frozen=True)
class Finding:
    """A text with its figures in place, and one on a trained relative; a notebook shows both by itself."""

    text: str
    relative: str = ""

    def __repr__(self) -> str:
        return f"FOUND  {self.text}" + (f"\n{MINILM.upper()}  {self.relative}" if self.relative else "")

    def _repr_html_(self) -> str:
        more = f"<p><b>In {MINILM}, a trained relative.</b> {escape(self.relative)}</p>" if self.relative else ""
        return f'<div class="finding"><b>What we found.</b> {escape(self.text)}{more}</div>'


@dataclass(frozen=True)
class Thing:
    """One of the things a chapter shows: the claim it is of, its text, and how the claim came out for whom it speaks of."""

    id: str
    text: str
    came: tuple[tuple[str, str], ...]

    def html(self) -> str:
        """The text under its outcomes, its opening a link to the card.

        >>> Thing("a.b.c", "Trees lie there. A map finds them.", ()).html()
        '<a href="#a.b.c">Trees lie there.</a> A map finds them.'
        """
        end = first.end() if (first := OPENING.match(self.text)) else len(self.text)
        signs = "".join(f"{words.short(*each)} " for each in self.came)
        return f'{signs}<a href="#{escape(self.id)}">{escape(self.text[:end])}</a>{escape(self.text[end:])}'


@dataclass(frozen=True)
class Five:
    """The things a chapter shows, as a list."""

    things: tuple[Thing, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(thing.text for thing in self.things)

    def __repr__(self) -> str:
        signs = (", ".join(f"{who} {words.sign(label)}" for who, label in thing.came) for thing in self.things)
        return "\n".join(f"{k}. ({said}) {text}" for k, (said, text) in enumerate(zip(signs, self.texts), 1))

    def _repr_html_(self) -> str:
        listed = "".join(f"<li>{thing.html()}</li>" for thing in self.things)
        return f'<ol class="five">{listed}</ol><p class="overview-names">{SIGNED}</p>'


@cache
def entries(section: str) -> Mapping[str, Any]:
    """The texts of a section, by claim; `five` holds a list. Empty where none are written yet."""
    path = FINDINGS / f"{section}.yaml"
    return strict.read(path.read_text(encoding="utf-8")) if path.is_file() else {}


def found(id: str, settings: Settings | None = None) -> Finding:
    """What was found for a claim, in words.

    Raises
    ------
    KeyError
        If the ledger has no such row, or nothing is written for it.
    StaleFinding
        If a figure cannot be read off the evidence, or an outcome is another.
    """
    row = ledger.row(id)
    texts = entries(row.section)
    if id not in texts:
        raise KeyError(f"nothing is written in findings/{row.section}.yaml for {id}")
    entry, read = texts[id], reader(settings)
    relative = _filled(id, {**entry, "text": entry["relative"]}, read) if "relative" in entry else ""
    return Finding(_filled(id, entry, read), relative)


def five(section: str, settings: Settings | None = None) -> Five:
    """The things a chapter shows; errors as of `found`."""
    read = reader(settings)
    return Five(
        tuple(
            Thing(entry["id"], _filled(f"five of {section}", entry, read), _came(read(entry["id"]), entry))
            for entry in entries(section)["five"]
        )
    )


def _came(s: Standing, entry: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """How a claim came out for the networks that a text was written for; else for BERT, else for the network nearest to it."""
    slots = {
        "real": ("BERT", s.real),
        "sized": (s.larger, s.sized),
        "relative": (MINILM, s.relative),
        "mini": (s.own, s.mini),
    }
    named = [slot for who, slot in slots.items() if who in entry.get("outcomes", {}) and slot[1].decision]
    found = named or [slots["real"] if s.real.decision else s.nearest[:2]]
    return tuple((name, slot.label) for name, slot in found)


@cache
def _shipped(id: str) -> str:
    """The claim's verdict as it is written; empty where its text is not true of the evidence that is shipped."""
    with suppress(StaleFinding, KeyError):  # a test holds that none is stale
        return filled(id, entries("verdicts")[id], Settings(evidence=SHIPPED))
    return ""


def verdict(standing: Standing) -> str:
    """What is known of a claim, in one graded sentence with its figure.

    It is of the evidence that is shipped; where a reader's own made the outcomes others, these are said instead.

    Examples
    --------
    >>> from .standing import standing
    >>> print(verdict(standing("mbt.nmt.clinchant2019")))
    Not rerun: this book trains no translation models.
    """
    outcomes = entries("verdicts").get(standing.row.id, {}).get("outcomes", {})
    same = all(getattr(standing, who).label == label for who, label in outcomes.items())
    return _shipped(standing.row.id) * same or words.sentence(standing)


def filled(name: str, entry: Mapping[str, Any], settings: Settings | None = None) -> str:
    """An entry's text with its figures in place, its outcomes checked."""
    return _filled(name, entry, reader(settings))


def reader(settings: Settings | None) -> Callable[[str], Standing]:
    """Where claims stand, each read and decided once however many figures and outcomes are asked for."""
    return cache(lambda id: standing(id, settings))


def _filled(name: str, entry: Mapping[str, Any], read: Callable[[str], Standing]) -> str:
    unknown = set(entry) - FIELDS - {"id"}
    if unknown or "text" not in entry:
        raise StaleFinding(f"{name}: a finding has {sorted(FIELDS)}, not {sorted(unknown)}")
    id = entry.get("id", name)
    for who, label in entry.get("outcomes", {}).items():
        now = getattr(read(id), who).label
        if now != label:
            raise StaleFinding(f"{name}: the text is written for {who}: {label!r}; the evidence says {now!r}")
    for first, second in unlike(entry["text"], entry.get("figures", {})):
        raise StaleFinding(
            f"{name}: {second!r} stands beside {first!r} as if it were of one measure; say what it is of"
        )
    figures = {key: figure(id, key, spec, read) for key, spec in entry.get("figures", {}).items()}
    used = [spec for key, spec in entry.get("figures", {}).items() if f"{{{key}}}" in entry["text"]]
    return " ".join([*entry["text"].format(**figures).split(), APART if apart(used) else ""]).strip()


def unlike(text: str, figures: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Pairs of figures of two measures that a text puts side by side with no more between them than a network's name.

    Examples
    --------
    >>> figures = {"b": {"measure": "UUAS"}, "s": {"measure": "UUAS over baseline"}}
    >>> unlike("BERT finds {b} of the edges (mpnet: {s}).", figures), unlike("BERT finds {b} (mpnet gains {s}).", figures)
    ([('b', 's')], [])
    """
    pairs = [(a, b) for a, b in BESIDE.findall(" ".join(text.split())) if a in figures and b in figures]
    return [(a, b) for a, b in pairs if figures[a]["measure"] != figures[b]["measure"]]


def apart(figures: Iterable[Mapping[str, Any]]) -> bool:
    """Whether figures of one measure are of networks that read no text in common.

    Examples
    --------
    >>> mini, mpnet = ({"measure": "F1", "model": m, "data": d} for m, d in (("mini", "builtin"), ("mpnet", "glue_sst2")))
    >>> apart([mini, mpnet]), apart([mini, mini | {"model": "mpnet"}])
    (True, False)
    """
    read: dict[str, dict[str, set[str]]] = {}
    for spec in figures:
        if "model" in spec:
            network = spec["model"].removesuffix(TWIN)
            texts = SAME.get(spec["data"], spec["data"].removeprefix("released/"))  # outputs may lie beside their texts
            read.setdefault(spec["measure"], {}).setdefault(network, set()).add(texts)
    return any(not set.intersection(*by.values()) for by in read.values())


def figure(id: str, key: str, spec: Mapping[str, Any], read: Callable[[str], Standing]) -> str:
    """A figure of a text as it is written there; `StaleFinding` unless exactly one row gives it."""
    if "study" in spec:
        return _formatted(_reported(id, spec), "g")
    records = [
        r
        for r in read(spec.get("id", id)).records
        if r.model == spec["model"] and r.data == spec["data"] and r.kind == spec.get("kind", r.kind)
    ]
    rows = [
        row
        for record in records
        for row in record.rows
        if row["measure"] == spec["measure"] and all(row.get(k) == v for k, v in spec.get("where", {}).items())
    ]
    if len(rows) != 1:
        mend = "" if records else f"; first: bertology run {id} --evidence bertology_utils/assets/evidence"
        raise StaleFinding(f"{id}: figure {key!r} ({dict(spec)}) is given by {len(rows)} rows, not by one{mend}")
    return _formatted(rows[0][spec.get("part", "value")], spec.get("as", ".2f"))


def _reported(id: str, spec: Mapping[str, Any]) -> float:
    """A figure that a study reported: by study, measure, name and column."""
    for figure in reported.figures(id):
        if (figure.study, figure.measure) == (spec["study"], spec["measure"]):
            return figure.values[spec["name"]][spec["column"]]
    raise StaleFinding(f"{id}: {spec['study']} reports no {spec['measure']!r}")


def _formatted(value: float, how: str) -> str:
    """A figure as a text has it; `how` is a format, or ``.1p`` for a difference of shares in percentage points.

    With a bar before it the figure is a fall whose size the text gives: of a rise it would be untrue.

    >>> _formatted(-0.069, ".1p"), _formatted(0.069, ".0%"), _formatted(-0.069, "|.1p"), _formatted(-0.0004, ".2f")
    ('−6.9', '7%', '6.9', '0.00')
    """
    if how.startswith("|"):
        if value > 0:
            raise StaleFinding(f"the text speaks of a fall; the figure is {value}")
        value, how = -value, how[1:]
    text = f"{100 * value:{how[:-1]}f}" if how.endswith("p") else format(value, how)
    return text.replace("-", "−" if text.strip("-0.%") else "")  # nothing has no sign
