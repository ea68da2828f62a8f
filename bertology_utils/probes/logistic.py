"""Logistic regressions to their one optimum: what comes out does not depend on the machine it is fitted on.

The penalised loss is strictly convex, so it has one minimum; a fit that stops before it stops at a place that the last
bit of a hidden state decides. Here every fit goes on until its distance from the minimum is bounded by `TOLERANCE`, in
double precision. K problems with the same rows are solved side by side (the probes of all layers), by Newton's method:
the steps are found by conjugate gradients, which may be rough and in single precision, since each Newton step starts
from an exact gradient. Features are rotated to their principal axes first. That changes neither loss nor penalty, and
in this basis the curvature is nearly diagonal, so few conjugate steps do; penalties of a grid share the rotation, and
each starts where the stronger one before it ended.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

TOLERANCE = 1e-6  # bound on the distance from the minimum, in the norm of the curvature: log-odds of the training rows
NEWTON = 100  # steps at most; some ten to twenty are usual
CONJUGATE = 500  # steps at most within one of them
FORCING = 0.1  # share of its gradient that a Newton step may leave
HALVINGS = 30
FARTHEST = 10  # log-odds that a step moves a bias by, about: a class of all but no odds has all but no curvature


class NotConverged(UserWarning):
    """A fit ended further from its minimum than `TOLERANCE`; its figures may differ from machine to machine."""


@dataclass(frozen=True)
class Axes:
    """Features (K, R, N) along their principal axes, variances (K, R), and the way back (K, F, R)."""

    x: torch.Tensor
    variance: torch.Tensor
    back: torch.Tensor


def solve(
    x: torch.Tensor, target: torch.Tensor, many: int, penalties: Sequence[float]
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Minimise mean loss + l2 / 2 |weight|^2 for K sets of features and each penalty.

    Beside the rows there is one more observation: at the features' mean, of all classes alike, with the weight of a
    row. It keeps the bias of a class that no row has finite (the penalty leaves biases alone), and is what makes the
    minimum unique there too.

    Parameters
    ----------
    x : float64 tensor (K, N, F)
        Centred.
    target : int tensor (N,), or bool tensor (N, C)
        The class of each row (softmax), or which classes it has (a sigmoid each).
    many : int
        Classes.
    penalties : sequence of float
        l2, in falling order: each starts from the solution before.

    Yields
    ------
    weight, bias : float64 tensors (K, C, F), (K, C)
        For each penalty. The bias of a softmax is the one that sums to zero.

    Raises
    ------
    ValueError
        If a penalty is not positive: without one there may be no minimum.
    FloatingPointError
        If features, or a fit, are not finite.
    """
    if not all(p > 0 for p in penalties):
        raise ValueError(f"l2 must be positive: {list(penalties)}")
    fit = _Fit(axes(x), target, many)
    for l2 in penalties:
        yield fit.minimise(l2)


def axes(x: torch.Tensor) -> Axes:
    """Principal axes of features (K, N, F): as many as there are directions in which the rows differ at all."""
    n, size = x.shape[1:]
    if n < size:  # the minimum lies in the span of the rows
        variance, rows = torch.linalg.eigh(x @ x.mT / n)
        length = (variance.clamp_min(0) * n).sqrt()
        kept = length > 1e-9 * length.amax(1, keepdim=True).clamp_min(1e-300)
        inverse = torch.where(kept, 1 / length, 0.0)
        turned = (rows * (length * kept)[:, None]).mT.contiguous()
        return Axes(turned, variance.clamp_min(0) * kept, (x.mT @ rows) * inverse[:, None])
    variance, back = torch.linalg.eigh(x.mT @ x / n)
    return Axes((back.mT @ x.mT).contiguous(), variance.clamp_min(0), back)


