"""Released results on layers: the published figures come out, and agree with what the files say beside them."""

from __future__ import annotations

import numpy as np
import pytest
from released_figures import figures
from released_figures import released_rows as rows
from support import NEEDS_MIRROR

import bertology_rescore as released
from bertology_rescore import scores

pytestmark = NEEDS_MIRROR


def test_expected_layers_order_pos_before_coreference_and_relations():
    for s in scores("lay.pipeline.tenney2019a"):
        for _, part in s.rows[s.rows.measure == "expected layer"].groupby("subject"):
            layer = part.set_index("task").value
            assert layer["POS"] < layer["coreference"] and layer["POS"] < layer["relations"]
            assert layer["entities"] < layer["dependencies"]  # against the survey's order


def test_expected_layers_and_mixing_agree_with_the_released_columns():
    """The notebook printed its own figures beside the scores; ours are computed from the scores alone."""
    from bertology_rescore import Files, files, pipeline

    read = (pipeline.CUMULATIVE, pipeline.WEIGHTS, pipeline.BY_SIZE)
    source = Files(files.mirror(), "released/tenney2019_edge_probing_notebooks", read)
    said = source.csv(pipeline.CUMULATIVE).groupby("task").exp_layer.first()
    weights = source.csv(pipeline.WEIGHTS)
    weights = weights[weights.task != "rel-semeval"].groupby("task")[["weight_exp_layer", "weight_kl_unif"]].first()
    ours = pipeline.pipeline(source).query("subject == 'bert-large-uncased'")
    expected, centre = (
        ours[ours.measure == m].set_index("task").value for m in ("expected layer, drops counted", "centre of gravity")
    )
    spread = pipeline.spread(source)
    kl = spread[spread.measure == "KL of mixing weights (bits)"].set_index("task").value
    for key, task in pipeline.PIPELINE.items():
        assert expected[task] == pytest.approx(said[key], abs=1e-3)
        if key in weights.index:  # relations have two runs, whose mean is taken
            assert centre[task] == pytest.approx(weights.weight_exp_layer[key], abs=1e-3)
            assert kl[task] == pytest.approx(weights.weight_kl_unif[key], abs=1e-3)


def test_the_last_layer_lowers_five_of_eight_tasks_and_some_layer_lowers_each():
    (scored,) = scores("siz.layers_drop.tenney2019a")
    for _, part in scored.rows.groupby("subject"):
        shares = part[part.task == "all"].set_index("measure").value
        assert shares["share of tasks with a negative step"] == 1
        assert shares["share of tasks with a last layer that lowers them"] == 5 / 8
    drops = scored.rows[scored.rows.measure == "largest drop of one layer"]
    assert drops.groupby("subject").task.nunique().tolist() == [8, 8]
    assert (drops.low < drops.value).all() and (drops.value < drops.high).all()
    sure = drops[drops.low > 0].groupby("subject").task.apply(list).to_dict()
    assert sure == {"bert-base-uncased": ["POS"], "bert-large-uncased": ["POS", "constituents", "roles"]}


def test_the_interval_of_the_largest_drop_covers_its_choice_among_the_layers():
    """Scores of 24 equal layers, measured with noise: some step is down, but by none that the interval takes for sure."""
    from bertology_utils.scores.cumulative import largest_drop
    from bertology_utils.scores.profiles import Profile

    rng, sure = np.random.default_rng(0), []
    for _ in range(200):
        scores_ = 0.01 * rng.standard_normal(25)
        value, low, high = largest_drop(Profile(scores_, scores_ + 0.01 * rng.standard_normal((500, 25)), 100))
        assert low < value < high and value > 0
        sure.append(low > 0)
    assert np.mean(sure) <= 0.05
    steep = np.where(np.arange(25) < 12, 0.5, 0.0)
    found = largest_drop(Profile(steep, steep + 0.01 * rng.standard_normal((500, 25)), 100))
    assert found[0] == 0.5 and found[1] > 0.4


def test_sentence_tasks():
    table = rows("lay.sentence_tasks.jawahar2019", "jawahar2019")
    accuracy = table[table.measure == "accuracy"].pivot(index="layer", columns="task", values="value")
    own = released.Files(released._files.mirror(), "released/jawahar2019_via_niu2022", ("*.csv",))
    other = own.csv("jawahar_table2_accuracy.csv").set_index("layer") / 100
    assert np.allclose(accuracy.loc[other.index, other.columns], other, atol=1e-9)
    run = figures(rows("lay.sentence_tasks.jawahar2019", "jklj077 2019"), "subject", "kind", "task")
    for subject in ("bert-base-uncased", "bert-large-uncased"):
        assert run[subject, "surface", "all", "surface: low - rest"] > 0.05
        assert run[subject, "syntactic", "all", "syntactic: middle - rest"] > 0.02
    assert run["bert-base-uncased", "semantic", "all", "semantic: high - rest"] < 0.01  # against the third storey


def test_the_logs_of_the_layers_run_have_the_scores_of_its_table():
    from bertology_rescore import senteval

    source = released.Files(
        released._files.mirror(),
        "released/senteval_layers_jklj077",
        ("senteval_by_layer.csv", "logs/log-mean-*.txt.gz"),
    )
    test = senteval.run_scores(source, senteval.PROBING).loc[senteval.BASE, "mean"]
    dev = senteval.dev_scores(source, senteval.BASE)
    assert list(dev.index) == list(range(13)) and (dev - test).abs().to_numpy().max() < 0.03


def test_structural_probes_peak_inside_the_layers_that_were_run():
    frame = figures(rows("lay.tree_depth.hewitt2019", "Aggarwal 2025"), "set", "layer")
    assert [frame["mean", "best", f"best layer by {m}"] for m in ("UUAS", "distance Spearman", "root accuracy")] == [
        7,
        7,
        7,
    ]
    assert frame["mean", "best", "best layer by depth Spearman"] == 10


def test_profiles_of_base_and_large_correlate():
    for s in scores("lay.base_vs_large.tenney2019a"):
        mean = s.rows[s.rows.measure == "mean profile correlation"].iloc[0]
        assert mean.low > 0.7, s.release.study
