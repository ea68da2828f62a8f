"""What networks answer that are tuned now on a handful of texts, plainly and in the way that a claim is about.

The plainly tuned network is made once and serves all of these claims.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.special import softmax

from .. import finetune
from ..data.items import Ambiguity, Data, Labelled, Sentence
from ..errors import TooFew
from ..experiments.syntax import tuned as syntax
from ..experiments.training import tuned_runs as runs
from ..experiments.training import tuned_steady as steady
from ..experiments.training import tuned_ways as ways
from ..experiments.training.tuned_inside import RADIUS
from ..finetune import Classifier, biaffine, freelb, mixout, restoring, surface, triggers
from ..scores import trees
from ..settings import Settings
from ..subject.models import Subject
from .text import Show, figures, verdict
from .trees import drawn

HANDFUL = 32  # texts to learn from
Answer = Callable[[Sequence[Labelled]], np.ndarray]  # texts -> logits (n, C)
Ways = Callable[[Subject, runs.Task, Classifier, Settings, Data], Mapping[str, Classifier | Answer]]


def handful(subject: Subject, data: Data, *names: str) -> tuple[runs.Task, list[Labelled]]:
    """A few texts to learn from, and two to ask, of different labels.

    Raises
    ------
    TooFew
        If the source has no text to ask, or nothing to learn from.
    """
    known = [name for name in names or runs.TASKS if data.items.get(name)]
    if not known:
        raise TooFew(f"{data.name} has none of the tasks {', '.join(names or runs.TASKS)}")
    of = runs.task(subject, data, known[0])
    of = replace(of, train=_shorter(of.train), held=_shorter(of.held))
    asked = list({i.label: i for i in reversed(of.held)}.values())[:2]
    if len({i.label for i in of.train}) < 2 or not asked:
        raise TooFew(f"{len(of.train)} texts to learn from and {len(of.held)} to ask")
    return of.few(HANDFUL), asked


def _shorter(items: Sequence[Labelled]) -> tuple[Labelled, ...]:
    """The shorter half of the texts, in their order: long ones take long to learn from, and to read."""
    sizes = [len(i.describe()) for i in items]
    return tuple(i for i, size in zip(items, sizes) if size <= np.median(sizes))


def chances(answer: Answer, classes: Sequence[str], items: Sequence[Labelled]) -> np.ndarray:
    """The probability of each item's own label, (n,)."""
    found = softmax(answer(items).astype(float), 1)
    return found[np.arange(len(items)), [classes.index(i.label) for i in items]]


MEANINGS = {
    "sentiment": "; label 1: praise",
    "paraphrase": "; label 1: the same",
    "acceptability": "; label 1: acceptable",
}


def caption(of: runs.Task, what: str = "probability of the right label") -> str:
    """What was learnt from, and what the figures are."""
    return f"tuned on {len(of.train)} texts ({of.name}{MEANINGS.get(of.name, '')}), too few to learn the task; {what}"


