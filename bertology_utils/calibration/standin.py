"""A stand-in: a `Subject` without a network, whose vectors, attention maps and logits are made from a recipe.

An experiment run on it takes the whole path (tokenizing, batches, pooling, probes, intervals), so that a rule can be
asked what it says of a model that has *nothing* but positions, say, or exactly what the claim speaks of.

The model has BERT's parts where experiments reach for them: hidden states are a residual stream (a layer adds what the
recipe says to what it is given), so erasing directions or skipping a layer acts on everything above; heads may be
ablated, rescaled and given other weights (`flow` says how much of their output enters the stream); the masked-LM head is
linear. What it cannot do: learn word vectors (the gradient by them is zero), or read word vectors that are no rows of
its table (`ModelUnsuitable`). Fine-tuned, its heads' output and whatever head is put on top of it learn.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np
import torch
from torch import nn
from transformers.modeling_outputs import BaseModelOutputWithPooling

from ..subject.models import ModelUnsuitable, Subject
from .gold import Gold, Seen

Rng = np.random.Generator
Hidden = Callable[[Seen, Rng], np.ndarray]  # -> (L + 1, T, F), or (T, F) for the same in all layers
Attention = Callable[[Seen, Rng], np.ndarray]  # -> (L, A, T, T), or what broadcasts to it; rows sum to one
Logits = Callable[[Seen, Rng], "dict[int, dict[int, float]]"]  # position -> piece id -> gain in nats
CODES = 96  # dimensions of the pieces' codes: random ones overlap by a tenth


@dataclass(frozen=True, eq=False)
class Recipe:
    """How a stand-in is made; see `stand_in`."""

    gold: Gold
    hidden: Hidden | None
    attention: Attention | None
    logits: Logits | None
    features: int
    seed: int

    def __deepcopy__(self, memo) -> Recipe:
        return self

    def rng(self, seen: Seen, stream: int) -> Rng:
        """A row's own generator: what it gets does not depend on the batch it comes in."""
        return np.random.default_rng([self.seed, stream, crc32(seen.ids.tobytes())])


class _Layer(nn.Module):
    """Adds `delta` to the stream, and what its heads move along the maps."""

    attention: Any

    def __init__(self, size: int, heads: int, flow: float):
        super().__init__()
        self.heads = heads
        self.attention = nn.Module()
        self.attention.self = nn.Module()
        self.attention.self.value = nn.Identity()  # a module so that it can be listened to
        self.attention.output = nn.Module()
        self.attention.output.dense = nn.Linear(size, size, bias=False)
        with torch.no_grad():
            self.attention.output.dense.weight.copy_(flow * torch.eye(size))

    def forward(self, hidden: torch.Tensor, delta: torch.Tensor, maps: torch.Tensor | None = None):
        value = self.attention.self.value(hidden)  # (B, T, H)
        if maps is not None:
            parts = value.unflatten(-1, (self.heads, -1)).transpose(1, 2)  # (B, A, T, d)
            value = (maps @ parts).transpose(1, 2).flatten(2)
        return hidden + delta + self.attention.output.dense(value)


class _Embeddings(nn.Identity):
    """The table of word vectors; the first coordinate of a row is the piece's id, so that vectors can be read back."""

    def __init__(self, pieces: int, size: int):
        super().__init__()
        self.word_embeddings = nn.Embedding(pieces, size)
        with torch.no_grad():
            self.word_embeddings.weight.zero_()
            self.word_embeddings.weight[:, 0] = torch.arange(pieces)


