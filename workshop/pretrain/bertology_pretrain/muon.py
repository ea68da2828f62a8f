"""Muon: momentum whose update is made orthogonal, for the matrices of the encoder.

The update of a matrix is replaced by the nearest matrix whose singular values are about 1, found by a polynomial iteration
that only multiplies matrices: no direction is drowned by the few with large gradients. `torch.optim.Muon` (torch 2.9) does
the same always in bfloat16, which processors without it only imitate; here the iteration runs in the precision asked for,
and over all matrices of one shape at once, so that small matrices do not wait for one another.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch

_COEFFICIENTS = (3.4445, -4.7750, 2.0315)  # of the quintic; its slope at 0 is steep, its fixed points only near 1
_EPSILON = 1e-7


def orthogonal(matrices: torch.Tensor, steps: int, dtype: torch.dtype) -> torch.Tensor:
    """Matrices with the same singular vectors and singular values near 1.

    Parameters
    ----------
    matrices : (N, R, C) float
    steps : int
        Iterations; five bring singular values from 0.01 to between 0.7 and 1.2.
    dtype : torch.dtype
        Of the multiplications.

    Returns
    -------
    (N, R, C) `dtype`
    """
    a, b, c = _COEFFICIENTS
    tall = matrices.shape[1] > matrices.shape[2]
    x = (matrices.mT if tall else matrices).to(dtype)
    x = x / x.norm(dim=(1, 2), keepdim=True).clamp(min=_EPSILON)
    for _ in range(steps):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.mT if tall else x


class Muon(torch.optim.Optimizer):
    """SGD with Nesterov momentum and orthogonal updates, scaled so that AdamW's learning rate fits.

    Parameters
    ----------
    parameters : iterable of Parameter
        Of two dimensions.
    lr, weight_decay, momentum : float
        An update's entries have a root mean square of 0.2 times the rate, as AdamW's tend to.
    steps : int
        Iterations of `orthogonal`.
    dtype : torch.dtype
        Of the iterations.

    Raises
    ------
    ValueError
        A parameter is no matrix.
    """

    def __init__(
        self,
        parameters: Iterable[torch.nn.Parameter],
        lr: float,
        weight_decay: float = 0.0,
        momentum: float = 0.95,
        steps: int = 5,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__(list(parameters), {"lr": lr, "weight_decay": weight_decay, "momentum": momentum})
        self.steps, self.dtype = steps, dtype
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise ValueError(f"Muon is for matrices, not for a parameter of shape {tuple(p.shape)}")

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]  # no closure: gradients are there
        """One update of all parameters that have a gradient."""
        for group in self.param_groups:
            shapes: dict[torch.Size, list[torch.nn.Parameter]] = {}
            for p in group["params"]:
                if p.grad is not None:
                    shapes.setdefault(p.shape, []).append(p)
            for shape, parameters in shapes.items():
                self._update(parameters, group, 0.2 * max(shape) ** 0.5)

    def _update(self, parameters: list[torch.nn.Parameter], group: dict, scale: float) -> None:
        rate, momentum = group["lr"], group["momentum"]
        directions = []
        for p in parameters:
            assert p.grad is not None  # `step` has seen to it
            buffer = self.state[p].setdefault("momentum_buffer", torch.zeros_like(p))
            buffer.lerp_(p.grad, 1 - momentum)
            directions.append(p.grad.lerp(buffer, momentum))
        updates = orthogonal(torch.stack(directions), self.steps, self.dtype)
        for p, update in zip(parameters, updates, strict=True):
            p.mul_(1 - rate * group["weight_decay"]).add_(update.to(p.dtype), alpha=-rate * scale)
