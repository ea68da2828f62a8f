"""Does aligning words of parallel sentences improve retrieval and transfer? (cao2019)

The encoder is tuned so that the vectors of aligned words come together, while those of English stay where they were.
What is aligned is not tested: retrieval is of other sentences, and no test sentence of the tagger is among them. Words are
aligned as the source says, or else by the likeliest translations of a word-translation model that is trained on the very
pairs (IBM model 1, both directions agreeing; brown1993).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any
from zlib import crc32

import numpy as np
import torch
from torch import nn

from ...claims.registry import claim
from ...data.items import Sentence, Translation
from ...errors import TooFew
from ...finetune import Recipe, states
from ...finetune.loop import train
from ...finetune.tagging import first_pieces
from ...scores import intervals
from ...scores.choice import choose
from ...settings import Settings
from ...subject import encode
from ...subject.models import Subject
from ...vectors.geometry import cosines
from .languages import language
from .parallel import means
from .transfer import drawn, measure, sentences

SEEDS = 3
PAIRS, SOUGHT = 320, {"dev": 40, "test": 100}  # sentence pairs to align, in all; to retrieve, per language
ITERATIONS = 5
RECIPE = Recipe(epochs=3, batch=16)
BESIDE = {"multilingual_treebank": ("ud_pud_multilingual",), "treebank": ("ud_english_ewt",)}

Links = list[tuple[int, int]]  # (English word, other word)


@dataclass(frozen=True)
class Pair:
    """An English sentence, its translation, and which words are aligned."""

    english: Sentence
    other: Sentence
    code: str
    split: str
    links: Links


def pairs_of(items: Sequence[Translation], codes: set[str]) -> list[Pair]:
    """Every English sentence with its translation into each of some languages, split (6:1:3) by the English words."""
    out = []
    for item in items:
        english = next(c for c in item.sentences if language(c).code == "en")
        k = crc32(" ".join(item.sentences[english].words).encode()) % 10
        split = "train" if k < 6 else "dev" if k == 6 else "test"
        for code, sentence in item.sentences.items():
            if code != english and code in codes:
                links = [(i, j) for _, i, to, j in item.alignment if to == code]
                out.append(Pair(item.sentences[english], sentence, code, split, links))
    return out


def shuffled(pairs: Sequence[Pair], settings: Settings) -> list[Pair]:
    """In an order that the seed alone decides."""
    return sorted(pairs, key=lambda p: crc32(f"{settings.seed} {p.english.id} {p.code}".encode()))


def likely(pairs: Sequence[Sequence[Sequence[str]]]) -> list[np.ndarray]:
    """IBM model 1: for each pair (source words, target words), P(target | source) of all their words, (S, T).

    Examples
    --------
    >>> table = likely([(("the", "cat"), ("le", "chat")), (("the", "dog"), ("le", "chien"))])[0]
    >>> table.argmax(1).tolist()
    [0, 1]
    """
    chance: dict = defaultdict(lambda: 1.0)
    for _ in range(ITERATIONS):
        counted: dict = defaultdict(float)
        total: dict = defaultdict(float)
        for source, target in pairs:
            for t in target:
                norm = sum(chance[s, t] for s in source)
                for s in source:
                    share = chance[s, t] / norm
                    counted[s, t] += share
                    total[s] += share
        chance = defaultdict(float, {(s, t): c / total[s] for (s, t), c in counted.items()})
    return [np.array([[chance[s, t] for t in target] for s in source]) for source, target in pairs]


def linked(pairs: Sequence[Pair]) -> list[Links]:
    """The alignments, made where the source has none: words that are each the other's likeliest translation."""
    if any(p.links for p in pairs):
        return [p.links for p in pairs]
    out: list[Links] = [[] for _ in pairs]
    for code in sorted({p.code for p in pairs}):
        at = [k for k, p in enumerate(pairs) if p.code == code]
        words = [tuple(tuple(w.lower() for w in s.words) for s in (pairs[k].english, pairs[k].other)) for k in at]
        there, back = likely(words), likely([w[::-1] for w in words])
        for k, a, b in zip(at, there, back):
            out[k] = [(i, int(j)) for i, j in enumerate(a.argmax(1)) if b[j].argmax() == i and a[i, j] > 0.1]
    return out


def aligned(subject: Subject, pairs: Sequence[Pair], seed: int) -> Subject:
    """A copy of the subject, tuned to bring aligned words together; English is held where it was."""
    links = linked(pairs)
    kept = [k for k, found in enumerate(links) if found]
    rows = {
        side: encode.tokenize(subject, [getattr(pairs[k], side).words for k in kept]) for side in ("english", "other")
    }
    places = {side: [first_pieces(row) for row in rows[side]] for side in rows}

    def step(copied: Subject, batch: encode.Batch, *_) -> torch.Tensor:
        (partner,) = encode.batches(copied, [rows["english"][i] for i in batch.index], budget=10**9)
        order = [batch.index[i] for i in partner.index]  # the pair of each English row
        moved, english = states(copied, batch), states(copied, partner)
        with torch.no_grad():
            before = states(subject, partner)
        value = (english - before)[torch.as_tensor(partner.mask).bool()].square().sum(-1).mean()
        for e, k in enumerate(order):
            i, j = (list(side) for side in zip(*links[kept[k]]))
            a = english[e, [places["english"][k][w] for w in i]]
            b = moved[batch.index.index(k), [places["other"][k][w] for w in j]]
            value = value + (a - b).square().sum(-1).mean() / len(order)
        value.backward()
        return value.detach()

    recipe = replace(RECIPE, seed=seed)
    tuned, _ = train(subject, rows["other"], nn.Identity(), lambda hidden, batch: hidden.sum(), recipe, step=step)
    return tuned


