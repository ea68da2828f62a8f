"""Does the mean offset between two languages translate? (pires2019)

Of generated sentences words are translated: a word's vector is its mean over sentences, other sentences in the one
language than in the other, so that no sentence is found in place of a word. Of the studies' own data sentences are, as
in the study. The offset is the mean over training items; the nearest is that of the least distance. Offsets of the
same length in random directions are the control.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from ...calibration.nulls import SENTENCES
from ...claims.registry import claim
from ...data.items import Translation
from ...errors import TooFew
from ...scores import intervals
from ...scores.choice import choose
from ...settings import Settings
from ...subject.encode import fits, hidden_states
from ...subject.models import Subject
from .languages import language
from .parallel import ENGLISH, gather
from .planted import moved_words

MOST = 300
CONTEXTS = 3  # sentences at least that a word must have in either half
RANDOM = 5  # offsets in random directions
WAYS = ("none", "offset", "random offset")


@dataclass(frozen=True, eq=False)
class Things:
    """N words or sentences in K languages.

    Attributes
    ----------
    languages : tuple of str
    vectors, others : float32 array (L + 1, K, N, H)
        What is translated, and what it is looked for among: of words, from other sentences.
    part : str array (N,)
        train (for the offset), dev (for the layer) or test.
    kind : str
    """

    languages: tuple[str, ...]
    vectors: np.ndarray
    others: np.ndarray
    part: np.ndarray
    kind: str


@claim("mbt.offset_translation.pires2019", "translations", n=160, nulls=(*SENTENCES, "coin"), planted=moved_words)
def offset_translation(subject, data, settings):
    """Precision at 1 of words (of original data: sentences) as they are, moved by the offset, and moved at random (pires2019).

    English to and from each other language. What an offset gains is the mean over the layers above the embeddings: in one that
    finds nearly all translations unmoved nothing is left to gain. The share found by each way is of the layer in which the offset
    serves best on dev items. All items of the language are looked among. Intervals draw items and languages, crossed.
    """
    things = _things(subject, data["translations"], settings)
    found = [[_pair(t, a, b, settings) for a, b in _with_english(t)] for t in things]  # each (3, L + 1, N)
    dev = np.mean([x[1][:, t.part == "dev"].mean(1) for t, of in zip(things, found) for x in of], 0)
    best = 1 + choose(dev[1:])
    rows = [
        _row("P@1 over layers, offset - none", things, found, lambda x: (x[1, 1:] - x[0, 1:]).mean(0), settings),
        _row(
            "P@1 over layers, offset - random offset", things, found, lambda x: (x[1, 1:] - x[2, 1:]).mean(0), settings
        ),
    ]
    for w, way in enumerate(WAYS):
        rows.append(_row("P@1 of translations", things, found, lambda x, w=w: x[w, best], settings, by=way))
        for layer in range(subject.n_layers + 1):
            value = lambda x, w=w, layer=layer: x[w, layer]  # noqa: E731
            rows.append(_row("P@1 by layer", things, found, value, settings, by=way, layer=layer))
    return intervals.table(rows, [_note(things, best)])


def _things(subject: Subject, items: Sequence[Translation], settings: Settings) -> list[Things]:
    """Words where the sentences say what their words mean, else sentences."""
    if "concepts" in next(iter(items[0].sentences.values())).meta:
        return [words(subject, items, settings)]
    sets = gather(subject, items, settings, MOST)
    return [Things(p.languages, p.vectors, p.vectors, p.part, "sentences") for p in sets]


def words(subject: Subject, items: Sequence[Translation], settings: Settings) -> Things:
    """The words of all languages by what they mean, each from two halves of the sentences.

    Raises
    ------
    TooFew
        If fewer than 20 of them are in three sentences of either half.
    """
    codes = sorted(items[0].sentences)
    flat = [(k, i % 2, item.sentences[code]) for i, item in enumerate(items) for k, code in enumerate(codes)]
    ok = fits(subject, [s.words for *_, s in flat])
    flat = [x for x, fine in zip(flat, ok) if fine]
    sums: dict[str, np.ndarray] = defaultdict(
        lambda: np.zeros((2, len(codes), subject.n_layers + 1, subject.hidden_size))
    )
    seen: dict[str, np.ndarray] = defaultdict(lambda: np.zeros((2, len(codes)), int))
    for i, states in hidden_states(subject, [s.words for *_, s in flat], settings=settings):
        k, half, sentence = flat[i]
        for w, concept in enumerate(sentence.meta["concepts"]):
            if concept:
                sums[concept][half, k] += states[:, w]
                seen[concept][half, k] += 1
    kept = sorted(c for c, n in seen.items() if n.min() >= CONTEXTS)
    if len(kept) < 20:
        raise TooFew(f"{len(kept)} words are in {CONTEXTS} sentences of either half in all languages; 20 are needed")
    mean = np.stack([sums[c] / seen[c][..., None, None] for c in kept], 2)  # (2, K, N, L + 1, H)
    one, two = np.moveaxis(mean, 3, 1).astype(np.float32)
    ranks = np.argsort(sorted(range(len(kept)), key=lambda i: crc32(kept[i].encode())))  # say nothing of the words
    part = np.array(("train", "dev", "test", "test"))[ranks % 4]
    return Things(tuple(language(c).code for c in codes), one, two, part, "words")


def _with_english(t: Things) -> list[tuple[int, int]]:
    english = t.languages.index(ENGLISH)
    return [pair for k in range(len(t.languages)) if k != english for pair in ((english, k), (k, english))]


def _pair(t: Things, a: int, b: int, settings: Settings) -> np.ndarray:
    """Whether each item's nearest in language b is its translation, by `WAYS`: (3, L + 1, N)."""
    rng = np.random.default_rng([settings.seed, a, b])
    out = np.zeros((len(WAYS), len(t.vectors), t.vectors.shape[2]))
    for layer, (x, y) in enumerate(zip(t.vectors[:, a], t.others[:, b])):
        offset = (t.others[layer, b] - t.vectors[layer, a])[t.part == "train"].mean(0)
        out[0, layer], out[1, layer] = nearest(x, y), nearest(x + offset, y)
        for _ in range(RANDOM):
            direction = rng.standard_normal(len(offset)).astype(np.float32)
            moved = x + direction * np.linalg.norm(offset) / np.linalg.norm(direction)
            out[2, layer] += nearest(moved, y) / RANDOM
    return out


