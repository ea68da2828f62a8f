"""Sentences and words of one language, and what lies nearest in another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ..data.items import Cloze, Data, Sentence
from ..data.text import marked
from ..errors import TooFew
from ..experiments.mbert import agreement as choosing
from ..experiments.mbert import alignment, alignment_tuning, auxiliaries, generation, parallel, transfer, tuning
from ..experiments.mbert import identity as spoken
from ..experiments.mbert.languages import language
from ..finetune.tagging import tag
from ..settings import Settings
from ..subject import encode
from ..subject.models import Subject
from ..vectors.geometry import cosines
from .gaps import odds
from .text import depths, figures, verdict

AMONG = 40  # sentences that a translation is looked for among
HANDFUL = 24  # sentences to learn from


def readable(codes: Iterable[str]) -> list[str]:
    """Languages of Latin script before others, by their codes.

    >>> readable({"ara", "deu", "fin"})
    ['deu', 'fin', 'ara']
    """
    return sorted(codes, key=lambda code: (language(code).script != "Latin", code))


def agreement(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Two forms of a verb in two languages."""
    items = choosing.comparable(subject, data["multilingual_agreement"])
    codes = readable({i.condition for i in items})[:2]
    shown = [next(i for i in items if i.condition == code) for code in codes]
    for item, margin in zip(shown, choosing.margins(subject, shown, settings)):
        yield f"{language(item.condition).name}: {item.describe()}"
        yield f"  log P({item.good}) - log P({item.bad}) = {margin:.2f} nats: {verdict(margin > 0)}"


