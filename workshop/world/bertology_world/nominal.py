"""Noun phrases: determiners, adjectives, possessors, numerals, names, pronouns, attributes, coordination."""

from __future__ import annotations

from functools import cache
from itertools import count
from random import Random

from . import lexicon as lex
from .chance import Chance, weights
from .phrase import Leaf, Phrase, join, single, word
from .slots import (
    PEOPLE,
    POSSESSIVE_S,
    PRONOUNS,
    adjective_slots,
    adposition,
    determiner,
    name,
    noun,
    numeral,
    personal,
    pronoun,
)

DETERMINERS = {
    "Sing": ("the",) * 12 + ("a",) * 7 + ("this", "this", "that", "every", "another"),
    "Plur": ("the",) * 8 + ("these", "those", "some", "some", "many", "several"),
    "embedded Sing": ("the", "the", "a"),
    "embedded Plur": ("the", "the", "the", "some"),
    "embedded mass": ("the",),
    "mass": ("the",) * 3 + ("some",) * 2,
}
GENDER = {
    "man": "Masc",
    "kin_man": "Masc",
    "woman": "Fem",
    "kin_woman": "Fem",
    "role": "",
    "kin_role": "",
    "animal": "Neut",
}
NAMEABLE = (*PEOPLE, "animal")  # whom a pronoun may stand for


ADJECTIVES = weights({0: 13, 1: 6, 2: 1})  # how many there are


def pronoun_for(phrase: Phrase) -> str | None:
    """The pronoun that may stand for a noun phrase, or None where its gender is open."""
    if phrase.person != 3:
        return {(1, "Sing"): "I", (1, "Plur"): "we"}.get((phrase.person, phrase.number), "you")
    if phrase.number == "Plur":
        return "they"
    return {"Masc": "he", "Fem": "she", "Neut": "it"}.get(phrase.gender)


