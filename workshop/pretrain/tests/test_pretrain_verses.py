"""What a run on verse-aligned text is asked: which verses, what shared pieces find, parts of speech in another language."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from transformers import PreTrainedTokenizerFast

from bertology_pretrain import corpus, generated_languages, load_config
from bertology_pretrain.family import languages as measuring
from bertology_pretrain.family import verses
from bertology_pretrain.family.reader import Reader
from bertology_pretrain.step import build
from bertology_pretrain.text import CorpusError, is_held_out
from bertology_utils.family.config import FIRST_PIECE, Phase
from bertology_world import multilingual
from bertology_world.multilingual_grammar import analyse

VOCAB, LINES, CHAPTER = 400, 240, 6
BLANK, LONG = 7, 25  # verses that one language lacks, or that no row takes whole
BASE = load_config(
    "tiny", pair="none", vocab=VOCAB, alphabet=60, layouts=(("*", "verse"),), held_out=0.5, eval_length=24,
    phases=(Phase(length=24, share=1.0),), short_share=0.0, batch_tokens=256, tokens=2_000, exports=0,
    languages="eng deu", final_predictions=50, eval_predictions=50,
)  # fmt: skip
TWICE = replace(BASE, languages="eng eng", own_pieces=1.0)


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    folder = tmp_path_factory.mktemp("verses")
    ids = [f"GEN.{k // CHAPTER}.{k % CHAPTER}" for k in range(LINES)]
    (folder / "verse_ids.txt").write_text("\n".join(ids) + "\n", "utf-8")
    for code in ("eng", "deu"):
        said = list(generated_languages.lines(f"{code}-p", LINES, set()))
        said[LONG] = " ".join(said[:8])
        said[BLANK] = "" if code == "deu" else said[BLANK]
        (folder / f"bible_{code}.txt").write_text("\n".join(said) + "\n", "utf-8")
    return [folder / f"bible_{code}.txt" for code in ("deu", "eng")]


@pytest.fixture
def read(text, tmp_path_factory, monkeypatch):
    monkeypatch.setattr(verses, "PAIRS", 60)
    for module in (measuring, verses):
        monkeypatch.setattr(module, "DEV", 20)
    return lambda config: corpus.load(text, config, text[0].parent / "cache")


def model_of(config):
    torch.manual_seed(0)
    return build(config).eval()


def alike(model):
    """Each piece has the same embedding in both languages."""
    table = model.bert.embeddings.word_embeddings.weight
    with torch.no_grad():
        table[VOCAB:] = table[FIRST_PIECE:VOCAB]
    return model


def test_held_out_verses_that_all_languages_have_whole_are_asked_of_every_run(read, text, monkeypatch):
    monkeypatch.setattr(verses, "PAIRS", 80)
    asked = verses.heldout_verses(text, read(BASE), BASE)
    places = [int(v.id) for v in asked]
    assert all(is_held_out(f"GEN.{k // CHAPTER}", BASE.held_out) for k in places) and len(set(places)) == 80
    assert not {BLANK, LONG} & set(places)
    lines = [path.read_text("utf-8").split("\n") for path in text]
    assert all("".join(v.sentences["deu"].words) == lines[0][int(v.id)].replace(" ", "") for v in asked)
    assert [v.id for v in verses.heldout_verses(text, read(TWICE), TWICE)] == [v.id for v in asked]
    monkeypatch.setattr(verses, "PAIRS", LINES)
    with pytest.raises(CorpusError, match="where 240 are asked"):
        verses.heldout_verses(text, read(BASE), BASE)


def test_the_verses_left_out_would_be_held_out():
    """Else the test above says nothing of them."""
    assert all(is_held_out(f"GEN.{k // CHAPTER}", BASE.held_out) for k in (BLANK, LONG))


def test_shared_pieces_find_everything_in_the_same_pieces_and_nothing_in_others(read, text):
    said = [v.sentences["eng"] for v in verses.heldout_verses(text, read(TWICE), TWICE)]
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=read(TWICE).tokenizer)
    same, own = (Reader(None, tokenizer, c) for c in (replace(TWICE, own_pieces=0.0), TWICE))
    different = list({s.words: s for s in said}.values())
    assert verses.by_pieces(same, [different, different]) == 1
    assert verses.by_pieces(own, [different, different]) == pytest.approx(1 / len(different))


@pytest.fixture
def treebank(monkeypatch):
    said = multilingual.propositions("multilingual_treebank", 70, 0)
    parts = {"train": said[:40], "dev": said[40:50], "test": said[50:]}
    found = {c: {p: [analyse(c, x, id="") for x in s] for p, s in parts.items()} for c in ("eng", "deu")}
    monkeypatch.setattr(verses, "treebank", lambda: found)
    monkeypatch.setattr(verses, "SIZES", {part: len(s) for part, s in parts.items()})
    return found


def test_a_model_with_the_same_vectors_for_both_finds_verses_and_tags_both(read, text, treebank, tmp_path):
    found = read(TWICE)
    model_of(TWICE).save_pretrained(tmp_path / "apart"), alike(model_of(TWICE)).save_pretrained(tmp_path / "alike")
    apart, same = (verses.measure(tmp_path / name, found, TWICE, text) for name in ("apart", "alike"))
    assert same["retrieval"]["to"].count("1") == len(same["retrieval"]["to"]) == 40 == 1 / same["retrieval"]["chance"]
    assert apart["retrieval"]["to"].count("1") < 10 and same["retrieval"]["pieces"] == pytest.approx(1 / 40)
    assert same["probes"]["transfer"] == same["probes"]["own"]
    assert sum(apart["probes"]["transfer"]["right"]) < sum(same["probes"]["transfer"]["right"])
    assert same["words"].count("0") == 0 < len(same["words"])
    assert set(same["heldout"]) == {"eng", "eng again"}


def test_words_of_two_languages_are_not_asked_and_nor_are_parts_of_speech_that_nobody_gave(
    read, text, treebank, tmp_path
):
    model_of(BASE).save_pretrained(tmp_path)
    told = verses.measure(tmp_path, read(BASE), BASE, text)
    assert told["words"] == "" and set(told["heldout"]) == {"eng", "deu"} and told["probes"]["transfer"]["n"]
    assert told["retrieval"]["pieces"] > 2 / 40, "names are spelt alike"
    del treebank["deu"]
    assert verses.measure(tmp_path, read(BASE), BASE, text)["probes"] == {}


def test_held_out_losses_are_of_so_many_verses(read, monkeypatch):
    reader = Reader(model_of(BASE), PreTrainedTokenizerFast(tokenizer_object=read(BASE).tokenizer), BASE)
    few, all_ = (verses.losses(reader, read(BASE), most) for most in (30, None))
    counted = [sum(told["eng"]["n"]) for told in (few, all_)]
    held = int(read(BASE).held.sum() / 2 * CHAPTER)
    assert counted[0] < 0.6 * counted[1] * 60 / held and np.isfinite(few["deu"]["loss"]).all()
