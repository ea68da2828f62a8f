"""The fine-tuning half of the training section: what each measure gives for classifiers whose answers are known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import torch
from support import tiny

from bertology_utils.claims import ledger
from bertology_utils.claims.rules import FAILS, HOLDS, OPEN, UNTESTABLE, decide
from bertology_utils.data import load, of
from bertology_utils.data.items import Labelled
from bertology_utils.experiments.training import tuned_inside, tuned_runs, tuned_steady, tuned_ways
from bertology_utils.finetune import Recipe, shared
from bertology_utils.scores.intervals import mean_row
from bertology_utils.settings import Settings

SETTINGS = Settings(draws=100)


@dataclass
class Known:
    """A classifier that answers by a rule ``item -> label``, but for one item in fifty, drawn with its seed."""

    rule: Any
    seed: int = 0

    def right(self, items, settings=None):
        slips = np.random.default_rng([self.seed, len(items)]).random(len(items)) < 0.02
        return np.array([self.rule(i) == i.label for i in items], bool) ^ slips


def outcome(id, rows, clause):
    decision = decide(ledger.row(id).clauses, rows, None, "builtin")
    return {c.name: c.outcome for c in decision.clauses}[clause]


def value(rows, measure, **where):
    found = rows[rows["measure"] == measure]
    for column, wanted in where.items():
        found = found[found[column] == wanted]
    (only,) = found["value"]
    return only


def test_a_task_learns_from_one_part_and_is_scored_on_another():
    task = tuned_runs.task(tiny(), load("entailment", n=600), "entailment")
    parts = [{i.id for i in part} for part in (task.train, task.held, task.beyond)]
    assert (
        [len(p) for p in parts] == [240, 180, 180] and not parts[0] & parts[1] and not parts[2] & (parts[0] | parts[1])
    )
    assert all("contradicts" in i.meta for i in task.beyond) and task.usual().mean() == pytest.approx(0.5, abs=0.02)
    wnli = [
        Labelled(id=f"{k}", split="train", condition=c, text="a dog", label="1") for k, c in enumerate(("RTE", "WNLI"))
    ]
    assert [i.condition for i in tuned_runs.task(tiny(), of({"entailment": wnli}), "entailment").train] == ["RTE"]


def test_of_a_study_s_own_texts_thousands_are_learnt_from_in_fewer_epochs():
    parts = [("train", 4500), ("test", 1500), ("dev", 900)]
    texts = [
        Labelled(id=f"{split}-{k}", split=split, text="a dog", label=f"{k % 2}") for split, n in parts for k in range(n)
    ]
    task = tuned_runs.task(tiny(), of({"sentiment": texts}, name="glue_sst2"), "sentiment")
    assert (len(task.train), len(task.held)) == (4000, 2000)
    assert {i.split for i in task.train} == {"train"} and {i.split for i in task.held} == {"test", "dev"}
    many, few = (tuned_runs.recipe(tiny(), t.train, 0) for t in (task, task.few(tuned_runs.TRAIN)))
    assert (many.epochs, many.batch, few.epochs, few.batch) == (3, 32, 5, 16)


def test_a_run_is_made_once():
    task = tuned_runs.task(tiny(), load("sentiment", n=40), "sentiment")
    assert tuned_runs.plain(tiny(), task, 0) is tuned_runs.plain(tiny(), task, 0)
    assert tuned_runs.plain(tiny(), task, 1) is not tuned_runs.plain(tiny(), task, 0)
    assert tuned_runs.plain(tiny().twin(7), task, 0) is not tuned_runs.plain(tiny(), task, 0)


@pytest.mark.parametrize("peak", [1e-5, 5e-4])
def test_a_head_over_frozen_features_learns_at_any_width(monkeypatch, peak):
    """By mpnet's rate the weights of layers had stayed within a tenth of even ones."""
    monkeypatch.setattr(Recipe, "peak", lambda self, hidden_size: self.rate or peak)
    head = tuned_runs.frozen(tiny(), tuned_runs.task(tiny(), load("sentiment", n=200), "sentiment"), 0).head
    weights = (head.mixture.scores * head.mixture.fast).softmax(0)
    assert weights.max() > 1.2 * weights.min()


def test_what_serves_one_claim_alone_is_not_kept():
    task = tuned_runs.task(tiny(), load("sentiment", n=40), "sentiment")
    held = len(shared._MODELS)
    tuned_runs.afresh(tiny(), task, 3)
    made = tuned_runs.frozen(tiny(), task, 3)
    assert len(shared._MODELS) == held and made.subject is tiny()  # a frozen model is the model: no copy of it stays


