"""The embeddings chapter: every row has an experiment that runs on any BERT, and its own helpers are right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from embedding_items import ROWS, SETTINGS, data, items, texts
from support import tiny, tiny_folder

from bertology_utils.calibration.nulls import NULLS
from bertology_utils.claims import evidence, ledger, rules, sources
from bertology_utils.claims.registry import NotRunnable
from bertology_utils.data.items import Data
from bertology_utils.experiments.embeddings import associations, context, segments
from bertology_utils.runs import registered
from bertology_utils.scores import intervals
from bertology_utils.settings import TWIN, Settings
from bertology_utils.subject import encode
from bertology_utils.subject.models import load
from bertology_utils.vectors.geometry import unit


def test_every_row_of_the_section_is_rerun():
    assert [id for id in registered() if id.startswith("emb.")] == ROWS and len(ROWS) == 10


@pytest.mark.parametrize("id", ROWS)
def test_every_experiment_gives_rows_its_rule_can_decide(id):
    given = data(id, 1000 if "static" in id else 300 if "sense" in id else 120)
    it = registered()[id]
    rows = it.experiment(tiny(), given, SETTINGS)
    decision = rules.decide(ledger.row(id).clauses, rows, None, "builtin")
    assert decision.outcome in rules.OUTCOMES and len(decision.tested) == len(
        [c for c in ledger.row(id).clauses if c.kind != "untested"]
    )
    known = rows.dropna(subset=["low"])
    assert len(known) == len(rows) and (known.low <= known.high).all() and (known.n > 0).all()
    assert not known[known.measure != "permutation p"].eval("low == high").any(), "no interval without width"
    again = it.experiment(tiny(), given, SETTINGS)
    pd.testing.assert_frame_equal(rows.drop(columns="draws"), again.drop(columns="draws"))
    if "layer" in rows:
        assert {0, tiny().n_layers} <= set(rows.layer.dropna())


def test_anisotropy_control_is_isotropic():
    rows = registered()["emb.anisotropy.ethayarajh2019"].experiment(
        tiny(), data("emb.anisotropy.ethayarajh2019"), SETTINGS
    )
    control = rows[rows.measure == "mean cosine, Gaussian control"].iloc[0]
    assert control.low - 0.05 < 0 < control.high + 0.05


def test_an_untrained_network_s_cone_is_the_segment_vector_that_every_word_gets():
    """What the chapter says of MiniLM's shape and of BERT's: without that vector words have nothing in common."""
    embed = load("mini" + TWIN).model.base_model.embeddings
    ids = torch.randint(5, 8000, (50, 12), generator=torch.Generator().manual_seed(0))
    cosines = []
    for _ in range(2):
        with torch.no_grad():
            vectors = unit(embed(input_ids=ids).flatten(0, 1).numpy())
        cosines.append((vectors @ vectors.T)[np.triu_indices(len(vectors), 1)].mean())
        embed.token_type_embeddings.weight.data.zero_()
    assert cosines[0] > 0.3 and cosines[1] < 0.06, cosines


def test_shift_is_the_mean_over_pairs_of_occurrences():
    """Sums of unit vectors give what comparing every two occurrences of different inputs gives."""
    subject = tiny()
    made = texts(80)
    pairs = list(zip(made[::2], made[1::2]))
    words = ["dog", "the", "near"]
    spread, shift = segments._shifts(subject, pairs, words, SETTINGS)
    states = {
        i: unit(s)
        for i, s in encode.hidden_states(
            subject, [a for a, _ in pairs], second=[b for _, b in pairs], settings=SETTINGS
        )
    }
    for k, word in enumerate(words):
        found = ([], [])  # (input, vector) of the first occurrence in each segment
        for i, (a, b) in enumerate(pairs):
            for segment, (text, start) in enumerate(((a, 0), (b, len(a)))):
                if word in text:
                    found[segment].append((i, states[i][:, start + text.index(word)]))
        inside = [
            np.mean([(u * v).sum(-1) for m, (_, u) in enumerate(own) for n, (_, v) in enumerate(own) if m != n], 0)
            for own in found
        ]
        across = np.mean([(u * v).sum(-1) for i, u in found[0] for j, v in found[1] if i != j], 0)
        np.testing.assert_allclose(spread[k], 1 - np.mean(inside, 0), atol=1e-5)
        np.testing.assert_allclose(shift[k], np.mean(inside, 0) - across, atol=1e-5)


def test_a_model_without_nsp_is_shown_beside_and_decides_nothing(tmp_path):
    it = registered()["emb.segment_position.mickus2019"]
    settings = Settings(draws=50, cache=tmp_path)
    alone = it.experiment(tiny(), data(it.id), settings)
    beside = it.experiment(tiny(), data(it.id), replace(settings, nonsp=str(tiny_folder())))
    assert set(beside.measure) - set(alone.measure) == {"relative shift without NSP"}
    clauses = ledger.row(it.id).clauses
    assert rules.decide(clauses, alone).outcome == rules.decide(clauses, beside).outcome
    assert {c.name for c in clauses if c.kind == "untested"} == {"nsp"}


def test_templates_do_not_make_a_word_another():
    x = ("This is a rose.", "That is a rose.", "These are roses.", "This is a lily.")
    y = ("This is a bee.", "That is a bee.", "These are bees.", "That is a fly.")
    groups = associations._content(x, y)
    assert groups[0] == groups[1] == groups[2] != groups[3]
    assert associations._content(("rose", "lily"), ("bee", "fly")) == [("rose",), ("lily",)]


def test_released_curves_are_in_the_order_of_the_layers(tmp_path):
    settings = Settings(evidence=tmp_path)
    nan = float("nan")
    rows = [intervals.row("mean cosine", (k / 20, nan, nan), 0, layer=str(k)) for k in range(12)]
    rows.append(intervals.row("Spearman of layer and mean cosine", (1, nan, nan), 12, layer="all"))
    record = {"claim": ROWS[1], "data": "x", "kind": "released", "rows": rows}
    evidence.Evidence(model="some-bert", **record).save(tmp_path)
    found = evidence.curves(ROWS[1], "mean cosine", settings=settings)["some-bert, released"]
    assert found.layer.tolist() == list(range(12)) and found.value.is_monotonic_increasing
    assert "some-bert, released" not in evidence.curves(ROWS[1], "no such measure", settings=settings)


def test_association_tests_without_a_known_one_decide_nothing():
    id = "emb.bleached.may2019"
    given = data(id)
    doubtful = [t for t in given["association"] if not associations.known(t)]
    with pytest.raises(NotRunnable, match="weat1"):
        registered()[id].experiment(tiny(), replace(given, items={"association": doubtful}), SETTINGS)


def test_sentences_that_a_small_model_cannot_take_are_left_out_of_association_tests():
    id = "emb.bleached.may2019"
    given, short = data(id), tiny()
    words = [i for i in given["association"] if i.condition == "flowers_insects"]
    longer = [replace(i, x=(*i.x, " ".join(["the dog"] * short.max_length))) for i in words]
    plain, left = (
        registered()[id].experiment(short, replace(given, items={"association": own}), SETTINGS)
        for own in (words, longer)
    )
    pd.testing.assert_frame_equal(plain, left)
    assert plain.attrs["notes"] == []
    assert left.attrs["notes"] == [f"sentences left out, longer than {short.name} takes: 1"]


def test_an_association_test_that_lost_most_of_a_set_is_left_out():
    id = "emb.bleached.may2019"
    given, short = data(id), tiny()
    words = [i for i in given["association"] if i.condition == "flowers_insects"]
    too_long = tuple(" ".join([word] * short.max_length) for word in ("dog", "cat", "king"))
    lost = [replace(i, condition="lost", y=too_long) for i in words]
    plain, left = (
        registered()[id].experiment(short, replace(given, items={"association": own}), SETTINGS)
        for own in (words, words + lost)
    )
    pd.testing.assert_frame_equal(plain, left)
    assert f"tests left out, more than half of a set too long: {len(lost)}" in left.attrs["notes"]
    with pytest.raises(NotRunnable, match="none of 0 association tests"):
        only = [replace(i, y=too_long) for i in words]
        registered()[id].experiment(short, replace(given, items={"association": only}), SETTINGS)


def test_a_narrowing_cone_alone_is_no_drift():
    """Adjusted self-similarity falls with the room that random words leave; the relative one does not."""
    cone, same = np.array([0.1, 0.3, 0.5, 0.7, 0.8, 0.9]), 0.6
    itself = cone + same * (1 - cone)
    relative = context._relative(itself, cone)
    assert np.ptp(itself - cone) > 0.4 and np.ptp(relative) < 1e-12
    rows = pd.DataFrame(context.changes("x", relative, np.tile(relative, (20, 1)), 30))
    assert (rows.value.abs() < 1e-12).all()
    steps = context.changes("x", np.arange(6.0), np.arange(6.0) + np.random.default_rng(0).normal(size=(50, 1)), 30)
    assert {r["step"]: r["value"] for r in steps} == {"lower to middle": 2, "middle to upper": 2, "lower to upper": 4}


@pytest.mark.parametrize("id", ["emb.anisotropy.ethayarajh2019", "emb.context_specificity.ethayarajh2019"])
def test_planted_is_found_and_a_null_refused(id):
    it, given = registered()[id], data(id, 200)
    stands = {"planted": it.planted, "bag of words": NULLS["bag of words"].make}
    found = {}
    for name, make in stands.items():
        rows = it.experiment(make(given, tiny(), np.random.default_rng(0)), given, SETTINGS)
        found[name] = rules.decide(ledger.row(id).clauses, rows, None, "builtin")
    assert found["planted"].outcome == rules.HOLDS
    assert not [c for c in found["bag of words"].tested if c.outcome == rules.HOLDS and c.kind == "learned"]


def test_text_beside_word_pairs_is_part_of_the_data(monkeypatch):
    made = {"word_similarity": items("word_similarity"), "sentences": items("sentences")}
    loaded = []

    def load(tasks, source, **_):
        names = [tasks] if isinstance(tasks, str) else tasks
        loaded.append((source, tuple(names)))
        return Data(name=source, items={t: made[t] for t in names}, sha256=source)

    monkeypatch.setattr(sources, "load_data", load)
    it = registered()["emb.static_distillation.bommasani2020"]
    found = sources.load_for(it, "word_similarity", Settings(n=5))
    assert [source for source, _ in loaded] == ["word_similarity", *it.beside["sentences"]]
    assert len(found["sentences"]) == 2 * len(made["sentences"]) and found.name == "word_similarity"
    assert found.sha256 not in ("word_similarity", "") and any("sentences from" in note for note in found.notes)
