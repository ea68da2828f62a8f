"""Sentences that say the same in several languages, and a vector for each of them in every layer.

Generated sentences and parallel treebanks have all languages at once; of Tatoeba every language comes with its own
English sentences. Both are sets here: K languages, N sentences. A third of the sentences is for choosing layers and
estimating the languages' means; a sentence is in the same part in all languages.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from ...data.items import Sentence, Translation
from ...errors import TooFew
from ...settings import Settings
from ...subject.encode import fits, hidden_states, tokenize
from ...subject.models import Subject
from .languages import language

# The languages of the corpora that `mini-multi` is trained on, all of them among multilingual BERT's: no other is asked.
READ = tuple("ar cs de el en es fi fr hi it ja ko nl pl pt ru sv vi zh".split())
ENGLISH = "en"


@dataclass(frozen=True, eq=False)
class Parallel:
    """N sentences in K languages.

    Attributes
    ----------
    languages : tuple of str
        Two-letter codes, in alphabetical order.
    sentences : tuple of K tuples of N `Sentence`
    dev : bool array (N,)
        The sentences that choose.
    vectors : float32 array (L + 1, K, N, H)
        Mean over the pieces of a sentence, special tokens left out; layer 0 is the embeddings.
    pieces : tuple of K tuples of N tuples of int
        Ids, special tokens left out.
    """

    languages: tuple[str, ...]
    sentences: tuple[tuple[Sentence, ...], ...]
    dev: np.ndarray
    vectors: np.ndarray
    pieces: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def n(self) -> int:
        return len(self.dev)

    @property
    def part(self) -> np.ndarray:
        """Of those that choose every other one is for training: train, dev or test, (N,)."""
        place = np.cumsum(self.dev) * self.dev
        return np.where(~self.dev, "test", np.where(place % 2 == 1, "train", "dev"))

    def centred(self) -> np.ndarray:
        """The vectors less the mean of their language, which is taken from the sentences that choose."""
        return self.vectors - self.vectors[:, :, self.dev].mean(2, keepdims=True)


def is_dev(id: str) -> bool:
    """Whether a sentence is among the third that chooses.

    Examples
    --------
    >>> sum(is_dev(f"sentence-{i}") for i in range(300))
    108
    """
    return crc32(id.encode()) % 3 == 0


def groups(items: Sequence[Translation], most: int, seed: int = 0) -> dict[tuple[str, ...], list[Mapping]]:
    """Translations by the languages they have, of those in `READ`: at most `most` a set, drawn by their ids.

    Of several sets, two languages each, a third as many are enough: together they are more.

    Returns
    -------
    dict
        Languages -> list of {code: Sentence}; sets with one language alone are left out.
    """
    found: dict[tuple[str, ...], list] = defaultdict(list)
    for item in items:
        spoken = {code: s for name, s in item.sentences.items() if (code := code_of(name)) in READ}
        if len(spoken) > 1:
            found[tuple(sorted(spoken))].append((item.id, spoken))
    most = most if len(found) <= 2 else max(most // 3, 1)
    ranked = {
        codes: sorted(group, key=lambda g: crc32(f"{seed} {g[0]}".encode()))[:most] for codes, group in found.items()
    }
    return {codes: [spoken for _, spoken in ranked[codes]] for codes in sorted(ranked)}


def gather(subject: Subject, items: Sequence[Translation], settings: Settings, most: int) -> list[Parallel]:
    """The sets of parallel sentences with their vectors.

    Raises
    ------
    TooFew
        If no set has sentences that choose and sentences that are scored.
    """
    out = []
    for codes, group in groups(items, most, settings.seed).items():
        whole = np.array([fits(subject, [said[code].words for code in codes]).all() for said in group])
        kept = [said for said, ok in zip(group, whole) if ok]
        dev = np.array([is_dev(said[codes[0]].id) for said in kept], bool)
        if not len(kept) or dev.all() or dev.sum() < 2:
            continue
        sentences = tuple(tuple(said[code] for said in kept) for code in codes)
        out.append(Parallel(codes, sentences, dev, *_vectors(subject, sentences, settings)))
    if not out:
        raise TooFew("no set of parallel sentences in two languages that the models have read")
    return out


def _vectors(subject: Subject, sentences: Sequence[Sequence[Sentence]], settings: Settings) -> tuple[np.ndarray, tuple]:
    """Means (L + 1, K, N, H) and pieces of sentences (K, N)."""
    n, flat = len(sentences[0]), [s for group in sentences for s in group]
    out = means(subject, flat, settings)
    pieces = tuple(row.ids[1:-1] for row in tokenize(subject, [s.words for s in flat]))
    by_language = tuple(pieces[k * n : (k + 1) * n] for k in range(len(sentences)))
    return out.reshape(len(out), len(sentences), n, -1), by_language


def means(subject: Subject, items: Sequence[Sentence], settings: Settings) -> np.ndarray:
    """The mean over pieces of every layer's vectors, (L + 1, n, H)."""
    out = np.empty((subject.n_layers + 1, len(items), subject.hidden_size), np.float32)
    for i, states in hidden_states(subject, [s.words for s in items], pool=None, settings=settings):
        out[:, i] = states[:, 1:-1].mean(1)
    return out


def code_of(name: str) -> str | None:
    """The two-letter code of a language's code; None if it is not in the table."""
    try:
        return language(name).code
    except KeyError:
        return None


def pairs(p: Parallel) -> Iterator[tuple[int, int]]:
    """Places of all ordered pairs of two languages of a set."""
    yield from ((a, b) for a in range(len(p.languages)) for b in range(len(p.languages)) if a != b)
