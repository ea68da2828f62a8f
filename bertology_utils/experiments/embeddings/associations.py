"""Associations between words, measured on sentences that say nothing else (may2019)."""

from __future__ import annotations

import numpy as np

from ...claims.registry import NotRunnable, claim
from ...data.items import Association
from ...data.text import words as cut
from ...scores import intervals
from ...subject import encode
from ...vectors import associations as tests

# the two tests whose outcome nobody doubts, by the names the sources give them
KNOWN = ("weat1", "flowers_insects", "weat2", "instruments_weapons")
ASKED = {"known": "yes", "input": "bleached sentences", "vector": "[CLS]"}


@claim(
    "emb.bleached.may2019",
    tasks="association",
    n=100,
)
def bleached(subject, data, settings):
    """Effect sizes and permutation p-values of every association test (may2019).

    By the last layer's [CLS] vector, as in the study, and by the mean of the pieces. The rule asks for two tests with
    bleached sentences and [CLS]. A word's sentences are resampled together.
    """
    if not any(known(test) for test in data["association"]):
        raise NotRunnable(f"none of {len(data['association'])} association tests is one of {', '.join(KNOWN)}")
    parts = [(test.x, test.y, test.a, test.b) for test in data["association"]]
    texts = list(dict.fromkeys(text for sets in parts for part in sets for text in part))  # tests share most of theirs
    place, vectors, rows = {t: k for k, t in enumerate(texts)}, _vectors(subject, texts, settings), []
    for test, own in zip(data["association"], parts):
        groups = [_content(test.x, test.y), _content(test.y, test.x)]
        sets = [vectors[[place[text] for text in part]] for part in own]
        for v, vector in enumerate(("[CLS]", "mean of pieces")):
            x, y = (tests.association(part[:, v], sets[2][:, v], sets[3][:, v]) for part in sets[:2])
            drawn = tests.effect_size_draws(x, y, *groups, draws=settings.draws, seed=settings.seed)
            keys = {
                "test": test.condition,
                "input": "bleached sentences" if test.meta["bleached"] else "words",
                "vector": vector,
                "known": "yes" if known(test) else "no",
            }
            n = len(x) + len(y)
            rows.append(intervals.row("effect size", intervals.interval(tests.effect_size(x, y), drawn), n, **keys))
            rows.append(intervals.row("permutation p", tests.permutation_p(x, y, seed=settings.seed), n, **keys))
    return intervals.table(rows)


def known(test: Association) -> bool:
    """Whether nobody doubts the test's outcome."""
    return test.condition.removeprefix("sent-") in KNOWN


def _vectors(subject, texts, settings) -> np.ndarray:
    """[CLS] and mean of the pieces at the last layer: (n, 2, H)."""
    out = np.empty((len(texts), 2, subject.hidden_size), np.float32)
    last = [subject.n_layers]
    for i, states in encode.hidden_states(
        subject, (t.split() for t in texts), pool=None, layers=last, settings=settings
    ):
        out[i] = states[0, 0], states[0, 1:-1].mean(0)
    return out


def _content(texts: tuple[str, ...], others: tuple[str, ...]) -> list[tuple[str, ...]]:
    """What each sentence says beside its template: the words that no sentence of the other set has, plural or not."""
    common = {word.lower() for text in others for word in cut(text)}
    return [tuple(w.lower().rstrip("s") for w in cut(text) if w.lower() not in common) for text in texts]
