"""The family: many small pretraining runs that differ in one thing each, and one record per run.

`grid` says what is to be trained, `places` and `measure` what a trained run can do, `record` keeps it, `train` goes
through the grid: ``bertology family run | list``. Weights are not kept; a run is found again by the hash of its
configuration, its text and the version of the code.
"""

from __future__ import annotations

from . import grid, record, train
from .grid import Member, Tier, members, tiers
from .record import Record, find, read
from .train import run

__all__ = ["Member", "Record", "Tier", "find", "grid", "members", "read", "record", "run", "tiers", "train"]
