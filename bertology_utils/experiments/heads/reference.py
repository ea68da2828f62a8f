"""What a word refers to: antecedents and subjects by attention."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...attention import antecedents, relations
from ...attention.choosing import fitting, sides
from ...claims.registry import claim
from ...scores import intervals
from ...scores.choice import choose

READERS = {"coreference": antecedents.from_items, "mentions": antecedents.from_mentions}


@claim("hed.coreference.clark2019", tasks=("coreference", "mentions"), n=800, limit=250)  # fmt: skip
def coreference(subject, data, settings):
    """Antecedent = most attended mention, by the best head; against the nearest mention and rules (clark2019).

    Only anaphors with a right and a wrong candidate count.
    """
    rows, notes = [], []
    for task, items in data.items.items():
        kept, note = fitting(subject, items)
        # on train and dev: a choice made after an unfinished model's heads, chosen on dev alone, had not held on test
        dev, test, more = sides(kept, train=True)
        both = []
        for side in (dev, test):
            anaphors = READERS[task](side)
            words = [i.words for i in side]
            attention = relations.between(subject, words, antecedents.links(anaphors), settings=settings)
            both.append((anaphors, antecedents.attended(anaphors, attention)))
        (_, chosen_on), (anaphors, right) = both
        if not len(chosen_on) or not anaphors:
            raise ValueError(f"{task}: no anaphor with a right and a wrong candidate among {len(kept)} items")
        best = choose(chosen_on.mean(0))
        columns = {
            "best head": right[:, best],
            "nearest mention": [a.right[antecedents.nearest(a)] for a in anaphors],
            "rules": [a.right[antecedents.by_rules(a)] for a in anaphors],
            "chance": [np.mean(a.right) for a in anaphors],
        }
        frame = pd.DataFrame(columns).astype(float).assign(sentence=[a.sentence for a in anaphors])
        frame["best head - rules"] = frame["best head"] - frame["rules"]
        frame["best head - nearest"] = frame["best head"] - frame["nearest mention"]
        options = dict(seed=settings.seed, draws=settings.draws, groups=frame.pop("sentence"))
        head = relations.name(best, subject.n_layers, subject.n_heads)
        for measure in frame:
            interval = intervals.mean_interval(frame[measure], **options)
            rows.append(intervals.row(measure, interval, len(frame), task=task, head=head))
        notes += [note, more]
    return intervals.table(rows, notes)


def _confusion(share: np.ndarray, n: np.ndarray) -> np.ndarray:
    """-log of the right noun's share of the attention to the candidates, 1 for an even spread over them."""
    return -np.log(np.maximum(share, 1e-12)) / np.log(n)[:, None]


@claim(
    "hed.agreement_attention.lin2019",
    tasks="agreement_attention",
    n=560,
    limit=1500,
)
def agreement_attention(subject, data, settings):
    """How a verb or reflexive divides its attention over the nouns, by distractor and layer (lin2019).

    Of the attention to all candidates the right noun has a share; `confusion` is the negative logarithm of it, divided
    by that of an even spread, so 1 says nothing and 0 everything. A distractor is a candidate between the right noun and
    the word that asks. Items with one candidate say nothing and are left out.
    """
    items, note = fitting(subject, data["agreement_attention"])
    several = [i for i in items if len(i.candidates) > 1]
    left = (
        f"{len(items) - len(several)} of {len(items)} items have one candidate only"
        if len(several) < len(items)
        else ""
    )
    links = [(k, (i.meta["from"],) * 2, (c, c + 1)) for k, i in enumerate(several) for c in i.candidates]
    links = [(k, (q, q + 1), c) for k, (q, _), c in links]
    attention = relations.between(subject, [i.words for i in several], links, settings=settings)  # (links, L * A)
    starts = np.cumsum([0, *(len(i.candidates) for i in several)])[:-1]
    total = np.add.reduceat(attention, starts, axis=0)
    target = attention[starts + [i.candidates.index(i.target) for i in several]]
    share = target / np.maximum(total, 1e-12)  # (n, L * A)
    n = np.array([len(i.candidates) for i in several])
    shape = (len(several), subject.n_layers, subject.n_heads)
    confusion = _confusion(share, n).reshape(shape).mean(-1)  # (n, L)
    frame = pd.DataFrame(
        {
            "condition": [i.condition for i in several],
            "excess": share.mean(1) - 1 / n,
            "confusion": confusion.mean(1),
            "distractors": [sum(i.target < c < i.meta["from"] for c in i.candidates) for i in several],
        }
    )
    parts = [
        intervals.means(frame.assign(condition="all"), "excess", by="condition", measure="excess over even attention",
                    settings=settings, note=note or left),
        intervals.means(frame, "excess", by="condition", measure="excess over even attention, by distractor",
                    settings=settings),
        intervals.means(frame, "confusion", by="condition", measure="confusion", settings=settings),
    ]  # fmt: skip
    loss = intervals.bootstrap(
        [frame.distractors.to_numpy(float), frame.excess.to_numpy()], _loss, seed=settings.seed, draws=settings.draws
    )
    rows = [intervals.row("excess lost for each distractor", loss, len(frame))]
    for layer, column in enumerate(confusion.T):
        interval = intervals.mean_interval(column, seed=settings.seed, draws=settings.draws)
        rows.append(intervals.row("confusion, by layer", interval, len(column), layer=layer))
    return intervals.combine(*parts, intervals.table(rows))


def _loss(distractors: np.ndarray, excess: np.ndarray) -> float:
    """Least-squares slope, its sign turned; nan where the distractors do not vary.

    The effect was the slope of the confusion first; it was changed after figures of an unfinished model had been seen.
    Of the excess, and not of the confusion: attention that ignores the nouns has an excess of 0 on average however many
    there are, while noise alone makes the confusion depend on their number.
    """
    x = distractors - distractors.mean()
    return float(-(x @ excess) / (x @ x)) if x.any() else float("nan")
