"""The chapter on heads: every claim runs on any BERT, gives what its rule speaks of, and gives it again."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from support import write_model

from bertology_utils import runs
from bertology_utils.attention import patterns
from bertology_utils.claims.rules import decide
from bertology_utils.data import load
from bertology_utils.scores import intervals
from bertology_utils.settings import Settings
from bertology_utils.subject import models

IDS = [id for id in runs.registered() if id.startswith("hed.")]
SETTINGS = Settings(draws=50)
N = {"hed.syntactic.clark2019": 700, "hed.combination.hoover2019": 600, "hed.frames.kovaleva2019": 300,
     "hed.no_full_tree.clark2019": 200, "hed.heavy_lifters.prasanna2020": 40}  # fmt: skip


@pytest.fixture(scope="module")
def subject(tmp_path_factory):
    """Two layers of two heads that take long texts (most words are spelled out by this vocabulary)."""
    folder = write_model(tmp_path_factory.mktemp("long"), max_position_embeddings=200, num_hidden_layers=2,
                         num_attention_heads=2, hidden_size=16)  # fmt: skip
    return models.load(str(folder))


@pytest.fixture(scope="module", autouse=True)
def small_forest():
    """The classifier of patterns learns from a tenth of its maps: how good it is is tested elsewhere."""
    whole = patterns.classifier
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patterns, "classifier", lambda seed=0: whole(seed, 30))
        yield


@cache
def data(id):
    return load(runs.get(id).tasks, "builtin", n=N.get(id, 120), seed=0)


@pytest.mark.parametrize("id", IDS)
def test_claim_runs_and_its_rule_decides(id, subject):
    claim = runs.get(id)
    rows = claim.experiment(subject, data(id), SETTINGS)
    assert {"measure", "value", "low", "high", "n"} <= set(rows.columns)
    assert (rows["value"].notna() | (rows["n"] == 0)).all()  # what had nothing to be measured on stays undefined
    bounded = rows.dropna(subset=["low", "high"])
    assert (bounded["low"] <= bounded["value"] + 1e-9).mean() > 0.95  # a percentile interval may miss a maximum
    assert decide(claim.predict, rows).label in ("replicated", "partly", "not replicated", "inconclusive")


@pytest.mark.parametrize("id", ["hed.lexical_relations.cui2020", "hed.explanation_debate.jain2019"])
def test_the_same_seed_gives_the_same_rows(id, subject):
    claim = runs.get(id)
    one, two = (claim.experiment(subject, data(id), SETTINGS) for _ in range(2))
    np.testing.assert_allclose(one["value"], two["value"])
    np.testing.assert_allclose(one["low"], two["low"])


def test_survivors_are_compared_with_all_heads_and_undefined_where_nothing_was_learnt():
    from bertology_utils.experiments.heads.lifters import _rows

    alive = np.arange(12).reshape(3, 4) < 4
    share = np.where(alive, 0.2, 0.8)
    rows = _rows([alive, alive], {"weights": [share, share], "norms": [share, share]}, SETTINGS, "t")
    by = {(r["measure"], r.get("maps")): r for r in rows}
    assert by["heterogeneous, survivors", "norms"]["value"] == pytest.approx(0.2)
    assert by["heterogeneous, survivors - all heads", "weights"]["value"] == pytest.approx(0.2 - 0.6)
    assert by["share of heads surviving", None]["value"] == pytest.approx(1 / 3)
    rows = intervals.table(_rows([], {"weights": [share], "norms": [share]}, SETTINGS, "t"))
    assert decide(runs.get("hed.heavy_lifters.prasanna2020").predict, rows).label == "inconclusive"
    assert set(rows["measure"]) == {"heterogeneous, all heads", "heterogeneous, survivors - all heads"}


def test_the_distractor_effect_of_attention_that_ignores_the_nouns_is_none():
    from bertology_utils.experiments.heads.reference import _loss

    rng = np.random.default_rng(0)
    n = np.repeat([2, 3, 4, 5], 4000)
    excess = np.array([rng.dirichlet(np.full(k, 0.5))[0] - 1 / k for k in n])
    assert abs(_loss(n - 1.0, excess)) < 0.01
    assert _loss(np.array([0.0, 1, 2]), np.array([0.5, 0.3, 0.1])) == pytest.approx(0.2)
    assert np.isnan(_loss(np.ones(3), np.arange(3.0)))


def test_all_rows_of_the_section_have_an_experiment():
    from bertology_utils.claims import ledger

    assert [row.id for row in ledger.rows() if row.id.startswith("hed.")] == IDS
