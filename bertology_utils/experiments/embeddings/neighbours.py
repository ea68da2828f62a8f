"""Which words stand beside it? What a word's vector tells of its neighbours (klafka2020)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ... import probes
from ...calibration import planted as plants
from ...calibration.nulls import VECTORS, as_null
from ...claims.registry import claim
from ...data.items import Sentence
from ...probes import Targets, from_sentences
from ...scores import intervals
from ...scores.choice import choose
from ...settings import Settings
from ...subject.models import Subject
from ..syntax.fitted import Rows, layer_rows, tuned
from ..syntax.probing import few, stranger

SIDES = {"before": -1, "after": 1}
MOST = 2500  # words per split
KINDS = ("upos", "xpos")


def beside(data, base, rng):
    """The parts of speech of the two words beside each word, in the layers above the embeddings, with noise."""

    def labels(item):
        last = len(item.upos or item.xpos) - 1 if isinstance(item, Sentence) else -1
        return [(w, (s, _tag(item, w + k))) for w in range(1, last) for s, k in SIDES.items()]

    above = plants.above_embeddings(base.n_layers)
    return plants.plant(base, data, rng, parts=[plants.word_vectors(), plants.label_vectors(labels, layers=above)])


@as_null("the word and its tags")
def tagged(data, base, rng):
    """Every word and its own parts of speech, coarse and fine: they narrow down what may stand beside it."""
    above = plants.above_embeddings(base.n_layers)
    tags = [plants.label_vectors(plants.of_words(kind), layers=above, noise=0.05) for kind in KINDS]
    return plants.plant(base, data, rng, parts=[plants.word_vectors(noise=0), *tags])


def _tag(item: Sentence, word: int) -> str:
    return (item.upos or item.xpos)[word]


def asked(subject: Subject, items: Sequence[Sentence], settings: Settings) -> tuple[dict[str, Targets], str]:
    """The same words, those with a word on each side, labelled by the part of speech of either neighbour; and a note."""
    inner = from_sentences(items, lambda i: [("", w) for w in range(1, len(i.upos or i.xpos) - 1)])
    words, note = probes.fitting(subject, inner)
    words = words.draw(MOST, settings.seed)
    at = list(zip(words.sentence, words.spans[:, 0, 0]))
    return {s: words.relabel([_tag(items[n], w + k) for n, w in at]) for s, k in SIDES.items()}, note


def itself(static: np.ndarray, items: Sequence[Sentence], words: Targets) -> np.ndarray:
    """What is known without the neighbours, (3, N, F): the word, its own gold tags, and both; what is left out is nought.

    Parameters
    ----------
    static : float array (N, H)
        The words' vectors below all layers, which know their places too where the network adds these.
    """
    at = list(zip(words.sentence, words.spans[:, 0, 0]))
    every = [[getattr(items[n], kind)[w] for n, w in at] for kind in KINDS if getattr(items[0], kind)]
    tags = np.concatenate([np.equal.outer(own, np.unique(own)) for own in map(np.array, every)], 1).astype(static.dtype)
    both = np.concatenate([static, tags], 1)
    word = np.arange(both.shape[1]) < static.shape[1]
    return np.stack([both * word, both * ~word, both])


@claim("emb.context.klafka2020", "treebank", n=1800, limit=280, nulls=(*VECTORS, tagged), planted=beside)
def context(subject, data, settings):
    """Linear probes for the parts of speech of the words before and after a word, from its own vector (klafka2020).

    The layer above the embeddings, the penalties and which rival is the better one are chosen on dev. Two rivals get the
    same probe: what the word tells without its context (its static vector, its own gold tags, or both), and every layer of
    an untrained network, which mixes neighbours too.
    """
    items = few([i for i in data["treebank"] if i.upos or i.xpos], 2)
    tasks, note = asked(subject, items, settings)
    words = tasks["after"]
    x, y = (probes.gather(s, words, settings=settings) for s in (subject, stranger(subject, settings)))
    alone = itself(x[0], items, words)
    frames = []
    for side, targets in tasks.items():
        ours, theirs, own = (tuned(v, targets, settings) for v in (x, y, alone))
        rivals = {"gain over untrained": (theirs, y), "gain over the word itself": (own, alone)}
        more = Rows(ours.groups, settings, subject.name, neighbour=side)
        more.add("accuracy of the word itself", own.right[choose(own.dev)])
        rows = layer_rows(ours, x, targets, settings, subject.name, rivals=rivals, neighbour=side)
        frames.append(intervals.table([*rows, *more.rows], [note]))
    return intervals.combine(*frames)
