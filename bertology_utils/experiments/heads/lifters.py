"""Which heads survive pruning after fine-tuning, and what do their maps look like?"""

from __future__ import annotations

import numpy as np

from ... import finetune
from ...attention import patterns
from ...claims.registry import claim
from ...compress import importance
from ...scores import intervals
from ...scores.profiles import UNDEFINED
from ...subject.hooks import ablate_heads

SEEDS = 2
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


@claim("hed.heavy_lifters.prasanna2020", ("paraphrase", "entailment"), n=400, limit=2000, quick=60)
def heavy_lifters(subject, data, settings):
    """Patterns of the heads that survive pruning after fine-tuning, by weights and by norms (prasanna2020).

    Heads go by importance (michel2019), a tenth at a time, while the dev accuracy stays above nine tenths of the whole
    model's. Intervals are over heads, the same head in all seeds drawn together. Where fine-tuning does not bring the
    accuracy above the majority label's by an interval, no head lifts anything: there are no survivors, their share
    stays undefined and other seeds are not tried.
    """
    rows, notes = [], []
    for task, items in data.items.items():
        kept, note = finetune.fitting(subject, items)
        train, dev, test = ([i for i in kept if i.split == s] for s in ("train", "dev", "test"))
        right, alive, mixed = _trained(subject, train, dev, test, settings)
        held = [*dev, *test] if dev else test
        rows += _accuracy(right, finetune.constant(train, held), settings, task)
        learnt = len(alive) == SEEDS
        notes += [note, "" if learnt else f"{task}: the tuned model does not beat the majority label: no survivors"]
        rows += _rows(alive if learnt else [], mixed, settings, task)
    return intervals.table(rows, notes)


def _trained(subject, train, dev, test, settings) -> tuple[list, list, dict]:
    """By seed: which held-out items are right, which heads survive (none where nothing is learnt), patterns' shares."""
    held = [*dev, *test] if dev else test
    majority = finetune.constant(train, held)
    right, alive = [], []
    mixed: dict[str, list] = {"weights": [], "norms": []}
    for seed in range(settings.seed, settings.seed + SEEDS):
        tuned = finetune.classify(subject, train, finetune.Recipe(seed=seed, batch=16))
        right.append(tuned.right(held, settings))
        for kind, share in _heterogeneous(tuned, test[:60], settings).items():
            mixed[kind].append(share)
        lead = intervals.mean_interval(
            np.mean(right, 0) - majority, seed=settings.seed, draws=settings.draws, signed=True
        )
        if not lead[1] > 0:
            break
        alive.append(_survivors(tuned, importance.heads(tuned, train[:100], settings), dev or test, settings))
    return right, alive, mixed


def _accuracy(right: list, majority: np.ndarray, settings, task: str) -> list[dict]:
    lead = np.array(right, float) - majority
    return [
        intervals.mean_row("accuracy", np.array(right, float), settings, task=task),
        intervals.mean_row("accuracy, majority", majority, settings, task=task),
        intervals.mean_row("accuracy - majority", lead.mean(0), settings, signed=True, task=task),
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
