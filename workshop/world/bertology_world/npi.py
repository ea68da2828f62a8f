"""Negative polarity items: licensed, unlicensed, out of the licensor's scope (warstadt2019).

Every environment has a sentence in which the licensor (``{L}``) commands the predicate with the NPI (``{P}``) and one
in which it stands in the same sentence without commanding it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from random import Random
from typing import Any

from bertology_utils.data.items import MASK, ForcedChoice, Labelled, MinimalPair

from . import builder
from . import lexicon as lex
from .slots import PEOPLE

WORDS = lex.source("words")["npi"]
# NPI -> (the word put in its place where there is none, where it stands in the predicate)
NPIS = WORDS["npis"]


@dataclass(frozen=True)
class Environment:
    """`licensed` and `outside` are frames; each licensor has a word that may replace it without licensing."""

    name: str
    licensors: tuple[tuple[str, str], ...]
    npis: tuple[str, ...]
    licensed: str
    outside: str = ""
    unlicensed: str = ""  # where a swap of words does not undo the licensing


ENVIRONMENTS = tuple(Environment(**e) for e in WORDS["environments"])
OBJECTS = ("read", "drive", "build", "carry", "trade", "consider", "cross", "operate", "wear")
_SPLITS = ("train",) * 8 + ("dev", "test")
PERSONS = [w for c in PEOPLE for w, _ in lex.nouns(c, "Sing")]
PARTICIPLES = {lemma: form for form, lemma in lex.frame("transitive", "help").table("VBN")}


class Draw:
    """The words of one item; `render` puts them into a frame."""

    def __init__(self, rng: Random, env: Environment) -> None:
        self.env = env
        self.npi = rng.choice(env.npis)
        self.licensor, self.other = rng.choice(env.licensors)
        self.instead = rng.choice(NPIS[self.npi][0])
        s, t, u = rng.sample(PERSONS, 3)
        verb = rng.choice(lex.frame("transitive", rng.choice(("help", "watch"))).table("VBD"))
        frame = lex.frame("transitive", rng.choice(OBJECTS))
        i = rng.randrange(len(frame.verbs))
        cls = rng.choice([m for c in frame.obj for m in lex.members(c)])
        j = rng.randrange(len(lex.nouns(cls, "Sing")))
        intransitive = lex.frame("intransitive", "play").table("VBN")
        self.words = {
            "s": s,
            "t": t,
            "u": u,
            "vbd": verb[0],
            "vbd2": PARTICIPLES.get(verb[1], verb[0]),
            "vbn": frame.table("VBN")[i][0],
            "o": lex.nouns(cls, "Sing")[j][0],
            "os": lex.nouns(cls, "Plur")[j][0],
            "vbi": rng.choice(intransitive)[0],
            "a": rng.choice(lex.words("states", "person"))[0],
        }

    def render(self, frame: str, licensor: str, npi: str) -> str:
        """The sentence with these words for licensor and NPI."""
        predicate = NPIS[self.npi][1].format(N=npi, **self.words)
        text = frame.format(L=licensor, P=predicate, **self.words)
        return text[0].upper() + text[1:]

    def licensed(self) -> str:
        return self.render(self.env.licensed, self.licensor, self.npi)

    def unlicensed(self, npi: str | None = None) -> str:
        return self.render(self.env.unlicensed or self.env.licensed, self.other, npi or self.npi)

    def outside(self, npi: str | None = None) -> str:
        return self.render(self.env.outside, self.licensor, npi or self.npi)


def _kinds(*excluded: str) -> list[tuple[Environment, str]]:
    return [
        (env, what)
        for env in ENVIRONMENTS
        for what in ("licensor", "npi", "scope")
        if (what != "scope" or env.outside) and what not in excluded
    ]


@builder("npi_pairs")
def npi_pairs(n: int, seed: int) -> list[MinimalPair]:
    """Minimal pairs: without the `licensor`, with the `npi` where nothing licenses it, out of `scope`."""
    rng, out, kinds = Random(f"npi-{seed}"), [], cycle(_kinds())
    for i in range(n):
        env, what = next(kinds)
        draw = Draw(rng, env)
        if what == "npi":
            good, bad = draw.unlicensed(draw.instead), draw.unlicensed()
        else:
            good, bad = draw.licensed(), draw.unlicensed() if what == "licensor" else draw.outside()
        out.append(
            MinimalPair(
                id=f"npi-{seed}-{i}",
                condition=what,
                good=good,
                bad=bad,
                meta={"environment": env.name, "npi": draw.npi},
            )
        )
    return out


@builder("npi_cloze")
def npi_cloze(n: int, seed: int) -> list[ForcedChoice]:
    """One word masked: the licensor of an NPI; or the NPI where nothing licenses it, or out of scope."""
    rng = Random(f"npi-cloze-{seed}")
    out: list[Any] = []
    kinds = cycle([(e, w) for e, w in _kinds() if not (e.name == "question" and w == "licensor")])
    while len(out) < n:
        env, what = next(kinds)
        draw = Draw(rng, env)
        while what != "licensor" and draw.npi == "at all":  # two words
            draw = Draw(rng, env)
        if what == "licensor":
            text, good, bad = draw.render(env.licensed, MASK, draw.npi), draw.licensor, draw.other
        else:
            text = draw.unlicensed(MASK) if what == "npi" else draw.outside(MASK)
            good, bad = draw.instead, draw.npi
        out.append(
            ForcedChoice(
                id=f"npi-cloze-{seed}-{len(out)}",
                condition=what,
                text=text,
                good=good,
                bad=bad,
                meta={"environment": env.name, "npi": draw.npi},
            )
        )
    return out


@builder("npi_acceptability")
def npi_acceptability(n: int, seed: int) -> list[Labelled]:
    """Sentences with label 1 or 0 in turn: licensed, or with no NPI at all; unlicensed, or out of scope."""
    rng, out, environments = Random(f"npi-acceptability-{seed}"), [], cycle(ENVIRONMENTS)
    for i in range(n):
        if i % 2 == 0:
            env = next(environments)
        draw = Draw(rng, env)
        first = rng.random() < 0.5
        if i % 2 == 0:
            kind, text = ("licensed", draw.licensed()) if first else ("no npi", draw.unlicensed(draw.instead))
        elif first or not env.outside:
            kind, text = "unlicensed", draw.unlicensed()
        else:
            kind, text = "out of scope", draw.outside()
        out.append(
            Labelled(
                id=f"npi-acceptability-{seed}-{i}",
                split=_SPLITS[(i // 2) % 10],
                condition=env.name,
                text=text,
                label="1" if i % 2 == 0 else "0",
                meta={"kind": kind, "npi": draw.npi},
            )
        )
    return out
