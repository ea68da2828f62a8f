"""The classical pipeline in the layers: cumulative scores and mixing weights (Tenney et al. 2019a), computed again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from bertology_rescore.counts import DRAWS, f1_draws
from bertology_rescore.curves import released_row
from bertology_rescore.files import Files
from bertology_utils.scores import cumulative
from bertology_utils.scores.counts import centre_of_gravity, expected_layer, kl_from_uniform
from bertology_utils.scores.intervals import interval as percentiles
from bertology_utils.scores.intervals import row, table
from bertology_utils.scores.profiles import UNDEFINED, Profile, interval, thirds

# The study's tasks in the order of the classical pipeline, which is also the order of its figure.
PIPELINE = {
    "pos-ontonotes": "POS",
    "nonterminal-ontonotes": "constituents",
    "dep-labeling-ewt": "dependencies",
    "ner-ontonotes": "entities",
    "srl-conll2012": "roles",
    "coref-ontonotes-conll": "coreference",
    "spr1": "proto-roles",
    "rel-semeval": "relations",
}
STAGES = 6  # the stages the survey names: POS to coreference
SYNTACTIC = ("POS", "constituents", "dependencies")
SEMANTIC = ("entities", "roles", "coreference")  # of the stages
MEANING = (*SEMANTIC, "proto-roles", "relations")  # of all tasks
BASE, LARGE = "bert-base-uncased", "bert-large-uncased"
BY_SIZE = "bert_base_large_scores_by_layer.csv"
CUMULATIVE, WEIGHTS = "bert_large_cumulative_scores_and_expected_layer.csv", "bert_large_mixing_weights.csv"


def cumulative_draws(files: Files) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Task -> cumulative F1 of BERT-large (25,) and (draws, 25) resampled from the released decision counts.

    Each layer's decisions are resampled on their own, since which decisions were right was not released: wider than a
    paired interval would be. For coreference the study's score is the F1 of the positive class, as here.
    """
    frame = files.csv(CUMULATIVE)
    found = {}
    for k, (key, task) in enumerate(PIPELINE.items()):
        part = frame[frame.task == key].sort_values("layer_num")
        counts = part[["tp_count", "fp_count", "fn_count", "tn_count"]].to_numpy().astype(int)
        draws = np.stack([f1_draws(tp, fp, fn, tn, seed=100 * k + i) for i, (tp, fp, fn, tn) in enumerate(counts)], 1)
        found[task] = part.score.to_numpy(float), draws
    return found


def cumulative_scores(files: Files) -> dict[str, dict[str, np.ndarray]]:
    """Subject -> task -> cumulative scores (13 or 25 layers) from the table of both sizes (as fractions)."""
    frame = files.csv(BY_SIZE).set_index("display_row") / 100
    found: dict[str, dict[str, np.ndarray]] = {}
    for subject in (BASE, LARGE):
        columns = [c for c in frame.columns if re.match(rf"{subject}-mix-\d\d ", c)]
        for key, task in PIPELINE.items():
            (name,) = [i for i in frame.index if i.startswith(key + "-")]
            found.setdefault(subject, {})[task] = frame.loc[name, sorted(columns)].to_numpy(float)
    return found


def mixing_weights(files: Files) -> dict[str, np.ndarray]:
    """Task -> mixing weights of BERT-large by layer; where two runs were released, their mean."""
    frame = files.csv(WEIGHTS)
    return {
        task: frame[frame.task == key].groupby("layer_num").layer_weight.mean().to_numpy()
        for key, task in PIPELINE.items()
    }


