"""The classical pipeline in the layers: cumulative scores and mixing weights (tenney2019a)."""

from __future__ import annotations

import numpy as np

from ...claims.registry import claim
from ...probes import Targets
from ...probes.mixtures import Cumulative, cumulative
from ...scores import intervals
from ...scores.profiles import UNDEFINED, by_refits, interval
from ...settings import Settings
from . import tasks

MOST = 150  # targets a split
SMALLEST = 0.1  # bits by which the kinds must differ
ADDED = f"that the difference must be more than {SMALLEST} bits was added after a first run of model and twin"
REFITS = 5  # of the mixture, on resampled training sentences


def spearmans(order: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Rank correlation of an order (T,) with each row of draws (D, T)."""
    return np.array([intervals.spearman(order, d) for d in draws])


def order_row(measure: str, names: list[str], values: list[float], draws: list[np.ndarray], scope: str) -> dict:
    """Spearman of the tasks' pipeline order and a figure of theirs; undefined below three tasks."""
    known = [k for k, v in enumerate(values) if not np.isnan(v)]
    if scope != "all":
        known = [k for k in known if names[k] in tasks.PIPELINE[: tasks.STAGES]]
    span = UNDEFINED
    if len(known) > 2:
        order = np.arange(len(known))
        drawn = np.stack([draws[k] for k in known], 1)
        drawn = drawn[~np.isnan(drawn).any(1)]
        value, drawn = intervals.spearman(order, np.array([values[k] for k in known])), spearmans(order, drawn)
        span = interval(value, drawn) if measure == "expected layer" else by_refits(value, drawn)
    return intervals.row(f"Spearman of pipeline order and {measure}", span, len(known), task=scope)


def mixed(x: np.ndarray, targets: Targets, settings: Settings) -> Cumulative:
    """Cumulative scores and mixtures with `REFITS` refits, for `tasks.measured`."""
    return cumulative(x, targets, settings, refits=REFITS)


def step_rows(task: str, found: Cumulative) -> list[dict]:
    """Cumulative accuracy by layer and what each added layer brings."""
    p = found.profile
    rows = [intervals.row("cumulative accuracy", s, p.n, task=task, layer=k) for k, s in enumerate(p.scores())]
    rows += [intervals.row("gain of layer", p.lead(k, k - 1), p.n, task=task, layer=k) for k in range(1, p.depth + 1)]
    return rows + plain_rows(task, found)


def plain_rows(task: str, found: Cumulative) -> list[dict]:
    """What the majority label gets right, and the mixture of all layers on control labels."""
    figures = {"majority": found.majority, "control accuracy, all layers": found.control}
    return [intervals.row(m, intervals.mean_interval(v, draws=500), len(v), task=task) for m, v in figures.items()]


@claim(
    "lay.pipeline.tenney2019a",
    tasks=tasks.SOURCES,
    n=800,
    limit=300,
)
def pipeline(subject, data, settings):
    """Expected layer and centre of gravity of each task, and their rank correlation with the pipeline (tenney2019a).

    Linear probes on a learnt mixture of layers 0..l, for each l: the expected layer is the mean layer weighted by what
    each adds. Tasks whose full mixture does not beat the embeddings by an interval have none. Intervals of expected
    layers are over test sentences, of centres of gravity over resampled training sentences.
    """
    found = tasks.measured(subject, tasks.available(data), settings, mixed, most=MOST)
    rows, expected, centres = [], {}, {}
    for task, (f, _) in found.items():
        rows += step_rows(task, f)
        expected[task] = f.profile.expected()
        centres[task] = f.mixture.centre_of_gravity, np.array([m.centre_of_gravity for m in f.resampled])
        spans = ("expected layer", interval(*expected[task])), ("centre of gravity", by_refits(*centres[task]))
        for measure, found_at in spans:
            if not np.isnan(found_at[0]):
                rows.append(intervals.row(measure, found_at, f.profile.n, task=task))
                share = tuple(x / f.profile.depth for x in found_at)
                rows.append(intervals.row(f"{measure} / depth", share, f.profile.n, task=task))
    for measure, figures in (("expected layer", expected), ("centre of gravity", centres)):
        for scope in ("all", "POS to coreference"):
            values, draws = zip(*figures.values())
            rows.append(order_row(measure, list(figures), list(values), list(draws), scope))
    late = [expected[t] for t in ("roles", "relations") if t in expected and not np.isnan(expected[t][0])]
    gap = UNDEFINED
    if late and not np.isnan(expected.get("POS", (np.nan,))[0]):
        value, drawn = (np.mean([x[k] for x in late], 0) - expected["POS"][k] for k in (0, 1))
        gap = interval(value, drawn)
    rows.append(intervals.row("expected layer, roles and relations - POS", gap, len(late), task="all"))
    without = [t for t, e in expected.items() if np.isnan(e[0])]
    gains = f"no gain over the embeddings, so no expected layer: {', '.join(without)}" if without else ""
    few = "" if len(found) > 2 else "fewer than three tasks have no order to speak of"
    return intervals.table(rows, [tasks.note(data, found), few, gains, *(said for _, said in found.values())])


@claim(
    "lay.semantics_spread.tenney2019a",
    tasks=("treebank", "semantic_roles", "proto_roles"),
    n=800,  # as the pipeline's: on generated sentences both look at the same fits
    limit=300,
    # A tenth of a bit: leaving half a layer out of an even mixture of nine takes it log2(9 / 8.5) = 0.08 bits away.
    # Added after the untrained twin had come out above 0 by 0.005 bits.
)
def semantics_spread(subject, data, settings):
    """How far the mixing weights of syntactic and semantic tasks are from uniform, and where examples settle (tenney2019a).

    The interval is over resampled training sentences. An example settles at the lowest layer from which on the
    cumulative probe's answer stays; `hard` are examples that the probe of the embeddings alone gets wrong and the full
    mixture right.
    """
    rows, notes, kl = [], [ADDED], {True: [], False: []}
    found = tasks.measured(subject, tasks.available(data), settings, mixed, most=MOST)
    for task, (f, said) in found.items():
        drawn = np.array([m.kl for m in f.resampled])
        rows.append(intervals.row("KL from uniform (bits)", by_refits(f.mixture.kl, drawn), f.profile.n, task=task))
        weights = np.array([m.weights for m in f.resampled])
        rows += [
            intervals.row("mixing weight", by_refits(w, weights[:, k]), f.profile.n, task=task, layer=k)
            for k, w in enumerate(f.mixture.weights)
        ]
        kl[task in tasks.SYNTACTIC].append((f.mixture.kl, drawn))
        hard = ~f.right[0] & f.right[-1]
        for name, which in (("all", np.ones_like(hard)), ("hard", hard)):
            if which.any():
                options = {"seed": settings.seed, "draws": settings.draws}
                layer = intervals.mean_interval(f.settled[which], **options)
                rows.append(intervals.row(f"settling layer, {name} examples", layer, which.sum(), task=task))
        rows += plain_rows(task, f)
        notes.append(said)
    gap = UNDEFINED
    if kl[True] and kl[False]:
        gap = by_refits(*(np.mean([x[k] for x in kl[True]], 0) - np.mean([x[k] for x in kl[False]], 0) for k in (0, 1)))
    rows.append(intervals.row("KL, syntactic - semantic tasks", gap, len(found), task="all"))
    alone = "" if kl[True] and kl[False] else "tasks of one kind only, so no difference of kinds"
    return intervals.table(rows, [tasks.note(data, found), alone, *notes])
