"""What intervals could have found, and how many finds of many are luck."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.stats import false_discovery_control, norm
from scipy.stats import t as student

from .rows import Interval


def _quantile(p: float, clusters: int | None) -> float:
    return float(norm.ppf(p) if clusters is None or clusters < 2 else student.ppf(p, clusters - 1))


def widened(interval: Interval, rows: int) -> Interval:
    """The interval for one of so many rows of which any may do: at the level 1 - .05 / rows (Bonferroni).

    Examples
    --------
    >>> [round(x, 2) for x in widened(Interval(0.0, -1.96, 1.96), 5)]
    [0.0, -2.58, 2.58]
    """
    by = _quantile(1 - 0.025 / max(rows, 1), interval.clusters) / _quantile(0.975, interval.clusters)
    value, low, high = interval
    return Interval(value, value - (value - low) * by, value + (high - value) * by, clusters=interval.clusters)


def smallest_detectable(interval: Interval, power: float = 0.8) -> float:
    """The effect (beyond the bound, in the measure's unit) that an interval of this width finds with such power.

    About 1.43 half-widths: (1.96 + 0.84) / 1.96 with the normal distribution, with Student's t for few clusters.

    Examples
    --------
    >>> round(smallest_detectable(Interval(0.5, 0.402, 0.598)), 3)
    0.14
    """
    sure = _quantile(0.975, interval.clusters)
    return float((interval[2] - interval[1]) / 2 * (sure + _quantile(power, interval.clusters)) / sure)


def p_value(interval: Interval, bound: float, side: str = "above") -> float:
    """One-sided p of "the figure is on this side of the bound", from the interval's half that faces the bound.

    `side` is above or below. It is .025 where the interval just touches the bound, whatever its shape. nan without
    an interval.

    Examples
    --------
    >>> round(p_value(Interval(0.6, 0.5, 0.7), 0.5), 4)
    0.025
    """
    if side not in ("above", "below"):
        raise ValueError(f"side is {side!r}; it may be above or below")
    value, low, high = interval
    gap = value - bound if side == "above" else bound - value
    facing = value - low if value > bound else high - value
    if np.isnan(facing) or np.isnan(gap):
        return float("nan")
    if facing <= 0:
        return 0.5 if gap == 0 else float(gap < 0)
    score = gap * _quantile(0.975, interval.clusters) / facing
    clusters = interval.clusters or 0
    return float(norm.sf(score) if clusters < 2 else student.sf(score, clusters - 1))


def discoveries(p: Mapping[str, float], rate: float = 0.05) -> pd.DataFrame:
    """Which of many finds stand at a false-discovery rate (benjamini1995).

    Parameters
    ----------
    p : mapping
        Name (a claim's clause) -> p; nan (no interval) is left out. Of a clause that needs several rows, the largest.

    Returns
    -------
    DataFrame
        Indexed by name: `p`, `adjusted`, `found` (adjusted <= rate).

    Examples
    --------
    >>> discoveries({"a": 0.001, "b": 0.02, "c": 0.6})["found"].tolist()
    [True, True, False]
    """
    known = {k: v for k, v in p.items() if not np.isnan(v)}
    frame = pd.DataFrame({"p": pd.Series(known, dtype=float)})
    frame["adjusted"] = false_discovery_control(frame["p"].to_numpy()) if len(frame) else []
    frame["found"] = frame["adjusted"] <= rate
    return frame
