"""Attention to special tokens taken away: does a masked word get harder to guess?"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from ...attention.importance import masked
from ...attention.maps import is_punctuation, is_stop
from ...calibration import planted as plants
from ...calibration.nulls import as_null
from ...claims.registry import claim
from ...scores import intervals
from ...subject import encode
from ...subject.hooks import head_values, silenced
from .blocks import sentences_of, towards

SENTENCES = 600
BOTH, WORDS = "[CLS] and [SEP]", "words of as much attention as [SEP]"
REMOVED = ("[CLS]", "[SEP]", BOTH, ". or ,", "word", WORDS)
SILENCED = ("[SEP]", BOTH, WORDS)


def reads_words(data, base, rng):
    """Half of its attention is on special tokens; a masked piece is put back the surer the more words are to be seen."""
    special = (base.tokenizer.cls_token_id, base.tokenizer.sep_token_id)

    def attention(seen, own):
        return 0.5 * plants.even_maps(base.n_layers, base.n_heads, seen, own, 0.5) + 0.5 * towards(seen, seen.words < 0)

    subject = plants.plant(base, data, rng, attention=attention, logits=plants.restored())
    share: list[torch.Tensor] = []  # of the words of each row, those that are to be seen

    def look(module, args, kwargs):  # a stand-in looks rows up whole
        ids = kwargs["input_ids"]
        words = ~torch.isin(ids, torch.tensor((*special, base.tokenizer.pad_token_id), device=ids.device))
        share[:] = [(kwargs["attention_mask"] * words).sum(1) / words.sum(1)]
        return args, kwargs | {"attention_mask": (ids != base.tokenizer.pad_token_id).long()}

    def weaken(module, args, out):
        out.last_hidden_state = out.last_hidden_state * share[0][:, None, None]
        return out

    subject.base.register_forward_pre_hook(look, with_kwargs=True)
    subject.base.register_forward_hook(weaken)
    return subject


@as_null("loud separator", "no_op", "removed")
def loud_separator(data, base, rng):
    """the trained model, but what [SEP] hands on is ten times as long"""
    subject = replace(base, name="loud separator", model=copy.deepcopy(base.model))
    size: list[torch.Tensor] = []

    def look(module, args, kwargs):
        size[:] = [1 + 9 * (kwargs["input_ids"] == base.tokenizer.sep_token_id)[..., None]]

    subject.base.register_forward_pre_hook(look, with_kwargs=True)
    for layer in range(subject.n_layers):
        head_values(subject, layer).register_forward_hook(lambda module, args, out: out * size[0])
    return subject


@claim(
    "hed.special_tokens_removed.clark2019",
    "sentences",
    n=6000,
    limit=2000,
    planted=reads_words,
    nulls=("untrained", loud_separator),
)
def removed(subject, data, settings):
    """Loss that is added where the attention to a token is taken away in all layers, in nats per masked piece (clark2019).

    Removed: the token is masked before the softmax, and the other weights of a row grow so that they sum to one. (It is
    masked for itself too; nobody sees what it becomes.) Silenced: weights stay as they are, and the token's value vectors
    are zero. The stop and the word are drawn, one per sentence, from those of which no piece is masked; so are words, until
    they have as much of the model's attention as [SEP], or none is left. A sentence counts by the mean over its masked
    pieces, a share of attention is the mean over heads, blocks and attending pieces.
    """
    words, note = sentences_of(subject, data)
    added, share = measured(subject, words[:SENTENCES], settings)
    rows = intervals.Rows(settings)
    for (how, token), values in added.items():
        known = ~np.isnan(values)
        if known.any():
            rows.mean("loss added", values[known], signed=True, how=how, token=token)
    for token, values in share.items():
        rows.mean("share of the attention", values[~np.isnan(values)], token=token)
    for how in ("removed", "silenced"):
        for token in ("[SEP]", BOTH):
            columns = [added[how, WORDS], share[WORDS], added[how, token], share[token]]
            columns = [c[~np.isnan(columns[0])] for c in columns]
            gap = intervals.bootstrap(columns, _per_share, seed=settings.seed, draws=min(settings.draws, 1000))
            rows.add("loss added per share, words - token", gap, len(columns[0]), how=how, token=token)
    return intervals.table(rows, [note])


def _per_share(words: np.ndarray, theirs: np.ndarray, token: np.ndarray, own: np.ndarray) -> float:
    return float(words.mean() / theirs.mean() - token.mean() / own.mean())


def measured(subject, words, settings) -> tuple[dict[tuple[str, str], np.ndarray], dict[str, np.ndarray]]:
    """Loss added, by way and token, and share of the attention, by token: (n,) each, nan where a sentence has none."""
    ways = [("removed", t) for t in REMOVED] + [("silenced", t) for t in SILENCED]
    added = {way: np.full(len(words), np.nan) for way in ways}
    share = {token: np.full(len(words), np.nan) for token in REMOVED}
    for batch, labels in masked(subject, words, seed=settings.seed, settings=settings):
        loss, maps = _loss(subject, batch, labels, output_attentions=True)
        weights = torch.stack([m.float().mean(1) for m in maps]).mean(0)  # (B, T, T)
        weights = (weights * batch.mask[..., None]).sum(1) / batch.mask.sum(1, keepdim=True)  # (B, T): to each piece
        taken = _taken(subject, batch, labels, words, weights, settings.seed)
        for token, at in taken.items():
            has = at.any(1).cpu().numpy()
            index = np.array(batch.index)[has]
            share[token][index] = (weights * at).sum(1).cpu().numpy()[has]
            without = replace(batch, mask=batch.mask * ~at)
            added["removed", token][index] = (_loss(subject, without, labels)[0] - loss)[has]
            if token in SILENCED:
                with silenced(subject, at):
                    added["silenced", token][index] = (_loss(subject, batch, labels)[0] - loss)[has]
    return added, share


def _loss(subject, batch, labels, **outputs) -> tuple[np.ndarray, Any]:
    """Mean loss over the masked pieces of each row in nats, (B,), and the maps if they are asked for."""
    found, where = encode.forward(subject, batch, **outputs), labels >= 0
    with torch.inference_mode():
        logs = torch.log_softmax(subject.predict(found.last_hidden_state[where]).float(), -1)
    each = torch.zeros(where.shape, device=logs.device)
    each[where] = -logs.gather(1, labels[where][:, None])[:, 0]
    return (each.sum(1) / where.sum(1)).double().cpu().numpy(), found.attentions if outputs else None


def _taken(subject, batch, labels, words, weights, seed: int) -> dict[str, torch.Tensor]:
    """Pieces that each token is, (B, T) bool; of words and stops, those of drawn ones that are not masked."""
    cls, sep = (batch.ids == piece for piece in (subject.tokenizer.cls_token_id, subject.tokenizer.sep_token_id))
    out = {"[CLS]": cls, "[SEP]": sep, BOTH: cls | sep}
    out |= {token: torch.zeros_like(cls) for token in (". or ,", "word", WORDS)}
    for b, (i, row) in enumerate(zip(batch.index, batch.rows)):
        of, mass = np.array(row.words), weights[b, : len(row.words)].cpu().numpy()
        seen = set(row.words) - set(of[labels[b, : len(of)].cpu().numpy() >= 0]) - {-1}
        order = np.random.default_rng([seed, i, 1]).permutation(sorted(seen))
        so_far = np.cumsum([mass[of == w].sum() for w in order])
        enough = 1 + np.searchsorted(so_far, float((weights[b] * sep[b]).sum()))
        stops, others = ([w for w in order if test(words[i][w])] for test in (is_stop, lambda w: not is_punctuation(w)))
        for token, chosen in ((". or ,", stops[:1]), ("word", others[:1]), (WORDS, order[:enough])):
            out[token][b, : len(of)] = torch.from_numpy(np.isin(of, chosen)).to(sep.device)
    return out
