"""Released results on training: figures counted again by another route than the scorers take, and what they decide."""

from __future__ import annotations

import csv
import gzip
import io
import re
from pathlib import Path
from statistics import fmean, pstdev

import pytest
from support import NEEDS_MIRROR, mirror
from support import released_rows as rows

from bertology_utils.cards.standing import Standing
from bertology_utils.claims import ledger
from bertology_utils.released import cells, rescoring, scores
from bertology_utils.settings import Settings

pytestmark = NEEDS_MIRROR


def folder(name: str) -> Path:
    return mirror() / "released" / name


def lines(name: str) -> list[str]:
    return folder(name).read_text(encoding="utf-8").splitlines()


def real(claim: str):
    """What the released records alone say of a claim for the real BERT."""
    return Standing(ledger.row(claim), tuple(rescoring.score(claim, Settings.of(), save=False))).real


def of(frame, measure: str, **keys):
    for column, value in {"measure": measure, **keys}.items():
        frame = frame[frame[column] == value]
    return frame.iloc[0] if len(frame) == 1 else pytest.fail(f"{len(frame)} rows of {measure} with {keys}")


# -- cells


@pytest.mark.parametrize("cell", ["", "link", "91.0/", "--"])
def test_a_cell_without_a_score_is_refused(cell):
    with pytest.raises(ValueError, match="no score"):
        cells.score(cell)


def test_the_mean_of_runs_is_in_either_kind_of_brackets():
    assert cells.mean_of_runs("95.4 （94.6)") == pytest.approx(0.946)
    with pytest.raises(ValueError, match="no mean in brackets"):
        cells.mean_of_runs("95.4")


def test_gains_are_of_the_same_tasks():
    with pytest.raises(ValueError, match="scores of other tasks"):
        cells.gains("gain", {"a": 0.5}, {"b": 0.4}, subject="s")


def test_every_folder_of_the_map_has_a_scorer():
    listed = [r for r in csv.DictReader(lines("MAP.csv")) if r["ledger_id"].startswith("trn.")]
    assert len(listed) == 12
    missing = [
        (r["ledger_id"], name)
        for r in listed
        for name in r["folder"].split("; ")
        if not any(s.data.endswith(name) for s in scores(r["ledger_id"]))
    ]
    assert missing == []


# -- pretraining


def test_small_berts_have_the_mean_that_their_table_prints():
    frame = rows("trn.hidden_size.wang2019b", "turc2019")
    glue = frame[frame.measure == "GLUE score"].groupby("subject").value.mean()
    table = list(csv.DictReader(lines("readme_tables/google-research__bert/README_md_01.csv")[1:]))
    for line in table:
        assert 100 * glue[line["Model"].lower()] == pytest.approx(float(line["Score"]), abs=0.06)
    gap = of(frame, "GLUE score, wider - narrower", task="all")
    assert gap.value == pytest.approx((71.2 - 65.8) / 100, abs=1e-3) and gap.n == 9
    steps = frame[frame.measure == "GLUE score, wider - narrower"].set_index("task").value
    assert (steps.drop("WNLI") > 0.009).all() and steps["WNLI"] == 0


def test_no_pair_of_batches_saw_as_much_text():
    frame = rows("trn.large_batch.liu2019b", "Warstadt et al. 2020")
    gaps = frame[frame.measure == "loss, large batch - small batch, equal steps"]
    ratios = frame[frame.measure == "sequences seen, large batch / small batch"]
    assert len(gaps) == 3 and (gaps.value < 0).sum() == 2 and sorted(ratios.value) == [2, 2, 4]
    assert real("trn.large_batch.liu2019b").decision is None


def test_whole_words_gain_a_little():
    frame = rows("trn.whole_word.devlin2019", "cui2019")
    found = []
    for k in range(1, 9):
        text = "\n".join(lines(f"readme_tables/ymcui__Chinese-BERT-wwm/README_EN_md_{k:02}.csv"))
        test = [re.findall(r"[\d.]+", re.search(rf"^{m},.*$", text, flags=re.M)[0]) for m in ("BERT", "BERT-wwm")]
        cell = -1 if k != 1 else -5  # CMRC has a challenge set after its test set
        found.append(float(test[1][cell]) - float(test[0][cell]))
    gain = of(frame, "task score, whole word - piece", task="all")
    assert 100 * gain.value == pytest.approx(fmean(found)) and min(found) >= 0
    assert gain.low > 0 and gain.high < 0.005
    google = rows("trn.whole_word.devlin2019", "devlin2019")
    gains = google[(google.measure == "task score, whole word - piece") & (google.task != "all")]
    assert sorted((100 * gains.value).round(2)) == [0.37, 1.02, 1.4, 1.8]


