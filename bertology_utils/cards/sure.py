"""How sure: high, moderate or low, with the reasons, after GRADE (a rating that starts high and is lowered by what is weak)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..claims.rules import NOT_RERUN
from .standing import FAMILY, Slot, Standing

GRADES = ("high", "moderate", "low")
FEW = 15  # clusters under which an interval itself is uncertain


@dataclass(frozen=True)
class Sureness:
    """A grade for one slot, and what lowered it, in words."""

    grade: str
    reasons: tuple[str, ...]


def sure(standing: Standing, which: str) -> Sureness | None:
    """The grade of the slot ``real``, ``sized``, ``relative`` or ``mini``; None where nothing was rerun.

    Each weakness lowers the grade by one: aggregates only, indirect evidence, another network than BERT, a small model and one
    training run of it, an interval wider than the effect asked for, few independent units, a rule changed after figures had
    been seen, a departure from the study.
    """
    slot: Slot = getattr(standing, which)
    if slot.label == NOT_RERUN or slot.decision is None:
        return None
    reasons = []
    checks = slot.decision.checks
    if which in ("sized", "relative", "mini"):
        ours = "small models" if standing.ours == FAMILY else "a small model, and one training run of it"
        reasons.append(ours if which == "mini" else "a relative of BERT, tuned on pairs of sentences")
        if slot.demonstration:
            reasons.append("generated sentences only")
        if standing.row.departs:
            reasons.append("our version departs from the study")
        if any(c.over_twin is not None and np.isnan(c.over_twin[1]) for c in checks):
            reasons.append("the difference over the untrained twin has no interval")
    elif all(r.kind == "released" for r in slot.records) and any(np.isnan(c.low) for c in checks):
        reasons.append("only aggregates were released")
    wide = [c for c in checks if np.isfinite(c.low) and c.holds is None]
    if wide:
        reasons.append("an interval reaches across the bound")
    if slot.clusters is not None and slot.clusters < FEW:
        reasons.append(f"{slot.clusters} independent unit{'s' * (slot.clusters != 1)}")
    if standing.row.changed:
        reasons.append("the rule was changed after figures had been seen")
    return Sureness(GRADES[min(len(reasons), 2)], tuple(reasons))
