"""The table of the book: what each claim's rule was tried on, and what it said."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from ..claims import ledger
from .records import SHIPPED, find
from .trials import NULL, PLANTED, Trial

COLUMNS = ("claim", "title", "data", "n", "nulls", "passed", "planted", "outcome", "found")


def by_claim(trials: Iterable[Trial]) -> pd.DataFrame:
    """A row for each claim and source, in the ledger's order.

    Returns
    -------
    data frame
        ``claim, title, data``; ``n``: items scored; ``nulls``: a tuple of (name, outcome) of those tried; ``passed``: a
        tuple of the nulls that held what they must not; ``planted``: what was planted, in words; ``outcome``: what
        the rule said of it; ``found``: whether that is what it should.
    """
    groups: dict[tuple[str, str], list[Trial]] = {}
    for trial in trials:
        groups.setdefault((trial.record.claim, trial.record.data), []).append(trial)
    titles = {row.id: row.title for row in ledger.rows()}
    known = (key for key in groups if key[0] in titles)
    rows = []
    for id, source in sorted(known, key=lambda key: list(titles).index(key[0])):
        group = groups[id, source]
        nulls = [t for t in group if t.role == NULL]
        planted = [t for t in group if t.role == PLANTED]
        rows.append(
            {
                "claim": id,
                "title": titles[id],
                "data": source,
                "n": max(t.record.n for t in group),
                "nulls": tuple((t.name, t.label) for t in nulls),
                "passed": tuple(t.name for t in nulls if not t.stale and t.wrong),
                "planted": "; ".join(t.says for t in planted),
                "outcome": "; ".join(t.label for t in planted),
                "found": bool(planted) and not any(t.stale or t.wrong for t in planted),
            }
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def stored(root: Path = SHIPPED) -> pd.DataFrame:
    """The table of the stored calibrations."""
    return by_claim(find(root=root))


def _wrong(trial: Trial) -> int:
    return 0 if trial.stale else len(trial.wrong)


def plain(id: str, root: Path = SHIPPED) -> dict:
    """One claim's part of ``bertology list --json``: ``nulls: [{name, label}]`` and ``planted: {label}``.

    Where a null was tried on several sources, the outcome that speaks most for it is shown.
    """
    trials = find(id, root)
    nulls: dict[str, Trial] = {}
    for trial in (t for t in trials if t.role == NULL):
        if trial.name not in nulls or _wrong(trial) > _wrong(nulls[trial.name]):
            nulls[trial.name] = trial
    planted = sorted((t for t in trials if t.role == PLANTED), key=_wrong, reverse=True)
    return {
        "nulls": [{"name": name, "label": trial.label} for name, trial in nulls.items()],
        "planted": {"label": planted[0].label if planted else None},
    }
