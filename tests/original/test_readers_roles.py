"""Readers of roles and proto-roles, which point into a treebank: stand-ins, then their sizes."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from conllu_rows import SLEEPS, block, word
from standin import items_of, read, zipped

from bertology_utils.data.original.reading import ReaderError

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


PROTO = "decomp/data/1.0/normalized/sentence/annotations/protoroles.zip"


def proto(sentence: str, predicate: int, argument: int) -> dict[str, str | bytes]:
    edge = f"{sentence}-semantics-pred-{predicate}%%{sentence}-semantics-arg-{argument}"
    values = {"awareness": {"value": 1.2, "confidence": 1}, "volition": {"value": -0.3, "confidence": 1}}
    annotations = json.dumps({"metadata": {}, "data": {sentence: {edge: {"protoroles": values}}}})
    source = "not-to-release/sources/email/enronsent01_01.xml.conllu"
    return {
        "decomp/data/ud_ids.json": json.dumps(
            {"ewt-dev-1": {"sentence_id": "s1"}, "ewt-dev-2": {"sentence_id": "gone"}}
        ),
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


@pytest.mark.parametrize(
    ("sentence", "predicate", "argument"), [("ewt-dev-1", 1, 2), ("ewt-dev-1", 9, 1), ("ewt-dev-2", 2, 1)]
)
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