class NounPhrases(Chance):
    """Draws noun phrases; each has a fresh cluster unless it refers back.

    Parameters
    ----------
    rng : random.Random
        The only source of chance.

    Attributes
    ----------
    possessives : bool
        Whether there are any, pronouns or names with 's.
    ownership : float
        How often what people can own has an owner.
    """

    possessives = True
    ownership = 0.3

    def __init__(self, rng: Random) -> None:
        super().__init__(rng)
        self._clusters = count()

    def adjectives(self, cls: str, number: int) -> list[tuple[str, Leaf]]:
        """Up to two adjectives that fit a noun class, in the order in which English puts them, as parts of a noun phrase."""
        slots = adjective_slots(cls)
        ranks = len(slots) - 1
        if number > 1 and ranks > 1:
            return [("amod", slots[i + 1]) for i in sorted(self.rng.sample(range(ranks), 2))]
        return [("amod", slots[0])] if number and slots else []

    def _finish(
        self,
        phrase: Phrase,
        cls: str,
        number: str,
        person: int = 3,
        gender: str | None = None,
        cluster: int | None = None,
        kind: str = "NOM",
    ) -> Phrase:
        phrase.cls, phrase.number, phrase.person = cls, number, person
        phrase.gender = GENDER.get(cls, "") if gender is None else gender
        phrase.cluster = next(self._clusters) if cluster is None else cluster
        return phrase.mark("mention", kind, head=phrase.cluster)

    def pronoun_np(self, name: str, case: str, refer: Phrase | None = None) -> Phrase:
        """A pronoun, referring back to `refer` if given."""
        row = PRONOUNS[name]
        phrase = single(pronoun(name, case), "NP")
        cls = refer.cls if refer else "role"
        return self._finish(phrase, cls, row[5], row[4], row[6], refer.cluster if refer else None, "PRO")

    def name_np(self, cls: str) -> Phrase:
        """A person's or a place's name, with its entity span."""
        phrase = single(name("place" if cls == "city" else cls, "B-NP", f"name.{cls}"))
        if cls != "city" and self.chance(0.3):
            phrase = join("", ("head", phrase), ("flat", name("family", "I-NP")))
        phrase.bracket("NP").mark("entity", "GPE" if cls == "city" else "PERSON")
        return self._finish(phrase, cls, "Sing", kind="NAM")

    def organisation(self) -> Phrase:
        """*Boston University*."""
        kind = name("organisation", "I-NP", "name.group", distinct=False)
        phrase = join("NP", ("compound", name("place")), ("head", kind)).mark("entity", "ORG")
        return self._finish(phrase, "group", "Sing", kind="NAM")

    def landmark(self) -> Phrase:
        """*the Rhine*."""
        river = name("landmark", "I-NP", "name.nature")
        phrase = join("NP", ("det", determiner("the")), ("head", river)).mark("entity", "LOC")
        return self._finish(phrase, "nature", "Sing", kind="NAM")

    def np(
        self,
        classes: tuple[str, ...] | str,
        number: str | None = None,
        *,
        case: str = "Nom",
        depth: int = 1,
        refer: Phrase | None = None,
        free: bool = True,
        referential: bool = True,
    ) -> Phrase:
        """A noun phrase.

        Parameters
        ----------
        classes : str or tuple of str
            Noun classes (or unions) to choose from.
        number : {"Sing", "Plur"}, optional
        depth : int
            How many more levels of modification by phrases and clauses there may be.
        refer : Phrase, optional
            A noun phrase to which a possessive may refer back.
        free : bool
            Whether pronouns, names and coordination are allowed.
        referential : bool
            False for predicates: no mention, a determiner *a* or none.
        """
        cls = self.plain_class(classes)
        if lex.is_mass(cls):
            number = "Sing"
        if free and referential:
            if cls in PEOPLE and self.chance(0.12):
                return self.pronoun_np(self.choice(personal(number)), case)
            if number != "Plur" and (
                (cls in ("man", "woman") and self.chance(0.45)) or (cls == "city" and self.chance(0.5))
            ):
                return self.name_np(cls)
            if number != "Plur" and self.chance(0.2) and cls in ("group", "nature"):
                return self.organisation() if cls == "group" else self.landmark()
            if number != "Sing" and cls in PEOPLE and self.chance(0.06):
                return self.coordinated(cls)
        number = number or ("Plur" if self.chance(0.3) else "Sing")
        phrase = self.common(cls, number, refer=refer, referential=referential, embedded=depth <= 0)
        if depth > 0 and referential and self.chance(0.35):
            phrase = self.modified(phrase, depth)
        if referential:
            phrase.mark("mention", "NOM", head=phrase.cluster)
        return phrase

    def common(
        self,
        cls: str,
        number: str,
        det: str | None = None,
        adjectives: int | None = None,
        refer: Phrase | None = None,
        referential: bool = True,
        embedded: bool = False,
    ) -> Phrase:
        """A base noun phrase around a common noun (no mention is marked yet: it may still be modified)."""
        parts = [_determined(det)] if det is not None else self._start(cls, number, refer, referential, embedded)
        adjectives = adjectives if adjectives is not None else self.weighted(ADJECTIVES)
        if adjectives:
            parts += self.adjectives(cls, adjectives)
        compounds = lex.compounds(cls)
        if compounds and number == "Sing" and det is None and self.chance(0.12):
            first, second = self.choice(compounds)
            parts.append(("compound", word(first, "NOUN", "NN", "Number=Sing", "I-NP", sense="noun")))
            parts.append(("head", word(second, "NOUN", "NN", "Number=Sing", "I-NP", sense=f"noun.{cls}")))
        else:
            parts.append(("head", noun(cls, number)))
        relation, opening = parts[0]
        # with no determiner, an adjective or the noun begins the chunk
        if isinstance(opening, Leaf) and opening.chunk != "B-NP":
            parts[0] = (relation, opening._replace(chunk="B-NP"))
        phrase = join("NP", *parts)
        phrase.cls, phrase.number, phrase.gender = cls, number, GENDER.get(cls, "")
        phrase.cluster = next(self._clusters)
        return phrase

    def _start(self, cls: str, number: str, refer: Phrase | None, referential: bool, embedded: bool) -> list:
        """Determiner, numeral or possessor, as parts of a noun phrase."""
        if lex.listed(cls, "bare"):
            return []
        mass = lex.is_mass(cls)
        if not referential:
            return [] if number == "Plur" or mass else [_determined("a")]
        must = cls.startswith("kin_") or cls == "part"
        if self.possessives and lex.listed(cls, "owned") and (must or self.chance(self.ownership)):
            own = pronoun_for(refer) if refer is not None and refer.cls in NAMEABLE else None
            if refer is not None and own and (cls == "part" or self.chance(0.7)):
                owner = single(pronoun(own, "Gen")).mark("mention", "PRO", head=refer.cluster)
                return [("nmod:poss", owner)]
            if must or self.chance(0.6):
                return [("nmod:poss", self._owner())]
            owner = single(pronoun(self.choice(("I", "he", "she", "we", "they")), "Gen"))
            return [("nmod:poss", owner.mark("mention", "PRO", head=next(self._clusters)))]
        if number == "Plur" and not embedded and self.chance(0.15):
            return [("nummod", single(numeral()).mark("entity", "CARDINAL"))]
        where = "embedded " if embedded else ""
        return [_determined(self.choice(DETERMINERS[where + ("mass" if mass else number)]))]

    def _owner(self) -> Phrase:
        """A short possessor with its 's."""
        cls = self.choice(PEOPLE)
        if cls != "role" and self.chance(0.5):
            owner = self.name_np(cls)
            owner = join("NP", ("head", owner), ("case", POSSESSIVE_S))
        else:
            base = self.common(cls, "Sing", det="the", adjectives=int(self.chance(0.2)))
            owner = join("NP", ("head", base), ("case", POSSESSIVE_S))
            owner.mark("mention", "NOM", end=owner.length - 1, head=base.cluster)
        return owner

    def modified(self, phrase: Phrase, depth: int) -> Phrase:
        """The noun phrase with a prepositional phrase after it (clauses are added by the grammar)."""
        options = lex.source("lexicon")["attributes"].get(phrase.cls)
        if not options:
            return phrase
        preposition, cls = self.choice(options).split()
        return join("NP", ("head", phrase), ("nmod", self.pp(preposition, cls, depth - 1)))

    def pp(
        self,
        preposition: str,
        classes: tuple[str, ...] | str,
        depth: int = 0,
        number: str | None = None,
        free: bool = True,
        refer: Phrase | None = None,
    ) -> Phrase:
        """A prepositional phrase around a new noun phrase."""
        return pp_of(preposition, self.np(classes, number, case="Acc", depth=depth, free=free, refer=refer))

    def coordinated(self, cls: str) -> Phrase:
        """Two noun phrases joined by *and*; plural."""

        def one(c: str) -> Phrase:
            if c != "role" and self.chance(0.6):
                return self.name_np(c)
            return self._mentioned(self.common(c, "Sing", adjectives=0))

        first, second = one(cls), one(self.choice(PEOPLE))
        conjunction = join("", ("cc", word("and", "CCONJ", "CC")), ("head", second))
        both = join("NP", ("head", first), ("conj", conjunction))
        return self._finish(both, "role", "Plur", gender="")

    @staticmethod
    def _mentioned(phrase: Phrase) -> Phrase:
        return phrase.mark("mention", "NOM", head=phrase.cluster)


@cache
def _determined(form: str) -> tuple[str, Leaf]:
    leaf = determiner(form)
    return "amod" if leaf.upos == "ADJ" else "det", leaf


def pp_of(preposition: str, np: Phrase) -> Phrase:
    """A prepositional phrase around a given noun phrase, which stays the head in UD."""
    return join("PP", ("case", adposition(preposition)), ("head", np))
