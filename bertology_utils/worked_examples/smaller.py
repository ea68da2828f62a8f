"""What tuned networks answer that have been made smaller: fewer heads, layers, weights, units, bits, word vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from .. import finetune
from ..attention import patterns, relations
from ..compress import (
    drop_layers,
    dropped,
    elimination,
    gates,
    importance,
    remove_heads,
    remove_units,
    replacing,
    students,
    weights,
)
from ..data.items import Data
from ..experiments.size import bits, depth, pruning, teaching, tickets, tokens
from ..experiments.size.studied import RECIPE
from ..experiments.training import tuned_runs as runs
from ..finetune import Classifier
from ..settings import Settings
from ..subject.hooks import ablate_heads
from ..subject.models import Subject
from .text import figures
from .tuned import caption, chances, handful


def _halves(plain: Classifier, known: np.ndarray, remove: Callable[..., Subject], what: str) -> dict[str, Classifier]:
    """Without the half that is known to be less important, and without a random one."""
    orders = {
        f"without the less important half of the {what}": importance.order(known),
        "without a random half": importance.order(known, random=1),
    }
    return {k: replace(plain, subject=remove(plain.subject, parts[: len(parts) // 2])) for k, parts in orders.items()}


def half_the_heads(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """Half of the heads cut out, the least important ones and random ones."""
    return _halves(plain, importance.heads(plain, of.train, settings), remove_heads, "heads")


def fewer_bits(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """Weights in fewer bits."""
    return {way: make(plain) for way, make in bits.WAYS.items()}


def fewer_layers(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """A third of the layers dropped after tuning."""
    n, out = subject.n_layers, {}
    for way in depth.WAYS:
        less = drop_layers(plain.subject, dropped(n, depth.third(n), way))
        out[f"without a third of the layers, {way}"] = replace(plain, subject=less)
    return out


def fewer_weights(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """Most of the pretrained weights off, by size and at random, the rest tuned."""
    masks = weights.find_masks(subject, pruning.COMPARED)
    return {
        "smallest weights off": pruning.masked_and_tuned(subject, masks, of, 0),
        "random weights off": pruning.at_random(subject, of, 0),
    }


def fewer_units(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """Half of the feed-forward units cut out, the less important ones and random ones."""
    return _halves(plain, importance.units(plain, of.train, settings), remove_units, "units")


def shut_heads(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """The heads whose learnt gates are pushed shut first, and last, taken out."""
    order = importance.order(gates.survival(plain, of.train, RECIPE))
    part = len(order) // 4
    first, last = "without the quarter of heads shut first", "without the quarter shut last"
    quarters = {first: order[:part], last: order[-part:]}
    return {name: replace(plain, subject=remove_heads(plain.subject, heads)) for name, heads in quarters.items()}


def taught(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """A student of half the layers that learns from the tuned model, and one that learns alone."""
    small = replacing.successor(subject)
    return {
        "student taught": students.distil(small, plain, of.train, RECIPE, teaching.LESSONS["soft targets"]),
        "student alone": finetune.classify(small, of.train, RECIPE, classes=of.classes),
    }


def replaced(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """Half of the layers grown inside the tuned model, and the same half tuned plainly."""
    small = replacing.successor(subject)
    return {
        "half of the layers grown inside": replacing.replace_modules(subject, plain, of.train, RECIPE),
        "the same half tuned plainly": finetune.classify(small, of.train, RECIPE, classes=of.classes),
    }


def ticket(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """A winning subnetwork and a random one of the same size, both tuned."""
    masks = tickets.winning(subject, plain, of, 0)
    return {
        "winning subnetwork": pruning.masked_and_tuned(subject, masks, of, 0),
        "random one of its size": pruning.at_random(subject, of, 0),
    }


def fewer_vectors(subject, of, plain, settings, data) -> dict[str, Classifier]:
    """A third of the word vectors not passed on."""
    reads = {"least attended": elimination.fewer(tokens.SHARE), "random ones": elimination.fewer(tokens.SHARE, 1)}
    return {f"a third of the vectors dropped, {way}": replace(plain, read=read) for way, read in reads.items()}


def parts_off(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Each head off in turn: which one costs the right answer most, and which one hinders it?"""
    of, asked = handful(subject, data)
    plain = runs.plain(subject, of, 0)
    every = [(layer, head) for layer in range(subject.n_layers) for head in range(subject.n_heads)]
    whole, off = chances(plain.logits, of.classes, asked), []
    for place in every:
        with ablate_heads(plain.subject, [place]):
            off.append(chances(plain.logits, of.classes, asked))
    gain = np.round(np.array(off) - whole, 4)  # (heads, items)
    yield caption(of)
    for k, item in enumerate(asked):
        yield item.describe()
        best, worst = int(gain[:, k].argmax()), int(gain[:, k].argmin())
        named = ((f"without {relations.called(*every[h])}", off[h][k]) for h in (best, worst))
        yield figures([("whole", whole[k]), *named], 3)


def lifters(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """The heads that a tuned network needs most, and the patterns of their maps."""
    of, asked = handful(subject, data, "paraphrase", "entailment")
    plain = runs.plain(subject, of, 0)
    order = importance.order(importance.heads(plain, of.train, settings))[::-1]
    less = replace(plain, subject=remove_heads(plain.subject, order[len(order) // 2 :]))
    both = [chances(c.logits, of.classes, asked) for c in (plain, less)]
    yield caption(of)
    for k, item in enumerate(asked):
        yield item.describe()
        yield figures(zip(("tuned", "without the less important half of the heads"), (p[k] for p in both)))
        if item.text_b is not None:
            first, second = item.text.split(), item.text_b.split()
            labels = patterns.classify(plain.subject, [first], [second], settings=settings)[0]
            top = [f"{relations.called(*h)} {patterns.PATTERNS[labels[h]]}" for h in order[:3]]
            yield f"  maps of the most important heads: {', '.join(top)}"
