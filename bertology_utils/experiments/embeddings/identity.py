"""Is a token's identity lost on the way up, and found again? (voita2019a)"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ...claims.registry import claim
from ...scores import intervals
from ...scores.choice import choose
from ...subject import encode
from ...subject.encode import Row, batches, forward
from ...vectors import neighbours

TYPES = 150  # token types to be told apart
REFERENCES = 6  # occurrences of each to learn from
QUERIES = 450  # sentences, one position each
PENALTY = 10.0
CONDITIONS = ("kept", "masked", "replaced")
DECODERS = ("nearest neighbour", "linear")


@dataclass(frozen=True)
class Query:
    """A row with one position whose token is asked for."""

    row: Row
    at: int
    token: int


@claim(
    "emb.token_identity.voita2019a",
    tasks="treebank",
    n=600,
    limit=800,
)
def token_identity(subject, data, settings):
    """Which token was here? Told from each layer's vector, for kept, masked and replaced tokens (voita2019a).

    Two decoders learn from the plain sentences of other documents: the nearest neighbour by cosine, and a linear
    classifier. The rule asks of kept tokens, for both decoders, that some layer strictly inside the stack (chosen on
    one half of the sentences) is below both ends (on the other half). A masked token can be known from its context
    alone, a replaced one in spite of a false input.
    """
    references, queries, note = _choose(subject, data["treebank"], settings.seed)
    kinds = np.array([q.token for q in references])
    learnt = _vectors(subject, references, settings)  # (n, layers, H)
    rng = random.Random(settings.seed)
    types = sorted(set(kinds.tolist()))
    right = np.empty((len(DECODERS), len(CONDITIONS), len(queries), subject.n_layers + 1))
    asked = {c: _vectors(subject, [_disturb(subject, q, c, types, rng) for q in queries], settings) for c in CONDITIONS}
    gold = np.array([q.token for q in queries])
    for layer in range(subject.n_layers + 1):
        linear = make_pipeline(StandardScaler(), RidgeClassifier(PENALTY)).fit(learnt[:, layer], kinds)
        for c, condition in enumerate(CONDITIONS):
            vectors = asked[condition][:, layer]
            right[0, c, :, layer] = np.array(neighbours.nearest(learnt[:, layer], kinds.tolist(), vectors)) == gold
            right[1, c, :, layer] = linear.predict(vectors) == gold
    return intervals.table(_rows(right, settings), [note])


def _rows(right: np.ndarray, settings) -> list[dict]:
    """Accuracy by decoder, condition and layer; and the ends of the stack against its lowest inner layer."""
    n = right.shape[2]
    counts = intervals.counts(n, settings.draws, settings.seed)
    rows = []
    for d, decoder in enumerate(DECODERS):
        for c, condition in enumerate(CONDITIONS):
            drawn = counts @ right[d, c] / n
            for k, value in enumerate(right[d, c].mean(0)):
                keys = {"decoder": decoder, "token": condition, "layer": k}
                rows.append(intervals.row("identity recovered", intervals.interval(value, drawn[:, k]), n, **keys))
    if right.shape[-1] < 3:
        raise ValueError("a minimum inside the stack needs at least two layers")
    dev = np.arange(n) % 2 == 0
    for d, decoder in enumerate(DECODERS):
        kept, test = right[d, 0, dev], right[d, 0, ~dev]
        lowest = choose(-kept[:, 1:-1].mean(0)) + 1
        for end, name in ((0, "bottom"), (-1, "top")):
            gap = intervals.difference(test[:, end], test[:, lowest], seed=settings.seed, draws=settings.draws)
            rows.append(intervals.row(f"{name} less minimum", gap, len(test), decoder=decoder, lowest=lowest))
    return rows


def _choose(subject, items: Sequence, seed: int) -> tuple[list[Query], list[Query], str]:
    """References from the train split, one query a sentence from the rest; types are words of one piece.

    Raises
    ------
    ValueError
        If the sentences are too few for any type to occur in both.
    """
    rng = random.Random(seed)
    fit = encode.fits(subject, [i.words for i in items])
    note = f"{(~fit).sum()} sentences longer than {subject.name} takes are left out" if not fit.all() else ""
    items = [i for i, ok in zip(items, fit) if ok]
    found: dict[int, list[Query]] = defaultdict(list)
    later: list[list[Query]] = []
    for item, row in zip(items, encode.tokenize(subject, [i.words for i in items])):
        whole = [q for q in _single(row) if q.token != subject.tokenizer.unk_token_id]
        if item.split == "train":
            for q in whole:
                found[q.token].append(q)
        else:
            later.append(whole)
    enough = sorted(token for token, places in found.items() if len(places) >= REFERENCES)
    asked = {q.token for whole in later for q in whole}
    types = {token for token in enough if token in asked}
    types = set(rng.sample(sorted(types), min(TYPES, len(types))))
    rng.shuffle(later)
    queries = [rng.choice(own) for whole in later if (own := [q for q in whole if q.token in types])][:QUERIES]
    if len(types) < 2 or len(queries) < 4:
        raise ValueError(f"{len(items)} sentences give {len(types)} token types and {len(queries)} queries")
    references = [q for token in sorted(types) for q in rng.sample(found[token], REFERENCES)]
    return references, queries, f"{len(types)} token types, {REFERENCES} references each {note}".strip()


def _single(row: Row) -> list[Query]:
    """Each word of a row that is one piece."""
    pieces: dict[int, list[int]] = defaultdict(list)
    for t, w in enumerate(row.words):
        if w >= 0:
            pieces[w].append(t)
    return [Query(row, at[0], row.ids[at[0]]) for at in pieces.values() if len(at) == 1]


def _disturb(subject, query: Query, condition: str, types: list[int], rng: random.Random) -> Query:
    """The query with its token kept, masked, or replaced by another type."""
    if condition == "kept":
        return query
    new = subject.tokenizer.mask_token_id
    if condition == "replaced":
        new = rng.choice([t for t in types if t != query.token])
    ids = (*query.row.ids[: query.at], new, *query.row.ids[query.at + 1 :])
    return replace(query, row=replace(query.row, ids=ids))


def _vectors(subject, queries: Sequence[Query], settings) -> np.ndarray:
    """The vector at each query's position, (n, layers, H)."""
    out = np.empty((len(queries), subject.n_layers + 1, subject.hidden_size), np.float32)
    for batch in batches(subject, [q.row for q in queries], settings.budget):
        states = forward(subject, batch, output_hidden_states=True).hidden_states
        at = torch.tensor([queries[i].at for i in batch.index], device=subject.device)
        rows = torch.arange(len(at), device=subject.device)
        out[batch.index] = torch.stack([state[rows, at] for state in states], 1).float().cpu().numpy()
    return out
