"""Differences of rounding between processors, planted: what they do to figures shows on one machine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from .models import Subject


def plant(subject: Subject, noise: float, seed: int = 0) -> Subject:
    """The subject, every hidden state of which is off by a seeded random share of about `noise` from now on.

    Two processors round differently, by some 1e-6 of a state: this is how one of them shows what that does to figures.
    """
    if not noise:
        return subject

    def disturb(module, args, output):
        hidden = output[0] if isinstance(output, tuple) else output
        generator = torch.Generator(hidden.device).manual_seed(seed)
        drawn = torch.randn(hidden.shape, generator=generator, dtype=hidden.dtype, device=hidden.device)
        moved = hidden * (1 + noise * drawn)
        return (moved, *output[1:]) if isinstance(output, tuple) else moved

    # prepended: the library records hidden states by forward hooks of its own
    for module in (subject.base.embeddings, *subject.layers):
        module.register_forward_hook(disturb, prepend=True)
    return replace(subject, noise=noise)
