"""Are heads with a known job, by position or by syntax, pruned last (voita2019b)?"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from ...attention import relations
from ...attention.choosing import fitting, sides
from ...claims.registry import claim
from ...compress import gates
from ...scores import intervals
from ...scores.profiles import UNDEFINED
from .heads import OWN
from .studied import GENERATED, LIMIT, QUICK, Study, recipe

SENTENCES = 300  # of the treebank, to tell what heads do
FEWEST = 40  # arcs of a relation
POSITIONAL = 0.9  # share of words whose most attended word stands at one place beside them
SYNTACTIC = 0.1  # by how much a head must tell a relation better than the best fixed distance
MEASURE = "survival rank, specialised - other heads"


@claim(
    "siz.specialised_survive.voita2019b",
    ("sentiment", "entailment", "treebank"),
    n=GENERATED,
    limit=LIMIT,
    quick=QUICK,
    beside={"sentiment": ("glue_sst2",), "treebank": ("ud_english_ewt",)},
)
def specialised_survive(subject, data, settings):
    """Survival of positional and syntactic heads under gates that are learnt and pushed shut (voita2019b).

    Heads are classified on the subject as it is, by a treebank: positional where nine tenths of the words attend most to
    the word before or after them; syntactic where a relation is told better than by any fixed distance, by a tenth. The
    rank is a head's place among all in the order of the gates, from 0 to 1; intervals are over heads and seeds. The
    study says the same of machine translation; prasanna2020 doubts it for BERT.
    """
    study = Study.of(subject, data, settings, OWN if data.name == "builtin" else ("sentiment",))
    if not study.learnt:
        return study.nothing(MEASURE)
    special, notes = classified(subject, data["treebank"], settings)
    rows = [intervals.row("specialised heads", intervals.mean_interval(special.ravel()), special.size, task="all")]
    task, order = study.tasks[0], []
    for k, tuned in enumerate(study.classifiers[study.tasks[0].name]):
        found = gates.survival(tuned, task.train, recipe(task.train, settings.seed + k))
        order.append((rankdata(found.ravel()) - 1) / (found.size - 1))
    ranks, flags = np.concatenate(order), np.tile(special.ravel(), len(order))
    gap = UNDEFINED
    if special.any() and not special.all():
        options = dict(seed=settings.seed, draws=settings.draws, bounds=(-1.0, 1.0))
        groups = intervals.crossed(len(order), special.size)
        gap = intervals.bootstrap([ranks, flags], _gap, groups=groups, **options)
    rows.append(intervals.row(MEASURE, gap, special.size, task="all"))
    return study.table(rows, *notes)


def _gap(ranks: np.ndarray, special: np.ndarray) -> float:
    """Mean rank of the special heads less that of the others; nan where a resample lacks either."""
    if special.all() or not special.any():
        return float("nan")
    return float(ranks[special].mean() - ranks[~special].mean())


def classified(subject, items, settings) -> tuple[np.ndarray, list[str]]:
    """Which heads are positional or syntactic, (L, A) bool, and a note that counts them."""
    kept, note = fitting(subject, items)
    _, sentences, more = sides(kept)
    sentences = sentences[:SENTENCES]
    words = [s.words for s in sentences]
    positional = beside(subject, words, settings)
    arcs = relations.arcs(sentences)
    right, distance = relations.score(subject, words, arcs, settings=settings), relations.offset_hits(arcs)
    syntactic = np.zeros(right.shape[1], bool)
    for _, part in arcs.groupby(["relation", "direction"]):
        if len(part) >= FEWEST:
            at = part.index.to_numpy()
            syntactic |= right[at].mean(0) > distance[at].mean(0).max() + SYNTACTIC
    said = f"{positional.sum()} positional and {syntactic.sum()} syntactic heads of {len(syntactic)}"
    return (positional | syntactic).reshape(subject.n_layers, subject.n_heads), [note, more, said]


def beside(subject, words, settings) -> np.ndarray:
    """Heads that look at the word before, or at the one after, from nine tenths of the words; (L * A,) bool."""
    out = np.zeros(subject.n_layers * subject.n_heads, bool)
    for step in (-1, 1):
        pairs = [
            (s, w, w + step)
            for s, sentence in enumerate(words)
            for w in range(len(sentence))
            if 0 <= w + step < len(sentence)
        ]
        queries = pd.DataFrame(pairs, columns=["sentence", "query", "target"])
        out |= relations.score(subject, words, queries, settings=settings).mean(0) >= POSITIONAL
    return out
