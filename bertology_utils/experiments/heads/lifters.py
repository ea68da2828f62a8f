"""Which heads survive pruning after fine-tuning, and what do their maps look like?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ... import finetune
from ...attention import patterns
from ...claims.registry import claim
from ...compress import importance
from ...scores import intervals
from ...scores.profiles import UNDEFINED
from ...subject.hooks import ablate_heads
from ...subject.models import Subject
from ..size.studied import GENERATED, LIMIT, LONG, QUICK, RECIPE, SEEDS, Task, most_of, usable

KEPT = 0.9  # of the dev accuracy: what pruning must leave
STEP = 0.1  # of the heads at a time


def _survivors(tuned: finetune.Classifier, needed: np.ndarray, dev, settings) -> np.ndarray:
    """Heads left when the least important are taken off, a tenth at a time, as long as accuracy holds; (L, A) bool."""
    pairs = importance.order(needed)
    floor = KEPT * tuned.right(dev, settings).mean()
    off = 0
    step = max(1, round(STEP * len(pairs)))
    for n in range(step, len(pairs), step):
        with ablate_heads(tuned.subject, pairs[:n]):
            if tuned.right(dev, settings).mean() < floor:
                break
        off = n
    alive = np.ones(needed.shape, bool)
    for head in pairs[:off]:
        alive[head] = False
    return alive


def _gap(mixed: np.ndarray, alive: np.ndarray) -> float:
    return float(mixed[alive].mean() - mixed.mean()) if alive.any() else float("nan")


def _heterogeneous(tuned: finetune.Classifier, items, settings) -> dict[str, np.ndarray]:
    """Share of each head's maps, by weights and by norms, that are heterogeneous; (L, A)."""
    first, second = ([text.split() for text in texts] for texts in zip(*((i.text, i.text_b) for i in items)))
    found = {
        kind: patterns.classify(tuned.subject, first, second, norms=kind == "norms", settings=settings)
        for kind in ("weights", "norms")
    }
    return {kind: (labels == patterns.PATTERNS.index("heterogeneous")).mean(0) for kind, labels in found.items()}


def recipe(subject: Subject, seed: int) -> finetune.Recipe:
    """As the chapter on size tunes, at the lower of its two rates.

    The one leaves some seeds of narrow networks at chance, the other all of wide ones.
    """
    return replace(RECIPE, rate=min(how.peak(subject.hidden_size) for how in (LONG, RECIPE)), seed=seed)


@claim("hed.heavy_lifters.prasanna2020", ("paraphrase", "entailment"), n=GENERATED, limit=LIMIT, quick=QUICK)
def heavy_lifters(subject, data, settings):
    """Patterns of the heads that survive pruning after fine-tuning, by weights and by norms (prasanna2020).

    Heads go by importance (michel2019), a tenth at a time, while the dev accuracy stays above nine tenths of the whole
    model's. Intervals are over heads, the same head in all seeds drawn together. In a seed whose accuracy is not above
    the majority label's by an interval no head lifts anything: it has no survivors. Where there is no other seed their
    share stays undefined. All seeds count for the accuracy.
    """
    rows, notes = [], []
    for name, items in data.items.items():
        kept, note = usable(subject, items)
        task = Task.of(name, kept, settings.seed, most_of(data))
        right, alive, mixed = _trained(subject, task, settings)
        rows += _accuracy(right, task.usual, settings, name) + _rows(alive, mixed, settings, name)
        learnt = f"{name}: {len(task.train)} items to tune on; {len(alive)} of {SEEDS} seeds beat the majority label"
        notes += [note, learnt if alive else f"{learnt}: no survivors"]
    return intervals.table(rows, notes)


def _trained(subject: Subject, task: Task, settings) -> tuple[np.ndarray, list[np.ndarray], dict]:
    """Which test items are right (seeds, n); of each seed that learnt which heads survive, and shares of patterns.

    Where no seed learnt, the shares are of all.
    """
    options = dict(seed=settings.seed, draws=settings.draws, signed=True)
    right: list[np.ndarray] = []
    shares: list[dict] = []
    alive: dict[int, np.ndarray] = {}
    for k in range(SEEDS):
        tuned = finetune.classify(subject, task.train, recipe(subject, settings.seed + k))
        right.append(tuned.right(task.test, settings).astype(float))
        shares.append(_heterogeneous(tuned, task.test[:60], settings))
        if intervals.mean_interval(right[k] - task.usual, **options)[1] > 0:
            needed = importance.heads(tuned, task.train[:100], settings)
            alive[k] = _survivors(tuned, needed, task.choice or task.test, settings)
    mixed = {kind: [shares[k][kind] for k in alive or range(SEEDS)] for kind in ("weights", "norms")}
    return np.array(right), list(alive.values()), mixed


def _accuracy(right: np.ndarray, majority: np.ndarray, settings, task: str) -> list[dict]:
    return [
        intervals.mean_row("accuracy", right, settings, task=task),
        intervals.mean_row("accuracy, majority", majority, settings, task=task),
        intervals.mean_row("accuracy - majority", right - majority, settings, signed=True, task=task),
    ]


def _rows(alive: list[np.ndarray], mixed: dict[str, list[np.ndarray]], settings, task: str) -> list[dict]:
    """Shares of heterogeneous maps among all heads and, where there are any, among the survivors (a map a seed)."""
    options = dict(seed=settings.seed, draws=min(settings.draws, 1000))
    out = intervals.Rows(settings)
    for kind, found in mixed.items():
        share, heads = np.concatenate([f.reshape(-1) for f in found]), np.tile(np.arange(found[0].size), len(found))
        keys = dict(task=task, maps=kind)
        base = intervals.mean_interval(share, **options, groups=heads)
        out.add("heterogeneous, all heads", base, share.size, **keys)
        flags = np.concatenate([a.reshape(-1) for a in alive]) if alive else np.zeros(0, bool)
        among = gap = UNDEFINED
        if flags.any():
            among = intervals.mean_interval(share[flags], **options, groups=heads[flags])
            gap = intervals.bootstrap([share, flags], _gap, **options, groups=heads, bounds=(-1.0, 1.0))
            if kind == "weights":
                interval = intervals.mean_interval(flags, **options, groups=heads)
                out.add("share of heads surviving", interval, flags.size, task=task)
        out.add("heterogeneous, survivors", among, flags.sum(), **keys)
        out.add("heterogeneous, survivors - all heads", gap, flags.sum(), **keys)
    return out
