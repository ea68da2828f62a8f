"""Word slots: determiners, prepositions, pronouns, nouns, names, adjectives, adverbs. Each is made once and shared."""

from __future__ import annotations

from functools import cache

from . import lexicon as lex
from .phrase import Leaf, word

NOUN = {"Sing": ("NN", "Number=Sing"), "Plur": ("NNS", "Number=Plur")}
ART = {
    "the": "Definite=Def|PronType=Art",
    "a": "Definite=Ind|PronType=Art",
    "this": "Number=Sing|PronType=Dem",
    "that": "Number=Sing|PronType=Dem",
    "these": "Number=Plur|PronType=Dem",
    "those": "Number=Plur|PronType=Dem",
    "some": "PronType=Ind",
    "every": "PronType=Tot",
    "another": "PronType=Ind",
    "no": "PronType=Neg",
    "any": "PronType=Ind",
}
ART_LEMMA = {"these": "this", "those": "that"}
# subject form, object form, possessive, reflexive, person, number, gender
PRONOUNS = {
    "I": ("I", "me", "my", "myself", 1, "Sing", ""),
    "you": ("you", "you", "your", "yourself", 2, "Sing", ""),
    "he": ("he", "him", "his", "himself", 3, "Sing", "Masc"),
    "she": ("she", "her", "her", "herself", 3, "Sing", "Fem"),
    "it": ("it", "it", "its", "itself", 3, "Sing", "Neut"),
    "we": ("we", "us", "our", "ourselves", 1, "Plur", ""),
    "they": ("they", "them", "their", "themselves", 3, "Plur", ""),
}
CASES = {"Nom": 0, "Acc": 1, "Gen": 2, "Refl": 3}
PEOPLE = ("man", "woman", "role")
POSSESSIVE_S = word("'s", "PART", "POS", chunk="B-NP")


@cache
def adposition(form: str, chunk: str = "B-PP") -> Leaf:
    """A preposition."""
    return word(form, "ADP", "IN", chunk=chunk)


@cache
def determiner(form: str) -> Leaf:
    """A determiner; *many* and *several* are adjectives in UD."""
    if form in ("many", "several"):
        return word(form, "ADJ", "JJ", "Degree=Pos", "B-NP")
    return word(form, "DET", "DT", ART[form], "B-NP", ART_LEMMA.get(form, form))


@cache
def pronoun(name: str, case: str) -> Leaf:
    """A personal, possessive or reflexive pronoun."""
    row = PRONOUNS[name]
    form, person, number, gender = row[CASES[case]], row[4], row[5], row[6]
    known = {
        "Case": "Gen" if case == "Gen" else "Acc" if case == "Refl" else case,
        "Gender": gender,
        "Number": "" if name == "you" and case != "Refl" else number,
        "Person": str(person),
        "Poss": "Yes" if case == "Gen" else "",
        "PronType": "Prs",
        "Reflex": "Yes" if case == "Refl" else "",
    }
    feats = "|".join(f"{k}={v}" for k, v in known.items() if v)
    lemma = form if case in ("Gen", "Refl") else name
    return word(form, "PRON", "PRP$" if case == "Gen" else "PRP", feats, "B-NP", lemma)


@cache
def noun(cls: str, number: str, chunk: str = "I-NP") -> Leaf:
    """The slot of a common noun."""
    xpos, feats = NOUN[number]
    return Leaf(lex.nouns(cls, number), "NOUN", xpos, feats, chunk, f"noun.{cls}", True)


@cache
def adjective_slots(cls: str) -> tuple[Leaf, ...]:
    """Slots for adjectives before a noun of a class: for any of them first, then by rank; nothing if there are none."""
    cls = (
        "person" if cls.startswith("kin_") or cls in PEOPLE else {"city": "place", "garment": "clothing"}.get(cls, cls)
    )
    tables = filter(None, (lex.words("adjectives", cls), *lex.adjective_ranks(cls)))
    return tuple(Leaf(table, "ADJ", "JJ", "Degree=Pos", "I-NP", "adj", True) for table in tables)


@cache
def name(group: str, chunk: str = "B-NP", sense: str = "name", distinct: bool = True) -> Leaf:
    """The slot of a proper noun."""
    return Leaf(lex.words("names", group), "PROPN", "NNP", "Number=Sing", chunk, sense, distinct)


@cache
def adverb(name: str, chunk: str = "B-ADVP") -> Leaf:
    """The slot of an adverb of a class."""
    return Leaf(lex.words("adverbs", name), "ADV", "RB", "_", chunk, f"adv.{name}")


@cache
def numeral() -> Leaf:
    """The slot of a cardinal numeral from two upwards."""
    table = tuple((n, n) for n in lex.source("lexicon")["numerals"].split() if n != "hundred")
    return Leaf(table, "NUM", "CD", "NumForm=Word|NumType=Card", "B-NP")


@cache
def personal(number: str | None) -> tuple[str, ...]:
    """The pronouns for people; of one number if it is given."""
    return tuple(p for p, row in PRONOUNS.items() if row[5] == (number or row[5]) and p != "it")
