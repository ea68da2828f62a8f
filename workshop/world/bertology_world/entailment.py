"""Inference pairs: training data that shallow heuristics solve, test items where they fail (McCoy 2019b).

In the training and development splits a hypothesis made of the premise's words follows from it, and one that does not
follow brings other words in, as is mostly so in the large corpora. The test split holds, for each of three heuristics,
items that it solves and items that it gets wrong (``meta["contradicts"]``), half and half.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from bertology_utils.data.items import Labelled
from bertology_utils.data.text import capital

from . import builder, draw
from .classification import changed, event

WORDS = draw.table("words.yaml")["entailment"]
ROLES = WORDS["roles"]
DID = WORDS["did"]
PARTICIPLE = {"saw": "seen"}  # elsewhere the same as the past
ALONE = WORDS["alone"]
NEAR = ("near", "behind", "next to", "beside", "in front of", "with")
Draw = tuple[str, str]


def _names(r: random.Random, k: int) -> list[str]:
    return [f"the {w}" for w in r.sample(ROLES, k)]


# what a frame's slots are filled with, in this order: verbs with an object, those among them whose past is their participle,
# verbs without one, verbs that may have a clause instead, and places
SLOTS = {
    "v": DID,
    "p": [v for v in DID if v not in PARTICIPLE],
    "w": ALONE,
    "c": ("heard", "believed", "forgot", "doubted"),
    "near": NEAR,
    "beside": NEAR[:5],
}


def _pair(premise: str, hypothesis: str) -> Callable[[random.Random], Draw]:
    """Two sentences with the same people {x}, {y}, {z} in them, and the words of `SLOTS`."""

    def make(r: random.Random) -> Draw:
        words = dict(zip("xyz", _names(r, 3 if "{z}" in premise else 2)))
        words |= {slot: r.choice(options) for slot, options in SLOTS.items() if f"{{{slot}}}" in premise}
        return premise.format_map(words), hypothesis.format_map(words)

    return make


def _framed(frames: tuple[str, ...]) -> Callable[[random.Random], Draw]:
    """Sentences whose constituent {s} is the hypothesis; {t} is another clause, {a} a person."""

    def make(r: random.Random) -> Draw:
        a, b, c = _names(r, 3)
        s = f"{b} {r.choice(ALONE)}" if r.random() < 0.5 else f"{b} {r.choice(DID)} {c}"
        return r.choice(frames).format(s=s, t=f"{a} {r.choice(ALONE)}", a=a), s

    return make


# heuristic -> (subcases that it solves, subcases that it gets wrong)
HEURISTICS: dict[str, tuple[dict[str, Callable], dict[str, Callable]]] = {
    "lexical_overlap": (
        {
            "passive": _pair("{x} was {p} by {y}", "{y} {p} {x}"),
            "conjoined subject": _pair("{x} and {y} {v} {z}", "{x} {v} {z}"),
            "object relative": _pair("{x} who {y} {v} {w}", "{y} {v} {x}"),
        },
        {
            "exchanged roles": _pair("{x} {v} {y}", "{y} {v} {x}"),
            "passive": _pair("{x} was {p} by {y}", "{x} {p} {y}"),
            "conjoined object": _pair("{x} {v} {y} and {z}", "{y} {v} {z}"),
            "object relative": _pair("{x} who {y} {v} {w}", "{x} {v} {y}"),
        },
    ),
    "subsequence": (
        {
            "conjoined subject": _pair("{x} and {y} {w}", "{y} {w}"),
            "adjunct": _pair("{x} {w} {beside} {y}", "{x} {w}"),
            "conjoined object": _pair("{x} {v} {y} and {z}", "{x} {v} {y}"),
        },
        {
            "pp on subject": _pair("{x} {near} {y} {w}", "{y} {w}"),
            "relative on subject": _pair("{x} who {v} {y} {w}", "{y} {w}"),
            "complement clause": _pair("{x} {c} {y} {w}", "{x} {c} {y}"),
        },
    ),
    "constituent": (
        {
            "embedded under fact": _framed(("{a} knew that {s}", "{a} remembered that {s}", "{a} realised that {s}")),
            "adverbial clause": _framed(("because {s}, {t}", "after {s}, {t}", "{t} because {s}", "although {s}, {t}")),
            "conjunction": _framed(("{s}, and {t}", "certainly {s}", "of course {s}")),
        },
        {
            "embedded under belief": _framed(("{a} hoped that {s}", "{a} said that {s}", "{a} thought that {s}")),
            "condition": _framed(("if {s}, {t}", "unless {s}, {t}", "{t} if {s}")),
            "disjunction": _framed(("{s}, or {t}", "maybe {s}", "perhaps {s}")),
        },
    ),
}


def _usual(r: random.Random, entailed: bool) -> Draw:
    """A pair as the training data have them: what follows repeats or rewords the premise, what does not is other."""
    if r.random() < 0.5:
        e = event(r)
        other = e if entailed else changed(r, e, r.choice(("agent", "deed", "patient", "where", "when")))
        while True:  # a sentence and itself would be too easy
            premise = e.text(r, 0, r.random() < 0.3, r.random() < 0.3)
            hypothesis = other.text(r, int(r.random() < 0.4), False, r.random() < 0.3)
            if premise != hypothesis:
                return premise, hypothesis
    right = [make for solved, _ in HEURISTICS.values() for make in solved.values()]
    premise, hypothesis = r.choice(right)(r)
    if not entailed:  # another person, who is not in the premise, did it
        someone = r.choice([role for role in ROLES if f"the {role}" not in premise])
        hypothesis = f"the {someone} {hypothesis.split(' ', 2)[2]}"
    return f"{capital(premise)}.", f"{capital(hypothesis)}."


@builder("entailment")
def entailment(n: int, seed: int) -> list[Labelled]:
    """Pairs labelled ``entailment`` or ``not_entailment`` in turn; 60% train, 10% dev, 30% test (mccoy2019b).

    Train and dev have the condition ``usual``. In the test split the condition is the heuristic, ``meta["subcase"]``
    the construction and ``meta["contradicts"]`` whether the heuristic's answer (entailment) is wrong.
    """
    random_ = draw.rng("entailment", seed)
    names = list(HEURISTICS)

    def make(i: int) -> tuple[str, str, str, str]:
        entailed = i % 2 == 0
        if i < 0.7 * n:
            return (*_usual(random_, entailed), "usual", "")
        name = names[i // 2 % len(names)]
        cases = HEURISTICS[name][0 if entailed else 1]
        case = list(cases)[i // (2 * len(names)) % len(cases)]
        premise, hypothesis = (f"{capital(text)}." for text in cases[case](random_))
        return premise, hypothesis, name, case

    items = []
    for i, (text, text_b, condition, case) in enumerate(draw.distinct(make, n, lambda m: m[:2])):
        meta = {"subcase": case, "contradicts": i % 2 == 1} if case else {}
        items.append(
            Labelled(
                id=f"entailment-{seed}-{i}",
                text=text,
                text_b=text_b,
                condition=condition,
                meta=meta,
                split="test" if case else "train" if i < 0.6 * n else "dev",
                label="not_entailment" if i % 2 else "entailment",
            )
        )
    return items
