"""Is attention an explanation? Other maps with the same output, and whether weights say what matters."""

from __future__ import annotations

import copy
import random
from dataclasses import replace

import numpy as np
import torch
from scipy.stats import kendalltau

from ...attention.choosing import fitting
from ...attention.identifiability import left_out, null_space, permuted_attention, without_heads
from ...attention.maps import maps
from ...calibration.nulls import aimed
from ...claims.registry import claim
from ...data.items import MASK
from ...scores import intervals
from ...scores.choice import choose
from ...subject import encode

SMALL = 0.1  # total variation distance called small
BEYOND = 16  # pieces by which the long inputs exceed what a head can tell apart
SHUFFLED, LEFT_OUT = 120, 120  # sentences


def even_attention(data, base, rng):
    """The trained model without queries, so that attention is even whatever the words."""
    model = copy.deepcopy(base.model)
    with torch.no_grad():
        for layer in getattr(model, "base_model", model).encoder.layer:
            query = layer.attention.self.query
            query.weight.zero_()
            query.bias.zero_()
    return replace(base, name="planted", model=model)


@claim(
    "hed.explanation_debate.jain2019",
    "sentences",
    n=400,
    limit=400,
    quick=60,
    planted=even_attention,
    nulls=tuple(aimed(name, "other_maps", "not_importance") for name in ("untrained", "constant")),
)
def explanation(subject, data, settings):
    """Shuffled maps, words left out, and the null space of attention (jain2019, brunner2020).

    All weights of one block (or of one head) are dealt out anew, row by row, and a masked word is predicted again; the
    change is a total variation distance. Leaving a word out (masking it too) tells which words the prediction rests
    on: does the attention of the masked word, averaged over the heads of the best block, rank them alike (Kendall's
    tau)? The null space is counted for the head that has the smallest one, in inputs longer and shorter than a head.
    """
    items, note = fitting(subject, data["sentences"])
    words = [i.words for i in items if len(i.words) > 3]
    rows = _shuffled(subject, words[:SHUFFLED], settings) + _ranked(subject, words[:LEFT_OUT], settings)
    return intervals.table(rows + _null_space(subject, words, settings), [note])


def _shuffled(subject, words, settings) -> list[dict]:
    """Change by shuffled maps: of one block, of one head, and without any heads' output."""
    options = dict(seed=settings.seed, draws=min(settings.draws, 1000), bounds=(0.0, 1.0))
    blocks = permuted_attention(subject, words, together=True, settings=settings)  # (n, L)
    heads = permuted_attention(subject, words[: len(words) // 2], settings=settings)  # (n, L * A)
    mean = intervals.bootstrap(blocks, lambda c: np.median(c, 0).mean(), **options)
    rows = [intervals.row("median change, one block shuffled, mean over blocks", mean, len(blocks))]
    for k, column in enumerate(blocks.T, 1):
        interval = intervals.bootstrap(column, np.median, **options)
        rows.append(intervals.row("median change, one block shuffled", interval, len(column), block=k))
    share = intervals.bootstrap(heads, lambda c: (np.median(c, 0) < SMALL).mean(), **options)
    rows.append(intervals.row("share of heads with a median change below 0.1", share, len(heads)))
    for k, part in enumerate(np.split(heads, subject.n_layers, 1), 1):
        interval = intervals.bootstrap(part, lambda c: np.median(c, 0).mean(), **options)
        rows.append(intervals.row("median change, one head shuffled, mean over heads", interval, len(heads), block=k))
    off = without_heads(subject, words, settings)
    options.pop("bounds")
    rows.append(intervals.row("change without any heads", intervals.mean_interval(off, **options), len(off)))
    return rows


def _ranked(subject, words, settings) -> list[dict]:
    """Agreement of attention and of nearness with what leaving words out does."""
    words = [w for w in words if len(w) > 4]
    rng = random.Random(settings.seed)
    places = [rng.randrange(len(w)) for w in words]
    changes = left_out(subject, words, places, settings)
    mask = encode.Gapped(MASK)
    hidden = [[mask if k == at else w for k, w in enumerate(s)] for s, at in zip(words, places)]
    given = from_mask(subject, hidden, places, settings)
    tau = np.array([[_tau(change, block) for block in blocks] for change, blocks in zip(changes, given)])  # (n, L)
    near = [-np.abs(np.delete(np.arange(len(s)), at) - at) for s, at in zip(words, places)]
    by_nearness = np.array([_tau(change, step) for change, step in zip(changes, near)])
    dev, test = np.arange(len(words)) % 2 == 0, np.arange(len(words)) % 2 == 1
    best = choose(tau[dev].mean(0))
    columns = {
        "Kendall's tau of attention and leaving out, best block": tau[test, best],
        "Kendall's tau of nearness and leaving out": by_nearness[test],
        "tau, attention - nearness": tau[test, best] - by_nearness[test],
        "largest change by leaving one word out": np.array([c.max() for c in changes])[test],
    }
    rows = intervals.Rows(settings)
    for measure, values in columns.items():
        rows.mean(measure, values, signed="tau" in measure, best=f"block {best + 1}")
    for k, column in enumerate(tau.T, 1):
        rows.mean("Kendall's tau of attention and leaving out", column, signed=True, block=k)
    return rows


def from_mask(subject, sentences, places, settings) -> list[np.ndarray]:
    """Attention from one word to all others, mean over the heads of each block: (L, words - 1) by sentence."""
    out: list[np.ndarray] = [np.empty(0)] * len(sentences)
    for batch in maps(subject, sentences, settings=settings):
        for b, (i, place) in enumerate(zip(batch.index, batch.place)):
            others = [place[w] for w in range(len(sentences[i])) if w != places[i]]
            out[i] = batch.weights[b, :, :, place[places[i]]][..., others].mean(1).cpu().numpy()
    return out


def _tau(a: np.ndarray, b: np.ndarray) -> float:
    """Kendall's tau; 0 where one side does not vary: it ranks nothing."""
    found = float(kendalltau(np.round(a, 9), np.round(b, 9)).statistic)
    return 0.0 if np.isnan(found) else found


def _null_space(subject, words, settings) -> list[dict]:
    size, rows = subject.hidden_size // subject.n_heads, intervals.Rows(settings)
    for name, pieces in (("longer than a head is wide", size + BEYOND), ("half as long", max(size // 2, 3))):
        starts = range(0, min(len(words), 200), 5)
        texts = [t for s in starts if (t := _stretch(subject, words[s : s + pieces], pieces))]
        if texts:
            least = null_space(subject, texts, settings).min((1, 2))
            rows.mean("dimensions of the null space", least, input=name)
    return rows


def _stretch(subject, sentences, pieces: int) -> list[str] | None:
    """Words of consecutive sentences, as many as give `pieces` pieces with the special tokens; None if they cannot."""
    words = [w for s in sentences for w in s][:pieces]
    if pieces > subject.max_length or not encode.fits(subject, [words])[0]:
        return None
    (row,) = encode.tokenize(subject, [words])
    kept = [w for t, w in enumerate(row.words) if w >= 0 and t < pieces - 1]
    return words[: max(kept)] if len(row.ids) > pieces else words
