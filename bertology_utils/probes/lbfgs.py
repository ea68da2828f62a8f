"""L-BFGS on many small problems at once: the probes of all layers, a fit and its resampled copies.

One problem alone leaves a processor mostly waiting for the next small operation. Here each operation serves K problems
of one shape, while directions, step lengths and stopping stay each problem's own: what comes out does not depend on
the company a problem is in, up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

HISTORY = 10  # steps remembered
HALVINGS = 12  # of a step that does not bring the loss down
SUFFICIENT = 1e-4  # share of the decrease that the slope promises (Armijo)


def minimise_all(
    loss: Callable[..., torch.Tensor], start: Sequence[torch.Tensor], steps: int, *, tolerance: float = 1e-7
) -> list[torch.Tensor]:
    """Bring K independent deterministic losses to (near) their minima.

    Parameters
    ----------
    loss : callable
        Takes the parameters, gives the losses (K,); the k-th may depend on the k-th entries of the parameters alone.
    start : sequence of tensors (K, ...)
    steps : int
        At most.
    tolerance : float
        A problem stops when a step brings its loss down by less.

    Returns
    -------
    list of tensors (K, ...)
        The parameters, without gradients.
    """
    shapes = [p.shape for p in start]
    sizes = [p[0].numel() for p in start]

    def unpacked(flat: torch.Tensor) -> list[torch.Tensor]:
        return [part.reshape(shape) for part, shape in zip(flat.split(sizes, 1), shapes)]

    def evaluated(flat: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        flat = flat.detach().requires_grad_(True)
        values = loss(*unpacked(flat))
        (gradient,) = torch.autograd.grad(values.sum(), flat)
        return values.detach(), gradient

    x = torch.cat([p.detach().flatten(1) for p in start], 1)  # (K, D)
    value, gradient = evaluated(x)
    running = torch.ones_like(value, dtype=torch.bool)
    memory: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]] = []
    for _ in range(steps):
        direction = _direction(gradient, memory)
        slope = (direction * gradient).sum(1)
        # the first step has no curvature to go by: as long as one
        size = torch.ones_like(value) if memory else 1 / gradient.norm(dim=1).clamp_min(1.0)
        size = size * running
        for _ in range(HALVINGS):
            new = x + size[:, None] * direction
            new_value, new_gradient = evaluated(new)
            bad = running & ~(new_value <= value + SUFFICIENT * size * slope)
            if not bad.any():
                break
            size = torch.where(bad, size / 2, size)
        else:  # rounding: no step brings these down any more
            new = torch.where(bad[:, None], x, new)
            new_value, new_gradient = (
                torch.where(bad, value, new_value),
                torch.where(bad[:, None], gradient, new_gradient),
            )
        step, change = new - x, new_gradient - gradient
        curvature = (step * change).sum(1)
        inverse = torch.where(curvature > 1e-12, 1 / curvature.clamp_min(1e-12), 0.0)  # 0: a pair that says nothing
        memory = [*memory[-HISTORY + 1 :], (step, change, inverse)]
        running = running & (value - new_value > tolerance)
        x, value, gradient = new, new_value, new_gradient
        if not running.any():
            break
    return unpacked(x)


def _direction(gradient: torch.Tensor, memory: list) -> torch.Tensor:
    """The two-loop recursion, for each problem; (K, D)."""
    q, shares = -gradient, []
    for step, change, inverse in reversed(memory):
        share = inverse * (step * q).sum(1)
        q = q - share[:, None] * change
        shares.append(share)
    if memory:
        step, change, inverse = memory[-1]
        scale = (step * change).sum(1) / change.square().sum(1).clamp_min(1e-30)
        q = q * torch.where(inverse > 0, scale, 1.0)[:, None]
    for (step, change, inverse), share in zip(memory, reversed(shares)):
        q = q + (share - inverse * (change * q).sum(1))[:, None] * step
    return q
