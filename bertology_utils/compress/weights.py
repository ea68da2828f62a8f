"""Single weights pruned: by size, at random, and by how training moves them; with torch's own pruning where it has it.

Pruned weights are zeros under a mask: the matrix keeps its shape, and a dense file its bytes (`sizes.sparse_bytes` says
what a sparse one takes). A mask is a mapping from the names of the encoder's matrices to bool tensors, True where a
weight stays, so that one found on one task can be used on another, or on the weights as pretraining left them.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import nn
from torch.nn.utils import prune

from ..finetune import duplicate, seeded
from ..subject.models import Subject

Masks = Mapping[str, torch.Tensor]


def matrices(subject: Subject) -> dict[str, nn.Linear]:
    """The linear layers of the transformer layers by name: what is pruned; embeddings and pooler are left alone."""
    every = ((f"{k}.{n}", m) for k, block in enumerate(subject.layers) for n, m in block.named_modules())
    return {name: module for name, module in every if isinstance(module, nn.Linear)}


class Largest(prune.BasePruningMethod):
    """Prunes the *largest* of what is left: the subnetwork that should be bad (chen2020, prasanna2020)."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float):
        self.amount = amount

    def compute_mask(self, t: torch.Tensor, default_mask: torch.Tensor) -> torch.Tensor:
        mask, n = default_mask.clone(), round(self.amount * t.numel())
        if n:
            mask.view(-1)[torch.topk(t.abs().view(-1), n).indices] = 0
        return mask


METHODS = {"magnitude": prune.L1Unstructured, "random": prune.RandomUnstructured, "smallest stay": Largest}


def find_masks(
    subject: Subject, sparsity: float, how: str = "magnitude", *, seed: int = 0, within: Masks | None = None
) -> dict:
    """Masks that leave all but a share of the encoder's weights, chosen over all matrices together.

    Parameters
    ----------
    sparsity : float
        Share of all weights that goes, those outside `within` included.
    how : str
        ``magnitude`` (the smallest go), ``random``, or ``smallest stay``.
    within : masks, optional
        Weights that are gone already stay gone: pruning in rounds.

    Raises
    ------
    ValueError
        If there is no such way, or more is gone already.

    Examples
    --------
    >>> from bertology_utils import load
    >>> masks = find_masks(load("mini"), 0.3)
    >>> round(1 - float(sum(m.sum() for m in masks.values()) / sum(m.numel() for m in masks.values())), 3)
    0.3
    """
    if how not in METHODS:
        raise ValueError(f"prune weights by {how!r}? There are: {', '.join(METHODS)}")
    copy = masked(subject, within) if within is not None else duplicate(subject)
    layers = matrices(copy)
    gone = 0.0 if within is None else 1 - density(within)
    if sparsity < gone - 1e-6:
        raise ValueError(f"a share of {gone:.3f} is gone already, more than {sparsity:.3f}")
    places = [(m, "weight") for m in layers.values()]
    total = sum(m.weight.numel() for m in layers.values())
    amount: float = round((sparsity - gone) * total)
    with seeded(seed, subject.device):
        if how == "smallest stay":
            amount = amount / (total - round(gone * total))  # its own method: a share of what is left
        prune.global_unstructured(places, METHODS[how], amount=amount)
    return {name: dict(m.named_buffers())["weight_mask"].bool() for name, m in layers.items()}


def density(masks: Masks) -> float:
    """Share of the weights that masks leave."""
    return float(sum(int(m.sum()) for m in masks.values()) / sum(m.numel() for m in masks.values()))


def masked(subject: Subject, masks: Masks) -> Subject:
    """A copy in which masked weights are zero, and stay zero in training, until `permanent`."""
    out = duplicate(subject)
    for name, module in matrices(out).items():
        prune.custom_from_mask(module, "weight", masks[name].to(module.weight))
    return out


def permanent(subject: Subject) -> Subject:
    """The same subject with its zeros as plain weights: copied and saved like any other. Changed in place."""
    for module in matrices(subject).values():
        if prune.is_pruned(module):
            prune.remove(module, "weight")
    return subject
