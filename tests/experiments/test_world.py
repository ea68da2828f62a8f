"""The chapter on world knowledge: every claim runs on any BERT and gives what its clauses speak of."""

from __future__ import annotations

import json
import shutil
from functools import cache

import numpy as np
import pandas as pd
import pytest
import torch
from support import tiny, write_model

from bertology_utils import runs
from bertology_utils.claims import ledger
from bertology_utils.claims.registry import NotRunnable
from bertology_utils.claims.rules import OUTCOMES, decide
from bertology_utils.data import load
from bertology_utils.data.items import Cloze, Labelled
from bertology_utils.experiments.world import closed_book, facts, names, plants, statements, steps, templates, triples
from bertology_utils.experiments.world.letters import by_letters
from bertology_utils.scores.discrimination import auc
from bertology_utils.settings import Settings
from bertology_utils.subject import models, retrieval

IDS = [id for id in runs.registered() if id.startswith("wld.") and ledger.row(id).how != "hub"]
SETTINGS = Settings(draws=50)
N = {"wld.templates.jiang2019b": 1814, "wld.attributes.da2019": 320, "wld.affordances.forbes2019": 240}


@pytest.fixture(scope="module")
def subject(tmp_path_factory):
    """Two layers of two heads that know the words of some facts whole."""
    words = sorted({o for i in load("facts", "builtin", n=1814)["facts"] for o in i.answers if o.isalpha()})
    words += "bigger smaller larger heavier lighter italian spanish french german italy spain france germany".split()
    words += sorted({w for i in load("plausibility", "builtin", n=60)["plausibility"] for w in
                     (i.meta["right"], i.meta["related"], i.meta["unrelated"])})  # fmt: skip
    folder = with_words(tmp_path_factory.mktemp("world"), [w.lower() for w in words])
    return models.load(str(folder))


def with_words(folder, words):
    """A tiny model whose vocabulary has these words besides."""
    import support

    known = support.WORDS
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(support, "WORDS", [*known, *words])
        return write_model(folder, max_position_embeddings=120, num_hidden_layers=2, num_attention_heads=2,
                           hidden_size=16)  # fmt: skip


@cache
def data(id):
    return load(runs.get(id).tasks, "builtin", n=N.get(id, 120), seed=0)


@pytest.mark.parametrize("id", IDS)
def test_claim_runs_and_its_clauses_decide(id, subject):
    rows = runs.get(id).experiment(subject, data(id), SETTINGS)
    assert {"measure", "value", "low", "high", "n"} <= set(rows.columns)
    measured = rows[(rows["n"] > 0) & rows["low"].notna()]
    assert len(measured) and measured["value"].notna().all()
    assert (measured["low"] <= measured["value"] + 1e-9).all() and (measured["value"] <= measured["high"] + 1e-9).all()
    assert decide(ledger.row(id).clauses, rows, source="builtin").outcome in OUTCOMES


def test_every_claim_of_the_section_has_an_experiment_and_live_ones_are_calibrated():
    section = next(s for s in ledger.sections() if s.name == "world")
    assert {r.id for r in section.rows} == {id for id in runs.registered() if id.startswith("wld.")}
    for id in IDS:
        claim = runs.get(id)
        assert claim.nulls and claim.planted and claim.planted.__doc__


def test_the_planted_share_of_facts_is_found_within_its_interval():
    base = models.load("mini")
    known = load("facts", "builtin", n=150)
    subject = plants.knowing(known, base, np.random.default_rng(0))
    items, _, _ = retrieval.answerable(subject, known["facts"])
    found = facts.answered(subject, items, SETTINGS)
    assert found["P@1"].tolist() == [float(plants.knows(i)) for i in items]
    rows = runs.get("wld.lama.petroni2019").experiment(subject, known, SETTINGS)
    (row,) = rows[rows["measure"] == "P@1"].to_dict("records")
    assert row["low"] <= plants.KNOWN <= row["high"]


def test_one_word_whatever_the_subject_is_no_use_of_the_subject():
    known = load("facts", "builtin", n=150)
    subject = plants.commonest_object.make(known, models.load("mini"), np.random.default_rng(0))
    items, _, _ = retrieval.answerable(subject, known["facts"])
    found = facts.answered(subject, items, SETTINGS)
    assert found["P@1"].mean() > found["P@1, subject masked"].mean() + 0.05
    assert found["P@1, own subject - another subject"].dropna().eq(0).all()


def test_the_baseline_of_completions_is_as_often_right_as_not_where_all_are_expected_alike(subject):
    rows = runs.get("wld.pragmatic.ettinger2019").experiment(subject, data("wld.pragmatic.ettinger2019"), SETTINGS)
    (share,) = rows.loc[rows["measure"] == "accuracy of the more frequent", "value"]
    assert 0.3 < share < 0.7


