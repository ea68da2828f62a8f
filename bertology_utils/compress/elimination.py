"""Word vectors dropped on the way up: after each layer the positions that receive most attention go on (goyal2020).

Own code: the vectors are really taken out of the batch, so that the layers above compute less. The study learns how many
go on and drops them between attention and feed-forward layer; here the numbers fall evenly from layer to layer, and vectors
go after a layer. What is read so can be tuned like any other encoder. The first position is always kept: the head reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import torch

from ..finetune import Read
from ..subject.encode import Batch
from ..subject.hooks import call_again, on_maps
from ..subject.models import ModelUnsuitable, Subject

PLAIN = ("bert", "roberta", "xlm-roberta", "camembert", "electra", "mpnet")


def schedule(n_layers: int, eliminated: float) -> list[float]:
    """Share of the vectors that goes into each layer: from all, evenly down, so that `eliminated` of all are missing.

    Raises
    ------
    ValueError
        If so many cannot go: the last layer would have none.

    Examples
    --------
    >>> [round(s, 2) for s in schedule(4, 0.3)]
    [1.0, 0.8, 0.6, 0.4]
    """
    step = eliminated * n_layers / sum(range(n_layers))
    shares = [1 - k * step for k in range(n_layers)]
    if shares[-1] <= 0:
        raise ValueError(f"{eliminated:.2f} of the vectors cannot go evenly from {n_layers} layers")
    return shares


def embedded(subject: Subject, batch: Batch) -> tuple[torch.Tensor, torch.Tensor | None]:
    """What goes into the first layer, (B, T, H), and the relative positions' part in attention (B, A, T, T), if any.

    Raises
    ------
    ModelUnsuitable
        Layers of this kind are told more than states, mask and relative positions.
    """
    base, kind = cast(Any, subject.base), subject.config.model_type
    if kind not in PLAIN:
        why = "its layers cannot be called with fewer vectors than came in"
        raise ModelUnsuitable(f"this is not defined for {subject.name}, a model of type {kind}: {why}")
    hidden = base.embeddings(input_ids=batch.ids, token_type_ids=batch.types)
    if hasattr(base, "embeddings_project"):  # ELECTRA's are narrower
        hidden = base.embeddings_project(hidden)
    return hidden, base.encoder.compute_position_bias(hidden) if kind == "mpnet" else None


def fewer(eliminated: float, random: int | None = None) -> Read:
    """What a `Classifier` and `train` read where that share of the vectors is eliminated; at random where a seed is given.

    Examples
    --------
    >>> from bertology_utils.subject import encode, models
    >>> toy = models.load("toy")
    >>> (batch,) = encode.batches(toy, encode.tokenize(toy, [["the", "dog", "sees", "the", "cat", "."]]), 512)
    >>> batch.ids.shape[1] > fewer(1 / 3)(toy, batch).shape[1]
    True
    """
    rng = None if random is None else np.random.default_rng(random)

    def read(subject: Subject, batch: Batch, embeddings: torch.Tensor | None = None) -> torch.Tensor:
        return states(subject, batch, schedule(subject.n_layers, eliminated), rng)

    return read


def states(
    subject: Subject, batch: Batch, shares: Sequence[float], rng: np.random.Generator | None = None
) -> torch.Tensor:
    """The last layer's states, of fewer positions than came in: (B, T', H).

    Into each layer goes the share of vectors that `schedule` gives; chosen at random where there is a generator.
    """
    hidden, bias = embedded(subject, batch)
    real, lengths = batch.mask.bool(), batch.mask.sum(1)
    seen: list[torch.Tensor] = []
    for k, block in enumerate(subject.layers):
        if k and shares[k] < 1:
            if rng is not None:
                scores = torch.from_numpy(rng.random(tuple(real.shape))).float().to(real.device)
            else:  # attention that each position receives from real ones, summed over heads
                scores = (seen[-1].detach() * real[:, None, :, None]).sum((1, 2))  # (B, T)
            place, real = _places(real, scores, torch.ceil(lengths * shares[k]).long())
            hidden = hidden.gather(1, place[..., None].expand(-1, -1, hidden.shape[2]))
            if bias is not None:
                rows = bias.gather(2, place[:, None, :, None].expand(-1, bias.shape[1], -1, bias.shape[3]))
                bias = rows.gather(3, place[:, None, None].expand(-1, bias.shape[1], place.shape[1], -1))
        mask = torch.zeros_like(real, dtype=hidden.dtype).masked_fill(~real, torch.finfo(hidden.dtype).min)
        told = (mask[:, None, None],) if bias is None else (mask[:, None, None], bias)
        with on_maps(subject, k, lambda module, args, output: seen.append(output[1])):
            hidden = call_again(block, ((hidden, *told), {}), hidden)
    return hidden


def _places(real: torch.Tensor, scores: torch.Tensor, n: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Where the n (B,) highest vectors of each row stand, in their order, and which of the places are no padding."""
    scores = scores.masked_fill(~real, -torch.inf)
    scores[:, 0] = torch.inf
    width = int(n.max())
    best = scores.topk(width, dim=1).indices  # (B, width), the best first
    within = torch.arange(width, device=n.device) < torch.minimum(n, real.sum(1))[:, None]
    place, back = torch.where(within, best, real.shape[1]).sort(1)  # in the order of the text, what is cut last
    within = within.gather(1, back)
    return place.clamp(max=real.shape[1] - 1), within
