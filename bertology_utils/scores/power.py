"""What intervals could have found."""

from __future__ import annotations

from scipy.stats import norm
from scipy.stats import t as student

from .rows import Interval


def _quantile(p: float, clusters: int | None) -> float:
    return float(norm.ppf(p) if clusters is None or clusters < 2 else student.ppf(p, clusters - 1))


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
