"""Released results on fine-tuning: figures counted again by another route than the scorers take, and what they decide."""

from __future__ import annotations

import csv
import gzip
import io
import re
from statistics import fmean, pstdev

import pytest
from picked import of
from released_figures import folder, lines, real
from released_figures import released_rows as rows
from support import NEEDS_MIRROR

from bertology_rescore import rescoring

pytestmark = NEEDS_MIRROR


def test_maps_change_most_above_and_weights_below():
    maps = of(rows("trn.last_layers_change.kovaleva2019", "kovaleva2019"), "change, last third - first third")
    heads: dict[bool, list[float]] = {True: [], False: []}
    for r in csv.DictReader(lines("kovaleva2019_notebook_digitised/head_maps_digitised.csv")):
        if r["notebook_cell"] == "31" and not 4 < int(r["layer"]) < 9:
            heads[int(r["layer"]) > 8].append(float(r["value"]))
    assert [len(v) for v in heads.values()] == [48, 48]
    assert maps.value == pytest.approx(fmean(heads[False]) - fmean(heads[True])) and maps.low > 0.1
    weights = rows("trn.last_layers_change.kovaleva2019", "gordon2020")
    gap = of(weights, "rank movement, last third - first third, by the mean", task="all")
    assert gap.high < -0.1 and gap.n == 19 and gap.clusters == 5
    assert of(weights, "share of models whose last third moves less").value == 1


def test_rank_movement_is_that_of_the_printed_files():
    """The raw prints, in the order in which TensorFlow lists variables: layers by name, six matrices each."""
    listed = sorted(range(12), key=str)
    layers: dict[int, list[float]] = {layer: [] for layer in listed}
    for path in sorted((folder("gordon2020_weight_change") / "weight_change").glob("*e-5.txt")):
        share = re.findall(r"/ (?:589824|2359296) = ([\d.]+) \+-", path.read_text())
        if len(share) >= 72:
            for k, layer in enumerate(listed):
                layers[layer].append(fmean(map(float, share[6 * k : 6 * k + 6])))
    ours = rows("trn.last_layers_change.kovaleva2019", "gordon2020")
    ours = ours[ours.measure == "rank movement, by block"].set_index("block").value
    for layer, runs in layers.items():
        assert len(runs) == 19 and ours[layer + 1] == pytest.approx(fmean(runs), abs=5e-4)


def test_attention_to_sep_falls_after_tuning_on_qqp():
    frame = rows("trn.tuned_sep.kovaleva2019", "kovaleva2019")
    mean: dict[str, list[float]] = {"pretrained": [], "QQP-fine-tuned": []}
    for r in csv.DictReader(lines("kovaleva2019_notebook_digitised/head_maps_digitised.csv")):
        if r["notebook_cell"] == "45" and int(r["layer"]) > 10:
            mean[r["model"]].append(float(r["value"]))
    measure = "attention to one kind of token, tuned - pretrained"
    sep = of(frame, measure, token="[SEP]", block="11 and 12")
    assert sep.value == pytest.approx(fmean(mean["QQP-fine-tuned"]) - fmean(mean["pretrained"]))
    assert sep.high < -0.0237  # more than the maps before tuning may be off by
    assert of(frame, measure, token="verbs", block="11 and 12").low > 0.02


def test_negation_heads_gain_only_from_negation():
    frame = rows("trn.tuned_sep.kovaleva2019", "zhao2020")
    best = frame[frame.heads == "ten best before"].set_index(["subject", "data", "tuned_on"])
    assert (best.xs("negation", level="tuned_on").low > 0).all()
    assert (best.xs("control", level="tuned_on").high < 0).all()
    with gzip.open(folder("zhao_bethard2020_negation_scope") / "head_scores.csv.gz", "rt") as stream:
        story = [r for r in csv.DictReader(stream) if r["model"] == "bert-base" and r["data"] == "story"]
    before = {(r["layer"], r["head"]): float(r["f1"]) for r in story if r["kind"] == "pretrained"}
    ten = sorted(before, key=before.get)[-10:]
    after = [float(r["f1"]) for r in story if r["kind"] == "neg" and (r["layer"], r["head"]) in ten]
    gain = best.value["bert-base-uncased", "story", "negation"]
    assert len(after) == 100 and gain == pytest.approx(fmean(after) - fmean(before[k] for k in ten))


def test_released_models_of_two_stages():
    frame = rows("trn.two_stage.phang2019", "phang2019")
    text = lines("readme_tables/zphang__bert_on_stilts/README_md_01.csv")
    assert (
        of(frame, "share of released models with two stages").value == sum(",MNLI," in x for x in text[2:]) / 9 - 1 / 9
    )
    rte = of(frame, "task score", task="RTE", split="test")
    assert (rte.value, rte.intermediate) == (0.79, "MNLI")
    assert real("trn.two_stage.phang2019").decision is None