def by_attribute(rng, split: int) -> pd.DataFrame:
    """Forty objects, of which one attribute in four is rare, true of one in ten, and others of two in five."""
    names = [f"{kind}{k}" for kind in ("rare", "common") for k in range(6)]
    rows = [{"attribute": a, "unit": f"{split}-{o}", "true": rng.random() < (0.1 if a[0] == "r" else 0.4),
             "category": statements.EASY if a[0] == "r" else statements.HARD} for a in names for o in range(40)]  # fmt: skip
    return pd.DataFrame(rows)


def test_how_often_an_attribute_is_true_is_no_knowledge_of_objects():
    rng = np.random.default_rng(0)
    known, held, asked = (by_attribute(rng, k) for k in range(3))
    rate = statements.rates(known, asked)
    said = rate > statements.by_rate(known, held)
    frame = asked.assign(said=said, static=said, rate=said, majority=rate >= 0.5, lead=rate)
    value = {r["measure"]: r["value"] for r in statements.scored(frame, SETTINGS)}
    assert value["F1 over majority"] > 0.3 and value["F1 over attribute's rate"] == 0
    found = statements.within(frame, SETTINGS)
    assert [x[0] for x in found.values()] == [0.5, 0.5, 0]
    told = statements.within(
        frame.assign(lead=np.where(rng.random(len(frame)) < 0.9, asked["true"], ~asked["true"])), SETTINGS
    )
    assert abs(told[f"{statements.EASY} - {statements.HARD}"][0]) < 0.1 and told[statements.EASY][0] > 0.8


def test_other_attributes_might_have_been_asked_for():
    """Two of three attributes are told of all objects, the third of none: of a hundred objects or of three attributes?"""
    rng, rows = np.random.default_rng(0), []
    for a, told in (("a", 1), ("b", 1), ("c", 0)):
        rows += [(a, f"o{k}", true, true * told + rng.random()) for k in range(100) for true in [rng.random() < 0.4]]
    frame = pd.DataFrame(rows, columns=["attribute", "unit", "true", "lead"])
    value, low, high = statements.areas(frame, SETTINGS)
    assert 0.75 < value < 0.92 and high - low > 0.4


@pytest.mark.parametrize("joint", [False, True])
def test_what_words_say_one_by_one_relates_nothing(joint):
    """Some affordances go with more properties than others: that is told without relating the two."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        [(p, f"o{k % 20}", k) for p in range(6) for k in range(100)], columns=["attribute", "unit", "k"]
    )
    word = rng.normal(size=100)[frame["k"]] + rng.normal(size=6)[frame["attribute"]]
    both = word + 3 * rng.normal(size=len(frame))
    frame = frame.assign(true=both > 0, lead=both if joint else word, static_lead=word)
    assert statements.areas(frame, SETTINGS)[0] > 0.55
    value, low, _ = statements.areas(frame, SETTINGS, over_words=True)
    assert low > 0.2 if joint else value == 0


def test_the_same_seed_gives_the_same_rows(subject):
    claim = runs.get("wld.stereotype_names.poerner2019")
    one, two = (claim.experiment(subject, data(claim.id), SETTINGS) for _ in range(2))
    np.testing.assert_allclose(one["value"], two["value"])
    np.testing.assert_allclose(one["low"], two["low"])


def uhn(relation: str, subject: str, answer: str, set_: str) -> Cloze:
    meta = {"subject": subject, "template": "[X] is [Y] .", "set": set_, "cardinality": "N-1", "corpus": "T-REx"}
    return Cloze(id=f"{set_}/{relation}/{subject}", condition=relation, text=f"{subject} is [MASK] .",
                 answers=(answer,), meta=meta)  # fmt: skip


def test_facts_without_telling_names_are_a_part_of_all_facts():
    easy = [uhn("P1", f"cat{k}", "dog", "LAMA") for k in range(4)]
    hard = [uhn("P1", f"dog{k}", "cat", s) for k in range(2) for s in ("LAMA", "UHN")]
    other = [uhn("P2", "dog", "key", "LAMA")]  # a relation of which nothing is left
    rows, notes = names._filtered(tiny(), easy + hard + other, SETTINGS)
    by = {r["measure"]: r for r in rows if "relation" not in r}
    assert by["P@1, LAMA"]["n"] == 6 and by["P@1, LAMA-UHN"]["n"] == 2
    assert "2 of 6 facts" in notes[-1]


def test_a_drop_by_copying_the_subject_counts_on_neither_side():
    """Who says the subject's first word loses all that the filter takes; beyond such facts nothing is lost."""
    matches = [uhn("P1", f"Dog X{k}", "dog", "LAMA") for k in range(3)]
    rest = [uhn("P1", f"cat{k}", "dog", s) for k in range(2) for s in ("LAMA", "UHN")]
    rows, notes = names._filtered(tiny(), matches + rest, SETTINGS)
    by = {r["measure"]: r for r in rows if "relation" not in r}
    assert by["P@1, LAMA"]["n"] == by["P@1, LAMA-UHN"]["n"] == 2 and by["P@1, LAMA - LAMA-UHN"]["value"] == 0
    assert by["drop by repeating a word of the subject"]["value"] == pytest.approx(3 / 5)
    assert notes[0].startswith("3 of 5 facts")