def test_what_whole_words_decide():
    slot = real("trn.whole_word.devlin2019")
    outcomes = {c.name: c.outcome for c in slot.decision.clauses}
    assert slot.label == "in part"
    assert outcomes == {
        "agreement": "untested",
        "probes": "untested",
        "tuned_tasks": "holds",
        "by_a_point": "does not hold",
    }
    assert {r.provenance["study"] for r in slot.records} == {"devlin2019", "cui2019"}


def test_spanbert_and_ernie_decide_nothing():
    frame = rows("trn.whole_word.devlin2019", "joshi2020")
    base = [float(x.strip("*")) for x in "92.4*,83.6*,77.4,68.2".split(",")]
    plain = [float(x.strip("*")) for x in "88.5*,76.5*,73.1,67.7".split(",")]
    gain = of(frame, "task score, SpanBERT - BERT", subject="spanbert-base", task="all")
    assert 100 * gain.value == pytest.approx(fmean(base) - fmean(plain))
    ernie = rows("trn.entity_mask.sun2019b", "cui2019")
    gaps = ernie[(ernie.measure == "task score, ERNIE - BERT") & (ernie.task != "all")].set_index("task").value
    assert [(gaps > 1e-9).sum(), (gaps < -1e-9).sum()] == [3, 4] and gaps["DRCD"] == pytest.approx(-0.065)
    assert real("trn.entity_mask.sun2019b").decision is None


def test_electra_stands_alone_in_its_table():
    (scored,) = scores("trn.replaced_tokens.clark2020")
    assert set(scored.rows.subject) == set(scored.baselines)
    small = scored.rows[scored.rows.subject == "electra-small"].set_index("task").value
    assert small["RTE"] == 0.667 and len(small) == 11


def test_agreement_gains_shrink_by_the_doubling():
    frame = rows("trn.data_volume.liu2019b", "Misra 2022")
    at = {
        round(float(r["step_10k"]) * 10): float(r["mean"])
        for r in csv.DictReader(lines("misra_minicons_blimp_multiberts/multiberts_blimp_by_step.csv"))
        if r["topic"] == "Subject Verb Agreement"
    }
    doublings = 3.321928
    early, late = (at[200] - at[20]) / doublings, (at[2000] - at[200]) / doublings
    gap = of(frame, "agreement gain per doubling, first half - second half")
    assert gap.value == pytest.approx(early - late, abs=1e-6) and gap.low > 0.02 and gap.n == 5
    assert early > 10 * late > 0
    decided = {r.model: r.decision for r in rescoring.score("trn.data_volume.liu2019b", save=False) if r.decision}
    assert {m: d.outcome for m, d in decided.items()} == {"multiberts (5 seeds)": "holds"}
    assert real("trn.data_volume.liu2019b").decision is None  # read off a picture


def test_longer_training_and_more_text():
    longer = of(rows("trn.data_volume.liu2019b", "sellam2022"), "accuracy gain of one doubling")
    assert (longer.value, longer.low, longer.high) == (0.006996, 0.003896, 0.009907)
    text = rows("trn.data_volume.liu2019b", "Warstadt et al. 2020")
    steps = text[text.measure == "loss per doubling of the text"].set_index("text")
    assert steps.high["1e+07 to 1e+08"] < -0.2 and steps.high["1e+08 to 1e+09"] > 0
    assert 2.718281828 ** of(text, "loss", text="1e+09").value == pytest.approx(
        (3.93 * 4.25 * 3.84) ** (1 / 3), abs=1e-6
    )


# -- tuning


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
    assert slot.label == "undecided" and [r.provenance["study"] for r in slot.records] == ["prasanna2020"]
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
    assert records[constant, "prasanna2020"].decision.outcome == "cannot be tested here"
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
