"""What lies near what: words, sentences and senses by the cosines of their vectors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..data.items import Association, Data, Labelled, NumberItem, ScoredPair, WordInContext
from ..data.text import marked
from ..data.text import words as cut
from ..errors import TooFew
from ..experiments.embeddings.segments import pair_vectors
from ..experiments.embeddings.sentences import english
from ..experiments.semantics import numbers as read
from ..probes import regression
from ..settings import Settings
from ..subject import encode
from ..subject.models import Subject
from ..vectors import associations, geometry, neighbours, pooling, similarity
from .text import by_layer, depths, extremes, figures, of_type, two, verdict

FEW = 5  # contexts of a word
NEAREST = 5
AMONG = 100  # words that neighbours are looked for among


def _texts(subject: Subject, data: Data, task: str = "sentences") -> list[tuple[str, ...]]:
    """The different sentences of a task that the model takes, in lower case."""
    texts = list(dict.fromkeys(tuple(w.lower() for w in item.words) for item in data[task]))
    return encode.fitting(subject, texts, tuple)[0]


def _means(subject: Subject, texts: list[list[str]], settings: Settings) -> np.ndarray:
    """The mean of each text's pieces in the last layer, special tokens left out, (N, H)."""
    vectors = np.empty((len(texts), subject.hidden_size), np.float32)
    for i, states in encode.hidden_states(subject, texts, pool=None, layers=[subject.n_layers], settings=settings):
        vectors[i] = states[0, 1:-1].mean(0)
    return vectors