def profiles(files: Files) -> dict[str, dict[str, Profile]]:
    """Subject -> task -> cumulative scores of both sizes with draws; `n` counts the gold labels.

    Large's draws come from its decision counts. Base was scored on the same items, but released without counts: each
    of its scores is drawn as a normal figure with the half-width that was released for large where its score is nearest.
    """
    frame = files.csv(CUMULATIVE)
    sizes = frame[["tp_count", "fn_count"]].sum(axis=1).groupby(frame.task).first().astype(int)
    large = {
        task: Profile(score, drawn, int(sizes[key]))
        for key, (task, (score, drawn)) in zip(PIPELINE, cumulative_draws(files).items())
    }
    base = {}
    for j, (key, task) in enumerate(PIPELINE.items()):
        score, known = cumulative_scores(files)[BASE][task], frame[frame.task == key]
        nearest = np.abs(known.score.to_numpy()[:, None] - score).argmin(0)
        half = known.score_errn95.to_numpy()[nearest]
        noise = np.random.default_rng(j).standard_normal((DRAWS, len(score))) * half / 1.96
        base[task] = Profile(score, score + noise, int(sizes[key]))
    return {BASE: base, LARGE: large}


def mean_row(measure: str, figure: Callable, tasks: Iterable[str], found: dict[str, Profile], **keys) -> dict:
    """A figure's mean over some tasks."""
    mean = cumulative.mean_of([figure(found[t]) for t in tasks])
    return row(measure, UNDEFINED if mean is None else interval(*mean), sum(found[t].n for t in tasks), **keys)


def gap_row(measure: str, figure: Callable, first: Iterable[str], second: Iterable[str], found, **keys) -> dict:
    """A figure's mean over some tasks less that over others; n counts the tasks."""
    one, two = (cumulative.mean_of([figure(found[t]) for t in part]) for part in (first, second))
    if one is None or two is None:
        return row(measure, UNDEFINED, len((*first, *second)), **keys)
    (a, drawn_a), (b, drawn_b) = one, two
    return row(measure, interval(a - b, drawn_a - drawn_b), len((*first, *second)), **keys)


def gain_rows(found: dict[str, Profile], kinds: dict[str, Iterable[str]], **keys) -> list[dict]:
    """What all layers add to the embeddings, by task and over kinds of task."""
    rows = [row("gain over embeddings", interval(*cumulative.gain(p)), p.n, **keys, task=t) for t, p in found.items()]
    means = {"all": tuple(PIPELINE.values())[:STAGES]} | kinds
    return rows + [
        mean_row("gain over embeddings", cumulative.gain, tasks, found, **keys, task=kind)
        for kind, tasks in means.items()
    ]


def pipeline(files: Files) -> pd.DataFrame:
    """Expected layer of each task, the share of pairs of stages in order, and how much later meaning comes."""
    rows = []
    for subject, found in profiles(files).items():
        keys = {"subject": subject}
        for task, p in found.items():
            rows.append(row("expected layer", interval(*cumulative.expected(p)), p.n, **keys, task=task))
            rows.append(row("expected layer / depth", interval(*cumulative.expected_depth(p)), p.n, **keys, task=task))
            plain = percentiles(float(expected_layer(p.value)), expected_layer(p.draws))
            rows.append(row("expected layer, drops counted", plain, p.n, **keys, task=task))
        rows += gain_rows(found, {"syntactic": SYNTACTIC, "semantic": SEMANTIC}, **keys)
        stages = [cumulative.expected_depth(found[t]) for t in tuple(PIPELINE.values())[:STAGES]]
        share, n = cumulative.in_order(stages)
        rows.append(row("pairs in order by expected layer", share, n, **keys, task="all"))
        gap = gap_row("expected depth, semantic - syntactic", cumulative.expected_depth, SEMANTIC, SYNTACTIC, found)
        rows.append(gap | keys | {"task": "all", "n": sum(found[t].n for t in (*SEMANTIC, *SYNTACTIC))})
    centres = {t: centre_of_gravity(w) for t, w in mixing_weights(files).items()}
    rows += [released_row("centre of gravity", c, subject=LARGE, task=t) for t, c in centres.items()]
    share, n = cumulative.in_order([(c, np.array([c])) for c in list(centres.values())[:STAGES]])
    rows.append(row("pairs in order by centre of gravity", share, n, subject=LARGE, task="all"))
    return table(rows)


