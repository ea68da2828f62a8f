"""The layers chapter's tasks and its comparison of two depths."""

from __future__ import annotations

import numpy as np
import pytest
from support import tiny, write_model

from bertology_utils import runs
from bertology_utils.claims import ledger
from bertology_utils.claims.rules import decide
from bertology_utils.data import load as load_data
from bertology_utils.data.items import Ambiguity, Data, EdgeItem, ForcedChoice, ItemError, Sentence, Span
from bertology_utils.experiments.layers import chunks, depth, fits, order, pretraining, structure, tasks
from bertology_utils.experiments.syntax import hierarchical
from bertology_utils.experiments.syntax.agreement import number
from bertology_utils.probes import from_sentences
from bertology_utils.scores import intervals
from bertology_utils.settings import Settings
from bertology_utils.subject.models import load

SETTINGS = Settings(draws=50)


def sentence(text, heads, deprels, upos, i=0, **more):
    split = ("train", "train", "train", "dev", "test")[i % 5]
    return Sentence(
        id=str(i), split=split, words=tuple(text.split()), heads=tuple(heads), deprels=tuple(deprels.split()),
        upos=tuple(upos.split()), **more,
    )  # fmt: skip


def test_pairs_are_told_by_probes_that_saw_neither_word():
    pairs = [(f"a{k}", f"b{k}") for k in range(60)]
    label = np.random.default_rng(0).choice(["x", "y"], 60)
    x = np.zeros((3, 120, 61), np.float32)  # layer 0 nothing, 1 which pair it is, 2 the label
    for k in range(60):
        x[1, [k, k + 60], k] = 1
        x[2, [k, k + 60], 60] = label[k] == "x"
    items = [sentence(f"{a} {b}", [1, -1], "dep root", "X X", k) for k, (a, b) in enumerate(pairs * 2)]
    gold = {s.id: str(label[k % 60]) for k, s in enumerate(items)}
    right, dev = fits.crossed(x, from_sentences(items, lambda s: [(gold[s.id], 0, 1)]), SETTINGS)
    assert right.shape == (3, 120) and right[2].all() and dev[2] == 1
    assert right[1].mean() < 0.7  # each pair is there twice, never on both sides


def test_noun_chunks_are_a_nominal_with_what_stands_before_it():
    s = sentence("the big dogs see a cat in red houses .", [2, 2, 3, -1, 5, 3, 8, 8, 3, 3],
                 "det amod nsubj root det obj case amod obl punct", "DET ADJ NOUN VERB DET NOUN ADP ADJ NOUN PUNCT")  # fmt: skip
    assert tasks.noun_chunks(s) == ["B-NP", "I-NP", "I-NP", "O", "B-NP", "I-NP", "O", "B-NP", "I-NP", "O"]


def test_a_pronoun_is_a_chunk_and_a_far_modifier_is_not_in_one():
    s = sentence("she saw money", [1, -1, 1], "nsubj root obj", "PRON VERB NOUN")
    assert tasks.noun_chunks(s) == ["B-NP", "O", "B-NP"]
    far = sentence("not dogs", [-1, 0], "root nsubj", "ADV NOUN")
    assert tasks.noun_chunks(far) == ["O", "B-NP"]


def treebank(n=60):
    words = np.random.default_rng(0).choice(["dog", "cat", "key", "man"], n)
    return [
        sentence(f"the {w} sees it", [1, 2, -1, 2], "det nsubj:pass root obj", "DET NOUN VERB PRON", i,
                 spans=(Span(start=0, end=2, label="m", kind="mention", head=0),
                        Span(start=3, end=4, label="p", kind="mention", head=i % 2)))
        for i, w in enumerate(words)
    ]  # fmt: skip


def data(**items):
    return Data(name="hand-made", items=items, sha256="")


