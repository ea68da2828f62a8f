"""Predicates and their arguments over the English Web Treebank: PropBank roles, and proto-role properties."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from bertology_utils.data.items import EdgeItem, Sentence, Span
from bertology_utils.data.original.conllu import FORM, UPOS, Block, blocks, parted
from bertology_utils.data.original.conllu import sentence as analysed
from bertology_utils.data.original.readers.archives import member
from bertology_utils.data.original.readers.treebanks import EWT, ewt_blocks
from bertology_utils.data.original.reading import Files, at, reader

UDS_ROOT = "decomp/data"
NOTHING = ("_", "")
FUNCTION = ("PUNCT", "ADP", "AUX", "CCONJ", "SCONJ", "PART")
_EDGE = re.compile(r"(.+)-semantics-pred-(\d+)%%\1-semantics-arg-(\d+)")


def _up_blocks(files: Files) -> Iterator[tuple[str, Block]]:
    """(split, block) of the published dev and test parts; the training part is not registered."""
    files.note("UP: without its training part; four of five documents of the published dev part are train here")
    yield from _split_blocks(files)


def _split_blocks(files: Files) -> Iterator[tuple[str, Block]]:
    return parted(*(blocks(files[f"UP_English-EWT/en_ewt-up-{part}.conllu"], more=True) for part in ("dev", "test")))


@reader("up_english_ewt", "semantic_roles")
def semantic_roles(files: Files) -> Iterator[EdgeItem]:
    """A predicate (`span1`), the head word of an argument (`span2`) and its role (akbik2015); not the predicate's own."""
    for split, block in _up_blocks(files):
        yield from _roles(block, split)


@reader("up_english_ewt", "treebank")
def up_treebank(files: Files) -> Iterator[Sentence]:
    """Sentences with their dependency tree and roles (akbik2015): a `role` span is an argument's head word, its `head`
    the predicate. So syntax and roles can be asked of the same sentences.
    """
    for split, block in _up_blocks(files):
        edges = _roles(block, split)
        spans = tuple(
            Span(start=e.span2[0], end=e.span2[1], label=e.labels[0], kind="role", head=e.span1[0])
            for e in edges
            if e.span2
        )
        document = block.comments["document"]
        yield analysed(
            block, split=split, condition=document.partition("-")[0], spans=spans, meta={"document": document}
        )


def _roles(block: Block, split: str) -> Iterator[EdgeItem]:
    """The edges of a sentence; after the ten columns comes the frame, then one column of roles for each predicate."""
    words = tuple(row[FORM] for row in block.rows)
    with at(block.path, block.line):
        predicates = [i for i, row in enumerate(block.rows) if len(row) > 10 and row[10] not in NOTHING]
        if not predicates:
            return
        if len(block.rows[0]) != 11 + len(predicates):
            raise ValueError(f"{len(predicates)} predicates and {len(block.rows[0]) - 11} columns of roles")
        for column, predicate in enumerate(predicates, 11):
            for place, row in enumerate(block.rows):
                if row[column] not in (*NOTHING, "V", "C-V"):
                    yield EdgeItem(
                        id=f"{block.id}-{predicate}-{place}",
                        split=split,
                        words=words,
                        labels=(row[column],),
                        span1=(predicate, predicate + 1),
                        span2=(place, place + 1),
                        meta={"frame": block.rows[predicate][10], "document": block.comments["document"]},
                    )


@reader("uds_decomp", "proto_roles")
def proto_roles(files: Files) -> Iterator[EdgeItem]:
    """Predicate, argument and the properties people found likely (reisinger2015, white2016): normalised value above 0.

    Places count words of the treebank as it was then. Sentences are left out in which some predicate's place holds no
    verb today: their tokens have changed. `meta["asked"]` has all properties asked about; the condition is `argument`,
    or `adjunct` where the questions were those about adjuncts. `meta["role"]` and `meta["document"]` are PropBank's,
    where it has the same pair over the same words.
    """
    roles = _roles_by_pair(files)
    trees = {block.id: block for _, block in ewt_blocks(files.of(EWT))}
    path = files[f"{UDS_ROOT}/ud_ids.json"]
    with at(path, 1):
        names = json.loads(path.read_text(encoding="utf-8"))
    path = files[f"{UDS_ROOT}/1.0/normalized/sentence/annotations/protoroles.zip"]
    with at(path, "protoroles.json"):
        annotations = json.loads(member(path, "protoroles.json"))["data"]
    for sentence in sorted(annotations):
        with at(path, sentence):
            block = trees.get(names[sentence]["sentence_id"])
            edges = {edge: [int(place) - 1 for place in _EDGE.findall(edge)[0][1:3]] for edge in annotations[sentence]}
            if block is None or not all(_fits(block, *places) for places in edges.values()):
                files.left_out("proto-role edges of sentences whose words the treebank has changed since", len(edges))
                continue
            words = tuple(row[FORM] for row in block.rows)
            for edge, (predicate, argument) in sorted(edges.items()):
                scores = {name: rating["value"] for name, rating in annotations[sentence][edge]["protoroles"].items()}
                propbank = roles.get((words, predicate, argument))
                about = {} if propbank is None else {"role": propbank.labels[0], "document": propbank.meta["document"]}
                yield EdgeItem(
                    id=edge,
                    split=sentence.split("-")[1],
                    words=words,
                    span1=(predicate, predicate + 1),
                    span2=(argument, argument + 1),
                    condition="argument" if "awareness" in scores else "adjunct",
                    labels=tuple(sorted(name for name, score in scores.items() if score > 0)),
                    meta={"asked": tuple(sorted(scores)), **about},
                )


def _roles_by_pair(files: Files) -> dict[tuple, EdgeItem]:
    """PropBank's arguments of single words by words, predicate and argument; none where its files are not at hand."""
    propbank = files.of("up_english_ewt")
    if "UP_English-EWT/en_ewt-up-dev.conllu" not in propbank:
        return {}
    edges = (edge for split, block in _split_blocks(propbank) for edge in _roles(block, split))
    return {(i.words, i.span1[0], i.span2[0]): i for i in edges if i.span2}


def _fits(block: Block, predicate: int, argument: int) -> bool:
    """Whether a verb stands at the one place and a word that can head an argument at the other."""
    if max(predicate, argument) >= len(block.rows):
        return False
    return block.rows[predicate][UPOS] == "VERB" and block.rows[argument][UPOS] not in FUNCTION
