"""Readers of NLTK's corpora, from their archives: chunks, constituents, dependencies."""

from __future__ import annotations

from collections import Counter

import pytest
from standin import items_of, read, zipped

from bertology_utils.data.original.readers.archives import member, members
from bertology_utils.data.original.reading import ReaderError

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
    (item, last), notes = read(
        "nltk_corpora",
        "constituency",
        tmp_path,
        {TREES: zipped(**{"treebank/combined/wsj_0001.mrg": TREE, "treebank/combined/wsj_0199.mrg": TREE})},
    )
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
