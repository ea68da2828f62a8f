"""A hand-written fact base: cloze items and true or corrupted triples (Petroni 2019, Davison 2019).

`facts.yaml` holds the facts; every right object of a subject is an answer. There is a fixed number of them: a larger
`n` gives all (`len(base())` facts, times the templates of their relation).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from bertology_utils.data.items import MASK, Cloze, Labelled
from bertology_utils.data.text import capital

from . import builder, draw


@dataclass(frozen=True)
class Fact:
    """One subject of a relation with all its right objects."""

    relation: str
    subject: str
    objects: tuple[str, ...]
    cardinality: str
    templates: tuple[str, ...]
    wrong: tuple[str, ...]  # objects that make it false

    def text(self, template: str, object_: str) -> str:
        """The template filled; an article in braces fits whatever follows it."""
        text = template.replace("{a}", draw.an(self.subject)).replace("{s}", self.subject).replace("{o}", object_)
        if object_ != MASK:  # "a {o}" is left as it is before a gap, which must not give the answer away
            text = text.replace(f" a {object_}", f" {draw.an(object_)} {object_}")
        return capital(text)


def _pairs(text: str) -> dict[str, tuple[str, ...]]:
    """``"a=b/c, d=e"`` as subject -> objects."""
    pairs = (pair.strip().split("=") for pair in text.split(","))
    return {subject.replace("_", " "): tuple(objects.split("/")) for subject, objects in pairs}


@lru_cache(maxsize=1)
def base() -> tuple[Fact, ...]:
    """All facts, in the order of the file."""
    facts = []
    for relation, entry in draw.table("facts.yaml").items():
        right = _pairs(entry["facts"])
        pool = dict.fromkeys(o for objects in right.values() for o in objects)
        wrong = (
            _pairs(entry["wrong"])
            if "wrong" in entry
            else {
                subject: tuple(o for o in pool if o not in objects and o != subject)
                for subject, objects in right.items()
            }
        )
        facts += [
            Fact(relation, subject, objects, entry["cardinality"], tuple(entry["templates"]), wrong[subject])
            for subject, objects in right.items()
        ]
    return tuple(facts)


def _plain(template: str) -> str:
    """The template as LAMA writes it, the same for all subjects: ``A [X] is part of a [Y].``"""
    return capital(template.replace("{a}", "a").replace("{s}", "[X]").replace("{o}", "[Y]"))


@builder("facts")
def facts(n: int, seed: int) -> list[Cloze]:
    """Cloze items, template by template: the first ``len(base())`` items are different facts (petroni2019)."""
    random_ = draw.rng("facts", seed)
    passes: dict[int, list[Cloze]] = {}
    for fact in base():
        order = list(range(len(fact.templates)))
        random_.shuffle(order)
        for turn, t in enumerate(order):
            passes.setdefault(turn, []).append(
                Cloze(
                    id=f"facts-{fact.relation}-{fact.subject.replace(' ', '_')}-{t}",
                    condition=fact.relation,
                    text=fact.text(fact.templates[t], MASK),
                    answers=fact.objects,
                    meta={
                        "subject": fact.subject,
                        "object": fact.objects[0],
                        "cardinality": fact.cardinality,
                        "template": _plain(fact.templates[t]),
                    },
                )
            )
    for group in passes.values():
        random_.shuffle(group)
    return [item for turn in sorted(passes) for item in passes[turn]][:n]


@builder("triples")
def triples(n: int, seed: int) -> list[Labelled]:
    """True triples and, for each, one with another object of the same relation (davison2019).

    The false object is of the same sort (nearly always the right one of another subject), so that word frequency alone
    says little; labels alternate, so they are balanced.
    """
    random_ = draw.rng("triples", seed)
    items = []
    for fact in draw.some(base(), (n + 1) // 2, random_):
        template = random_.choice(fact.templates)
        for label, tail in (("1", random_.choice(fact.objects)), ("0", random_.choice(fact.wrong))):
            items.append(
                Labelled(
                    id=f"triples-{fact.relation}-{fact.subject.replace(' ', '_')}-{label}",
                    condition=fact.relation,
                    text=fact.text(template, tail),
                    label=label,
                    meta={"relation": fact.relation, "head": fact.subject, "tail": tail, "template": _plain(template)},
                )
            )
    return items[:n]
