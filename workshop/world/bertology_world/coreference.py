"""Pronouns and who they stand for: by gender, number, binding or meaning; with names swapped (balasubramanian2020)."""

from __future__ import annotations

from random import Random
from typing import Any

from bertology_utils.data.items import Coreference

from . import builder
from . import lexicon as lex

WORDS = lex.source("words")["coreference"]
# (frame, the one meant). {0} and {1} are the two people, {he} {him} {his} {himself} the pronoun in a form, {thing} a thing,
# {place} a city.
MEANING = WORDS["meaning"]
BINDING = WORDS["binding"]
FORMS = WORDS["forms"]
GENDERS = {"Masc": "man", "Fem": "woman"}
CONDITIONS = ("gender", "meaning", "binding", "number")
THINGS = ("thing", "gift", "garment")


def person(rng: Random, kind: str, names: bool) -> list[str]:
    """The words for somebody: a name, or *the* and a noun; plural for the kind "Plur"."""
    if kind == "Plur":
        return ["the", rng.choice(lex.nouns(rng.choice(("man", "woman", "role")), "Plur"))[0]]
    if names:
        return [rng.choice(lex.words("names", GENDERS[kind]))[0]]
    return ["the", rng.choice(lex.nouns(GENDERS[kind], "Sing"))[0]]


def compose(
    frame: str, people: list[list[str]], kinds: tuple[str, str], meant: int, thing: str, place: str
) -> tuple[tuple[str, ...], tuple[int, int], tuple[tuple[int, int], ...]]:
    """Fill a frame: words, the span of the pronoun, and those of the two candidates."""
    words: list[str] = []
    pronoun, spans = (0, 0), [(0, 0), (0, 0)]
    for w in frame.split():
        start = len(words)
        if w in ("{0}", "{1}"):
            words += people[int(w[1])]
            spans[int(w[1])] = (start, len(words))
        elif w in ("{he}", "{him}", "{his}", "{himself}"):
            words.append(FORMS[kinds[meant]][w[1:-1]])
            pronoun = (start, start + 1)
        else:
            words.append({"{thing}": thing, "{place}": place}.get(w, w))
    words[0] = words[0][0].upper() + words[0][1:]
    return tuple(words), pronoun, tuple(spans)


def _agree(frame: str, meant: str) -> str:
    """Plural agreement of the verb after a plural pronoun."""
    if meant == "Plur":
        for singular, plural in (
            ("{he} was the better player", "{he} were the better players"),
            ("{he} was", "{he} were"),
        ):
            frame = frame.replace(singular, plural)
    return frame


class Drawn:
    """The choices of one item, so that one of them can be made again."""

    def __init__(self, rng: Random, condition: str, names: bool | None = None) -> None:
        self.condition = condition
        self.frame, self.meant = rng.choice(BINDING if condition == "binding" else MEANING)
        first = rng.choice(("Masc", "Fem"))
        second = {"gender": "Fem" if first == "Masc" else "Masc", "number": "Plur"}.get(condition, first)
        self.kinds = (first, second)
        if condition == "number" and rng.random() < 0.5:
            self.kinds = (second, first)
        self.frame = _agree(self.frame, self.kinds[self.meant])
        names = rng.random() < 0.7 if names is None else names
        self.people = [person(rng, k, names) for k in self.kinds]
        while self.people[0] == self.people[1]:
            self.people[1] = person(rng, self.kinds[1], names)
        self.thing = rng.choice(lex.nouns(rng.choice(THINGS), "Sing"))[0]
        self.place = rng.choice(lex.words("names", "place"))[0]

    def item(self, id: str, **meta) -> Coreference:
        words, pronoun, spans = compose(self.frame, self.people, self.kinds, self.meant, self.thing, self.place)
        return Coreference(
            id=id,
            condition=self.condition,
            words=words,
            pronoun=pronoun,
            candidates=spans,
            answer=self.meant,
            meta={"gender": self.kinds[self.meant], **meta},
        )


@builder("coreference")
def coreference(n: int, seed: int) -> list[Coreference]:
    """Two people and a pronoun: told by gender, by number, by binding, or (same gender and number) by meaning."""
    rng = Random(f"coreference-{seed}")
    out: list[Any] = []
    seen: set[tuple[str, ...]] = set()
    while len(out) < n:
        item = Drawn(rng, CONDITIONS[len(out) % len(CONDITIONS)]).item(f"coreference-{seed}-{len(out)}")
        if item.words not in seen:
            seen.add(item.words)
            out.append(item)
    return out


@builder("name_swaps")
def name_swaps(n: int, seed: int) -> list[Coreference]:
    """Items in threes: as drawn (meta `swap` None), with one name replaced by another of its gender ("name"), and with
    another word replaced instead ("placebo"); meta `base` is the id of the first.

    The answer is the same in all three.
    """
    rng = Random(f"swaps-{seed}")
    out: list[Any] = []
    while len(out) < n:
        base = f"swaps-{seed}-{len(out)}"
        drawn = Drawn(rng, rng.choice(("gender", "meaning", "binding")), names=True)
        if "{thing}" not in drawn.frame and "{place}" not in drawn.frame:
            continue
        out.append(drawn.item(base, base=base, swap=None))
        people, which = list(drawn.people), rng.randrange(2)
        while drawn.people[which] in people:
            drawn.people[which] = person(rng, drawn.kinds[which], True)
        out.append(drawn.item(f"{base}-name", base=base, swap="name"))
        drawn.people = people
        thing, place = drawn.thing, drawn.place
        while drawn.thing == thing or drawn.place == place:
            drawn.thing = rng.choice(lex.nouns(rng.choice(THINGS), "Sing"))[0]
            drawn.place = rng.choice(lex.words("names", "place"))[0]
        if "{thing}" in drawn.frame:
            drawn.place = place  # one word only
        out.append(drawn.item(f"{base}-placebo", base=base, swap="placebo"))
    return out[:n]
