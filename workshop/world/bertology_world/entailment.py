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


def _swap(r: random.Random) -> Draw:
    (a, b), v = _names(r, 2), r.choice(DID)
    return f"{a} {v} {b}", f"{b} {v} {a}"


def _passive_wrong(r: random.Random) -> Draw:
    (a, b), v = _names(r, 2), r.choice([v for v in DID if v not in PARTICIPLE])
    return f"{a} was {v} by {b}", f"{a} {v} {b}"


def _passive_right(r: random.Random) -> Draw:
    (a, b), v = _names(r, 2), r.choice([v for v in DID if v not in PARTICIPLE])
    return f"{a} was {v} by {b}", f"{b} {v} {a}"


def _conjoined_wrong(r: random.Random) -> Draw:
    (a, b, c), v = _names(r, 3), r.choice(DID)
    return f"{a} {v} {b} and {c}", f"{b} {v} {c}"


def _conjoined_right(r: random.Random) -> Draw:
    (a, b, c), v = _names(r, 3), r.choice(DID)
    return f"{a} and {b} {v} {c}", f"{a} {v} {c}"


def _relative_wrong(r: random.Random) -> Draw:
    (a, b), v, w = _names(r, 2), r.choice(DID), r.choice(ALONE)
    return f"{a} who {b} {v} {w}", f"{a} {v} {b}"


def _relative_right(r: random.Random) -> Draw:
    (a, b), v, w = _names(r, 2), r.choice(DID), r.choice(ALONE)
    return f"{a} who {b} {v} {w}", f"{b} {v} {a}"


def _pp_wrong(r: random.Random) -> Draw:
    (a, b), w = _names(r, 2), r.choice(ALONE)
    return f"{a} {r.choice(NEAR)} {b} {w}", f"{b} {w}"


def _clause_wrong(r: random.Random) -> Draw:
    (a, b), v, w = _names(r, 2), r.choice(DID), r.choice(ALONE)
    return f"{a} who {v} {b} {w}", f"{b} {w}"


def _complement_wrong(r: random.Random) -> Draw:
    (a, b), w = _names(r, 2), r.choice(ALONE)
    v = r.choice(("heard", "believed", "forgot", "doubted"))
    return f"{a} {v} {b} {w}", f"{a} {v} {b}"


def _last_subject_right(r: random.Random) -> Draw:
    (a, b), w = _names(r, 2), r.choice(ALONE)
    return f"{a} and {b} {w}", f"{b} {w}"


def _adjunct_right(r: random.Random) -> Draw:
    (a, b), w = _names(r, 2), r.choice(ALONE)
    return f"{a} {w} {r.choice(NEAR[:5])} {b}", f"{a} {w}"


def _object_right(r: random.Random) -> Draw:
    (a, b, c), v = _names(r, 3), r.choice(DID)
    return f"{a} {v} {b} and {c}", f"{a} {v} {b}"


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
        {"passive": _passive_right, "conjoined subject": _conjoined_right, "object relative": _relative_right},
        {
            "exchanged roles": _swap,
            "passive": _passive_wrong,
            "conjoined object": _conjoined_wrong,
            "object relative": _relative_wrong,
        },
    ),
    "subsequence": (
        {"conjoined subject": _last_subject_right, "adjunct": _adjunct_right, "conjoined object": _object_right},
        {"pp on subject": _pp_wrong, "relative on subject": _clause_wrong, "complement clause": _complement_wrong},
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
