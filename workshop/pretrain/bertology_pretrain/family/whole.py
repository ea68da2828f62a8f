"""Every matrix of an encoder in few bits, the embeddings too: what a small file can hold (li2020).

`compress.quantize.grouped` is about the layers alone. Where models of unlike width are to take equally many bytes the embeddings
count as much as the layers, so they are packed in the same way here; what is left in full are biases, norms and scales.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import nn
from torch.nn import functional as F

from bertology_utils.compress import file_bytes
from bertology_utils.compress.quantize import GroupedLinear
from bertology_utils.finetune import Classifier, duplicate


class GroupedEmbedding(nn.Module):
    """A table of embeddings whose weights are held in few bits; its state is what a file holds."""

    def __init__(self, table: nn.Embedding, bits: int):
        super().__init__()
        symbols, width = table.weight.shape
        linear = nn.Linear(width, symbols, bias=False)  # its weights are (V, H) too
        linear.weight = nn.Parameter(table.weight.detach(), requires_grad=False)
        self.held = GroupedLinear(linear, bits, outliers=False)

    @property
    def weight(self) -> torch.Tensor:
        """The embeddings as they are looked up, (V, H)."""
        return self.held.weight

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Their rows, (..., H)."""
        return F.embedding(ids, self.held.weight)


def encoder(classifier: Classifier, bits: int) -> Classifier:
    """A copy with all linear layers and embeddings of its encoder in groups of few bits.

    Raises
    ------
    ValueError
        If there are fewer than 2 bits or more than 8.
    """
    subject = duplicate(classifier.subject)
    for name, part in list(subject.base.named_modules()):
        made: nn.Module | None = None
        if isinstance(part, nn.Linear):
            made = GroupedLinear(part, bits, outliers=False)
        elif isinstance(part, nn.Embedding):
            made = GroupedEmbedding(part, bits)
        if made is not None:
            parent, _, leaf = name.rpartition(".")
            setattr(subject.base.get_submodule(parent), leaf, made)
    return replace(classifier, subject=subject)


def bytes_of(classifier: Classifier) -> int:
    """Bytes of the encoder's weights in a file."""
    return file_bytes(classifier.subject.base)
