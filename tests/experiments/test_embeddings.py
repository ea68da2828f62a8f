"""The embeddings chapter: every row has an experiment that runs on any BERT, and its own helpers are right."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support import tiny, tiny_folder

from bertology_utils.claims import evidence, ledger, rules
from bertology_utils.claims.registry import NotRunnable
from bertology_utils.data.items import Association, Data, Labelled, ScoredPair, Sentence, WordInContext
from bertology_utils.experiments.embeddings import associations, identity, segments, senses, sentences
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
            WordInContext(id=str(k), split=s, words=w, target=1, lemma="x", sense=w[2])
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
def test_every_experiment_gives_rows_its_rule_can_decide(id, monkeypatch):
    monkeypatch.delenv("BERTOLOGY_NONSP", raising=False)
    given = data(id, 1000 if "static" in id else 120)
    it = registered()[id]
    rows = it.experiment(tiny(), given, SETTINGS)
    assert rules.decide(it.predict, rows).label in rules.LABELS[:4]
    known = rows.dropna(subset=["low"])
    assert len(rows) - len(known) <= 1 and (known.low <= known.high).all() and (known.n > 0).all()
    again = it.experiment(tiny(), given, SETTINGS)
    pd.testing.assert_frame_equal(rows, again)
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


def test_without_a_model_to_compare_with_the_shift_alone_is_never_enough(monkeypatch, tmp_path):
    monkeypatch.delenv("BERTOLOGY_NONSP", raising=False)
    it = registered()["emb.segment_position.mickus2019"]
    settings = Settings(draws=50, cache=tmp_path)
    rows = it.experiment(tiny(), data(it.id), settings)
    assert rules.decide(it.predict, rows).label != "replicated"
    assert any("BERTOLOGY_NONSP" in note for note in rows.attrs["notes"])
    monkeypatch.setenv("BERTOLOGY_NONSP", str(tiny_folder()))
    rows = it.experiment(tiny(), data(it.id), settings).set_index("measure")
    gap = rows.loc["relative shift"].value - rows.loc["relative shift without NSP"].value
    assert rows.loc["relative shift less that without NSP"].value == pytest.approx(gap) and gap != 0
    assert np.isfinite(rows.loc["relative shift less that without NSP"].low)


def test_identity_is_whole_at_the_bottom_and_gone_under_the_mask():
    id = "emb.token_identity.voita2019a"
    rows = registered()[id].experiment(tiny(), data(id, 300), SETTINGS)
    at = rows[(rows.measure == "identity recovered") & (rows.layer == 0)].set_index(["decoder", "token"]).value
    assert at["linear", "kept"] > 0.9, "an embedding is its token's"
    assert at["linear", "masked"] < 0.5 and at["linear", "replaced"] < 0.1, "a false input names another token"


def test_a_planted_dip_is_found_on_one_half_and_scored_on_the_other():
    right = np.ones((2, 3, 200, 5))
    right[:, :, :, 2] = np.arange(200) % 4 < 1
    rows = pd.DataFrame(identity._rows(right, SETTINGS))
    gaps = rows[rows.measure.isin(["bottom less minimum", "top less minimum"])]
    assert set(gaps.lowest) == {2} and (gaps.low > 0.3).all()
    flat = pd.DataFrame(identity._rows(np.ones((2, 3, 200, 5)), SETTINGS))
    assert (flat[flat.measure == "top less minimum"].value == 0).all()


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
    rows = senses._tagging(tiny(), made, SETTINGS).set_index("measure")
    assert rows.loc["accuracy, layer chosen on dev"].value == 1
    assert rows.loc["baseline"].value == pytest.approx(np.mean([i.sense == "dog" for i in made if i.split == "test"]))


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


def test_the_gain_of_a_pooling_is_its_score_less_that_of_cls():
    id = "emb.sentence_pooling.toshniwal2020"
    rows = registered()[id].experiment(tiny(), data(id), SETTINGS)
    for task, measure in (("similarity", "Spearman"), ("sentiment", "accuracy")):
        own = rows[rows.task == task]
        scores = own[own.measure == measure].set_index("pooling").value
        (gain,) = own[own.measure == "gain over last-layer [CLS]"].to_dict("records")
        assert gain["value"] == pytest.approx(scores[gain["pooling"]] - scores[pooling.CLS])
    assert rows[rows.measure == "gain over last-layer [CLS]"].pooling.nunique() == 1, "one pooling for both tasks"
    pairs = [ScoredPair(id=c, condition=c, a="a", b="b", score=1) for c in ("de", "en")]
    assert sentences.english(pairs) == pairs[1:] and sentences.english(pairs[:1]) == pairs[:1]


def test_released_curves_are_in_the_order_of_the_layers(tmp_path):
    settings = Settings(evidence=tmp_path)
    nan = float("nan")
    rows = [intervals.row("mean cosine", (k / 20, nan, nan), 0, layer=str(k)) for k in range(12)]
    rows.append(intervals.row("Spearman of layer and mean cosine", (1, nan, nan), 12, layer="all"))
    record = {"claim": ROWS[1], "data": "x", "kind": "released", "rows": rows, "verdict": None, "n": 12}
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
