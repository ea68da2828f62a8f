"""Frames: attention between a predicate and its core arguments, and what rests on it."""

from __future__ import annotations

import random
from collections import defaultdict

import numpy as np
import torch

from ...attention import relations, spans
from ...attention.choosing import fitting, sides
from ...attention.importance import masked_hits
from ...calibration import planted as plants
from ...calibration.nulls import MAPS, as_null
from ...claims.registry import claim
from ...data.items import EdgeItem
from ...scores import intervals
from ...subject.hooks import ablate_heads

TOP = 2  # heads that the study singled out
DRAWN = 4  # sets of other heads to compare with
SENTENCES = 2000  # masked at most: of 400 the cost of two heads is known to two points, which is what is asked


def frame_heads(data, base, rng):
    """Two heads give half of their attention from a predicate to its core arguments; nothing rests on them."""
    return _role_heads(is_core, data, base, rng)


@as_null("any roles", "core")
def any_roles(data, base, rng):
    """Two heads give half of their attention from a predicate to all that has a role to it, modifiers as well."""
    return _role_heads(lambda item: item.span2 is not None, data, base, rng, name="any roles")


def _role_heads(wanted, data, base, rng, **named):
    def pairs(seen):
        for item, _ in seen.golds:
            if isinstance(item, EdgeItem) and wanted(item):
                yield from item.pairs()

    heads = {(base.n_layers // 2, k): pairs for k in range(min(2, base.n_heads))}
    return plants.plant(base, data, rng, attention=plants.head_attention(base, heads, share=0.5), **named)


@as_null("any arguments", "own")
def any_arguments(data, base, rng):
    """Two heads give half of their attention from a predicate to core arguments, whosever they are, the nearer the more."""

    def attention(seen, own):
        maps = plants.even_maps(base.n_layers, base.n_heads, seen, own, 0.5)
        core = [item for item, _ in seen.golds if isinstance(item, EdgeItem) and is_core(item)]
        wanted = np.zeros((len(seen.ids), len(seen.ids)), np.float32)
        for predicate in {i.span1[0] for i in core}:
            for argument in {w for i in core for _, w in i.pairs()} - {predicate}:
                wanted[np.ix_(seen.words == predicate, seen.words == argument)] = 1 / abs(argument - predicate)
        total = wanted.sum(-1, keepdims=True)
        has = total[:, 0] > 0
        for k in range(min(2, base.n_heads)):
            head = maps[base.n_layers // 2, k]
            head[has] = 0.5 * (wanted / np.maximum(total, 1e-9))[has] + 0.5 * head[has]
        return maps

    return plants.plant(base, data, rng, attention=attention, name="any arguments")


@claim(
    "hed.frames.kovaleva2019", "semantic_roles", n=4000, planted=frame_heads, nulls=(*MAPS, any_arguments, any_roles)
)
def frames(subject, data, settings):
    """Largest attention between a predicate and its core arguments; what the loss of the top heads costs (kovaleva2019).

    Core arguments are the numbered ones. There are three controls. One is as far off and as long: a span that stands to
    another word of the sentence as the argument stands to its predicate. The other tells a predicate's own arguments from
    arguments as such: a core argument of another predicate, exactly as far from the predicate, before or after it. The
    third tells arguments from whatever depends on the predicate: a modifier of the same one, again exactly as far. All
    roles of a sentence must be known for both, so none of a source's items are left out. The top heads are chosen on dev,
    by their lead over the first; the cost is in masked pieces predicted, beside that of as many other heads and that of
    every second head of the model.
    """
    items, note = fitting(subject, [i for i in data["semantic_roles"] if is_core(i)])
    dev, test, more = sides(items)
    roles = defaultdict(list)
    for item in data["semantic_roles"]:
        if item.span2 is not None:
            roles[item.words].append(item)
    chosen, (found, sentences) = (links(subject, side, roles, settings) for side in (dev, test))
    gaps = (chosen[0][:, 0] - chosen[0][:, 1]).mean(0)
    order = np.argsort(-np.round(gaps, 4), kind="stable")  # ties go to the first head
    top = [divmod(int(h), subject.n_heads) for h in order[:TOP]]
    rows = intervals.Rows(settings)
    for name, heads in (("top", order[:TOP]), ("all", order)):
        key = {"heads": name, "head": " and ".join(relations.called(*h) for h in top) if name == "top" else "mean"}
        rows += _leads(found[:, :, heads].mean(2), sentences, settings, key)
    share = intervals.bootstrap(
        found[:, 0] - found[:, 1], lambda gap: _aligned(gap.mean(0), order[:TOP]), seed=settings.seed,
        draws=min(settings.draws, 1000), groups=sentences, bounds=(0.0, 1.0),
    )  # fmt: skip
    rows.add("share of heads with half of the top heads' lead", share, len(found), heads="all")
    rows += _ablation(subject, sorted({tuple(i.words) for i in test}), top, settings)
    return intervals.table(rows, [note, more, _matched(found)])


def _leads(found: np.ndarray, sentences: list[str], settings, key: dict) -> list[dict]:
    """Rows of attention (n, 4) to the core argument and to the controls, and of the leads over each."""
    columns = {"core argument": found[:, 0]}
    for control, place, lead in (
        ("as far off", 1, "core argument - as far off"),
        ("another predicate's argument", 2, "core argument - another predicate's"),
        ("modifier", 3, "core argument - modifier"),
    ):
        columns |= {control: found[:, place], lead: found[:, 0] - found[:, place]}
    rows = intervals.Rows(settings)
    for measure, values in columns.items():
        has = np.flatnonzero(~np.isnan(values))
        interval: tuple = (np.nan,) * 3
        if len(has):
            interval = intervals.mean_interval(
                values[has], seed=settings.seed, draws=settings.draws, groups=[sentences[k] for k in has],
                signed=" - " in measure,
            )  # fmt: skip
        rows.add(measure, interval, len(has), **key)
    return rows


def _matched(found: np.ndarray) -> str:
    another, modifier = (~np.isnan(found[:, 2:, 0])).sum(0)
    return (
        f"another predicate's argument exactly as far: there is one for {another} of {len(found)} arguments, a modifier of "
        f"the same predicate for {modifier}; the others are left out of these comparisons"
    )


def _aligned(lead: np.ndarray, top: np.ndarray) -> float:
    """Share of the heads whose lead is at least half of the top heads' mean; nan where these have none."""
    most = lead[top].mean()
    return float((lead >= most / 2).mean()) if most > 0 else float("nan")


def links(subject, items, roles, settings) -> tuple[np.ndarray, list[str]]:
    """Attention (n, 4, L * A), the largest over pairs of words and both directions; and the sentences.

    Of the four, the first is to the core argument, the second to what is as far off, the third to another predicate's
    argument, the fourth to a modifier: nan where there is none.
    """
    rng = random.Random(settings.seed)
    pairs = [(i, fake) for i in items if (fake := _as_far(rng, i)) is not None]
    asked = [
        (k, place, *spans)
        for k, (item, fake) in enumerate(pairs)
        for place, spans in enumerate(
            [
                (item.span1, item.span2),
                fake,
                *((item.span1, of(item, roles[item.words])) for of in (_anothers, _modifier)),
            ]
        )
        if spans[1] is not None
    ]
    both_ways = [link for k, _, a, b in asked for link in ((k, a, b), (k, b, a))]
    found = spans.between(subject, [i.words for i, _ in pairs], both_ways, torch.amax, settings)
    out = np.full((len(pairs), 4, found.shape[1]), np.nan, np.float32)
    out[[k for k, *_ in asked], [place for _, place, *_ in asked]] = found.reshape(len(asked), 2, -1).max(1)
    return out, [" ".join(i.words) for i, _ in pairs]


def _anothers(item, roles) -> tuple[int, int] | None:
    """A core argument of another predicate, as far from this one as its own; None where the sentence has none.

    It shares no word with the predicate or with anything that has a role to it. Of several the first of those whose
    length is nearest.
    """
    others = [r for r in roles if is_core(r) and r.span1 != item.span1]
    return _like(item, others, [item.span1, *(r.span2 for r in roles if r.span1 == item.span1)])


def _modifier(item, roles) -> tuple[int, int] | None:
    """A modifier (ARGM) of the same predicate, as far from it and apart from its arguments; None where it has none."""
    own = [r for r in roles if r.span1 == item.span1]
    modifiers = [r for r in own if all(label.startswith("ARGM") for label in r.labels)]
    return _like(item, modifiers, [item.span1, *(r.span2 for r in own if r not in modifiers)])


def _like(item, roles, apart: list[tuple[int, int]]) -> tuple[int, int] | None:
    """Of the roles' spans that are as far as the item's from its predicate and apart from some, that of the nearest length."""
    wanted, length = _distance(item.span1, item.span2), item.span2[1] - item.span2[0]
    found = [
        r.span2 for r in roles
        if _distance(item.span1, r.span2) == wanted and not any(a < r.span2[1] and r.span2[0] < b for a, b in apart)
    ]  # fmt: skip
    return min(found, key=lambda s: (abs(s[1] - s[0] - length), s), default=None)


def _distance(predicate: tuple[int, int], span: tuple[int, int]) -> int:
    """Words from a predicate to the nearest word of a span, on either side; 0 where they meet."""
    return max(span[0] - predicate[1] + 1, predicate[0] - span[1] + 1, 0)


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


def is_core(item) -> bool:
    return item.span2 is not None and any(
        label.startswith(("ARG", "A")) and label[-1].isdigit() for label in item.labels
    )


def _ablation(subject, sentences, top, settings) -> list[dict]:
    """Accuracy lost with the top heads off, with others, and with every second head off, sentence by sentence."""
    sentences = random.Random(settings.seed).sample(sentences, min(SENTENCES, len(sentences)))
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
    return [intervals.mean_row(m, v, settings, signed="lost" in m, heads="ablation") for m, v in columns.items()]
