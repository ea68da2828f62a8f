"""The chapter on heads: every claim runs on any BERT, gives what its clauses speak of, and gives it again."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from support import tiny, write_model

from bertology_utils import runs
from bertology_utils.attention import patterns
from bertology_utils.claims import ledger
from bertology_utils.claims.rules import OUTCOMES, UNTESTABLE, decide
from bertology_utils.data import load
from bertology_utils.data.items import Ambiguity, EdgeItem
from bertology_utils.experiments.heads import syntax
from bertology_utils.scores import intervals
from bertology_utils.settings import Settings
from bertology_utils.subject import models

IDS = [id for id in runs.registered() if id.startswith("hed.")]
SETTINGS = Settings(draws=50)
N = {"hed.syntactic.clark2019": 700, "hed.combination.hoover2019": 600, "hed.frames.kovaleva2019": 300,
     "hed.no_full_tree.clark2019": 200, "hed.heavy_lifters.prasanna2020": 40,
     "hed.negation_scope.zhao2020": 600}  # fmt: skip


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
def test_claim_runs_and_its_clauses_decide(id, subject):
    claim = runs.get(id)
    rows = claim.experiment(subject, data(id), SETTINGS)
    assert {"measure", "value", "low", "high", "n"} <= set(rows.columns)
    assert (rows["value"].notna() | (rows["n"] == 0)).mean() > 0.95  # what had nothing to be measured on is undefined
    bounded = rows.dropna(subset=["low", "high"])
    assert (bounded["low"] <= bounded["value"] + 1e-9).mean() > 0.95
    assert decide(ledger.row(id).clauses, rows, source="builtin").outcome in OUTCOMES


@pytest.mark.parametrize("id", ["hed.lexical_relations.cui2020", "hed.explanation_debate.jain2019"])
def test_the_same_seed_gives_the_same_rows(id, subject):
    claim = runs.get(id)
    one, two = (claim.experiment(subject, data(id), SETTINGS) for _ in range(2))
    np.testing.assert_allclose(one["value"], two["value"])
    np.testing.assert_allclose(one["low"], two["low"])


def test_survivors_are_compared_with_all_heads_and_undefined_where_nothing_was_learnt():
    from bertology_utils.experiments.heads.lifters import _accuracy, _rows

    alive = np.arange(48).reshape(6, 8) < 16
    share = np.where(alive, 0.2, 0.8) + 0.05 * np.sin(np.arange(48)).reshape(6, 8)
    rows = _rows([alive, alive], {"weights": [share, share], "norms": [share, share]}, SETTINGS, "t")
    by = {(r["measure"], r.get("maps")): r for r in rows}
    assert by["heterogeneous, survivors", "norms"]["value"] == pytest.approx(0.2, abs=0.02)
    assert by["heterogeneous, survivors - all heads", "weights"]["value"] == pytest.approx(0.2 - 0.6, abs=0.02)
    assert by["share of heads surviving", None]["value"] == pytest.approx(1 / 3)
    clauses = ledger.row("hed.heavy_lifters.prasanna2020").clauses
    usual = np.arange(200) % 2 == 0
    learnt, not_learnt = (_accuracy([right] * 2, usual.astype(float), SETTINGS, "t") for right in (usual | True, usual))
    none = _rows([], {"weights": [share], "norms": [share]}, SETTINGS, "t")
    assert decide(clauses, intervals.table(rows + learnt), source="builtin").outcome == "holds"
    assert decide(clauses, intervals.table(none + not_learnt), source="builtin").outcome == UNTESTABLE


def test_a_trial_as_far_off_keeps_distance_and_length():
    import random

    from bertology_utils.experiments.heads.frames import _as_far

    item = EdgeItem(id="x", words=tuple("abcdefgh"), span1=(2, 3), span2=(3, 5), labels=("ARG1",))
    seen = {_as_far(random.Random(seed), item) for seed in range(40)}
    assert {b[0] - a[0] for a, b in seen} == {1} and {b[1] - b[0] for _, b in seen} == {2}
    assert all(a[0] >= 0 and b[1] <= 8 and a != (2, 3) for a, b in seen)
    assert not any(a[0] in range(3, 5) for a, _ in seen), "an argument's own words ask nothing"
    whole = EdgeItem(id="y", words=("a", "b"), span1=(0, 1), span2=(1, 2), labels=("ARG1",))
    assert _as_far(random.Random(0), whole) is None


@pytest.mark.parametrize(("who", "own"), [("frame_heads", "holds"), ("any_arguments", "does not hold")])
def test_heads_that_attend_to_arguments_whosever_they_are_do_not_align_with_frames(who, own):
    """Both lead over spans as far off; of two arguments as far from a predicate, one's own is told by the first alone."""
    from bertology_utils.data import of
    from bertology_utils.experiments.heads import frames

    items = []
    for k in range(120):  # "a V b W c", V to a and W to b and c, among other words: of V, b is as far off as a
        drawn = np.random.default_rng(k)
        before = int(drawn.integers(0, 4))
        words = tuple(drawn.choice(list("abcdefghijklmnopqrstuvwxyz"), 12).tolist())
        for verb, argument in ((1, 0), (3, 2), (3, 4)):
            first, second = ((before + w, before + w + 1) for w in (verb, argument))
            items.append(EdgeItem(id=f"{k}-{argument}", split=("dev", "test")[k % 2], words=words, span1=first,
                                  span2=second, labels=("ARG1",)))  # fmt: skip
    seen = of({"semantic_roles": items}, name="up_english_ewt")
    rows = frames.frames(getattr(frames, who)(seen, tiny(), np.random.default_rng(0)), seen, SETTINGS)
    found = {
        c.name: c.outcome for c in decide(ledger.row("hed.frames.kovaleva2019").clauses, rows, source=seen.name).clauses
    }
    assert (found["align"], found["own"]) == ("holds", own)
    assert (found["few"] == UNTESTABLE) is (own != "holds"), "of heads that align with no frame none can be few"
    assert rows.set_index(["heads", "measure"])["n"]["top", "another predicate's argument"] == 60
    assert any(
        "one for 60 of 180 arguments, a modifier of the same predicate for 0" in note for note in rows.attrs["notes"]
    )


