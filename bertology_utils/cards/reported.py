"""What studies reported, beside the outcomes: in BERT's slot where none of its outputs decides, in a fold, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from ..claims.reported import Figure
from . import words
from .standing import NOTHING, RELATED, RELEASED, REPORTED, Standing

SHOWN = 3  # names of figures that fit a slot
READ = {
    "against": "speaks against the survey's sentence",
    "qualifies": "qualifies the survey's sentence",
    "supports": "",
}


def slot(s: Standing) -> str:
    """What stands in the real BERT's slot where none of its outputs decides the claim; else empty.

    >>> from .standing import standing
    >>> slot(standing("syn.tpdn.jawahar2019")), slot(standing("syn.agreement.goldberg2019"))
    ('nothing reported that we found', '')
    >>> slot(standing("trn.tuned_sep.kovaleva2019")).split(" (")[0]
    'reported: first: 0.454 / 0.357; second: 0.37 / 0.313'
    """
    if s.known == RELEASED:
        return ""
    if s.known == REPORTED:
        return f"{'reported in a related study' if elsewhere(s) else 'reported'}: {line(s.reported[0], SHOWN)}"
    return "nothing reported of BERT itself" if s.reported else "nothing reported that we found"


def elsewhere(s: Standing) -> bool:
    """Whether what was reported of BERT is by other studies than those the claim is from, and not by the survey.

    >>> from .standing import standing
    >>> elsewhere(standing("trn.mixout.lee2019")), elsewhere(standing("trn.tuned_sep.kovaleva2019"))
    (True, False)
    """
    own = {*s.row.studies, "rogers2020"}
    return s.known == REPORTED and not any(f.network == "BERT" and f.study in own for f in s.reported)


def line(figure: Figure, most: int | None = None) -> str:
    """A figure with its unit, what it measures, and where it stands; how we read it, unless it is as the survey says."""
    told = f"{figure.text(most)}, {figure.measure} ({figure.model}; {figure.data}). "
    told += f"{words.cited(figure.study)}, {figure.where}"
    marks = filter(None, (READ[figure.speaks], "" if figure.confirmed else "read in one place only"))
    return "; ".join((told, *marks))


def against(s: Standing) -> list[Figure]:
    """The figures that speak against the survey's sentence."""
    return [f for f in s.reported if f.speaks == "against"]


def contradicted(s: Standing) -> str:
    """A paragraph for figures that speak against the survey's sentence: never in a fold alone."""
    said = " ".join(f"{line(f)}." for f in against(s))
    return f'<p class="claim-against"><b>Reported against it.</b> {escape(said)}</p>' if said else ""


def fold(s: Standing, whole: bool = False) -> str:
    """All that was reported, each with a link to its source and what it was read in, which may be a transcript of it."""
    if not s.reported:
        return ""
    items = "".join(
        f'<li>{escape(line(f))}. <small><a href="{escape(f.source)}">Source</a>; read in {escape(f.via)}'
        f"{f' and in {escape(f.second)}' if f.second else ''}"
        f"{'; of another network than BERT' if f.network != 'BERT' else ''}.</small></li>"
        for f in s.reported
    )
    n = len(s.reported)
    title = "One figure that a study reported" if n == 1 else f"{n} figures that studies reported"
    opened = " open" if whole else ""
    note = "<p><small>As stated there; none of them is an outcome of ours.</small></p>"
    return f'<details class="claim-reported"{opened}><summary>{title}</summary><ul>{items}</ul>{note}</details>'


def badge(s: Standing) -> str:
    """The word for a narrow column, in grey, with the figure on hover; empty where nothing was reported of BERT."""
    if s.known != REPORTED:
        return ""
    return f'<span class="outcome outcome-none" title="{escape(slot(s))}">reported</span>'


def counts(found: Sequence[Standing]) -> dict[str, int]:
    """Claims by the best kind of what there is of the real BERT; they add up to all."""
    number = Counter(s.known for s in found)
    return {kind: number[kind] for kind in (RELEASED, REPORTED, RELATED, NOTHING)}


def sentence(found: Sequence[Standing]) -> str:
    """The counts as a part of a page.

    >>> from .standing import standing
    >>> sentence([standing("trn.nsp.liu2019b")]).split(", ")[1]
    '1 with a reported figure (0 of them in a related study; for 0 of them related outputs were scored again too)'
    """
    n, beside = counts(found), sum(map(elsewhere, found))
    again = sum(s.known == REPORTED and any(r.kind == "released" for r in s.records) for s in found)
    return (
        f"BERT itself: {n[RELEASED]} claims with released outputs that we scored again, {n[REPORTED]} with a reported figure "
        f"({beside} of them in a related study; for {again} of them related outputs were scored again too), "
        f"{n[RELATED]} with related outputs alone, {n[NOTHING]} with none of these."
    )