def nearest(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Whether the nearest of `y` (N, H) to each of `x` (N, H) is that at its place: 1 or 0, (N,); ties share.

    Examples
    --------
    >>> import numpy as np
    >>> nearest(np.eye(2), np.eye(2) + 0.1).tolist()
    [1.0, 1.0]
    """
    d = (x**2).sum(1)[:, None] + (y**2).sum(1)[None] - 2 * x @ y.T
    d = np.round(d / max(float(np.median(d)), 1e-12), 5)  # nearly equal ones tie on every processor
    tied = d == d.min(1, keepdims=True)
    return tied.diagonal() / tied.sum(1)


def _row(measure: str, things: Sequence[Things], found: Sequence, value, settings: Settings, **keys) -> dict:
    """A mean over test items and pairs of languages, both drawn."""
    values, items, pairs = [], [], []
    for number, (t, of) in enumerate(zip(things, found)):
        test = np.flatnonzero(t.part == "test")
        for (a, b), x in zip(_with_english(t), of):
            values.append(value(x)[test])
            items += [(number, i) for i in test.tolist()]
            pairs += [t.languages[a] if t.languages[b] == ENGLISH else t.languages[b]] * len(test)
    groups = {"language": pairs} if len(things) > 1 else {"item": items, "language": pairs}
    signed = " - " in measure
    return intervals.mean_row(measure, np.concatenate(values), settings, groups=groups, signed=signed, **keys)


def _note(things: Sequence[Things], best: int) -> str:
    sizes = {t.vectors.shape[2] for t in things}
    codes = sorted({c for t in things for c in t.languages} - {ENGLISH})
    names = ", ".join(language(c).name for c in codes)
    return (
        f"English to and from {names}; {things[0].kind}, looked for among {min(sizes)} to {max(sizes)}; the offset is "
        f"from a training part, layer {best} from a dev part"
    )
