"""Structures taken out: heads, units of the feed-forward layers and whole layers.

What is removed is gone from the weights: rows and columns of the linear layers are cut out, so that the file is smaller
and less is computed. (`prune_heads` has left transformers, and torch's pruning only masks.) The outputs are those of the
model with the same parts masked, up to the rounding of sums: the tests hold the two together.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, cast

import numpy as np
import torch
from torch import nn

from ..finetune import duplicate
from ..subject.models import ModelUnsuitable, Subject

PLAIN = ("bert", "roberta", "xlm-roberta", "camembert", "electra", "mpnet")  # that count a layer's heads in one way

Part = tuple[int, int]  # (layer, head) or (layer, unit), from 0


class NoHeads(nn.Module):
    """Self-attention whose heads are all gone: no context, (B, T, 0), so that its projection adds its bias alone.

    The projection is its own where it belongs to what computes the maps.
    """

    def __init__(self, project: nn.Module | None = None):
        super().__init__()
        self.project = project

    def forward(self, hidden_states: torch.Tensor, *args, **kwargs) -> tuple[torch.Tensor, None]:
        context = hidden_states[..., :0]
        return (context if self.project is None else self.project(context)), None


def by_layer(parts: Iterable[Part], n_layers: int, size: int) -> dict[int, list[int]]:
    """The parts of each layer that has some, ascending.

    Raises
    ------
    IndexError
        If there is no such layer or part.

    Examples
    --------
    >>> by_layer([(1, 2), (0, 3), (1, 0)], n_layers=2, size=4)
    {0: [3], 1: [0, 2]}
    """
    found: dict[int, list[int]] = {}
    for layer, part in sorted({(int(k), int(p)) for k, p in parts}):
        if not (0 <= layer < n_layers and 0 <= part < size):
            raise IndexError(f"({layer}, {part}) out of range: counted from 0, {n_layers} layers of {size}")
        found.setdefault(layer, []).append(part)
    return found


def narrowed(linear: nn.Linear, kept: torch.Tensor, dim: int) -> nn.Linear:
    """The layer with some of its outputs (`dim` 0) or of its inputs (`dim` 1) only."""
    out = copy.copy(linear)  # not a new one: its first weights would be drawn for nothing
    out._parameters = dict(linear._parameters)
    weight = linear.weight.detach().index_select(dim, kept)
    out.weight = nn.Parameter(weight, requires_grad=linear.weight.requires_grad)
    if linear.bias is not None and dim == 0:
        out.bias = nn.Parameter(linear.bias.detach()[kept], requires_grad=linear.bias.requires_grad)
    out.out_features, out.in_features = weight.shape
    return out


def remove_heads(subject: Subject, heads: Iterable[Part]) -> Subject:
    """A copy without the (layer, head) pairs, counted from 0 (michel2019).

    Its configuration still names the old number of heads, since layers now differ in it: such a copy computes, and can be
    tuned further, but its heads can no longer be switched off by number.

    Raises
    ------
    IndexError
        If there is no such layer or head.
    ModelUnsuitable
        Its layers are put together in another way.

    Examples
    --------
    >>> from bertology_utils import load
    >>> mini = load("mini")
    >>> less = remove_heads(mini, [(0, 1), (0, 2)])
    >>> less.layers[0].attention.self.query.weight.shape
    torch.Size([192, 256])
    """
    if (kind := subject.config.model_type) not in PLAIN:
        raise ModelUnsuitable(
            f"this is not defined for {subject.name}, a model of type {kind}: its heads are not BERT's"
        )
    out = duplicate(subject)
    for layer, gone in by_layer(heads, subject.n_layers, subject.n_heads).items():
        block, size = out.layers[layer], subject.hidden_size // subject.n_heads
        heads_kept = torch.tensor([h for h in range(subject.n_heads) if h not in gone], device=subject.device)
        kept = (heads_kept[:, None].long() * size + torch.arange(size, device=subject.device)).flatten()
        output = narrowed(cast(nn.Linear, out.part(block, "output")), kept, 1)
        out.exchange(block, "output", output)
        if not len(heads_kept):
            out.exchange(block, "attention", NoHeads(output if kind == "mpnet" else None))
            continue
        for part in ("query", "key", "value"):
            out.exchange(block, part, narrowed(cast(nn.Linear, out.part(block, part)), kept, 0))
        attention: Any = out.part(block, "attention")
        attention.num_attention_heads = len(heads_kept)
        attention.all_head_size = len(kept)
        if kind == "mpnet":
            attention.register_forward_pre_hook(_Fewer(heads_kept))
    return out


class _Fewer:
    """A hook that leaves of the relative positions' part in attention (B, A, T, T) the heads that are there."""

    def __init__(self, kept: torch.Tensor):
        self.kept = kept

    def __call__(self, module: nn.Module, args: tuple[Any, ...]) -> tuple[Any, ...]:
        hidden, mask, bias, *rest = args
        return (hidden, mask, bias[:, self.kept], *rest)


def remove_units(subject: Subject, units: Iterable[Part]) -> Subject:
    """A copy without the (layer, unit) pairs of the feed-forward layers, counted from 0 (mccarley2020).

    Raises
    ------
    IndexError
        If there is no such layer or unit.
    """
    out = duplicate(subject)
    size = subject.config.intermediate_size
    for layer, gone in by_layer(units, subject.n_layers, size).items():
        block = out.layers[layer]
        kept = torch.as_tensor(np.setdiff1d(np.arange(size), gone), device=subject.device)
        for part, dim in (("inner", 0), ("outer", 1)):
            out.exchange(block, part, narrowed(cast(nn.Linear, out.part(block, part)), kept, dim))
    return out


def drop_layers(subject: Subject, layers: Iterable[int]) -> Subject:
    """A copy without these transformer layers, counted from 0 (fan2019).

    Raises
    ------
    IndexError
        If there is no such layer.
    ValueError
        If none would be left.

    Examples
    --------
    >>> from bertology_utils import load
    >>> drop_layers(load("mini"), [6, 7]).n_layers
    6
    """
    gone = {int(k) for k in layers}
    if gone and not 0 <= min(gone) <= max(gone) < subject.n_layers:
        raise IndexError(f"layers {sorted(gone)} out of range: counted from 0, there are {subject.n_layers}")
    if len(gone) == subject.n_layers:
        raise ValueError("all layers dropped: one at least has to stay")
    out = duplicate(subject)
    base: Any = out.base
    base.encoder.layer = nn.ModuleList([block for k, block in enumerate(out.layers) if k not in gone])
    out.config.num_hidden_layers = len(base.encoder.layer)
    base.config.num_hidden_layers = len(base.encoder.layer)
    return out


def dropped(n_layers: int, n: int, which: str) -> list[int]:
    """Which n of the layers go: those at the ``top``, at the ``bottom``, or every other one from the top (``alternate``).

    Alternate layers never include the last one, which the task's head reads.

    Raises
    ------
    ValueError
        If there is no such way.

    Examples
    --------
    >>> [dropped(8, 3, which) for which in ("top", "bottom", "alternate")]
    [[5, 6, 7], [0, 1, 2], [2, 4, 6]]
    """
    if which == "top":
        return list(range(n_layers - n, n_layers))
    if which == "bottom":
        return list(range(n))
    if which == "alternate":
        inner = [*range(n_layers - 2, -1, -2), *range(n_layers - 3, -1, -2)]
        return sorted(inner[:n])
    raise ValueError(f"drop layers {which!r}? There are: top, bottom, alternate")
