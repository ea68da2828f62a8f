"""Edge probes: which labels of words, spans and pairs of spans can be told from the vectors (tenney2019b)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from zlib import crc32

import numpy as np

from ...data.items import Data, ItemError
from ...probes import Targets, fitting, from_edges, from_sentences, gather_all
from ...probes.linear import Probe, fit, fit_each
from ...scores import f1
from ...scores.choice import choose
from ...scores.intervals import Interval
from ...scores.profiles import training_noise
from ...settings import Settings
from ..layers.fits import parts
from ..layers.tasks import some_of_each
from .numbers import depths

SEMANTIC = {"entities": "entities", "relations": "relations", "roles": "semantic_roles", "proto-roles": "proto_roles"}
SYNTACTIC = ("parts of speech", "dependencies")
# Probes, and targets that each learns from: of 500, fewer than its inputs, mpnet's gain for roles was .04, of these it is .10.
FITS, FITTED = 3, 2000
MOST = {"train": FITS * FITTED, "dev": 400, "test": 1000}  # targets
SENTENCES = {"train": 700, "dev": 150, "test": 400}  # of a treebank, at most
JOIN = "\t"  # of several labels of one target
L2 = 0.03
SATURATED = 0.9  # of dev targets that a lookup is right about


def available(data: Data) -> dict[str, Targets]:
    """Task -> targets, for the tasks that a source has train, dev and test targets of.

    Raises
    ------
    ItemError
        If there is none.
    """
    found = {}
    for name, task in SEMANTIC.items():
        if data.items.get(task):
            found[name] = from_edges(data[task], lambda item: JOIN.join(sorted(item.labels)))
    trees = [s for s in some_of_each(data.items.get("treebank", []), SENTENCES) if s.upos and s.heads]
    if trees:
        found["parts of speech"] = from_sentences(
            trees, lambda s: [(t, i) for i, t in enumerate(s.upos) if t not in "_"]
        )
        found["dependencies"] = from_sentences(
            trees, lambda s: [(r.split(":")[0], i, h) for i, (r, h) in enumerate(zip(s.deprels, s.heads)) if h >= 0]
        )
    found = {name: t for name, t in found.items() if set(t.split) == {"train", "dev", "test"}}
    if not found:
        raise ItemError(f"{data.name} has no task with train, dev and test targets: it offers {sorted(data.items)}")
    return found


def with_new_names(targets: Targets) -> tuple[Targets, str]:
    """The targets, dealt out anew by their last word where a lookup is right about nine of ten on dev, and what was done.

    There the same words return in every split, and nothing is left for vectors to add. Whether it is so depends on the data
    alone.
    """
    dev = targets.split == "dev"
    if (lookup(targets)[dev] == targets.labels[dev]).mean() <= SATURATED:
        return targets, ""
    place = np.array([crc32(t.split()[-1].encode()) % 10 for t in targets.types])
    split = np.where(place < 5, "train", np.where(place == 5, "dev", "test"))
    note = "a lookup of words knows the types: they are dealt so that training has none of the test words"
    return replace(targets, split=split), note


@dataclass(frozen=True, eq=False)
class Probed:
    """What the probes of one task say of its test targets; R fits, K layers, N targets, C labels.

    Attributes
    ----------
    gold : bool array (N, C)
    predicted : bool array (R, K, N, C)
    dev : float array (K,)
        Micro F1 on dev, mean of the fits.
    simple : dict of str to bool array (R, N, C)
        What needs no vectors, learnt from the same targets: the commonest labels, and those of the very words.
    simple_dev : dict of str to float
        Their F1 on dev, mean of the fits.
    layers : list of int
    groups : array (N,)
        The sentence of each test target.
    classes : str array (C,)
    probes : list (R) of lists (K) of Probe
    trained : int
        Train targets of the fit that has fewest.
    multi : bool
        Whether targets have several labels.
    """

    gold: np.ndarray
    predicted: np.ndarray
    dev: np.ndarray
    simple: dict[str, np.ndarray]
    simple_dev: dict[str, float]
    layers: list[int]
    groups: np.ndarray
    classes: np.ndarray
    probes: list[list[Probe]] = field(repr=False)
    trained: int = 0
    multi: bool = False

    @property
    def best(self) -> int:
        """Place of the layer above the embeddings that is best on dev."""
        return choose(self.dev[1:]) + 1

    def interval(self, predicted: np.ndarray, settings: Settings) -> Interval:
        """Micro F1 of answers (N, C) or (R, N, C) with what test targets and, of several fits, training add to it."""
        found = f1.interval(self.gold, predicted, seed=settings.seed, draws=settings.draws, groups=self.groups)
        if (
            predicted.ndim == 2 or len(predicted) < 2 or found.draws is None
        ):  # None: nothing right or wrong to draw from
            return found
        drawn = found.draws + training_noise(f1.micro(self.gold, predicted), len(found.draws), settings.seed)
        low, high = np.percentile(drawn, [2.5, 97.5])
        low, high = max(float(low), 0.0), min(float(high), 1.0)
        return Interval(found[0], min(found[0], low), max(found[0], high), draws=drawn, clusters=found.clusters)

    def baselines(self) -> dict[str, tuple[np.ndarray, float]]:
        """Answers and F1 on dev of the commonest label, of the words' own, and of the embeddings."""
        words = {name: (predicted, self.simple_dev[name]) for name, predicted in self.simple.items()}
        return words | {"layer 0": (self.predicted[:, 0], float(self.dev[0]))}


