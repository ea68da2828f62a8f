"""Every rule against nulls and planted subjects: what is stored decided again, some of it run again, and the null rate."""

from __future__ import annotations

import random

import numpy as np
import pytest

from bertology_utils import calibrate, runs
from bertology_utils.calibration import harness, records, simulated
from bertology_utils.cards.standing import standing
from bertology_utils.claims import evidence, ledger
from bertology_utils.claims.clauses import LEARNED
from bertology_utils.claims.rules import FAILS, HOLDS, TAUGHT, UNTESTABLE, decide
from bertology_utils.scores.pairs import over
from bertology_utils.settings import Settings

SETTINGS = Settings()
SECONDS = 15  # of the processor, for stand-ins that are run again, as they took when they were stored
AGAIN = "calibrate the claim again: bertology calibrate ID --out bertology_utils/assets/calibration"


def stored() -> list[str]:
    return sorted(path.stem for path in records.SHIPPED.glob("*.json"))


# Claims whose planted subject the data are too few to find, or find in fewer than eight of ten draws; the table in the book says
# so. Nobody can hold them there, so no null can either. Most are absences: that nothing is lost takes narrow intervals.
TOO_FEW = {
    "builtin": {
        "mbt.typology.pires2019": "the pairs of seven generated languages know a correlation to .3",
        "wld.attributes.da2019": "generated attributes know an untrained network's gap to half of the area",
        "syn.npi.warstadt2019": "the cloze has six to twelve polarity items, by which an untrained network's scores vary",
        "syn.hierarchical.lin2019": "in generated sentences the words beside a word tell it, so that nothing is left to be found",
        "lay.hierarchy.lin2019": "in generated sentences the words beside a word tell it, so that upper layers cannot tell more",
        "hed.explanation_debate.jain2019": "words of more pieces get more of an even attention, and matter more when left out",
        "syn.intermediate_parsing.glavas2020": "five seeds of 180 items show no difference to be within three points",
        "lay.base_vs_large.tenney2019a": "five seeds as noisy as is assumed show no difference to be within a tenth",
        "siz.head_pruning.michel2019": "five seeds of 300 items know what heads cost to four points, within two are asked for",
        "siz.distillation.sanh2019": "retention is known to four tenths; all of it is 1, and more than .9 is asked for",
        "siz.quantization.zafrir2019": "what 3 bits cost is known to eight points, and the gate asks for one",
        "siz.lottery.chen2020": "what bad masks cost is known to eight points, within five are asked for",
        "siz.magnitude_pruning.gordon2020": "what a third of the weights costs is known to four points, within one is asked for",
        "siz.token_elimination.goyal2020": "what vectors cost is known to two points, within one is asked for",
        "mbt.wordpiece_overlap.wang2019b": "five seeds of the family know transfer to six points, within five are asked for",
        "trn.pretraining_benefit.kovaleva2019": "one task of the four that the row names does not show what is usually so",
        "trn.adapters.houlsby2019": "five seeds of 180 items know the loss to seven points, within two are asked for",
        "trn.restore_lower.hao2019": "what layers put back cost is known to four points, within two are asked for",
        "trn.large_batch.liu2019b": "five seeds of the family know losses to .14 nats, within .05 are asked for",
        "trn.nsp.liu2019b": "five seeds of the family know tuned copies to ten points, within one is asked for",
        "trn.masking_rate.raffel2019": "five seeds of the family know losses to some .1 nats, within .05 are asked for",
        "trn.dynamic_masking.liu2019b": "five seeds of the family know losses to .11 nats, within .02 are asked for",
        "trn.sublayer_order.press2020": "five seeds know what a larger network gains to .12 nats, .02 are asked for",
        "trn.unk_mask.clinchant2019": "five seeds of the family know losses to .1 nats, within .03 are asked for",
    },
    "lin2019_open_sesame": {
        "syn.hierarchical.lin2019": "words beside a word tell nouns, in the study's sentences too",
        "lay.hierarchy.lin2019": "words beside a word tell nouns, in the study's sentences too",
    },
    "glue_sst2": {
        "trn.pretraining_benefit.kovaleva2019": "one task of the four that the row names does not show what is usually so",
        "siz.distillation.sanh2019": "retention is known to .12; all of it is 1, and more than .9 is asked for",
        "siz.lottery.chen2020": "what bad masks cost is known to five points, within five are asked for",
        "siz.token_elimination.goyal2020": "what vectors cost is known to 1.2 points, within one is asked for",
        "siz.magnitude_pruning.gordon2020": "1,821 phrases know what a third of the weights costs to a point and more",
    },
    "ettinger2019_lm_diagnostics": {  # of the study's items those alone whose completions mini's pieces spell
        "syn.malformed.ettinger2019": "fillers without a subject are known to seven points, and the bound is four away",
        "syn.negation.ettinger2019": "34 sentences know whether the true completion is preferred to twenty points",
        "wld.pragmatic.ettinger2019": "four sentences are left",
    },
    "mrpc_msr_paraphrase": {
        "siz.head_pruning.michel2019": "five seeds know the share of layers that do with one head to thirty points",
    },
    "ud_english_ewt": {
        "hed.explanation_debate.jain2019": "words of more pieces get more of an even attention, and matter more when left out",
        "hed.syntactic.clark2019": "the planted head leads the nearest noun, which is nearly always it, by 4.6 points for sure",
        "hed.no_full_tree.clark2019": "three planted relations of forty do not lead offsets for each: its gate fails",
    },
    "gulordava2018_linzen2016": {
        "syn.agreement.goldberg2019": "117 nonce sentences know agreement to fifteen points, an untrained network's as badly",
    },
    "goldberg2019_bert_syntax": {
        "syn.agreement.goldberg2019": "the study's own nonce and distracted sentences know agreement to thirty points",
    },
    "warstadt2019_npi": {
        "syn.npi.warstadt2019": "pairs differ in fifteen pairs of words, by which an untrained network varies by thirty points",
    },
    "corpus": {  # the runs on English: three seeds, and some leave the plateau of word frequencies early, some late
        "trn.fixed_attention.raganato2020": "losses are known to .2 nats, within .1 are asked for",
        "trn.large_batch.liu2019b": "losses are known to .18 nats, within .05 are asked for",
        "trn.masking_rate.raffel2019": "losses are known to some .2 nats, within .05 are asked for",
        "trn.unk_mask.clinchant2019": "losses are known to half a nat, within .03 are asked for",
        "trn.sublayer_order.press2020": "three seeds know what a larger network gains to .19 nats, .02 are asked for",
        "trn.warm_start.gong2019": "time saved is known to a fifth of the time",
        "trn.nsp.liu2019b": "losses are known to .7 nats and tuned copies to eight points, within one is asked for",
    },
    "few_words": {
        "trn.dynamic_masking.liu2019b": "three seeds know what fresh masks change to .09 nats, within .02 are asked for",
        "trn.unk_mask.clinchant2019": "three seeds know what [UNK] changes to .08 nats, within .03 are asked for",
    },
    "corpus_multilingual": {
        "mbt.wordpiece_overlap.wang2019b": "three seeds know transfer to fourteen points, within five are asked for",
    },
}


