"""The bundled `toy`: small, and with the grammar of the generated language, on sentences its training text does not hold."""

from __future__ import annotations

import pandas as pd
import pytest
from pretrain_corpus import configuration
from support import tiny

import bertology_world as builtin
from bertology_pretrain import ConfigError, CorpusError, competence, generated, load_config, main, train
from bertology_utils.data.items import Ambiguity, Cloze, Labelled
from bertology_utils.settings import Settings
from bertology_utils.subject import cloze
from bertology_utils.subject.models import bundled, load

SETTINGS = Settings(device="cpu", draws=200)


@pytest.fixture(scope="module")
def frames():
    """Figures of `toy` and of its untrained twin, by task and condition."""
    toy = load("toy", SETTINGS)
    tasks = ("agreement", "npi_cloze")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(competence, "TASKS", tasks)
        return [competence.rows(s, 1200, settings=SETTINGS) for s in (toy, toy.twin())]


def share(frame, pattern: str) -> float:
    """The accuracy over all items of the conditions that match."""
    part = frame[frame.condition.str.contains(pattern)]
    return float((part.value * part.n).sum() / part.n.sum())


def test_it_is_small_and_loads_as_any_bundled_model():
    folder = bundled()["toy"]
    assert (folder / "model.safetensors").stat().st_size <= 4e6
    assert sum(p.stat().st_size for p in folder.iterdir()) <= 5e6
    toy = load("toy", SETTINGS)
    assert (toy.n_layers, toy.hidden_size, toy.source) == (4, 128, "bundled") and toy.has_mlm and toy.has_nsp


@pytest.mark.parametrize("attractors", [0, 1])
def test_it_agrees_across_attractors_and_its_twin_does_not(frames, attractors):
    toy, twin = frames
    assert share(toy, rf"^(?!nonce).*, {attractors} attractor") >= 0.95
    assert 0.4 < share(twin, rf", {attractors} attractor") < 0.6


def test_its_card_has_the_figures_that_are_measured(frames):
    folder = bundled()["toy"]
    kept = pd.read_csv(folder / "competence.csv", keep_default_na=False)
    card = (folder / "README.md").read_text("utf-8")
    assert all(f"{row.value:.3f}" in card for row in kept.itertuples()) and set(kept.task) == set(competence.TASKS)
    for name, part in frames[0].groupby("task"):  # measured here on fewer items than the card's
        told = kept[kept.task == name]
        assert set(part.condition) == set(told.condition)
        overall = [(f.value * f.n).sum() / f.n.sum() for f in (part, told)]
        assert abs(overall[0] - overall[1]) < 0.03


def test_the_training_text_holds_none_of_the_items(monkeypatch):
    monkeypatch.setattr(generated, "SEEDS", range(1))
    monkeypatch.setattr(generated, "ITEMS", 1200)
    said = generated.sentences(4_000)
    text = {s.lower() for _, s in said}
    for task in (*generated.OPEN, "npi_cloze"):
        assert not text & {s.lower() for i in builtin.build(task, 1200, 0) for s in generated.spoken(i)}, task
    for task in generated.TABLES:
        held = {s.lower() for i in builtin.build(task, 300, 0) for s in generated.spoken(i) if generated.unseen(s)}
        assert held and not text & held, task
    counted = {t: sum(found.split()[0] == t for found, _ in said) for t in (*generated.OPEN, *generated.TABLES)}
    assert counted == {t: 4_000 * n // 100 for t, n in (generated.OPEN | generated.TABLES).items()}
    assert sum(counted.values()) == 4_000


def test_the_text_is_the_same_for_a_seed_and_goes_by_topics(monkeypatch, tmp_path):
    monkeypatch.setattr(generated, "SEEDS", range(1))
    monkeypatch.setattr(generated, "ITEMS", 600)
    one, two, other = (generated.write(tmp_path / f"{k}.txt", 2_000, seed) for k, seed in enumerate((0, 0, 1)))
    assert one.read_bytes() == two.read_bytes() != other.read_bytes()
    documents = one.read_text("utf-8").strip().split("\n\n")
    assert len(documents) > 200 and not any(len(d) != len(set(d)) for d in (x.split(". ") for x in documents))


def test_text_of_few_words_has_no_others_and_none_of_the_items(monkeypatch, tmp_path):
    for name, value in (("SEEDS", range(1)), ("ITEMS", 600), ("_LEXICON", 2_000), ("_AT_ONCE", 6_000)):
        monkeypatch.setattr(generated, name, value)
    said = generated.of_few_words(400, 150)
    lines = [s for _, s in said]
    assert len(set(lines)) == len(lines) == 400 and {t for t, _ in said} <= set(generated.OPEN)
    assert 75 < len({w for s in lines for w in generated._words(s)}) <= 150
    assert not {s.lower() for s in lines} & generated.reserved.__wrapped__()
    text = generated.write(tmp_path / "few.txt", 400, words=150).read_text("utf-8")
    assert all(s in text for s in lines) and len(text.split()) == sum(len(s.split()) for s in lines)


def test_only_what_is_right_is_said():
    wrong = Labelled(id="x", text="The dog sleep.", label="0")
    bias = Ambiguity(id="x", words=("Must", "the", "dog", "?"), label=0, linear=1)
    assert not [*generated.spoken(wrong), *generated.spoken(bias)]
    for task in ("agreement", "npi_pairs", "facts", "sentences"):
        said = [s for i in builtin.build(task, 20, 3) for s in generated.spoken(i)]
        assert len(said) >= 20 and not any("[MASK]" in s for s in said)


def test_nonce_sentences_are_not_in_the_text():
    nonce = [i for i in builtin.build("agreement", 40, generated._FIRST) if i.meta["nonce"]]
    kept = generated.sentences(200)
    assert nonce and not {s for i in nonce for s in generated.spoken(i)} & {s for _, s in kept}


def test_a_configuration_without_text_or_grammar_is_refused(tmp_path):
    assert load_config("toy").generated
    with pytest.raises(ConfigError, match="'tiny' needs a corpus"):
        main("tiny", None, tmp_path / "x", device="cpu")


def test_the_generated_text_is_what_a_run_without_a_corpus_is_trained_on(tmp_path, monkeypatch):
    monkeypatch.setattr(generated, "SEEDS", range(1))
    monkeypatch.setattr(generated, "ITEMS", 600)
    config = configuration(generated=1_000, tokens=2_000)
    model = train.run(config, None, tmp_path / "run", device="cpu", cache=tmp_path / "cache")
    assert "generated.txt" in (model / "training.json").read_text("utf-8")
    with pytest.raises(CorpusError, match="yields"):
        train.run(
            configuration(generated=100, vocab=9_000), None, tmp_path / "y", device="cpu", cache=tmp_path / "cache"
        )


def test_ranks_and_top_k_agree():
    text = "The dog [MASK] ."
    for rank, word in enumerate(cloze.top_k(tiny(), [text], 5)[0]):
        if cloze.filler_id(tiny(), word) is not None:
            assert competence.ranks(tiny(), [Cloze(id="x", text=text, answers=("unable", word))], SETTINGS) == [rank]