def test_sets_are_averages_over_relations():
    others = [1, 0, np.nan, 0.5]  # the third has no other subject that is asked for in its words
    found = names.sets([1, 0, 1, 1], [0] * 4, others, [1, 0, 1, 0], ["P1", "P1", "P2", "P2"], SETTINGS)
    assert found["P@1, own subject - another subject"][0] == 0.25
    assert found["P@1, LAMA"][0] == 0.75 and found["P@1, LAMA-UHN"][0] == 1.0
    assert found["P@1, LAMA - LAMA-UHN"][0] == -0.25


def test_letters_tell_names_they_have_seen():
    known = {"Giovanni": "Italian", "Lorenzo": "Italian", "Wolfgang": "German", "Dieter": "German"}
    assert by_letters(known, ["Giovanzo", "Wolfter"]) == ["Italian", "German"]


def test_weights_of_wordings_go_to_the_one_that_knows():
    rng = np.random.default_rng(0)
    logs = np.log(np.full((12, 3, 5), 0.2)) + 0.01 * rng.standard_normal((12, 3, 5))
    right = rng.integers(0, 5, 12)
    logs[np.arange(12), 1, right] += 4  # the second wording knows
    weights = templates.fit_weights(logs, right)
    assert weights.argmax() == 1 and weights[1] > 1 / 3
    even = templates.fit_weights(np.zeros((3, 4, 5)), np.zeros(3, int))
    np.testing.assert_allclose(even, 0.25, atol=1e-6)
    ragged = logs.copy()
    ragged[:, :, 4] = -np.inf  # a candidate that no fact has
    assert templates.fit_weights(ragged, np.minimum(right, 3)).argmax() == 1
    logs[np.arange(12), 2, right] -= 8  # the third misleads: turned round it would speak for all that no wording offers
    assert templates.fit_weights(logs, right)[2] == 0


def test_wordings_are_chosen_on_facts_that_are_not_scored():
    for relation in templates.relations(load("facts", "builtin", n=1814)["facts"], SETTINGS):
        sides = [{of[0].meta["subject"] for of in part} for part in (relation.dev, relation.test)]
        assert not sides[0] & sides[1] and plants.manual(relation.templates[0])
        assert all(len(of) == len(relation.templates) for part in (relation.dev, relation.test) for of in part)


def test_questions_differ_only_where_they_are_asked():
    questions = steps.questions(load("hops", "builtin", n=80)["hops"])
    assert {q.steps for q in questions} == {1, 2, 3, 4} and all(len(q.texts) == 2 for q in questions)
    for q in questions:
        rest = {(*t[:a], "*", *t[b:]) for t, (a, b) in zip(q.texts, q.spans)}
        assert len(rest) == 1 and all(b > a for a, b in q.spans)
    assert steps.differing((("a", "dog"), ("a", "dog", "house"))) == ((1, 2), (1, 3))


def test_definitions_are_no_part_of_an_answer():
    item = Labelled(id="x", text="'pin' is a type of", text_b="sit (or sit down) event, defined as 'be seated'",
                    label="1", meta={"hops": 2, "chain": "c", "choice": 0})  # fmt: skip
    assert steps._words(item)[-2:] == ("sit", ".")


def test_the_fall_is_the_slope_with_its_sign_turned():
    import pandas as pd

    frame = pd.DataFrame({"hops": np.repeat([1, 2, 3, 4], 25), "chain": range(100), "sort": "up"})
    level, low, high = steps.fall(frame, 1 - 0.1 * frame["hops"].to_numpy(), SETTINGS)
    assert level == pytest.approx(0.1) and low <= 0.1 <= high
    assert steps.fall(frame, np.ones(100), SETTINGS)[0] == pytest.approx(0)