@pytest.mark.parametrize("id", stored())
def test_no_null_holds_and_the_planted_one_does(id):
    """Decided again from the stored rows, by the ledger as it is."""
    trials = records.find(id)
    assert {t.role for t in trials} == {"null", "planted"}, AGAIN
    wrong = {(t.record.data, t.name): (t.wrong, t.decision.reason) for t in trials if t.wrong}
    for planted in (t for t in trials if t.role == "planted" and id in TOO_FEW.get(t.record.data, ())):
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


@pytest.mark.parametrize("id", ["syn.agreement.goldberg2019"])
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


def null_rate(n: int, settings: Settings, at_bound: bool) -> list[str]:
    """The claims of those n simulated nulls, dealt out over the rules, that hold a learned clause."""
    learned = {row.id: [c for c in row.clauses if c.kind == LEARNED] for row in ledger.rows()}
    rules = [(id, clauses) for id, clauses in learned.items() if clauses]
    held = []
    for k in range(n):
        id, clauses = rules[k % len(rules)]
        rng = np.random.default_rng([settings.seed, k])
        times = 1.0 if at_bound else 0.0  # smallest effects: none, or scores exactly where holding begins
        mine, other = simulated.rows_of(clauses, simulated.slots(clauses), times, rng, settings)
        if any(c.outcome == HOLDS for c in decide(clauses, mine, over(mine, other)).tested):
            held.append(id)
    return held


