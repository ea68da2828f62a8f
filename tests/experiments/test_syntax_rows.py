"""The rows on trees, polarity items and fine-tuning: each experiment on items whose answer is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support import tiny

from bertology_utils.claims.registry import NotRunnable
from bertology_utils.data.items import Ambiguity, Cloze, Data, ForcedChoice, Labelled, MinimalPair, Sentence
from bertology_utils.experiments.syntax import agreement, npi, predictions, trees, tuned
from bertology_utils.finetune import Recipe
from bertology_utils.scores import trees as decoding
from bertology_utils.settings import Settings

SETTINGS = Settings(draws=200)
NOUNS = ("dog", "cat", "man", "bird", "author")


def data(**items) -> Data:
    return Data(name="hand", items=items, sha256="")


def value(frame, measure, **keys):
    chosen = frame[frame["measure"] == measure]
    for column, wanted in keys.items():
        chosen = chosen[chosen[column] == wanted]
    assert len(chosen) == 1, (measure, keys, frame)
    return chosen.iloc[0]["value"]


def treebank(n, split="test"):
    rng = np.random.default_rng(1)
    out = []
    for k in range(n):
        a, b = rng.choice(NOUNS, 2)
        words = ("the", a, "near", "the", b, "runs", ".")
        out.append(Sentence(id=f"{split}{k}", split=split, words=words, heads=(1, 5, 4, 4, 1, -1, 5),
                            deprels=("det", "nsubj", "case", "det", "nmod", "root", "punct")))  # fmt: skip
    return out


def test_a_map_that_holds_the_tree_gives_it_back_in_either_direction():
    gold = np.array([1, 4, 3, 1, -1])
    planted = np.full((5, 5), 0.01)
    planted[np.arange(4), gold[:4]] = 0.9  # each dependent attends to its head
    found = trees.head_trees(np.stack([planted, planted.T]), gold)
    assert len(found) == 4
    assert found[0].tolist() == gold.tolist() and found[3].tolist() == gold.tolist()
    assert trees.head_trees(np.stack([planted, planted.T]), gold, [3])[0].tolist() == gold.tolist()
    counts = trees.Attached()
    counts.add([gold, *trees.baselines(gold, np.random.default_rng(0))], gold)
    counts.add([gold, *trees.baselines(gold, np.random.default_rng(1))], gold)
    rows = {(r["measure"], r["tree"]): r["value"] for r in trees.compared(counts, ["mine"], SETTINGS)}
    assert (
        rows["UUAS", "mine"] == 1 and rows["UUAS", "chain"] == 0.5
    )  # of 0-1, 1-4, 2-3 and 3-1 it has the first and the third
    assert rows["lead over chain", "mine"] == 0.5 and 0.2 < rows["UUAS", "random tree"] < 0.6


def test_the_head_is_chosen_on_one_part_and_scored_on_another():
    dev, test = treebank(4, "dev"), treebank(6)
    assert trees.two_parts([*dev, *test]) == (dev, test)
    assert trees.two_parts(test) == (test[::2], test[1::2])
    frame = trees.no_tree_in_attention(tiny(), data(treebank=[*dev, *test]), SETTINGS)
    # of the arcs 0-1, 1-5, 2-4, 3-4 and 4-1 the chain has the first and the fourth
    assert value(frame, "UUAS", tree="chain") == pytest.approx(2 / 5)
    assert (frame["measure"] == "UUAS when choosing").sum() == 12
    # half of its attention along gold arcs gives the tree away in any map
    assert value(frame, "UUAS", tree="planted head") > 0.8
    lead = value(frame, "UUAS", tree="best head") - value(frame, "UUAS", tree="chain")
    assert value(frame, "lead over chain", tree="best head") == pytest.approx(lead)


def test_perturbed_masking_scores_what_it_decodes(monkeypatch):
    items = treebank(4)
    keep, gold = decoding.without_punctuation(items[0])
    matrix = np.full((7, 7), 0.1)
    matrix[keep[gold >= 0], keep[gold[gold >= 0]]] = 1.0  # [i, j]: j, the head, matters most to i
    monkeypatch.setattr(trees.perturb, "impacts", lambda *a, **k: ((i, matrix) for i in range(4)))
    frame = trees.perturbed_masking(tiny(), data(treebank=items), SETTINGS)
    assert value(frame, "UUAS", tree="Eisner") == value(frame, "UUAS", tree="spanning tree") == 1.0
    assert value(frame, "lead over chain", tree="Eisner") == pytest.approx(3 / 5)
    assert value(frame, "arc above no arc at equal distance") == 1.0
    apart = 1 / (1 + np.abs(np.subtract.outer(np.arange(7), np.arange(7))))  # no model: distance alone
    monkeypatch.setattr(trees.perturb, "impacts", lambda *a, **k: ((i, apart) for i in range(4)))
    frame = trees.perturbed_masking(tiny(), data(treebank=items), SETTINGS)
    assert value(frame, "lead over chain", tree="Eisner") == 0.0
    assert value(frame, "arc above no arc at equal distance") == 0.5
    monkeypatch.undo()
    frame = trees.perturbed_masking(tiny(), data(treebank=items), SETTINGS)
    assert 0 <= value(frame, "UUAS", tree="Eisner") < 1


def test_two_models_two_methods():
    items = treebank(12)
    frame = trees.compare_models([tiny(), tiny().twin(3)], items, SETTINGS)
    assert len(frame) == 6 and value(frame, "larger lead") >= value(frame, "smaller lead")
    same = trees.compare_models([tiny(), tiny()], items, SETTINGS)
    assert value(same, "larger lead") == value(same, "smaller lead") == 0
    with pytest.raises(NotRunnable, match="name one in BERTOLOGY_PARTNER"):
        trees.method_favours_model(tiny(), data(treebank=items), SETTINGS)
    named = replace(SETTINGS, companions=(f"partner={tiny().name}",))
    frame = trees.method_favours_model(tiny(), data(treebank=items), named)
    assert value(frame, "larger lead") == 0


def choice(k, good, bad, **meta):
    return ForcedChoice(id=str(k), condition=meta.pop("condition", "simple"), text=f"w{k} [MASK]", good=good, bad=bad,
                        meta={"attractors": 0, "set": "hand", **meta})  # fmt: skip


def test_number_and_kind_of_an_agreement_item():
    assert agreement.number(choice(0, "is", "are")) == "singular" == agreement.number(choice(0, "passes", "pass"))
    assert agreement.number(choice(0, "were", "was")) == "plural" == agreement.number(choice(0, "run", "runs"))
    assert agreement.kinds(choice(0, "is", "are", attractors=2, nonce=True)) == ["nonce", "distractor"]
    marvin = {"set": "marvin_linzen", "attractors": 1}
    assert agreement.kinds(choice(0, "is", "are", condition="across a subject relative", **marvin)) == ["distractor"]
    assert agreement.kinds(choice(0, "is", "are", condition="in an object relative", **marvin)) == []
    assert agreement.kinds(choice(0, "himself", "themselves", condition="reflexive: simple")) == []


def test_a_constant_preference_has_one_half(monkeypatch):
    several = range(agreement.OF_VERB)  # of one verb no more are drawn
    items = [choice(k, *(("is", "are") if k % 4 else ("are", "is")), template=k % 7) for k in several]
    always_is = np.array([1.0 if i.good == "is" else -1.0 for i in items])
    monkeypatch.setattr(
        agreement.cloze, "choose", lambda subject, items, settings: always_is[[int(i.id) for i in items]]
    )
    frame = agreement.agreement(tiny(), data(agreement=items), SETTINGS)
    assert value(frame, "accuracy", condition="simple") == 0.75
    assert value(frame, "balanced accuracy", items="no distractor") == 0.5
    assert value(frame, "d'", items="no distractor") == 0


def negated(k, thing, affirmative, plain):
    return ForcedChoice(id=f"{k}-{affirmative}", condition="affirmative" if affirmative else "negated",
                        text="the [MASK]", good="bird" if affirmative else "tree", bad="tree" if affirmative else "bird",
                        meta={"pair": k, "set": "simple", "thing": thing, "plain": plain})  # fmt: skip


def test_negation_counts_pairs_that_switch_either_way(monkeypatch):
    # per pair: does "bird" win without and with "not"?
    answers = [(1, 1), (1, 1), (1, 0), (0, 0), (0, 1), (1, 1)]
    items = [negated(k, f"t{k}", side, None) for k in range(len(answers)) for side in (True, False)]

    def choose(subject, items, settings):
        bird = [answers[i.meta["pair"]][i.condition == "negated"] for i in items]
        return np.array([1.0 if b == (i.good == "bird") else -1.0 for b, i in zip(bird, items)])

    monkeypatch.setattr(predictions.cloze, "choose", choose)
    frame = predictions._choices(tiny(), items, SETTINGS)
    assert value(frame, "accuracy, affirmative") == pytest.approx(4 / 6)
    assert value(frame, "unmoved by not") == pytest.approx(4 / 6)
    assert value(frame, "switched by not") == pytest.approx((1 - 1) / 6)  # one to the true one, one away from it


def test_predictions_that_do_not_change_survive_wholly(monkeypatch):
    items = [Cloze(id=str(k), text=f"w{k} sees the old dog near the [MASK] .", answers=("dog",),
                   meta={"subject": (0, 1)}) for k in range(24)]  # fmt: skip

    def by_item(subject, texts, k, settings):
        """Five fillers of each item's own, whatever the order; without its first word nothing is known."""
        names = [next((w for w in t.split() if w.startswith("w")), "?") for t in texts]
        return [[f"{n}{j}" for j in range(5)] for n in names]

    monkeypatch.setattr(predictions.cloze, "top_k", by_item)
    frame = predictions.malformed(tiny(), data(completion=items), SETTINGS)
    assert value(frame, "survival", perturbation="shuffled") == 1
    assert value(frame, "survival", perturbation="no subject") == 0
    monkeypatch.setattr(predictions.cloze, "top_k", lambda s, texts, k, settings: [list("abcde")] * len(texts))
    frame = predictions.malformed(tiny(), data(completion=items), SETTINGS)
    assert frame[frame.measure == "survival"].value.isna().all()  # what every sentence predicts survives nothing


