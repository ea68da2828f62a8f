"""The diagnostics of ettinger2019: NEG-136 (negation), ROLE-88 (semantic roles), CPRAG-102 (commonsense, pragmatics).

As in the study, the gap closes the context and a full stop follows it; of a completion of several words the first
counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bertology_utils.data.items import MASK, Cloze, ForcedChoice
from bertology_utils.data.original.reading import Files, ReaderError, at, reader

NAME = "ettinger2019_lm_diagnostics"
SIMPLE, NATURAL = "datasets/NEG-136/NEG-136-SIMP.tsv", "datasets/NEG-136/NEG-136-NAT.tsv"
ROLE, CPRAG = "datasets/ROLE-88/ROLE-88.tsv", "datasets/CPRAG-102/CPRAG-102.tsv"
SLOT = " (a|an)"  # the article that the completion will ask for


def gap(context: str) -> str:
    """A context with the gap that closes it, and a full stop."""
    return f"{context.strip()} {MASK} ."


def article(noun: str) -> str:
    """The indefinite article that a noun's first letter asks for."""
    return "an" if noun[0] in "aeiou" else "a"


@reader(NAME, "negation")
def negation(files: Files) -> Iterator[ForcedChoice]:
    """NEG-136-SIMP and -NAT: each context with and without "not"; `good` makes it true.

    The article before a gap is that of `good`. Where `bad` needs the other one, `meta["text_bad"]` is the text with it
    and `meta["same_article"]` is False: the study compares P(good | text) with P(bad | text_bad).
    """
    for name, item, contexts, (true, false), licensing in _negation(files):
        answers = ((true, false), (false, true))
        for condition, context, (good, bad) in zip(("affirmative", "negated"), contexts, answers):
            texts = [gap(context.replace(SLOT, f" {article(w)}")) for w in (good, bad)]
            meta = {"pair": f"{name}-{item}", "set": name, "text_bad": texts[1], "same_article": texts[0] == texts[1]}
            if licensing:
                meta["licensed"] = licensing == "Y"
            if texts[0] != texts[1]:
                files.count(
                    "items of NEG-136-SIMP need another article for each completion: the text has the right one's"
                )
            yield ForcedChoice(
                id=f"{name}-{item}-{condition}", condition=condition, text=texts[0], good=good, bad=bad, meta=meta
            )


def _negation(files: Files) -> Iterator[tuple]:
    """(set, item, (affirmative, negated), (true, false), licensing) of each row; true is true of the affirmative."""
    for _, (item, affirmative, negated, true, false) in files.columns(SIMPLE, 5, skip=1):
        if not (affirmative.endswith(SLOT) and negated.endswith(f"not{SLOT}")):
            raise ValueError(f"no article to fill: {affirmative!r}, {negated!r}")
        yield "simple", item, (affirmative, negated), (true, false), ""
    for _, (item, affirmative, negated, true, false, licensing) in files.columns(NATURAL, 6, skip=1):
        if licensing not in ("Y", "N"):
            raise ValueError(f"licensing is {licensing!r}, neither Y nor N")
        yield "natural", item, (affirmative, negated), (true, false), licensing


@dataclass(frozen=True)
class _Role:
    """One line of ROLE-88; side a is the scenario in which `target` was the better completion."""

    line: int
    pair: str
    side: str
    context: str
    expected: tuple[str, ...]
    target: str
    cloze: float


def _roles(files: Files) -> dict[str, dict[str, _Role]]:
    """Both sides of each pair, in the order of the file."""
    pairs: dict[str, dict[str, _Role]] = {}
    for number, (item, context, expected, _, target, cloze, _) in files.columns(ROLE, 7, skip=1):
        pair, side = item.split("-")
        words = tuple(answer.split()[0] for answer in expected.split("|"))
        row = _Role(number, pair, side, context.strip(), words, target.split()[0], float(cloze))
        pairs.setdefault(pair, {})[side] = row
    for pair, sides in pairs.items():
        if set(sides) != {"a", "b"}:
            line = next(iter(sides.values())).line
            raise ReaderError(files[ROLE], line, f"pair {pair} has the sides {sorted(sides)}")
    return pairs


