"""Readers of treebanks: stand-ins, then what the treebanks themselves say."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from conllu_rows import SLEEPS, block, word
from standin import items_of, read
from support import mirror

from bertology_utils.data import original, sha256
from bertology_utils.data.original import conllu
from bertology_utils.data.original.fetch import HashMismatch
from bertology_utils.data.original.readers import treebanks
from bertology_utils.data.original.reading import ReaderError

# --- CoNLL-U ----------------------------------------------------------------------------------------------------------


def parsed(tmp_path: Path, text: str, **options) -> list[conllu.Block]:
    path = tmp_path / "x.conllu"
    path.write_text(text, encoding="utf-8")
    return list(conllu.blocks(path, **options))


def test_sentences_of_conllu(tmp_path):
    text = block(*SLEEPS, document="d1") + block(
        "1-2\tdon't" + "\t_" * 8 + "\n",
        word(1, "do", "AUX", 0, "root"),
        word(2, "n't", "PART", 1, "advmod"),
        "2.1" + "\t_" * 9 + "\n",
        id="s2",
    )
    first, second = parsed(tmp_path, text)
    assert (first.id, first.line, first.comments["document"], second.comments["document"]) == ("s1", 4, "d1", "d1")
    sentence = conllu.sentence(first, split="dev", condition="c")
    assert (sentence.words, sentence.heads, sentence.deprels) == (("Dogs", "sleep"), (1, -1), ("nsubj", "root"))
    assert (sentence.upos, sentence.xpos, sentence.lemmas) == (("NOUN", "VERB"), ("XNOUN", "XVERB"), ("dogs", "sleep"))
    assert sentence.feats == ("A=B", "A=B") and sentence.split == "dev"
    assert conllu.sentence(second).words == ("do", "n't")


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (block(SLEEPS[0], SLEEPS[0]), r"4: word '1' where 2 should be"),
        (block(SLEEPS[0], SLEEPS[1].replace("\t_\t_\n", "\t_\n")), r"4: 9 columns instead of 10"),
        (block(SLEEPS[0], "# odd\n", SLEEPS[1]), r"4: a comment inside a sentence"),
        (block(SLEEPS[0], word("two", "x", "X", 1, "x")), r"4: word 'two' where 2"),
        (block(*SLEEPS).rstrip("\n"), r"4: the file ends inside a sentence"),
    ],
)
def test_malformed_conllu_names_its_line(tmp_path, text, where):
    with pytest.raises(ReaderError, match=rf"x\.conllu:{where}"):
        parsed(tmp_path, text)


def test_a_sentence_that_is_no_tree_names_its_line(tmp_path):
    text = block(word(1, "a", "X", 0, "root"), word(2, "b", "X", 0, "root"))
    with pytest.raises(ReaderError, match=r"x\.conllu:3: ItemError: heads are not a tree"):
        conllu.sentence(parsed(tmp_path, text)[0])
    with pytest.raises(ReaderError, match="a sentence without sent_id"):
        conllu.sentence(parsed(tmp_path, "# text = x\n" + "".join(SLEEPS) + "\n")[0])


# --- EWT, PUD, GUM ----------------------------------------------------------------------------------------------------


@pytest.mark.mirror
def test_ewt_has_its_published_number_of_sentences():
    items, _ = items_of("ud_english_ewt", "treebank")
    assert Counter(i.split for i in items) == {"train": 12544, "dev": 2001, "test": 2077}
    documents = {split: {i.meta["document"] for i in items if i.split == split} for split in ("train", "dev", "test")}
    assert [len(documents[s]) for s in ("train", "dev", "test")] == [540, 318, 316]
    assert not documents["train"] & (documents["dev"] | documents["test"]) and not documents["dev"] & documents["test"]
    assert Counter(i.condition for i in items)["weblog"] == 2030 and len({i.condition for i in items}) == 5


@pytest.fixture
def published(tmp_path) -> Path:
    """A mirror with the published training file, its documents in some other order, and without their sources."""
    folder = tmp_path / "mirror" / "ud_english_ewt"
    folder.mkdir(parents=True)
    for part in ("dev", "test"):
        (folder / f"en_ewt-ud-{part}.conllu").symlink_to(mirror() / f"ud_english_ewt/en_ewt-ud-{part}.conllu")
    names = original.Files("ud_english_ewt").names(f"{treebanks.SOURCES}*")
    texts = [(mirror() / "ud_english_ewt" / name).read_text(encoding="utf-8") for name in names]
    random.Random(0).shuffle(texts)
    (folder / "en_ewt-ud-train.conllu").write_text("".join(texts), encoding="utf-8")
    return tmp_path / "mirror"


@pytest.mark.mirror
def test_the_published_training_file_gives_the_same_sentences(published, tmp_path):
    items, _ = original.read("ud_english_ewt", "treebank", mirror=published, cache=tmp_path / "cache")
    assert sha256(items) == sha256(items_of("ud_english_ewt", "treebank")[0])
    file = published / "ud_english_ewt/en_ewt-ud-train.conllu"
    assert file.stat().st_size == treebanks.EWT_TRAIN.bytes
    file.write_text(file.read_text(encoding="utf-8").replace("Mosul", "Basra"), encoding="utf-8")
    with pytest.raises(HashMismatch, match=r"en_ewt-ud-train\.conllu is not the registered file"):
        original.read("ud_english_ewt", "treebank", mirror=published, cache=tmp_path / "cache")


@pytest.mark.mirror
def test_pud_and_gum_have_their_sizes():
    assert len(items_of("ud_english_pud", "treebank")[0]) == 1000
    items, notes = items_of("ud_english_gum", "treebank")
    documents = {split: {i.meta["document"] for i in items if i.split == split} for split in ("train", "dev", "test")}
    assert [len(documents[s]) for s in ("train", "dev", "test")] == [24, 6, 30]
    assert sum(map(len, documents.values())) == len(set().union(*documents.values()))
    assert "four of five documents" in notes[0] and len({i.condition for i in items}) == 15


# --- GUM's entities ---------------------------------------------------------------------------------------------------

GUM_ROWS = (
    word(1, "Anna", "PROPN", 4, "nsubj", "Entity=(1-person-new-coref)"),
    word(2, "and", "CCONJ", 3, "cc", "SpaceAfter=No"),
    word(3, "dogs", "NOUN", 1, "conj"),
    word(4, "saw", "VERB", 0, "root"),
    word(5, "the", "DET", 6, "det", "Entity=(2-object-new(3-abstract-new-x"),
    word(6, "cover", "NOUN", 4, "obj", "Entity=3)"),
    word(7, "of", "ADP", 8, "case"),
    word(8, "it", "PRON", 6, "nmod", "Entity=(1-person-giv)2)"),
)
DEV, TEST = "en_gum-ud-dev.conllu", "en_gum-ud-test.conllu"


def gum(*rows: str) -> dict[str, str]:
    return {DEV: block(*SLEEPS, document="GUM_news_a"), TEST: block(*rows, document="GUM_court_b")}


def test_gum_brackets_become_spans(tmp_path):
    _, sentence = read("ud_english_gum", "mentions", tmp_path, gum(*GUM_ROWS))[0]
    assert [(s.start, s.end, s.label) for s in sentence.of("entity")] == [
        (0, 1, "person"), (4, 8, "object"), (4, 6, "abstract"), (7, 8, "person")]  # fmt: skip
    assert [s.head for s in sentence.of("mention")] == [1, 2, 3, 1]
    assert sentence.condition == "court" and sentence.meta["document"] == "GUM_court_b"
    edges, _ = read("ud_english_gum", "entities", tmp_path, gum(*GUM_ROWS))
    assert [(e.span1, e.labels, e.condition) for e in edges] == [
        ((0, 1), ("person",), "named"), ((4, 8), ("object",), "nominal"), ((4, 6), ("abstract",), "nominal"),
        ((7, 8), ("person",), "pronominal")]  # fmt: skip


@pytest.mark.parametrize("misc", ["Entity=(1-person-new", "Entity=2)", "Entity=(1)"])
def test_brackets_that_do_not_fit_are_an_error(tmp_path, misc):
    rows = (word(1, "Dogs", "NOUN", 2, "nsubj", misc), SLEEPS[1])
    with pytest.raises(ReaderError, match=r"en_gum-ud-test\.conllu:4: "):
        read("ud_english_gum", "mentions", tmp_path, gum(*rows))