def gaps(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A gap in an English sentence and one for an auxiliary: what stands in it?"""
    english = generation.english_gaps([subject], data["translations"], 1)
    other: list[Cloze] = generation.auxiliary_gaps(data)
    for item in (*english, *other[:1], *[i for i in other if i.condition != other[0].condition][:1]):
        words = auxiliaries.AUXILIARIES.get(item.condition, ())[:3]
        yield f"{language(item.condition).name}: {item.describe()}"
        yield from odds(subject, item.text, list(dict.fromkeys([*item.answers[:1], *words])), settings)


def _one_set(subject: Subject, data: Data, settings: Settings) -> tuple[parallel.Parallel, int, np.ndarray]:
    """Parallel sentences that have English among them, the place of English, and vectors of the middle layer (K, N, H)."""
    few = [i for i in data["translations"] if any(parallel.code_of(c) == parallel.ENGLISH for c in i.sentences)]
    sets = parallel.gather(subject, few, settings, AMONG)
    found = next((p for p in sets if parallel.ENGLISH in p.languages), None)
    if found is None:
        raise TooFew("no set of parallel sentences has English among its languages")
    layer = depths(subject.n_layers)[1]
    return found, found.languages.index(parallel.ENGLISH), found.vectors[layer]


def retrieval(subject: Subject, data: Data, settings: Settings, *, offset: bool = False) -> Iterator[str]:
    """The nearest sentence of another language to an English one, as it is and less the mean of its language.

    Vectors are means over pieces at the middle layer; with `offset` the English one is moved by the mean difference.
    """
    p, home, vectors = _one_set(subject, data, settings)
    means = vectors[:, p.dev].mean(1, keepdims=True)
    yield f"nearest of {p.n} sentences, layer {depths(subject.n_layers)[1]}"
    others = [p.languages.index(code) for code in readable(p.languages) if code != parallel.ENGLISH]
    for k, other in enumerate(others[:2]):
        at = int(np.flatnonzero(~p.dev)[k])
        ways = {"": (vectors[home], vectors[other])}
        if offset:
            ways[", moved by the mean offset"] = vectors[home] + means[other] - means[home], vectors[other]
        else:
            ways[", less the mean of each language"] = vectors[home] - means[home], vectors[other] - means[other]
        yield f"English: {marked(p.sentences[home][at].words)}"
        for name, (own, theirs) in ways.items():
            near = cosines(own[[at]], theirs)[0]
            best = int(near.argmax())
            yield f"  nearest in {language(p.languages[other]).name}{name}: {marked(p.sentences[other][best].words)}"
            yield f"    cosine {near[best]:.3f}, of the translation {near[at]:.3f}: {verdict(best == at)}"


def identity(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """The language of a sentence by the nearest of one sentence of each."""
    p, _, vectors = _one_set(subject, data, settings)
    flat = vectors.reshape(-1, vectors.shape[-1])
    codes = np.repeat(p.languages, p.n)
    known = np.tile(np.arange(p.n) == np.flatnonzero(p.dev)[0], len(p.languages))
    told = spoken.nearest(flat, known, codes).reshape(len(p.languages), p.n)
    yield f"the nearest of {len(p.languages)} sentences, one of each language; layer {depths(subject.n_layers)[1]}"
    for k in (p.languages.index(code) for code in readable(p.languages)[:2]):
        at = int(np.flatnonzero(~p.dev)[0])
        right = told[k, at] == p.languages[k]
        yield marked(p.sentences[k][at].words)
        yield f"  said: {language(told[k, at]).name}, is: {language(p.languages[k]).name}: {verdict(right)}"
    yield figures([("share right of all other sentences", (told == np.array(p.languages)[:, None])[:, ~p.dev].mean())])


def words(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Which words of two sentences are each other's nearest?"""
    pairs, _ = alignment.paired(subject, data["translations"][:10])
    layer = depths(subject.n_layers)[1]
    firsts = {p.language: p for p in reversed(pairs)}
    for p in (firsts[code] for code in readable(firsts)[:2]):
        texts = [p.english.words, p.other.words]
        states = dict(encode.hidden_states(subject, texts, layers=[layer], settings=settings))
        links = alignment.mutual(cosines(states[0][0], states[1][0]))
        yield f"English: {' '.join(texts[0])}"
        yield f"{language(p.language).name}: {' '.join(texts[1])}"
        yield f"  nearest to each other, layer {layer}: " + _links_in_words(texts, links)
        yield "  gold: " + _links_in_words(texts, p.gold)
        yield figures([("F1", alignment.f1(alignment.counts(p, links)[0]))])


def _links_in_words(texts: Sequence[Sequence[str]], links: alignment.Links) -> str:
    return ", ".join(f"{texts[0][i]} = {texts[1][j]}" for i, j in sorted(links))


def frozen_bottom(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Tags of a sentence of another language by taggers tuned on English ones, with the lowest blocks frozen or not."""
    items = transfer.drawn(transfer.sentences(data), settings)
    items, _ = encode.fitting(subject, items)
    train = [s for s in items if s.split == "train" and tuning.is_english(s)][:HANDFUL]
    asked = [s for s in items if s.split == "test" and not tuning.is_english(s)]
    if not (train and asked):
        raise TooFew("needs English sentences to learn from and others to ask")
    shown = next(s for s in asked if s.condition == readable({a.condition for a in asked})[0])
    yield f"taggers tuned on {len(train)} English sentences, too few to learn the task"
    yield f"{language(shown.condition).name}: {marked(shown.words)}   tags: {' '.join(shown.upos)}"
    for blocks in tuning.depths(subject)[::2]:
        how = tuning.recipe(subject, blocks, 0)
        tagger = tag(subject, [s.words for s in train], [s.upos for s in train], how)
        (found,) = tagger.tag([shown.words], settings)
        name = f"with {blocks} blocks frozen" if blocks else "with nothing frozen"
        yield f"  {name}: {' '.join(found)}"
        yield figures([("share right", np.mean([a == b for a, b in zip(found, shown.upos)]))])


def aligned(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Is a sentence's translation nearer once a few aligned words have been brought together?"""
    codes = {s.condition for s in transfer.sentences(data) if language(s.condition).code != "en"}
    pairs = alignment_tuning.shuffled(alignment_tuning.pairs_of(data["translations"], codes), settings)
    fit = [encode.fits(subject, [s.words for s in side]) for side in zip(*((p.english, p.other) for p in pairs))]
    pairs = [p for p, a, b in zip(pairs, *fit) if a and b]
    taught = [p for p in pairs if p.split == "train"][:HANDFUL]
    test = [p for p in pairs if p.split == "test"]
    code = readable({p.code for p in test})[:1]
    asked = [p for p in test if p.code in code][:AMONG]
    if not (taught and asked):
        raise TooFew(f"{len(taught)} sentence pairs to align and {len(asked)} to ask")
    tuned = alignment_tuning.aligned(subject, taught, 0)
    yield f"words aligned in {len(taught)} pairs of sentences; nearest of {len(asked)}, last layer"
    said = [_nearest(s, asked, settings) for s in (subject, tuned)]
    for k, pair in enumerate(asked[:2]):
        yield f"English: {marked(pair.english.words)}"
        for name, near in zip(("before", "after"), said):
            best = int(near[k].argmax())
            yield f"  {name}: {marked(asked[best].other.words)}, cosine {near[k, best]:.3f}: {verdict(best == k)}"


def _nearest(subject: Subject, pairs: Sequence[alignment_tuning.Pair], settings: Settings) -> np.ndarray:
    """Cosines of each English sentence with each of the others, last layer, (n, n)."""
    sides: list[list[Sentence]] = [[p.english for p in pairs], [p.other for p in pairs]]
    return cosines(*(alignment_tuning.means(subject, side, settings)[-1] for side in sides))
