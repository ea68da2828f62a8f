"""Claims put to several pretraining runs that differ in their seed alone: ``bertology seeds run | list``.

`networks` finds the trained models of the family's tier ``seeds``, `measuring` puts claims to them, on headline data only.
The records, and how they are read, are `claims.seeds`.
"""

from __future__ import annotations

from .measuring import Outcome, claims, headline, lacking, many, measure
from .networks import NoModels, Trained, trained
