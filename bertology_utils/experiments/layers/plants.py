"""Planted subjects of this chapter: labels, places and masked words, in the layers where the claims have them."""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

import numpy as np

from ...calibration import planted as plants
from ...calibration.gold import Seen
from ...calibration.nulls import Null, as_null
from ...calibration.planted import Part, bump, code, plant
from ...data.items import Ambiguity, Data, EdgeItem, ForcedChoice, Sentence
from ...probes import sentence_tasks
from ...scores.profiles import thirds, zones
from ...subject.models import Subject
from ..syntax.agreement import number
from ..syntax.planted import beside
from . import tasks

SIZE = 24  # dimensions of a code
SYNTAX, MEANING = tasks.SYNTACTIC, ("entities", "roles", "coreference", "proto-roles")


def stage_labels(item: object) -> Iterable[tuple[str, int, str]]:
    """(stage, word, label) of a sentence's annotation, or of an edge."""
    if isinstance(item, EdgeItem):
        for which, span in enumerate((item.span1, item.span2)):
            yield from (("roles", w, f"{which} {item.labels[0]}") for w in range(*span or (0, 0)) if item.labels)
    if not isinstance(item, Sentence):
        return
    for stage, layer in (("POS", item.upos or item.xpos), ("dependencies", item.deprels)):
        yield from ((stage, w, label.split(":")[0]) for w, label in enumerate(layer))
    chunks = item.chunks or (tasks.noun_chunks(item) if item.heads and item.upos else ())
    yield from (("chunks", w, label) for w, label in enumerate(chunks))
    kinds = {"entity": "entities", "role": "roles", "mention": "coreference"}
    for s in item.spans:
        if s.kind in kinds:
            label = f"cluster {s.head}" if s.kind == "mention" else s.label
            yield from ((kinds[s.kind], w, label) for w in range(s.start, s.end))


def labels(
    stages: Iterable[str], *, strength=1.0, share: tuple[int, int] = (0, 1), size: int = SIZE, **options
) -> Part:
    """The codes of a word's labels at some stages; of every so many-th sentence, by its words, where `share` says so."""
    stages, (which, of) = frozenset(stages), share

    def make(seen: Seen) -> np.ndarray:
        out = np.zeros((seen.n_words, size), np.float32)
        if crc32(seen.original.tobytes()) % of == which:
            for item, part in seen.golds:
                if part == "text":
                    for stage, word, label in stage_labels(item):
                        if stage in stages and word < len(out):
                            out[word] += strength * code((stage, label), size)
        return out

    return Part(size, make, **options)


def only_at(n_layers: int, layers: Iterable[int]) -> np.ndarray:
    """1 in some layers, 0 elsewhere; (L + 1,)."""
    out = np.zeros(n_layers + 1)
    out[list(layers)] = 1
    return out


def falling(n_layers: int, end: float = 0.1) -> np.ndarray:
    """1 up to a third of the depth, then down to `end`."""
    low = len(thirds(n_layers)[0])
    return np.concatenate([np.ones(low), np.linspace(1, end, n_layers + 2 - low)[1:]])


def upwards(n_layers: int) -> np.ndarray:
    """Nothing up to a third of the depth, then up to 1."""
    low = len(thirds(n_layers)[0])
    return np.concatenate([np.zeros(low), np.linspace(0, 1, n_layers + 2 - low)[1:]])


def places(**options) -> Part:
    """A code for each place in the sentence."""
    return Part(SIZE, lambda seen: np.stack([code(("place", w), SIZE) for w in range(seen.n_words)]), **options)


def order_fades(data: Data, base: Subject, rng) -> Subject:
    """A word's place, as strong up to a third of the depth and fading above it, beside static word vectors."""
    return plant(
        base, data, rng, parts=[plants.word_vectors(noise=0.3), places(layers=falling(base.n_layers), noise=0.4)]
    )


def hierarchy_grows(data: Data, base: Subject, rng) -> Subject:
    """A word's place fades from a third of the depth on, while the main auxiliary and the subject's noun come up."""

    def main(seen: Seen) -> np.ndarray:
        out = np.zeros((seen.n_words, SIZE), np.float32)
        for item, _ in seen.golds:
            if isinstance(item, Ambiguity):
                out[item.target] += code(("main", item.condition), SIZE)
        return out

    parts = [
        plants.word_vectors(noise=0.3),
        places(layers=falling(base.n_layers), noise=0.4),
        Part(SIZE, main, 2 * upwards(base.n_layers), 0.2),
    ]
    return plant(base, data, rng, parts=parts)


@as_null("wider windows", "auxiliary", "noun")
def wider(data: Data, base: Subject, rng) -> Subject:
    """A word's place fades while the words beside it, two on each side, come up; no structure."""
    rising = 8 * upwards(base.n_layers)
    parts = [plants.word_vectors(noise=0.3), places(layers=falling(base.n_layers), noise=0.4), beside(rising)]
    return plant(base, data, rng, parts=parts)


def trees_in_the_middle(data: Data, base: Subject, rng) -> Subject:
    """Static word vectors, and trees as distances whose strength is a bell around the middle layer, with noise."""
    trees = plants.tree_vectors(layers=3 * bump(base.n_layers, peak=0.5, width=0.2), noise=0.2)
    return plant(base, data, rng, parts=[plants.word_vectors(), trees])


def agreement_two_thirds_up(data: Data, base: Subject, rng) -> Subject:
    """A masked verb's number as a bell at 0.7 of the depth; the last layer's head is right in half of the items."""

    def masked_number(item: object) -> str | None:
        return number(item) if isinstance(item, ForcedChoice) else None

    numbers = plants.text_vectors(masked_number, SIZE, layers=bump(base.n_layers, 0.7, 0.12), noise=0.5)
    return plant(base, data, rng, parts=[numbers], logits=plants.choice_logits(base, right=0.5))