class _Encoder(nn.Module):
    encoder: Any
    codes: torch.Tensor

    def __init__(self, config, recipe: Recipe, codes: torch.Tensor, flow: float):
        super().__init__()
        self.config, self.recipe, self.flow = config, recipe, flow
        self.embeddings = _Embeddings(config.vocab_size, config.hidden_size)
        self.encoder = nn.Module()
        self.encoder.layer = nn.ModuleList(
            _Layer(config.hidden_size, config.num_attention_heads, flow) for _ in range(config.num_hidden_layers)
        )
        self.depth = config.num_hidden_layers  # of the recipe; layers may be taken off the top
        self.register_buffer("codes", codes, persistent=False)

    def get_input_embeddings(self) -> nn.Embedding:
        return self.embeddings.word_embeddings

    def forward(
        self, input_ids=None, attention_mask=None, token_type_ids=None, inputs_embeds=None,
        output_hidden_states=False, output_attentions=False, **_,
    ):  # fmt: skip
        tie = 0.0
        if input_ids is None:
            found = inputs_embeds[..., 0].round().long()
            table = self.embeddings.word_embeddings.weight
            inside = found.min() >= 0 and found.max() < len(table)
            if not inside or not torch.equal(table[found].detach(), inputs_embeds.detach()):
                raise ModelUnsuitable("a stand-in reads word vectors only where they are rows of its table")
            input_ids, tie = found, 0.0 * inputs_embeds.sum()  # gradients by word vectors exist, and are zero
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids)
        rows = [self.recipe.gold(i[m]) for i, m in zip(input_ids.cpu().numpy(), attention_mask.cpu().numpy() > 0)]
        states = self._states(rows, input_ids.shape[1]).to(input_ids.device)  # (L + 1, B, T, H)
        flows = self.flow or any(p.requires_grad for p in self.encoder.parameters())
        maps = self._maps(rows, input_ids.shape[1]).to(input_ids.device) if output_attentions or flows else None
        hidden = self.embeddings(states[0] + tie)
        every, attentions = [hidden], []
        for k, layer in enumerate(self.encoder.layer):
            each = None if maps is None else maps[:, k] + tie
            out = layer(hidden, maps=each, delta=states[k + 1] - states[k])
            hidden = out[0] if isinstance(out, tuple) else out
            every.append(hidden)
            attentions.append(each)
        return BaseModelOutputWithPooling(
            last_hidden_state=hidden,
            hidden_states=tuple(every) if output_hidden_states else None,
            attentions=tuple(a for a in attentions if a is not None) if output_attentions else None,
        )

    def _states(self, rows: list[Seen], width: int) -> torch.Tensor:
        recipe, size = self.recipe, self.config.hidden_size
        out = np.zeros((self.depth + 1, len(rows), width, size), np.float32)
        for b, seen in enumerate(rows):
            if recipe.hidden is not None:
                found = recipe.hidden(seen, recipe.rng(seen, 0))
                out[:, b, : len(seen.ids), : recipe.features] = found if found.ndim == 3 else found[None]
            if recipe.logits is not None:
                for at, gains in recipe.logits(seen, recipe.rng(seen, 1)).items():
                    code = sum(gain * self.codes[piece].numpy() for piece, gain in gains.items())
                    out[-1, b, at, recipe.features : recipe.features + self.codes.shape[1]] += code
        return torch.from_numpy(out)

    def _maps(self, rows: list[Seen], width: int) -> torch.Tensor:
        recipe, heads = self.recipe, self.config.num_attention_heads
        out = np.zeros((len(rows), self.depth, heads, width, width), np.float32)
        for b, seen in enumerate(rows):
            n = len(seen.ids)
            even = np.float32(1 / n)
            out[b, ..., :n] = even  # rows of padding attend as everybody does
            if recipe.attention is not None:
                out[b, :, :, :n, :n] = recipe.attention(seen, recipe.rng(seen, 2))
        return torch.from_numpy(out)


class _Predictions(nn.Module):
    """A linear masked-LM head: logits are codes times hidden state, plus a bias."""

    def __init__(self, codes: torch.Tensor, features: int, size: int, bias: torch.Tensor):
        super().__init__()
        self.transform = nn.Identity()
        self.decoder = nn.Linear(size, len(codes))
        with torch.no_grad():
            self.decoder.weight.zero_()
            self.decoder.weight[:, features : features + codes.shape[1]] = codes
            self.decoder.bias.copy_(bias)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return self.decoder(self.transform(hidden))