def test_tasks_are_those_a_source_has_in_pipeline_order():
    found = tasks.available(data(treebank=treebank(), mentions=treebank()))
    assert list(found) == ["POS", "chunks", "dependencies", "coreference"]
    assert set(found["dependencies"].labels) == {"det", "nsubj", "obj"}
    same = found["coreference"].labels == "same"
    assert same.any() and all(s % 2 == 0 for s in found["coreference"].sentence[same])
    with pytest.raises(ItemError, match="none of the tasks"):
        tasks.available(data(sentences=[Sentence(id="a", words=("a",))]))


def test_roles_come_from_items_where_sentences_have_none():
    edges = [EdgeItem(id=str(i), split=("train", "dev", "test")[i % 3], words=("dogs", "see"), span1=(1, 2), span2=(0, 1),
                      labels=("ARG0",)) for i in range(9)]  # fmt: skip
    assert list(tasks.available(data(semantic_roles=edges))) == ["roles"]


def test_two_depths_are_compared_by_task(tmp_path):
    deep = load(str(write_model(tmp_path / "deep", num_hidden_layers=5)))
    found = depth.compare(tiny(), deep, data(treebank=treebank()), SETTINGS)
    assert set(found[found.measure == depth.STRETCHED].task) == {"POS", "chunks", "dependencies"}
    mine = depth.compare(tiny(), tiny(), data(treebank=treebank()), SETTINGS)
    same = mine[mine.measure == "profile correlation"].value.dropna()
    assert np.allclose(same, 1)
    moved = mine[mine.measure == depth.STRETCHED].value.dropna()
    assert np.allclose(moved, 0)
    assert set(found[found.measure == "cumulative accuracy"].model) == {tiny().name, deep.name}


def test_without_a_companion_of_another_depth_the_comparison_says_what_is_missing(tmp_path):
    settings = Settings(draws=50, cache=tmp_path)
    claim = runs.get("lay.base_vs_large.tenney2019a")
    found = claim.experiment(tiny(), data(treebank=treebank()), settings)
    assert decide(ledger.row(claim.id).clauses, found).outcome == "untestable"
    assert "BERTOLOGY_SHALLOW" in found.attrs["notes"][0]
    alike = Settings(draws=50, cache=tmp_path, shallow=str(write_model(tmp_path / "alike")))
    assert "nothing to stretch" in claim.experiment(tiny(), data(treebank=treebank()), alike).attrs["notes"][0]


def test_what_was_measured_once_is_handed_on():
    calls = []

    def measure(x, targets, settings):
        calls.append(len(targets))
        return x.shape

    found = tasks.available(data(treebank=treebank()), only=("POS", "chunks"))
    again = tasks.available(data(treebank=treebank()), only=("chunks",))
    first = fits.measured(tiny(), found, SETTINGS, measure, most=20)
    second = fits.measured(tiny(), again, SETTINGS, measure, most=20)
    assert len(calls) == 2 and second == {"chunks": first["chunks"]}
    fits.measured(tiny(), again, SETTINGS, measure, most=10)
    other = {"chunks": again["chunks"].relabel(["x"] * len(again["chunks"]))}
    fits.measured(tiny(), other, SETTINGS, measure, most=10)
    assert len(calls) == 4


def labelled(n=400, seed=0):
    """One word per sentence in the middle of two others; the label is decided by the word, or not."""
    rng = np.random.default_rng(seed)
    words = rng.choice(["dog", "cat", "key", "man"], n)
    split = np.array(["train"] * 6 + ["dev", "test", "test", "test"])[np.arange(n) % 10]
    items = [Sentence(id=str(i), split=s, words=("the", w, "sleeps")) for i, (w, s) in enumerate(zip(words, split))]
    kinds = rng.choice(["a", "b"], n)
    return from_sentences(items, lambda s: [(kinds[int(s.id)], 1)]), kinds


