"""What a run measured, in a form that is pleasant to use: values, series, figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from .. import plotting
from ..scores.pairs import CHOSEN
from ..scores.rows import COLUMNS, combine
from . import ledger
from .checks import RuleError, select
from .evidence import Evidence
from .registry import NotRunnable
from .rules import Decision, pooled


@dataclass(frozen=True)
class Result:
    """What one call of `run` measured: a record each for subject and twin on each source.

    Examples
    --------
    >>> from bertology_utils import run
    >>> result = run("syn.malformed.ettinger2019", n=40, save=False)
    >>> 0 <= result.value("top-5 overlap", perturbation="shuffled") <= 1
    True
    """

    records: tuple[Evidence, ...]

    @property
    def rows(self) -> pd.DataFrame:
        """The subject's tidy rows; a column `data` tells several sources apart."""
        return self._frame(False)

    @property
    def twin(self) -> pd.DataFrame:
        """The untrained twin's tidy rows."""
        return self._frame(True)

    @property
    def frames(self) -> dict[str, pd.DataFrame]:
        """Model name -> its tidy rows, the subject first: what the plotting functions take."""
        return {r.model: self._frame(r.is_twin) for r in self.records}

    @property
    def decision(self) -> Decision:
        """What the claim's clauses say of the subject, pooled over the sources that were run."""
        return pooled([r.judged() for r in self._chosen(False)])

    def series(self, measure: str, **where: Any) -> dict[str, pd.DataFrame]:
        """The rows of one measure for subject and twin; `where` names key columns and their values.

        Raises
        ------
        ValueError
            If there is no such row; the measures there are are named.
        """
        return plotting.series(self.frames, measure, **where)

    def value(self, measure: str, *, twin: bool = False, **where: Any) -> float:
        """The one figure of that measure and key.

        Raises
        ------
        ValueError
            If there is none, or more than one: then the keys that tell them apart are named.
        """
        return float(self.row(measure, twin=twin, **where)["value"])

    def interval(self, measure: str, *, twin: bool = False, **where: Any) -> tuple[float, float]:
        """The 95% interval of the one figure of that measure and key; errors as of `value`."""
        row = self.row(measure, twin=twin, **where)
        return float(row["low"]), float(row["high"])

    def row(self, measure: str, *, twin: bool = False, **where: Any) -> Mapping[str, Any]:
        """The one tidy row of that measure and key; errors as of `value`."""
        found = plotting.series({"rows": self._frame(twin)}, measure, **where)["rows"]
        if len(found) > 1:
            keys = {
                c: sorted(map(str, set(found[c]))) for c in found.columns if c not in ("value", "low", "high", "draws")
            }
            told = {c: v for c, v in keys.items() if len(v) > 1}
            raise ValueError(f"{len(found)} rows of {measure!r} {where or ''}; tell them apart by {told}")
        return found.iloc[0].to_dict()

    def deciding(self) -> dict[str, pd.DataFrame]:
        """The rows that decide the claim, for subject and twin, each named in words in a column ``figure``."""
        clauses = ledger.row(self.records[0].claim).clauses
        out = {}
        for name, frame in self.frames.items():
            chosen = []
            for test in (t for c in clauses for t in c.tests):
                try:
                    chosen.append(select(test, frame))
                except RuleError:  # a measure that other sources have
                    continue
            rows = combine(*chosen).drop_duplicates(subset=["measure", "value", "low", "high"])
            keys = [c for c in rows.columns if c not in COLUMNS and c not in CHOSEN]
            words = [
                f"{r['measure']}" + "".join(f", {r[k]}" for k in keys if not pd.isna(r[k]))
                for r in rows.to_dict("records")
            ]
            out[name] = rows.drop(columns=[c for c in rows.columns if c not in COLUMNS]).assign(figure=words)
        return out

    def plot(self, measure: str, x: str, *, kind: str = "lines", where: Mapping[str, Any] | None = None, **labels: Any):
        """A figure of one measure for subject and twin over column `x`: ``lines`` or ``bars``; labels as of `plotting`."""
        if kind not in ("lines", "bars"):
            raise ValueError(f"kind is {kind!r}; it may be lines or bars")
        return getattr(plotting, kind)(self.series(measure, **(where or {})), x, **labels)

    def _chosen(self, twin: bool) -> list[Evidence]:
        chosen = [r for r in self.records if r.is_twin is twin]
        if not self.records:
            raise NotRunnable("nothing was run: every record asked for is there already")
        if not chosen:
            raise NotRunnable("the twin was not run" if twin else "only the twin was run")
        return chosen

    def _frame(self, twin: bool) -> pd.DataFrame:
        chosen = self._chosen(twin)
        return combine(*(r.frame.assign(data=r.data) if len(chosen) > 1 else r.frame for r in chosen))
