"""Where contextual vectors lie: the cone they fill, how much a word keeps of itself, what one direction explains.

The measures are those of ethayarajh2019, each with the baseline it has to be judged against: in a narrow cone any two
vectors are similar, so similarities are adjusted by that of random words. Vectors come as (n, ..., H) arrays with items
first; everything between (layers) is carried along. `sample` and `collect` choose occurrences first and then keep only
their vectors, so memory is bounded by the choice, not by the corpus.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from ..settings import Settings
from ..subject.encode import hidden_states
from ..subject.models import Subject

Place = tuple[int, int]  # (sentence, word), both counted from 0
_TINY = 1e-12


def unit(vectors: np.ndarray) -> np.ndarray:
    """The vectors at length 1 (a null vector stays null)."""
    vectors = np.asarray(vectors)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), _TINY)


def cosines(vectors: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The cosine of each of some vectors (n, H) with each of others (m, H), for rankings -> (n, m).

    Rounded to five places: nearly equal ones tie on every processor, and a stable sort or `argmax` then takes the first.

    Examples
    --------
    >>> cosines(np.array([[1.0, 1.0]]), np.array([[2.0, 0.0], [0.0, 1e-9], [1.0, 1.0 + 1e-9]])).tolist()
    [[0.70711, 0.70711, 1.0]]
    """
    return np.round(unit(vectors) @ unit(others).T, 5)


def sample(
    sentences: Iterable[Sequence[str]],
    *,
    contexts: int = 1,
    words: int | None = None,
    seed: int = 0,
    keep: Callable[[str], bool] = str.isalpha,
) -> dict[str, list[Place]]:
    """For random words, `contexts` random places each, in as many different sentences.

    One pass with a reservoir a word: memory grows with the vocabulary, not with the text. Words are told apart as
    written; those with fewer contexts are left out.

    Parameters
    ----------
    sentences : iterable of sequences of str
        All different, or contexts repeat.
    words : int, optional
        At most so many words, drawn evenly from those that qualify (so frequent words weigh no more than rare ones).
    keep : callable
        Which words count; letters only by default.
    """
    rng = random.Random(seed)
    found: dict[str, list[Place]] = defaultdict(list)
    seen: dict[str, int] = defaultdict(int)
    for s, sentence in enumerate(sentences):
        first: dict[str, int] = {}
        for at, word in enumerate(sentence):
            if keep(word):
                first.setdefault(word, at)
        for word, at in first.items():
            seen[word] += 1
            if len(found[word]) < contexts:
                found[word].append((s, at))
            elif (slot := rng.randrange(seen[word])) < contexts:
                found[word][slot] = (s, at)
    enough = [word for word, places in found.items() if len(places) == contexts]
    chosen = enough if words is None or len(enough) <= words else rng.sample(enough, words)
    return {word: found[word] for word in chosen}


def collect(
    subject: Subject,
    sentences: Sequence[Sequence[str]],
    places: Sequence[Place],
    *,
    settings: Settings | None = None,
) -> np.ndarray:
    """The vectors at given places, (places, layers, H) float32; only sentences with a place are encoded.

    Raises
    ------
    ValueError
        If there is no place.
    """
    if not places:
        raise ValueError("no place to take a vector from")
    wanted: dict[int, list[Place]] = defaultdict(list)
    for row, (s, at) in enumerate(places):
        wanted[s].append((row, at))
    order = list(wanted)
    out: np.ndarray | None = None
    texts = (sentences[s] for s in order)
    for i, states in hidden_states(subject, texts, settings=settings):
        if out is None:
            out = np.empty((len(places), len(states), states.shape[-1]), np.float32)
        for row, at in wanted[order[i]]:
            out[row] = states[:, at]
    assert out is not None  # there are places
    return out


def mean_cosine(vectors: np.ndarray) -> np.ndarray:
    """Mean cosine of all pairs of different items: anisotropy of random words, self-similarity of one word's contexts.

    Parameters
    ----------
    vectors : array (n, ..., H)

    Returns
    -------
    array (...)
        0 for directions without a preferred one, 1 where all agree.
    """
    n = len(vectors)
    if n < 2:
        raise ValueError(f"a mean over pairs needs two vectors, not {n}")
    u = unit(vectors)
    total = u.sum(0)
    return ((total**2).sum(-1) - (u**2).sum((0, -1))) / (n * (n - 1))


def mean_cosine_draws(vectors: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """`mean_cosine` of resampled items; `counts` (draws, n) says how often each is drawn. Returns (draws, ...).

    Pairs of an item with itself never count, however often it is drawn.
    """
    u = unit(vectors).astype(np.float64)
    counts = np.asarray(counts, float)
    flat = u.reshape(len(u), -1, u.shape[-1])
    own = (flat**2).sum(-1)  # (n, layers): 1, or 0 for a null vector
    pairs = counts.sum(1) ** 2 - (counts**2).sum(1)  # (draws,)
    out = np.empty((len(counts), flat.shape[1]))
    for k in range(flat.shape[1]):  # a layer at a time keeps the products small
        out[:, k] = (((counts @ flat[:, k]) ** 2).sum(-1) - (counts**2) @ own[:, k]) / pairs
    return out.reshape(len(counts), *u.shape[1:-1])


def explained_variance(vectors: np.ndarray) -> np.ndarray:
    """Largest share of the squared length of n vectors that one direction can hold, (n, ..., H) -> (...).

    The first squared singular value over the sum of all, of the vectors as they are (not centred): 1 where all lie on
    one line, 1/n where they are orthogonal and of equal length.
    """
    stacked = np.moveaxis(np.asarray(vectors, np.float64), 0, -2)  # (..., n, H)
    if stacked.shape[-2] < stacked.shape[-1]:
        gram = stacked @ np.swapaxes(stacked, -1, -2)
    else:
        gram = np.swapaxes(stacked, -1, -2) @ stacked
    values = np.linalg.eigvalsh(gram)
    return values[..., -1] / np.maximum(values.sum(-1), _TINY)


def intra_sentence(
    subject: Subject, sentences: Iterable[Sequence[str]], settings: Settings | None = None
) -> Iterator[tuple[int, np.ndarray]]:
    """Mean cosine of a sentence's words with their mean vector, by layer: yields (i, array (layers,))."""
    for i, states in hidden_states(subject, sentences, settings=settings):
        middle = unit(states.mean(1, keepdims=True))  # (layers, 1, H)
        yield i, (unit(states) * middle).sum(-1).mean(-1)


def all_but_the_top(vectors: np.ndarray) -> np.ndarray:
    """Vectors (m, H) less their mean and their first H / 100 principal components, one at least (mu2018)."""
    centred = np.asarray(vectors, np.float64) - np.mean(vectors, 0, np.float64)
    top = np.linalg.svd(centred, full_matrices=False)[2][: max(1, centred.shape[-1] // 100)]  # (n, H)
    return centred - centred @ top.T @ top


def plane(vectors: np.ndarray) -> np.ndarray:
    """The first two principal coordinates of (n, H) vectors, (n, 2); the sign is fixed by the largest coordinate."""
    centred = np.asarray(vectors, np.float64) - np.mean(vectors, 0)
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    out = left[:, :2] * values[:2]
    largest = out[np.abs(out).argmax(0), range(out.shape[1])]
    return out * np.where(largest < 0, -1, 1)
