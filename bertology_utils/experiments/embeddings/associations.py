"""Sentences that say nothing but one word: associations between words, and word similarity (may2019)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...calibration.nulls import VECTORS
from ...claims.registry import NotRunnable, claim
from ...data.items import Association
from ...data.text import words as cut
from ...scores import intervals
from ...subject import encode
from ...vectors import associations as tests
from ...vectors import pooling
from .pairs import of_each_set
from .planted import clear_in_bleached_sentences
from .static import ALONE, Similarities

# the two tests whose outcome nobody doubts, by the names the sources give them
KNOWN = ("weat1", "flowers_insects", "weat2", "instruments_weapons")
TEMPLATES = ("this is {} .", "that is {} .", "there is {} .", "here is {} .")
PAIRS = 600  # of each set of word pairs
BLEACHED = "bleached sentences"


@claim(
    "emb.bleached.may2019",
    ("association", "word_similarity"),
    n=1000,
    nulls=(*VECTORS, "coin"),
    planted=clear_in_bleached_sentences,
)
def bleached(subject, data, settings):
    """Association tests and word similarity by bleached sentences (may2019).

    Associations: effect sizes and permutation p-values of every test by the last layer's [CLS] vector, as in the study,
    and by the mean of the pieces; words are resampled and permuted, each with all its sentences. Similarity: a word's
    vector is the mean over bleached sentences, at the contextual layer that is best on one half of the pairs, against
    the word alone.
    """
    frames = []
    if data.items.get("association"):
        frames.append(intervals.table(*_associations(subject, data["association"], settings)))
    if data.items.get("word_similarity"):
        frames.append(_similarity(subject, data["word_similarity"], settings))
    return intervals.combine(*frames)


def _associations(subject, items, settings) -> tuple[list[dict], list[str]]:
    every = list(dict.fromkeys(text for test in items for part in _sets(test) for text in part))
    fit = encode.fits(subject, [text.split() for text in every])
    notes = [] if fit.all() else [f"sentences left out, longer than {subject.name} takes: {(~fit).sum()}"]
    texts = [text for text, ok in zip(every, fit) if ok]  # each once: tests share most of theirs
    place = {text: k for k, text in enumerate(texts)}
    # a test is told by sets as they were composed: one that lost more than half of a set says nothing
    kept = [t for t in items if all(2 * sum(text in place for text in part) >= len(part) for part in _sets(t))]
    if len(kept) < len(items):
        notes.append(f"tests left out, more than half of a set too long: {len(items) - len(kept)}")
    if not any(known(test) for test in kept):
        raise NotRunnable(f"none of {len(kept)} association tests is one of {', '.join(KNOWN)}")
    vectors, rows = _vectors(subject, texts, settings), intervals.Rows(settings)
    for test in kept:
        own = [[text for text in part if text in place] for part in _sets(test)]
        groups = [_content(own[0], own[1]), _content(own[1], own[0])]
        sets = [vectors[[place[text] for text in part]] for part in own]
        for v, vector in enumerate(("[CLS]", "mean of pieces")):
            x, y = (tests.association(part[:, v], sets[2][:, v], sets[3][:, v]) for part in sets[:2])
            drawn = tests.effect_size_draws(x, y, *groups, draws=settings.draws, seed=settings.seed)
            keys = {
                "test": test.condition,
                "input": BLEACHED if test.meta["bleached"] else "words",
                "vector": vector,
                "known": "yes" if known(test) else "no",
            }
            n, units = len(x) + len(y), sum(len(set(g)) for g in groups)
            size = intervals.interval(tests.effect_size(x, y), drawn, clusters=units)
            p = tests.permutation_p(*(_by_word(s, g) for s, g in zip((x, y), groups)), seed=settings.seed)
            rows.add("effect size", size, n, **keys)
            rows.add("permutation p", p, n, **keys)
    return rows, notes


def _sets(test: Association) -> tuple[tuple[str, ...], ...]:
    """The two sets of targets and the two of attributes."""
    return test.x, test.y, test.a, test.b


def known(test: Association) -> bool:
    """Whether nobody doubts the test's outcome."""
    return test.condition.removeprefix("sent-") in KNOWN


def _by_word(values: np.ndarray, groups: list) -> np.ndarray:
    """The mean of each word's sentences: what is permuted, since a word's sentences are not independent."""
    place = {g: k for k, g in enumerate(dict.fromkeys(groups))}
    codes = [place[g] for g in groups]
    return np.bincount(codes, values) / np.bincount(codes)


def _vectors(subject, texts, settings) -> np.ndarray:
    """[CLS] and mean of the pieces at the last layer: (n, 2, H)."""
    out = np.empty((len(texts), 2, subject.hidden_size), np.float32)
    last = [subject.n_layers]
    for i, states in encode.hidden_states(
        subject, (t.split() for t in texts), pool=None, layers=last, settings=settings
    ):
        out[i] = states[0, 0], states[0, 1:-1].mean(0)
    return out


def _content(texts: Iterable[str], others: Iterable[str]) -> list[tuple[str, ...]]:
    """What each sentence says beside its template: the words that no sentence of the other set has, plural or not."""
    common = {word.lower() for text in others for word in cut(text)}
    return [tuple(w.lower().rstrip("s") for w in cut(text) if w.lower() not in common) for text in texts]


def _similarity(subject, items, settings):
    """Word similarity by the word in bleached sentences, and by the word alone."""
    kept, notes = of_each_set([i for i in items if i.a.lower() != i.b.lower()], PAIRS, settings.seed)
    words = list(dict.fromkeys(w.lower() for i in kept for w in (i.a, i.b)))
    texts = [t.format(w).split() for w in words for t in TEMPLATES]
    at = TEMPLATES[0].split().index("{}")
    vectors = np.zeros((len(words), subject.n_layers + 1, subject.hidden_size), np.float32)
    for i, states in encode.hidden_states(subject, texts, settings=settings):
        vectors[i // len(TEMPLATES)] += states[:, at] / len(TEMPLATES)
    columns = {ALONE: pooling.isolated(subject, words, settings), BLEACHED: vectors}
    found = Similarities(kept, words, columns, settings)
    rows = [*found.curves(ALONE, BLEACHED), *found.gains("bleached less baseline", BLEACHED)]
    return intervals.table(rows, [*notes, f"word similarity: {found.note}"])
