"""Categories and facts with and without *not*: a robin is a bird, a robin is not a tree (ettinger2019, kassner2020)."""

from __future__ import annotations

import re
from functools import cache
from random import Random

from bertology_utils.data.items import MASK, Cloze, ForcedChoice
from bertology_utils.data.text import capital

from . import builder
from .facts import base
from .lexicon import source, takes_an

# carriers: what stands before and after "is (not)"; {X} the thing with its article
_SIMPLE = source("words")["negation"]["simple"]

_SINGLE = ("person", "city", "country", "planet", "month", "season", "colour", "language")  # Paris is no *kind* of city


@cache
def pairs() -> tuple[tuple[str, str, str], ...]:
    """All (thing with its article, category, the category's article)."""
    out = []
    for article in ("a", "an"):
        for category, things in source("taxonomy")[article].items():
            bare = isinstance(things, dict)
            for thing in (things["bare"] if bare else things).split():
                out.append((thing if bare else f"{'an' if takes_an(thing) else 'a'} {thing}", category, article))
    return tuple(out)


def simple() -> list[tuple[str, str, str, str]]:
    """All (thing, carrier, right category, wrong category).

    Wrong categories go round those with the same article, so that each is as often right as wrong or nearly so.
    """
    out = []
    for k, carrier in enumerate(_SIMPLE):
        for i, (thing, category, article) in enumerate(pairs()):
            if "kind of" in carrier and (article == "an" or category in _SINGLE):
                continue
            others = [c for c in source("taxonomy")[article] if c != category]
            out.append((thing, carrier, category, others[(i + 3 * k) % len(others)]))
    return out


def _text(carrier: str, thing: str, article: str, negated: bool) -> str:
    article = "a" if "kind of" in carrier else article
    return carrier.format(x=capital(thing), y=thing, a=article, m=MASK, **{"not": "not " if negated else ""})


@builder("negation")
def negation(n: int, seed: int) -> list[ForcedChoice]:
    """Affirmative and negated versions one after the other; `good` makes the sentence true; at most all there are.

    Every tenth pair is of the set "natural", the others "simple"; meta `pair` joins the two versions, `thing` the pairs
    about the same thing.
    """
    rng = Random(f"negation-{seed}")
    plain, natural = simple(), list(source("taxonomy")["natural"])
    rng.shuffle(plain)
    rng.shuffle(natural)
    articles = {category: article for _, category, article in pairs()}
    out: list[ForcedChoice] = []
    for i in range((n + 1) // 2):
        if natural and (i % 10 == 9 or not plain):
            carrier, true, false = natural.pop()
            thing = carrier.partition("{not}")[0]
            texts = [carrier.replace("{not}", " not" if neg else "").replace("{}", MASK) for neg in (False, True)]
            kind = "natural"
        elif plain:
            thing, carrier, true, false = plain.pop()
            texts = [_text(carrier, thing, articles[true], neg) for neg in (False, True)]
            kind = "simple"
        else:
            break
        for condition, text, good, bad in (("affirmative", texts[0], true, false), ("negated", texts[1], false, true)):
            out.append(
                ForcedChoice(
                    id=f"negation-{seed}-{i}-{condition}",
                    condition=condition,
                    text=text,
                    good=good,
                    bad=bad,
                    meta={"pair": i, "set": kind, "thing": thing},
                )
            )
    return out[:n]


_BE = re.compile(r"\b(is|are|was|were)\b")


@builder("negated_facts")
def negated_facts(n: int, seed: int) -> list[Cloze]:
    """Facts with a form of *be* before the gap, affirmative and negated one after the other; at most all there are.

    The answer is that of the affirmative sentence; meta `pair`, `set`, `relation`, `subject` as in LAMA's (kassner2020).
    """
    found = []
    for fact in base():
        for k, template in enumerate(fact.templates):
            text = fact.text(template, MASK)
            if (be := _BE.search(text)) and be.end() < text.index(MASK):
                found.append((fact, f"{fact.relation}-{fact.subject}-{k}".replace(" ", "_"), text, be.end()))
    Random(f"negated-facts-{seed}").shuffle(found)
    out = []
    for fact, pair, text, at in found[: (n + 1) // 2]:
        for condition, version in (("affirmative", text), ("negated", f"{text[:at]} not{text[at:]}")):
            meta = {"pair": pair, "set": "facts", "relation": fact.relation, "subject": fact.subject}
            out.append(
                Cloze(id=f"{pair}-{condition}", condition=condition, text=version, answers=fact.objects, meta=meta)
            )
    return out[:n]
