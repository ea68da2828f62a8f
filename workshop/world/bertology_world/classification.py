"""Texts to fine-tune on: sentiment, paraphrase, acceptability (generated; splits train 70%, dev 10%, test 20%).

Each is built so that a bag of words does not settle it: sentiment has negation and contrast, paraphrases are paired
with sentences of the same words in other roles, unacceptable sentences differ from acceptable ones by one operation.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from bertology_utils.data.items import Labelled
from bertology_utils.data.text import capital

from . import builder, draw

WORDS = draw.table("words.yaml")["classification"]
GOOD = WORDS["good"]
BAD = WORDS["bad"]
THINGS = WORDS["things"]
LIKED = WORDS["liked"]
CONSTRUCTIONS = ("plain", "plain", "double", "negation", "negation", "contrast", "contrast", "concession")  # by weight
VERY = ("", "", "very ", "really ", "quite ", "so ", "truly ")


WORDINGS = WORDS["wordings"]


def _sentiment(random_: random.Random, positive: bool) -> tuple[str, str]:
    """(sentence, construction); the main clause, or the clause after "but", decides."""
    right, other = (GOOD, BAD) if positive else (BAD, GOOD)
    a, b = random_.sample(THINGS, 2)
    x, y, z = random_.choice(right), random_.choice(other), random_.choice(VERY)
    words = {"a": a, "b": b, "x": x, "y": y, "z": z, "an_x": draw.an(x), "an_y": draw.an(y)}
    words["liked"] = random_.choice(LIKED[not positive])
    construction = random_.choice(CONSTRUCTIONS)
    if construction == "double":
        words["x2"] = random_.choice([w for w in right if w != x])
    text = random_.choice(WORDINGS[construction]).format_map(words)
    return capital(text) + ".", construction


@builder("sentiment")
def sentiment(n: int, seed: int) -> list[Labelled]:
    """Opinions, label 1 (positive) and 0 (negative) in turn; the condition is the construction."""
    random_ = draw.rng("sentiment", seed)
    made = draw.distinct(lambda i: (*_sentiment(random_, i % 2 == 0), str(1 - i % 2)), n, lambda m: m[0])
    return [
        Labelled(id=f"sentiment-{seed}-{i}", split=draw.split_of(i, n), condition=construction, text=text, label=label)
        for i, (text, construction, label) in enumerate(made)
    ]


# ---- sentences about who did what, where and when, with other words for each part

PEOPLE = WORDS["people"]
# past, participle of a verb, and of one that says the same
DEEDS = WORDS["deeds"]
WHEN = WORDS["when"]
WHERE = WORDS["where"]


@dataclass(frozen=True)
class Event:
    """Who did what to whom, when and where, as indices of the tables above."""

    agent: int
    deed: int
    patient: int
    when: int
    where: int

    def text(self, random_: random.Random, way: int, passive: bool, fronted: bool) -> str:
        """One wording; `way` 0 or 1 chooses the synonyms, each part is changed with probability one half for 1."""

        def pick() -> int:
            return random_.randrange(2) if way else 0

        agent, patient = f"the {PEOPLE[self.agent][pick()]}", f"the {PEOPLE[self.patient][pick()]}"
        past, participle = DEEDS[self.deed][pick()]
        core = f"{patient} was {participle} by {agent}" if passive else f"{agent} {past} {patient}"
        when, where = WHEN[self.when][pick()], WHERE[self.where][pick()]
        return capital(f"{when}, {core} {where}." if fronted else f"{core} {where} {when}.")


def event(random_: random.Random) -> Event:
    """Any event with two different people."""
    agent, patient = random_.sample(range(len(PEOPLE)), 2)
    deed, when, where = (random_.randrange(len(table)) for table in (DEEDS, WHEN, WHERE))
    return Event(agent, deed, patient, when, where)


def changed(random_: random.Random, e: Event, part: str) -> Event:
    """The event with one part replaced, or agent and patient exchanged (`part` = "roles")."""
    if part == "roles":
        return Event(e.patient, e.deed, e.agent, e.when, e.where)
    other = event(random_)
    while getattr(other, part) == getattr(e, part) or {other.agent, other.patient} & {e.agent, e.patient}:
        other = event(random_)
    return Event(**{name: getattr(other if name == part else e, name) for name in Event.__dataclass_fields__})


@builder("paraphrase")
def paraphrase(n: int, seed: int) -> list[Labelled]:
    """Pairs of sentences, label 1 where both report one event in other words, 0 where one part differs, in turn.

    The condition says what differs (``same``, ``roles``, ``agent``, ``deed``, …); voice, order and synonyms vary for
    both labels alike, so neither overlap nor voice gives the label away.
    """
    random_ = draw.rng("paraphrase", seed)
    parts = ("roles", "roles", "agent", "deed", "patient", "when", "where")

    def make(i: int) -> tuple[str, str, str]:
        e = event(random_)
        part = "same" if i % 2 == 0 else random_.choice(parts)
        f = e if part == "same" else changed(random_, e, part)
        while True:
            a = e.text(random_, 0, random_.random() < 0.3, random_.random() < 0.3)
            b = f.text(random_, 1, random_.random() < 0.5, random_.random() < 0.5)
            if a != b:
                return a, b, part

    made = draw.distinct(make, n, lambda m: m[:2])
    return [
        Labelled(
            id=f"paraphrase-{seed}-{i}",
            split=draw.split_of(i, n),
            condition=part,
            text=a,
            text_b=b,
            label=str(int(part == "same")),
        )
        for i, (a, b, part) in enumerate(made)
    ]