@pytest.mark.parametrize(
    ("rule", "difference", "expected"),
    [
        (lambda i: "entailment", 1.0, UNTESTABLE),  # all that overlaps follows: the greatest difference, nothing learnt
        (lambda i: i.label, 0.0, FAILS),
        (lambda i: "entailment" if "contradicts" in i.meta else i.label, 1.0, HOLDS),
        (lambda i: "not_entailment", -1.0, UNTESTABLE),
    ],
)
def test_heuristics_of_known_classifiers(monkeypatch, rule, difference, expected):
    monkeypatch.setattr(tuned_inside, "plain", lambda subject, of, seed: Known(rule, seed))
    rows = tuned_inside.heuristics(tiny(), load("entailment", n=600), SETTINGS)
    assert value(rows, "accuracy, consistent - contradicting") == pytest.approx(difference, abs=0.06)
    assert outcome("trn.heuristics.mccoy2019b", rows, "heuristics") == expected


@pytest.mark.parametrize(("new", "expected"), [("entailment", UNTESTABLE), ("not_entailment", HOLDS)])
def test_who_says_entailment_of_whatever_is_new_has_no_heuristic(monkeypatch, new, expected):
    """It has the whole lead, since all items that a heuristic gets right are entailed and no other one is."""
    own = [i for i in load("entailment", n=600)["entailment"] if "contradicts" not in i.meta]
    own = [replace(i, id=f"own {i.id}", meta={"own": True}) for i in own]
    rule = lambda i: i.label if "own" in i.meta else "entailment" if "contradicts" in i.meta else new  # noqa: E731
    monkeypatch.setattr(tuned_inside, "plain", lambda subject, of, seed: Known(rule, seed))
    rows = tuned_inside.heuristics(tiny(), of({"entailment": own}), SETTINGS)
    assert value(rows, "accuracy, consistent - contradicting") > 0.9
    assert outcome("trn.heuristics.mccoy2019b", rows, "heuristics") == expected


def made_grid(monkeypatch, score):
    monkeypatch.setattr(tuned_steady, "_watched", lambda subject, of, how, settings: score(how.seed, how.order - 100))
    return tuned_steady.crossed_seeds(tiny(), load("sentiment", n=300), SETTINGS)


def test_seeds_of_the_head_and_of_the_order_are_told_apart(monkeypatch):
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.003, (4, 4))
    rows = made_grid(monkeypatch, lambda i, k: (0.7, 0.7 + 0.1 * i + noise[i, k]))
    found = {
        n: outcome("trn.seed_variance.dodge2020", rows, n) for n in ("initialisation", "data_order", "early_stopping")
    }
    assert found["initialisation"] == HOLDS and found["data_order"] != HOLDS and found["early_stopping"] != HOLDS
    assert value(rows, "standard deviation by initialisation") == pytest.approx(0.1 * np.std(range(4), ddof=1), rel=0.1)
    telling = made_grid(monkeypatch, lambda i, k: (0.1 * i + 0.02 * k, 0.5 + 0.1 * i + 0.02 * k))
    assert outcome("trn.seed_variance.dodge2020", telling, "early_stopping") == HOLDS


def test_steadier_is_a_smaller_spread_over_seeds():
    task = tuned_runs.task(tiny(), load("sentiment", n=300), "sentiment")
    rng = np.random.default_rng(1)
    shaky = (rng.random((8, len(task.held))) < rng.uniform(0.6, 1.0, (8, 1))).astype(float)
    steady = (rng.random((8, len(task.held))) < 0.8).astype(float)
    rows = tuned_runs.intervals.table(tuned_steady._steadier({"plain": shaky, "mixout": steady}, task, SETTINGS))
    gain = value(rows, "standard deviation over seeds, plain - mixout")
    assert gain == pytest.approx(shaky.mean(1).std(ddof=1) - steady.mean(1).std(ddof=1)) and gain > 0.05
    assert value(rows, "accuracy, mixout - plain") == pytest.approx(steady.mean() - shaky.mean())