class _Fit:
    """K problems; `weight` (K, C, R) along the axes and `bias` (K, C) are where the last penalty's ended."""

    def __init__(self, axes: Axes, target: torch.Tensor, many: int) -> None:
        self.axes, (k, size, self.n) = axes, axes.x.shape
        self.softmax = target.ndim == 1
        x = axes.x
        chosen = torch.nn.functional.one_hot(target, many) if self.softmax else target
        self.target = chosen.T.to(x.dtype)  # (C, N)
        self.even = 1 / many if self.softmax else 0.5  # of the observation that is added
        self.weight, self.bias = x.new_zeros(k, many, size), x.new_zeros(k, many)
        self.rough = x.float()

    def minimise(self, l2: float) -> tuple[torch.Tensor, torch.Tensor]:
        x, rough, variance = self.axes.x, self.rough, self.axes.variance
        weight, bias = self.weight, self.bias
        on = torch.arange(len(x), device=x.device)  # the problems that are still at work
        loss, chance = self._loss(x, weight, bias, l2)
        for _ in range(NEWTON):
            slope_w, slope_b, prior = self._gradient(x, weight[on], bias[on], chance, l2)
            far = self._distance(slope_w, slope_b, prior, l2)
            if not far.isfinite().all():
                raise FloatingPointError(
                    f"{int((~far.isfinite()).sum())} of {len(far)} fits (l2 {l2:g}) are no numbers"
                )
            left = far > TOLERANCE
            if not left.any():
                break
            if not left.all():
                on, x, rough, variance = on[left], x[left], rough[left], variance[left]
                loss, chance, prior = loss[left], chance[left], prior[left]
                slope_w, slope_b = slope_w[left], slope_b[left]
            step_w, step_b = self._step(rough, variance, chance, prior, slope_w, slope_b, l2)
            promise = (step_w * slope_w).sum((1, 2)) + (step_b * slope_b).sum(1)
            size = torch.ones_like(loss)
            for _ in range(HALVINGS):
                new_w = weight[on] + size[:, None, None] * step_w
                new_b = bias[on] + size[:, None] * step_b
                new_loss, new_chance = self._loss(x, new_w, new_b, l2)
                high = ~(new_loss <= loss + 1e-4 * size * promise + 1e-14 * (1 + loss.abs()))
                if not high.any():
                    break
                size = torch.where(high, size / 2, size)
            weight, bias = weight.index_copy(0, on, new_w), bias.index_copy(0, on, new_b)
            loss, chance = new_loss, new_chance
        else:
            warnings.warn(
                f"{int(left.sum())} of {len(self.weight)} fits (l2 {l2:g}) end up to {float(far.max()):.1e} from their "
                f"minimum; {TOLERANCE:g} was asked for",
                NotConverged,
                stacklevel=2,
            )
        self.weight, self.bias = weight, bias
        return weight @ self.axes.back.mT, bias

    def _loss(self, x, weight, bias, l2) -> tuple[torch.Tensor, torch.Tensor]:
        """Losses (K,) and the probabilities of the classes, (K, C, N)."""
        scores = torch.baddbmm(bias[:, :, None], weight, x)  # (K, C, N)
        if self.softmax:
            logs = scores.log_softmax(1)
            fit, chance = -(logs * self.target).sum((1, 2)), logs.exp()
            added = bias.logsumexp(1) - bias.mean(1)
        else:
            fit = (torch.nn.functional.softplus(scores) - scores * self.target).sum((1, 2))
            chance = scores.sigmoid()
            added = (torch.nn.functional.softplus(bias) - bias / 2).sum(1)
        return (fit + added) / self.n + l2 / 2 * weight.square().sum((1, 2)), chance

    def _gradient(self, x, weight, bias, chance, l2):
        """The loss's slopes along weights and biases, and the curvature (K, C, C) that the added observation gives."""
        miss = chance - self.target
        prior = bias.softmax(1) if self.softmax else bias.sigmoid()
        slope_b = (miss.sum(2) + prior - self.even) / self.n
        if self.softmax:
            curve = torch.diag_embed(prior) - prior[:, :, None] * prior[:, None]
        else:
            curve = torch.diag_embed(prior * (1 - prior))
        return miss @ x.mT / self.n + l2 * weight, slope_b, curve / self.n

    def _distance(self, slope_w, slope_b, prior, l2) -> torch.Tensor:
        """A bound on the distance from the minimum, (K,).

        Penalty and added observation alone curve the loss at least so much: l2 along weights, `prior` along biases.
        """
        solved = torch.linalg.solve(self._regular(prior), slope_b[:, :, None])[:, :, 0]
        return (slope_w.square().sum((1, 2)) / l2 + (slope_b * solved).sum(1).clamp_min(0)).sqrt()

    def _regular(self, curve: torch.Tensor) -> torch.Tensor:
        """A softmax does not see a constant added to all biases; nor do slopes have a part along it."""
        return curve + 1 / curve.shape[1] if self.softmax else curve

    def _step(self, x, variance, chance, prior, slope_w, slope_b, l2) -> tuple[torch.Tensor, torch.Tensor]:
        """A Newton step: conjugate gradients in single precision, preconditioned."""
        n, many = self.n, chance.shape[1]
        prior = prior + torch.diag_embed(slope_b.abs() / FARTHEST)  # fades with the slope: the last steps are Newton's
        if self.softmax:
            spread = torch.diag_embed(chance.mean(2)) - chance @ chance.mT / n  # (K, C, C)
            value, turn = torch.linalg.eigh(spread)
        else:
            value = (chance * (1 - chance)).mean(2)  # (K, C)
            spread = torch.diag_embed(value)
            turn = torch.eye(many, dtype=value.dtype, device=value.device).expand_as(spread)
        # as if a row's curvature had nothing to do with its features: exact for classes alike everywhere
        over = (1 / (value.clamp_min(0)[:, :, None] * variance[:, None] + l2)).float()  # (K, C, R)
        over_b = torch.linalg.inv(self._regular(spread + prior)).float()
        turn, curve, prior = turn.float(), chance.float(), prior.float()
        size = (slope_w.square().sum((1, 2)) + slope_b.square().sum(1)).sqrt()
        rest_w, rest_b = (-slope_w / size[:, None, None]).float(), (-slope_b / size[:, None]).float()

        def conditioned(w, b):
            return turn @ ((turn.mT @ w) * over), (over_b @ b[:, :, None])[:, :, 0]

        def curved(w, b):
            """The curvature's product with a direction."""
            moved = torch.baddbmm(b[:, :, None], w, x)  # (K, C, N)
            if self.softmax:
                moved *= curve
                moved -= curve * moved.sum(1, keepdim=True)
            else:
                moved *= curve * (1 - curve)
            return moved @ x.mT / n + l2 * w, moved.mean(2) + (prior @ b[:, :, None])[:, :, 0]

        def product(a, b):
            return (a[0] * b[0]).sum((1, 2)) + (a[1] * b[1]).sum(1)

        step_w, step_b = torch.zeros_like(rest_w), torch.zeros_like(rest_b)
        way = conditioned(rest_w, rest_b)
        now = first = product((rest_w, rest_b), way)
        running = torch.ones_like(now, dtype=torch.bool)
        for _ in range(CONJUGATE):
            bent = curved(*way)
            length = torch.where(running, now / product(way, bent).clamp_min(1e-30), 0.0)
            step_w, step_b = step_w + length[:, None, None] * way[0], step_b + length[:, None] * way[1]
            rest_w, rest_b = rest_w - length[:, None, None] * bent[0], rest_b - length[:, None] * bent[1]
            turned = conditioned(rest_w, rest_b)
            after = product((rest_w, rest_b), turned)
            running = running & (after > FORCING**2 * first)
            if not running.any():
                break
            share = after / now.clamp_min(1e-30)
            way = turned[0] + share[:, None, None] * way[0], turned[1] + share[:, None] * way[1]
            now = after
        if self.softmax:
            step_b = step_b - step_b.mean(1, keepdim=True)  # a constant added to all biases changes nothing
        return step_w.double() * size[:, None, None], step_b.double() * size[:, None]