def test_fits_are_on_disjoint_sentences_and_the_layer_that_tells_is_found():
    targets, kinds = labelled()
    made = fits.parts(targets, 0)
    assert len(made) == fits.FITS and sum(made).max() == 1 and (sum(made) == (targets.split == "train")).all()
    x = np.random.default_rng(1).normal(size=(4, len(targets), 6)).astype(np.float32)
    x[2, :, 0] += 4 * (kinds == "a")
    found = fits.fit_layers(x, targets, SETTINGS)
    profile = found.profile(SETTINGS)
    assert found.right.shape[:2] == (fits.FITS, 4) and profile.best == 2 == found.dev.argmax()
    assert profile.value[2] > 0.9 > 0.65 > profile.value[[0, 1, 3]].max()
    assert {r["measure"] for r in found.control_rows(SETTINGS)} == {"majority", "word alone", "control accuracy"}


def test_the_word_alone_is_the_commonest_label_of_the_word():
    items = [Sentence(id=str(i), split="train" if i < 6 else "test", words=(w,)) for i, w in enumerate("aaabbbabc")]
    gold = dict(zip(map(str, range(9)), "xxyyyyxyy"))
    targets = from_sentences(items, lambda s: [(gold[s.id], 0)])
    assert fits.by_word(targets)[6:].tolist() == [True, True, True]  # a: x, b: y, new: y, the commonest of all


def test_draws_keep_to_their_limits():
    targets, _ = labelled()
    assert (fits.draw(targets, 0, most=10).split == "train").sum() == 40


def test_places_are_asked_of_words_in_plain_sentences():
    items = [Ambiguity(id=str(i), split="train", condition="main_auxiliary", words=("the", f"w{i}", "can", "sleep"),
                       label=2, linear=2, candidates=(2,), target=2) for i in range(20)]  # fmt: skip
    found = order.indices(data(ambiguity=items))
    assert len(found) == 80 and set(found.labels) == {"00", "01", "02", "03"}
    assert set(found.split) == {"train", "dev", "test"}


