"""Does a word's vector tell in which of two segments it stands? (mickus2019)"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import torch

from ...calibration.nulls import aimed
from ...claims.registry import claim
from ...data.text import words as cut
from ...errors import TooFew
from ...scores import intervals
from ...subject.companions import companion
from ...subject.encode import Row, batches, forward, tokenize, windows
from ...subject.models import ModelUnsuitable
from ...vectors.geometry import unit
from .planted import told_by_segment_ids

WORDS = 300  # the commonest words that have enough occurrences
LEAST = 5  # occurrences of a word in each segment
WITHOUT_NSP = "nonsp"  # the role of the model to compare with


@claim(
    "emb.segment_position.mickus2019",
    "paraphrase",
    n=600,
    limit=450,
    nulls=("untrained", "bag of words", aimed("positions", "segment"), "constant", "coin"),
    planted=told_by_segment_ids,
)
def segment_position(subject, data, settings):
    """Cosine of a word's occurrences within a segment less that across segments, at the last layer (mickus2019).

    Which sentence of a pair comes first is a coin's toss, so the segments differ in nothing but place and segment id;
    no two occurrences of one input are compared. The same inputs without segment ids show what place alone does. Words
    are the items. Relative shifts are divided by the spread within a segment, since two models' cosines have no common
    scale; a model pretrained without next-sentence prediction (the companion `nonsp`) is shown beside where there is one.
    """
    _refuse_without_segments(subject)
    rng = random.Random(settings.seed)
    pairs = [(cut(i.text), cut(i.text_b)) for i in data["paraphrase"]]
    pairs = [pair if rng.random() < 0.5 else pair[::-1] for pair in pairs]
    fit = np.array([len(_ids(subject, pair)) <= subject.max_length for pair in pairs])
    pairs = [pair for pair, ok in zip(pairs, fit) if ok]
    notes = [] if fit.all() else [f"{(~fit).sum()} pairs longer than {subject.name} takes are left out"]
    words = _words(pairs)
    n, counts = len(words), intervals.counts(len(words), settings.draws, settings.seed)
    spread, shift = _shifts(subject, pairs, words, settings)  # (words, layers) each
    _, by_place = _shifts(subject, pairs, words, settings, segments=False)

    def mean(measure, values, **keys):
        drawn = counts @ values / n
        return intervals.row(measure, intervals.interval(values.mean(), drawn, clusters=n), n, **keys)

    rows = [mean("shift by layer", shift[:, k], layer=k) for k in range(shift.shape[1])]
    rows += [mean("shift without segment ids by layer", by_place[:, k], layer=k) for k in range(shift.shape[1])]
    rows.append(mean("shift", shift[:, -1]))
    rows.append(mean("shift beyond place", shift[:, -1] - by_place[:, -1]))
    rows.append(_relative("relative shift", spread, shift, counts))
    other = companion(WITHOUT_NSP, settings, twin=subject.is_twin)
    if other is not None:
        pairs = [pair for pair in pairs if len(_ids(other, pair)) <= other.max_length]
        theirs = _shifts(other, pairs, words, settings, segments=False)
        rows.append(_relative("relative shift without NSP", *theirs, counts))
        notes.append(f"compared with {other.name}")
    return intervals.table(rows, notes)


def _refuse_without_segments(subject) -> None:
    """Without segment ids two inputs are compared that are one, and whatever the subject, nothing goes beyond place."""
    (row,) = tokenize(subject, [["a"]], [["a"]])
    if getattr(subject.config, "type_vocab_size", 0) < 2 or not any(row.types):
        raise ModelUnsuitable(f"{subject.name} is not given segment ids: it cannot tell segments but by their place")


def _ids(subject, pair) -> list[int]:
    first, second = pair
    return subject.tokenizer(list(first), list(second), is_split_into_words=True, verbose=False)["input_ids"]


def _words(pairs) -> list[str]:
    """The commonest words with `LEAST` occurrences, at least, in first and in second segments."""
    first, second = (Counter(w.lower() for pair in pairs for w in set(pair[k]) if w.isalpha()) for k in (0, 1))
    enough = [w for w in first if min(first[w], second[w]) >= LEAST]
    if len(enough) < 2:
        raise TooFew(f"{len(pairs)} pairs hold {len(enough)} words with {LEAST} occurrences in each segment")
    return sorted(enough, key=lambda w: (-min(first[w], second[w]), w))[:WORDS]


def _shifts(subject, pairs, words, settings, segments: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Mean cosine distance within a segment, and how much larger it is across segments: (words, layers) each.

    From sums of unit vectors, so that memory depends on the words alone. The first occurrence of a word in a segment
    counts; pairs of occurrences in one input are taken out of the sums.
    """
    place = {w: k for k, w in enumerate(words)}
    shape = (len(words), subject.n_layers + 1)
    sums, n = np.zeros((2, *shape, subject.hidden_size)), np.zeros((2, len(words)))
    same, n_same = np.zeros(shape), np.zeros(len(words))
    for first, vectors in pair_vectors(subject, pairs, segments, settings):
        for w, at in first[0].items():
            if w in place and w in first[1]:
                same[place[w]] += (vectors[:, at] * vectors[:, first[1][w]]).sum(-1)
                n_same[place[w]] += 1
        for segment in (0, 1):
            for w, at in first[segment].items():
                if w in place:
                    sums[segment, place[w]] += vectors[:, at]
                    n[segment, place[w]] += 1
    inside = ((sums**2).sum(-1) - n[..., None]) / (n * (n - 1))[..., None]  # (2, words, layers)
    across = ((sums[0] * sums[1]).sum(-1) - same) / (n[0] * n[1] - n_same)[:, None]
    return 1 - inside.mean(0), inside.mean(0) - across


def pair_vectors(subject, pairs, segments, settings):
    """For each pair: the first place of each word in each segment, and unit word vectors (layers, words, H)."""
    for _, window in windows(pairs, 256):
        rows = tokenize(subject, [a for a, _ in window], [b for _, b in window])
        if not segments:  # a model that never saw a second segment id is not given one
            rows = [replace(row, types=(0,) * len(row.ids)) for row in rows]
        for batch in batches(subject, rows, settings.budget):
            states = forward(subject, batch, output_hidden_states=True).hidden_states
            stacked = torch.stack(states).float().cpu().numpy()  # (layers, B, T, H)
            for k, row in enumerate(batch.rows):
                yield _first(window[batch.index[k]]), _pooled(stacked[:, k, : len(row.ids)], row)


def _pooled(states: np.ndarray, row: Row) -> np.ndarray:
    """Pieces (layers, T, H) to unit word vectors (layers, W, H)."""
    weights = np.zeros((row.n_words, len(row.ids)), np.float32)
    for t, w in enumerate(row.words):
        if w >= 0:
            weights[w, t] = 1
    return unit(weights @ states)


def _first(pair) -> tuple[dict[str, int], dict[str, int]]:
    out: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for segment, start in ((0, 0), (1, len(pair[0]))):
        for at, word in enumerate(pair[segment]):
            out[segment].setdefault(word.lower(), start + at)
    return out


def _relative(measure: str, spread: np.ndarray, shift: np.ndarray, counts: np.ndarray) -> dict:
    """Mean shift by mean spread at the last layer."""
    own, room = (x[:, -1] for x in (shift, spread))
    if room.mean() < 1e-9:  # nothing varies within a segment
        return intervals.row(measure, (float("nan"),) * 3, len(shift))
    drawn, value = (counts @ own) / (counts @ room), own.mean() / room.mean()
    return intervals.row(measure, intervals.interval(value, drawn, clusters=len(shift)), len(shift))