@pytest.mark.parametrize("id, way", [("trn.cls_norm.zhou2019", "normalised"), ("trn.mixout.lee2019", "mixout")])
def test_runs_that_all_give_one_answer_are_not_steadier(id, way):
    """The null of a spread over seeds: what has learnt nothing does not vary."""
    task = tuned_runs.task(tiny(), load("entailment", n=600), "entailment")
    rng = np.random.default_rng(1)
    shaky = (rng.random((8, len(task.held))) < np.linspace(0.65, 0.95, 8)[:, None]).astype(float)
    one_answer = np.tile(task.usual(), (8, 1))
    steady = (rng.random((8, len(task.held))) < 0.8).astype(float)
    for other, expected in ((one_answer, UNTESTABLE), (steady, HOLDS)):
        rows = tuned_steady._steadier({"plain": shaky, way: other}, task, SETTINGS)
        rows.append(tuned_runs.intervals.row("offset of [CLS], standard deviations", (1.0, 0.9, 1.1), 240))
        rows = tuned_runs.intervals.table(rows)
        assert value(rows, f"standard deviation over seeds, plain - {way}") > 0.05
        assert outcome(id, rows, "steadier") == expected


@pytest.mark.parametrize("learnt, expected", [(False, UNTESTABLE), (True, HOLDS)])
def test_a_model_that_always_says_the_same_is_not_robust(monkeypatch, learnt, expected):
    """No perturbation moves its answer, so that it is right on half of the texts, where the plain model falls."""
    plain = Known(lambda i: i.label)
    other = Known(lambda i: i.label if learnt else "entailment")
    monkeypatch.setattr(tuned_steady, "plain", lambda subject, of, seed: plain)
    monkeypatch.setattr(tuned_runs, "learn", lambda subject, of, how, **options: other)
    fallen = Known(lambda i: "neither")
    monkeypatch.setattr(
        tuned_steady, "right_under", lambda c, items, ball, settings: (fallen if c is plain else c).right(items)
    )
    rows = tuned_steady.adversarial(tiny(), load("entailment", n=600), SETTINGS)
    assert value(rows, "perturbed accuracy, adversarial - plain") > 0.4
    assert outcome("trn.adversarial.zhu2019", rows, "robust") == expected


def test_normalised_values_are_centred_and_scaled():
    vectors = np.random.default_rng(0).normal(5, 3, (50, tiny().hidden_size)).astype(np.float32)
    head = tuned_steady.Normalised(vectors, tiny(), 2)
    seen = []
    head.dense.register_forward_pre_hook(lambda module, args: seen.append(args[0]))
    head(torch.from_numpy(vectors)[:, None])
    assert seen[0].mean(0).abs().max() < 1e-4 and (seen[0].std(0, correction=0) - 1).abs().max() < 1e-3


def test_layers_that_are_put_back_unchanged_cost_nothing(monkeypatch):
    from bertology_utils.finetune import ClassHead, Classifier

    made = [Classifier(tiny(), ClassHead(tiny(), 2).eval(), ("0", "1")) for _ in range(tuned_runs.SEEDS)]
    monkeypatch.setattr(tuned_inside, "plain", lambda subject, of, seed: made[seed])
    rows = tuned_inside.restore_lower(tiny(), load("sentiment", n=100), SETTINGS)
    assert value(rows, "loss of accuracy, lower third restored") == 0
    assert outcome("trn.restore_lower.hao2019", rows, "lower_hardly") == UNTESTABLE


@pytest.mark.parametrize(
    "missed, where, expected",
    [
        ((0, 1, 2), "lower third", FAILS),
        ((5, 6, 7), "upper third", HOLDS),
        ((3, 4), "neither", HOLDS),
        ((), None, UNTESTABLE),
    ],
)
def test_layers_that_are_missed_are_told_from_others(monkeypatch, missed, where, expected):
    """And with all layers put back it shows, wherever they lie, that something is missed: else nothing is decided."""
    made = [Known(lambda i: i.label, seed) for seed in range(tuned_runs.SEEDS)]
    subject = type("Deep", (), {"n_layers": 8})()
    for known in made:
        known.subject = subject
    monkeypatch.setattr(tuned_inside, "plain", lambda subject, of, seed: made[seed])
    monkeypatch.setattr(tuned_inside, "restored", lambda tuned, before, layers: set(layers) & set(missed))
    monkeypatch.setattr(
        tuned_runs,
        "replace",
        lambda known, subject: Known((lambda i: "entailment") if subject else known.rule, known.seed + 10),
    )
    task = tuned_runs.task(tiny(), load("entailment", n=600), "entailment")
    monkeypatch.setattr(tuned_runs, "first", lambda subject, data: task)
    rows = tuned_inside.restore_lower(subject, None, SETTINGS)
    for part in ("lower third", "upper third", "all layers"):
        lost = 0.5 if where and part in (where, "all layers") else 0.0
        assert value(rows, f"loss of accuracy, {part} restored") == pytest.approx(lost, abs=0.06)
    assert outcome("trn.restore_lower.hao2019", rows, "lower_hardly") == expected


