"""Intervals of shares: right at the ends, and for items in clusters.

A percentile of resampled items has no width where all items are right, and covers 86 to 87 times in a hundred near
there. wilson1927's interval does not; for clusters it takes the number of independent items that would be as
informative (korn1998). For differences of paired shares, bonett2012.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2, norm
from scipy.stats import t as student

Z = float(norm.ppf(0.975))


def wilson(p: float, n: float, z: float = Z) -> tuple[float, float]:
    """Limits of a share p of n items, 95 % ones unless z says otherwise; n need not be whole.

    Examples
    --------
    >>> [round(x, 3) for x in wilson(1.0, 20)]
    [0.839, 1.0]
    """
    centre, slack = p + z**2 / (2 * n), z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    whole = 1 + z**2 / n
    # rounding must not move an end that is exact
    return min(p, max(0.0, float((centre - slack) / whole))), max(p, min(1.0, float((centre + slack) / whole)))


def wilson_items(p: float, low: float, high: float) -> float | None:
    """The n whose 95 % limits by `wilson` these are; None where they are not of that kind.

    Either limit, where it is not p itself, lies as many standard errors *of its own* from p as the other: that tells them.

    Examples
    --------
    >>> round(wilson_items(0.9, *wilson(0.9, 34)), 6), wilson_items(0.9, 0.8, 1.0)
    (34.0, None)
    """
    if not (0 <= low <= p <= high <= 1 and low < high):
        return None
    found = [Z**2 * end * (1 - end) / (p - end) ** 2 for end in (low, high) if end != p]
    alike = min(found) > 0 and max(found) < 1.01 * min(found)  # records keep six digits
    return sum(found) / len(found) if alike and (len(found) == 2 or p in (0.0, 1.0)) else None


def discordant(more: float, less: float, n: float) -> tuple[float, float]:
    """95 % limits of `more` - `less`, the shares of n pairs in which one side alone is right (bonett2012).

    Never without width: of 100 pairs that all agree, [-0.027, 0.027].
    """
    a, b = (n * more + 1) / (n + 2), (n * less + 1) / (n + 2)
    half = Z * np.sqrt((a + b - (a - b) ** 2) / (n + 2))
    return max(-1.0, min(more - less, a - b - half)), min(1.0, max(more - less, a - b + half))


def independent_items(
    variance: float, single: float, n: int, *, t: float, odd: int, most: float, within: float = 1.0
) -> float:
    """How many independent items would say as much as these n in clusters.

    Parameters
    ----------
    variance, single : float
        Of the share as it is, and of the share of n independent items.
    t : float
        What takes the place of 1.96 for so few clusters.
    odd : int
        Clusters that hold an item other than the rest. Of one or two, little is learnt about how much the items
        of a cluster resemble each other: then the design effect is drawn towards the most that it may be.
    most : float
        The design effect if all items of a cluster were alike: their number in a cluster.
    within : float
        The share of such items that a cluster which holds one may have at the most: where one item of two hundred is
        other than the rest, a cluster's items are not all alike.

    Examples
    --------
    Three runs over 2000 items that come out alike: drawing their effect towards 2000 left 164 items of them.

    >>> round(independent_items(1.0, 1.0, 6000, t=1.96, odd=3, most=2000, within=0.5))
    2526
    """
    effect = variance / single if single > 0 else most
    most = max(most * within, 1.0)
    if odd > 1:  # what the clusters' own shares leave open, however many items they hold: the upper limit of a variance
        most = min(most, max(effect, 1.0) * (odd - 1) / float(chi2.ppf(0.025, odd - 1)))
    effect = (odd**3 * effect + most) / (odd**3 + 1)
    t = min(t, float(student.ppf(0.975, 1)))  # of a single cluster t says nothing
    return float(n / max(effect * (t / Z) ** 2, 1.0))  # never more than there are


def constant(value: float, n: float, signed: bool = False) -> tuple[float, float]:
    """95 % limits of a figure that came out the same in all n units (or all their resamples).

    A share of units as large as Wilson's limit allows after n without an exception may lie at the other end of the
    scale: of 0..1, of -1..1 where the value or `signed` says so, else of 0..twice the value.
    """
    unseen = Z**2 / (n + Z**2)
    if abs(value) <= 1:
        bottom, top = (-1.0 if signed or value < 0 else 0.0), 1.0
    else:
        bottom, top = value - abs(value), value + abs(value)
    return float(value - unseen * (value - bottom)), float(value + unseen * (top - value))
