"""Sentences with two marked nominals and the directed relation between them (in the manner of Hendrickx 2010)."""

from __future__ import annotations

import random
from functools import lru_cache

from bertology_utils.data.items import EdgeItem
from bertology_utils.data.text import capital

from . import builder, draw

WORDS = draw.table("words.yaml")["relations"]
WHEN = WORDS["when"]
BEFORE = WORDS["before"]
STATES = (" is ", " belongs ", " includes ", " has ")  # wordings without a time
BARE = set(WORDS["bare"])  # nouns that need no article
SINGULAR_IN_S = {"bus", "dress", "virus", "stress", "news"}


@lru_cache(maxsize=1)
def table() -> dict[str, dict[str, list[str]]]:
    """The relations with their pairs and wordings (`relations.yaml`)."""
    return {name: {**entry, "pairs": entry["pairs"].split()} for name, entry in draw.table("relations.yaml").items()}


Span_ = tuple[int, int]


def _sentence(random_: random.Random, relation: str) -> tuple[tuple[str, ...], Span_, Span_, str, str]:
    """Words, the two spans, the label, the pair."""
    entry = table()[relation]
    pair = random_.choice(entry["pairs"])
    a, b = pair.split("/")
    straight = relation == "Other" or random_.random() < 0.5
    wording = random_.choice(entry["forward" if straight else "backward"])
    wording = _plural(wording, a, b)
    time = "" if any(state in wording for state in STATES) else random_.choice(WHEN)
    words = f"{random_.choice(BEFORE)} {wording.format(a='<a>', b='<b>', w=time)}".split()
    for mark, noun in (("<a>", a), ("<b>", b)):
        if noun in BARE and words[words.index(mark) - 1] in ("the", "a"):
            del words[words.index(mark) - 1]
    first, second = sorted((words.index("<a>"), words.index("<b>")))
    words = [{"<a>": a, "<b>": b}.get(w, w) for w in words]
    label = relation if relation == "Other" else f"{relation}({'e1,e2' if straight else 'e2,e1'})"
    return (capital(words[0]), *words[1:], "."), (first, first + 1), (second, second + 1), label, pair


def _plural(wording: str, a: str, b: str) -> str:
    """The wording with verbs and articles that fit a plural nominal."""
    many = {word for word in (a, b) if (word.endswith("s") and word not in SINGULAR_IN_S) or word == "children"}
    subject = a if wording.find("{a}") < wording.find("{b}") else b
    if subject in many:
        for one, more in ((" was ", " were "), (" is ", " are "), (" belongs ", " belong "), (" has ", " have ")):
            wording = wording.replace(one, more, 1)
    for gap, word in (("{a}", a), ("{b}", b)):
        if word in many:
            wording = wording.replace(f" a {gap}", f" some {gap}").replace(f" a single {gap}", f" only {gap}")
    return wording


@builder("relations")
def relations(n: int, seed: int) -> list[EdgeItem]:
    """Two nominals (one word each, in the order of the text) and one of 19 labels, relations in turn.

    Labels are written as in the study, ``Cause-Effect(e1,e2)``: e1 is the nominal that comes first. A pair of nominals
    is in one split (roughly 70/10/20), so that the words alone cannot be learnt by heart.
    """
    random_ = draw.rng("relations", seed)
    split = {
        f"{relation} {pair}": draw.split_of(i, len(entry["pairs"]))
        for relation, entry in table().items()
        for i, pair in enumerate(entry["pairs"])
    }
    names = list(table())

    def make(i: int) -> tuple:
        relation = names[i % len(names)]
        return relation, *_sentence(random_, relation)

    return [
        EdgeItem(
            id=f"relations-{seed}-{i}",
            split=split[f"{relation} {pair}"],
            condition=relation,
            words=words,
            span1=span1,
            span2=span2,
            labels=(label,),
            meta={"pair": pair},
        )
        for i, (relation, words, span1, span2, label, pair) in enumerate(draw.distinct(make, n, lambda m: m[1]))
    ]