@pytest.mark.parametrize("places, lead", [([0], 0.0), ([1], 0.5)])
def test_embeddings_that_alone_tell_the_place_give_the_low_layers_no_lead(places, lead):
    """Places are added to the embeddings: what is left in the layers is what counts."""
    right = np.zeros((2, 7, 80), bool)
    right[..., ::2] = True  # half of the words, in every layer
    right[:, places] = True
    none = np.zeros(80, bool)
    found = fits.Fitted(right, right.mean((0, 2)), none, none, right[0, :0], np.arange(80) // 4)
    rows = {r["measure"]: r for r in order.order_rows(found, Settings.of(draws=50))}
    assert rows["low above the embeddings - rest"]["value"] == pytest.approx(lead)


def test_words_beside_a_word_are_learnt_from_as_the_layers_are(monkeypatch):
    """The rival had four times as many words as a layer's classifier, and its penalty from dev."""
    seen = []

    def each_fit(x, targets, settings):
        seen.append((x.shape[0], targets))
        return fits.each_fit(x, targets, settings)

    monkeypatch.setattr(order, "each_fit", each_fit)
    monkeypatch.setattr(order, "MOST", {1: 100})
    monkeypatch.setattr(order, "TESTED", 40)
    items = [i for i in load_data("ambiguity", n=240)["ambiguity"] if i.condition == "subject_noun"]
    right, dev, near, (_, said) = order.told_apart(tiny(), items, SETTINGS)
    assert [layers for layers, _ in seen] == [len(hierarchical.WINDOWS), tiny().n_layers + 1]
    assert seen[0][1] is seen[1][1], "the same words"
    assert {s: int((seen[0][1].split == s).sum()) for s in ("train", "dev", "test")} == {
        "train": 100 * fits.FITS,
        "dev": 20,
        "test": 40,
    }
    assert right.shape == (fits.FITS, tiny().n_layers + 1, 13) and dev.shape == (tiny().n_layers + 1,)
    assert near.shape == (fits.FITS, 1, 13) and said.startswith("subject_noun: of words beside a word")


def choice(good, bad, i, **meta):
    return ForcedChoice(id=f"c-{i}", text=f"the dog [MASK] {i} .", good=good, bad=bad, meta=meta)


def test_who_always_says_one_number_scores_one_half():
    items = [choice("is", "are", i) if i % 5 < 3 else choice("run", "runs", i) for i in range(200)]
    one = np.array([number(i) == "singular" for i in items])
    assert one[0] and not one[3]
    right = np.broadcast_to(one, (9, 200))  # always the singular: .6 right
    rows = structure.agreement_rows(items, right, one, SETTINGS)
    by = {(r["measure"], r.get("gold")): r["value"] for r in rows}
    assert by["balanced accuracy, best layer", None] == pytest.approx(0.5)
    assert by["balanced accuracy, the model's own head", None] == pytest.approx(0.5)
    assert by["accuracy by gold class", "singular"] == 1 and by["accuracy by gold class", "plural"] == 0
    assert by["d'", None] == by["share of the rarer choice", None] == 0


def test_the_layers_two_thirds_up_are_set_against_those_below_and_above():
    verbs = [(f"v{k}s", f"v{k}") for k in range(40)]
    items = [choice(*verbs[i // 2 % 40][:: 1 if i // 80 % 2 else -1], i) for i in range(400)]
    chance = np.array([0.5, 0.5, 0.5, 0.6, 0.6, 0.9, 0.9, 0.6, 0.6])
    right = np.random.default_rng(0).random((9, 400)) < chance[:, None]
    rows = {
        r["measure"]: r for r in structure.agreement_rows(items, right, right[-1], SETTINGS) if "two" in r["measure"]
    }
    assert rows["two thirds - rest"]["low"] > 0.1
    assert rows["two thirds - rest"]["layer"] in (5, 6)


@pytest.mark.parametrize(("told_by", "expected"), [("verb", False), ("number", True)])
def test_a_probe_that_knows_the_verbs_alone_does_not_know_their_number(monkeypatch, told_by, expected):
    verbs = [(f"v{k}s", f"v{k}")[:: 1 if k % 2 else -1] for k in range(12)]  # of each verb one form is right throughout
    items = [choice(*pair, f"{k}-{i}") for k, pair in enumerate(verbs) for i in range(20)]
    knows = np.eye(12)[[k for k in range(12) for _ in range(20)]]
    if told_by == "number":
        knows = np.eye(2)[[int(number(i) == "singular") for i in items]]
    states = np.stack([knows + np.random.default_rng(0).normal(0, 0.01, knows.shape)] * 3)
    monkeypatch.setattr(structure.cloze, "gap_row", lambda *_: (None, 0))
    monkeypatch.setattr(structure.cloze, "choose", lambda _, items, __: np.ones(len(items)))
    monkeypatch.setattr(structure.masks, "states_at", lambda *_: states)
    right, own = structure.verb_numbers(None, items, SETTINGS)
    assert right.shape == (3, 240) and own.all()
    assert (right.mean(1) > 0.95).all() if expected else (right.mean(1) < 0.6).all()


def test_masked_pieces_are_hidden_and_no_sentence_is_in_two_splits():
    rng = np.random.default_rng(0)
    words = ["dog", "cat", "key", "man"]
    texts = {("the", *rng.choice(words, 4), "sees", *rng.choice(words, 3)) for _ in range(160)}
    items = [Sentence(id=str(i), words=words) for i, words in enumerate(sorted(texts))]
    rows, targets, fitted = pretraining.masked_pieces(tiny(), data(sentences=items), SETTINGS)
    ids = tiny().tokenizer
    at = list(zip(targets.sentence, targets.spans[:, 0, 0]))
    assert all(rows[n].ids[t] == ids.mask_token_id for n, t in at) and ids.mask_token not in targets.labels
    one, two, three = (set(targets.sentence[targets.split == s]) for s in ("train", "dev", "test"))
    assert not (one & two or one & three or two & three)
    assert fitted.right.shape == (fits.FITS, tiny().n_layers + 1, (targets.split == "test").sum())


def test_chunks_as_spans_with_their_kind():
    tags = ("B-NP", "I-NP", "B-VP", "B-NP", "O")
    items = [Sentence(id=str(i), words=("the", "dog", "sees", "it", "."), chunks=tags) for i in range(200)]
    found = chunks.chunk_spans(data(chunks=items))
    assert len(found) == 600 and set(found.labels) == {"NP", "VP"}
    assert {tuple(s[0]) for s, y in zip(found.spans, found.labels) if y == "NP"} == {(0, 2), (3, 4)}
    with pytest.raises(ItemError, match="fewer than two"):
        chunks.chunk_spans(data(chunks=items[:5]))


@pytest.mark.parametrize("told_in", [4, 1])
def test_clusters_that_fit_in_some_parts_only_decide_nothing(monkeypatch, told_in):
    """One k-means of all spans had an interval of resampled spans, and was another on other sentences."""
    tags = ("B-NP", "B-VP", "B-NP", "B-VP", "B-NP")
    items = [Sentence(id=str(i), words=tuple("abcde"), chunks=tags) for i in range(320)]
    targets = chunks.chunk_spans(data(chunks=items))
    kind, part = (
        (targets.labels == "NP").astype(float),
        np.unique(targets.sentence, return_inverse=True)[1] % chunks.PARTS,
    )
    x = np.random.default_rng(0).normal(0, 0.1, (9, len(targets), 2))  # eight layers; the first tells the kinds
    x[1, :, 0] += 5 * kind * (part // 2 % 4 < told_in)
    monkeypatch.setattr(chunks, "fitting", lambda _, targets: (targets, ""))
    monkeypatch.setattr(chunks, "span_vectors", lambda *_: x)
    lead = next(r for r in chunks.cluster_rows(None, targets, SETTINGS) if r["measure"] == "low - middle")
    assert lead["layer"] == 1 and lead["value"] > 0.2
    assert lead["low"] > 0.9 if told_in == 4 else lead["low"] < 0.02


def decided(id, rows, source="ud_english_ewt"):
    made = [intervals.row(m, (v, v - w, v + w), 500, **keys) for m, v, w, keys in rows]
    found = decide(ledger.row(id).clauses, intervals.table(made), None, source)
    return found.outcome, {c.name: c.outcome for c in found.clauses}


def test_trees_best_below_the_middle_are_not_in_the_middle():
    id = "lay.tree_depth.hewitt2019"
    assert decided(id, [("middle - best other", -0.08, 0.005, {})]) == (
        "does not hold",
        {"middle": "does not hold", "large": "untested"},
    )
    assert decided(id, [("middle - best other", 0.03, 0.005, {})])[0] == "holds"


def test_no_verdict_on_agreement_without_agreement():
    rows = [("two thirds - rest", 0.03, 0.01, {})]
    poor, good = ([*rows, ("balanced accuracy, best layer", x, 0.02, {})] for x in (0.53, 0.8))
    assert decided("lay.agreement.goldberg2019", poor)[0] == "untestable"
    assert decided("lay.agreement.goldberg2019", good)[0] == "holds"


def test_an_order_of_three_stages_decides_nothing():
    gains = [("gain over embeddings", 0.1, 0.01, {"task": t}) for t in ("all", "syntactic", "semantic")]
    later = [("expected depth, semantic - syntactic", 0.1, 0.02, {"task": "all"})]

    def order_of(n):
        rows = [intervals.row(m, (v, v - w, v + w), 500, **k) for m, v, w, k in [*gains, *later]]
        rows.append(intervals.row("pairs in order by expected layer", (1.0, 0.9, 1.0), n, task="all"))
        found = decide(ledger.row("lay.pipeline.tenney2019a").clauses, intervals.table(rows), None, "ud_english_gum")
        return {c.name: c.outcome for c in found.clauses}["order"]

    assert order_of(3) == "open" and order_of(10) == "holds"


@pytest.mark.parametrize("id", ["lay.word_order.lin2019", "lay.conceptnet.cui2020"])
def test_planted_is_found_and_nulls_are_not(id):
    from bertology_utils import calibrate

    trials = calibrate.calibrate(
        id, Settings(data="builtin", n=1000, draws=300), only=("planted", "constant", "positions")
    )
    assert {t.name: t.wrong for t in trials} == {"planted": [], "constant": [], "positions": []}