def test_another_predicates_argument_is_as_far_and_has_no_role_to_this_one():
    from bertology_utils.experiments.heads.frames import _anothers

    def role(predicate, *span, label="ARG1"):
        return EdgeItem(id="x", words=tuple("abcdefghi"), span1=(predicate, predicate + 1), span2=span, labels=(label,))

    item = role(4, 5, 6)
    assert _anothers(item, [item, role(1, 3, 4)]) == (3, 4), "on the other side"
    assert _anothers(item, [item, role(1, 2, 3)]) is None, "further off"
    assert _anothers(item, [item, role(1, 3, 4), role(4, 3, 4, label="ARGM-TMP")]) is None, "it is this one's as well"
    assert _anothers(item, [item, role(1, 3, 4, label="ARGM-TMP")]) is None, "no core argument"
    assert _anothers(item, [item, role(1, 3, 6)]) is None, "it holds the predicate"
    assert _anothers(item, [item, role(1, 2, 4), role(0, 3, 4)]) == (3, 4), "as long, where there are several"
    assert _anothers(role(4, 6, 8), [role(1, 1, 3), role(1, 2, 3)]) == (1, 3)


@pytest.mark.parametrize(("who", "core"), [("frame_heads", "holds"), ("any_roles", "does not hold")])
def test_heads_that_attend_to_whatever_depends_on_a_predicate_do_not_tell_core_arguments(who, core):
    from bertology_utils.data import of
    from bertology_utils.experiments.heads import frames

    items = []
    for k in range(120):  # "a V b" in two orders: one is an argument and one a modifier
        drawn = np.random.default_rng(k)
        verb, words = int(drawn.integers(1, 10)), tuple(drawn.choice(list("abcdefghijklmnopqrstuvwxyz"), 12).tolist())
        for step, label in zip(drawn.permutation((-1, 1)).tolist(), ("ARG1", "ARGM-TMP")):
            items.append(EdgeItem(id=f"{k}-{label}", split=("dev", "test")[k % 2], words=words, span1=(verb, verb + 1),
                                  span2=(verb + step, verb + step + 1), labels=(label,)))  # fmt: skip
    seen = of({"semantic_roles": items}, name="up_english_ewt")
    rows = frames.frames(getattr(frames, who)(seen, tiny(), np.random.default_rng(0)), seen, SETTINGS)
    found = decide(ledger.row("hed.frames.kovaleva2019").clauses, rows, source=seen.name).clauses
    assert {c.name: c.outcome for c in found if c.name in ("align", "core")} == {"align": "holds", "core": core}


