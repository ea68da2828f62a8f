"""LAMB: Adam's update of each matrix scaled to the matrix's own size, so that large batches bear large rates (you2019).

torch.optim has none. As in the study's code, biases and LayerNorm weights (those that do not decay) are updated as Adam
would, without the trust ratio.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import torch


class Lamb(torch.optim.Optimizer):
    """Layerwise adaptive moments with decoupled weight decay and bias correction.

    Parameters
    ----------
    parameters : iterable of Parameter or of groups
        A group's ``adapt`` (default True) says whether its updates are scaled by the trust ratio, the norm of a weight
        over that of its update; 1 where one of them is 0.
    lr, betas, eps, weight_decay
        As AdamW's.

    Examples
    --------
    The first update of Adam is the gradient's sign; the norm of it, 2, is scaled to the weight's, 6.

    >>> weight = torch.nn.Parameter(torch.full((2, 2), 3.0))
    >>> weight.grad = torch.full((2, 2), 0.1)
    >>> Lamb([weight], lr=0.5, eps=0.0).step()
    >>> weight.tolist()
    [[1.5, 1.5], [1.5, 1.5]]
    """

    def __init__(
        self,
        parameters: Iterable[Any],
        lr: float,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
    ) -> None:
        given = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "adapt": True}
        super().__init__(list(parameters), given)

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]  # no closure: gradients are there
        """One update of all parameters that have a gradient."""
        for group in self.param_groups:
            parameters = [p for p in group["params"] if p.grad is not None]
            if parameters:
                self._update(parameters, group)

    def _update(self, parameters: list[torch.Tensor], group: dict[str, Any]) -> None:
        (one, two), states = group["betas"], [self._state(p) for p in parameters]
        for state in states:
            state["step"] += 1
        gradients: list[Any] = [p.grad for p in parameters]
        means, squares = [s["exp_avg"] for s in states], [s["exp_avg_sq"] for s in states]
        torch._foreach_lerp_(means, gradients, 1 - one)
        torch._foreach_mul_(squares, two)
        torch._foreach_addcmul_(squares, gradients, gradients, 1 - two)
        counts = [float(s["step"]) for s in states]
        roots = torch._foreach_sqrt(torch._foreach_div(squares, [1 - two**n for n in counts]))
        torch._foreach_add_(roots, group["eps"])
        updates: Any = torch._foreach_div(torch._foreach_div(means, [1 - one**n for n in counts]), roots)
        if group["weight_decay"]:
            torch._foreach_add_(updates, parameters, alpha=group["weight_decay"])
        if group["adapt"]:
            torch._foreach_mul_(updates, cast(Any, ratios(parameters, updates)))
        torch._foreach_add_(parameters, updates, alpha=-group["lr"])

    def _state(self, p: torch.Tensor) -> dict[str, Any]:
        state = self.state[p]
        if not state:
            # the count is kept on the CPU: to read it, nothing waits for the device
            state |= {"step": torch.tensor(0.0), "exp_avg": torch.zeros_like(p), "exp_avg_sq": torch.zeros_like(p)}
        return state


def ratios(weights: list[Any], updates: list[Any]) -> list[torch.Tensor]:
    """The trust ratios: norm of a weight over the norm of its update, 1 where one of them is 0.

    >>> [float(r) for r in ratios([torch.ones(4), torch.zeros(4)], [torch.ones(1), torch.ones(1)])]
    [2.0, 1.0]
    """
    pairs = zip(torch._foreach_norm(weights), torch._foreach_norm(updates), strict=True)
    return [torch.where((w > 0) & (u > 0), w / u, 1.0) for w, u in pairs]
