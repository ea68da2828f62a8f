"""What probes read off the vectors: fitted now on a few hundred items, and put to two that they have not seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..data.items import Ambiguity, Data
from ..data.text import marked
from ..errors import TooFew
from ..experiments.embeddings import neighbours
from ..experiments.layers import order
from ..experiments.layers.tasks import available
from ..experiments.mbert import orders, transfer
from ..experiments.mbert.languages import language
from ..experiments.semantics import entities, probing
from ..experiments.syntax.probing import STEPS, ancestor_targets
from ..probes import Targets, fitting, from_edges, gather, sentence_tasks
from ..probes.linear import fit_each
from ..probes.mixtures import cumulative
from ..probes.targets import build
from ..settings import Settings
from ..subject.models import Subject
from .languages import readable
from .text import Show, by_layer, depths, figures

MOST = 300  # targets that a probe is fitted on
LONG = 25  # words of a sentence that is shown, where there are shorter ones
L2 = 1e-2


def shown(targets: Targets) -> list[int]:
    """Places of the two test targets that are shown: drawn from short sentences, of different labels and sentences."""
    every = np.random.default_rng(0).permutation(np.flatnonzero(targets.split == "test")).tolist()
    test = [t for t in every if len(targets.sentences[targets.sentence[t]]) <= LONG] or every
    out: list[int] = []
    for apart in ("label and sentence", "sentence"):
        for t in test:
            known = [targets.labels[k] for k in out] if apart == "label and sentence" else []
            if len(out) < 2 and targets.labels[t] not in known and targets.sentence[t] not in targets.sentence[out]:
                out.append(t)
    return out


def split(targets: Targets, settings: Settings) -> tuple[Targets, np.ndarray]:
    """At most `MOST` targets to learn from and, behind them, the two that are shown; and which these are.

    Raises
    ------
    TooFew
        If there are none, or one label alone.
    """
    asked = shown(targets)
    apart = ~np.isin(targets.sentence, targets.sentence[asked])
    train = np.flatnonzero((targets.split == "train") & apart)
    train = train if len(train) else np.flatnonzero(apart)  # a source without splits
    train = np.sort(np.random.default_rng(settings.seed).permutation(train)[:MOST])
    if len(set(targets.labels[train])) < 2 or not asked:
        raise TooFew(f"{len(train)} targets to learn from and {len(asked)} to ask: two labels and one are needed")
    return targets.take(np.array([*train, *asked])), np.arange(len(train), len(train) + len(asked))


def answers(subject: Subject, targets: Targets, settings: Settings, what: str = "words") -> Iterator[str]:
    """What linear probes of three layers say of two test targets."""
    targets, asked = split(fitting(subject, targets)[0], settings)
    layers, known = depths(subject.n_layers), np.arange(asked[0])
    x = gather(subject, targets, layers=layers, settings=settings)
    fits = fit_each(x[:, known], targets.labels[known], l2=L2, device=settings.torch_device())
    yield f"linear probes fitted on {len(known)} {what}"
    for t in asked:
        yield described(targets, t)
        yield "  " + "   ".join(answer(f"layer {k}", p, v[[t]]) for k, p, v in zip(layers, fits, x))


def described(targets: Targets, t: int) -> str:
    words, spans = targets.sentences[targets.sentence[t]], [(int(a), int(b)) for a, b in targets.spans[t]]
    whole = spans == [(0, len(words))]
    return f"{marked(words, *([] if whole else spans))}   label: {targets.labels[t]}"


def answer(name: str, probe, x: np.ndarray) -> str:
    """The likeliest label and its probability."""
    return f"{name}: {probe.predict(x)[0]} ({np.exp(probe.log_probs(x).max()):.2f})"


def beside(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Probes for the parts of speech of the words before and after a word, from its own vector."""
    for side, targets in neighbours.asked(subject, data["treebank"], settings)[0].items():
        yield f"part of speech of the word {side}:"
        yield from answers(subject, targets, settings)