def test_npi_leads_are_differences_of_accuracies():
    conditions = ["licensor"] * 4 + ["npi"] * 4 + ["scope"] * 4
    right = np.array([1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0], bool)
    rows = {(r["measure"], r.get("phenomenon")): r["value"] for r in npi._rows("x", conditions, right, SETTINGS)}
    assert rows["accuracy", "npi"] == 0.75
    assert rows["licensor - scope", None] == 0.75 and rows["npi - scope", None] == 0.5
    assert len(npi._rows("x", conditions[:8], right[:8], SETTINGS)) == 2  # no scope, no lead


def test_sentences_of_unequal_length_are_set_apart():
    even = [MinimalPair(id=f"e{k}", condition="npi", good="the dog sleeps", bad="dog sleeps the") for k in range(9)]
    uneven = [MinimalPair(id=f"u{k}", condition="npi", good="the dog", bad="the old red dog") for k in range(6)]
    rows, note = npi._minimal(tiny(), [*even, *uneven], SETTINGS)
    found = {r["measure"]: r for r in rows}
    assert found["accuracy"]["n"] == 9 and found["shorter sentence wins"]["n"] == 6
    assert found["shorter sentence wins"]["value"] == 1.0  # random weights: more pieces, lower sum
    assert note.startswith("minimal pairs: 9 of 15")


