"""Released results on size and compression: figures counted again from the files, and what the claims make of them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from picked import value
from released_figures import outcomes, table_rows
from released_figures import released_rows as frame
from support import NEEDS_MIRROR

from bertology_rescore import FileChanged, Files, files, glue, scores, sizes
from bertology_utils.claims import ledger

pytestmark = NEEDS_MIRROR
MNLI, QQP = 9815, 40430


def prasanna() -> dict[tuple[str, str], tuple[float, float]]:
    wanted = {"MNLI": "mnli_acc", **dict.fromkeys(("MRPC", "QNLI", "QQP", "RTE", "SST-2"), "acc")}
    return {
        (r["file"].split("/baseline")[0], r["task"]): (float(r["mean"]), float(r["std_over_5_seeds"]))
        for r in table_rows("prasanna2020_lottery", "scores.csv")
        if wanted.get(r["task"]) == r["metric"]
    }


def mean_gap(first: str, second: str) -> float:
    cells = prasanna()
    return float(np.mean([cells[first, t][0] - cells[second, t][0] for t in glue.ACCURACY]))


def test_heads_go_at_a_tenth_of_the_score_and_random_ones_cost_more():
    rows = frame("siz.head_pruning.michel2019", "prasanna2020")
    place = Path(os.environ["BERTOLOGY_MIRROR"]) / "released/prasanna2020_lottery/masks_and_importances.npz"
    masks = np.load(place)
    gone = {
        t: np.mean([1 - masks[f"heads/{t}/seed_{s}/head_mask"].sum() / 144 for s in (1337, 42, 86, 71, 166)])
        for t in glue.METRICS
    }
    name = "share of heads pruned for a tenth of the score"
    assert value(rows, name) == pytest.approx(np.mean(list(gone.values())), abs=1e-6)
    assert sum(g > 0.5 for g in gone.values()) == 6 and gone["CoLA"] < 0.3
    assert value(rows, f"{name}, by task", task="CoLA") == pytest.approx(1 - (116 + 88 + 88 + 102 + 130) / (5 * 144))
    assert value(rows, "accuracy lost, random - by importance") == pytest.approx(mean_gap("head", "head_random"))
    assert value(rows, "accuracy lost, heads pruned for a tenth of the score", "high") < 0.1
    found = outcomes("siz.head_pruning.michel2019", "prasanna2020", "bert-base-uncased, fine-tuned")
    assert found == {"half": "open", "chosen": "holds", "one_head": "untested"}


def test_syntactic_heads_survive_longer_but_diagonal_maps_do_not():
    rows = frame("siz.specialised_survive.voita2019b", "prasanna2020")
    assert value(rows, "survival rank, syntactic - other heads", "low", heads="ten points over the offset") > 0
    assert value(rows, "survival rank, syntactic - other heads", "low", heads="at least as good as the offset") < 0
    share = {
        heads: np.mean(
            [
                float(r["share"])
                for r in table_rows("prasanna2020_lottery", "head_patterns.csv")
                if (r["model"], r["heads"], r["map"]) == ("fine-tuned", heads, "raw attention")
                and r["pattern"].lower() == "diagonal"
            ]
        )
        for heads in ("super survivors", "all heads")
    }
    gap = value(rows, "share of maps, survivors - all heads", heads="diagonal")
    assert gap == pytest.approx(share["super survivors"] - share["all heads"]) and abs(gap) < 0.01


def test_subnetworks():
    rows = frame("siz.lottery.chen2020", "prasanna2020")
    good, bad = "accuracy, winning - random", "accuracy, full - bad"
    retrained = ("global_magnitude_retrained", "global_random_retrained")
    assert value(rows, good, network="weights") == pytest.approx(mean_gap(*retrained))
    assert value(rows, bad, network="heads and MLPs") == pytest.approx(mean_gap("no_mask", "head_mlp_bad_1_retrained"))
    assert value(rows, good, "low", network="weights") > 0.05 > 0 > value(rows, good, "low", network="heads and MLPs")
    assert value(rows, "accuracy, bad - majority", "low", network="heads and MLPs") > 0
    found = outcomes("siz.lottery.chen2020", "prasanna2020", "bert-base-uncased, fine-tuned")
    assert found == {"winning": "holds", "uneven": "untested", "bad_learn": "open", "bad_train": "untested"}


def test_a_task_has_an_interval_over_its_five_runs():
    rows = frame("siz.lottery.chen2020", "prasanna2020")
    part = rows[rows.measure.str.endswith("by task")]
    assert (part.n == 5).all() and part.low.notna().all()
    cells, name = prasanna(), "accuracy, winning - random, by task"
    (a, sa), (b, sb) = (cells[f"global_{k}_retrained", "QNLI"] for k in ("magnitude", "random"))
    half = 2.7764 / 2 * np.hypot(sa, sb)  # t with four degrees of freedom, and the root of four
    assert value(rows, name, "low", network="weights", task="QNLI") == pytest.approx(a - b - half, abs=1e-5)


def test_no_layer_is_harmful_for_sure_and_one_at_random_costs_little():
    gains = frame("siz.harmful_parts.kovaleva2019", "prasanna2020")
    by_task = gains[gains.task != "all"]
    assert len(by_task) == 8 and (by_task.low < 0).all() and (by_task.value < 0.01).all()
    lost = frame("siz.layer_redundancy.kao2020", "prasanna2020")
    one, two = (value(lost, f"accuracy lost, {k} at random, mean over places") for k in ("one layer", "two layers"))
    names = [f"randomize_full_layerwise/randomize_layer_{k}_results.json" for k in range(12)]
    assert one == pytest.approx(np.mean([mean_gap("no_mask", n) for n in names])) and two > 3 * one


def sanh(task: str, setting: str, kept: float) -> float:
    (found,) = [
        float(r["acc"])
        for r in table_rows("sanh2020_movement_pruning", "details.csv")
        if r["task"] == task and r["setting"].replace("\n", " ") == setting
        and r["remaining_weights_pct"] and abs(float(r["remaining_weights_pct"]) - kept) < 0.2
    ]  # fmt: skip
    return found


def test_movement_beats_magnitude_where_few_weights_are_left():
    rows = frame("siz.structured_pruning.mccarley2020", "sanh2020")
    name, keys = "accuracy, movement - magnitude", dict(method="movement", distilled=False)
    for task, kept, sparsity in (("MNLI", 10.1, 0.9), ("QQP", 3.1, 0.97)):
        gap = sanh(task, "Movement Local", kept) - sanh(task, "Magnitude Local", kept)
        assert value(rows, name, task=task, sparsity=sparsity, **keys) == pytest.approx(gap, abs=1e-6)
    assert value(rows, name, "high", task="MNLI", sparsity=0.6, **keys) < 0  # with more weights, the other way round
    deciding = rows[(rows.measure == name) & rows.sparsity.isin([0.9, 0.97])]
    assert len(deciding) == 16 and (deciding.low > 0).all() and (deciding.low > 0.01).sum() == 14
    soft = value(rows, name, task="MNLI", sparsity=0.9, method="soft movement", distilled=False)
    assert soft == pytest.approx(sanh("MNLI", "Soft Movement", 5.9) - sanh("MNLI", "Magnitude Local", 10.1), abs=1e-6)
    found = outcomes("siz.structured_pruning.mccarley2020", "sanh2020", "bert-base-uncased, fine-tuned")
    assert found == {"movement": "holds", "units": "untested", "reading comprehension": "untested"}
    full = frame("siz.magnitude_pruning.gordon2020", "sanh2020")
    lost = value(full, "accuracy lost, pruned while tuning", task="QQP", sparsity=0.9)
    assert lost == pytest.approx(0.913802 - sanh("QQP", "Magnitude Local", 10.1), abs=1e-5)


def test_tuning_hardly_moves_a_weight_in_the_order_of_magnitudes():
    rows = frame("siz.magnitude_pruning.gordon2020", "gordon2020")
    moved: dict[tuple, list] = {}
    for r in table_rows("gordon2020_weight_change", "rank_movement_by_layer.csv"):
        moved.setdefault((r["task"], r["lr"]), []).append((float(r["mean_rank_movement"]), float(r["size"])))
    runs = [sum(m for m, _ in cells) / sum(n for _, n in cells) for cells in moved.values()]
    assert len(runs) == 19
    assert value(rows, "movement in the order of magnitudes", layer="all") == pytest.approx(np.mean(runs))
    assert 0.01 < np.mean(runs) < 0.03


def test_students_keep_more_of_the_score_than_of_the_gain():
    folder, name = "readme_tables/VITA-Group__BERT-Tickets", "transformers_master_examples_distillatio_01.csv"
    table = {r["Model"]: r for r in table_rows(folder, name)}
    floor = {task: prasanna()["freq_baseline/results.json", task][0] for task in ("MNLI", "QNLI", "RTE", "SST-2")}
    gain = [sum(float(table[f"{m}-base-uncased"][t]) / 100 - floor[t] for t in floor) for m in ("DistilBERT", "BERT")]
    rows = frame("siz.distillation.sanh2019", "sanh2019")
    rows = rows[rows.subject == "bert-base-uncased, DistilBERT"]
    assert value(rows, "retention of the teacher's gain over majority") == pytest.approx(gain[0] / gain[1])
    assert value(rows, "retention of the teacher's gain over majority, by task", task="RTE") < 0.5
    assert value(rows, "retention of the teacher's score") > 0.95
    found = outcomes("siz.distillation.sanh2019", "sanh2019", "bert-base-uncased, DistilBERT")
    assert found == {"keeps": "open", "over_alone": "untested", "ways": "untested"}


def test_eight_bits_and_fewer_vectors_cost_less_than_a_point():
    rows = table_rows("zafrir2019_q8bert", "q8bert_table.csv")
    lost = [float(r["bert_baseline"]) - float(r["quantized_8bit_qat"]) for r in rows if "Large" not in r["task"]]
    assert len(lost) == 8
    ours = frame("siz.quantization.zafrir2019", "zafrir2019")
    ours = ours[ours.subject == "bert-base, 8 bits"]
    assert value(ours, "score lost, 8 bits") == pytest.approx(np.mean(lost) / 100)
    assert value(ours, "score lost, 8 bits", "high") < 0.01
    found = outcomes("siz.quantization.zafrir2019", "zafrir2019", "bert-large, 8 bits")
    assert found == {"eight": "holds", "care": "untested"}
    power = frame("siz.token_elimination.goyal2020", "goyal2020")
    assert value(power, "score lost, vectors eliminated") == pytest.approx(
        (0.2 + 0.7 + 1 + 0.6 + 0.9 + 0.8 + 0.9 + 0.7) / 800
    )
    times = [898 / 201, 3993 / 1189, 1833 / 405, 1798 / 674, 905 / 374, 1867 / 725, 1848 / 916, 881 / 448]
    assert value(power, "time, original / eliminated") == pytest.approx(np.mean(times))
    found = outcomes("siz.token_elimination.goyal2020", "goyal2020", "bert-base-uncased, fewer vectors")
    assert found == {"cheap": "untested", "at a point": "holds", "faster": "untested"}


def test_replaced_modules_keep_the_score_and_the_rival_in_their_table_is_not_its_authors():
    rows = frame("siz.theseus.xu2020", "xu2020")
    tasks = "MNLI, MRPC, QNLI, QQP, RTE, SST-2, STS-B".split(", ")
    folder = "readme_tables/JetRunner__BERT-of-Theseus"
    quoted = {r["Method"]: r for r in table_rows(folder, "README_md_01.csv")}
    kept = [float(quoted["BERT-of-Theseus"][t]) / float(quoted["BERT-base"][t]) for t in tasks]
    assert value(rows, "retention of the teacher's score") == pytest.approx(np.mean(kept))
    other = {
        r["Model"]: r
        for r in table_rows("readme_tables/VITA-Group__BERT-Tickets", "transformers_master_examples_distillatio_01.csv")
    }
    mine, theirs = other["DistilBERT-base-uncased"], quoted["DistillBERT"]
    assert [mine[t] for t in ("MNLI", "QNLI")] == ["82.1", "89.2"]  # as the note says
    assert [theirs[t] for t in ("MNLI", "QNLI")] == ["79.0", "85.3"]


def test_sharing_layers_and_size():
    assert sizes.parameters(12, 768) == 109_482_240  # what the library of transformers counts for bert-base-uncased
    rows = frame("siz.albert.lan2020", "lan2020")
    first = rows[rows.subject == "bert-large and albert-large v1"]
    lost = [1 - 83.5 / 86.6, 1 - 91.7 / 93.2, 1 - 90.6 / 90.9, 1 - 82.3 / 81.8]
    assert value(first, "share of the score lost, shared - plain") == pytest.approx(np.mean(lost))
    assert value(first, "parameters, shared / plain") == pytest.approx(17_683_968 / 335_141_888)
    small = frame("siz.bigger_is_better.liu2019a", "turc2019")
    name = "score per doubling of parameters"
    doublings = np.log2([4_385_920, 11_170_560, 28_763_648, 41_373_184])
    assert value(small, f"{name}, by task", task="MNLI-m") == pytest.approx(
        np.polyfit(doublings, [0.702, 0.748, 0.776, 0.80], 1)[0], abs=1e-6
    )
    assert outcomes("siz.bigger_is_better.liu2019a", "turc2019", "bert-tiny to bert-medium") == {"bigger": "holds"}
    pair = "bert-base-uncased and bert-large-uncased"
    assert outcomes("siz.bigger_is_better.liu2019a", "jklj077 2019", pair) == {"bigger": "open"}


def test_files_of_another_folder_are_checked_and_remembered(tmp_path):
    own = Files(files.mirror(), "released/zafrir2019_q8bert", ("q8bert_table.csv",))
    assert glue.majority(own)["RTE"] == pytest.approx(146 / 277)
    assert list(own.read) == ["released/prasanna2020_lottery/scores.csv"]
    place = tmp_path / "released" / "prasanna2020_lottery"
    place.mkdir(parents=True)
    (place / "scores.csv").write_text("changed\n")
    with pytest.raises(FileChanged):
        glue.majority(Files(tmp_path, "released/zafrir2019_q8bert", ("q8bert_table.csv",)))
    with pytest.raises(KeyError):
        own.beside("released/prasanna2020_lottery", "head_patterns.csv").csv("scores.csv")


def test_related_records_decide_nothing():
    for claim in ("siz.harmful_parts.kovaleva2019", "siz.layer_redundancy.kao2020", "siz.magnitude_pruning.gordon2020"):
        for s in scores(claim):
            assert s.release.label == "related" and "decides nothing here" in s.release.note
            names = {t.measure for c in ledger.row(claim).clauses for t in c.tests}
            assert names.isdisjoint(s.rows.measure), json.dumps(sorted(names))
