"""Encoders that BERT's own code cannot express: attention that is not learnt, sublayers in another order.

Such a model has BERT's weights under BERT's names and computes something else with them. Its ``config.json`` says so under
`MARK`, and `apply` gives the modules of a model made from such a configuration the forward pass that it names: in
training, when it is loaded, and for its untrained twin. Maps, hidden states and hooks are where they are in BERT.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from transformers.models.bert.modeling_bert import BertLayer, BertSelfAttention

MARK = "bertology_variant"
ATTENTION = ("learned", "preset", "uniform")
PATTERNS = ("previous", "next", "first", "broad", "current", "left", "right")  # of the preset heads, from head 0 on


def visible(attention_mask: torch.Tensor | None, hidden: torch.Tensor) -> torch.Tensor:
    """The pieces of each row that are no padding, (B, T) bool, from a mask in any form that attention is given."""
    if attention_mask is None:
        return torch.ones(hidden.shape[:2], dtype=torch.bool, device=hidden.device)
    keys = attention_mask[:, 0, 0] if attention_mask.dim() == 4 else attention_mask  # (B, T)
    keys = keys if keys.dtype in (torch.bool, torch.int64) else keys > -1
    return keys.bool().expand(hidden.shape[:2])


def pattern(name: str, seen: torch.Tensor) -> torch.Tensor:
    """Fixed attention weights, as in raganato2020.

    Parameters
    ----------
    name : str
        One of `PATTERNS`: the previous, next or current piece, the first one, all pieces of the row, or those to the left
        or right of it with weights that grow towards it with the cube of the place. Where there is none: itself.
    seen : (B, T) bool
        Pieces that are no padding.

    Returns
    -------
    (B, T, T) float32
        Rows sum to 1 over the visible pieces.

    Examples
    --------
    >>> pattern("previous", torch.tensor([[True, True, True, False]]))[0, :3].tolist()
    [[1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
    """
    length = seen.shape[1]
    at = torch.arange(length, device=seen.device)
    query, key = at[:, None], at[None, :]  # (T, 1), (1, T)
    cubes = {"left": (key + 1) * (key < query), "right": (length - key) * (key > query)}
    if name in cubes:
        weights = (cubes[name].float() / length) ** 3
    else:
        alike = {"previous": key == query - 1, "next": key == query + 1, "first": key == 0, "broad": key >= 0}
        weights = alike.get(name, key == query).float()  # (T, T)
    out = weights.expand(len(seen), -1, -1) * seen[:, None, :]
    itself = torch.eye(length, device=seen.device)
    total = out.sum(-1, keepdim=True)
    return torch.where(total > 0, out / total.clamp(min=1e-9), itself)


class FixedAttention(BertSelfAttention):
    """Self-attention whose heads are given: all of them the mean of the row, or all but the last one of `PATTERNS`.

    Value vectors and what follows are learnt as ever; of the query and key matrices only the last head's part is used.
    """

    def forward(
        self, hidden_states: torch.Tensor, attention_mask: torch.Tensor | None = None, *_: Any, **kwargs: Any
    ) -> Any:
        """Context vectors (B, T, H) and attention weights (B, A, T, T)."""
        size, seen = self.attention_head_size, visible(attention_mask, hidden_states)
        value = self.value(hidden_states).unflatten(-1, (-1, size)).transpose(1, 2)  # (B, A, T, d)
        if getattr(self.config, MARK)["attention"] == "uniform":
            maps = pattern("broad", seen)[:, None].expand(-1, self.num_attention_heads, -1, -1)
        else:
            kept = {name: pattern(name, seen) for name in PATTERNS[: self.num_attention_heads - 1]}
            names = [PATTERNS[h % len(PATTERNS)] for h in range(self.num_attention_heads - 1)]
            maps = torch.stack([*(kept[name] for name in names), self._learned(hidden_states, seen)], 1)
        maps = self.dropout(maps.to(value.dtype))
        return (maps @ value).transpose(1, 2).flatten(2), maps

    def _learned(self, hidden: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
        """Weights of the last head, (B, T, T)."""
        size = self.attention_head_size
        query, key = (F.linear(hidden, x.weight[-size:], x.bias[-size:]) for x in (self.query, self.key))
        scores = (query @ key.transpose(1, 2)).float() * self.scaling
        return scores.masked_fill(~seen[:, None, :], torch.finfo(scores.dtype).min).softmax(-1)


class OrderedLayer(BertLayer):
    """Two sublayers of an encoder whose order is not attention, feed-forward, attention, …: press2020's.

    Layer i has the i-th attention and the i-th feed-forward of the encoder, as in BERT, but computes the (2i)-th and
    (2i + 1)-th sublayer of the order, which may be other layers'. The hidden state after it is that after two sublayers.
    """

    plan: tuple[tuple[str, BertLayer], ...]

    def forward(self, hidden_states: torch.Tensor, attention_mask: torch.Tensor | None = None, *_, **kwargs: Any):
        """The hidden states (B, T, H) after this layer's two sublayers."""
        for kind in ("encoder_attention_mask", "past_key_values"):
            kwargs.pop(kind, None)
        for letter, owner in self.plan:
            if letter == "s":
                hidden_states, _weights = owner.attention(hidden_states, attention_mask, **kwargs)
            else:
                hidden_states = owner.feed_forward_chunk(hidden_states)
        return hidden_states


def mark(attention: str = "learned", sublayers: str = "") -> dict[str, dict[str, str]]:
    """What a configuration is to say; nothing for a plain BERT."""
    plain = attention == "learned" and not sublayers
    return {} if plain else {MARK: {"attention": attention, "sublayers": sublayers}}


def problem(config: Any) -> str:
    """Why a configuration names no variant that is known here; empty where it does, or is a plain BERT's."""
    told = getattr(config, MARK, None)
    if told is None:
        return ""
    if config.model_type != "bert" or not isinstance(told, dict) or set(told) != {"attention", "sublayers"}:
        return f"{MARK} {told!r} is none that is known here"
    order, layers = told["sublayers"], config.num_hidden_layers
    if told["attention"] not in ATTENTION:
        return f"{MARK}: attention {told['attention']!r} is none of {', '.join(ATTENTION)}"
    if order and (set(order) != {"s", "f"} or not order.count("s") == order.count("f") == layers):
        return f"{MARK}: sublayers {order!r} are not s and f, {layers} of each"
    return ""


def apply(model: nn.Module) -> nn.Module:
    """Let a BERT compute what its configuration says, in place; one without a mark stays as it is.

    Raises
    ------
    ValueError
        The mark is none that is known.
    """
    config: Any = model.config
    if getattr(config, MARK, None) is None:
        return model
    if why := problem(config):
        raise ValueError(why)
    told = getattr(config, MARK)
    encoder: Any = getattr(model, "base_model", model).encoder
    layers = list(encoder.layer)
    if told["attention"] != "learned":
        for layer in layers:
            layer.attention.self.__class__ = FixedAttention
    if order := told["sublayers"]:
        turns = {"s": iter(layers), "f": iter(layers)}
        steps = [(letter, next(turns[letter])) for letter in order]
        for i, layer in enumerate(layers):
            layer.__class__ = OrderedLayer
            layer.__dict__["plan"] = tuple(steps[2 * i : 2 * i + 2])  # not registered: each layer has its weights once
    return model
