"""Cumulative scores and mixing weights of a task, fitted several times (tenney2019a); shared by three claims."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...probes import Targets
from ...probes.mixtures import Cumulative, cumulative
from ...scores import intervals
from ...scores.cumulative import Figure, expected, gain, kl_of_gains, low_less_high
from ...scores.profiles import Profile, over_fits, thirds, training_noise
from ...settings import Settings
from .fits import parts

MIXED = 2000  # training targets per fit, of one word and of two: mixtures take long to fit


@dataclass(frozen=True, eq=False)
class Mixed:
    """Cumulative scoring of one task on disjoint parts of the training sentences.

    Attributes
    ----------
    fits : list of Cumulative
    profile : Profile
        Accuracy of the mixtures of layers 0..l, for each l.
    groups : array (N,)
        The sentence of each test target.
    hard : bool array (N,)
        Test targets that most fits' embeddings get wrong and most full mixtures right.
    """

    fits: list[Cumulative]
    profile: Profile
    groups: np.ndarray
    hard: np.ndarray

    def kl(self) -> np.ndarray:
        """Divergence of the mixing weights from uniform ones, bits, of each fit (R,)."""
        return np.array([f.mixture.kl for f in self.fits])


def mixed(x: np.ndarray, targets: Targets, settings: Settings) -> Mixed:
    """`cumulative` on each part of the training sentences, for `fits.measured`."""
    test = targets.split == "test"
    fits = []
    for part in parts(targets, settings.seed):
        chosen = part | (targets.split != "train")
        fits.append(cumulative(x[:, chosen], targets.take(chosen), settings))
    right = np.array([f.right for f in fits], bool)  # (R, L + 1, N)
    often = right.mean(0) > 0.5
    profile = Profile.of(right, targets.sentence[test], settings)
    return Mixed(fits, profile, targets.sentence[test], ~often[0] & often[-1])


def task_rows(task: str, found: Mixed, settings: Settings) -> list[dict]:
    """Cumulative accuracy by layer, what all layers add, where, and the mixing weights with their divergence."""
    p, third = found.profile, thirds(found.profile.depth)[0][-1]
    rows = [intervals.row("cumulative accuracy", s, p.n, task=task, layer=k) for k, s in enumerate(p.scores())]
    rows.append(intervals.row("gain over embeddings", p.interval(*gain(p)), p.n, task=task))
    rows.append(intervals.row("gain of the lowest third", p.lead(third, 0), p.n, task=task, layer=third))
    rows.append(intervals.row("gain above the lowest third", p.lead(p.depth, third), p.n, task=task, layer=third))
    rows.append(intervals.row("gain, low - high", p.interval(*low_less_high(p)), p.n, task=task))
    rows.append(intervals.row("KL of mixing weights (bits)", over_fits(found.kl(), settings), p.n, task=task))
    rows.append(intervals.row("KL of gains (bits)", p.interval(*kl_of_gains(p)), p.n, task=task))
    weights = np.array([f.mixture.weights for f in found.fits])  # (R, L + 1)
    for k in range(p.depth + 1):
        rows.append(intervals.row("mixing weight", over_fits(weights[:, k], settings), p.n, task=task, layer=k))
    rows.append(intervals.mean_row("majority", found.fits[0].majority, settings, groups=found.groups, task=task))
    return rows


def depth_rows(task: str, found: Mixed, settings: Settings) -> list[dict]:
    """Expected layer and centre of gravity, in layers and as shares of depth."""
    p = found.profile
    centres = over_fits([f.mixture.centre_of_gravity for f in found.fits], settings)
    figures = {"expected layer": p.interval(*expected(p)), "centre of gravity": centres}
    rows = [intervals.row(m, x, p.n, task=task) for m, x in figures.items()]
    return rows + [intervals.row(f"{m} / depth", x.scaled(1 / p.depth), p.n, task=task) for m, x in figures.items()]


def kl_figure(found: Mixed, settings: Settings) -> Figure:
    """The divergence of the mixing weights, mean over fits, and its draws."""
    values = found.kl()
    return float(values.mean()), values.mean() + training_noise(values, settings.draws, settings.seed)
