"""What a linear probe reads off the vectors of words: parts of speech, chunks, relations, ancestors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import probes
from ...calibration.nulls import VECTORS
from ...claims.registry import claim
from ...data.items import Sentence
from ...errors import TooFew
from ...probes import Targets, from_sentences
from ...scores import intervals
from ...scores.choice import choose
from ...settings import Settings
from ...subject.models import Subject
from . import planted
from .fitted import Rows, layer_rows, refitted, tuned

MOST, MANY = 4000, 8000  # targets per split, several tasks together and one alone: time and memory are bounded


def stranger(subject: Subject, settings: Settings) -> Subject:
    """An untrained network of the subject's shape that is not its twin, so that the twin too has one to beat."""
    return subject.twin(settings.seed + 1)


def few(items: list, per_test: int) -> list:
    """The items with at most `per_test` of the train split for each of the test split: more cost time and show no more."""
    left = iter(range(per_test * sum(i.split == "test" for i in items)))
    return [i for i in items if i.split != "train" or next(left, None) is not None]


def punctuation(item: Sentence) -> list[bool]:
    """Which words are punctuation marks."""
    return [not any(c.isalnum() for c in w) for w in item.words]


def words_with(layer: str):
    """Finder of every word with its tag in a layer of the sentence (upos, xpos, chunks)."""
    return lambda item: [(tag, i) for i, tag in enumerate(getattr(item, layer))]


def tags(items: list[Sentence]):
    """Finder of every word with its part of speech (universal where there is one, else the treebank's own)."""
    return words_with("upos" if any(i.upos for i in items) else "xpos")


def arcs(item: Sentence) -> list[tuple]:
    """Every dependency arc with its label; subtypes (nsubj:pass) are cut off."""
    return [(r.split(":")[0], i, h) for i, (r, h) in enumerate(zip(item.deprels, item.heads)) if h >= 0]


@claim(
    "syn.pos_chunks_deps.tenney2019b",
    ("treebank", "chunks"),
    n=1200,
    limit=1000,
    quick=360,
    nulls=VECTORS,
    planted=planted.analysed,
)
def pos_chunks_deps(subject, data, settings):
    """Linear probes for parts of speech, chunk tags and dependency relations, layer by layer (tenney2019b, liu2019a).

    A relation is told from the vectors of dependent and head and their product. Control labels are drawn by word type
    (hewitt2019control). Penalties and the layer above the embeddings are chosen on dev; the untrained network answers
    with that layer or its embeddings, whichever is better on dev.
    """
    frames = []
    untrained = stranger(subject, settings)
    for found in _by_source(data):
        every, notes = zip(*(probes.fitting(subject, from_sentences(few(i, 4), f)) for _, i, f in found))
        targets = [t.draw(MOST, settings.seed) for t in every]
        ours, theirs = (probes.gather_all(s, targets, settings=settings) for s in (subject, untrained))
        for (task, _, _), target, x, y, note in zip(found, targets, ours, theirs, notes):
            # a pair of words is hardly met twice: control labels by type make sense for single words only
            fitted = tuned(x, target, settings, control=task != "relations")
            y = y[[0, choose(fitted.dev[1:]) + 1]]
            rivals = {"gain over untrained": (tuned(y, target, settings), y)}
            rows = layer_rows(fitted, x, target, settings, subject.name, rivals=rivals, task=task)
            frames.append(intervals.table(rows, [note]))
    return intervals.combine(*frames)


def _by_source(data) -> list[list[tuple]]:
    """(task, sentences, finder) of what the data have, tasks on the same sentences together: one run of the model."""
    treebank, chunked = data.items.get("treebank", []), data.items.get("chunks", [])
    chunked = treebank if any(s.chunks for s in treebank) else chunked
    related = treebank if any(s.deprels for s in treebank) else []
    every = [
        ("parts of speech", treebank, tags(treebank)),
        ("chunks", chunked, words_with("chunks")),
        ("relations", related, arcs),
    ]
    by_source: dict[int, list[tuple]] = {}
    for task in every:
        if task[1]:
            by_source.setdefault(id(task[1]), []).append(task)
    return list(by_source.values())


STEPS = ("parent", "grandparent", "great-grandparent")


def ancestors(item: Sentence) -> list[tuple[int, list[str]]]:
    """Words with three ancestors or more, with the relations of the first three."""
    out = []
    for i in range(len(item.words)):
        line: list[str] = []
        h = item.heads[i]
        while h >= 0 and len(line) < len(STEPS):
            line.append(item.deprels[h].split(":")[0])
            h = item.heads[h]
        if len(line) == len(STEPS):
            out.append((i, line))
    return out


def ancestor_targets(subject: Subject, items: list[Sentence], settings: Settings) -> tuple[list[Targets], str]:
    """The same words with the relation of their parent, of their grandparent and of their great-grandparent."""
    lines = [ancestors(item) for item in items]
    found = [(n, line[0], i) for n, words in enumerate(lines) for i, line in words]
    targets, note = probes.fitting(
        subject, probes.targets.build([i.words for i in items], [i.split for i in items], found)
    )
    labels = {(n, i): line for n, words in enumerate(lines) for i, line in words}
    targets = targets.draw(MANY, settings.seed)
    of = [labels[n, span[0, 0]] for n, span in zip(targets.sentence, targets.spans)]
    return [targets.relabel([line[k] for line in of]) for k in range(len(STEPS))], note


@claim(
    "syn.distant_parents.liu2019a", "treebank", n=1800, limit=3000, quick=400, nulls=VECTORS, planted=planted.parents
)
def distant_parents(subject, data, settings):
    """The relation of a word's parent, grandparent and great-grandparent from the word's own vector (liu2019a).

    All three are asked of the same words (those with three ancestors), so the falls are paired; each has its own layer
    and penalty, chosen on dev. `errors removed` is accuracy over the best constant answer as a share of what that leaves.
    """
    tasks, note = ancestor_targets(subject, few([i for i in data["treebank"] if i.deprels], 4), settings)
    x = probes.gather(subject, tasks[0], settings=settings)
    test = tasks[0].split == "test"
    rows = Rows(tasks[0].sentence[test], settings, subject.name)
    removed: list[tuple[np.ndarray, np.ndarray]] = []
    for step, task in zip(STEPS, tasks):
        fitted = tuned(x, task, settings)
        best = choose(fitted.dev[1:]) + 1
        again = refitted(x[[0, best]], task, fitted.penalty[[0, best]], settings).astype(float)
        most, left = fitted.majority.astype(float), 1 - fitted.majority.mean()
        if not left:
            raise TooFew(f"every {step} of the test words has the commonest relation: there are no errors to remove")
        keys: dict[str, Any] = {"ancestor": step, "layer": best}
        right = fitted.right[best].astype(float)
        rows.add("accuracy", fitted.right[best], again[:, 1], **keys)
        rows.add("majority", fitted.majority, ancestor=step)
        rows.add("gain over layer 0", right - fitted.right[0], again[:, 1] - again[:, 0], signed=True, **keys)
        # the majority's own luck on test is a factor common to all subjects: its mean is taken as given
        removed.append(((right - most) / left, (again[:, 1] - most) / left))
        rows.add("errors removed", *removed[-1], signed=True, **keys)
    for k, step in enumerate(STEPS[1:]):
        (near, near_again), (far, far_again) = removed[k : k + 2]
        both = f"{STEPS[k]} to {step}"
        rows.add("fall of errors removed", near - far, near_again - far_again, signed=True, ancestor=both)
    return intervals.table(rows.rows, [note])
