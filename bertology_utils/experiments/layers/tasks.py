"""The probing tasks of this chapter, as targets, from whatever a source offers; in the classical pipeline's order."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from operator import attrgetter

import numpy as np

from ...data.items import Data, EdgeItem, ItemError, Sentence
from ...probes import Targets, from_edges, from_sentences
from ..syntax.probing import arcs

PIPELINE = (
    "POS",
    "chunks",
    "dependencies",
    "entities",
    "roles",
    "coreference",
    "proto-roles",
    "relations",
)
STAGES = 6  # those the survey names: POS to coreference
SYNTACTIC = ("POS", "chunks", "dependencies")
# At most so many sentences of a split, and items of one or two spans.
MOST = {"train": 3000, "dev": 600, "test": 1600}, {"train": 8000, "dev": 1200, "test": 2500}
NOMINAL = ("NOUN", "PROPN", "PRON", "NUM")
BEFORE = {"det", "amod", "compound", "nummod", "nmod", "advmod", "flat"}
AGENT = {"volition", "instigation"}


def available(data: Data, *, only: tuple[str, ...] = PIPELINE) -> dict[str, Targets]:
    """Task -> targets, for the tasks that the source's items can be asked; in pipeline order.

    At most so many sentences of a split, and items of spans, are used, drawn at random, the same ones for all tasks of a
    treebank: the model runs once over them.

    Raises
    ------
    ItemError
        If there is none.
    """
    limits = {task: MOST[bool(items) and isinstance(items[0], EdgeItem)] for task, items in data.items.items()}
    data = replace(data, items={task: some_of_each(items, limits[task]) for task, items in data.items.items()})
    found = {}
    for task in only:
        try:
            targets = _MAKERS[task](data)
        except ItemError:  # sentences without such labels
            continue
        if targets is not None and set(targets.split) >= {"train", "dev", "test"}:
            found[task] = targets
    if not found:
        raise ItemError(f"{data.name} has none of the tasks {only}: it offers {sorted(data.items)}")
    return found


def some_of_each(items: list, limits: dict[str, int]) -> list:
    """So many of each split, in their order: the sentences of a file's beginning may all be of one kind."""
    kept: set[int] = set()
    for split, most in limits.items():
        places = [i for i, item in enumerate(items) if item.split == split]
        kept.update(np.random.default_rng(0).permutation(places)[:most].tolist())
    return [item for i, item in enumerate(items) if i in kept]


def note(data: Data, found: Collection[str]) -> str:
    """Which of the tasks a source has, in words."""
    limits = ", ".join(f"{n} {split}" for split, n in MOST[0].items())
    offers = f"{data.name} offers {len(found)} of {len(PIPELINE)} tasks: {', '.join(found)}"
    return f"{offers}; at most {limits} sentences per task, drawn at random"


def _sentences(data: Data, layer: str) -> list[Sentence]:
    """The first task's sentences that have an annotation layer."""
    for task in ("treebank", "mentions", "chunks"):
        items = [s for s in data.items.get(task, []) if getattr(s, layer)]
        if items:
            return items
    raise ItemError(f"no sentence with {layer}")


def _words(*layers: str) -> Callable[[Data], Targets]:
    """Each word with its tag in the first of the layers that is there."""

    def make(data: Data) -> Targets:
        for layer in layers:
            try:
                items = _sentences(data, layer)
            except ItemError:
                continue
            tags = attrgetter(layer)

            def tagged(sentence: Sentence, tags: Callable = tags) -> list[tuple[str, int]]:
                return [(t, i) for i, t in enumerate(tags(sentence)) if t not in ("", "_")]

            return from_sentences(items, tagged)
        raise ItemError(f"no sentence with {layers}")

    return make


def noun_chunks(s: Sentence) -> list[str]:
    """B-NP, I-NP, O from a dependency tree: each nominal with the modifiers that stand directly before it.

    For treebanks without chunks; other kinds of chunk are not told from a tree without guessing.
    """
    tags, i = ["O"] * len(s.words), len(s.words) - 1
    while i >= 0:
        start = i
        if s.upos[i] in NOMINAL:
            while start and start <= s.heads[start - 1] <= i and s.deprels[start - 1].split(":")[0] in BEFORE:
                start -= 1
            tags[start : i + 1] = ["B-NP"] + ["I-NP"] * (i - start)
        i = start - 1
    return tags


def _chunks(data: Data) -> Targets:
    """Chunk tags as annotated, else noun chunks from the tree."""
    try:
        return _words("chunks")(data)
    except ItemError:
        items = [s for s in _sentences(data, "heads") if s.upos]
        return from_sentences(items, lambda s: [(tag, i) for i, tag in enumerate(noun_chunks(s))])


def _spans(kind: str, task: str = "") -> Callable[[Data], Targets]:
    """Labelled spans of sentences (with the word they belong to, for roles); where there are none, items of a task."""

    def find(s: Sentence) -> list[tuple]:
        if kind == "role":
            return [(x.label, x.head, (x.start, x.end)) for x in s.of(kind) if x.head is not None]
        return [(x.label, (x.start, x.end)) for x in s.of(kind)]

    def make(data: Data) -> Targets:
        if task and data.items.get(task) and not any(s.spans for s in data.items.get("treebank", [])):
            return from_edges(data[task])
        return from_sentences(_sentences(data, "spans"), find)

    return make


def _edges(task: str, label: Callable | None = None) -> Callable[[Data], Targets]:
    def make(data: Data) -> Targets:
        items = data.items.get(task, [])
        if not items:
            raise ItemError(f"no {task}")
        return from_edges(items, label) if label else from_edges(items)

    return make


def _coreference(data: Data) -> Targets:
    """Pairs of mentions, the same cluster or not; of the many unlike pairs as many as there are like ones."""
    rng = np.random.default_rng(0)

    def pairs(s: Sentence) -> list[tuple]:
        spans = [m for m in s.of("mention") if m.head is not None]
        both = [(a, b) for k, a in enumerate(spans) for b in spans[k + 1 :] if a.end <= b.start or b.end <= a.start]
        same = [p for p in both if p[0].head == p[1].head]
        other = [p for p in both if p[0].head != p[1].head]
        drawn = rng.permutation(len(other))[: len(same)]
        chosen = [("same", *p) for p in same] + [("other", *other[k]) for k in drawn]
        return [(label, (a.start, a.end), (b.start, b.end)) for label, a, b in chosen]

    return from_sentences([s for s in data.items.get("mentions", []) if s.spans], pairs)


_MAKERS: dict[str, Callable[[Data], Targets]] = {
    "POS": _words("upos", "xpos"),
    "chunks": _chunks,
    "dependencies": lambda data: from_sentences(_sentences(data, "deprels"), arcs),
    "entities": _spans("entity"),
    "roles": _spans("role", "semantic_roles"),
    "coreference": _coreference,
    # one label per target: is the argument an agent of some kind? The study's probe has one output per property.
    "proto-roles": _edges("proto_roles", lambda item: str(bool(AGENT & set(item.labels)))),
    "relations": _edges("relations"),
}