@pytest.mark.parametrize("at_bound", [False, True], ids=["no effect", "at the bound"])
def test_of_200_simulated_nulls_few_hold(at_bound):
    """No effect at all, and scores just where holding begins: five per cent at most."""
    held = null_rate(200, Settings(draws=400, seed=1), at_bound)
    assert len(held) <= 10, held


def test_no_runs_are_simulated_for_data_on_which_the_gate_alone_was_measured():
    id = "siz.lottery.chen2020"
    assert {e.data for e in evidence.find(id) if e.kind == "rerun"} >= {"mrpc_msr_paraphrase", "cola"}
    assert simulated.sources(id, SETTINGS) == ["builtin", "glue_sst2"]


def test_a_gate_of_other_data_lends_a_null_no_effect(monkeypatch):
    """Time saved is a gate of the released table alone; as a gate here it would be met by scores that are drawn to meet it."""
    monkeypatch.setattr(simulated, "NULLS", 10)
    null = next(simulated.trials("siz.token_elimination.goyal2020", "builtin", Settings(draws=200)))
    assert not null.wrong and {c.name: c.outcome for c in null.decision.clauses}["cheap"] == FAILS
    told = {row["measure"] for row in null.record.rows}
    assert "accuracy lost, random elimination" in told and "time, original / eliminated" not in told


def test_trees_that_show_nothing_are_not_said_to_be_unlike_annotated_ones():
    """They are unlike any: without its gate every null held this clause, and so came out in part."""
    nulls = [t for t in records.find("syn.perturbed_masking.wu2020") if t.role == "null" and not t.stale]
    assert {t.record.data for t in nulls} == {"builtin", "ud_english_pud"}
    for trial in nulls:
        outcomes = {c.name: c.outcome for c in trial.decision.clauses}
        assert outcomes["unlike annotation"] == UNTESTABLE, (trial.name, trial.record.data)


@pytest.mark.xfail(strict=True, reason="some claims name neither null nor planted subject yet; then this mark goes")
def test_no_claim_is_left_uncalibrated():
    harness.complain(calibrate.lacking())


# Bounds that nothing has met, on figures that others released or for want of a planted subject for the clause.
UNMET = {
    (
        "syn.mdl.voita2020",
        "beyond accuracy",
    ),  # 120 to 147 words: the lead is known to .3 to .5, more than .2 is asked for
    ("syn.probe_size.liu2019a", "finds more"),  # 3,149 words: the gain is known to a point, and a point is asked for
    ("trn.whole_word.devlin2019", "by_a_point"),  # eight released tasks: .3 of a point
    ("trn.seed_variance.dodge2020", "together"),  # five released seeds a task
    ("siz.bigger_not_always.goldberg2019", "agreement"),  # 383 released answers know the lead to five points
}


@pytest.mark.parametrize("id", [r.id for r in ledger.rows() if r.how != "cite" and any(c.tests for c in r.clauses)])
def test_every_bound_can_be_met(id):
    """By a trained network, by released outputs or by a planted subject, on some data; else it is known to lack items."""
    trained = [r.decision for r in evidence.find(id, Settings(evidence=evidence.SHIPPED)) if not r.is_twin]
    planted = [t.decision for t in records.find(id) if t.role == "planted"]
    met = {c.name for d in (*trained, *planted) if d for c in d.tested if c.outcome in (HOLDS, TAUGHT)}
    if trained and not any(id in claims for claims in TOO_FEW.values()):
        assert {c.name for c in ledger.row(id).clauses if c.tests} - met == {
            name for known, name in UNMET if known == id
        }


@pytest.mark.parametrize("id", stored())
def test_simulated_runs_score_as_many_items_as_the_records_do(id):
    shipped = simulated.shipped(id, Settings(evidence=evidence.SHIPPED))
    for trial in (t for t in records.find(id) if t.role == "planted" and "simulated" in t.record.notes):
        record = next((r for r in shipped if r.data == trial.record.data), None)
        if record and not any("seeds per" in note for note in record.notes):  # runs of the family are of one size
            rows = {(row["measure"], row["n"]) for row in trial.record.rows}
            for measure in {test.measure for c in ledger.row(id).clauses for test in c.on(record.data).tests}:
                asked = {(measure, row["n"]) for row in record.rows if row["measure"] == measure and row["n"]}
                assert not asked or asked & rows, (measure, AGAIN)