def compared(others: Ways, *names: str) -> Show:
    """Two texts put to the plainly tuned network, and to others of the claim's own."""

    def show(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
        of, asked = handful(subject, data, *names)
        plain = runs.plain(subject, of, 0)
        every: dict[str, Classifier | Answer] = {"tuned": plain, **others(subject, of, plain, settings, data)}
        answers = {
            name: partial(c.logits, settings=settings) if isinstance(c, Classifier) else c for name, c in every.items()
        }
        found = {name: chances(answer, of.classes, asked) for name, answer in answers.items()}
        yield caption(of)
        for k, item in enumerate(asked):
            yield item.describe()
            yield figures((name, p[k]) for name, p in found.items())

    return show


def frozen(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """A head over the frozen model."""
    return {"frozen": runs.frozen(subject, of, 0)}


def all_layers(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """A head over the mean of all layers."""
    return {"all layers under the head": runs.all_layers(subject, of, 0)}


def from_random(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """Random weights tuned, and the pretrained ones frozen."""
    random = runs.afresh(subject.twin(settings.seed + 1), of, 0)
    return {"random start tuned": random, "pretrained and frozen": runs.frozen(subject, of, 0)}


def adapters(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """Adapters in place of all weights."""
    return {"adapters alone": ways.adapted(subject, of, ways.SIZES[-1], 0)}


def staged(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """A stage on another task before."""
    between = ways.intermediate(subject, data, 0, HANDFUL).subject
    return {"after a stage on another task": runs.learn(between, of, runs.recipe(subject, of.train, 0))}


def normalised(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """[CLS] centred and scaled."""
    head = partial(steady.Normalised, steady.firsts(subject, of.train, settings))
    return {"with CLS normalised": runs.learn(subject, of, runs.recipe(subject, of.train, 0), head=head)}


def mixed_out(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """Mixout in place of dropout."""
    way = mixout.mixout(steady.P)
    return {"with mixout": runs.learn(subject, of, runs.recipe(subject, of.train, 0), way=way)}


def perturbed(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """Trained under perturbed embeddings."""
    step = freelb.freelb(steady.BALL)
    return {"trained under perturbation": runs.learn(subject, of, runs.recipe(subject, of.train, 0), step=step)}


def reseeded(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """The same with another head, and with the texts in another order."""
    head, order = runs.recipe(subject, of.train, 1, order=0), runs.recipe(subject, of.train, 0, order=1)
    return {"another head": runs.learn(subject, of, head), "another order": runs.learn(subject, of, order)}


def put_back(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """The lower, or the upper, third of the layers as before tuning."""
    names = ("lower third restored", "upper third restored")
    thirds = zip(names, restoring.thirds(subject.n_layers))
    return {name: replace(plain, subject=restoring.restored(plain.subject, subject, k)) for name, k in thirds}


def inside(measure: Callable[..., np.ndarray], what: str) -> Show:
    """What tuning changes inside the network, layer by layer, for two texts."""

    def show(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
        of, asked = handful(subject, data)
        plain = runs.plain(subject, of, 0)
        yield caption(of)
        values = measure(plain.subject, subject, asked, settings)  # (n, L)
        for k, (item, p) in enumerate(zip(asked, chances(plain.logits, of.classes, asked))):
            yield item.describe()
            yield figures([("tuned", p)])
            yield f"  {what}, by block from 1: " + " ".join(f"{v + 0.0:.3f}" for v in np.round(values[k], 3))

    return show


def mass_gained(tuned: Subject, before: Subject, items: Sequence[Labelled], settings: Settings) -> np.ndarray:
    """By how much attention to [CLS] and [SEP] together grows in each layer, (n, L)."""
    return (restoring.special_mass(tuned, items, settings) - restoring.special_mass(before, items, settings)).sum(-1)


def optima(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """How the loss on two texts rises around a network tuned from the pretrained weights, and from random ones."""
    of, asked = handful(subject, data)
    yield caption(of, "loss of the right label")
    found = {}
    for name, made in (("pretrained start", runs.plain(subject, of, 0)),
                       ("random start", runs.afresh(subject.twin(settings.seed + 1), of, 0))):  # fmt: skip
        loss = partial(surface.losses, made, asked, settings)
        rises = surface.rises(loss, surface.matrices(made), radius=RADIUS, directions=1, seed=settings.seed)
        found[name] = loss(), rises
    for k, item in enumerate(asked):
        yield item.describe()
        for name, (losses, rises) in found.items():
            yield f"  {name}:" + figures(
                [("loss in nats", losses[k]), ("rise a tenth of the weights away", rises[k])], 3
            )


def misled(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Two texts on which word overlap gives the right answer, and the wrong one."""
    of, asked = handful(subject, data, "entailment")
    plain = runs.plain(subject, of, 0)
    beyond = [next((i for i in of.beyond if i.meta["contradicts"] is wrong), None) for wrong in (False, True)]
    asked = [i for i in beyond if i is not None] or asked
    yield caption(of)
    for item, p in zip(asked, chances(plain.logits, of.classes, asked)):
        rule = f"   the heuristic is {verdict(not item.meta['contradicts'])}" if "contradicts" in item.meta else ""
        yield item.describe() + rule
        yield figures([("tuned", p)])


def rules(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A classifier tuned where two rules agree, asked where they do not: whose label does it give?"""
    items: list[Ambiguity] = data["structural_bias"]
    for condition in sorted({i.condition for i in items})[:2]:
        own = [i for i in items if i.condition == condition]
        texts, _ = finetune.fitting(subject, [syntax.as_text(i) for i in own])
        train = [i for i in texts if i.split == "train"][:HANDFUL]
        asked = list({i.label: i for i in reversed(texts) if i.split == "test"}.values())
        if len({i.label for i in train}) < 2 or not asked:
            raise TooFew(f"{len(train)} sentences to learn from and {len(asked)} to ask")
        tuned = finetune.classify(subject, train, syntax.RECIPE, classes=syntax.CLASSES)
        yield f"{condition}, tuned on {len(train)} sentences, too few to learn it; probability of the structure's label"
        for item, p in zip(asked, chances(tuned.logits, syntax.CLASSES, asked)):
            yield item.describe()
            yield figures([("tuned", p)])


def fooled(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A text with and without words in front that were searched to flip the classifier."""
    of, asked = handful(subject, data, "sentiment")
    plain = runs.plain(subject, of, 0)
    allowed = triggers.vocabulary(subject, [i.text for i in of.train])
    yield caption(of)
    for item in asked:
        mine = [i for i in of.train if i.label == item.label]
        found, _ = triggers.search(plain, mine, allowed, triggers.Search(tries=3, batch=8))
        words = triggers.words(subject, found)
        moved = replace(item, text=f"{words} {item.text}")
        values = chances(plain.logits, of.classes, [item, moved])
        yield item.describe()
        yield figures(zip(("as it is", f"with “{words}” in front"), values))


def parsed(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A sentence parsed by a network tuned on a few trees, and a text after that stage and without it."""
    of, asked = handful(subject, data, "entailment" if data.items.get("entailment") else "sentiment")
    short: list[Sentence] = [s for s in data["treebank"] if s.heads and len(s.words) <= 12]
    train, test = ([s for s in short if s.split == part] for part in ("train", "test"))
    if not (train and test):
        raise TooFew(f"{len(short)} short sentences are not in train and test")
    parser = biaffine.parse(subject, train[:HANDFUL], replace(syntax.RECIPE, head_rate=20.0))
    (heads,) = parser.heads(test[:1], settings)
    keep, _ = trees.without_punctuation(test[0])
    words = test[0].words
    yield f"parser tuned on {min(len(train), HANDFUL)} sentences"
    yield test[0].describe()
    yield f"  parsed: {drawn(words, heads)}"
    yield figures([("UAS without punctuation", (heads[keep] == np.array(test[0].heads)[keep]).mean())])
    plain, after = runs.plain(subject, of, 0), runs.learn(parser.subject, of, runs.recipe(subject, of.train, 0))
    yield caption(of)
    both = [chances(c.logits, of.classes, asked) for c in (plain, after)]
    for k, item in enumerate(asked):
        yield item.describe()
        # two trainings one after the other: rounding of processors moves the second digit
        yield figures(zip(("without parsing first", "after it"), (p[k] for p in both)), digits=1)
