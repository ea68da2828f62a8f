"""Readers of treebanks, chunks, roles and proto-roles: stand-ins, then what the treebanks themselves say."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections import Counter
from functools import lru_cache
from pathlib import Path

import pytest
from standin import read
from support import mirror

from bertology_utils.data import original, sha256
from bertology_utils.data.original import conllu
from bertology_utils.data.original.fetch import HashMismatch
from bertology_utils.data.original.readers import treebanks
from bertology_utils.data.original.readers.archives import member, members
from bertology_utils.data.original.reading import ReaderError


@lru_cache(maxsize=4)
def items_of(dataset: str, task: str):
    return original.read(dataset, task, mirror=mirror())


def word(number: int | str, form: str, upos: str, head: int | str, deprel: str, misc: str = "_", more: str = "") -> str:
    return f"{number}\t{form}\t{form.lower()}\t{upos}\tX{upos}\tA=B\t{head}\t{deprel}\t_\t{misc}{more}\n"


def block(*rows: str, id: str = "s1", document: str = "") -> str:
    return (f"# newdoc id = {document}\n" if document else "") + f"# sent_id = {id}\n# text = x\n" + "".join(rows) + "\n"


SLEEPS = (word(1, "Dogs", "NOUN", 2, "nsubj"), word(2, "sleep", "VERB", 0, "root"))


def parsed(tmp_path: Path, text: str, **options) -> list[conllu.Block]:
    path = tmp_path / "x.conllu"
    path.write_text(text, encoding="utf-8")
    return list(conllu.blocks(path, **options))


def test_sentences_of_conllu(tmp_path):
    text = block(*SLEEPS, document="d1") + block("1-2\tdon't" + "\t_" * 8 + "\n", word(1, "do", "AUX", 0, "root"),
                                                word(2, "n't", "PART", 1, "advmod"), "2.1" + "\t_" * 9 + "\n", id="s2")
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


# --- EWT --------------------------------------------------------------------------------------------------------------


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


# --- roles and proto-roles --------------------------------------------------------------------------------------------

UP_DEV, UP_TEST = (f"UP_English-EWT/en_ewt-up-{part}.conllu" for part in ("dev", "test"))
ROLES = block(
    word(1, "Dogs", "NOUN", 2, "nsubj", more="\t_\tARG0\t_"), word(2, "want", "VERB", 0, "root", more="\twant.01\tV\t_"),
    word(3, "to", "PART", 4, "mark", more="\t_\t_\t_"), word(4, "sleep", "VERB", 2, "xcomp", more="\tsleep.02\tARG1\tV"),
    document="d",
)  # fmt: skip
NO_ROLES = block(word(1, "***", "PUNCT", 0, "root", more="\t_\t"), id="s2")


def test_roles_are_edges_from_predicates_to_heads(tmp_path):
    items, notes = read("up_english_ewt", "semantic_roles", tmp_path, {UP_DEV: ROLES, UP_TEST: ROLES + NO_ROLES})
    assert [(i.split, i.span1, i.span2, i.labels, i.meta["frame"]) for i in items] == [
        (split, (1, 2), span, (label,), "want.01")
        for split in ("train", "test") for span, label in (((0, 1), "ARG0"), ((3, 4), "ARG1"))]  # fmt: skip
    assert "four of five documents" in notes[0]
    odd = ROLES.replace("sleep.02", "_")
    with pytest.raises(ReaderError, match=r"up-test\.conllu:4: .*1 predicates and 2 columns"):
        read("up_english_ewt", "semantic_roles", tmp_path, {UP_DEV: ROLES, UP_TEST: odd})


def zipped(**contents: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in contents.items():
            archive.writestr(name, text)
    return buffer.getvalue()


PROTO = "decomp/data/1.0/normalized/sentence/annotations/protoroles.zip"


def proto(sentence: str, predicate: int, argument: int) -> dict[str, str | bytes]:
    edge = f"{sentence}-semantics-pred-{predicate}%%{sentence}-semantics-arg-{argument}"
    values = {"awareness": {"value": 1.2, "confidence": 1}, "volition": {"value": -0.3, "confidence": 1}}
    annotations = json.dumps({"metadata": {}, "data": {sentence: {edge: {"protoroles": values}}}})
    source = "not-to-release/sources/email/enronsent01_01.xml.conllu"
    return {
        "decomp/data/ud_ids.json": json.dumps({"ewt-dev-1": {"sentence_id": "s1"}, "ewt-dev-2": {"sentence_id": "gone"}}),
        PROTO: zipped(**{"protoroles.json": annotations}),
        f"ud_english_ewt::{source}": block(word(1, "x", "X", 0, "root"), id="other", document="email-enronsent01_01"),
        "ud_english_ewt::en_ewt-ud-dev.conllu": block(*SLEEPS, document="d"),
        "ud_english_ewt::en_ewt-ud-test.conllu": block(word(1, "y", "X", 0, "root"), id="third", document="e"),
    }


@pytest.fixture
def local(monkeypatch):
    """Stand-in files are all there is, and they are here."""
    monkeypatch.setattr("bertology_utils.data.original.reading.Files.here", lambda self, path: True)


def test_proto_roles_point_into_the_treebank(tmp_path, local):
    (item,), notes = read("uds_decomp", "proto_roles", tmp_path, proto("ewt-dev-1", 2, 1))
    assert (item.words, item.span1, item.span2, item.labels) == (("Dogs", "sleep"), (1, 2), (0, 1), ("awareness",))
    assert item.split == "dev" and item.condition == "argument" and item.meta["asked"] == ("awareness", "volition")
    assert notes == ()


@pytest.mark.parametrize(("sentence", "predicate", "argument"), [("ewt-dev-1", 1, 2), ("ewt-dev-1", 9, 1), ("ewt-dev-2", 2, 1)])
def test_proto_roles_of_changed_sentences_are_left_out(tmp_path, local, sentence, predicate, argument):
    items, notes = read("uds_decomp", "proto_roles", tmp_path, proto(sentence, predicate, argument))
    assert items == [] and notes[0].startswith("1 left out: proto-role edges of sentences")


@pytest.mark.mirror
def test_nearly_all_proto_roles_still_fit():
    items, notes = items_of("uds_decomp", "proto_roles")
    left_out = int(notes[0].split()[0])
    assert len(items) + left_out == 7090 and left_out < 0.06 * 7090
    properties = Counter(label for i in items for label in i.labels)
    arguments = sum(i.condition == "argument" for i in items)
    assert properties["existed_during"] > 0.7 * arguments  # most of what takes part in an event exists then


# --- NLTK's corpora ---------------------------------------------------------------------------------------------------

CHUNKS, TREES, DEPENDENCIES = (f"packages/corpora/{n}.zip" for n in ("conll2000", "treebank", "dependency_treebank"))


def test_chunks_are_split_at_empty_lines(tmp_path):
    train = "\n\n".join(f"w{i} NN B-NP\nruns VB O" for i in range(10)) + "\n\n"
    contents = {CHUNKS: zipped(**{"conll2000/train.txt": train, "conll2000/test.txt": "x NN B-NP\n\n"})}
    items, _ = read("nltk_corpora", "chunks", tmp_path, contents)
    assert [i.split for i in items] == ["train"] * 9 + ["dev", "test"]
    assert (items[0].words, items[0].xpos, items[0].chunks) == (("w0", "runs"), ("NN", "VB"), ("B-NP", "O"))
    for bad in ("x NN\n", "x NN NP\n", "x NN B-NP more\n"):
        archive = zipped(**{"conll2000/train.txt": train, "conll2000/test.txt": f"x NN B-NP\n\n{bad}"})
        with pytest.raises(ReaderError, match=r"conll2000\.zip:test\.txt, sentence 2"):
            read("nltk_corpora", "chunks", tmp_path, {CHUNKS: archive})


TREE = "( (S (NP-SBJ-1 (DT The) (NN cat)) (VP (VBZ is) (VP (VBN seen) (NP (-NONE- *-1)))) (. .)) )\n"


def test_trees_lose_traces_and_function_tags(tmp_path):
    (item, last), notes = read("nltk_corpora", "constituency", tmp_path, {TREES: zipped(
        **{"treebank/combined/wsj_0001.mrg": TREE, "treebank/combined/wsj_0199.mrg": TREE})})
    assert item.words == ("The", "cat", "is", "seen", ".") and item.xpos == ("DT", "NN", "VBZ", "VBN", ".")
    assert [(s.start, s.end, s.label) for s in item.brackets] == [
        (0, 5, "S"), (0, 2, "NP"), (2, 4, "VP"), (3, 4, "VP")]  # fmt: skip
    assert (item.split, last.split) == ("train", "test") and "files 1-159 are train" in notes[0]
    with pytest.raises(ReaderError, match="brackets do not close"):
        read("nltk_corpora", "constituency", tmp_path, {TREES: zipped(**{"treebank/combined/wsj_0001.mrg": TREE[:40]})})


def test_dependencies_count_from_nought(tmp_path):
    text = "Dogs\tNNS\t2\nsleep\tVBP\t0\n\nno\tX\t0\nroot\tX\t0\n"
    contents = {DEPENDENCIES: zipped(**{"dependency_treebank/wsj_0170.dp": text})}
    (item,), notes = read("nltk_corpora", "treebank", tmp_path, contents)
    assert (item.words, item.heads, item.split) == (("Dogs", "sleep"), (1, -1), "dev")
    assert notes[1] == "1 left out: sentences of the dependency sample with no root, or with two"


def test_archives_are_read_in_memory_and_within_bounds(tmp_path, monkeypatch):
    path = tmp_path / "x.zip"
    path.write_bytes(zipped(**{"a/1.txt": "one", "a/2.txt": "two", "b": "three"}))
    assert [(match[1], text) for match, text in members(path, r"a/(\d)\.txt")] == [("1", "one"), ("2", "two")]
    with pytest.raises(ReaderError, match=r"x\.zip:zip: no member like c"):
        list(members(path, "c"))
    with pytest.raises(ReaderError, match=r"x\.zip:c: "):
        member(path, "c")
    monkeypatch.setattr("bertology_utils.data.original.readers.archives.LARGEST", 2)
    with pytest.raises(ReaderError, match="unpacks to more than 2 bytes"):
        member(path, "b")
    assert [p.name for p in tmp_path.iterdir()] == ["x.zip"]


@pytest.mark.mirror
def test_nltk_corpora_have_their_sizes():
    chunks, _ = items_of("nltk_corpora", "chunks")
    assert Counter(i.split for i in chunks) == {"train": 8043, "dev": 893, "test": 2012}  # 8,936 + 2,012 sentences
    trees, _ = items_of("nltk_corpora", "constituency")
    heads, notes = items_of("nltk_corpora", "treebank")
    assert len(trees) == len(heads) == 3914 and len(notes) == 1
    assert all(t.brackets and t.words[-1:] for t in trees)
    words = Counter(w for t in trees for w in t.words)
    assert sum(words.values()) == sum(len(h.words) for h in heads)  # both without empty elements
