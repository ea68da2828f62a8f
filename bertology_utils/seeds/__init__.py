"""Claims put to several pretraining runs that differ in their seed alone: ``bertology seeds run | list``.

`networks` finds the trained models of the family's tier ``seeds``, `measure` puts claims to them, on headline data only.
The records, and how they are read, are `claims.seeds`.
"""

from __future__ import annotations

from .measure import LIVE, Outcome, claims, current, lacking, many, measure
from .networks import NoModels, Trained, trained

__all__ = ["LIVE", "NoModels", "Outcome", "Trained", "claims", "current", "lacking", "many", "measure", "trained"]
