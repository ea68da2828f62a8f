"""Multilingual BERT, the rows about tasks: transfer, word order, agreement, and tuning; their parts by hand."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from spoken import said
from support import multilingual, tiny

from bertology_utils import runs
from bertology_utils.claims import ledger
from bertology_utils.claims.rules import OUTCOMES, decide
from bertology_utils.data import load
from bertology_utils.data.items import ForcedChoice, Sentence
from bertology_utils.experiments.mbert import agreement, alignment_tuning, orders, plants, transfer, tuning, typology
from bertology_utils.experiments.mbert.languages import NoSuchLanguage, language, pair
from bertology_utils.settings import Settings
from bertology_utils.subject import cloze

SETTINGS = Settings(draws=50)
SPOKEN = ("eng", "deu", "fra", "rus", "hin")
N = {
    "mbt.zero_shot.pires2019": 600,
    "mbt.typology.pires2019": 600,
    "mbt.agreement.bacon2019": 1100,
    "mbt.freeze_bottom.wu2019dredze": 450,
    "mbt.alignment_tuning.cao2019": 450,
}


@cache
def data(id):
    """Generated items of some languages."""
    found = load(runs.get(id).tasks, "builtin", n=N[id], seed=0)
    found.items["multilingual_treebank"] = [s for s in found["multilingual_treebank"] if s.condition in SPOKEN]
    return found


@pytest.mark.parametrize("id", N)
def test_claim_runs_and_its_clauses_decide(id, monkeypatch):
    """On a model in multilingual BERT's shape, cased, of letters: as in the rows about vectors."""
    monkeypatch.setattr(tuning, "SEEDS", 2)
    monkeypatch.setattr(tuning, "SHARES", (1 / 3,))
    for name, value in {"SEEDS": 2, "PAIRS": 48, "SOUGHT": {"dev": 10, "test": 20}}.items():
        monkeypatch.setattr(alignment_tuning, name, value)
    rows = runs.get(id).experiment(multilingual(), data(id), SETTINGS)
    assert (rows["low"] <= rows["value"] + 1e-9).all() and (rows["value"] <= rows["high"] + 1e-9).all()
    assert decide(ledger.row(id).clauses, rows, source="builtin").outcome in OUTCOMES


# transfer


@pytest.mark.parametrize("plain, outcome", [(0.6, "does not hold"), (0.96, "untestable")])
def test_alignment_is_asked_only_where_retrieval_can_gain(plain, outcome):
    (clause,) = (c for c in ledger.row("mbt.alignment_tuning.cao2019").clauses if c.name == "retrieval")
    figures = {"P@1, plain": plain, "P@1, aligned - plain": 0.0}
    rows = [{"measure": m, "value": v, "low": v - 0.01, "high": v + 0.01, "n": 800} for m, v in figures.items()]
    assert decide([clause], rows).clauses[0].outcome == outcome


def test_translations_lie_in_the_same_split_and_are_drawn_alike():
    items = [said(code, f"w{k}", parallel=f"s{k}", split="test") for code in ("de", "fr") for k in range(200)]
    found = transfer.drawn(items, Settings(), {"train": 90, "dev": 30, "test": 60})
    split = {(s.condition, s.meta["parallel"]): s.split for s in found}
    assert {k for c, k in split if c == "de"} == {k for c, k in split if c == "fr"}
    assert all(split["de", k] == split["fr", k] for c, k in split)
    assert {part: list(split.values()).count(part) for part in ("train", "dev", "test")} == {
        "train": 60,
        "dev": 20,
        "test": 40,
    }