def first_found(subject: Subject, pairs: Sequence[Pair], settings: Settings) -> np.ndarray:
    """Share of English sentences whose translation is the nearest, (languages,), at the layer that dev pairs choose."""
    scores: dict[str, list] = defaultdict(list)
    for code in sorted({p.code for p in pairs}):
        for split in ("dev", "test"):
            here = [p for p in pairs if (p.code, p.split) == (code, split)]
            english, other = (means(subject, [getattr(p, s) for p in here], settings) for s in ("english", "other"))
            found = [cosines(a, b).argmax(1) == np.arange(len(here)) for a, b in zip(english, other)]
            scores[split].append(np.mean(found, 1))
    dev, test = (np.array(scores[split]) for split in ("dev", "test"))  # (languages, L + 1)
    return test[:, choose(dev.mean(0))]


def sought(pairs: Sequence[Pair]) -> list[Pair]:
    """The first so many dev and test pairs of each language, no English sentence twice."""
    seen: dict = defaultdict(set)
    out = []
    for p in pairs:
        place = seen[p.code, p.split]
        if len(place) < SOUGHT.get(p.split, 0) and p.english.words not in place:
            place.add(p.english.words)
            out.append(p)
    return out


@claim("mbt.alignment_tuning.cao2019", ("translations", "multilingual_treebank"), n=1500, quick=120, beside=BESIDE)
def alignment_tuning(subject, data, settings):
    """Retrieval of translations and zero-shot parts of speech, with and without aligning words first (cao2019).

    Both as the layer chosen on dev gives them. Three seeds; intervals draw seeds and languages, crossed.
    """
    tagged = sentences(data)
    codes = {s.condition for s in tagged if language(s.condition).code != "en"}
    pairs = shuffled(pairs_of(data["translations"], codes), settings)
    for side in ("english", "other"):
        pairs, _ = encode.fitting(subject, pairs, attrgetter(f"{side}.words"))
    most = min(PAIRS, settings.n // 2 if settings.n else PAIRS)  # a quick try's few sentences would still make as many
    taught, asked = [p for p in pairs if p.split == "train"][:most], sought(pairs)
    if not taught or {p.split for p in asked} != {"dev", "test"}:
        raise TooFew(f"{len(taught)} sentence pairs to align and {len(asked)} to retrieve")
    spoken = {s.words for p in taught for s in (p.english, p.other)}
    items = drawn([s for s in tagged if s.words not in spoken], settings)
    tuned = [aligned(subject, taught, seed) for seed in range(SEEDS)]
    found = [first_found(s, asked, settings) for s in (subject, *tuned)]
    english = next(s.condition for s in items if language(s.condition).code == "en")
    done = [measure(s, items, settings, only=(english,)) for s in (subject, *tuned)]
    return rows_of(found, done, english, (taught, asked), settings)


def rows_of(found: list[np.ndarray], done: list, english: str, parts, settings: Settings):
    """Rows from the plain subject's scores (first) and those of the aligned ones."""
    options: dict[str, Any] = {"seed": settings.seed, "draws": settings.draws}
    plain = done[0]
    others = [k for k, code in enumerate(plain.languages) if code != english]
    accuracy = [np.array([d.right[0, d.language == k].mean() for k in others]) for d in done]
    home = plain.language == plain.languages.index(english)
    over = plain.right[0, home].astype(float) - plain.guesses["majority"][0, home]
    mean = intervals.mean_interval(over, groups=plain.sentence[home], signed=True, **options)
    rows = [intervals.row("accuracy over majority", mean, int(home.sum()), pair="same language", language=english)]
    n = sum(p.split == "test" for p in parts[1])
    for name, scores, count in (("P@1", found, n), ("zero-shot accuracy", accuracy, int((~home).sum()))):
        gain = intervals.seeds_by_items(np.array(scores[1:]) - scores[0], **options, signed=True)
        rows.append(intervals.row(f"{name}, aligned - plain", gain, count))
        rows.append(intervals.row(f"{name}, plain", intervals.mean_interval(scores[0], **options), count))
        rows.append(intervals.row(f"{name}, aligned", intervals.seeds_by_items(np.array(scores[1:]), **options), count))
    notes = [
        f"{len(parts[0])} pairs aligned, {SEEDS} seeds; {n} pairs in {len(found[0])} languages to retrieve",
        plain.note,
    ]
    return intervals.table(rows, notes)
