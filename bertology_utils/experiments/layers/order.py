"""Word order against hierarchy, layer by layer (lin2019)."""

from __future__ import annotations

import numpy as np

from ...claims.registry import claim
from ...data.items import Ambiguity, Data
from ...probes import LayerScores, Targets, fitting, gather, probe_layers
from ...probes.linear import fit_each
from ...probes.targets import build
from ...scores import intervals
from ...scores.choice import choose, choose_each
from ...scores.profiles import Profile, peak_rows
from ...settings import Settings
from ...subject.models import Subject
from .tasks import baseline_rows

LONGEST = 16  # words whose index is asked for: further ones are too rare to learn
MOST = 500  # words a split for the index probe


def indices(data: Data) -> Targets:
    """Words labelled with their place in the sentence, from plain sentences.

    Sentences of an ambiguity set are split anew (every tenth dev, two more of ten test): its own test sentences are of
    another shape than those it trains on, which has nothing to do with word order.
    """
    sentences = list(dict.fromkeys(i.words for task in data.items.values() for i in task))
    split = [("dev", "test", "test", *["train"] * 7)[n % 10] for n in range(len(sentences))]
    found = [(n, f"{w:02d}", w) for n, words in enumerate(sentences) for w in range(min(len(words), LONGEST))]
    return build(sentences, split, found)


def order_scores(subject: Subject, data: Data, settings: Settings) -> LayerScores:
    """The token-index probe of every layer (lin2019)."""
    return probe_layers(subject, indices(data), settings, control=True, most=MOST)


@claim(
    "lay.word_order.lin2019",
    tasks="ambiguity",
    n=600,
    limit=400,
    # the lowest third of 12 layers ends at layer 4, depth 0.333; two points are the least fall worth the name
)
def word_order(subject, data, settings):
    """A linear probe for each word's index in the sentence, on every layer (lin2019).

    `low - last layer`: accuracy of the layer in the lowest third that is best on dev, less the last layer's.
    """
    scores = order_scores(subject, data, settings)
    profile = Profile.of(scores.right, scores.groups, settings)
    low = choose(scores.dev[: profile.depth // 3 + 1])
    rows = peak_rows(profile, scores.dev, task="word order")
    rows.append(
        intervals.row("low - last layer", profile.lead(low, profile.depth), profile.n, task="word order", layer=low)
    )
    return intervals.table([*rows, *baseline_rows(scores, settings, task="word order")], [scores.note])


@claim(
    "lay.hierarchy.lin2019",
    tasks="ambiguity",
    n=800,
    limit=600,
    # a tenth of the stack at least
)
def hierarchy(subject, data, settings):
    """The best layer for main auxiliary and subject noun less that for word order, as shares of depth (lin2019).

    Hierarchy is what a classifier of words, trained where the first candidate is right, does where it is not: does
    the right word score above the first candidate? Word order is the token-index probe on the same sentences.
    """
    scores = order_scores(subject, data, settings)
    order = Profile.of(scores.right, scores.groups, settings)
    rows = [intervals.row("accuracy", s, order.n, task="word order", layer=k) for k, s in enumerate(order.scores())]
    rows.append(intervals.row("best layer", order.peak(), order.n, task="word order"))
    rows += baseline_rows(scores, settings, task="word order")
    notes = [scores.note]
    for condition in sorted({i.condition for i in data["ambiguity"]}):
        right, note = _told_apart(subject, [i for i in data["ambiguity"] if i.condition == condition], settings)
        found, name = Profile.of(right, np.arange(right.shape[1]), settings), condition.replace("_", " ")
        rows += [intervals.row("accuracy", s, found.n, task=name, layer=k) for k, s in enumerate(found.scores())]
        rows.append(intervals.row("best layer", found.peak(), found.n, task=name))
        gap = intervals.interval(found.best - order.best, choose_each(found.draws) - choose_each(order.draws))
        share = tuple(x / order.depth for x in gap)
        rows.append(intervals.row("depth of best layer, hierarchy - order", share, found.n, task=name))
        notes.append(note)
    return intervals.table(rows, notes)


def _told_apart(subject: Subject, items: list[Ambiguity], settings: Settings) -> tuple[np.ndarray, str]:
    """Whether the right word scores above the first candidate, (L + 1, disambiguating test sentences), and a note."""
    items = [i for i in items if i.split == "train" or (i.split == "test" and i.linear != i.target)]
    words = [range(len(i.words)) if i.split == "train" else (i.target, i.linear) for i in items]
    found = [(n, str(w == items[n].target), w) for n, places in enumerate(words) for w in places]
    targets, note = fitting(subject, build([i.words for i in items], [i.split for i in items], found))
    train = targets.split == "train"
    out = []
    vectors = gather(subject, targets, settings=settings)
    probes = fit_each(vectors[:, train], targets.labels[train], device=settings.torch_device())
    for x, probe in zip(vectors, probes):
        logits = probe.logits(x[~train]).cpu().numpy()  # columns: False, True
        score = (logits[:, 1] - logits[:, 0]).reshape(-1, 2)
        out.append(score[:, 0] > score[:, 1])
    return np.array(out), note