def test_guesses_know_spellings_and_places_of_the_language_of_training():
    items = [
        said("en", "dog", split="train"), said("en", "cat", split="train"), said("en", "x", split="dev"),
        said("de", "a", "VERB NOUN PUNCT", words="a b .", split="train"),
        said("de", "b", "VERB NOUN PUNCT", words="dog runs .", split="test"),
        said("en", "c", words="dog runs .", split="test"),
    ]  # fmt: skip
    targets = transfer.tagged(items)
    of = np.array([s.condition == "de" for s in items]).astype(int)[targets.sentence]
    assert targets.labels.tolist().count("PUNCT") == 0
    from_english = transfer.guessed(targets, items, of, taught_in=0)
    assert from_english["spelling"].tolist() == [
        False,
        False,
        True,
        True,
    ]  # German first: both words are spelt alike there
    assert from_english["from the start"].tolist() == [False, False, True, True]
    assert transfer.guessed(targets, items, of, taught_in=1)["from the end"].tolist() == [True, True, False, False]
    assert from_english["majority"].tolist() == [False, True, True, False]  # of the language that is tested


def test_what_is_planted_is_found_in_another_language_and_the_language_alone_is_not():
    base, source = tiny(), data("mbt.zero_shot.pires2019")
    items = transfer.drawn(transfer.sentences(source), Settings())
    share = {}
    for name, make in (("one space", plants.one_space), ("language", plants.language.make)):
        found = transfer.measure(make(source, base, np.random.default_rng(0)), items, Settings(), only=("eng",))
        away = found.language != found.languages.index("eng")
        assert found.taught == ("eng",) and found.right.shape == (1, len(found.language))
        share[name] = found.right[0, away].mean() - max(g[0, away].mean() for g in found.guesses.values())
    assert share["one space"] > 0.2 > 0.05 > share["language"]


def test_a_pair_is_measured_against_its_own_best_guess():
    two = np.array([[True, True, False, False]])
    found = SimpleNamespace(guesses={"majority": two, "spelling": ~two})
    assert transfer.Transfer.best(found, 0, np.array([True, True, False, False])).tolist() == [True, True]
    assert transfer.Transfer.best(found, 0, np.array([False, False, True, True])).tolist() == [True, True]


def test_languages_are_known_by_either_code():
    assert language("deu") == language("de") and pair("ja", "zho")["script"] == "same"
    assert pair("fi", "fin") == {"pair": "same language", "script": "same", "genus": "same"}
    with pytest.raises(NoSuchLanguage, match="tlh"):
        language("tlh")


# word order


def test_word_order_is_read_off_trees():
    """Objects before the verb in one language, behind it in the other; a relation that is rare says nothing."""
    first = Sentence(id="1", condition="hi", words=("a", "b"), heads=(1, -1), deprels=("obj", "root"))
    then = Sentence(id="2", condition="en", words=("b", "a"), heads=(-1, 0), deprels=("root", "obj"))
    shares = orders.orders([first] * 12 + [then] * 12 + [then])
    assert shares.loc["hi", "obj"] == 1 and shares.loc["en", "obj"] == 0 and shares["amod"].isna().all()
    assert orders.similarity(shares).tolist() == [[1, 0], [0, 1]]


def test_mantel_finds_what_is_there_and_holds_what_is_held():
    rng = np.random.default_rng(0)

    def symmetric():
        m = rng.normal(size=(10, 10))
        return m + m.T

    x, z = symmetric(), symmetric()
    assert typology.mantel(x, np.exp(x), [], Settings())[0] == pytest.approx(1)
    by_way_of_z = [z + 0.3 * symmetric(), z + 0.3 * symmetric()]
    plain = typology.mantel(*by_way_of_z, [], Settings())
    held = typology.mantel(*by_way_of_z, [z], Settings())
    assert plain[1] > 0.3 and held[1] < 0.1 and held[0] < plain[0] - 0.4
    assert plain.clusters == 10


def test_transfer_that_is_all_alike_decides_nothing_and_says_so(monkeypatch):
    """No correlation is defined; the rows that decide are there without a figure."""
    id = "mbt.typology.pires2019"
    monkeypatch.setattr(typology, "losses", lambda found: np.zeros((len(found.languages),) * 2))
    rows = runs.get(id).experiment(multilingual(), data(id), SETTINGS)
    decided = decide(ledger.row(id).clauses, rows, source="builtin").tested
    assert {c.outcome for c in decided} <= {"open", "untestable"}
    assert (
        rows.loc[rows.measure.isin([t.measure for t in ledger.row(id).clauses[0].tests]), "value"].isna().tolist()
        == [True] * 2
    )


