"""Is a token's identity lost on the way up, and found again? (voita2019a)"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np
import torch
from sklearn.linear_model import RidgeClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ...calibration.nulls import VECTORS
from ...claims.registry import claim
from ...errors import TooFew
from ...scores import intervals
from ...scores.choice import choose
from ...subject import encode
from ...subject.encode import Row, batches, forward
from ...vectors.geometry import cosines
from .pairs import taken
from .planted import lost_and_found

TYPES = 300  # token types to be told apart
REFERENCES = 6  # occurrences of each to learn from
QUERIES = 4000  # sentences, one position each
PENALTIES = (1.0, 10.0, 100.0, 1000.0)
CONDITIONS = ("kept", "masked", "replaced")
PRECISION = "average precision of neighbours"
DECODERS = ("nearest neighbour", "linear", PRECISION)


@dataclass(frozen=True)
class Query:
    """A row with one position whose token is asked for; `text` names what it was taken from."""

    row: Row
    at: int
    token: int
    text: str = ""


@claim(
    "emb.token_identity.voita2019a", "treebank", n=2000, limit=4000, nulls=(*VECTORS, "coin"), planted=lost_and_found
)
def token_identity(subject, data, settings):
    """Which token was here? Told from each layer's vector, for kept, masked and replaced tokens (voita2019a).

    Decoders learn from the plain sentences of other documents: the nearest neighbour by cosine, a linear classifier
    (its penalty chosen by leaving one out), and the average precision with which a token's own references come first among all:
    the graded figure that decides, since the other two hardly leave the ceiling. The layer inside the stack where kept
    tokens are worst is chosen on one half of the sentences, and compared with both ends on the other. A masked token
    can be known from its context alone, a replaced one in spite of a false input. Types and documents are resampled.
    """
    references, queries, note = _choose(subject, data["treebank"], settings.seed)
    kinds = np.array([q.token for q in references])
    learnt = _vectors(subject, references, settings)  # (n, layers, H)
    rng = random.Random(settings.seed)
    types = sorted(set(kinds.tolist()))
    asked = {c: _vectors(subject, [_disturb(subject, q, c, types, rng) for q in queries], settings) for c in CONDITIONS}
    gold = np.array([q.token for q in queries])
    dev = np.arange(len(queries)) % 2 == 0
    right = np.empty((len(DECODERS), len(CONDITIONS), len(queries), subject.n_layers + 1))
    for layer in range(subject.n_layers + 1):
        vectors = {c: v[:, layer] for c, v in asked.items()}
        linear = make_pipeline(StandardScaler(), RidgeClassifierCV(PENALTIES)).fit(learnt[:, layer], kinds)
        for c, own in enumerate(vectors.values()):
            similar = cosines(own, learnt[:, layer])  # (queries, references)
            right[0, c, :, layer] = kinds[similar.argmax(1)] == gold
            right[1, c, :, layer] = linear.predict(own) == gold
            right[2, c, :, layer] = average_precision(similar, kinds[None] == gold[:, None])
    groups = {"type": gold, "text": np.array([q.text for q in queries])}
    return intervals.table(_rows(right, dev, groups, settings), [note])


def average_precision(scores: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    """Average precision of each ranking: scores and relevance (n, m) -> (n,); 1 where all relevant ones come first.

    Examples
    --------
    >>> average_precision(np.array([[3.0, 2.0, 1.0]]), np.array([[True, False, True]])).round(3).tolist()
    [0.833]
    """
    order = np.argsort(-scores, 1, kind="stable")
    hits = np.take_along_axis(relevant, order, 1)
    precision = np.cumsum(hits, 1) / np.arange(1, hits.shape[1] + 1)
    return (precision * hits).sum(1) / np.maximum(hits.sum(1), 1)


def _rows(right: np.ndarray, dev: np.ndarray, groups: dict, settings) -> list[dict]:
    """Scores by decoder, condition and layer on the test half; the lowest inner layer against both ends and for masks."""
    if right.shape[-1] < 3:
        raise ValueError("a minimum inside the stack needs at least two layers")
    test = right[:, :, ~dev]
    groups = {name: labels[~dev] for name, labels in groups.items()}
    options = {"seed": settings.seed, "draws": settings.draws, "groups": groups}
    n, layers = test.shape[2], range(test.shape[3])
    rows = [
        intervals.row("identity recovered", intervals.mean_interval(test[d, c, :, k], **options), n, decoder=decoder,
                      token=condition, layer=k)
        for d, decoder in enumerate(DECODERS)
        for c, condition in enumerate(CONDITIONS)
        for k in layers
    ]  # fmt: skip
    for d, decoder in enumerate(DECODERS):
        lowest = 1 + choose(-right[d, 0, dev][:, 1:-1].mean(0))
        kept, masked = test[d, 0], test[d, 1]
        for name, a, b in (
            ("bottom less minimum", kept[:, 0], kept[:, lowest]),
            ("top less minimum", kept[:, -1], kept[:, lowest]),
            ("context gained at the minimum", masked[:, lowest], masked[:, 0]),
        ):
            gap = intervals.difference(a, b, **options)
            rows.append(intervals.row(name, gap, n, decoder=decoder, layer=lowest))
    return rows


def _choose(subject, items: Sequence, seed: int) -> tuple[list[Query], list[Query], str]:
    """References from the train split, one query a sentence from the rest; types are words of one piece.

    Raises
    ------
    ValueError
        If the sentences are too few for any type to occur in both.
    """
    rng = random.Random(seed)
    items, note = taken(subject, items, attrgetter("words"))
    found: dict[int, list[Query]] = defaultdict(list)
    later: list[list[Query]] = []
    for item, row in zip(items, encode.tokenize(subject, [i.words for i in items])):
        text = item.meta.get("document", item.id)
        whole = [replace(q, text=text) for q in _single(row) if q.token != subject.tokenizer.unk_token_id]
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
        raise TooFew(f"{len(items)} sentences give {len(types)} token types and {len(queries)} queries")
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