def tasks(*names: str, n: int = 2) -> Show:
    """Probes for the first `n` of some tasks of the pipeline that the source has."""

    def show(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
        for task, targets in list(available(data, only=names).items())[:n]:
            yield f"{task}:"
            yield from answers(subject, targets, settings, "targets")

    return show


def mixed(*names: str) -> Show:
    """Probes on mixtures of layers 0 to l, for each l, for one of some tasks."""

    def show(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
        task, targets = next(iter(available(data, only=names).items()))
        targets, _ = fitting(subject, targets)
        few = targets.draw(MOST, settings.seed)
        few = few.take(np.flatnonzero(few.split != "test"))
        targets = _joined(few, targets.take(np.array(shown(targets))))
        found = cumulative(gather(subject, targets, settings=settings), targets, settings)
        yield f"{task}: probes on a mixture of layers 0 to l, fitted on {int((targets.split == 'train').sum())} targets"
        for k, t in enumerate(np.flatnonzero(targets.split == "test")):
            yield described(targets, int(t))
            yield f"  label for l = 0, 1, ...: {' · '.join(found.predicted[:, k])}; it stays from layer {found.settled[k]} on"
        weights = found.mixture.weights
        yield "  weights of the layers in the whole mixture: " + " ".join(f"{w:.2f}" for w in weights)

    return show


def _joined(first: Targets, second: Targets) -> Targets:
    """The targets of both, which are of the same sentences."""
    names: tuple[str, ...] = ("sentence", "spans", "labels", "split", "types")
    both: dict[str, Any] = {n: np.concatenate([getattr(first, n), getattr(second, n)]) for n in names}
    return replace(first, **both)


def relations(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Probes for the relation of two concepts."""
    yield from answers(subject, from_edges(data["concept_pairs"]), settings, "targets")


def edge_probing(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Probes for two of the semantic tasks that a source has, else for a syntactic one."""
    found = probing.available(data)
    single = {n: t for n, t in found.items() if not any(probing.JOIN in label for label in t.labels)}
    for task in [n for n in single if n not in probing.SYNTACTIC][:2] or list(single)[:1]:
        yield f"{task}:"
        yield from answers(subject, single[task], settings, "targets")


def renamed(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """The type of an entity by its name in the sentence, and with another name of that type in its place."""
    targets, _ = fitting(subject, from_edges(data["entities"]))
    every, _ = probing.with_new_names(targets)
    other, place = entities.replaced(every, settings.seed)
    learnt, tested = (np.flatnonzero((every.split == "test") == out) for out in (False, True))
    every = every.take(np.sort(np.concatenate([learnt, tested[place]])))  # of test those that another name replaces
    new = np.searchsorted(np.flatnonzero(every.split == "test"), shown(every))
    targets, asked = split(every, settings)
    other = other.take(new)
    known, layer = np.arange(asked[0]), [depths(subject.n_layers)[1]]
    x, again = (gather(subject, t, layers=layer, settings=settings)[0] for t in (targets, other))
    (probe,) = fit_each(x[None, known], targets.labels[known], l2=L2, device=settings.torch_device())
    yield f"a linear probe on layer {layer[0]}, fitted on {len(known)} names"
    for t in asked:
        yield described(targets, int(t))
        yield "  " + answer("said", probe, x[[t]])
    for t in range(len(other)):
        yield f"with another name: {described(other, t)}"
        yield "  " + answer("said", probe, again[[t]])


def ancestors(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """The relation of a word's parent, grandparent and great-grandparent."""
    steps, _ = ancestor_targets(subject, [s for s in data["treebank"] if s.deprels], settings)
    for step, targets in zip(STEPS, steps):
        yield f"relation of the {step}:"
        yield from answers(subject, targets, settings)


def word_order(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A word's place in the sentence, counted from 0."""
    yield from answers(subject, order.indices(data), settings)


def structure(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Which word is the one: where structure and position disagree, does the right one score above the first?"""
    items: list[Ambiguity] = [i for i in data["ambiguity"] if len(i.words) <= LONG]
    for condition in sorted({i.condition for i in items})[:2]:
        own = [i for i in items if i.condition == condition]
        asked = [i for i in own if i.split == "test" and i.linear != i.target][:1]
        train = [i for i in own if i.split == "train"][:60]
        if not (asked and train):
            continue
        found = [(n, str(w == i.target), w) for n, i in enumerate(train) for w in range(len(i.words))]
        found += [(len(train), str(w == asked[0].target), int(w)) for w in (asked[0].target or 0, asked[0].linear)]
        targets = build([i.words for i in (*train, *asked)], [i.split for i in (*train, *asked)], found)
        layers, known = depths(subject.n_layers), targets.split == "train"
        x = gather(subject, targets, layers=layers, settings=settings)
        fits = fit_each(x[:, known], targets.labels[known], l2=L2, device=settings.torch_device())
        odds = [np.diff(p.logits(v[~known]).cpu().numpy(), axis=1)[:, 0] for p, v in zip(fits, x)]
        yield f"{asked[0].describe()}   first: {asked[0].words[asked[0].linear]}"
        yield f"  log-odds of the right word less the first's; learnt from {len(train)} sentences where they are the same"
        yield by_layer(layers, [a - b for a, b in odds])


def whole_sentences(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A task of each kind, told from the mean of a sentence's vectors."""
    made, _ = sentence_tasks.build_all(data["treebank"], seed=settings.seed)
    chosen = [next((t for t in kind if t in made), None) for kind in sentence_tasks.KINDS.values()]
    if not any(chosen):
        raise TooFew(f"{len(data['treebank'])} sentences make none of the tasks")
    for task in filter(None, chosen):
        yield f"{task}:"
        yield from answers(subject, made[task], settings, "sentences")


def other_languages(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Parts of speech learnt from English words, and asked in two other languages."""
    items = transfer.drawn(transfer.sentences(data), settings)
    english = {code for code in {s.condition for s in items} if language(code).code == "en"}
    codes = readable({s.condition for s in items} - english)
    kept = [s for s in items if s.condition in english and s.split == "train"]
    kept += [next(s for s in items if s.condition == code and s.split == "test") for code in codes[:2]]
    yield f"asked in {' and '.join(language(c).name for c in codes[:2])}, after English"
    yield from answers(subject, transfer.tagged(kept), settings)


def by_order(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """The same, with how alike each language's word order is to that of English."""
    shares = orders.orders(transfer.sentences(data))
    alike = orders.similarity(shares)
    codes = list(shares.index)
    home = next(k for k, code in enumerate(codes) if language(code).code == "en")
    yield "similarity of word order to English (1: the same)"
    yield figures((language(code).name, alike[home, k]) for k, code in enumerate(codes) if k != home)
    yield from other_languages(subject, data, settings)
