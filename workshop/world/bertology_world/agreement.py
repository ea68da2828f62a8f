"""Subject-verb agreement: a masked verb, its right and its wrong form, by construction and number of attractors.

An attractor is a noun between the head of the subject and the verb whose number is not the subject's (Linzen 2016).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any, NamedTuple

from bertology_utils.data.items import ForcedChoice, Sentence

from . import builder
from . import lexicon as lex
from .grammar import OWN, PERIOD, Grammar, relativiser, subordinator
from .nominal import pp_of
from .phrase import Phrase, join, single, word
from .predicates import frames_for
from .sentence import Skeleton, compile_phrase, with_mask
from .slots import PEOPLE
from .verbal import Form, main_verb, verb_group, wrap

CONDITIONS = ("simple", "pp", "subject relative", "object relative", "coordinated verb phrase", "sentential complement")
NUMBERS = ("Sing", "Plur")
UNINFLECTED = frozenset({"sheep", "deer", "fish", "hair"})  # no difference between singular and plural
SUBJECTS = ("man", "woman", "role", "role", "animal", "building", "text", "vehicle", "thing")
POOL = 1200
PRESENT, FULL = 0.96, 0.9  # shares: of the present tense, and of full verbs in it


@cache
def partner(form: str) -> str:
    """The finite form of the other number: *is* for *are*, *run* for *runs*.

    Raises
    ------
    KeyError
        If the form does not show number.
    """
    return _partners()[form]


@cache
def _partners() -> dict[str, str]:
    out = {"is": "are", "was": "were", "has": "have", "does": "do"}
    for kind in lex.source("verbs"):
        if kind != "proto":
            for frame in lex.frames(kind):
                out |= {s: p for (s, _), (p, _) in zip(frame.table("VBZ"), frame.table("VBP"))}
    return out | {p: s for s, p in out.items()}


class Agreement(Grammar):
    """Draws sentences whose main verb follows the subject at once or after material of the condition."""

    possessives = False  # *his* and *their* would show the subject's number, or seem to

    def noun_phrase(self, classes: tuple[str, ...] | str, number: str, adjectives: int = 0) -> Phrase:
        """A definite noun phrase that shows its number in the noun alone."""
        cls = self.plain_class(classes)
        return self._mentioned(self.common(cls, number, det="the", adjectives=adjectives))

    def other(self, number: str) -> str:
        """Mostly the other number, so that attractors are frequent."""
        return NUMBERS[NUMBERS.index(number) ^ self.chance(0.65)]

    def predicate(self, subject: Phrase, tense: str, second: bool = False) -> tuple[Phrase, str | None]:
        """A verb phrase whose first word agrees with the subject: copula, auxiliary or, in the present, a verb.

        Nothing else in it shows number, so *was a singer* is left out; *and has left* is odd after a present tense.
        """
        kinds = ("copula", "progressive", "perfect")[: 3 - second] if tense == "Pres" else ("copula", "progressive")
        # full verbs, so that be and have are a third of the items at most: they alone say little of agreement
        kind = "lexical" if tense == "Pres" and self.chance(FULL) else self.choice(kinds)
        if kind == "copula":
            return self.copular(tense, subject, Form(tense), nominal=False), None
        options = [
            f
            for k in ("transitive", "intransitive", "prepositional")
            for f in frames_for(subject.cls, k)
            if (kind == "lexical" or not f.state) and f.name not in OWN
        ]
        if not options:
            raise LookupError(subject.cls)
        frame = self.choice(options)
        form = Form(tense, "simple" if kind == "lexical" else kind)
        auxiliaries, tag = verb_group(form, subject)
        return wrap(auxiliaries, self.verb_phrase(frame, tag, tense, subject, 0, adjuncts=False)), frame.subject_role

    def chain(self, subject: Phrase, length: int, number: str) -> Phrase:
        """A noun phrase with `length` prepositional phrases, one inside the other or side by side."""
        options = [o.split() for o in lex.source("lexicon")["attributes"].get(subject.cls, ())]
        options = [o for o in options if not any(lex.is_mass(m) for m in lex.members(o[1]))]
        if not options:
            raise LookupError(subject.cls)
        preposition, cls = self.choice(options)
        inner = self.noun_phrase(cls, self.other(number))
        if length > 1:
            inner = self.chain(inner, length - 1, number)
        return join("NP", ("head", subject), ("nmod", pp_of(preposition, inner)))

    def draw(self, condition: str, number: str) -> tuple[Phrase, int]:
        """A sentence and the position of the verb that agrees."""
        cls = self.choice(SUBJECTS)
        subject = self.noun_phrase(cls, number, int(self.chance(0.25)))
        tense = "Pres" if self.chance(PRESENT) else "Past"
        prefix, first = None, None
        if condition == "pp":
            subject = self.chain(subject, self.choice((1, 2, 3)), number)
        elif condition.endswith("relative"):
            subject = self.relative(subject, condition.split()[0], number)
        elif condition == "coordinated verb phrase":
            first = self.first_verb(subject, tense, number)
        elif condition == "sentential complement":
            subject = self.noun_phrase(cls, number)
            prefix = self.noun_phrase("role", self.other(number))
        vp, role = self.predicate(subject, tense, second=first is not None)
        if first is not None:
            vp = join("VP", ("head", first), ("conj", join("", ("cc", word("and", "CCONJ", "CC")), ("head", vp))))
            target = subject.length + first.length + 1
        else:
            target = subject.length
        clause = join("S", ("nsubj", subject, role), ("head", vp)).close()
        if prefix is not None:
            frame = lex.frame("clausal", "say")
            said = main_verb(frame, "fin", tense, prefix)
            clause = join("SBAR", ("mark", subordinator("that")), ("head", clause))
            target += prefix.length + 2
            clause = join(
                "S", ("nsubj", prefix, "ARG0"), ("head", join("VP", ("head", said), ("ccomp", clause, "ARG1")))
            )
        return join("", ("head", clause), ("punct", PERIOD)).bracket("S"), target

    def relative(self, noun: Phrase, kind: str, number: str) -> Phrase:
        """The subject with a relative clause in the past tense, whose own noun may attract."""
        if kind == "object":
            return self.with_relative(noun, 0, "object", self.other(number), plain=True)
        options = [f for f in frames_for(noun.cls, "transitive") if f.name not in OWN]
        options = [f for f in options if not any(lex.is_mass(m) for c in f.obj for m in lex.members(c))]
        if not options:
            raise LookupError(noun.cls)
        frame = self.choice(options)
        obj = self.noun_phrase(frame.obj, self.other(number))
        vp = join("VP", ("head", main_verb(frame, "fin", "Past", noun)), ("obj", obj, "ARG1")).bracket("S")
        who = single(relativiser("who" if noun.cls in PEOPLE and self.chance(0.7) else "that"), "WHNP")
        return join("NP", ("head", noun), ("acl:relcl", join("SBAR", ("nsubj", who, "R-ARG0"), ("head", vp))))

    def first_verb(self, subject: Phrase, tense: str, number: str) -> Phrase:
        """The first of two coordinated verb phrases; its object may attract."""
        options = [f for f in frames_for(subject.cls, "transitive") if f.name not in OWN]
        if not options:
            raise LookupError(subject.cls)
        frame = self.choice(options)
        obj = self.noun_phrase(frame.obj, self.other(number))
        return join("VP", ("head", main_verb(frame, "fin", tense, subject)), ("obj", obj, "ARG1"))


@cache
def _colourless(xpos: str, kind: str) -> lex.Table:
    """All words of a tag (and valency) whatever their meaning."""
    if xpos in ("NN", "NNS"):
        number = "Sing" if xpos == "NN" else "Plur"
        found = [w for name in lex.source("lexicon")["nouns"] if not lex.is_mass(name) for w in lex.nouns(name, number)]
    elif xpos == "JJ":
        found = [w for name in lex.source("lexicon")["adjectives"] for w in lex.words("adjectives", name)]
    else:
        found = [w for frame in lex.frames(kind) for w in frame.table(xpos)]
    return tuple(dict.fromkeys(w for w in found if w[1] not in UNINFLECTED))


def nonce(skeleton: Skeleton) -> Skeleton:
    """The same structure with any words of the same categories: grammatical, but meaningless."""
    tables = []
    for table, xpos, sense in zip(skeleton.tables, skeleton.xpos, skeleton.senses):
        if (len(table) > 1 and xpos in ("NN", "NNS", "JJ")) or (sense.startswith("verb.") and "say" not in sense):
            table = _colourless(xpos, sense.split(".")[1] if "." in sense else "")
        tables.append(table)
    return skeleton._replace(tables=tuple(tables))


class Structure(NamedTuple):
    """A skeleton, the position of the verb that agrees, and how many attractors there are."""

    skeleton: Skeleton
    target: int
    attractors: int


def draw(
    n: int, seed: int, conditions: tuple[str, ...] = CONDITIONS
) -> Iterator[tuple[dict[str, Any], Structure, tuple[str, ...], tuple[str, ...]]]:
    """Id, condition and meta, structure, words and lemmas: conditions, numbers and nonce versions take turns."""
    rng, grammar = Random(f"agreement-{seed}"), Agreement(Random(f"agreement-grammar-{seed}"))
    kinds = [(c, number, odd) for c in conditions for odd in (False, True) for number in NUMBERS]
    pools: dict[tuple, list[Structure]] = {k: [] for k in kinds}
    seen: set[tuple[str, ...]] = set()
    per_kind = POOL // len(kinds)
    while len(seen) < n:
        condition, number, odd = kind = kinds[len(seen) % len(kinds)]
        pool, at = pools[kind], kinds.index(kind)
        if len(pool) < per_kind:
            try:
                phrase, target = grammar.draw(condition, number)
            except LookupError:
                continue
            skeleton = compile_phrase(phrase)
            structure = Structure(
                nonce(skeleton) if odd else skeleton, target, attractors(skeleton, *subject_of(skeleton, target))
            )
            pool.append(structure)
            which = len(pool) - 1
        else:
            which = int(rng.random() * len(pool))
            structure = pool[which]
        words, lemmas = structure.skeleton.fill(rng)
        if words in seen or not UNINFLECTED.isdisjoint(lemmas):
            continue
        about = {
            "id": f"agreement-{seed}-{len(seen)}",
            "condition": condition,
            "meta": {"nonce": odd, "number": number, "set": "builtin", "template": f"{at}-{which}"},
        }
        seen.add(words)
        yield about, structure, words, lemmas


@builder("agreement")
def agreement(n: int, seed: int) -> list[ForcedChoice]:
    """Masked verbs with both forms; meta `attractors`, `number`, `nonce` (goldberg2019, gulordava2018).

    Meta `template` is shared by the items that differ in their words only.
    """
    out = []
    for about, structure, words, _ in draw(n, seed):
        good = words[structure.target]
        about["meta"]["attractors"] = structure.attractors
        out.append(ForcedChoice(**about, text=with_mask(words, structure.target), good=good, bad=partner(good)))
    return out


def subject_of(sentence: Sentence | Skeleton, verb: int) -> tuple[int, int]:
    """Positions of the head of the subject and of the word that agrees with it at `verb`."""
    i = verb
    while True:
        for j, (h, r) in enumerate(zip(sentence.heads, sentence.deprels)):
            if h == i and r == "nsubj":
                return j, verb
        i = sentence.heads[i]


def attractors(sentence: Sentence | Skeleton, subject: int, verb: int) -> int:
    """Nouns between the subject's head and the verb whose number differs from the subject's."""
    number = {"NN": "Sing", "NNP": "Sing", "NNS": "Plur", "PRP": ""}[sentence.xpos[subject]]
    between = range(subject + 1, verb)
    return sum(
        1 for i in between if sentence.upos[i] in ("NOUN", "PROPN") and f"Number={number}" not in sentence.feats[i]
    )