def test_a_modifier_of_the_same_predicate_is_as_far_and_no_argument():
    from bertology_utils.experiments.heads.frames import _modifier

    def role(predicate, *span, label="ARGM-TMP"):
        return EdgeItem(id="x", words=tuple("abcdefghi"), span1=(predicate, predicate + 1), span2=span, labels=(label,))

    item = role(4, 5, 6, label="ARG1")
    assert _modifier(item, [item, role(4, 3, 4)]) == (3, 4)
    assert _modifier(item, [item, role(4, 2, 3)]) is None, "further off"
    assert _modifier(item, [item, role(1, 3, 4)]) is None, "another predicate's"
    assert _modifier(item, [item, role(4, 3, 4), role(4, 2, 4, label="ARG0")]) is None, "part of an argument"
    assert _modifier(item, [item, role(4, 3, 4, label="R-ARG1")]) is None


def test_pairs_that_look_alike_are_found():
    from bertology_utils.experiments.heads.lexical import _exchanged, look_alike

    def pair(a, b):
        words = ("of", *a.split(), "and", *b.split())
        n = len(a.split())
        return EdgeItem(id=a + b, words=words, span1=(1, 1 + n), span2=(2 + n, len(words)), labels=("IsA",))

    alike = [pair("snowman", "snow"), pair("hot dog", "dog"), pair("listening", "listen well")]
    assert all(map(look_alike, alike)) and not look_alike(pair("shark", "fish"))
    words, spans = _exchanged(pair("shark", "fish"), pair("oak", "tall tree"))
    assert words == ("of", "shark", "and", "tall", "tree") and spans == ((1, 2), (3, 5))


def test_a_head_of_place_alone_has_no_lead_over_its_profile(subject):
    """Items whose right noun is always two words back: a head that looks there points, its profile takes it off."""
    from bertology_utils.experiments.heads import reference

    def item(k, words, target, asks):
        candidates = tuple(i for i, w in enumerate(words) if w in ("dog", "cats"))
        return Ambiguity(id=str(k), words=words, label=target, linear=target, candidates=candidates, target=target,
                         meta={"from": asks}, condition="pp")  # fmt: skip

    words = ("the", "dog", "near", "the", "cats", "runs")
    found = reference._divided(subject, [item(0, words, 1, 5)], SETTINGS)
    assert found.lead.shape == (1, 4) and found.share.shape == (1, 3) and found.even.tolist() == [0.5]
    np.testing.assert_allclose(found.lead, -found.nearest, atol=1e-6)  # of two nouns, right is not nearest
    alone = reference._divided(subject, [item(0, words, 1, 5), item(1, words, 1, 5)], SETTINGS)
    np.testing.assert_allclose(alone.lead_by_place, np.repeat(found.lead_by_place, 2, 0), atol=1e-6)


@pytest.mark.parametrize("anywhere", [False, True])
def test_a_head_that_looks_at_the_first_noun_from_anywhere_does_not_point(anywhere):
    """The right noun is the first in all of the study's sentences with several: such a head passed for one that points."""
    from bertology_utils.calibration import planted
    from bertology_utils.data import of
    from bertology_utils.experiments.heads import reference

    items = data("hed.agreement_attention.lin2019")["agreement_attention"]
    some = [i for name in ("pp", "relative") for i in items if i.condition == name]
    assert {i.target for i in some} == {1}

    def links(seen):
        for item, _ in seen.golds:
            yield from ((w, 1) for w in range(len(item.words)) if w != 1 and (anywhere or w == item.meta["from"]))

    seen, base = of({"agreement_attention": some}, name="x"), tiny()
    plant = planted.head_attention(base, {(1, 0): links}, share=0.9)
    rows = reference.agreement_attention(
        planted.plant(base, seen, np.random.default_rng(0), attention=plant), seen, SETTINGS
    )
    values = rows.set_index(["measure", "kind"])["value"]
    assert values["right - wrong noun, best head", "agreement"] > 0.5
    assert (values[f"right - wrong noun, {reference.LEAST}, best head", "agreement"] > 0.5) is not anywhere


