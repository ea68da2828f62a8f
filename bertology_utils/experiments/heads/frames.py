"""Frames: attention between a predicate and its core arguments, and what rests on it."""

from __future__ import annotations

import random

import numpy as np
import torch

from ...attention import relations, spans
from ...attention.choosing import fitting, sides
from ...attention.importance import masked_hits
from ...calibration import planted as plants
from ...claims.registry import claim
from ...data.items import EdgeItem
from ...scores import intervals
from ...subject.hooks import ablate_heads

TOP = 2  # heads that the study singled out
DRAWN = 4  # sets of other heads to compare with


def frame_heads(data, base, rng):
    """Two heads give half of their attention from a predicate to its core arguments; nothing rests on them."""

    def pairs(seen):
        for item, _ in seen.golds:
            if isinstance(item, EdgeItem) and _core(item):
                yield from item.pairs()

    heads = {(base.n_layers // 2, k): pairs for k in range(min(2, base.n_heads))}
    return plants.plant(base, data, rng, attention=plants.head_attention(base, heads, share=0.5))


@claim(
    "hed.frames.kovaleva2019", tasks="semantic_roles", n=4000, limit=2000, planted=frame_heads,
    nulls=("untrained", "positions", "bag of words", "coin"),
)  # fmt: skip
def frames(subject, data, settings):
    """Largest attention between a predicate and its core arguments; what the loss of the top heads costs (kovaleva2019).

    Core arguments are the numbered ones. The control is as far off and as long: a span that stands to another word of
    the sentence as the argument stands to its predicate. The top heads are chosen on dev; the cost is in masked pieces
    predicted, beside that of as many other heads and that of every second head of the model.
    """
    items, note = fitting(subject, [i for i in data["semantic_roles"] if _core(i)])
    dev, test, more = sides(items)
    both = [_links(subject, side, settings) for side in (dev, test)]
    gaps = (both[0][0][:, 0] - both[0][0][:, 1]).mean(0)
    order = np.argsort(-np.round(gaps, 4), kind="stable")  # ties go to the first head
    top = [divmod(int(h), subject.n_heads) for h in order[:TOP]]
    found, sentences = both[1]
    options = dict(seed=settings.seed, draws=settings.draws, groups=sentences)
    rows = []
    for name, heads in (("top", order[:TOP]), ("all", order)):
        columns = {"core argument": found[:, 0][:, heads].mean(1), "as far off": found[:, 1][:, heads].mean(1)}
        columns["core argument - as far off"] = columns["core argument"] - columns["as far off"]
        key = {"heads": name, "head": " and ".join(relations.called(*h) for h in top) if name == "top" else "mean"}
        for measure, values in columns.items():
            interval = intervals.mean_interval(values, **options, signed=" - " in measure)
            rows.append(intervals.row(measure, interval, len(values), **key))
    share = intervals.bootstrap(
        found[:, 0] - found[:, 1], lambda gap: _aligned(gap.mean(0), order[:TOP]), seed=settings.seed,
        draws=min(settings.draws, 1000), groups=sentences, bounds=(0.0, 1.0),
    )  # fmt: skip
    rows.append(intervals.row("share of heads with half of the top heads' lead", share, len(found), heads="all"))
    rows += _ablation(subject, sorted({tuple(i.words) for i in test}), top, settings)
    return intervals.table(rows, [note, more])


def _aligned(lead: np.ndarray, top: np.ndarray) -> float:
    """Share of the heads whose lead is at least half of the top heads' mean; nan where these have none."""
    most = lead[top].mean()
    return float((lead >= most / 2).mean()) if most > 0 else float("nan")


def _links(subject, items, settings) -> tuple[np.ndarray, list[str]]:
    """Attention (n, core or control, L * A), the largest over pairs of words and both directions; and the sentences."""
    rng = random.Random(settings.seed)
    pairs = [(k, i, fake) for k, i in enumerate(items) if (fake := _as_far(rng, i)) is not None]
    links = []
    for k, item, fake in pairs:
        for a, b in ((item.span1, item.span2), fake):
            links += [(k, a, b), (k, b, a)]
    found = spans.between(subject, [i.words for i in items], links, torch.amax, settings)
    return found.reshape(len(pairs), 2, 2, -1).max(2), [" ".join(i.words) for _, i, _ in pairs]


def _as_far(rng: random.Random, item) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Another word and a span that stands to it as the argument to the predicate; None where the sentence has none."""
    spans = (item.span1, item.span2)
    steps = [s for s in range(-len(item.words), len(item.words)) if s]
    free = [
        s for s in steps
        if all(a + s >= 0 and b + s <= len(item.words) for a, b in spans)
        and item.span1[0] + s not in range(*item.span2)  # the argument's own words say something of the predicate
    ]  # fmt: skip
    if not free:
        return None
    step = rng.choice(free)
    first, second = ((a + step, b + step) for a, b in spans)
    return first, second


def _core(item) -> bool:
    return item.span2 is not None and any(
        label.startswith(("ARG", "A")) and label[-1].isdigit() for label in item.labels
    )


def _ablation(subject, sentences, top, settings) -> list[dict]:
    """Accuracy lost with the top heads off, with others, and with every second head off, sentence by sentence."""
    sentences = random.Random(settings.seed).sample(sentences, min(400, len(sentences)))
    rng = random.Random(settings.seed)
    every = [(a, b) for a in range(subject.n_layers) for b in range(subject.n_heads)]
    others = [h for h in every if h not in top]
    whole = masked_hits(subject, sentences, settings)

    def lost(heads) -> np.ndarray:
        with ablate_heads(subject, heads):
            return whole - masked_hits(subject, sentences, settings)

    drawn = np.mean([lost(rng.sample(others, min(TOP, len(others)))) for _ in range(DRAWN)], 0)
    columns = {
        "accuracy, all heads": whole,
        "accuracy lost without the top heads": (without := lost(top)),
        "accuracy lost without as many others": drawn,
        "accuracy lost, top - other heads": without - drawn,
        "accuracy lost without every second head": lost(every[::2]),
    }
    options = dict(seed=settings.seed, draws=settings.draws)
    return [
        intervals.row(m, intervals.mean_interval(v, **options, signed="lost" in m), len(v), heads="ablation")
        for m, v in columns.items()
    ]
