"""Verb groups: auxiliaries, agreement, tense, negation, voice; and the adjuncts of time, manner and place."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from . import lexicon as lex
from .nominal import NounPhrases, pp_of
from .phrase import Leaf, Phrase, join, single, word
from .slots import adverb, determiner, name

BE = {"Pres": {"Plur": "are", 1: "am", 2: "are", 3: "is"}, "Past": {"Plur": "were", 1: "was", 2: "were", 3: "was"}}
HAVE, DO = {"VBZ": "has", "VBP": "have", "VBD": "had"}, {"VBZ": "does", "VBP": "do", "VBD": "did"}
NONFINITE = {"VB": "VerbForm=Inf", "VBN": "Tense=Past|VerbForm=Part", "VBG": "Tense=Pres|VerbForm=Part"}
MODALS = {"Past": ("could", "would", "might"), "Pres": ("will", "can", "must", "should", "may", "will", "can")}


class Form(NamedTuple):
    """What a verb group expresses."""

    tense: str = "Past"
    aspect: str = "simple"  # simple, perfect, progressive
    modal: str = ""
    negated: bool = False
    passive: bool = False
    force_do: bool = False  # questions need an auxiliary


def finite_tag(tense: str, number: str, person: int) -> str:
    """VBD, VBZ or VBP."""
    if tense == "Past":
        return "VBD"
    return "VBZ" if number == "Sing" and person == 3 else "VBP"


def finite_feats(tense: str, number: str, person: int) -> str:
    """Morphological features of a finite verb."""
    return f"Mood=Ind|Number={number}|Person={person}|Tense={tense}|VerbForm=Fin"


@cache
def be(tag: str, tense: str, number: str, person: int) -> Leaf:
    """The verb *be* as an auxiliary or copula; `tag` is "fin" or a non-finite Penn tag."""
    if tag == "fin":
        form = BE[tense]["Plur" if number == "Plur" else person]
        return word(form, "AUX", finite_tag(tense, number, person), finite_feats(tense, number, person), "B-VP", "be")
    return word({"VB": "be", "VBN": "been", "VBG": "being"}[tag], "AUX", tag, NONFINITE[tag], "+VP", "be")


def auxiliary(table: dict[str, str], lemma: str, tense: str, number: str, person: int) -> Leaf:
    """A finite form of *have* or *do*."""
    tag = finite_tag(tense, number, person)
    return word(table[tag], "AUX", tag, finite_feats(tense, number, person), "B-VP", lemma)


def verb_group(form: Form, subject: Phrase, be_last: bool = False) -> tuple[tuple[tuple[str, Leaf], ...], str]:
    """Auxiliaries in order (relation, slot) and the tag of the main verb ("fin" if it is finite).

    be_last
        The main verb is the copula, which needs no *do*.
    """
    return _verb_group(form, subject.number, subject.person, be_last)


@cache
def _verb_group(form: Form, number: str, person: int, be_last: bool) -> tuple[tuple[tuple[str, Leaf], ...], str]:
    steps: list[tuple[str, str]] = []  # (what, tag it demands of what follows)
    if form.modal:
        steps.append(("modal", "VB"))
    if form.aspect == "perfect":
        steps.append(("have", "VBN"))
    if form.aspect == "progressive":
        steps.append(("be", "VBG"))
    if form.passive:
        steps.append(("be:pass", "VBN"))
    if not steps and (form.negated or form.force_do) and not be_last:
        steps.append(("do", "VB"))
    out, tag = [], "fin"
    for what, demands in steps:
        relation = "aux:pass" if what == "be:pass" else "aux"
        if what == "modal":
            out.append((relation, word(form.modal, "AUX", "MD", "VerbForm=Fin", "B-VP")))
        elif what in ("be", "be:pass"):
            out.append((relation, be(tag, form.tense, number, person)))
        elif tag == "fin":
            table = HAVE if what == "have" else DO
            out.append((relation, auxiliary(table, what, form.tense, number, person)))
        else:
            out.append((relation, word("have", "AUX", "VB", "VerbForm=Inf", "+VP", "have")))
        tag = demands
    return tuple(out), tag


def main_verb(frame: lex.Frame, tag: str, tense: str, subject: Phrase) -> Leaf:
    """The slot of the main verb in the form demanded."""
    return _main_verb(frame, tag, tense, subject.number, subject.person)


@cache
def _main_verb(frame: lex.Frame, tag: str, tense: str, number: str, person: int) -> Leaf:
    sense = f"verb.{frame.kind}.{frame.name}"
    if tag == "fin":
        tag = finite_tag(tense, number, person)
        return Leaf(frame.table(tag), "VERB", tag, finite_feats(tense, number, person), "B-VP", sense, True)
    return Leaf(frame.table(tag), "VERB", tag, NONFINITE[tag], "+VP", sense, True)


def wrap(auxiliaries: tuple[tuple[str, Leaf], ...], vp: Phrase, negated: bool = False, roles: bool = True) -> Phrase:
    """Put auxiliaries in front of a verb phrase, each opening a verb phrase of its own; *not* follows the first.

    roles
        Whether modals and negations have roles: they do where the main verb has.
    """
    for i in range(len(auxiliaries) - 1, -1, -1):
        relation, leaf = auxiliaries[i]
        first = (relation, leaf, "ARGM-MOD") if roles and leaf.xpos == "MD" else (relation, leaf)
        if i == 0 and negated:
            vp = join("VP", first, ("advmod", cue(NOT), "ARGM-NEG") if roles else ("advmod", cue(NOT)), ("head", vp))
        else:
            vp = join("VP", first, ("head", vp))
    return vp


def cue(leaf: Leaf, label: str = "") -> Phrase:
    """A negation with its cue; the scope is that of the clause, once it is closed."""
    return single(leaf, label).mark("cue", "negation")


LAST = ("last", ("week", "year", "night", "month", "summer", "winter", "spring"))
NEXT = ("next", ("week", "year", "month", "summer", "winter", "spring"))
EVERY = ("day", "week", "year", "night", "month", "morning", "evening")
NOT = word("not", "PART", "RB", "Polarity=Neg", "+VP")
NEVER = word("never", "ADV", "RB", "_", "+VP")


class Adjuncts(NounPhrases):
    """Phrases of time, manner and place; each comes as (relation, phrase, role)."""

    def time(self, tense: str) -> tuple[str, Phrase, str]:
        """When it happened, is, or will be."""
        kind = self.choice(("day", "daypart", "year", "month", "weekday", "event", "bare", "adverb"))
        if kind == "day" and tense in ("Past", "Fut"):
            first, nouns = LAST if tense == "Past" else NEXT
            return self._unmarked(first, "JJ", self.choice(nouns))
        if kind == "bare":
            form = {"Past": "yesterday", "Fut": "tomorrow"}.get(tense, "today")
            return "obl:unmarked", _dated(word(form, "NOUN", "NN", "Number=Sing", "B-NP")), "ARGM-TMP"
        if kind == "adverb":
            leaf = word({"Past": "then", "Fut": "soon"}.get(tense, "now"), "ADV", "RB", "_", "B-ADVP")
            return "advmod", single(leaf, "ADVP"), "ARGM-TMP"
        if kind == "year" and tense == "Past":
            year = word(str(self.rng.randrange(1800, 2010)), "NUM", "CD", "NumForm=Digit|NumType=Card", "B-NP")
            return "obl", pp_of("in", _dated(year)), "ARGM-TMP"
        if kind == "month" and tense != "Pres":
            return "obl", pp_of("in", _dated(name("month"))), "ARGM-TMP"
        if kind == "weekday" and tense != "Pres":
            return "obl", pp_of("on", _dated(name("weekday"))), "ARGM-TMP"
        if kind == "event" and tense == "Past":
            base = self.common("event", "Sing", det="the", adjectives=0)
            return "obl", pp_of(self.choice(("before", "after", "during")), self._mentioned(base)), "ARGM-TMP"
        if tense == "Pres" and self.chance(0.6):
            return self._unmarked("every", "DT", self.choice(EVERY))
        form = self.choice(("morning", "evening", "summer", "winter"))
        noun = word(form, "NOUN", "NN", "Number=Sing", "I-NP")
        return "obl", pp_of("in", join("NP", ("det", determiner("the")), ("head", noun))), "ARGM-TMP"

    @staticmethod
    def _unmarked(first: str, xpos: str, noun: str) -> tuple[str, Phrase, str]:
        leaf = determiner(first) if xpos == "DT" else word(first, "ADJ", "JJ", "Degree=Pos", "B-NP")
        head = word(noun, "NOUN", "NN", "Number=Sing", "I-NP")
        np = join("NP", ("det" if xpos == "DT" else "amod", leaf), ("head", head))
        return "obl:unmarked", np.mark("entity", "DATE"), "ARGM-TMP"

    def manner(self, frame: lex.Frame) -> tuple[str, Phrase, str] | None:
        """How it was done, if the frame has adverbs of manner."""
        if frame.adverb == "none":
            return None
        return "advmod", single(adverb(frame.adverb), "ADVP"), "ARGM-MNR"

    def place(self, frame: lex.Frame) -> tuple[str, Phrase, str] | None:
        """Where it happened, if the frame has natural places."""
        if not frame.place:
            return None
        cls = self.choice(frame.place)
        preposition, _ = self.choice(lex.words("prepositions_locative", cls))
        np = self.np(cls, "Sing", case="Acc", depth=0)
        return "obl", pp_of("in" if np.cls == "city" and preposition == "in" else preposition, np), "ARGM-LOC"


def _dated(leaf: Leaf) -> Phrase:
    return single(leaf, "NP").mark("entity", "DATE")
