"""Released results on the mirror: figures are finite, the published ones come out, and the notes are true."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from support import NEEDS_MIRROR
from support import released_rows as rows

from bertology_utils import released
from bertology_utils.released import attention_maps as maps
from bertology_utils.released import claims, heuristics, scores
from bertology_utils.scores.intervals import COLUMNS

pytestmark = NEEDS_MIRROR


def figures(frame, *keys: str):
    return frame.set_index([*keys, "measure"]).value.sort_index()


@pytest.mark.parametrize("claim", claims())
def test_every_scorer_gives_finite_figures_with_their_source(claim):
    found = scores(claim)
    assert found
    for s in found:
        assert len(s.rows) and np.isfinite(s.rows.value).all(), s.study
        assert {"subject", "measure", "value", "low", "high", "n"} <= set(s.rows.columns)
        known = s.rows.dropna(subset=["low", "high"])
        assert s.rows.low.isna().equals(s.rows.high.isna())
        assert (known.low <= known.high).all()
        assert not s.rows.duplicated([c for c in s.rows.columns if c not in COLUMNS or c == "measure"]).any()
        assert "/" in s.source and s.sha256 and all(len(h) == 64 for h in s.sha256.values())
        assert s.rows.attrs.get("notes", []) == []


def test_every_row_of_the_map_for_these_sections_has_a_scorer():
    import csv

    text = (Path(os.environ["BERTOLOGY_MIRROR"]) / "released" / "MAP.csv").read_text()
    wanted = {
        r["ledger_id"]: r["folder"].split("; ")
        for r in csv.DictReader(text.splitlines())
        if r["ledger_id"][:4] in ("emb.", "syn.", "hed.", "lay.", "siz.", "mbt.")
        and r["ledger_id"] != "siz.table1"  # the tables are what the others read
    }
    missing = [
        (claim, folder)
        for claim, folders in wanted.items()
        for folder in folders
        if {f"released/{folder}", f"released/readme_tables/{folder}"}.isdisjoint(s.data for s in scores(claim))
    ]
    assert missing == []


def test_anisotropy_and_self_similarity():
    cosine = rows("emb.anisotropy.ethayarajh2019", "ethayarajh2019").query("subject == 'bert-base-cased'")
    curve = cosine[cosine.measure == "mean cosine"].value.tolist()
    assert curve == [0.105, 0.168, 0.219, 0.245, 0.327, 0.377, 0.420, 0.398, 0.399, 0.484, 0.561, 0.675, 0.477]
    assert cosine.low.notna().all() and (cosine[cosine.measure == "mean cosine"].eval("high - low") > 0.17).all()
    steps = cosine[cosine.measure == "change of mean cosine"].set_index("step")
    assert steps.value["lower to upper"] == pytest.approx(np.mean(curve[9:]) - np.mean(curve[:5]))
    assert steps.low["lower to upper"] > 0.1
    words = rows("emb.context_specificity.ethayarajh2019", "ethayarajh2019")
    falls = words[words.step == "lower to upper"].set_index("measure")
    assert falls.high["change of adjusted self-similarity"] < falls.high["change of relative self-similarity"] < -0.1


def test_senses():
    frame = figures(rows("emb.sense_clusters.wiedemann2019", "Loureiro et al. 2021"), "subject", "word")
    assert round(100 * frame["bert-base-uncased", "all", "micro accuracy"], 2) == 95.71
    assert round(100 * frame["bert-base-uncased", "all", "macro accuracy"], 2) == 93.97
    assert frame["bert-base-uncased", "all", "gain over baseline"] > 0.2
    (scored,) = (s for s in scores("emb.sense_clusters.wiedemann2019") if s.study == "Loureiro et al. 2021")
    assert scored.baselines == ("commonest sense",)
    layers = figures(rows("emb.sense_clusters.wiedemann2019", "Loureiro et al. 2022"), "subject", "task", "layer")
    assert layers["bert-base-uncased", "disambiguation", "best", "best layer"] == 11
    assert layers["bert-base-uncased", "uninformed matching", "best", "best layer"] <= 6


def test_pooling():
    frame = rows("emb.sentence_pooling.toshniwal2020", "jklj077 2019")
    gains = frame[frame.measure == "gain"].set_index(["task", "over"])
    assert gains.low["similarity", "[CLS], last layer"] > 0.1 and gains.high["similarity", "mean, layer 0"] < 0
    assert gains.value["sentiment", "[CLS], last layer"] == pytest.approx((1554 - 1515) / 1821, abs=1e-9)
    plain = rows("emb.sentence_pooling.toshniwal2020", "Reimers & Gurevych 2019")
    assert plain[plain.measure == "gain"].set_index("over").value.round(4).to_dict() == {
        "[CLS], last layer": 0.2985,
        "averaged GloVe vectors": -0.1167,
    }
    assert (
        figures(rows("emb.static_distillation.bommasani2020", "Chronis & Erk 2020"), "set", "prototypes", "layer")[
            "WordSim-353", 1, "best", "best layer"
        ]
        == 0
    )


def test_expected_layers_order_pos_before_coreference_and_relations():
    for s in scores("lay.pipeline.tenney2019a"):
        for _, part in s.rows[s.rows.measure == "expected layer"].groupby("subject"):
            layer = part.set_index("task").value
            assert layer["POS"] < layer["coreference"] and layer["POS"] < layer["relations"]
            assert layer["entities"] < layer["dependencies"]  # against the survey's order


def test_expected_layers_and_mixing_agree_with_the_released_columns():
    """The notebook printed its own figures beside the scores; ours are computed from the scores alone."""
    from bertology_utils.released import Files, files, pipeline

    source = Files(files.mirror(), pipeline.FOLDER, (pipeline.CUMULATIVE, pipeline.WEIGHTS, pipeline.BY_SIZE))
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


def test_hans_accuracy_where_the_heuristic_is_right_less_where_it_is_wrong():
    frame = rows("trn.heuristics.mccoy2019b", "McCoy et al. 2020").set_index(["measure", "condition"]).value
    right, wrong = (
        np.mean([frame["accuracy", f"{kind}, heuristic {is_}"] for kind in heuristics.HEURISTICS])
        for is_ in ("right", "wrong")
    )
    assert frame["accuracy, consistent - contradicting", "HANS"] == pytest.approx(right - wrong)
    assert round(frame["accuracy, in domain", "MNLI"], 3) == 0.843
    assert round(frame["accuracy", "lexical overlap, heuristic wrong"], 3) == 0.277


def test_clark_relations():
    frame = rows("hed.syntactic.clark2019", "clark2019").set_index(["relation", "measure"])
    published = {"det": 94.3, "obj": 86.8, "poss": 80.5, "pobj": 76.3, "nsubj": 58.5, "amod": 75.6, "prep": 66.7}
    for relation, accuracy in published.items():
        assert round(100 * frame.loc[(relation, "best head"), "value"], 1) == accuracy
    assert frame.loc[("obj", "head - offset"), "low"] > 0.4
    assert frame.loc[("possessive", "head - offset"), "low"] <= 0 <= frame.loc[("possessive", "head - offset"), "high"]
    whole = rows("hed.no_full_tree.clark2019", "clark2019").set_index("measure").value
    assert round(whole["UAS, best head"], 3) == 0.347 and round(whole["best head - best offset"], 2) == 0.08
    assert 0.15 < whole["heads - offsets, each relation its own"] < 0.25
    mixture = rows("hed.combination.hoover2019", "clark2019").set_index("measure").value
    assert mixture["mixture"] == 0.78 and mixture["mixture - best head"] > 0.4


def test_special_tokens_peak_in_turn():
    peaks = {
        study: rows("hed.special_tokens.clark2019", study).set_index(["statistic", "measure"]).value
        for study in ("clark2019", "kovaleva2019")
    }
    depths = [peaks["clark2019"][kind, "depth of the peak"] for kind in ("[CLS]", "[SEP]", ". or ,")]
    assert depths == sorted(depths) and len(set(depths)) == 3
    assert depths[0] < 1 / 3 and 0.25 < depths[1] < 0.85 and depths[2] > 2 / 3
    assert peaks["kovaleva2019"]["[SEP]", "depth of the peak"] > 0.85  # not the middle
    assert peaks["kovaleva2019"]["[SEP]", "peak in the middle - elsewhere"] < 0
    stretches = zip(("[CLS]", "[SEP]", ". or ,"), ("the first third", "the middle", "the last third"))
    assert all(peaks["clark2019"][kind, f"peak in {stretch} - elsewhere"] > 0 for kind, stretch in stretches)


def test_patterns_of_heads():
    frame = rows("hed.patterns.kovaleva2019", "prasanna2020")
    share = frame[frame.measure == "share of maps"]
    by_set = share.groupby(["subject", "maps"]).value.sum()
    assert np.allclose(by_set, 1, atol=0.01)
    assert (share[share["pattern"] == "heterogeneous"].value < 0.4).all()
    assert (share[share["pattern"] == "vertical"].high < 0.2).all()
    by_task = frame[(frame.measure == "share of maps, by task") & (frame.maps == "weights")]
    pretrained = by_task[by_task.subject.str.endswith("pretrained")].set_index("task").value
    assert set(pretrained[pretrained > 0.5].index) == {"QNLI", "QQP", "STS-B"}
    assert (frame[frame.measure == "vertical - commonest other"].high < 0).all()
    heavy = figures(rows("hed.heavy_lifters.prasanna2020", "prasanna2020"), "subject", "maps")
    tuned = heavy["bert-base-uncased, fine-tuned", "norms"]
    assert tuned["heterogeneous, survivors"] < min(0.35, tuned["heterogeneous, all heads"])
    assert (
        abs(heavy["bert-base-uncased, fine-tuned", "weights"]["Pearson of a head's entropy and its survival, CoLA"])
        < 0.05
    )


def test_negation_scope_head_transfers_between_data_sets():
    frame = rows("hed.negation_scope.zhao2020", "zhao2020")
    for (subject, data), part in frame.groupby(["subject", "data"]):
        chosen = part[part.measure == "F1, head chosen on the other data"].value.item()
        assert chosen > 2 * part[part.measure == "F1, median head"].value.item(), (subject, data)
        best = part[part.measure == "F1, best head of each run"].set_index("kind")
        assert best.loc["tuned: neg", "low"] > best.loc["tuned: control", "high"]
        gap = part[part.measure == "F1, best head, tuned for negation - for a control"].iloc[0]
        assert gap.low > 0.02 and gap.n == 10


def test_explanation_and_norms():
    tau = rows("hed.explanation_debate.jain2019", "jain2019")
    assert (tau.value < 0.3).all() and (tau[tau.subject == "average"].value.abs() < 0.1).all()
    gain = figures(rows("hed.explanation_debate.jain2019", "Abnar & Zuidema 2020"), "method", "block")["difference"]
    assert [gain[i, "rollout - raw attention"] > 0 for i in range(1, 7)] == [False, False, True, True, True, True]
    share = rows("hed.norms.kobayashi2020", "Kobayashi et al. 2021")
    assert (share[share.measure == "weights - norms"].value > 0.1).all()


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
    from bertology_utils.released import senteval

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
        assert mean.low > 0.7, s.study


def test_trees_from_averaged_attention_stay_below_the_chain():
    frame = rows("syn.no_tree_in_attention.htut2019", "Westera 2019")
    assert (frame[frame.measure == "best layer - undirected chain"].value < 0).all()


def test_real_maps_have_the_known_heads():
    found = maps.attention_maps()
    assert len(found) == 4
    following = np.mean([maps.offset_attention(a, 1) for _, a in found], 0)
    before = np.mean([maps.offset_attention(a, -1) for _, a in found], 0)
    best = [tuple(int(x) for x in np.unravel_index(i, following.shape)) for i in np.argsort(-following, axis=None)[:2]]
    assert sorted(best) == [(2, 0), (2, 9)]
    assert tuple(int(x) for x in np.unravel_index(before.argmax(), before.shape)) == (3, 5)
    sep = np.mean([maps.token_mass(a, tokens, "[SEP]") for tokens, a in found], 0)
    assert (sep[5:] > 0.5).all() and (sep[:3] < 0.5).all()


def test_offset_attention_and_token_mass_on_a_known_map():
    identity = np.broadcast_to(np.eye(4), (1, 2, 4, 4))
    assert (maps.offset_attention(identity, 0) == 1).all() and (maps.offset_attention(identity, 1) == 0).all()
    shifted = np.roll(identity, 1, axis=-1)
    assert (maps.offset_attention(shifted, 1) == 1).all()
    assert maps.token_mass(identity, ["a", "b", "a", "c"], "a").tolist() == [0.5]
