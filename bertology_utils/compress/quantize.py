"""Fewer bits: int8 by torch, and groups of weights in 2 to 8 bits with outliers kept, which it does not have on a CPU.

`int8` is torch's dynamic quantization: weights in 8 bits, activations quantized on the fly, 8-bit products (zafrir2019
without training). `grouped` keeps each group of weights as small integers with a scale of its own, packed to their bits;
the few weights that lie far out of their matrix's distribution stay in full precision (as in zadeh2020, whose levels
are uneven; here they are evenly spaced). Products are then taken in float: bytes are saved, not time. `rounded` is for
quantization-aware training: the forward pass sees rounded weights, the gradient passes straight through.
"""

from __future__ import annotations

import copy
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import parametrize

from ..finetune import Classifier
from ..subject.models import Subject
from .weights import matrices

GROUP = 64  # weights that share a scale
OUTLIER = 3.0  # standard deviations of the matrix beyond which a weight is an outlier


def int8(classifier: Classifier) -> Classifier:
    """A copy whose encoder's linear layers are torch's dynamically quantized ones; on the processor, which alone has them."""
    classifier = classifier.to(torch.device("cpu"))
    subject = classifier.subject
    model: Any = copy.deepcopy(subject.model)
    with warnings.catch_warnings():  # it says that torchao will take over, which is a package of its own
        warnings.simplefilter("ignore")
        encoder = model.base_model.encoder
        model.base_model.encoder = torch.ao.quantization.quantize_dynamic(encoder, {nn.Linear}, torch.qint8)
    return replace(classifier, subject=replace(subject, model=model))


def levels(weight: torch.Tensor, bits: int, outliers: bool = False) -> tuple[torch.Tensor, ...]:
    """Integers, scales and outliers of a matrix.

    Returns
    -------
    codes : int8 tensor (groups, GROUP)
        From -(2^(bits-1) - 1) to 2^(bits-1) - 1; the last group is filled up with zeros.
    scales : float32 tensor (groups,)
    far : int64 tensor (k,)
        Places of the weights that are kept as they are.

    Raises
    ------
    ValueError
        If there are fewer than 2 bits or more than 8.
    """
    if not 2 <= bits <= 8:
        raise ValueError(f"{bits} bits: 2 to 8 can be had")
    flat = weight.detach().float().flatten()
    far = torch.empty(0, dtype=torch.long)
    if outliers:
        far = ((flat - flat.mean()).abs() > OUTLIER * flat.std()).nonzero()[:, 0]
    near = flat.clone()
    near[far] = 0
    near = F.pad(near, (0, -len(flat) % GROUP)).view(-1, GROUP)
    top = 2 ** (bits - 1) - 1
    scales = near.abs().amax(1) / top
    codes = torch.round(near / scales.clamp_min(1e-12)[:, None]).clamp(-top, top).to(torch.int8)
    return codes, scales, far


def restored(
    codes: torch.Tensor, scales: torch.Tensor, far: torch.Tensor, kept: torch.Tensor, shape: torch.Size
) -> torch.Tensor:
    """The matrix that integers, scales and outliers stand for."""
    flat = (codes.float() * scales[:, None]).flatten()[: int(np.prod(shape))]
    flat[far] = kept.float()
    return flat.view(shape)


def packed(codes: torch.Tensor, bits: int) -> torch.Tensor:
    """Small signed integers packed to their bits, a uint8 tensor.

    Examples
    --------
    >>> codes = torch.tensor([[-3, 0, 1, 3]], dtype=torch.int8)
    >>> packed(codes, 3).numel(), unpacked(packed(codes, 3), 3, (1, 4)).tolist()
    (2, [[-3, 0, 1, 3]])
    """
    unsigned = (codes.numpy().astype(np.int16) + 2 ** (bits - 1)).astype(np.uint8).ravel()
    return torch.from_numpy(np.packbits(np.unpackbits(unsigned[:, None], axis=1)[:, 8 - bits :]))


