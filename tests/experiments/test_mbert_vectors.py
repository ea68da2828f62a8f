"""Multilingual BERT, the rows about vectors and gaps: their parts by hand, and every rule on what has and lacks it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from support import multilingual, multilingual_folder

from bertology_utils import runs
from bertology_utils.calibration import harness
from bertology_utils.claims import ledger
from bertology_utils.claims.rules import OUTCOMES, decide
from bertology_utils.data import load
from bertology_utils.data.items import Sentence, Translation
from bertology_utils.experiments.mbert import (
    alignment,
    auxiliaries,
    centroids,
    generation,
    identity,
    offset,
    parallel,
    planted,
    retrieval,
)
from bertology_utils.settings import Settings
from bertology_utils.subject.encode import tokenize

SETTINGS = Settings(draws=60, model="mini-multi")
SPOKEN = ("eng", "deu", "spa", "rus", "zho")
N = {
    "mbt.retrieval.pires2019": 40,
    "mbt.language_identity.libovicky2019": 90,
    "mbt.word_alignment.libovicky2019": 24,
    "mbt.offset_translation.pires2019": 110,
    "mbt.generation.ronnqvist2019": 60,
}
FOOLED_BY = {  # what each rule is tried on here; the whole list is calibrated and stored
    "mbt.retrieval.pires2019": "bag of words",
    "mbt.language_identity.libovicky2019": "bag of words",
    "mbt.word_alignment.libovicky2019": "diagonal",
    "mbt.offset_translation.pires2019": "bag of words",
    "mbt.generation.ronnqvist2019": "frequency",
}


@cache
def data(id):
    """Generated translations into five languages; to be told apart, into seven that are alike."""
    spoken = SPOKEN if id != "mbt.language_identity.libovicky2019" else "eng deu nld swe fra spa ita".split()
    found = load("translations", "builtin", n=N[id], seed=0)
    found.items["translations"] = [
        Translation(
            id=item.id,
            sentences={code: item.sentences[code] for code in spoken},
            alignment=tuple(a for a in item.alignment if a[2] in spoken),
        )
        for item in found["translations"]
    ]
    return found


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(centroids, "RESAMPLES", 20)
    monkeypatch.setattr(planted, "CONTENT", 0.5)  # four languages leave wide intervals


@pytest.mark.parametrize("id", N)
def test_claim_runs_and_its_clauses_decide(id):
    rows = runs.get(id).experiment(multilingual(), data(id), SETTINGS)
    assert (rows["low"] <= rows["value"] + 1e-9).all() and (rows["value"] <= rows["high"] + 1e-9).all()
    assert decide(ledger.row(id).clauses, rows, source="builtin").outcome in OUTCOMES


@pytest.mark.parametrize("id", N)
def test_rule_finds_what_is_planted_and_is_not_fooled(id):
    trials = harness.calibrate(runs.get(id), data(id), multilingual(), SETTINGS, {"planted", FOOLED_BY[id]})
    wrong = {t.name: t.wrong for t in trials}
    if id == "mbt.word_alignment.libovicky2019":  # a model of letters links articles without having learnt it
        wrong["planted"] = [name for name in wrong["planted"] if name != "open_less"]
    assert wrong == {"planted": [], FOOLED_BY[id]: []}


@pytest.mark.parametrize("id", [id for id in N if "alignment" not in id])
def test_sets_of_two_languages_are_measured_too(id):
    """Each language with its own English sentences, nothing known of the words: as Tatoeba has them."""
    items, verbs = [], ("hat", "ist", "kann", "sind")
    for n, item in enumerate(load("translations", "builtin", n=270, seed=1)["translations"]):
        code, name = (("de", "deu"), ("es", "spa"), ("ru", "rus"))[n % 3]
        mine, english = item.sentences[name].words, item.sentences["eng"].words
        if code == "de":
            mine = (*mine[:2], verbs[n % 4], *mine[2:])
        sentences = {c: Sentence(id=f"{code}/{n}/{c}", words=w) for c, w in (("en", english), (code, mine))}
        items.append(Translation(id=f"{code}/{n}", condition=code, sentences=sentences))
    rows = runs.get(id).experiment(
        multilingual(), replace(data(id), name="pairs", items={"translations": items}), SETTINGS
    )
    assert decide(ledger.row(id).clauses, rows, source="tatoeba_laser").outcome in OUTCOMES
    assert rows["low"].notna().any() and rows["n"].max() > 60


def test_the_real_one_goes_the_same_way(monkeypatch, tmp_path):
    """A model in multilingual BERT's shape, under its name, reached through the model switch's `bert-base-uncased`."""
    from bertology_utils.subject import models

    read = models.load
    monkeypatch.setattr(models, "load", lambda name, settings=None: read(str(multilingual_folder()), settings))
    runs._subject.cache_clear(), runs._twin.cache_clear()
    items = data("mbt.retrieval.pires2019")["translations"]
    found = runs.run("mbt.retrieval.pires2019", SETTINGS, model="bert-base-uncased", items=items[:24], twin=False)
    runs._subject.cache_clear(), runs._twin.cache_clear()
    assert found.value("P@1") > -1


# sets of parallel sentences


def said(id, **words):
    sentences = {code: Sentence(id=f"{id}-{code}", words=tuple(text.split())) for code, text in words.items()}
    return Translation(id=id, sentences=sentences)


def test_sets_are_by_language_and_the_unread_ones_are_left_out():
    items = [
        said("a", eng="x", deu="y", tur="z"),
        said("b", en="x", de="y"),
        said("c", en="x", tr="y"),
        said("d", en="x", fr="y"),
    ]
    found = parallel.groups(items, most=9)
    assert {codes: len(group) for codes, group in found.items()} == {("de", "en"): 2, ("en", "fr"): 1}
    assert len(parallel.groups(items, most=1)["de", "en"]) == 1


def test_sentence_vectors_are_means_of_pieces_and_centring_takes_the_mean_of_those_that_choose():
    items = data("mbt.retrieval.pires2019")["translations"]
    (p,) = parallel.gather(multilingual(), items, SETTINGS, 12)
    assert p.vectors.shape == (4, len(SPOKEN), 12, 32) and p.languages == ("de", "en", "es", "ru", "zh")
    row = tokenize(multilingual(), [p.sentences[1][3].words])[0]
    assert p.pieces[1][3] == row.ids[1:-1]
    assert np.allclose(p.centred()[:, :, p.dev].mean(2), 0, atol=1e-5) and 0 < p.dev.sum() < 12


def test_hits_are_of_the_nearest_by_angle():
    a = np.array([[1.0, 0], [0, 1], [1, 1]])
    turned = a[[1, 0, 2]]
    assert retrieval.hits(np.stack([a, 5 * a]))[0, 1].tolist() == [1, 1, 1]
    assert retrieval.hits(np.stack([a, turned]))[0, 1].tolist() == [0, 0, 1]


def test_shared_pieces_retrieve_names_and_share_the_point_where_there_are_none():
    items = [said(f"s{k}", en=f"the {c} x", de=f"die {c} y") for k, c in enumerate("abcdefgh")]
    items += [said(f"t{k}", en="the the", de="die die") for k in range(4)]
    (p,) = parallel.gather(multilingual(), items, SETTINGS, 99)
    found = retrieval.hits_of(retrieval.overlap(p))[p.languages.index("en"), p.languages.index("de")]
    named = np.array([len(set(ids)) > 1 and "x" in " ".join(s.words) for ids, s in zip(p.pieces[1], p.sentences[1])])[
        ~p.dev
    ]
    assert (found[named] == 1).all() and (found[~named] < 1).all()


# the languages' centroids


def test_symbols_tell_languages_of_their_own_and_not_others():
    part = np.array(["train", "train", "test", "test"])
    made = identity.Spoken(
        np.zeros((1, 4, 2)), np.zeros((1, 4, 2)), np.array(["de", "fr", "de", "fr"]), np.arange(4), part,
        ["das Haus", "la maison", "das Kind", "la mer"], ["1 2", "3 4", "1 5", "3 6"],
    )  # fmt: skip
    for kind in identity.SYMBOLS:
        assert identity.symbols(made, part == "train", kind).tolist() == ["de", "fr", "de", "fr"]


def test_neighbours_see_what_centring_leaves_and_no_linear_probe_can():
    """Two languages of equal means, one spread along each axis: a probe's best weights are nought, neighbours tell them."""
    rng = np.random.default_rng(0)
    n = 120
    axis = np.repeat([0, 1], n)
    points = np.zeros((2 * n, 2))
    points[np.arange(2 * n), axis] = np.tile([1.0, -1.0], n)
    points += rng.normal(0, 0.05, points.shape)
    part = np.tile(np.repeat(["train", "dev", "test"], n // 3), 2)
    layers = np.stack([points, points])
    texts = [""] * (2 * n)
    made = identity.Spoken(layers, layers, np.array(["de", "fr"])[axis], np.tile(np.arange(n), 2), part, texts, texts)
    rows = {r["measure"]: r for r in identity._removed(made, SETTINGS)}
    assert rows["language identification, centred - chance"]["value"] == pytest.approx(0.5, abs=0.02)
    means = [points[(part == "train") & (axis == k)].mean(0) for k in (0, 1)]
    assert np.allclose(means[0], means[1], atol=0.1)


def test_what_is_left_after_centring_counts_beyond_the_centred_embeddings_in_the_layer_that_tells_best_before():
    """Layers as the embeddings leave nothing beyond; the last, which tells less when plain, is not the one that is read."""
    rng = np.random.default_rng(0)
    n = 120
    spoken = np.repeat([0, 1], n)
    noise = rng.normal(size=(2 * n, 2))
    told, centred = noise + 9 * spoken[:, None] * [1, 0], noise
    left = noise + 9 * spoken[:, None] * [0, 1]
    part = np.tile(np.repeat(["train", "dev", "test"], n // 3), 2)
    texts = [""] * (2 * n)
    made = identity.Spoken(
        np.stack([noise, told + 5, noise]), np.stack([centred, centred, left]),
        np.array(["de", "fr"])[spoken], np.tile(np.arange(n), 2), part, texts, texts,
    )  # fmt: skip
    rows = {r["measure"]: r for r in identity._removed(made, SETTINGS)}
    beyond = rows["language identification, centred, over the centred embeddings"]
    assert beyond["layer"] == 1 and beyond["value"] == 0 and beyond["low"] < 0 < beyond["high"]
    assert rows["language identification, plain, over the centred embeddings"]["value"] > 0.3


# word alignment


def test_baselines_and_counts_by_hand():
    one = Sentence(id="a", words=("the", "robin", "sees", "London", "."), upos=("DET", "NOUN", "VERB", "NOUN", "PUNCT"),
                   heads=(1, 2, -1, 2, 2), deprels=("det", "nsubj", "root", "obj", "punct"))  # fmt: skip
    two = Sentence(id="b", words=("London", "sieht", "das", "Rotkehlchen", "."), upos=("NOUN", "VERB", "DET", "NOUN", "PUNCT"),
                   heads=(1, -1, 3, 1, 1), deprels=("obj", "root", "det", "nsubj", "punct"))  # fmt: skip
    gold = alignment.gold(one, two, {(1, 3), (2, 1), (3, 0), (4, 4)})
    assert gold == {(0, 2), (1, 3), (2, 1), (3, 0)}
    p = alignment.Pair("a", "de", one, two, gold)
    assert alignment.guess(p, "spelling") == {(3, 0), (4, 4)}
    assert alignment.guess(p, "diagonal") == {(k, k) for k in range(5)}
    counted = alignment.counts(p, alignment.guess(p, "spelling"))
    assert counted.tolist() == [[1, 3, 0], [1, 2, 0], [0, 1, 0]]
    assert alignment.f1(alignment.counts(p, gold))[0] == 1


# translation by an offset


def test_an_offset_translates_moved_words_and_nothing_else_does():
    x = np.random.default_rng(0).standard_normal((60, 16)).astype(np.float32)
    moved = x + 20 * np.eye(16, dtype=np.float32)[0] * np.linspace(0.9, 1.1, 60)[:, None]
    part = np.array(["train", "dev", "test"] * 20)
    t = offset.Things(("de", "en"), np.stack([[x, moved]] * 2), np.stack([[x, moved]] * 2), part, "words")
    none, with_offset, random = offset._pair(t, 0, 1, SETTINGS)[:, 1].mean(-1)
    assert with_offset > 0.8 and none < 0.3 and random < 0.3


def test_what_an_offset_gains_is_asked_of_all_layers_and_not_where_nothing_is_left_to_gain(monkeypatch):
    part = np.array(["train", "dev", "test"] * 20)
    t = offset.Things(("de", "en"), np.zeros((3, 2, 60, 4)), np.zeros((3, 2, 60, 4)), part, "words")
    right = np.array([[0, 0, 1], [1, 1, 1], [0, 0, 1]], float)  # by way and layer: the last one needs no offset
    monkeypatch.setattr(offset, "_things", lambda *_: [t])
    monkeypatch.setattr(offset, "_pair", lambda *_: np.repeat(right[..., None], 60, 2))
    frame = offset.offset_translation(SimpleNamespace(n_layers=2), {"translations": []}, SETTINGS)
    gains = frame[frame["measure"].str.startswith("P@1 over layers")]
    assert gains["value"].tolist() == [0.5, 0.5] and len(frame[frame["measure"] == "P@1 by layer"]) == 9


# gaps


def test_every_generated_gap_has_an_auxiliary_that_fits_and_none_fits_most():
    items = list(auxiliaries.made())
    assert {i.condition for i in items} == {"de", "sv"} and len({i.id for i in items}) == len(items) > 200
    for code in ("de", "sv"):
        mine = [i for i in items if i.condition == code]
        assert all(set(i.answers) <= set(auxiliaries.AUXILIARIES[code]) for i in mine)
        assert generation.constant(mine).mean() < 0.4
    assert "Die Männer [MASK] das Haus gesehen ." in {i.text for i in items if i.answers == ("haben",)}


def test_english_gaps_are_single_pieces_of_both_models():
    gaps = generation.english_gaps(
        (multilingual(), multilingual()), data("mbt.generation.ronnqvist2019")["translations"]
    )
    assert gaps and all(g.answers[0] in ("the", "The", "in") and g.text.count("[MASK]") == 1 for g in gaps)


def test_who_has_nothing_to_say_fills_no_gap():
    from bertology_utils.calibration.planted import plant

    gaps = generation.english_gaps(
        (multilingual(), multilingual()), data("mbt.generation.ronnqvist2019")["translations"]
    )
    silent = plant(multilingual(), data("mbt.generation.ronnqvist2019"), np.random.default_rng(0))
    assert not generation.filled(silent, gaps, SETTINGS).any()


def test_of_one_language_beside_english_sentences_are_drawn_and_of_several_languages():
    """All of 60 found in German: an interval near 1, not that of one language."""
    sets = [parallel.Parallel(("de", "en"), ((), ()), np.zeros(60, bool), np.zeros(0), ((), ())),
            parallel.Parallel(("en", "fr"), ((), ()), np.zeros(60, bool), np.zeros(0), ((), ()))]  # fmt: skip
    found = [np.ones((2, 2, 60)), np.tile(np.arange(60) % 2.0, (2, 2, 1))]
    german = retrieval._row("P@1 with English", found, sets, SETTINGS, True, lambda a, b: "de" in (a, b))
    assert german["clusters"] == 60 and german["low"] > 0.9
    assert retrieval._row("P@1", found, sets, SETTINGS)["clusters"] == 2
