"""What a probe is asked: labels of words, spans and pairs of spans, and the vectors it is to tell them from.

A `Targets` says which spans of which sentences carry which label; `gather` runs the model once and keeps one vector a
target and layer. Which targets are drawn is settled before the model runs, so memory grows with their number (`draw`
bounds it) and not with the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..data.items import SPLITS, EdgeItem, ItemError, Sentence
from ..errors import TooFew
from ..settings import Settings
from ..subject import encode
from ..subject.models import Subject


@dataclass(frozen=True, eq=False)
class Targets:
    """N labelled spans, or pairs of spans, of sentences.

    Attributes
    ----------
    sentences : tuple of tuples of str
    sentence : int array (N,)
        Which sentence each target is in; also the cluster its interval is drawn by.
    spans : int array (N, k, 2)
        k = 1 or 2 half-open spans of words each.
    labels : str array (N,)
    split : str array (N,)
        train, dev or test.
    types : str array (N,)
        The word(s) in lower case: what a control label may depend on (hewitt2019control).
    """

    sentences: tuple[tuple[str, ...], ...]
    sentence: np.ndarray
    spans: np.ndarray
    labels: np.ndarray
    split: np.ndarray
    types: np.ndarray

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, index: np.ndarray) -> Targets:
        """Some of the targets (indices or a mask), of the same sentences."""
        names = ("sentence", "spans", "labels", "split", "types")
        return replace(self, **{name: getattr(self, name)[index] for name in names})

    def splits(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Masks (N,) of train, dev and test.

        Raises
        ------
        ValueError
            If one of them is empty.
        """
        train, dev, test = (self.split == s for s in ("train", "dev", "test"))
        if not (train.any() and dev.any() and test.any()):
            raise TooFew(f"train, dev, test have {train.sum()}, {dev.sum()}, {test.sum()} targets; each needs some")
        return train, dev, test

    def relabel(self, labels: Sequence[str] | np.ndarray) -> Targets:
        """The same targets with other labels."""
        return replace(self, labels=np.asarray(labels, str))

    def draw(self, most: int, seed: int = 0) -> Targets:
        """At most `most` targets of each split, drawn with `seed`, in their order."""
        rng = np.random.default_rng(seed)
        keep = []
        for split in SPLITS:
            places = np.flatnonzero(self.split == split)
            keep.append(rng.permutation(places)[:most] if len(places) > most else places)
        return self.take(np.sort(np.concatenate(keep)))

    def at_most(self, most: Mapping[str, int], seed: int) -> Targets:
        """At most so many targets of each split that is named, which are permuted in that order, and none of the others."""
        rng = np.random.default_rng(seed)
        keep = [rng.permutation(np.flatnonzero(self.split == split))[:n] for split, n in most.items()]
        return self.take(np.sort(np.concatenate(keep)))


def from_sentences(items: Sequence[Sentence], find: Callable[[Sentence], list[tuple]]) -> Targets:
    """Targets of analysed sentences.

    Parameters
    ----------
    find : callable
        Sentence -> list of ``(label, word, ...)`` with one or two words (indices) or half-open spans each.

    Raises
    ------
    ItemError
        If no sentence yields a target.
    """
    found = [(i, *target) for i, item in enumerate(items) for target in find(item)]
    return build([item.words for item in items], [item.split for item in items], found)


def from_edges(items: Sequence[EdgeItem], label: Callable[[EdgeItem], str] = lambda item: item.labels[0]) -> Targets:
    """Targets of span or edge items with one label each (by default the first)."""
    places: dict[tuple[str, ...], int] = {}
    found = [
        (places.setdefault(item.words, len(places)), label(item), *(s for s in (item.span1, item.span2) if s))
        for item in items
    ]
    targets = build(list(places), [], found)
    return replace(targets, split=np.array([item.split for item in items]))


def build(sentences: list, splits: list[str], found: list[tuple]) -> Targets:
    if not found:
        raise ItemError(f"none of {len(sentences)} sentences has a target of the kind asked for")
    spans = [[(w, w + 1) if isinstance(w, int) else tuple(w) for w in words] for _, _, *words in found]
    sentence = np.array([i for i, *_ in found])
    texts = [[" ".join(sentences[i][a:b]).lower() for a, b in pair] for i, pair in zip(sentence, spans)]
    return Targets(
        sentences=tuple(tuple(s) for s in sentences),
        sentence=sentence,
        spans=np.array(spans, int),
        labels=np.array([str(label) for _, label, *_ in found]),
        split=np.array([splits[i] for i in sentence]) if splits else np.empty(len(found), "<U5"),
        types=np.array([" | ".join(pair) for pair in texts]),
    )


def fitting(subject: Subject, targets: Targets) -> tuple[Targets, str]:
    """The targets whose sentences the model takes whole, and a note that counts the others."""
    fit = encode.fits(subject, targets.sentences)[targets.sentence]
    note = "" if fit.all() else f"{(~fit).sum()} of {len(fit)} targets lie in sentences too long for {subject.name}"
    return targets.take(fit), note


def gather(
    subject: Subject, targets: Targets, *, layers: Sequence[int] | None = None, settings: Settings | None = None
) -> np.ndarray:
    """One vector a target at every layer; spans are pooled by their mean.

    Returns
    -------
    float32 array (layers, N, F)
        F = H for single spans; for pairs F = 3 H: both vectors and their product (liu2019a).
    """
    return gather_all(subject, [targets], layers=layers, settings=settings)[0]


def gather_all(
    subject: Subject,
    tasks: Sequence[Targets],
    *,
    layers: Sequence[int] | None = None,
    settings: Settings | None = None,
) -> list[np.ndarray]:
    """As `gather`, for several tasks on the same sentences, with one run of the model.

    Raises
    ------
    ValueError
        If the tasks are not about the same sentences.
    """
    if not tasks:
        raise TooFew("no task has targets to train on, to choose on and to test")
    sentences = tasks[0].sentences
    if any(task.sentences != sentences for task in tasks):
        raise ValueError("tasks gathered together must be about the same sentences")
    used = np.unique(np.concatenate([task.sentence for task in tasks]))
    members = [{int(i): np.flatnonzero(task.sentence == i) for i in np.unique(task.sentence)} for task in tasks]
    out: list[np.ndarray] = []
    for k, states in encode.hidden_states(
        subject, [sentences[i] for i in used], layers=layers, settings=settings
    ):  # states: (L, W, H)
        for t, task in enumerate(tasks):
            if len(out) == t:
                width = states.shape[-1] * (1 if task.spans.shape[1] == 1 else 3)
                out.append(np.empty((len(states), len(task), width), np.float32))
            for n in members[t].get(int(used[k]), ()):
                parts = [states[:, a:b].mean(1) for a, b in task.spans[n]]
                out[t][:, n] = parts[0] if len(parts) == 1 else np.concatenate([*parts, parts[0] * parts[1]], -1)
    return out