def probe(x: np.ndarray, targets: Targets, layers: list[int], settings: Settings) -> Probed:
    """Fit linear probes on every layer's vectors (K, N, F) of disjoint parts of the train targets."""
    classes = np.array(sorted({label for labels in targets.labels for label in labels.split(JOIN)}))
    gold = _matrix(targets.labels, classes)
    multi = bool((gold.sum(1) != 1).any())
    dev, test = targets.split == "dev", targets.split == "test"
    trains = parts(targets, settings.seed, FITS)
    fitted: list[list[Probe]] = []
    answered: list[np.ndarray] = []
    for part in trains:
        if multi:
            probes = [fit(v[part], gold[part], classes=classes, l2=L2, device=settings.torch_device()) for v in x]
        else:
            options = dict(classes=classes, l2=L2, device=settings.torch_device())
            probes = fit_each(x[:, part], targets.labels[part], **options)
        fitted.append(probes)
        answered.append(np.array([answers(p, v, classes) for p, v in zip(probes, x)]))
    predicted = np.array(answered)  # (R, K, N, C)
    simple = {
        "majority": np.array([_commonest(gold[part], multi, len(gold)) for part in trains]),
        "lookup": np.array([_matrix(lookup(targets, part), classes) for part in trains]),
    }
    return Probed(
        gold=gold[test],
        predicted=predicted[:, :, test],
        dev=f1.micro(gold[dev], predicted[:, :, dev]).mean(0),
        simple={name: s[:, test] for name, s in simple.items()},
        simple_dev={name: float(f1.micro(gold[dev], s[:, dev]).mean()) for name, s in simple.items()},
        layers=layers,
        groups=targets.sentence[test],
        classes=classes,
        probes=fitted,
        trained=int(min(part.sum() for part in trains)),
        multi=multi,
    )


def answers(probe: Probe, x: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """What a probe says of vectors (N, F), as a bool array (N, C)."""
    found = probe.predict(x)
    return found if found.ndim == 2 else found[:, None] == classes[None]


def _matrix(labels: Sequence[str] | np.ndarray, classes: np.ndarray) -> np.ndarray:
    place = {c: k for k, c in enumerate(classes)}
    out = np.zeros((len(labels), len(classes)), bool)
    for i, joined in enumerate(labels):
        out[i, [place[label] for label in joined.split(JOIN)]] = True
    return out


def _commonest(gold: np.ndarray, multi: bool, n: int) -> np.ndarray:
    """The labels that more than half of the train targets have; of one label per target, the commonest."""
    share = gold.mean(0)
    chosen = share > 0.5 if multi else np.arange(len(share)) == share.argmax()
    return np.broadcast_to(chosen, (n, len(share)))


def lookup(targets: Targets, learnt: np.ndarray | None = None) -> np.ndarray:
    """The commonest label of the same words, else of the same last words, else of all; str array (N,).

    It learns from the targets of a mask (N,), by default from those of train.

    Examples
    --------
    >>> words = [("Mary", "Smith"), ("Anna", "Smith"), ("Ghent",), ("Paris",)]
    >>> spans, splits = np.array([[[0, len(w)]] for w in words]), np.array(["train", "test", "train", "train"])
    >>> types = np.array([" ".join(w).lower() for w in words])
    >>> lookup(Targets(tuple(words), np.arange(4), spans, np.array(["PER", "PER", "LOC", "LOC"]), splits, types))
    array(['PER', 'PER', 'LOC', 'LOC'], dtype='<U3')
    """
    seen: dict[str, Counter] = defaultdict(Counter)
    keys = [[t, " | ".join(f"_ {w.split()[-1]}" for w in t.split(" | ")), ""] for t in targets.types]
    for own, label, of_train in zip(keys, targets.labels, targets.split == "train" if learnt is None else learnt):
        if of_train:
            for key in own:
                seen[key][label] += 1
    usual = {key: min(c, key=lambda y: (-c[y], y)) for key, c in seen.items()}
    return np.array([next(usual[k] for k in own if k in usual) for own in keys])


def gathered(subject, found: dict[str, Targets], settings: Settings) -> dict[str, tuple[np.ndarray, Targets, str]]:
    """Task -> vectors (K, N, F) at five depths, the targets that fit the model, what was left out.

    Tasks on the same sentences share one run of the model.
    """
    out: dict[str, tuple[np.ndarray, Targets, str]] = {}
    together = [n for n in found if n in SYNTACTIC]
    for names in ([together] if together else []) + [[n] for n in found if n not in SYNTACTIC]:
        fit_, notes = zip(*(fitting(subject, found[n]) for n in names))
        if names == ["entities"]:
            fit_, notes = zip(*(with_new_names(t) for t in fit_))
        some = [t.at_most(MOST, settings.seed) for t in fit_]
        vectors = gather_all(subject, some, layers=depths(subject.n_layers), settings=settings)
        out |= {n: (v, t, note) for n, v, t, note in zip(names, vectors, some, notes)}
    return out