class StandInModel(nn.Module):
    """The parts of a BERT with pretraining heads that experiments use."""

    def __init__(self, config, recipe: Recipe, flow: float, bias: np.ndarray | None):
        super().__init__()
        self.config = config
        codes = torch.zeros(config.vocab_size, 1)
        if recipe.logits is not None:
            drawn = np.random.default_rng(0).standard_normal((config.vocab_size, CODES)).astype(np.float32)
            codes = torch.from_numpy(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))
        self.bert = _Encoder(config, recipe, codes, flow)
        offset = torch.zeros(config.vocab_size) if bias is None else torch.as_tensor(bias, dtype=torch.float32)
        self.cls = nn.Module()
        self.cls.predictions = _Predictions(codes, recipe.features, config.hidden_size, offset)

    @property
    def base_model(self) -> _Encoder:
        return self.bert

    @property
    def dtype(self) -> torch.dtype:
        return torch.float32

    def get_output_embeddings(self) -> nn.Linear:
        head: Any = self.cls
        return head.predictions.decoder


@dataclass(frozen=True, eq=False)
class StandIn(Subject):
    """A subject made from a recipe; its twin is that of the subject it stands in for.

    Attributes
    ----------
    stands_for : Subject
        Whose tokenizer, depth and number of heads it has.
    """

    stands_for: Subject | None = field(default=None)

    def twin(self, seed: int = 0) -> Subject:
        assert self.stands_for is not None
        return self.stands_for.twin(seed)

    @property
    def unknown(self) -> int:
        """How many different rows it was given that were no item's text."""
        model: Any = self.base
        return len(model.recipe.gold.unknown)

    @cached_property
    def sha256(self) -> str:
        """Of what it is called, its size, its seed and the data it knows; it has no weights to speak of."""
        model: Any = self.base
        recipe = model.recipe
        facts = [self.name, self.n_layers, self.n_heads, self.hidden_size, recipe.seed, recipe.gold.data.sha256]
        return hashlib.sha256(repr(facts).encode()).hexdigest()


def stand_in(
    base: Subject,
    gold: Gold,
    *,
    name: str,
    hidden: Hidden | None = None,
    features: int = 0,
    attention: Attention | None = None,
    logits: Logits | None = None,
    bias: np.ndarray | None = None,
    flow: float = 0.0,
    seed: int = 0,
) -> StandIn:
    """A subject with the tokenizer, the layers and the heads of `base`, and everything else from a recipe.

    Parameters
    ----------
    gold : Gold
        The rows it knows.
    hidden : callable, optional
        ``(seen, rng) -> (L + 1, T, features)`` or ``(T, features)``: hidden states; zero where left out.
    attention : callable, optional
        ``(seen, rng) -> (L, A, T, T)``: maps, whose rows sum to one; even where left out.
    logits : callable, optional
        ``(seen, rng) -> {position: {piece id: gain}}``: what the masked-LM head says there, in nats.
    bias : array (V,), optional
        Logits everywhere.
    flow : float
        How much of the heads' output enters the stream. 0: ablating heads changes nothing, and the norms of their
        values are zero.
    """
    config = copy.deepcopy(base.config)
    size = max(features + (CODES if logits is not None else 1), config.num_attention_heads)
    config.hidden_size = -(-size // config.num_attention_heads) * config.num_attention_heads
    recipe = Recipe(gold, hidden, attention, logits, features, seed)
    model: Any = StandInModel(config, recipe, flow, bias).eval().requires_grad_(False).to(base.device)
    return StandIn(
        name=name, source="stand-in", model=model, tokenizer=base.tokenizer, device=base.device, has_mlm=True,
        has_nsp=False, seed=seed, stands_for=base,
    )  # fmt: skip
