"""Is transfer better between languages of similar word order? A Mantel test over pairs of languages (pires2019).

Word order is read off the treebanks that the probes learn from: of each relation, the share of dependents that stand
before their head (objects before verbs, adjectives before nouns, adpositions before nouns, ...). Two languages are as
similar as these shares are on average. Transfer between two is what is lost against being taught in the language of the
test, the mean of both directions. Pairs share languages, so permutations and resamples are of languages.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from ...calibration.nulls import SENTENCES
from ...claims.registry import claim
from ...data.items import Sentence
from ...scores import intervals
from ...scores.rows import Interval
from ...settings import Settings
from ...vectors.similarity import centred_ranks, word_weights
from . import plants
from .languages import pair
from .orders import orders, similarity
from .transfer import ENGLISH, Transfer, drawn, measure, sentences, tagged
from .zero_shot import pair_rows

EXACT = 8  # languages up to which every permutation is tried: 40,320
PERMUTED = 5000
DRAWS = 1000


def shared_words(items: Sequence[Sentence]) -> np.ndarray:
    """The share of two languages' different words that both have (Jaccard), (K, K); punctuation left out."""
    targets = tagged(items)
    codes = sorted({s.condition for s in items})
    of = np.array([s.condition for s in items])[targets.sentence]
    types = [set(targets.types[of == c]) for c in codes]
    return np.array([[len(a & b) / len(a | b) for b in types] for a in types])


def losses(found: Transfer) -> np.ndarray:
    """Zero-shot accuracy less that of the probe taught in the language of the test, mean of both directions, (K, K)."""
    tested = [found.language == k for k in range(len(found.languages))]
    accuracy = np.array([[right[t].mean() for t in tested] for right in found.right])
    lost = accuracy - np.diag(accuracy)
    return (lost + lost.T) / 2


def partial(x: np.ndarray, y: np.ndarray, held: Sequence[np.ndarray], weights: np.ndarray) -> np.ndarray:
    """Spearman of x and y (P,) with others held, in each of some weightings (draws, P): (draws,).

    Correlation of what is left of the ranks when those of the others are regressed on; nan where nothing is left.

    Examples
    --------
    >>> one = np.ones((1, 6))
    >>> x, z = np.arange(6.0), np.array([0, 1, 0, 1, 0, 1.0])
    >>> partial(x, 9 * z + x, [], one).round(2).item(), partial(x, 9 * z + x, [z], one).round(2).item()
    (0.71, 1.0)
    """
    root = np.sqrt(weights)
    a, b = (centred_ranks(v, weights) * root for v in (x, y))  # (draws, P)
    if held:
        z = np.stack([centred_ranks(v, weights) * root for v in held], -1)  # (draws, P, H)
        inverse = np.linalg.pinv(z)
        a, b = (v - np.einsum("dph,dh->dp", z, np.einsum("dhp,dp->dh", inverse, v)) for v in (a, b))
    lengths = np.sqrt((a**2).sum(1) * (b**2).sum(1))
    return np.divide((a * b).sum(1), lengths, out=np.full(len(a), np.nan), where=lengths > 1e-9)


def mantel(x: np.ndarray, y: np.ndarray, held: Sequence[np.ndarray], settings: Settings) -> Interval:
    """Partial Spearman over the pairs of languages of two matrices (K, K), with an interval over languages."""
    first, second = np.triu_indices(len(x), 1)
    left, right = (m[first, second] for m in (x, y))
    others = [m[first, second] for m in held]
    weights = word_weights(first, second, draws=min(settings.draws, DRAWS), seed=settings.seed)
    value = partial(left, right, others, np.ones((1, len(first))))[0]
    return intervals.interval(value, partial(left, right, others, weights), clusters=len(x), signed=True)


def permuted(x: np.ndarray, y: np.ndarray, seed: int) -> tuple[float, int]:
    """The share of permutations of languages with a rank correlation as high, the identity among them; their number."""
    k, pairs = len(x), np.triu_indices(len(x), 1)
    ranks = [np.zeros((k, k)), np.zeros((k, k))]
    for out, matrix in zip(ranks, (x, y)):
        out[pairs] = rankdata(matrix[pairs])
        out += out.T
    if k <= EXACT:
        orders_ = np.array(list(permutations(range(k))))
    else:
        rng = np.random.default_rng(seed)
        orders_ = np.array([np.arange(k), *(rng.permutation(k) for _ in range(PERMUTED))])
    fixed = ranks[0][pairs] - ranks[0][pairs].mean()
    scores = ranks[1][orders_[:, pairs[0]], orders_[:, pairs[1]]] @ fixed
    return float((scores >= scores[0] - 1e-9).mean()), len(orders_)


@claim(
    "mbt.typology.pires2019",
    "multilingual_treebank",
    n=2250,
    beside=ENGLISH,
    nulls=(*SENTENCES, plants.spelling, plants.ONE_SPACE),
    planted=plants.by_order,
)
def typology(subject, data, settings):
    """Rank correlation over pairs of languages of transfer with the similarity of word order (pires2019, singh2019).

    The partial one holds whether the script is the same and the share of words in common. Intervals draw languages.
    """
    every = sentences(data)
    items = drawn(every, settings)
    found = measure(subject, items, settings)
    codes = found.languages
    transfer, order, words = losses(found), similarity(orders(every)), shared_words(items)
    script = np.array([[pair(a, b)["script"] == "same" for b in codes] for a in codes], float)
    n = len(list(combinations(codes, 2)))
    rows = intervals.Rows(settings)
    for name, other, held in (
        ("with word order", order, []),
        (", script and vocabulary held", order, [script, words]),
        ("with shared words", words, []),
        ("with script", script, []),
        ("of word order and shared words", None, []),
    ):
        pair_of = (order, words) if other is None else (transfer, other)
        measure_ = f"Mantel correlation{'' if name[0] == ',' else ' '}{name}"
        between = mantel(*pair_of, held, settings)
        # all languages may have one script, say; what decides stays, without a figure where all transfer is alike
        if np.isfinite(between[0]) or other is order:
            rows.add(measure_, between, n)
    p, tried = permuted(transfer, order, settings.seed)
    rows.add("Mantel p, word order", intervals.proportion(round(p * tried), tried), tried)
    rows += [r for k, c in enumerate(found.taught) for r in pair_rows(found, k, codes.index(c), settings)]
    return intervals.table(rows, [found.note, _note(orders(every))])


def _note(shares: pd.DataFrame) -> str:
    """The shares as a note: what word order was taken to be."""
    known = {c: ", ".join(f"{r} {v:.2f}" for r, v in row.dropna().items()) for c, row in shares.iterrows()}
    return "share of dependents before their head: " + "; ".join(f"{c}: {v}" for c, v in known.items())
