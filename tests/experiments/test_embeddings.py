"""The embeddings chapter: every row has an experiment that runs on any BERT, and its own helpers are right."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support import tiny, tiny_folder

from bertology_utils.calibration.nulls import NULLS
from bertology_utils.claims import evidence, ledger, rules, sources
from bertology_utils.claims.registry import NotRunnable
from bertology_utils.data.items import Association, Data, Labelled, ScoredPair, Sentence, WordInContext
from bertology_utils.experiments.embeddings import associations, context, identity, segments, senses, sentences
from bertology_utils.experiments.embeddings.pairs import Benchmarks
from bertology_utils.runs import registered
from bertology_utils.scores import intervals
from bertology_utils.settings import Settings
from bertology_utils.subject import encode
from bertology_utils.vectors import pooling
from bertology_utils.vectors.geometry import unit

NOUNS = ("dog", "cat", "man", "woman", "house", "tree", "bird", "robin", "bank", "river", "money", "key")
SETTINGS = Settings(draws=50)


def texts(n: int, seed: int = 0) -> list[tuple[str, ...]]:
    """Different sentences of words that the tiny model knows."""
    rng, seen = random.Random(seed), {}
    while len(seen) < n:
        a, b = rng.sample(NOUNS, 2)
        words = (
            rng.choice(("the", "a")),
            a,
            rng.choice(("sees", "likes", "runs")),
            "the",
            rng.choice(("big", "old", "red")),
            b,
        )
        seen[(*words, *(("near", "a", rng.choice(NOUNS)) if rng.random() < 0.5 else ()), ".")] = None
    return list(seen)


def items(task: str, n: int = 120) -> list:
    rng = random.Random(task)
    words = texts(n)
    split = ["train" if k < 0.6 * n else "dev" if k < 0.8 * n else "test" for k in range(n)]
    if task in ("sentences", "treebank"):
        return [Sentence(id=str(k), words=w, split=s) for k, (w, s) in enumerate(zip(words, split))]
    if task == "word_similarity":
        pairs = [(a, b) for a in NOUNS for b in NOUNS if a < b]
        return [ScoredPair(id=f"{a}-{b}", condition="set", a=a, b=b, score=rng.random()) for a, b in pairs]
    joined = [" ".join(w) for w in words]
    if task == "sts":
        return [
            ScoredPair(id=str(k), condition="events", split=s, a=a, b=rng.choice(joined), score=rng.random())
            for k, (a, s) in enumerate(zip(joined, split))
        ]
    if task == "association":
        sets = [tuple(f"this is a {w} ." for w in NOUNS[k : k + 3]) for k in (0, 3, 6, 9)]
        return [
            Association(id=c, condition=c, x=sets[0], y=sets[1], a=sets[2], b=sets[3], meta={"bleached": True})
            for c in ("flowers_insects", "sent-weat2", "other")
        ]
    if task == "senses":
        return [
            WordInContext(id=str(k), split=s, words=w, target=1, lemma=w[1], sense=w[2])
            for k, (w, s) in enumerate(zip(words, split))
        ]
    if task == "sense_pairs":
        meta = [{"words_a": w, "words_b": rng.choice(words), "target_a": 1, "target_b": 1} for w in words]
    else:
        meta = [{}] * n
    return [
        Labelled(id=str(k), split=s, text=t, text_b=rng.choice(joined), label=rng.choice("TF"), meta=m)
        for k, (t, s, m) in enumerate(zip(joined, split, meta))
    ]


def data(id: str, n: int = 120) -> Data:
    return Data(name="hand-made", items={t: items(t, n) for t in registered()[id].tasks}, sha256="")


ROWS = [row.id for row in ledger.rows("embeddings")]


def test_every_row_of_the_section_is_rerun():
    assert [id for id in registered() if id.startswith("emb.")] == ROWS and len(ROWS) == 9


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
    beside = it.experiment(tiny(), data(it.id), replace(settings, companions=(f"nonsp={tiny_folder()}",)))
    assert set(beside.measure) - set(alone.measure) == {"relative shift without NSP"}
    clauses = ledger.row(it.id).clauses
    assert rules.decide(clauses, alone).outcome == rules.decide(clauses, beside).outcome
    assert {c.name for c in clauses if c.kind == "untested"} == {"nsp"}


def test_identity_is_whole_at_the_bottom_and_gone_under_the_mask():
    id = "emb.token_identity.voita2019a"
    rows = registered()[id].experiment(tiny(), data(id, 300), SETTINGS)
    at = rows[(rows.measure == "identity recovered") & (rows.layer == 0)].set_index(["decoder", "token"]).value
    assert at["linear", "kept"] > 0.85, "an embedding is its token's"
    assert at["linear", "masked"] < 0.5 and at["linear", "replaced"] < 0.1, "a false input names another token"


def test_a_planted_dip_is_found_on_one_half_and_scored_on_the_other():
    right = np.ones((3, 3, 200, 5))
    right[:, :, :, 2] = np.arange(200)[None, None] % 4 < 1
    dev, groups = np.arange(200) % 2 == 0, {"text": np.arange(200)}
    rows = pd.DataFrame(identity._rows(right, dev, groups, SETTINGS))
    gaps = rows[rows.measure.isin(["bottom less minimum", "top less minimum"])]
    assert set(gaps.layer) == {2} and (gaps.low > 0.3).all() and len(gaps) == 2 * len(identity.DECODERS)
    flat = pd.DataFrame(identity._rows(np.ones((3, 3, 200, 5)), dev, groups, SETTINGS))
    assert (flat[flat.measure == "top less minimum"].value == 0).all()


def test_average_precision():
    scores = np.array([[4.0, 3.0, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0]])
    relevant = np.array([[True, True, False, False]] * 2)
    np.testing.assert_allclose(identity.average_precision(scores, relevant), [1, (1 / 3 + 2 / 4) / 2])


def test_disturbed_queries():
    subject = tiny()
    (row,) = encode.tokenize(subject, [("the", "dog", "walked", "unable")])
    whole = identity._single(row)
    assert [subject.tokenizer.convert_ids_to_tokens(q.token) for q in whole] == ["the", "dog"], "one piece only"
    types = [q.token for q in whole]
    masked = identity._disturb(subject, whole[1], "masked", types, random.Random(0))
    replaced = identity._disturb(subject, whole[1], "replaced", types, random.Random(0))
    assert masked.row.ids[whole[1].at] == subject.tokenizer.mask_token_id and masked.token == whole[1].token
    assert replaced.row.ids[whole[1].at] == whole[0].token
    assert sum(a != b for a, b in zip(masked.row.ids, row.ids)) == 1


def test_senses_planted_in_the_words_are_tagged():
    """The sense is the word itself here: layer 0 alone tells it."""
    made = [
        WordInContext(
            id=str(k),
            split=("train", "train", "dev", "test")[k % 4],
            words=("the", w, "runs"),
            target=1,
            lemma="x",
            sense=w,
        )
        for k, w in enumerate(("dog", "cat", "dog") * 20)
    ]
    rows = senses._tagging(tiny(), made, SETTINGS)
    assert rows.set_index("measure").value["accuracy, layer chosen on dev"] == 1
    by = rows.set_index(["measure", "over"]).value
    commonest = np.mean([i.sense == "dog" for i in made if i.split == "test"])
    assert by["baseline", senses.COMMONEST] == pytest.approx(commonest)
    assert by["baseline", senses.FLAT] == 1 and by["gain over baseline", senses.FLAT] == 0
    assert by["baseline", senses.BAG] <= commonest + 0.2, "the other words are the same in all of them"
    assert rows.set_index("measure").value["adjusted Rand index"] == 1


def test_a_source_without_dev_gives_a_fifth_of_its_training():
    made = [
        WordInContext(
            id=str(k), split="train" if k % 2 else "test", words=("a",), target=0, lemma="x", sense=str(k % 3)
        )
        for k in range(100)
    ]
    (parts,) = senses._ambiguous(made, 0).values()
    assert {k: len(v) for k, v in parts.items()} == {"train": 40, "dev": 10, "test": 50}
    single = [WordInContext(id=str(k), split="train", words=("a",), target=0, lemma="y", sense="s") for k in range(5)]
    assert not senses._ambiguous(single, 0)


def test_sense_map_has_every_occurrence_at_every_layer():
    points = senses.sense_map(settings=Settings(model=str(tiny_folder())), n=200)
    n = points.groupby("layer").size()
    assert len(n) == tiny().n_layers + 1 and n.nunique() == 1 and points.sense.nunique() > 1
    with pytest.raises(KeyError, match="xyzzy"):
        senses.sense_map("xyzzy", Settings(model=str(tiny_folder())), n=50)


def test_templates_do_not_make_a_word_another():
    x = ("This is a rose.", "That is a rose.", "These are roses.", "This is a lily.")
    y = ("This is a bee.", "That is a bee.", "These are bees.", "That is a fly.")
    groups = associations._content(x, y)
    assert groups[0] == groups[1] == groups[2] != groups[3]
    assert associations._content(("rose", "lily"), ("bee", "fly")) == [("rose",), ("lily",)]


def test_the_gain_of_a_pooling_is_its_score_less_that_of_the_baseline():
    id = "emb.sentence_pooling.toshniwal2020"
    rows = registered()[id].experiment(tiny(), data(id), SETTINGS)
    for task, measure in (("similarity", "Spearman"), ("sentiment", "accuracy")):
        own = rows[rows.task == task]
        scores = own[own.measure == measure].set_index("pooling").value
        gains = own[own.measure == "gain"].set_index("over").value
        assert set(gains.index) == {pooling.CLS, sentences.FLAT}
        chosen = gains[pooling.CLS] + scores[pooling.CLS]
        assert gains[sentences.FLAT] == pytest.approx(chosen - scores[sentences.FLAT])
        others = scores.drop([pooling.CLS, sentences.FLAT])
        assert np.isclose(others, chosen).any(), "it is the score of one of the poolings"
    pairs = [ScoredPair(id=c, condition=c, a="a", b="b", score=1) for c in ("de", "en")]
    assert sentences.english(pairs) == pairs[1:] and sentences.english(pairs[:1]) == pairs[:1]


def test_baselines_are_never_chosen():
    names = pooling.sentence_poolings(3)
    best_flat = np.array([1.0 if n in (pooling.CLS, sentences.FLAT) else 0.1 for n in names])
    assert names[sentences.best_pooling(names, best_flat)] not in (pooling.CLS, sentences.FLAT)
    last = np.array([float(n == "mean, layer 3") for n in names])
    assert names[sentences.best_layer(names, last)] in ("mean, layer 1", "mean, layer 2")


def test_training_sets_share_nothing_where_there_is_enough(monkeypatch):
    monkeypatch.setattr(sentences, "TRAIN", 10)
    given = items("sentiment", 120)  # 72 to train on
    parts, _ = sentences._training_sets(tiny(), given, SETTINGS, [])
    ids = [i.id for k in range(sentences.SAMPLES) for i in parts[k]]
    assert len(ids) == len(set(ids)) == 50 and {i.split for i in parts["test"]} == {"test"}
    monkeypatch.setattr(sentences, "TRAIN", 1000)
    parts, _ = sentences._training_sets(tiny(), given, SETTINGS, [])
    assert {len(parts[k]) for k in range(sentences.SAMPLES)} == {48}


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


def test_benchmarks_choose_on_one_half_and_score_the_other():
    rng = np.random.default_rng(0)
    made = [
        ScoredPair(id=str(k), condition=("big", "small", "WS-353-ALL", "WS-353-SIM")[k % 4] if k > 9 else "tiny",
                   a=f"w{rng.integers(60)}", b=f"w{rng.integers(60, 120)}", score=float(rng.random()))
        for k in range(400)
    ]  # fmt: skip
    bench = Benchmarks(made, SETTINGS)
    assert set(bench.halves) == {"big", "small", "WS-353-ALL"}, "too small, or within another"
    gold = np.array([i.score for i in made])
    scores = np.stack([gold, rng.random(400)], 1)
    assert bench.dev(scores)[0] == pytest.approx(1)
    found = bench.measure(scores)
    assert found.n == sum(len(half) for _, half in bench.halves.values()) and found.clusters <= 120
    value, low, high = found.interval(0, 1)
    assert low < value < high and value == pytest.approx(1 - found.value[1])
    with pytest.raises(ValueError, match="no set has"):
        Benchmarks(made[:10], SETTINGS)


def test_words_shared_by_pairs_widen_the_interval():
    """Word effects: the mean over pairs varies with the words, which single pairs do not show."""
    rng = np.random.default_rng(1)
    effect = dict(zip(map(str, range(24)), rng.normal(size=24)))
    made = [
        ScoredPair(id=f"{a}-{b}", condition="x", a=a, b=b, score=float(effect[a] + effect[b]))
        for a in effect for b in effect if a < b
    ]  # fmt: skip
    other = dict(zip(effect, rng.normal(size=24)))
    scores = np.array([[other[i.a] + other[i.b]] for i in made])
    found = Benchmarks(made, replace(SETTINGS, draws=500)).measure(scores)
    _, low, high = found.interval(0)
    assert high - low > 1.5 * 3.92 * found.plain.std()


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
