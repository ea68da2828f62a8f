"""A network whose attention is led: random weights, but in each block a part of every head's attention goes where it is told.

A stand-in has maps and no network behind them; claims about gradients need one. Value vectors of the led tokens are
shortened where the lead is strong, so that the output hardly depends on them there.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
import torch
from transformers.models.bert.modeling_bert import BertSelfAttention

from ...subject.models import Subject


class Led(BertSelfAttention):
    """Self-attention that gives parts of its weight to named columns.

    Attributes
    ----------
    parts : dict of str to float
        Token kind -> the part of every row that goes to its tokens, divided evenly.
    columns : dict of str to Tensor (B, T)
        Which tokens are of a kind; filled by the embeddings' hook at every forward pass.
    """

    parts: dict[str, float]
    columns: dict[str, torch.Tensor]

    def forward(self, hidden_states, attention_mask=None, past_key_values=None, **kwargs):
        found: Any = super().forward(hidden_states, attention_mask, past_key_values, **kwargs)
        maps = found[1]  # (B, A, T, T)
        value = self.value(hidden_states).unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)  # (B, A, T, d)
        for kind, part in self.parts.items():
            member = self.columns[kind].to(maps.dtype)  # (B, T)
            there = member.any(-1)[:, None, None, None]
            even = (member / member.sum(-1, keepdim=True).clamp(min=1))[:, None, None]
            maps = torch.where(there, (1 - part) * maps + part * even, maps)
            value = value * (1 - 0.95 * min(1.0, 2 * part) * member)[:, None, :, None]
        return (maps @ value).transpose(1, 2).flatten(2), maps


def led(base: Subject, parts: Mapping[str, np.ndarray], seed: int = 0) -> Subject:
    """The untrained twin with led attention.

    Parameters
    ----------
    parts : mapping of str to array (L,)
        For "[CLS]", "[SEP]" and ". or ,": the part of all attention that goes there, by block.
    """
    twin = base.twin(seed)
    model = copy.deepcopy(twin.model)
    columns: dict[str, torch.Tensor] = {}
    inner: Any = cast(Any, model).base_model
    for k, layer in enumerate(inner.encoder.layer):
        layer.attention.self.__class__ = Led
        layer.attention.self.parts = {kind: float(values[k]) for kind, values in parts.items()}
        layer.attention.self.columns = columns
    token = base.tokenizer
    pieces = {"[CLS]": [token.cls_token_id], "[SEP]": [token.sep_token_id]}
    pieces[". or ,"] = [token.convert_tokens_to_ids(s) for s in ".,"]
    table = inner.get_input_embeddings().weight

    def look(module, args, kwargs):
        vectors = kwargs.get("inputs_embeds")
        for kind, ids in pieces.items():
            if vectors is None:
                columns[kind] = torch.isin(kwargs["input_ids"], torch.tensor(ids, device=table.device))
            else:  # the vectors are rows of the table
                columns[kind] = (vectors.detach()[:, :, None] == table[ids]).all(-1).any(-1)

    inner.embeddings.register_forward_pre_hook(look, with_kwargs=True)
    return replace(twin, name="planted", model=model, is_twin=False)