def unpacked(data: torch.Tensor, bits: int, shape: tuple[int, ...]) -> torch.Tensor:
    """The integers again."""
    n = int(np.prod(shape))
    bools = np.unpackbits(data.numpy())[: n * bits].reshape(n, bits)
    wide = np.packbits(np.pad(bools, ((0, 0), (8 - bits, 0))), axis=1)[:, 0]
    return torch.from_numpy((wide.astype(np.int16) - 2 ** (bits - 1)).astype(np.int8)).view(shape)


class GroupedLinear(nn.Module):
    """A linear layer whose weights are held in few bits; its state is what a file holds, and it loads from one."""

    data: torch.Tensor
    scales: torch.Tensor
    far: torch.Tensor
    kept: torch.Tensor
    bias: torch.Tensor | None

    def __init__(self, linear: nn.Linear, bits: int, outliers: bool):
        super().__init__()
        self.bits, self.shape = bits, linear.weight.shape
        codes, scales, far = levels(linear.weight.cpu(), bits, outliers)
        self.register_buffer("data", packed(codes, bits))
        self.register_buffer("scales", scales.half())
        self.register_buffer("far", far.to(torch.int32))
        self.register_buffer("kept", linear.weight.detach().flatten().cpu()[far].half())
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach().clone())
        self.grid = tuple(codes.shape)
        self._weight: torch.Tensor | None = None

    @property
    def weight(self) -> torch.Tensor:
        """The weights as products are taken with them; unpacked once."""
        if self._weight is None:
            codes = unpacked(self.data.cpu(), self.bits, self.grid)
            scales, far, kept = (t.cpu() for t in (self.scales.float(), self.far.long(), self.kept))
            self._weight = restored(codes, scales, far, kept, self.shape)
        return self._weight

    def weight_bytes(self) -> int:
        """Bytes of weights, scales and outliers."""
        return sum(t.numel() * t.element_size() for t in (self.data, self.scales, self.far, self.kept))

    def _load_from_state_dict(self, state_dict, prefix, *args, **kwargs):
        for name in ("far", "kept"):  # there may be another number of outliers
            if prefix + name in state_dict:
                setattr(self, name, torch.empty_like(state_dict[prefix + name]))
        self._weight = None
        super()._load_from_state_dict(state_dict, prefix, *args, **kwargs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.weight.device != x.device:  # it was unpacked on the processor
            self._weight = self.weight.to(x.device)
        return F.linear(x, self.weight, self.bias)


def grouped(classifier: Classifier, bits: int, *, outliers: bool = False) -> Classifier:
    """A copy whose encoder's linear layers are held in few bits (zadeh2020, shen2019).

    Raises
    ------
    ValueError
        If there are fewer than 2 bits or more than 8.
    """
    subject = classifier.subject
    out = replace(subject, model=copy.deepcopy(subject.model))
    for name, linear in matrices(out).items():
        block, path = name.split(".", 1)
        parent, _, leaf = path.rpartition(".")
        setattr(out.layers[int(block)].get_submodule(parent), leaf, GroupedLinear(linear, bits, outliers))
    return replace(classifier, subject=out)


class Rounded(nn.Module):
    """A parametrization: weights rounded to few bits, with a gradient that passes straight through."""

    def __init__(self, bits: int):
        super().__init__()
        self.bits = bits

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        codes, scales, far = levels(weight, self.bits)
        near = restored(codes, scales, far, weight.detach().flatten()[far], weight.shape)
        return weight + (near - weight).detach()


def rounded(subject: Subject, bits: int) -> Subject:
    """A copy of the subject that computes, and trains, with rounded weights; `plain` gives what came of it."""
    copied = replace(subject, model=copy.deepcopy(subject.model).float())  # as weights are when they are tuned
    for linear in matrices(copied).values():
        parametrize.register_parametrization(linear, "weight", Rounded(bits))
    return copied


def plain(subject: Subject) -> Subject:
    """The subject with the parametrized weights as they were computed, as plain ones; changed in place."""
    for linear in matrices(subject).values():
        if parametrize.is_parametrized(linear, "weight"):
            parametrize.remove_parametrizations(linear, "weight", leave_parametrized=True)
    return subject