def test_several_heads_are_those_of_relations_of_syntax():
    """In EWT, lists and vocatives were two of MiniLM's three relations; they join words loosely."""
    given = [("list", 1), ("other, from tags", 2), ("obj", 3), ("case", 3), ("nsubj", 4), ("vocative", 5), ("det", 6)]
    leads = [syntax.Lead(relation, "", head, 1, -k, {}, np.array([])) for k, (relation, head) in enumerate(given)]
    assert [lead.relation for lead in syntax._different(leads)] == ["obj", "nsubj", "det"]


def test_peaks_have_a_place_and_falls_compare_blocks():
    from bertology_utils.experiments.heads.special_tokens import _fall, _peaks
    from bertology_utils.scores.profiles import stretches

    curve = np.tile([0.1, 0.1, 0.1, 0.5, 0.1, 0.1, 0.1, 0.1], (30, 1))
    depth, *leads = _peaks(curve, "x", SETTINGS)
    assert depth["value"] == 0.5
    assert [r["value"] for r in leads] == pytest.approx([-0.4, 0.4, -0.4])
    assert [r["value"] for r in _peaks(np.full((5, 8), 0.3), "x", SETTINGS)[1:]] == [0, 0, 0], (
        "a flat curve has no peak"
    )
    assert [list(np.flatnonzero(i) + 1) for i in stretches(12).values()] == [
        [1, 2, 3, 4],
        [3, 4, 5, 6, 7, 8, 9, 10],
        [9, 10, 11, 12],
    ]
    mass = np.tile([0.1, 0.2, 0.6, 0.7], (4, 1))
    separator = np.tile([1.0, 1.0, 0.25, 0.25], (4, 1))
    assert _fall(mass, separator, np.ones_like(mass)) == pytest.approx(0.25)
    assert _fall(mass, separator, separator) == pytest.approx(1), "what all gradients do is no fall"


def test_all_rows_of_the_section_have_an_experiment():
    assert [row.id for row in ledger.rows() if row.id.startswith("hed.")] == IDS


@pytest.mark.parametrize("id", [id for id in IDS if ledger.row(id).how != "tuned"])
def test_every_live_claim_names_nulls_and_a_planted_subject(id):
    from bertology_utils.calibration.harness import nulls_of

    assert nulls_of(runs.get(id)) and runs.get(id).planted and runs.get(id).planted.__doc__


def lead(relation, head, on_dev, over_offset, over_tag, sentences):
    columns = {"head - offset": np.array(over_offset, float), "head - nearest of its tag": np.array(over_tag, float)}
    return syntax.Lead(relation, "dependent to head", head, 1, on_dev, columns, np.array(sentences))


def test_a_head_counts_in_the_relation_where_it_leads_most_and_once():
    empty = [[]] * 3
    found = [lead("obj", 7, 0.3, *empty), lead("amod", 7, 0.4, *empty), lead("det", 2, 0.1, *empty), lead("cc", 5, -0.2, *empty),
             lead("case", 1, -0.3, *empty)]  # fmt: skip
    assert [(x.relation, x.head) for x in syntax._different(found)] == [("amod", 7), ("det", 2), ("cc", 5)]


def test_the_least_lead_is_over_the_better_baseline_and_of_the_worse_head():
    """Over the offset .5 and over the tag .25; another head 1 and .75: the least is .25."""
    one = lead("obj", 7, 0.3, [1, 0, 1, 0], [1, 0, 0, 0], [0, 1, 2, 3])
    two = lead("det", 2, 0.3, [1, 1, 1, 1], [1, 1, 1, 0], [0, 1, 2, 3])
    assert syntax._least([one], SETTINGS)[0] == 0.25
    assert syntax._least([two], SETTINGS)[0] == 0.75
    value, low, high = syntax._least([one, two], SETTINGS)
    assert value == 0.25 and low < value < high