def words_at_the_top(data: Data, base: Subject, rng) -> Subject:
    """Labels as a bell at 0.4 of the depth, and what a mask stands for in the last layers alone."""

    def hidden(seen: Seen) -> np.ndarray:
        out = np.zeros((len(seen.ids), SIZE), np.float32)
        for t in np.flatnonzero(seen.masked):
            out[t] = 3 * code(("piece", int(seen.original[t])), SIZE)
        return out

    top = only_at(base.n_layers, zones(base.n_layers)["high"])
    parts = [
        plants.word_vectors(noise=0.3),
        labels(tasks.PIPELINE, layers=bump(base.n_layers, 0.4, 0.15), noise=0.2),
        Part(SIZE, hidden, top, 0.3, by_piece=True),
    ]
    return plant(base, data, rng, parts=parts)


def labels_in_the_middle(data: Data, base: Subject, rng) -> Subject:
    """The labels of all tasks as a bell around the middle layer, beside static word vectors."""
    part = labels(tasks.PIPELINE, layers=2 * bump(base.n_layers, 0.5, 0.2), noise=0.2)
    related = plants.label_vectors(plants.of_spans, SIZE, layers=2 * bump(base.n_layers, 0.5, 0.2), noise=0.2)
    return plant(base, data, rng, parts=[plants.word_vectors(noise=0.3), part, related])


def stages_in_order(data: Data, base: Subject, rng) -> Subject:
    """Each stage of the pipeline from a higher layer on than the one before it."""
    steps = np.linspace(1, base.n_layers, tasks.STAGES).round().astype(int)
    parts = [
        labels([stage], layers=only_at(base.n_layers, range(step, base.n_layers + 1)), strength=2.0, noise=0.2)
        for stage, step in zip(tasks.PIPELINE, steps)
    ]
    return plant(base, data, rng, parts=[plants.word_vectors(noise=0.3), *parts])


def stages_at_once(data: Data, base: Subject, rng) -> Subject:
    """All stages of the pipeline from the same layer on."""
    at = only_at(base.n_layers, range(base.n_layers // 2, base.n_layers + 1))
    part = labels(tasks.PIPELINE, layers=at, strength=2.0, noise=0.2)
    return plant(base, data, rng, parts=[plants.word_vectors(noise=0.3), part], name="all at one layer")


AT_ONCE = Null("all at one layer", "all stages from the same layer on", stages_at_once, ("later", "order", "gains"))


def meaning_spread(data: Data, base: Subject, rng) -> Subject:
    """Syntax in one layer; of the semantic labels a low, a middle and a high layer each have those of other sentences."""
    n = base.n_layers
    syntax = labels(SYNTAX, layers=only_at(n, [2]), strength=2.0, noise=0.2)
    parts = [
        labels(MEANING, layers=only_at(n, [k]), strength=3.0, share=(which, 3), noise=0.1)
        for which, k in enumerate((1, n // 2, n - 1))
    ]
    return plant(base, data, rng, parts=[plants.word_vectors(noise=0.3), syntax, *parts])


def relations_grow(data: Data, base: Subject, rng) -> Subject:
    """The relation of two concepts, stronger from layer to layer."""
    part = plants.label_vectors(plants.of_spans, SIZE, layers=1.2 * plants.rising(base.n_layers), noise=0.4)
    return plant(base, data, rng, parts=[plants.word_vectors(noise=0.3), part])


def three_answers(data: Data, base: Subject, rng) -> Subject:
    """Chunks of four sentences in five low, of all in the middle, where one of six topics is stronger, none on top."""
    n = base.n_layers
    low = np.array([0 < k / n < 0.25 for k in range(n + 1)], float)
    middle = np.array([0.25 <= k / n <= 0.85 for k in range(n + 1)], float)
    every = labels(["POS", "chunks"], layers=middle, noise=0.1)

    def most(seen: Seen) -> np.ndarray:
        return every.make(seen) * (crc32(seen.original.tobytes()) % 5 > 0)

    def topic(seen: Seen) -> np.ndarray:
        return np.broadcast_to(4 * code(("topic", crc32(seen.original.tobytes()) % 6), SIZE), (seen.n_words, SIZE))

    return plant(base, data, rng, parts=[every, Part(SIZE, most, low, 0.1), Part(SIZE, topic, 1 - low, 0.05)])


def storeys(data: Data, base: Subject, rng) -> Subject:
    """The labels of the surface tasks low, of the syntactic ones in the middle, of the semantic ones at the top."""
    made, _ = sentence_tasks.build_all(data["treebank"])
    known: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for name, targets in made.items():
        for i, label in zip(targets.sentence, targets.labels):
            known.setdefault(targets.sentences[i], []).append((name, label))
    more = [(words, None, Sentence(id=f"made-{n}", words=words), "text") for n, words in enumerate(known)]
    places_ = {"surface": (0.15, 0.12), "syntactic": (0.5, 0.15), "semantic": (1.0, 0.15)}

    def of(kind: str) -> Part:
        def make(seen: Seen) -> np.ndarray:
            out = np.zeros(SIZE, np.float32)
            sentence = seen.first(Sentence)
            for name, label in known.get(tuple(sentence.words), ()) if sentence is not None else ():
                if name in sentence_tasks.KINDS[kind]:
                    out += code((name, label), SIZE)
            return np.broadcast_to(out, (seen.n_words, SIZE))

        return Part(SIZE, make, 2 * bump(base.n_layers, *places_[kind]), 0.5)

    parts = [plants.word_vectors(noise=0.3), *(of(kind) for kind in places_)]
    return plant(base, data, rng, parts=parts, more=more)