def static(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Similarity of two words, each alone and as the mean of its vectors in a few sentences."""
    pairs = [i for i in data["word_similarity"] if i.a.lower() != i.b.lower()]
    texts, asked = _texts(subject, data), {w.lower() for i in pairs for w in (i.a, i.b)}
    places = geometry.sample(texts, contexts=FEW, seed=settings.seed, keep=asked.__contains__)
    kept = [i for i in pairs if i.a.lower() in places and i.b.lower() in places]
    shown, last = extremes(kept), subject.n_layers
    words = list(dict.fromkeys([w.lower() for i in shown for w in (i.a, i.b)] + list(places)[:AMONG]))
    places = {word: places[word] for word in words}
    pooled = pooling.static_vectors(subject, texts, places, (FEW,), settings).means[0][:, last]
    alone = pooling.isolated(subject, words, settings)[:, last]
    for item in shown:
        a, b = words.index(item.a.lower()), words.index(item.b.lower())
        yield item.describe()
        values: list[Any] = [similarity.cosines(v[a], v[b]) for v in (alone, pooled)]
        yield figures(zip(("cosine of the words alone", f"of the means over {FEW} sentences"), values))
        near = np.argsort(-geometry.cosines(pooled[[a]], pooled)[0], kind="stable")
        yield f"  nearest to {words[a]}: {', '.join([words[k] for k in near if k != a][:NEAREST])}"


def bleached(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """An association test: how much nearer is each word to A than to B?"""
    (item,) = two(of_type(data, Association), n=1)
    sets = (item.x, item.y, item.a, item.b)
    flat = [text.split() for part in sets for text in part]
    x, y, a, b = np.split(_means(subject, flat, settings), np.cumsum([len(part) for part in sets])[:-1])
    yield item.describe()
    leans = [associations.association(part, a, b) for part in (x, y)]
    for part, lean in zip(sets, leans):
        yield figures(zip(part[:4], lean), 3)
    yield figures([("effect size (1: the two sets are a standard deviation apart)", associations.effect_size(*leans))])


def cone(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Two words of two sentences that have nothing to do with one another."""
    texts = _texts(subject, data)
    chosen = geometry.sample(texts, words=60, seed=settings.seed)
    places = [found[0] for found in chosen.values()]
    vectors = geometry.collect(subject, texts, places, settings=settings)
    layers = depths(subject.n_layers)
    for s, w in places[:2]:
        yield marked(texts[s], (w, w + 1))
    yield "cosine of these two words"
    yield by_layer(layers, similarity.cosines(vectors[0], vectors[1])[layers])
    yield f"mean cosine of {len(places)} such words"
    yield by_layer(layers, geometry.mean_cosine(vectors)[layers])


def in_context(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """The same word in two sentences."""
    texts = _texts(subject, data)
    chosen = geometry.sample(texts, contexts=2, seed=settings.seed)
    if not chosen:
        raise TooFew(f"{len(texts)} sentences have no word twice")
    word = max(chosen, key=len)  # a word of many letters is no function word
    (s, w), (t, v) = chosen[word]
    others = [places[0] for places in chosen.values()][:40]
    vectors = geometry.collect(subject, texts, [(s, w), (t, v), *others], settings=settings)
    layers = depths(subject.n_layers)
    yield marked(texts[s], (w, w + 1))
    yield marked(texts[t], (v, v + 1))
    yield f"cosine of {word} in the one and in the other"
    yield by_layer(layers, similarity.cosines(vectors[0], vectors[1])[layers])
    yield "mean cosine of any two words"
    yield by_layer(layers, geometry.mean_cosine(vectors[2:])[layers])


def identity(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A word as it is and masked: which word of other sentences lies nearest?"""
    texts = _texts(subject, data, "treebank")
    seen, layers = texts[2:], depths(subject.n_layers)
    known = [(word, vector) for i, states in encode.hidden_states(subject, seen, layers=layers, settings=settings)
             for word, vector in zip(seen[i], np.moveaxis(states, 1, 0))]  # fmt: skip
    words, vectors = [word for word, _ in known], np.stack([vector for _, vector in known], 1)
    for text in texts[:2]:
        again = [w for w, word in enumerate(text) if word.isalpha() and word in words]
        if not again:
            continue
        at = max(again, key=lambda w: len(text[w]))
        gap = [encode.Gapped("[MASK]") if w == at else word for w, word in enumerate(text)]
        found = dict(encode.hidden_states(subject, [text, gap], layers=layers, settings=settings))
        yield marked(text, (at, at + 1))
        for k, name in enumerate(("as it is", "masked")):
            near = [words[int(geometry.cosines(own[[at]], v)[0].argmax())] for own, v in zip(found[k], vectors)]
            yield f"  {name}, nearest word of other sentences: " + ", ".join(
                f"layer {layer}: {word}" for layer, word in zip(layers, near)
            )


def sentences(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """The cosine of two sentences by several vectors for a sentence."""
    pairs = english(of_type(data, ScoredPair, "sts"))
    names = (pooling.CLS, "mean, layer 0", *(f"mean, layer {k}" for k in depths(subject.n_layers)[1:]))
    for item in extremes(pairs):
        vectors = dict(pooling.sentence_vectors(subject, [item.a.split(), item.b.split()], settings))
        yield item.describe()
        yield figures((name, similarity.cosines(vectors[0][name], vectors[1][name])) for name in names)


def postprocessed(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Cosines of pairs before and after the mean and the leading directions are taken off."""
    pairs = english(of_type(data, ScoredPair))
    texts = list(dict.fromkeys(t for i in pairs for t in (i.a, i.b)))
    vectors = _means(subject, [t.split() for t in texts], settings)
    after = geometry.all_but_the_top(vectors)
    for item in extremes(pairs):
        a, b = texts.index(item.a), texts.index(item.b)
        yield item.describe()
        yield figures([("cosine before", similarity.cosines(vectors[a], vectors[b])),
                       ("after", similarity.cosines(after[a], after[b]))])  # fmt: skip


def segments(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A word in a sentence that comes first, and in the same sentence where it comes second."""
    for item in two(of_type(data, Labelled)):
        first, second = cut(item.text), cut(item.text_b)
        word = max((w for w in first if w.isalpha()), key=len).lower()
        yield f"{item.text} | {item.text_b}   word: {word}"
        for name, ids in (("with segment ids", True), ("without them", False)):
            made = list(pair_vectors(subject, [(first, second), (second, first)], ids, settings))
            here = [vectors[:, places[k][word]] for k, (places, vectors) in enumerate(_in_order(made, first))]
            layers = depths(subject.n_layers)
            yield f"  cosine of its vectors, first and second, {name}"
            yield "  " + by_layer(layers, (here[0] * here[1]).sum(-1)[layers])


def _in_order(made: list, first: tuple[str, ...]) -> list:
    """Of both orders of a pair the one that begins with the first sentence before the other."""
    starts = {w.lower(): k for k, w in reversed(list(enumerate(first)))}
    return sorted(made, key=lambda found: found[0][0] != starts)


def senses(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """The sense of a word by its nearest neighbours in sentences whose senses are known; else two contexts compared."""
    if not data.items.get("senses"):
        yield from contexts(subject, data, settings)
        return
    words: dict[str, list[WordInContext]] = defaultdict(list)
    for item in data["senses"]:
        words[item.lemma].append(item)
    for items in [group for group in words.values() if {"train", "test"} <= {i.split for i in group}][:2]:
        known, (asked, *_) = ([i for i in items if i.split == split] for split in ("train", "test"))
        every, last = [asked, *known], subject.n_layers
        vectors = np.empty((len(every), subject.hidden_size), np.float32)
        for i, states in encode.hidden_states(subject, [i.words for i in every], layers=[last], settings=settings):
            vectors[i] = states[0, every[i].target]
        near = geometry.cosines(vectors[:1], vectors[1:])[0]
        (said,) = neighbours.nearest(vectors[1:], [i.sense for i in known], vectors[:1], NEAREST)
        yield asked.describe()
        yield f"  nearest of {len(known)}: {known[int(near.argmax())].describe()}" + figures([("cosine", near.max())])
        yield f"  sense by the {NEAREST} nearest: {said}: {verdict(said == asked.sense)}"


def contexts(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """One word in two contexts, the cosine of its vectors, and whether the sense is the same."""
    layers = depths(subject.n_layers)
    for item in two(of_type(data, Labelled, "sense_pairs")):
        both = [(item.meta[f"words_{k}"], item.meta[f"target_{k}"]) for k in "ab"]
        states = dict(encode.hidden_states(subject, [w for w, _ in both], layers=layers, settings=settings))
        yield "\n".join(marked(w, (at, at + 1)) for w, at in both) + f"   same sense: {item.label}"
        yield by_layer(layers, similarity.cosines(*(states[k][:, at] for k, (_, at) in enumerate(both))))


def numbers(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """The value of a number, within the range of training and beyond it, by a regression on its vector."""
    items = [i for i in of_type(data, NumberItem, "number_decoding") if i.condition == "integers"]
    y, split = np.array([i.target for i in items]), np.array([i.split for i in items])
    found = regression.read_number(read.vectors(subject, items, settings), y, split)
    span = y[split == "train"]
    yield f"learnt from {len(span)} numbers, {span.min():g} to {span.max():g}"
    tested = [k for k, i in enumerate(items) if i.split == "test"]
    for within in (read.WITHIN, read.BEYOND):
        for k in [k for k in tested if items[k].meta["range"] == within][:2]:
            yield f"  {items[k].describe()}   read off: {found.predicted[k]:.1f}   ({within})"
