"""Special tokens: what of the attention they get, by weights, by norms, by gradients."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
import torch
from transformers.models.bert.modeling_bert import BertSelfAttention

from ...attention.collect import STATISTICS, collect
from ...attention.importance import kind_gradients
from ...calibration import planted as plants
from ...calibration.nulls import as_null
from ...claims.registry import claim
from ...scores import intervals
from ...scores.choice import choose
from ...scores.profiles import UNDEFINED, inside_lead, stretches
from ...subject.models import Subject
from .blocks import by_block, sentences_of, towards

SPECIAL = ("[CLS]", "[SEP]")
PEAKS = (*SPECIAL, ". or ,")


def _over_heads(values: np.ndarray) -> np.ndarray:
    """Mean over blocks and heads of (n, L, A), those that are undefined left out; (n,)."""
    known = ~np.isnan(values)
    total, count = np.where(known, values, 0).sum((1, 2)), known.sum((1, 2))
    return np.divide(total, count, out=np.full(len(values), np.nan), where=count > 0)


def moving_attention(data, base, rng):
    """A random network led to [CLS] early, to [SEP] in the middle (with short value vectors), to full stops at the end."""
    depth = np.arange(1, base.n_layers + 1) / base.n_layers
    peaks = zip(PEAKS, (0.2, 0.6, 1.0))
    return led(base, {kind: 0.6 * np.exp(-0.5 * ((depth - peak) / 0.12) ** 2) for kind, peak in peaks})


@claim(
    "hed.special_tokens.clark2019",
    "sentences",
    n=2000,
    limit=1600,
    planted=moving_attention,
    nulls=("untrained", "positions", "constant", "coin"),
)
def special_tokens(subject, data, settings):
    """Attention by kind of token and block; gradient of the masked-LM loss by the attention to [SEP] (clark2019).

    Where attention to a kind of token peaks is told by the highest block of a stretch of the depth, less the highest
    elsewhere. What a gradient says depends on the block, so that on [SEP] is divided by that on ordinary words of the
    same block, and blocks that attend to [SEP] more than the median block are compared with the others.
    """
    words, note = sentences_of(subject, data)
    values = collect(subject, words, settings=settings).values
    rows = intervals.Rows(settings)
    for name in STATISTICS:
        rows += by_block(values[name], "mean, by block", settings, statistic=name)
    few = words[: min(len(words), 200)]  # gradients cost more, and each sentence gives one for every weight
    gradients = kind_gradients(subject, few, settings)
    for name, array in gradients.items():
        rows += by_block(array, "gradient by attention, by block", settings, statistic=name)
    for name in PEAKS:
        rows += _peaks(values[name].mean(-1), name, settings)
    curves = [values["[SEP]"][: len(few)], gradients["[SEP]"], gradients["other"]]
    fall = intervals.bootstrap(
        [c.mean(-1) for c in curves], _fall, seed=settings.seed, draws=min(settings.draws, 1000), bounds=(0.0, np.inf)
    )
    rows.add("relative gradient, blocks that attend to [SEP] most / others", fall, len(few))
    return intervals.table(rows, [note])


def _peaks(curve: np.ndarray, name: str, settings) -> list[dict]:
    """Depth of the peak of a curve (n, L), and by how much the highest block of each stretch leads those elsewhere."""
    options = dict(seed=settings.seed, draws=min(settings.draws, 1000))
    depth = intervals.bootstrap(curve, lambda c: (choose(c.mean(0)) + 1) / c.shape[1], **options, bounds=(0.0, 1.0))
    rows = [intervals.row("depth of the peak", depth, len(curve), statistic=name)]
    for stretch, inside in stretches(curve.shape[1]).items():
        lead, n = UNDEFINED, 0  # of two blocks, none is in the first third
        if inside.any() and not inside.all():
            lead, n = intervals.bootstrap(curve, lambda c, i=inside: inside_lead(c.mean(0), i), **options), len(curve)
        rows.append(intervals.row(f"peak in {stretch} - elsewhere", lead, n, statistic=name))
    return rows


def _fall(mass: np.ndarray, separator: np.ndarray, other: np.ndarray) -> float:
    """Geometric mean over blocks of the gradient on [SEP] by that on words: blocks of much mass by the rest; (n, L)."""
    mass, least = mass.mean(0), 1e-30
    relative = np.log(np.maximum(separator.mean(0), least) / np.maximum(other.mean(0), least))
    much = mass > np.median(mass)
    if not much.any() or not np.any(separator):
        return float("nan")
    return float(np.exp(relative[much].mean() - relative[~much].mean()))


def _separated(base, data, rng, size: float, name: str):
    """Heads give half of their attention to [SEP], whose vectors are `size` times as long as those of words."""
    separator = base.tokenizer.sep_token_id

    def vectors(seen):
        drawn = np.stack([plants.code(i, 32) for i in seen.ids.tolist()])
        return drawn * np.where(seen.ids[:, None] == separator, size, 1.0)

    def attention(seen, own):
        even = plants.even_maps(base.n_layers, base.n_heads, seen, own, 0.5)
        return 0.5 * even + 0.5 * towards(seen, seen.ids == separator)

    parts = [plants.Part(32, vectors, noise=0.01, by_piece=True)]
    return plants.plant(base, data, rng, parts=parts, attention=attention, flow=1.0, name=name)


def short_vectors(data, base, rng):
    """Heads give half of their attention to [SEP], whose vectors are a tenth as long as those of words."""
    return _separated(base, data, rng, 0.1, "planted")


@as_null("alike vectors")
def alike_vectors(data, base, rng):
    """much attention to [SEP], whose vectors are as long as any"""
    return _separated(base, data, rng, 1.0, "alike vectors")


@claim(
    "hed.norms.kobayashi2020",
    "sentences",
    n=2000,
    limit=1600,
    planted=short_vectors,
    nulls=("untrained", alike_vectors),
)
def norms(subject, data, settings):
    """What special tokens get of the attention, by weights and by norms of the weighted vectors (kobayashi2020).

    The rank correlation is over heads, each with its mean weight on tokens of a kind and the mean norm of their
    transformed vectors; its interval is over sentences.
    """
    words, note = sentences_of(subject, data)
    found = collect(subject, words, norms=True, settings=settings)
    rows = intervals.Rows(settings)
    options = dict(seed=settings.seed, draws=settings.draws)
    for kind in (*PEAKS, "other"):
        rows += by_block(found.values[kind], "share of the weights", settings, kind=kind)
        rows += by_block(found.norms[f"share {kind}"], "share of the norms", settings, kind=kind)
        pair = [a.reshape(len(a), -1) for a in (found.values[kind], found.norms[f"size {kind}"])]
        pair = [a[~np.isnan(pair[1]).any(1)] for a in pair]  # sentences with a token of the kind
        if len(pair[0]) > 1:
            rho = intervals.bootstrap(
                pair, lambda w, s: intervals.spearman(w.mean(0), s.mean(0)), seed=settings.seed,
                draws=min(settings.draws, 500), bounds=(-1.0, 1.0),
            )  # fmt: skip
            rows.add("Spearman of weight and vector norm", rho, len(pair[0]), kind=kind)
    weights = np.sum([found.values[k] for k in SPECIAL], 0)  # (n, L, A)
    by_norm = np.sum([found.norms[f"share {k}"] for k in SPECIAL], 0)  # nan for a head that moves nothing
    columns = {"weights": weights, "norms": by_norm, "norms - weights": by_norm - weights}
    columns = {name: _over_heads(values) for name, values in columns.items()}
    for name, values in columns.items():
        known = values[~np.isnan(values)]
        interval = intervals.mean_interval(known, **options, signed=" - " in name) if len(known) else UNDEFINED
        rows.add(f"share of special tokens, {name}", interval, len(known))
    return intervals.table(rows, [note])


class Led(BertSelfAttention):
    """Self-attention that gives parts of its weight to named columns.

    A stand-in has maps and no network behind them; claims about gradients need one: random weights, but in each block a
    part of every head's attention goes where it is told. Value vectors of the led tokens are shortened where the lead is
    strong, so that the output hardly depends on them there.

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
