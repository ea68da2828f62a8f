"""Questions of one to four steps: chains of kinds, successions, places, and comparisons (Richardson 2019).

A statement follows from `hops` facts taken together; its false twin differs in the conclusion alone. For kinds,
successions and places the facts are common knowledge and not in the text; for comparisons they are its premises.
"""

from __future__ import annotations

import random
from itertools import pairwise

from bertology_utils.data.items import Labelled
from bertology_utils.data.text import capital

from . import builder, draw
from .facts import base

MOST = 4
WORDS = draw.table("words.yaml")["hops"]
# each kind of thing and what it is a kind of: the steps of "an X is a Y"
KINDS = WORDS["kinds"]
TOPS = ("living thing", "man-made thing")
ORDERS = WORDS["orders"]
_COUNT = ("one", "two", "three", "four")


def ancestors(word: str) -> list[str]:
    """What a thing is, step by step: dog -> mammal, animal, living thing."""
    found = []
    while word in KINDS:
        word = KINDS[word]
        found.append(word)
    return found


def _taxonomy(random_: random.Random, hops: int) -> tuple[str, str, str]:
    word = random_.choice([w for w in KINDS if len(ancestors(w)) >= hops])
    right = ancestors(word)[hops - 1]
    level = {ancestors(w)[hops - 1] for w in KINDS if len(ancestors(w)) >= hops}
    if right in TOPS:
        level.update(TOPS)
    related = {word, *ancestors(word)}
    wrong = random_.choice(sorted(w for w in level if w not in related and word not in ancestors(w)))
    template = random_.choice(
        ("{x} is {y}.", "{x} is a kind of {z}.", "every {s} is {y}.", "if it is {x}, then it is {y}.")
    )
    true, false = (
        template.format(x=f"{draw.an(word)} {word}", y=f"{draw.an(kind)} {kind}", z=kind, s=word)
        for kind in (right, wrong)
    )
    return true, false, f"{word} > {right}"


def _succession(random_: random.Random, hops: int) -> tuple[str, str, str]:
    relation = random_.choice(list(ORDERS))
    unit, said = ORDERS[relation]
    following = {f.subject: f.objects[0] for f in base() if f.relation == relation}
    while True:
        start = random_.choice(list(following))
        end: str | None = start
        for _ in range(hops):
            end = following.get(end) if end is not None else None
        if end is None:
            continue
        wrong = random_.choice(sorted(o for o in following.values() if o not in (start, end)))
        count = _COUNT[hops - 1]
        steps = count if unit == "number" else f"{count} {unit}{'s' if hops > 1 else ''}"
        template = f"{{e}} {said.format(k=steps)} {{s}}."
        if unit != "number" and random_.random() < 0.5:
            template = f"{count} {unit}{'s' if hops > 1 else ''} after {{s}} comes {{e}}."
        return template.format(e=end, s=start), template.format(e=wrong, s=start), f"{start} +{hops}"


PEOPLE = WORDS["people"]
COMPARED = WORDS["compared"]


def _comparison(random_: random.Random, hops: int) -> tuple[str, str, str]:
    """`hops` premises about a row of people, and whether its first or its last comes first.

    With one premise the conclusion is its converse. Premises are said either way round and in any order.
    """
    row = random_.sample(PEOPLE, hops + 1)
    more, less = random_.choice(COMPARED)
    premises = [
        f"{a} is {more} than {b}" if random_.random() < 0.5 else f"{b} is {less} than {a}" for a, b in pairwise(row)
    ]
    random_.shuffle(premises)
    given = ", and ".join(premises)
    if hops == 1:  # repeating the premise would need no step
        word, high, low = (less, row[1], row[0]) if premises[0].startswith(row[0]) else (more, row[0], row[1])
    else:
        word, high, low = random_.choice(((more, row[0], row[-1]), (less, row[-1], row[0])))
    right, wrong = (f"{given}, so {x} is {word} than {y}." for x, y in ((high, low), (low, high)))
    return right, wrong, " > ".join((more, *row))


PLACES = {  # what is said after one, two, three and four steps
    "continent": (
        "{x} is a country in {y}.",
        "{x} is a city in {y}.",
        "a {person} who works in {x} works in {y}.",
        "{name} is the child of a {person} who never left {x}, and was born in {y}.",
    ),
    "language": (
        "the language spoken in {x} is {y}.",
        "the language spoken in {x} is {y}.",
        "a {person} who works in {x} probably knows {y}.",
        "{name} is the child of a {person} who never left {x}, and probably learnt {y}.",
    ),
}


def _places(random_: random.Random, hops: int) -> tuple[str, str, str]:
    """City -> country -> language, continent or nationality; one to three steps."""
    table = {
        r: {f.subject: f.objects for f in base() if f.relation == r}
        for r in ("country", "capital", "continent", "language", "nationality")
    }
    city_of = {city: country for country, (city, *_) in table["capital"].items()} | {
        city: country for city, (country, *_) in table["country"].items()
    }
    goal = random_.choice(("continent", "language"))
    known = table[goal]
    cities = sorted(c for c, country in city_of.items() if country in known)
    city = random_.choice(cities)
    country = city_of[city]
    right = random_.choice(known[country])
    wrong = random_.choice(sorted({o for objects_ in known.values() for o in objects_} - set(known[country])))
    person = random_.choice(("baker", "teacher", "doctor", "farmer", "painter", "singer"))
    name = random_.choice(("Anna", "Peter", "Mary", "John", "Paul", "Martin"))
    subject, says = country if hops == 1 else city, PLACES[goal][hops - 1]
    true, false = (says.format(x=subject, y=y, person=person, name=name) for y in (right, wrong))
    return true, false, f"{subject} {goal}"


MAKERS = {"taxonomy": _taxonomy, "succession": _succession, "comparison": _comparison, "places": _places}


@builder("hops")
def hops(n: int, seed: int) -> list[Labelled]:
    """True and false statements in turn, of one to four steps in turn; the condition is the sort (richardson2019).

    Splits are train 70%, dev 10%, test 20%; a chain (``meta["chain"]``) is in one split. Where the statements of a sort
    are used up the others go on.
    """
    random_ = draw.rng("hops", seed)
    sorts = list(MAKERS)
    items: list[Labelled] = []
    splits: dict[str, str] = {}  # chain -> split
    texts: set[str] = set()
    for i in range((n + 1) // 2):
        steps = i % MOST + 1
        for tries in range(100):
            sort = sorts[(i // MOST + tries) % len(sorts)]  # a sort that is used up gives way to the next
            right, wrong, chain = MAKERS[sort](random_, steps)
            if right not in texts and wrong not in texts:
                break
        else:
            raise ValueError(f"no {n} distinct statements of {steps} steps: only {len(items)} items were found")
        texts |= {right, wrong}
        chain = f"{sort} {chain}"
        split = splits.setdefault(chain, draw.split_of(len(splits) * 7 % 10, 10))
        for label, text in (("1", right), ("0", wrong)):
            items.append(
                Labelled(
                    id=f"hops-{seed}-{steps}-{i}-{label}",
                    split=split,
                    condition=sort,
                    label=label,
                    text=capital(text),
                    meta={"hops": steps, "chain": chain},
                )
            )
    return items[:n]
