"""What the tiers of pretraining runs say of one claim, each by itself, and whether they say the same.

A claim that compares runs of training may have runs on the package's own language and on English. The headline is of the
English ones; but two texts that disagree are a finding of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..claims.rules import FAILS, HOLDS, MIXED, Decision
from . import words
from .rows import headline
from .standing import BUILTIN, FAMILY, Slot, Standing

AGREE, CONTRADICT, ALONE, OPEN = "agree", "contradict one another", "one decides alone", "neither decides"
UNCOUNTED = "generated sentences do not count beside other text"


def tiers(s: Standing) -> dict[str, Slot]:
    """Data source -> outcome of the runs filed under it, of a claim about recorded runs; else nothing."""
    own = [(r, r.decision) for r in s.records if r.kind == "rerun" and r.model == FAMILY]
    return {r.data: Slot(d.label, d, (r,)) for r, d in own if d} if s.ours == FAMILY else {}


def together(decisions: Sequence[Decision]) -> str:
    """What two decisions say together, part by part of the claim: one contradiction is a contradiction.

    Parts that one of them cannot test or leaves open are no disagreement.
    """
    sides = [_sides(d) for d in decisions]
    if len(sides) < 2 or not any(sides):
        return OPEN
    both = set.intersection(*map(set, sides))
    if not both:
        return ALONE
    return CONTRADICT if any(len({side[name] for side in sides}) > 1 for name in both) else AGREE


def _sides(decision: Decision) -> dict[str, str]:
    """What a tier decided, by part of the claim."""
    return {c.name: c.outcome for c in decision.tested if c.outcome in (HOLDS, FAILS, MIXED)}


def in_words(s: Standing) -> str:
    """The tiers in a sentence for the card, and whether what one decides alone counts; empty where there is but one.

    >>> from .standing import standing
    >>> in_words(standing("syn.agreement.goldberg2019"))
    ''
    """
    found = tiers(s)
    if len(found) < 2:
        return ""
    each = "; ".join(f"{words.data_name(data)}: {slot.label} ({headline(slot)})" for data, slot in found.items())
    decisions = {data: slot.decision for data, slot in found.items() if slot.decision}
    said = together(list(decisions.values()))
    uncounted = said == ALONE and BUILTIN not in s.mini.data and BUILTIN in decisions and _sides(decisions[BUILTIN])
    return f"{each}. The tiers: {said}{f'; {UNCOUNTED}' if uncounted else ''}."
