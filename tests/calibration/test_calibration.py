"""Every rule against nulls and planted subjects: what is stored decided again, some of it run again, and the null rate."""

from __future__ import annotations

import random

import pytest

from bertology_utils import calibrate, runs
from bertology_utils.calibration import harness, records, simulated
from bertology_utils.cards.standing import standing
from bertology_utils.claims import evidence, ledger
from bertology_utils.claims.rules import FAILS, TAUGHT
from bertology_utils.settings import Settings

SETTINGS = Settings()
SECONDS = 15  # of the processor, for stand-ins that are run again, as they took when they were stored
AGAIN = "calibrate the claim again: bertology calibrate ID --out bertology_utils/assets/calibration"


def stored() -> list[str]:
    return sorted(path.stem for path in records.SHIPPED.glob("*.json"))


# Claims whose planted subject the generated data are too few to find; the table in the book says so. Nobody can hold them
# there, so no null can either.
TOO_FEW = {
    "syn.npi.warstadt2019": "the cloze has six to twelve polarity items, by which an untrained network's scores vary",
    "syn.hierarchical.lin2019": "in generated sentences the words beside a word tell it, so that nothing is left to be found",
    "syn.tpdn.jawahar2019": "three seeds of the tensor product network: .133 [-.003, .269] over a bag of words",
    "syn.intermediate_parsing.glavas2020": "three seeds of 120 items show no difference to be within three points",
    "siz.head_pruning.michel2019": "three seeds of 300 items show no loss to be within two points",
    "siz.distillation.sanh2019": "three seeds of 300 items: the lead over a student alone is known to eight points",
    "siz.theseus.xu2020": "three seeds of 300 items: the lead over a plain model is known to ten points, one is asked for",
    "siz.structured_pruning.mccarley2020": "three seeds of 300 items, few of them right with so few weights",
    "siz.lottery.chen2020": "three seeds of 300 items: leads are known to some fourteen points, one is asked for",
    "siz.train_large.li2020": "three seeds of the family: the lead is known to thirteen points, one is asked for",
    "trn.adapters.houlsby2019": "five seeds of 180 items show no difference to be within two points",
    "trn.large_batch.liu2019b": "three seeds of the family: losses are known to some .3 nats, costs of one run to a third",
    "trn.warm_start.gong2019": "three seeds of the family: time saved is known to a tenth of the time at best",
    "trn.nsp.liu2019b": "three seeds of the family: losses are known to some .15 nats, two hundredths are asked for",
    "trn.masking_rate.raffel2019": "three seeds of the family: losses are known to some .2 nats, five hundredths are asked for",
    "trn.dynamic_masking.liu2019b": "three seeds of the family: losses are known to some .2 nats, two hundredths are asked for",
    "trn.unk_mask.clinchant2019": "three seeds of the family: losses are known to some .14 nats, three hundredths are asked for",
}
ENGLISH = {  # of these, the runs on English
    "trn.hidden_size.wang2019b": "three seeds, of which the narrower ones leave the plateau at different times",
    "trn.warm_start.gong2019": "three seeds: time saved is known to a tenth of the time at best",
    "trn.nsp.liu2019b": "three seeds, of which those with next sentences leave the plateau at different times",
}


@pytest.mark.parametrize("id", stored())
def test_no_null_holds_and_the_planted_one_does(id):
    """Decided again from the stored rows, by the ledger as it is."""
    trials = records.find(id)
    assert {t.role for t in trials} == {"null", "planted"}, AGAIN
    wrong = {(t.record.data, t.name): (t.wrong, t.decision.reason) for t in trials if t.wrong}
    few = {"builtin": TOO_FEW, "corpus": ENGLISH}
    for planted in (t for t in trials if t.role == "planted" and id in few.get(t.record.data, ())):
        assert wrong.pop((planted.record.data, planted.name), None), f"{id} is found now: take it off the list"
        assert FAILS not in {c.outcome for c in planted.decision.tested}
    assert not wrong, wrong


@pytest.mark.parametrize("id", stored())
def test_stored_calibrations_are_of_the_stand_ins_that_claims_name(id):
    if id in calibrated():
        for source in {t.record.data for t in records.find(id)}:
            names = {t.name for t in records.find(id) if t.role == "null" and t.record.data == source}
            assert names == {n.name for n in harness.nulls_of(runs.get(id))}, AGAIN


def calibrated() -> list[str]:
    return [id for id, it in runs.registered().items() if it.nulls and it.planted]


def test_every_claim_with_stand_ins_is_stored():
    assert set(calibrated()) <= set(stored()), AGAIN


@pytest.mark.parametrize("id", ["syn.agreement.goldberg2019", "lay.hierarchy.lin2019"])
def test_a_network_that_learnt_the_generated_grammar_passes(id):
    """What rests on subjects and verbs, which `toy` was trained on: a rule that no trained network can meet is no rule."""
    assert standing(id).taught.label == TAUGHT and standing(id).taught.n >= 60


def test_some_are_run_again():
    """A seeded draw of what is cheap; the figures may move with the machine, the outcomes may not."""
    cost = {id: sum(t.record.provenance["seconds"] for t in records.find(id)) for id in stored() if id in calibrated()}
    order, left, ran = random.Random(11).sample(sorted(cost), len(cost)), SECONDS, 0
    for id in order:
        if cost[id] > left:
            continue
        left -= cost[id]
        before = {t.name: t for t in records.find(id) if t.record.data == "builtin"}
        for trial in calibrate.calibrate(id, Settings(draws=500)):
            assert not trial.wrong, (id, trial.name, trial.decision.reason)
            rows, kept = trial.record.frame, before[trial.name].record.frame
            assert list(rows["measure"]) == list(kept["measure"]), AGAIN
            assert rows["value"].to_numpy() == pytest.approx(kept["value"].to_numpy(), abs=0.05, nan_ok=True), (
                id,
                AGAIN,
            )
            ran += 1
    assert ran >= 4


@pytest.mark.parametrize("at_bound", [False, True], ids=["no effect", "at the bound"])
def test_of_200_simulated_nulls_few_hold(at_bound):
    """No effect at all, and scores just where holding begins: five per cent at most."""
    ids = [row.id for row in ledger.rows() if row.clauses]
    held, n, which = simulated.null_rate(ids, 200, Settings(draws=400, seed=1), at_bound=at_bound)
    assert n == 200 and held <= 10, which


def test_no_runs_are_simulated_for_data_on_which_the_gate_alone_was_measured():
    id = "siz.lottery.chen2020"
    assert {e.data for e in evidence.find(id) if e.kind == "rerun"} >= {"mrpc_msr_paraphrase", "cola"}
    assert simulated.sources(id, SETTINGS) == ["builtin", "glue_sst2"]


@pytest.mark.xfail(strict=True, reason="some claims name neither null nor planted subject yet; then this mark goes")
def test_no_claim_is_left_uncalibrated():
    harness.complain(calibrate.lacking())