def test_an_easy_sort_that_has_more_long_questions_is_no_rise():
    """Simpson's paradox: .9 and .5 of one step, a tenth less with each further one, and pooled it rises."""
    import pandas as pd

    sizes = {("up", 1): 10, ("up", 2): 40, ("up", 3): 80, ("down", 1): 90, ("down", 2): 30, ("down", 3): 10}
    frame = pd.DataFrame([key for key, n in sizes.items() for _ in range(n)], columns=["sort", "hops"])
    frame["chain"] = range(len(frame))
    right = np.where(frame["sort"] == "up", 1.0, 0.6) - 0.1 * frame["hops"]
    assert np.polyfit(frame["hops"], right, 1)[0] > 0.02
    assert steps.fall(frame, right, SETTINGS)[0] == pytest.approx(0.1)
    assert steps.fall(frame, (frame["sort"] == "down").to_numpy(float), SETTINGS)[0] == pytest.approx(0)


def test_ends_of_triples_are_found_in_their_words():
    for item in load("triples", "builtin", n=60)["triples"]:
        for reading in triples.readings(item):
            said = " ".join(reading.words[slice(*reading.tail)]).lower()
            assert said == item.meta["tail"].lower() and reading.item is item


def test_static_likeness_is_the_cosine_of_mean_input_embeddings():
    subject = models.load("toy", Settings())
    same, other = triples.static_likeness(subject, [("the dog", "dog the"), ("dog", "cat")])
    assert same == pytest.approx(1, abs=1e-6)
    table = subject.base.get_input_embeddings().weight.detach().numpy()
    a, b = (table[subject.tokenizer.convert_tokens_to_ids(w)] for w in ("dog", "cat"))
    assert other == pytest.approx(float(a @ b / np.linalg.norm(a) / np.linalg.norm(b)), abs=1e-5)


def triple(relation: str, head: str, tail: str, label: str) -> Labelled:
    meta = {"head": head, "tail": tail, "template": f"[X] {relation} [Y]."}
    return Labelled(id=f"{relation} {head} {tail}", condition=relation, text=f"{head} {relation} {tail}.", label=label,
                    meta=meta)  # fmt: skip


def test_what_fits_a_slot_tells_triples_apart_without_knowing_a_pair():
    """A verb where a noun belongs is seen in one end; which of two nouns it is, in none."""
    nouns, verbs = ("dog", "cat", "bird", "mouse", "horse"), ("run", "eat", "sleep")
    heads = [f"thing{k}" for k in range(60)]
    kinds = [triple("isa", h, nouns[k % 5], "1") for k, h in enumerate(heads)]
    kinds += [triple("isa", h, verbs[k % 3], "0") for k, h in enumerate(heads)]
    pairs = [triple("eats", h, nouns[(k + shift) % 5], str(1 - shift)) for k, h in enumerate(heads) for shift in (0, 1)]
    for items, low, high in ((kinds, 0.99, 1.0), (pairs, 0.35, 0.65)):
        learn, asked = ([i for i in items if (int(i.meta["head"][5:]) % 2) == side] for side in (0, 1))
        found, best = triples.rivals(tiny(), learn, asked)
        assert low <= auc(found["slot fit"], np.array([i.label == "1" for i in asked])) <= high
        assert list(found)[-1] == "rivals together" and best in found


def test_the_weight_that_tells_triples_apart_is_found():
    labels = np.arange(40) % 2 == 0
    parts = np.stack([np.where(labels, -1.0, -3.0), np.linspace(-9, 9, 40)], 1)
    weight, _ = triples.tune(parts, labels)
    assert weight == max(triples.WEIGHTS)  # the second column is noise


def seq2seq(folder):
    """A text-to-text model of random weights, as the Hub lays it out."""
    from transformers import T5Config, T5ForConditionalGeneration

    tokenizer = write_model(folder / "tokenizer")
    config = T5Config(vocab_size=tiny().config.vocab_size, d_model=16, d_ff=32, d_kv=8, num_layers=1, num_heads=2,
                      decoder_start_token_id=0, pad_token_id=0, eos_token_id=3)  # fmt: skip
    torch.manual_seed(0)
    T5ForConditionalGeneration(config).save_pretrained(folder / "model")
    shutil.copy(tokenizer / "tokenizer.json", folder / "model")
    settings = json.loads((tokenizer / "tokenizer_config.json").read_text())
    settings["tokenizer_class"] = "PreTrainedTokenizerFast"
    (folder / "model" / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder / "model"


def test_a_text_to_text_model_is_asked_and_another_is_refused(tmp_path):
    claim, few = runs.get("wld.closed_book.roberts2020"), load("facts", "builtin", n=40)
    with pytest.raises(NotRunnable, match="text-to-text"):
        claim.experiment(tiny(), few, SETTINGS)
    model = models.load(str(seq2seq(tmp_path)))
    rows = claim.experiment(model, few, SETTINGS).set_index("measure")
    assert 0 <= rows.loc["exact match", "value"] <= 1 and rows.loc["exact match", "n"] > 5
    assert rows.loc["exact match per doubling of parameters", "n"] == 0
    assert closed_book.normal("The Nile.") == "nile"
