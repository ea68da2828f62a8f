"""Released results on pretraining: figures counted again by another route than the scorers take, and what they decide."""

from __future__ import annotations

import csv
import re
from statistics import fmean

import pytest
from picked import of
from released_figures import lines, real
from released_figures import released_rows as rows
from support import NEEDS_MIRROR

from bertology_rescore import rescoring, scores

pytestmark = NEEDS_MIRROR


def test_every_folder_of_the_map_has_a_scorer():
    listed = [r for r in csv.DictReader(lines("MAP.csv")) if r["ledger_id"].startswith("trn.")]
    assert len(listed) == 12
    missing = [
        (r["ledger_id"], name)
        for r in listed
        for name in r["folder"].split("; ")
        if not any(s.release.folder.endswith(name) for s in scores(r["ledger_id"]))
    ]
    assert missing == []


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
    assert slot.label == "mixed"
    assert outcomes == {
        "agreement": "untested",
        "probes": "untested",
        "spans": "untested",
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
    assert set(scored.rows.subject) == set(scored.release.baselines)
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