@reader(NAME, "roles")
def roles(files: Files) -> Iterator[ForcedChoice]:
    """ROLE-88: the completion people gave most, against the one they gave when the roles are reversed (`related`).

    Against the completion of the next pair of the file it is `unrelated`: a control that is ours. The study's own
    measure, P(target | side a) > P(target | side b), can be had from `meta`: `pair`, `side`, `target`, `target_cloze`.
    """
    pairs = list(_roles(files).values())
    for place, sides in enumerate(pairs):
        following = pairs[(place + 1) % len(pairs)]
        for side, other in (("a", "b"), ("b", "a")):
            row, reverse = sides[side], sides[other]
            good = next((w for w in row.expected if w not in reverse.expected), None)
            against = {
                "related": next((w for w in reverse.expected if w not in row.expected), None),
                "unrelated": next(
                    (
                        w
                        for s in (side, other)
                        for w in following[s].expected
                        if w not in row.expected + reverse.expected
                    ),
                    None,
                ),
            }
            for condition, bad in against.items():
                if good is None or bad is None:
                    files.left_out(f"ROLE-88 {condition}: both scenarios have the same completion")
                    continue
                yield ForcedChoice(
                    id=f"{row.pair}-{side}-{condition}",
                    condition=condition,
                    text=gap(row.context),
                    good=good,
                    bad=bad,
                    meta={
                        "pair": row.pair,
                        "side": side,
                        "expected": row.expected,
                        "target": row.target,
                        "target_cloze": row.cloze,
                    },
                )
    files.note("ROLE-88: the unrelated fillers are the next pair's completions, a control added here")


def _cprag(files: Files) -> Iterator[tuple[str, str, str, tuple[str, str, str], str]]:
    for _, (item, first, second, a, b, c, constraint) in files.columns(CPRAG, 7, skip=1):
        if constraint not in ("H", "L"):
            raise ValueError(f"constraint is {constraint!r}, neither H nor L")
        yield item, first.strip(), second.strip(), (a, b, c), constraint


@reader(NAME, "plausibility")
def plausibility(files: Files) -> Iterator[Cloze]:
    """CPRAG-102 as graded fillers: expected (`right`), of its category (`related`), of another (`unrelated`)."""
    for item, first, second, (right, related, unrelated), constraint in _cprag(files):
        yield Cloze(
            id=f"cprag-{item}",
            condition="cprag",
            text=gap(f"{first} {second}"),
            answers=(right,),
            meta={"right": right, "related": related, "unrelated": unrelated, "constraint": constraint},
        )


@reader(NAME, "completion")
def completion(files: Files) -> Iterator[Cloze]:
    """All true contexts with the answers counted right: cprag, role, negation (affirmative versions only).

    `meta` has word spans (of ``text.split()``) of `subject` and `object` in role and simple sentences, and the number of
    words of the first of two sentences (`first`) in cprag, which the study shuffles.
    """
    for item, first, second, (expected, *_), constraint in _cprag(files):
        yield Cloze(
            id=f"cprag-{item}",
            condition="cprag",
            text=gap(f"{first} {second}"),
            answers=(expected,),
            meta={"first": len(first.split()), "constraint": constraint},
        )
    for sides in _roles(files).values():
        for row in sides.values():
            with at(files[ROLE], row.line):
                yield Cloze(
                    id=f"role-{row.pair}-{row.side}",
                    condition="role",
                    text=gap(row.context),
                    answers=tuple(dict.fromkeys(row.expected)),
                    meta={"target": row.target, **_arguments(row.context)},
                )
    for name, item, (context, _), (true, _), _ in _negation(files):
        meta = {"subject": (0, context.split().index("is"))} if name == "simple" else {}
        text = gap(context.replace(SLOT, f" {article(true)}"))
        yield Cloze(id=f"{name}-{item}", condition=name, text=text, answers=(true,), meta=meta)


def _arguments(context: str) -> dict[str, tuple[int, int]]:
    """Word spans in "... which OBJECT the SUBJECT had": both without their determiners."""
    found = re.fullmatch(r"(.* which) (.+) the (.+) had", context)
    if not found:
        raise ValueError(f"not of the form '... which X the Y had': {context!r}")
    start = len(found[1].split())
    middle = start + len(found[2].split())
    return {"object": (start, middle), "subject": (middle + 1, middle + 1 + len(found[3].split()))}
