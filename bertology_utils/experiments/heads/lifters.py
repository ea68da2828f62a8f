"""Which heads survive pruning after fine-tuning, and what do their maps look like?"""

from __future__ import annotations

import numpy as np
import torch

from ... import finetune, stats
from ...attention import patterns
from ...attention.importance import head_importance
from ...claims import claim
from ...encode import batches
from ...hooks import ablate_heads
from ...rules import below

SEEDS = 2
KEPT = 0.9  # of the dev accuracy: what pruning must leave
STEP = 0.1  # of the heads at a time


def _importance(tuned: finetune.Classifier, items, settings) -> np.ndarray:
    """Gate gradients of the classification loss on training items, (L, A)."""
    gold = torch.tensor([tuned.classes.index(i.label) for i in items], device=tuned.subject.device)
    rows = finetune.text_rows(tuned.subject, items)

    def loss(output, labels):
        return torch.nn.functional.cross_entropy(tuned.head(output.last_hidden_state.float()), labels, reduction="sum")

    return head_importance(
        tuned.subject, [(b, gold[b.index]) for b in batches(tuned.subject, rows, settings.batch_tokens)], loss
    )


def _survivors(tuned: finetune.Classifier, importance: np.ndarray, dev, settings) -> np.ndarray:
    """Heads left when the least important are taken off, a tenth at a time, as long as accuracy holds; (L, A) bool."""
    order = np.argsort(importance, axis=None, kind="stable")
    pairs = [divmod(int(h), importance.shape[1]) for h in order]
    floor = KEPT * tuned.right(dev, settings).mean()
    off = 0
    step = max(1, round(STEP * len(pairs)))
    for n in range(step, len(pairs), step):
        with ablate_heads(tuned.subject, pairs[:n]):
            if tuned.right(dev, settings).mean() < floor:
                break
        off = n
    alive = np.ones(importance.size, bool)
    alive[order[:off]] = False
    return alive.reshape(importance.shape)


def _gap(mixed: np.ndarray, alive: np.ndarray) -> float:
    return float(mixed[alive].mean() - mixed.mean()) if alive.any() else float("nan")


@claim(
    "hed.heavy_lifters.prasanna2020",
    tasks=("paraphrase", "entailment"),
    n=600,
    limit=400,
    # five points: survivors that are heterogeneous as often as all heads, or nearly so, are "not above"
    predict=below("heterogeneous, survivors - all heads", 0.05),
)
def heavy_lifters(subject, data, settings):
    """Patterns of the heads that survive pruning after fine-tuning, by weights and by norms (prasanna2020).

    Heads go by importance (michel2019), a tenth at a time, while the dev accuracy stays above nine tenths of the whole
    model's. Intervals are over heads, the same head in all seeds drawn together.
    """
    rows, notes = [], []
    for task, items in data.items.items():
        kept, note = finetune.fitting(subject, items)
        notes.append(note)
        train, dev, test = ([i for i in kept if i.split == s] for s in ("train", "dev", "test"))
        held = [*dev, *test]
        majority = np.mean([i.label == max({i.label for i in train}, key=[i.label for i in train].count) for i in held])
        alive, mixed, right = [], {"weights": [], "norms": []}, []
        for seed in range(settings.seed, settings.seed + SEEDS):
            tuned = finetune.classify(subject, train, finetune.Recipe(seed=seed))
            right.append(tuned.right(held, settings))
            alive.append(_survivors(tuned, _importance(tuned, train[:200], settings), dev, settings))
            pairs = [(i.text.split(), i.text_b.split()) for i in test[:60]]
            for kind, found in mixed.items():
                labels = patterns.classify(
                    tuned.subject, *map(list, zip(*pairs)), norms=kind == "norms", settings=settings
                )
                found.append((labels == patterns.PATTERNS.index("heterogeneous")).mean(0))  # (L, A)
        options = dict(seed=settings.seed, draws=settings.draws)
        rows.append(
            stats.row("accuracy", stats.seeds_by_items(np.array(right, float), **options), len(held), task=task)
        )
        rows.append(stats.row("accuracy, majority", (majority, np.nan, np.nan), len(held), task=task))
        flags = np.stack(alive).reshape(-1)
        heads = np.tile(np.arange(flags.size // SEEDS), SEEDS)
        options |= dict(groups=heads, draws=min(settings.draws, 500))
        rows.append(stats.row("share of heads surviving", stats.mean_interval(flags, **options), flags.size, task=task))
        for kind, found in mixed.items():
            share = np.stack(found).reshape(-1)
            for name, chosen in (("survivors", flags), ("all heads", np.ones_like(flags))):
                interval = stats.mean_interval(share[chosen], seed=settings.seed, draws=500, groups=heads[chosen])
                rows.append(stats.row(f"heterogeneous, {name}", interval, int(chosen.sum()), task=task, maps=kind))
            gap = stats.bootstrap([share, flags], _gap, **options)
            rows.append(stats.row("heterogeneous, survivors - all heads", gap, int(flags.sum()), task=task, maps=kind))
    return stats.table(rows, notes)
