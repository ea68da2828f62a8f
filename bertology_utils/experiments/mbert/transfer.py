"""A task learnt in one language and done in the others: parts of speech, by a linear probe on frozen vectors (pires2019).

For each language a probe is fitted on every layer's vectors of its own words; the layer is chosen on its own dev words,
and the probe then meets the test words of all languages. Beside it stand three guesses without vectors: the commonest
tag of the language tested, the tag that the same spelling has in the language of training, the tag that is commonest
there at the same place of the sentence. A pair of languages is measured against the best of them.

Of parallel treebanks, a sentence lies in the same split in all languages: no translation of a training sentence is
tested. Punctuation and symbols are left out, which look alike everywhere.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np

from ...data.items import Data, Sentence
from ...errors import TooFew
from ...probes.linear import Probe, fit_each
from ...probes.targets import Targets, fitting, from_sentences, gather
from ...scores.choice import choose, commonest
from ...settings import Settings
from ...subject.models import Subject

ALIKE = ("PUNCT", "SYM", "X", "_")
WORDS = {"train": 1000, "dev": 200, "test": 800}  # words of a language, in whole sentences
L2 = 1e-2
NEW = 20  # words not met in training, from which on they choose the layer
KEPT = 4  # measurements that are held: word order is about the same ones
GUESSES = ("majority", "spelling", "from the start", "from the end")
ENGLISH = {"treebank": ("ud_english_ewt",)}  # beside the parallel treebanks, which lack it

_DONE: OrderedDict[tuple, Transfer] = OrderedDict()


@dataclass(frozen=True, eq=False)
class Transfer:
    """Who is right about which test word.

    Attributes
    ----------
    languages : tuple of str
        Those that are tested.
    taught : tuple of str
        The S languages in which a probe is taught.
    language : int array (N,)
        The place in `languages` of each test word's own.
    sentence : int array (N,)
    right : bool array (S, N)
        Of the probe taught in each language, at its own best layer.
    below, centred : bool arrays (S, N)
        The same of the embeddings, and with each language's vectors moved to have the training language's mean.
    layer : tuple of int
        The layer chosen in each language.
    guesses : dict of bool arrays (S, N)
        By name (`GUESSES`).
    note : str
    """

    languages: tuple[str, ...]
    taught: tuple[str, ...]
    language: np.ndarray
    sentence: np.ndarray
    right: np.ndarray
    below: np.ndarray
    centred: np.ndarray
    layer: tuple[int, ...]
    guesses: dict[str, np.ndarray]
    note: str

    def best(self, taught: int, tested: np.ndarray) -> np.ndarray:
        """The guess that is right most often on these test words, with the language of training given."""
        every = [g[taught, tested] for g in self.guesses.values()]
        return every[choose([g.mean() for g in every])]


def splits(item: Sentence) -> str:
    """The split of a sentence: its own; of a parallel one, train, dev or test (6:1:3) by what it says."""
    if "parallel" not in item.meta:
        return item.split
    k = crc32(item.meta["parallel"].encode()) % 10
    return "train" if k < 6 else "dev" if k == 6 else "test"


def sentences(data: Data) -> list[Sentence]:
    """All analysed sentences, `condition` being the language; English comes from the task `treebank` where it is apart."""
    english = [replace(item, condition="en") for item in data.items.get("treebank", ())]
    return [*data["multilingual_treebank"], *english]


def drawn(items: Sequence[Sentence], settings: Settings, words: dict[str, int] | None = None) -> list[Sentence]:
    """Whole sentences of each language and split up to so many words; parallel sentences are drawn alike."""
    limits = words or WORDS
    ranked = sorted(items, key=lambda s: crc32(f"{settings.seed} {s.meta.get('parallel', s.id)}".encode()))
    so_far: Counter = Counter()
    out = []
    for item in ranked:
        key = item.condition, splits(item)
        if so_far[key] < limits.get(key[1], 0):
            so_far[key] += len(item.words)
            out.append(replace(item, split=key[1]))
    return sorted(out, key=lambda s: s.id)


def tagged(items: Sequence[Sentence]) -> Targets:
    """A target for each word that has a tag of some use."""
    return from_sentences(items, lambda s: [(tag, w) for w, tag in enumerate(s.upos) if tag not in ALIKE])


def measure(subject: Subject, items: Sequence[Sentence], settings: Settings, only: Sequence[str] = ()) -> Transfer:
    """Probes taught in each language (or in `only` these), tested in all; the last few measurements are kept.

    Raises
    ------
    TooFew
        If some language has no words to train on, to choose on or to test.
    """
    told = tuple((s.id, s.condition, s.split, s.words) for s in items)
    key = subject.sha256, subject.name, hash(told), settings.noise, tuple(only)
    if key not in _DONE:
        _DONE[key] = _measured(subject, items, settings, only)
    _DONE.move_to_end(key)
    while len(_DONE) > KEPT:
        _DONE.popitem(last=False)
    return _DONE[key]


def _measured(subject: Subject, items: Sequence[Sentence], settings: Settings, only: Sequence[str]) -> Transfer:
    targets, said = fitting(subject, tagged(items))
    codes = tuple(sorted({s.condition for s in items}))
    language = np.array([codes.index(s.condition) for s in items])[targets.sentence]
    x = gather(subject, targets, settings=settings)  # (L + 1, N, F)
    train, _, test = targets.splits()
    if untaught := [code for k, code in enumerate(codes) if not (train & (language == k)).any()]:
        raise TooFew(f"no word to train on in {', '.join(untaught)}")
    means = np.stack([x[:, train & (language == k)].mean(1) for k in range(len(codes))], 1)  # (L + 1, K, F)
    gold, rows = targets.labels[test], defaultdict(list)
    for k in [codes.index(c) for c in only] or range(len(codes)):
        probes, layer = teach(x, targets, language == k, settings)
        moved = x[layer, test] + (means[layer, k] - means[layer, language[test]])
        for name, probe, vectors in (
            ("right", probes[layer], x[layer, test]),
            ("below", probes[0], x[0, test]),
            ("centred", probes[layer], moved),
        ):
            rows[name].append(probe.predict(vectors) == gold)
        rows["layer"].append(layer)
        for name, guess in guessed(targets, items, language, k).items():
            rows[name].append(guess)
    scores = {name: np.array(rows[name]) for name in ("right", "below", "centred")}
    note = f"{train.sum()} words to train on in {len(codes)} languages, {test.sum()} to test, no punctuation or symbols"
    return Transfer(
        codes, tuple(only) or codes, language[test], targets.sentence[test], **scores, layer=tuple(rows["layer"]),
        guesses={name: np.array(rows[name]) for name in GUESSES}, note="; ".join(n for n in (note, said) if n),
    )  # fmt: skip


def teach(x: np.ndarray, targets: Targets, mine: np.ndarray, settings: Settings) -> tuple[list[Probe], int]:
    """A probe per layer, fitted on the train words of one language, and the layer above the embeddings that its dev words
    choose, by the mean log-probability of their tags: of words that were not met in training, if there are any to speak of.

    Words that were met are told by the embeddings alone, and say nothing of what a layer will do in another language.
    """
    train, dev, _ = targets.splits()
    train, dev = train & mine, dev & mine
    probes = fit_each(x[:, train], targets.labels[train], l2=L2, device=settings.torch_device())
    known = list(probes[0].classes)
    dev = dev & np.isin(targets.labels, known)
    new = dev & ~np.isin(targets.types, targets.types[train])
    dev = new if new.sum() >= NEW else dev
    if not dev.any():
        raise TooFew("needs words to choose a layer by whose tags were met in training; there are none")
    gold = [known.index(tag) for tag in targets.labels[dev]]
    scores = [p.log_probs(v)[np.arange(len(gold)), gold].mean() for p, v in zip(probes, x[:, dev])]
    return probes, 1 + choose(scores[1:])


def guessed(targets: Targets, items: Sequence[Sentence], language: np.ndarray, taught_in: int) -> dict[str, np.ndarray]:
    """Which test words (N,) are guessed without any vectors, by what the words of one language teach.

    A word whose spelling (or place) was not met there is given the commonest tag of its own language. The majority is
    that of the test words, so that no constant answer beats it.
    """
    train, _, test = targets.splits()
    lengths = np.array([len(s.words) for s in items])[targets.sentence]
    place = targets.spans[:, 0, 0]
    keys = {"spelling": targets.types, "from the start": place, "from the end": lengths - place}
    most = np.array([commonest(targets.labels[train & (language == k)]) for k in range(language.max() + 1)])[language]
    out = {"majority": (usual(targets.labels, language, train, test) == targets.labels)[test]}
    source = train & (language == taught_in)
    for name, key in keys.items():
        seen: dict = defaultdict(list)
        for k, tag in zip(key[source], targets.labels[source]):
            seen[k].append(tag)
        known = {k: commonest(tags) for k, tags in seen.items()}
        found = np.array([known.get(k, m) for k, m in zip(key[test], most[test])])
        out[name] = found == targets.labels[test]
    return out


def usual(labels: np.ndarray, language: np.ndarray, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """For each word (N,) the tag that is right most often in the test words of its language; of equals, in training too.

    Examples
    --------
    >>> labels, train = np.array(["NOUN", "VERB", "VERB"]), np.array([True, False, False])
    >>> usual(labels, np.zeros(3, int), train, ~train).tolist()
    ['VERB', 'VERB', 'VERB']
    """
    there = [language == k for k in range(language.max() + 1)]
    return np.array([commonest(*(labels[part & k].tolist() for part in (test, train))) for k in there])[language]