def test_cells_of_the_paradigm():
    def cell(**meta):
        return npi.cell(Labelled(id="a", text="a", label="1", meta=meta))

    assert cell(kind="licensed") == "licensed"
    assert cell(present=True, licensed=True, in_scope=True) == "licensed"
    assert cell(present=True, licensed=True, in_scope=False) == "out of scope"
    assert cell(present=True, licensed=False, in_scope=True) == "unlicensed"
    assert cell(present=False, licensed=False, in_scope=True) == "no npi"
    assert cell(present=False, licensed=True, in_scope=True) == "licensor alone"


def test_the_acceptability_probe_finds_what_a_word_gives_away():
    kinds = {"licensed": "not the dog", "no npi": "the dog", "unlicensed": "have the dog", "out of scope": "have near"}
    items = []
    for k in range(160):
        kind = list(kinds)[k % 4]
        split = ("train", "train", "dev", "test")[k // 4 % 4]
        items.append(
            Labelled(
                id=str(k),
                split=split,
                text=f"{kinds[kind]} {NOUNS[k % 5]}",
                label=str(int(k % 4 < 2)),
                meta={"kind": kind},
            )
        )
    conditions, right, bottom, note = npi.probe(tiny(), items, SETTINGS)
    assert (
        right.mean() == 1
        and len(bottom) == 60
        and {c: conditions.count(c) for c in npi.CONTRASTS} == dict.fromkeys(npi.CONTRASTS, 20)
    )
    assert "layer" in note


def test_npi_on_pairs_alone():
    pairs = [
        MinimalPair(
            id=str(k), condition=("licensor", "npi", "scope")[k % 3], good="the dog sleeps", bad="dog sleeps the"
        )
        for k in range(66)
    ]
    frame = npi.npi(tiny(), data(npi_pairs=pairs), SETTINGS)
    assert set(frame["method"]) == {"minimal pairs"} and "npi - scope" in set(frame["measure"])


def ambiguous(n):
    """Class 1: the first noun is big — or: "big" stands second. Test: they disagree, and position decides `linear`."""
    rng, out = np.random.default_rng(0), []
    for k in range(n):
        a, b = rng.choice(NOUNS, 2)
        label = k % 2
        first, second = ("big", "small") if label else ("small", "big")
        split = ("train", "train", "dev", "test")[k // 2 % 4]
        words = (first, a, "near", second, b)
        out.append(
            Ambiguity(
                id=str(k),
                split=split,
                condition="size",
                words=words,
                label=1 - label if split == "test" else label,
                linear=label,
            )
        )
    return out


def test_structural_bias_is_the_share_of_structural_labels(monkeypatch):
    monkeypatch.setattr(tuned, "RECIPE", Recipe(rate=3e-3, epochs=6, batch=8))
    monkeypatch.setattr(tuned, "SEEDS", 2)
    frame = tuned.structural_bias(tiny(), data(structural_bias=ambiguous(280)), SETTINGS)
    assert value(frame, "accuracy, ambiguous", condition="size") > 0.95
    assert value(frame, "structural choice", condition="size") < 0.05  # only the surface could be learnt
    by_label = frame[frame.measure == "structural choice by label"].set_index("label")
    assert by_label.n.sum() == 70 and (by_label.value < 0.1).all()
    assert frame.attrs["notes"] == ["seeds: 2; 100 training sentences per task"]


def test_more_items_more_seeds():
    assert [len(tuned.seeds(n)) for n in (20, 199, 200, 9000)] == [3, 3, 5, 5]


def test_the_lower_half_is_a_smaller_subject():
    half = tuned.lower_half(tiny())
    assert half.n_layers == 1 and tiny().n_layers == 3 and "lower half" in half.name


def test_triggers_are_scored_on_three_models(monkeypatch):
    monkeypatch.setattr(tuned, "RECIPE", Recipe(rate=3e-3, epochs=4, batch=16))
    items = [
        Labelled(
            id=str(k),
            split=("train", "train", "test")[k // 2 % 3],
            text=f"the {('small', 'big')[k % 2]} {NOUNS[k % 5]}",
            label=str(k % 2),
        )
        for k in range(120)
    ]
    frame = tuned.universal_triggers(tiny(), data(sentiment=items), SETTINGS)
    assert (frame["measure"] == "drop over random").sum() == 3
    for name in ("same model", "another seed", "another size"):
        clean, hit, chance = (
            value(frame, "accuracy", attacked=name, text=t) for t in ("no trigger", "trigger", "random trigger")
        )
        assert value(frame, "drop over random", attacked=name) == pytest.approx(chance - hit)
        assert clean > 0.9
    assert value(frame, "accuracy", attacked="same model", text="trigger") <= clean


def test_flips_are_counted_among_what_was_right(monkeypatch):
    right = {
        "no trigger": np.array([1, 1, 1, 0, 1, 1], float),
        "trigger": np.array([0, 0, 1, 0, 1, 1], float),
        "random trigger": np.array([1, 0.5, 1, 0, 1, 1], float),
    }
    gold = np.array(["0", "0", "0", "0", "1", "1"])
    rows = {(r["measure"], r.get("against")): r for r in tuned._attack_rows(right, gold, "m", SETTINGS)}
    assert rows["flipped", "0"]["value"] == pytest.approx((1 + 0.5) / 3) and rows["flipped", "0"]["n"] == 3
    assert rows["flipped", "1"]["value"] == 0 and rows["drop over random", None]["value"] == pytest.approx(1.5 / 6)


def test_gain_by_parsing_is_the_difference_of_the_arms(monkeypatch):
    monkeypatch.setattr(tuned, "RECIPE", Recipe(rate=1e-3, batch=16))
    monkeypatch.setattr(tuned, "PASSES", 400)
    texts = [
        Labelled(
            id=str(k),
            split=("train", "test")[k // 2 % 2],
            condition="c",
            text=f"the {NOUNS[k % 5]}",
            text_b=("big", "small")[k % 2],
            label=str(k % 2),
        )
        for k in range(48)
    ]
    sentences = [*treebank(40, "train"), *treebank(10)]
    frame = tuned.intermediate_parsing(tiny(), data(treebank=sentences, entailment=texts), SETTINGS)
    gain = value(frame, "gain by parsing", set="all")
    assert gain == pytest.approx(
        value(frame, "accuracy with parsing", set="c") - value(frame, "accuracy without", set="c")
    )
    majority = value(frame, "accuracy without", set="all") - 0.5
    assert value(frame, "accuracy over majority", set="all") == pytest.approx(majority)
    # of the six words, the dependents of their left neighbour are one (runs, no), of their right neighbour three
    assert value(frame, "parsing UAS") > 0.5
    assert value(frame, "parsing UAS over chain") == pytest.approx(value(frame, "parsing UAS") - 2 / 6)
    found, other, notes = tuned._both_tasks(data(treebank=sentences), SETTINGS)
    assert found == sentences and len(other) == 200 and notes[0].startswith("entailment: 200 generated items, SHA-256 ")
