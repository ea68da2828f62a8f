"""What objects are like and what one can do with them, and sizes to compare (Forbes 2019, Da 2019).

One hand-written table (`objects.yaml`) gives everything: objects × properties, objects × affordances, what a property
lets one infer about affordances, and which of two objects is bigger or heavier.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from bertology_utils.data.items import SPLITS, ForcedChoice, Labelled
from bertology_utils.data.text import capital

from . import builder, draw

RATIO = 3.0  # how many times bigger or heavier before it is asked: typical objects vary
MASS = {"milk", "tea", "wine", "soup", "honey", "ice", "snow", "bread", "grass"}  # no article


@dataclass(frozen=True)
class Object:
    """A row of the table: what holds (`has`) and what depends (`unsure`); length in cm, weight in kg or None."""

    name: str
    cm: float | None
    kg: float | None
    has: frozenset[str]
    unsure: frozenset[str]

    @property
    def np(self) -> str:
        """The name with its article."""
        return self.name if self.name in MASS else f"{draw.an(self.name)} {self.name}"


@lru_cache(maxsize=1)
def objects() -> tuple[Object, ...]:
    """The table, in the order of the file.

    Raises
    ------
    ValueError
        Where a row names a property or affordance that is not declared.
    """
    raw = draw.table("objects.yaml")
    known = {*raw["properties"], *raw["affordances"]}
    rows = []
    for name, row in raw["objects"].items():
        measures, *lists = row.split("|")
        words = " ".join(lists).split()
        if unknown := {w.lstrip("?") for w in words} - known:
            raise ValueError(f"undeclared {sorted(unknown)} of {name!r}")
        cm, kg = (None if m == "na" else float(m) for m in measures.split())
        rows.append(
            Object(
                name, cm, kg, frozenset(w for w in words if w[0] != "?"), frozenset(w[1:] for w in words if w[0] == "?")
            )
        )
    return tuple(rows)


def _pairs(random_: random.Random, names: Iterable[str]) -> list[tuple[str, str, Object, Object]]:
    """(split, property or affordance, an object that has it, one that has not), as many as the smaller side allows.

    An object is in one split, whatever the seed, so that a probe cannot learn it by heart.
    """
    order = draw.some(objects(), len(objects()), draw.rng("objects", 0))
    split = {o.name: draw.split_of(i, len(order)) for i, o in enumerate(order)}
    pairs = []
    for name in names:
        for part in SPLITS:
            mine = [o for o in objects() if split[o.name] == part]
            right = [o for o in mine if name in o.has]
            wrong = [o for o in mine if name not in o.has | o.unsure]
            size = min(len(right), len(wrong))
            pairs += [(part, name, r, w) for r, w in zip(random_.sample(right, size), random_.sample(wrong, size))]
    return draw.some(pairs, len(pairs), random_)


def _judgements(
    task: str, key: str, said: dict[str, tuple[str, str]], starts: tuple[str, ...], n: int, seed: int
) -> list[Labelled]:
    """Right and wrong statements in turn. `said` gives the kind and the words with {x} for the object."""
    items = []
    for part, name, *pair in _pairs(draw.rng(task, seed), said):
        kind, words = said[name]
        for t, start in enumerate(starts):
            for label, o in zip("10", pair):
                items.append(
                    Labelled(
                        id=f"{task}-{o.name}-{name}-{t}",
                        split=part,
                        condition=kind,
                        label=label,
                        text=capital(f"{start}{words.format(x=o.np)}."),
                        meta={"object": o.name, "property": None, "affordance": None, "kind": kind, key: name},
                    )
                )
    return items[:n]


@builder("properties")
def properties(n: int, seed: int) -> list[Labelled]:
    """``An apple is round.`` 1/0, balanced; the condition is the kind of the property (forbes2019, da2019)."""
    said = {p: (kind, f"{{x}} {words}") for p, (kind, words) in draw.table("objects.yaml")["properties"].items()}
    return _judgements("properties", "property", said, ("", "everyone knows that "), n, seed)


@builder("affordances")
def affordances(n: int, seed: int) -> list[Labelled]:
    """``You can eat an apple.`` 1/0, balanced; the object is what the study calls afforded (forbes2019)."""
    said = {a: ("affordance", words) for a, words in draw.table("objects.yaml")["affordances"].items()}
    return _judgements("affordances", "affordance", said, ("you can ", "it is easy to "), n, seed)


LINK_TEMPLATES = (
    "If something {p}, you can {a}.",
    "It {p}, so you can {a}.",
    "Something that {p} lets you {a}.",
    "You can {a} if it {p}.",
)


@builder("property_affordance")
def property_affordance(n: int, seed: int) -> list[Labelled]:
    """``If something is liquid, you can pour it into a cup.`` 1/0, balanced; a property is in one split (forbes2019).

    No object is named: the link between property and affordance itself is asked. Most affordances are right after one
    property and wrong after another.
    """
    random_ = draw.rng("property_affordance", seed)
    links = draw.table("objects.yaml")["links"]
    order = draw.some(list(links), len(links), draw.rng("links", 0))
    pairs = []
    for i, p in enumerate(order):
        kind, *lists = (part.strip() for part in links[p].split("|"))
        for t, template in enumerate(LINK_TEMPLATES):
            sides = [
                [
                    Labelled(
                        id=f"property_affordance-{p}-{a}-{t}".replace(" ", "_"),
                        split=draw.split_of(i, len(order)),
                        text=template.format(p=p, a=a),
                        condition=kind,
                        label=label,
                        meta={"object": None, "property": p, "affordance": a, "kind": kind},
                    )
                    for a in affordances_.split(", ")
                ]
                for label, affordances_ in zip("10", lists)
            ]
            pairs += list(zip(*sides))
    return [item for pair in draw.some(pairs, len(pairs), random_) for item in pair][:n]


MEASURES = {"size": ("cm", (("bigger", "smaller"), ("larger", "smaller"))), "weight": ("kg", (("heavier", "lighter"),))}


@builder("size_comparison")
def size_comparison(n: int, seed: int) -> list[ForcedChoice]:
    """``A house is [MASK] than a person.`` bigger/smaller or heavier/lighter; each pair both ways (forbes2019).

    Only pairs whose measure differs at least threefold are asked. ``meta["ratio"]`` tells how much.
    """
    random_ = draw.rng("size_comparison", seed)
    pairs = []
    for measure, (unit, forms) in MEASURES.items():
        sized = [o for o in objects() if getattr(o, unit) is not None]
        pairs += [
            (measure, forms, a, b, getattr(a, unit) / getattr(b, unit))
            for a in sized
            for b in sized
            if getattr(a, unit) >= RATIO * getattr(b, unit)
        ]
    items = []
    for measure, forms, a, b, ratio in draw.some(pairs, (n + 1) // 2, random_):
        more, less = random_.choice(forms)
        for x, y, good, bad in ((a, b, more, less), (b, a, less, more)):
            items.append(
                ForcedChoice(
                    id=f"size_comparison-{measure}-{x.name}-{y.name}",
                    condition=measure,
                    text=capital(f"{x.np} is [MASK] than {y.np}."),
                    good=good,
                    bad=bad,
                    meta={"a": x.name, "b": y.name, "ratio": round(ratio, 3)},
                )
            )
    return items[:n]