def test_mantel_p_is_exact_for_few_languages():
    x = np.array([[0, 1, 2, 3], [1, 0, 4, 5], [2, 4, 0, 6], [3, 5, 6, 0.0]])
    p, tried = typology.permuted(x, x, seed=0)
    assert (p, tried) == (1 / 24, 24)  # only the identity does as well
    assert typology.permuted(x, -x, seed=0)[0] > 0.5
    assert typology.permuted(np.random.default_rng(0).random((9, 9)), np.eye(9), 0)[1] == typology.PERMUTED + 1


def test_losses_are_against_being_taught_in_the_language_of_the_test():
    right = np.array([[1, 1, 1, 0], [0, 0, 1, 1]], bool)
    found = SimpleNamespace(languages=("a", "b"), language=np.array([0, 0, 1, 1]), right=right)
    assert typology.losses(found).tolist() == [[0, -0.75], [-0.75, 0]]


# agreement


def choice(k, good, bad, code="en", text="the dog [MASK] ."):
    return ForcedChoice(id=f"{code}{k}", condition=code, text=text, good=good, bad=bad)


def test_whoever_always_prefers_one_form_is_right_in_one_half():
    items = [choice(k, "is", "are") for k in range(50)] + [choice(k + 50, "are", "is") for k in range(8)]
    items += [choice(k + 90, "runs", "run") for k in range(4)]  # never the other way round
    kept = agreement.evened(items, Settings())
    assert len(kept) == 16 and sum(i.good == "is" for i in kept) == 8


def test_forms_of_one_piece_score_as_at_a_single_gap_and_unequal_ones_are_left_out():
    items = [choice(1, "is", "are"), choice(2, "likes", "was"), choice(3, "walks", "is"), choice(4, "walked", "walkly")]
    kept = agreement.comparable(tiny(), items)
    assert [i.id for i in kept] == ["en1", "en2", "en4"]  # "walks" is two pieces, "is" one
    margins = agreement.margins(tiny(), kept, Settings())
    np.testing.assert_allclose(margins[:2], cloze.choose(tiny(), kept[:2]), rtol=1e-4)
    turned = [choice(4, "walkly", "walked")]
    assert agreement.margins(tiny(), turned, Settings())[0] == pytest.approx(-margins[2], rel=1e-4)


# tuning


def test_a_scores_share_is_of_words_and_its_mean_of_languages():
    items = [said("de", "a"), said("de", "b"), said("fr", "c")]
    tagger = SimpleNamespace(
        tag=lambda words, settings: [["NOUN", "VERB", "X"], ["NOUN", "NOUN", "X"], ["X", "X", "X"]]
    )
    scores = tuning.right(tagger, items, Settings())
    assert scores.tolist() == [1.0, 0.5, 0.0] and tuning.by_language(scores, items).tolist() == [0.75, 0.0]
    assert tuning.most_of(items[:1] * 2, items).tolist() == [0.5, 0.5, 0.5]


def test_no_constant_tag_beats_the_majority_whatever_is_commonest_in_training():
    learnt = [
        said("en", "a", "VERB VERB NOUN", words="a b c", split="train"),
        said("de", "b", "VERB", words="d", split="train"),
    ]
    asked = [
        said("en", "c", "NOUN NOUN VERB", words="e f g", split="test"),
        said("de", "d", "NOUN", words="h", split="test"),
    ]
    items = [*learnt, said("en", "e", split="dev"), *asked]
    targets = transfer.tagged(items)
    of = np.array([s.condition == "en" for s in items]).astype(int)[targets.sentence]
    found = transfer.guessed(targets, items, of, taught_in=1)
    assert found["majority"].tolist() == [True, True, False, True]
    assert tuning.most_of(learnt, asked).round(2).tolist() == [0.67, 1.0]