def constituents(files: Files) -> pd.DataFrame:
    """What layers add for constituents: how low, and how much lower than for dependencies and roles; centre of gravity."""
    rows = []
    for subject, tasks in profiles(files).items():
        keys, p = {"subject": subject, "task": "constituents"}, tasks["constituents"]
        rows.append(row("gain, low - high", interval(*cumulative.low_less_high(p)), p.n, **keys))
        rows.append(row("gain over embeddings", interval(*cumulative.gain(p)), p.n, **keys))
        rows.append(row("expected layer / depth", interval(*cumulative.expected_depth(p)), p.n, **keys))
        for other in ("dependencies", "roles"):
            gap = gap_row(
                "expected depth over constituents", cumulative.expected_depth, [other], ["constituents"], tasks
            )
            rows.append(gap | keys | {"task": other, "n": p.n + tasks[other].n})
        places = {t: cumulative.expected(q)[0] for t, q in tasks.items()}
        place = sorted(places, key=lambda t: places[t]).index("constituents") + 1
        rows.append(released_row("place by expected layer (1 = lowest)", place, len(places), **keys))
    keys, centres = keys | {"subject": LARGE}, {t: centre_of_gravity(w) for t, w in mixing_weights(files).items()}
    rows.append(released_row("centre of gravity / depth", centres["constituents"] / p.depth, **keys))
    place = sorted(centres, key=lambda t: centres[t]).index("constituents") + 1
    rows.append(released_row("place by centre of gravity (1 = lowest)", place, len(centres), **keys))
    return table(rows)


def spread(files: Files) -> pd.DataFrame:
    """K(s) and K(delta) in bits by task, syntactic less semantic tasks, and what the layers above a third add."""
    found, keys = profiles(files)[LARGE], {"subject": LARGE}
    rows = gain_rows(found, {"syntactic": SYNTACTIC, "semantic": MEANING}, **keys)
    for task, p in found.items():
        third = thirds(p.depth)[0][-1]
        rows.append(row("KL of gains (bits)", interval(*cumulative.kl_of_gains(p)), p.n, **keys, task=task))
        parts = {"gain of the lowest third": (third, 0), "gain above the lowest third": (p.depth, third)}
        rows += [row(m, p.lead(*layers), p.n, **keys, task=task) for m, layers in parts.items()]
    # tasks are what was sampled, as for the weights below: over their examples alone the difference looks far surer
    gains = {task: float(cumulative.kl_of_gains(p)[0]) for task, p in found.items()}
    rows.append(over_tasks("KL of gains, syntactic - semantic", gains, LARGE))
    sums = {"gain, high - low": cumulative.high_less_low, "gain above the lowest third": cumulative.above_third}
    rows += [mean_row(m, figure, MEANING, found, **keys, task="semantic") for m, figure in sums.items()]
    weights = {task: kl_from_uniform(w) for task, w in mixing_weights(files).items()}
    rows += [released_row("KL of mixing weights (bits)", v, subject=LARGE, task=t) for t, v in weights.items()]
    return table([*rows, over_tasks("KL of mixing weights, syntactic - semantic", weights, LARGE)])


def over_tasks(measure: str, values: dict[str, float], subject: str) -> dict:
    """Mean over the syntactic tasks less that over the others, with an interval over the tasks."""
    kinds = [np.array([v for t, v in values.items() if (t in SYNTACTIC) is side]) for side in (True, False)]
    rng = np.random.default_rng(0)
    drawn = [k[rng.integers(0, len(k), (DRAWS, len(k)))].mean(1) for k in kinds]
    span = interval(kinds[0].mean() - kinds[1].mean(), drawn[0] - drawn[1], clusters=min(map(len, kinds)))
    return row(measure, span, len(values), subject=subject, task="all")