@pytest.mark.parametrize("much, expected", [(0.5, FAILS), (0.05, UNTESTABLE)])
def test_a_profile_in_which_no_layer_changes_by_a_tenth_decides_nothing(monkeypatch, much, expected):
    rng = np.random.default_rng(0)
    layers = rng.normal(much, 0.01, (tuned_runs.SEEDS, 100, 8)).clip(0, 1)
    task = tuned_runs.task(tiny(), load("entailment", n=600), "entailment")
    rows = [
        tuned_runs.beats_majority(np.ones((tuned_runs.SEEDS, len(task.held))), task, SETTINGS),
        mean_row("change, last third - first third", layers[..., 5:].mean(-1) - layers[..., :3].mean(-1), SETTINGS),
        *(mean_row("change, by layer", layers[..., k], SETTINGS, layer=k) for k in range(8)),
        tuned_runs.intervals.row(tuned_inside.WEIGHTS, (0.0, -0.01, 0.01), tuned_runs.SEEDS),
    ]
    assert outcome("trn.last_layers_change.kovaleva2019", tuned_runs.intervals.table(rows), "last_most") == expected


@pytest.mark.parametrize(("best", "gain"), [(0, 0.0), (1, 0.0), (2, 0.5), (3, -0.5)])
def test_a_relation_that_moves_to_another_head_is_looked_for_there(monkeypatch, best, gain):
    """Heads by share of arcs found, half before tuning; after it half in the same head or another, all, or none."""
    found = {"before": [2, 0], "0": [2, 0], "1": [0, 2], "2": [0, 1], "3": [0, 0]}  # every how-many-th arc, by head

    def score(subject, words, arcs, settings):
        turn = arcs.groupby(["relation", "sentence"], sort=False).ngroup().to_numpy() // 2
        return np.array([turn % k == 0 if k else np.zeros(len(arcs), bool) for k in found[subject]]).T

    monkeypatch.setattr(tuned_inside.relations, "score", score)
    monkeypatch.setattr(tuned_inside.encode, "fits", lambda subject, words: [True] * len(words))
    rows, _ = tuned_inside._syntactic_heads("before", [str(best)] * 2, SETTINGS)
    assert rows[0]["value"] == pytest.approx(gain, abs=0.05)


def test_seeds_that_move_guesses_decide_nothing(monkeypatch):
    rows = made_grid(monkeypatch, lambda i, k: (0.5, 0.5 + 0.04 * (-1) ** i))
    assert value(rows, "standard deviation by initialisation") > 0.03
    names = ("initialisation", "data_order", "early_stopping")
    assert {outcome("trn.seed_variance.dodge2020", rows, n) for n in names} == {UNTESTABLE}


def test_pretraining_helps_where_the_random_start_learns_nothing(monkeypatch):
    def plain(subject, of, seed):
        return Known((lambda i: "1") if subject.is_twin else (lambda i: i.label), seed)

    monkeypatch.setattr(tuned_ways, "plain", plain)
    monkeypatch.setattr(tuned_ways, "frozen", lambda subject, of, seed: Known(lambda i: "0", seed))
    data = load(("sentiment", "acceptability"), n=300)
    rows = tuned_ways.pretraining_benefit(tiny(), data, SETTINGS)
    (gain,) = rows.loc[rows["measure"] == "accuracy, pretrained tuned - random tuned", "low"]
    assert gain > 0.02
    assert outcome("trn.pretraining_benefit.kovaleva2019", rows, "usually_helps") == OPEN  # one task of four
    assert outcome("trn.pretraining_benefit.kovaleva2019", rows, "random_can_match") == UNTESTABLE  # two guesses
    assert set(rows["task"].dropna()) == {"sentiment"}  # the first of those that there are


@pytest.mark.parametrize(
    "own, taken, first", [("sts", "paraphrase", "sts"), ("entailment", "paraphrase", "paraphrase")]
)
def test_the_intermediate_task_is_a_sources_own_where_it_has_one(own, taken, first):
    """Graded pairs are not passed over for paraphrases that were taken from another source."""
    assert tuned_ways._first(of({own: [], taken: []})) == first
