"""Acceptable sentences and the same with one operation that spoils them (in the manner of CoLA)."""

from __future__ import annotations

import random
from collections.abc import Callable

from bertology_utils.data.items import Labelled
from bertology_utils.data.text import capital

from . import builder, draw

WORDS = draw.table("words.yaml")["acceptability"]
SINGULAR = WORDS["singular"]
PLURAL = WORDS["plural"]
GENDER = WORDS["gender"]
OBJECTS = WORDS["objects"]
# third person, plain, past, participle, -ing
VERBS = WORDS["verbs"]
ALONE = WORDS["alone"]
PLACES = WORDS["places"]


def _agreement(r: random.Random) -> tuple[str, str]:
    plural, (verb_s, verb, *_), o = r.random() < 0.5, r.choice(VERBS), r.choice(OBJECTS)
    noun, distractor = r.choice(PLURAL if plural else SINGULAR), r.choice(SINGULAR if plural else PLURAL)
    between = r.choice(("", f" {r.choice(PLACES)}", f" near the {distractor}", f" with the {distractor}"))
    right, wrong = (verb, verb_s) if plural else (verb_s, verb)
    return f"the {noun}{between} {right} the {o}", f"the {noun}{between} {wrong} the {o}"


def _reflexive(r: random.Random) -> tuple[str, str]:
    noun, verb, place = r.choice(list(GENDER)), r.choice(VERBS)[2], r.choice(PLACES)
    other = "herself" if GENDER[noun] == "himself" else "himself"
    if r.random() < 0.4:
        other = "themselves"
    return f"the {noun} {verb} {GENDER[noun]} {place}", f"the {noun} {verb} {other} {place}"


def _order(r: random.Random) -> tuple[str, str]:
    noun, verb, o, place = r.choice(SINGULAR), r.choice(VERBS)[2], r.choice(OBJECTS), r.choice(PLACES)
    right = f"the {noun} {verb} the {o} {place}"
    return right, r.choice(
        (
            f"the {noun} the {o} {verb} {place}",
            f"{noun} the {verb} the {o} {place}",
            f"{verb} the {noun} the {o} {place}",
            f"the {noun} {verb} {o} the {place}",
        )
    )


def _transitivity(r: random.Random) -> tuple[str, str]:
    noun, o, place, verb = r.choice(SINGULAR), r.choice(OBJECTS), r.choice(PLACES), r.choice(ALONE)[2]
    return f"the {noun} {verb} {place}", f"the {noun} {verb} the {o} {place}"


def _question(r: random.Random) -> tuple[str, str]:
    noun, verb, o = r.choice(SINGULAR), r.choice(VERBS), r.choice(OBJECTS)
    person = r.choice(("who", "which woman", "which man"))
    return r.choice(
        (
            (f"what did the {noun} {verb[1]}?", f"what did the {noun} {verb[1]} the {o}?"),
            (f"did the {noun} {verb[1]} the {o}?", f"did the {noun} {verb[2]} the {o}?"),
            (f"{person} {verb[2]} the {o}?", f"{person} the {o} did {verb[1]} the {noun}?"),
            (f"when will the {noun} {verb[1]} the {o}?", f"when the {noun} will {verb[0]} the {o}?"),
        )
    )


def _auxiliary(r: random.Random) -> tuple[str, str]:
    noun, verb, o = r.choice(SINGULAR), r.choice(VERBS), r.choice(OBJECTS)
    return r.choice(
        (
            (f"the {noun} has {verb[3]} the {o}", f"the {noun} has {verb[0]} the {o}"),
            (f"the {noun} will {verb[1]} the {o}", f"the {noun} will {verb[4]} the {o}"),
            (f"the {o} was {verb[3]} by the {noun}", f"the {o} was {verb[1]} by the {noun}"),
            (f"the {noun} does not {verb[1]} the {o}", f"the {noun} not does {verb[1]} the {o}"),
            (f"the {noun} can {verb[1]} the {o}", f"the {noun} can to {verb[1]} the {o}"),
        )
    )


def _determiner(r: random.Random) -> tuple[str, str]:
    i, verb, o = r.randrange(len(SINGULAR)), r.choice(VERBS)[2], r.choice(OBJECTS)
    one, many = r.choice((("this", "these"), ("that", "those"), ("every", "many"), ("a", "two")))
    return r.choice(
        (
            (f"{one} {SINGULAR[i]} {verb} the {o}", f"{one} {PLURAL[i]} {verb} the {o}"),
            (f"{many} {PLURAL[i]} {verb} the {o}", f"{many} {SINGULAR[i]} {verb} the {o}"),
        )
    )


def _relative(r: random.Random) -> tuple[str, str]:
    noun, other, verb, place = r.choice(SINGULAR), r.choice(SINGULAR), r.choice(VERBS), r.choice(PLACES)
    o, again = r.choice(OBJECTS), r.choice(VERBS)[2]
    return r.choice(
        (
            (
                f"the {noun} who {verb[2]} the {other} {again} the {o} {place}",
                f"the {noun} who {verb[2]} the {other} the {o} {place}",
            ),
            (f"the {o} that the {noun} {verb[2]} was {place}", f"the {o} that the {noun} {verb[2]} it was {place}"),
        )
    )


FRAMES = (
    "",
    "",
    "I know that ",
    "they say that ",
    "we heard that ",
    "it is true that ",
    "she thinks that ",
    "as you know, ",
)  # an acceptable sentence stays so within them, an unacceptable one too

OPERATIONS: dict[str, Callable[[random.Random], tuple[str, str]]] = {
    "agreement": _agreement,
    "reflexive": _reflexive,
    "order": _order,
    "transitivity": _transitivity,
    "question": _question,
    "auxiliary": _auxiliary,
    "determiner": _determiner,
    "relative": _relative,
}


@builder("acceptability")
def acceptability(n: int, seed: int) -> list[Labelled]:
    """Acceptable (1) and spoilt (0) sentences in turn; the condition is the operation.

    The two of a pair are drawn apart: a sentence and its own spoilt form seldom both appear. There are some 30,000.
    """
    random_ = draw.rng("acceptability", seed)
    names = list(OPERATIONS)

    def make(i: int) -> tuple[str, str]:
        name = names[i // 2 % len(names)]
        text = OPERATIONS[name](random_)[i % 2]
        return (text if text.endswith("?") else random_.choice(FRAMES) + text), name

    items = []
    for i, (text, name) in enumerate(draw.distinct(make, n, lambda m: m[0])):
        text = capital(text if text.endswith("?") else f"{text}.")
        items.append(
            Labelled(
                id=f"acceptability-{seed}-{i}",
                split=draw.split_of(i, n),
                condition=name,
                text=text,
                label=str(1 - i % 2),
            )
        )
    return items
