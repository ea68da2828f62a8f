"""Universal Dependencies in English: EWT, PUD and GUM, the last with entities and coreference."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from bertology_utils.data.items import EdgeItem, Sentence, Span
from bertology_utils.data.original.conllu import HEAD, UPOS, Block, blocks, documents_sha256, misc, parted, sentence
from bertology_utils.data.original.reading import Files, ReaderError, at, reader
from bertology_utils.data.original.registry import RAW, File

EWT, SOURCES = "ud_english_ewt", "not-to-release/sources/"
# The published training file is the same documents in another order: pinned by what they hold, not by their order.
EWT_TRAIN = File(
    EWT,
    "en_ewt-ud-train.conllu",
    14_203_025,
    "01b4621fa5e9d3ac944dd15038db458b96278ea63e0ed38c9661482d6c2a9ba1",
    f"{RAW}/UniversalDependencies/UD_English-EWT/15d613d8447b3478787d4c278730a1e48a945efb/en_ewt-ud-train.conllu",
)


def ewt_blocks(files: Files) -> Iterator[tuple[str, Block]]:
    """(split, block) of the whole treebank (silveira2014), the training documents in the order of their names.

    The training part is put together from its documents where all of them are at hand, else taken from the published
    file, which is one download instead of 540; the sentences are the same.
    """
    names = sorted(files.names(f"{SOURCES}*.conllu"), key=_document)
    if all(map(files.here, names)):
        yield from (("train", block) for name in names for block in blocks(files[name]))
    else:
        published = blocks(files.fetch(EWT_TRAIN, documents_sha256))
        yield from (("train", block) for block in sorted(published, key=lambda b: b.comments["document"]))
    for split in ("dev", "test"):
        yield from ((split, block) for block in blocks(files[f"en_ewt-ud-{split}.conllu"]))


def _document(name: str) -> str:
    """``…/sources/email/enronsent01_01.xml.conllu`` -> ``email-enronsent01_01``, the name in its "newdoc" comment."""
    genre, file = name.removeprefix(SOURCES).split("/")
    return f"{genre}-{file.removesuffix('.xml.conllu')}"


@reader(EWT, "treebank")
def ewt(files: Files) -> Iterator[Sentence]:
    """12,544 + 2,001 + 2,077 sentences of web text; the condition is the genre."""
    for split, block in ewt_blocks(files):
        document = block.comments["document"]
        yield sentence(block, split=split, condition=document.partition("-")[0], meta={"document": document})


@reader("ud_english_pud", "treebank")
def pud(files: Files) -> Iterator[Sentence]:
    """1,000 sentences of news and Wikipedia (zeman2017), all of them test."""
    return map(sentence, blocks(files["en_pud-ud-test.conllu"]))


def gum_blocks(files: Files) -> Iterator[tuple[str, Block]]:
    """(split, block) of the published dev and test parts of GUM (zeldes2017); the training part is not registered."""
    files.note("GUM: without its training part; four of five documents of the published dev part are train here")
    yield from parted(*(blocks(files[f"en_gum-ud-{part}.conllu"]) for part in ("dev", "test")))


def _gum_genre(block: Block) -> str:
    return block.comments["document"].split("_")[1]


@reader("ud_english_gum", "treebank")
def gum(files: Files) -> Iterator[Sentence]:
    """Sentences of fifteen genres; the condition is the genre."""
    for split, block in gum_blocks(files):
        yield sentence(block, split=split, condition=_gum_genre(block), meta={"document": block.comments["document"]})


_BRACKET = re.compile(r"\(([^()]+)|([^()]+)\)|\)")


def mentions(block: Block) -> tuple[Span, ...]:
    """All mentions of a GUM sentence: an `entity` span with its type and a `mention` span with its cluster for each.

    Brackets open as ``(cluster-type-…`` and close as ``)`` on the same word, or ``cluster)`` on a later one.

    Raises
    ------
    ReaderError
        If a bracket is closed that was not opened, or stays open at the end of the sentence.
    """
    found: list[tuple[int, int, str, int]] = []
    opened: dict[str, list[tuple[int, str]]] = {}
    for place, row in enumerate(block.rows):
        last = ""
        with at(block.path, block.line + place):
            for match in _BRACKET.finditer(misc(row).get("Entity", "")):
                if match[1]:
                    last, kind = match[1].split("-")[:2]
                    opened.setdefault(last, []).append((place, kind))
                    continue
                cluster = match[2] or last
                start, kind = opened[cluster].pop()
                found.append((start, place + 1, kind, int(cluster.partition("[")[0])))
    if any(opened.values()):
        raise ReaderError(block.path, block.line, f"brackets never closed: {opened}")
    return tuple(
        chain.from_iterable(
            (
                Span(start=s, end=e, label=kind, kind="entity"),
                Span(start=s, end=e, label=kind, kind="mention", head=cluster),
            )
            for s, e, kind, cluster in sorted(found, key=lambda m: (m[0], -m[1]))
        )
    )


@reader("ud_english_gum", "mentions")
def gum_mentions(files: Files) -> Iterator[Sentence]:
    """Sentences with entity types and coreference clusters (numbered within `meta["document"]`)."""
    for split, block in gum_blocks(files):
        yield sentence(
            block,
            split=split,
            condition=_gum_genre(block),
            spans=mentions(block),
            meta={"document": block.comments["document"]},
        )


def _head(rows: list[list[str]], span: Span) -> int:
    """The first word of a span whose own head lies outside it."""
    inside = range(span.start, span.end)
    return next(i for i in inside if int(rows[i][HEAD]) - 1 not in inside)


@reader("ud_english_gum", "entities")
def gum_entities(files: Files) -> Iterator[EdgeItem]:
    """Every mention with its type; the condition is what its head is: `named`, `nominal` or `pronominal`."""
    kinds = {"PROPN": "named", "PRON": "pronominal"}
    for split, block in gum_blocks(files):
        words = sentence(block).words
        for number, span in enumerate(s for s in mentions(block) if s.kind == "entity"):
            yield EdgeItem(
                id=f"{block.id}-{number}",
                split=split,
                condition=kinds.get(block.rows[_head(block.rows, span)][UPOS], "nominal"),
                words=words,
                span1=(span.start, span.end),
                labels=(span.label,),
                meta={"document": block.comments["document"]},
            )


@reader(EWT, "sentences")
def sentences(files: Files) -> Iterator[Sentence]:
    """The words alone."""
    return (replace(s, upos=(), xpos=(), lemmas=(), feats=(), heads=(), deprels=()) for s in ewt(files))