def test_adapters_are_a_hundredth_of_the_parameters():
    import torch

    frame = rows("trn.adapters.houlsby2019", "hmohebbi, TF-Adapter-BERT")
    adapter = torch.nn.Sequential(torch.nn.Linear(768, 32), torch.nn.Linear(32, 768))
    whole = 24 * sum(p.numel() for p in adapter.parameters())
    assert of(frame, "share of parameters in adapters, counted").value == pytest.approx(whole / 109_482_240)
    tasks = frame[(frame.measure == "task score")].set_index("task").value
    assert of(frame, "mean score as given, MNLI twice").value == pytest.approx(tasks.mean(), abs=5e-4)
    assert real("trn.adapters.houlsby2019").decision is None


def test_deviations_of_the_lottery_are_divided_by_n():
    """Two errors in 150,000 answers, of two seeds: the printed deviation is that of the population."""
    printed = next(
        x for x in lines("prasanna2020_lottery/scores.csv") if "head_mlp_hans/finetuned/" in x and ",HANS," in x
    )
    mean, deviation = (float(x) for x in printed.split(",")[-2:])
    right = [1 - 1 / 30_000] * 2 + [1.0] * 3
    assert fmean(right) == pytest.approx(mean, abs=1e-9) and pstdev(right) == pytest.approx(deviation, rel=1e-3)


def test_spread_over_seeds():
    five = rows("trn.seed_variance.dodge2020", "prasanna2020")
    by_task = five[five.measure == "standard deviation over seeds"].set_index("condition")
    assert by_task.value["RTE"] == pytest.approx(0.027720366527729225 * (5 / 4) ** 0.5)
    assert {t for t in by_task.index if by_task.low[t] > 0.005} == {"MRPC", "RTE"}
    slot = real("trn.seed_variance.dodge2020")
    assert slot.label == "open" and [r.provenance["study"] for r in slot.records] == ["prasanna2020"]
    twenty = rows("trn.seed_variance.dodge2020", "niven2019").set_index(["subject", "measure"]).value
    test = [float(r["test"]) for r in csv.DictReader(lines("niven_kao2019_arct/bert_large/accs.csv"))]
    large = twenty["bert-large-uncased"]
    assert large["standard deviation"] == pytest.approx(pstdev(test) * (20 / 19) ** 0.5)
    assert (large["least"], large["greatest"]) == (min(test), max(test))
    many = of(rows("trn.seed_variance.dodge2020", "sellam2022"), "bias correlation, one pretraining seed - another")
    assert many.low > 0


def test_hans_by_subcase():
    frame = rows("trn.heuristics.mccoy2019b", "prasanna2020")
    text = (
        folder("prasanna2020_lottery") / "hans_results" / "hans_results_bert_base_uncased_finetuned.txt"
    ).read_text()
    six = [float(x) for x in re.findall(r"^(?:lexical_overlap|subsequence|constituent): ([\d.]+)$", text, flags=re.M)]
    gap = of(frame, "accuracy, consistent - contradicting", subject="bert-base-uncased")
    assert gap.value == pytest.approx(fmean(six[:3]) - fmean(six[3:])) and gap.low > 0.7 and gap.clusters == 15
    constant = "bert-base-uncased, not tuned: always entailment"
    assert of(frame, "accuracy, consistent - contradicting", subject=constant).value == 1
    records = {(r.model, r.provenance["study"]): r for r in rescoring.score("trn.heuristics.mccoy2019b", save=False)}
    assert records[constant, "prasanna2020"].decision.outcome == "untestable"
    assert records[constant, "prasanna2020"].stance == ""
    slot = real("trn.heuristics.mccoy2019b")
    assert slot.label == "holds" and constant not in {r.model for r in slot.records}
    assert {r.provenance["study"] for r in slot.records} == {"McCoy et al. 2020", "prasanna2020"}


def test_warrants_alone_come_near_the_whole_argument():
    frame = rows("trn.heuristics.mccoy2019b", "niven2019")
    for seen, name in (("all", "bert_large"), ("warrants", "bert_large_w")):
        test = [float(r["test"]) for r in csv.DictReader(lines(f"niven_kao2019_arct/{name}/accs.csv"))]
        found = of(frame, "accuracy", subject="bert-large-uncased", seen=seen)
        assert found.value == pytest.approx(fmean(test)) and found.n == 20 * 444
        assert of(frame, "accuracy, best run", seen=seen).value == pytest.approx(max(test))
    assert of(frame, "accuracy over runs, all - part", seen="warrants").high < 0.1
    runs = csv.DictReader(io.StringIO("\n".join(lines("niven_kao2019_arct/bert_large_adv/accs.csv"))))
    fit = [float(r["test"]) - float(r["test_adv"]) for r in runs if float(r["train"]) > 0.9]
    lost = of(frame, "accuracy, original - mirrored items", seen="all", runs="those right on nine of ten in training")
    assert len(fit) == lost.n == 2 and lost.value == pytest.approx(fmean(fit)) and lost.low > 0.2
