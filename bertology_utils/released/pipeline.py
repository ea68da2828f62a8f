"""The classical pipeline in the layers: cumulative scores and mixing weights (Tenney et al. 2019a), computed again."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from bertology_utils.released import released
from bertology_utils.released.edge_probing import FOLDER
from bertology_utils.released.files import Files
from bertology_utils.scores.counts import (
    DRAWS,
    centre_of_gravity,
    expected_layer,
    f1_draws,
    kl_from_uniform,
    only,
    percentiles,
)
from bertology_utils.scores.intervals import row, spearman, table

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
LARGE = "bert-large-uncased"
CUMULATIVE, WEIGHTS = "bert_large_cumulative_scores_and_expected_layer.csv", "bert_large_mixing_weights.csv"
TABLE = "layer_scores_edge_probing.csv"
NOTEBOOK = dict(study="tenney2019a", label="authors", folder=FOLDER)
SCORES = dict(study="tenney2019a", label="authors", folder="tenney2019a_released", files=(TABLE,))


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
        draws = np.stack([f1_draws(*c, seed=100 * k + i) for i, c in enumerate(counts)], 1)
        found[task] = part.score.to_numpy(float), draws
    return found


def cumulative_scores(files: Files) -> dict[str, dict[str, np.ndarray]]:
    """Subject -> task -> cumulative scores (13 or 25 layers) from the table of both sizes (as fractions)."""
    frame = files.csv(TABLE).set_index("display_row") / 100
    found: dict[str, dict[str, np.ndarray]] = {}
    for subject in ("bert-base-uncased", LARGE):
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


@released(
    "lay.pipeline.tenney2019a",
    stance="qualifies",
    files=(CUMULATIVE, WEIGHTS),
    **NOTEBOOK,
    note="BERT-large: cumulative scores with decision counts, and mixing weights; expected layers and centres "
    "of gravity are computed here. Parts of speech come first and coreference and relations late, as the "
    "survey says; but entities come before dependencies by expected layer, and by mixing weights "
    "proto-roles and relations lie low, so that only the first six stages roughly keep their order.",
)
def pipeline(files: Files) -> pd.DataFrame:
    """Expected layer and centre of gravity by task, and their rank correlation with the pipeline's order."""
    rows, expected, draws = [], [], []
    for task, (score, drawn) in cumulative_draws(files).items():
        expected.append(float(expected_layer(score)))
        draws.append(expected_layer(drawn))
        rows.append(row("expected layer", percentiles(expected[-1], draws[-1]), 0, subject=LARGE, task=task))
    centres = [centre_of_gravity(w) for w in mixing_weights(files).values()]
    rows += [row("centre of gravity", only(c), 0, subject=LARGE, task=t) for t, c in zip(PIPELINE.values(), centres)]
    for name, k in (("all eight", len(PIPELINE)), ("POS to coreference", STAGES)):
        order = np.arange(k)
        drawn = np.array([spearman(order, d) for d in np.stack(draws[:k], 1)])
        for measure, interval in (
            ("expected layer", percentiles(spearman(order, np.array(expected[:k])), drawn)),
            ("centre of gravity", only(spearman(order, np.array(centres[:k])))),
        ):
            rows.append(row(f"Spearman of pipeline order and {measure}", interval, k, subject=LARGE, task=name))
    return table(rows)


@released(
    "lay.pipeline.tenney2019a",
    stance="qualifies",
    **SCORES,
    note="Cumulative scores of both sizes as a table without counts, so without intervals. In base as in large "
    "POS comes before coreference and relations.",
)
def pipeline_both_sizes(files: Files) -> pd.DataFrame:
    """Expected layer by task for base and large."""
    rows = []
    for subject, tasks in cumulative_scores(files).items():
        expected = {task: float(expected_layer(s)) for task, s in tasks.items()}
        rows += [row("expected layer", only(v), 0, subject=subject, task=t) for t, v in expected.items()]
        rank = spearman(np.arange(len(expected)), np.array(list(expected.values())))
        rows.append(
            row("Spearman of pipeline order and expected layer", only(rank), len(expected), subject=subject, task="all")
        )
    return table(rows)


@released(
    "lay.chunks_conflict.liu2019a",
    stance="supports",
    files=(CUMULATIVE, WEIGHTS),
    **{**NOTEBOOK, "label": "related"},
    note="Constituents, the nearest task to chunks, in BERT-large: their expected layer is among the lowest, "
    "but their mixing weights centre in the middle. The same release thus gives both answers, by the "
    "measure one takes.",
)
def constituents(files: Files) -> pd.DataFrame:
    """Expected layer and centre of gravity of constituents, as shares of depth, and their places among the tasks."""
    rows = []
    cumulative = cumulative_draws(files)
    expected = {t: (float(expected_layer(s)), expected_layer(d)) for t, (s, d) in cumulative.items()}
    centres = {t: centre_of_gravity(w) for t, w in mixing_weights(files).items()}
    depth = len(cumulative["constituents"][0]) - 1
    value, draws = expected["constituents"]
    for measure, interval in (
        ("expected layer", percentiles(value, draws)),
        ("centre of gravity", only(centres["constituents"])),
    ):
        rows.append(row(measure, interval, 0, subject=LARGE, task="constituents"))
        rows.append(
            row(f"{measure} / depth", tuple(x / depth for x in interval), 0, subject=LARGE, task="constituents")
        )
    places = ({t: v for t, (v, _) in expected.items()}, centres)
    for measure, values in zip(("expected layer", "centre of gravity"), places):
        place = sorted(values, key=values.get).index("constituents") + 1
        rows.append(
            row(f"place by {measure} (1 = lowest)", only(place), len(values), subject=LARGE, task="constituents")
        )
    return table(rows)


@released(
    "lay.semantics_spread.tenney2019a",
    stance="qualifies",
    files=(WEIGHTS,),
    **NOTEBOOK,
    note="Mixing weights of BERT-large: relations and proto-roles use all layers almost alike. The semantic "
    "tasks are flatter on average, but with eight tasks the interval of the difference just reaches 0: "
    "coreference and roles are peaked, POS rather flat.",
)
def spread(files: Files) -> pd.DataFrame:
    """KL divergence of the mixing weights from uniform (bits) by task, and syntactic minus semantic mean over tasks."""
    kl = {task: kl_from_uniform(w) for task, w in mixing_weights(files).items()}
    rows = [row("KL from uniform (bits)", only(v), 0, subject=LARGE, task=t) for t, v in kl.items()]
    syntactic = np.array([v for t, v in kl.items() if t in SYNTACTIC])
    semantic = np.array([v for t, v in kl.items() if t not in SYNTACTIC])
    rng = np.random.default_rng(0)
    draws = [a[rng.integers(0, len(a), (DRAWS, len(a)))].mean(1) for a in (syntactic, semantic)]
    rows.append(
        row(
            "KL, syntactic - semantic tasks",
            percentiles(syntactic.mean() - semantic.mean(), draws[0] - draws[1]),
            len(kl),
            subject=LARGE,
            task="all",
        )
    )
    return table(rows)
