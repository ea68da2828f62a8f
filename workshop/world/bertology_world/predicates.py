"""Predicates: verb phrases by valency, copulas and linking verbs, passives, infinitives."""

from __future__ import annotations

from functools import cache
from typing import Any

from . import lexicon as lex
from .nominal import pp_of
from .phrase import Leaf, Phrase, join, single, word
from .slots import PEOPLE, adverb
from .verbal import MODALS, NEVER, NOT, Adjuncts, Form, be, cue, main_verb, verb_group, wrap

FUTURE = ("will", "may", "must", "should", "would", "could", "might", "can")
TO = word("to", "PART", "TO", chunk="+VP")
FINITE_KINDS = (
    ("transitive",) * 8
    + ("intransitive",) * 5
    + ("prepositional",) * 3
    + ("ditransitive", "clausal", "infinitival", "linking", "copula", "copula", "particles")
)


@cache
def frames_for(cls: str, kind: str, role: str = "subj") -> tuple[lex.Frame, ...]:
    """The frames of a valency whose subject (or object) may be of a plain noun class."""
    return tuple(f for f in lex.frames(kind) if any(cls in lex.members(c) for c in getattr(f, role)))


@cache
def passive_frames(cls: str) -> tuple[lex.Frame, ...]:
    """The frames whose passive may have a subject of a plain noun class."""
    return tuple(f for f in frames_for(cls, "transitive", "obj") if f.passive and not f.state)


@cache
def infinitive_frames() -> tuple[lex.Frame, ...]:
    """The frames that go with *want to*: people do it, and it is no state."""
    return tuple(
        f for kind in ("transitive", "prepositional", "ditransitive") for f in frames_for("man", kind) if not f.state
    )


@cache
def predicative(cls: str, chunk: str = "I-ADJP") -> Leaf:
    """The slot of an adjective said of a noun class after a copula.

    Raises
    ------
    LookupError
        If there are none.
    """
    cls = "person" if cls in PEOPLE or cls.startswith("kin_") else cls
    cls = {"city": "place", "weapon": "furniture", "instrument": "furniture", "garment": "clothing"}.get(cls, cls)
    table = lex.words("states", cls)
    if not table:
        raise LookupError(f"nothing to say of the class {cls!r}")
    return Leaf(table, "ADJ", "JJ", "Degree=Pos", chunk, "adj", True)


@cache
def degree(negated: bool) -> Leaf:
    """The slot of an adverb before such an adjective."""
    return Leaf(lex.words("adverbs", "negated" if negated else "degree"), "ADV", "RB", "_", "B-ADJP")


class Predicates(Adjuncts):
    """Draws verb phrases; `that_clause` comes from the grammar.

    negation
        How often a clause is negated.
    timeless
        Whether a time has been given already.
    """

    def that_clause(self, tense: str, depth: int, subject: Phrase) -> Phrase:
        """A complement clause: the grammar of clauses has it."""
        raise NotImplementedError

    negation = 0.09
    timeless = False

    def form(self, tense: str, frame: lex.Frame | None = None, plain: bool = False) -> Form:
        """A verb form that goes with a frame."""
        aspect, modal = "simple", ""
        if not plain:
            roll = self.rng.random()
            if roll < 0.10:
                aspect = "perfect"
            elif roll < 0.22 and frame is not None and not frame.state and frame.kind not in ("clausal", "infinitival"):
                aspect = "progressive"
            elif roll < 0.36:
                modal = self.choice(MODALS[tense])
        return Form(tense, aspect, modal, negated=not plain and self.chance(self.negation))

    def complements(self, frame: lex.Frame, tense: str, subject: Phrase, depth: int) -> list[tuple]:
        """What follows the verb by its valency: (relation, phrase, role)."""
        kind = frame.kind
        if kind == "prepositional":
            return [("obl", self.pp(frame.prep, frame.obj, depth - 1, refer=subject), frame.role)]
        if kind in ("transitive", "particles"):
            return [("obj", self.np(frame.obj, case="Acc", depth=depth, refer=subject), "ARG1")]
        if kind == "ditransitive":
            thing = self.np(frame.obj, case="Acc", depth=depth - 1, refer=subject, free=False)
            person = self.np(frame.to, case="Acc", depth=0, refer=subject)
            if self.chance(0.5):
                return [("iobj", person, "ARG2"), ("obj", thing, "ARG1")]
            return [("obj", thing, "ARG1"), ("obl", pp_of("to", person), "ARG2")]
        if kind == "clausal":
            return [("ccomp", self.that_clause(tense, depth - 1, subject), "ARG1")]
        return []

    def verb_phrase(
        self, frame: lex.Frame, tag: str, tense: str, subject: Phrase, depth: int, adjuncts: bool = True
    ) -> Phrase:
        """The main verb with its complements and adjuncts."""
        parts: list[Any] = [("head", main_verb(frame, tag, tense, subject))]
        if frame.kind == "particles":
            index = self.rng.randrange(len(frame.verbs))
            leaf = parts[0][1]  # the particle goes with the verb, so the verb is chosen now
            parts = [
                ("head", leaf._replace(table=(leaf.table[index],))),
                ("compound:prt", single(word(frame.particle(index), "ADP", "RP", chunk="B-PRT"), "PRT")),
            ]
        parts += self.complements(frame, tense, subject, depth)
        if frame.kind == "infinitival":
            parts.append(("xcomp", self.infinitive(subject, depth - 1)))
        elif adjuncts and frame.kind != "clausal":
            if not frame.state and self.chance(0.22):
                parts.append(self.manner(frame))
            if self.chance(0.4 if frame.kind == "intransitive" else 0.2):
                parts.append(self.place(frame))
            if not frame.state and not self.timeless and self.chance(0.22):
                parts.append(self.time(tense))
        return join("VP", *[part for part in parts if part])

    def infinitive(self, subject: Phrase, depth: int) -> Phrase:
        """*to* and a verb phrase whose understood subject is that of the clause above."""
        frame = self.choice(infinitive_frames())
        vp = self.verb_phrase(frame, "VB", "none", subject, depth, adjuncts=False)
        return join("S", ("head", join("VP", ("mark", TO), ("head", vp))))

    def copular(self, tense: str, subject: Phrase, form: Form, linking: bool = False, nominal: bool = True) -> Phrase:
        """*be* (or *seem*, *look*, …) and what is said of the subject."""
        adjective, later = predicative(subject.cls, "B-ADJP"), predicative(subject.cls)
        if self.chance(0.2):
            adjp = join("ADJP", ("advmod", degree(form.negated)), ("head", later))
        elif self.chance(0.12):
            conjunction = word("and", "CCONJ", "CC", chunk="I-ADJP")
            second = join("", ("cc", conjunction), ("head", later))
            adjp = join("ADJP", ("head", adjective), ("conj", second))
        else:
            adjp = single(adjective, "ADJP")
        auxiliaries, tag = verb_group(form, subject, be_last=not linking)
        if linking:
            vp = join(
                "VP", ("head", main_verb(lex.frame("linking", "seem"), tag, tense, subject)), ("xcomp", adjp, "ARG2")
            )
            return wrap(auxiliaries, vp, form.negated)
        predicate = adjp
        if (
            (subject.cls in PEOPLE or subject.cls.startswith("kin_"))
            and nominal
            and subject.person == 3
            and self.chance(0.3)
        ):
            own = {"Masc": "man", "Fem": "woman"}.get(subject.gender, "role")
            predicate = self.common(own if self.chance(0.2) else "role", subject.number, referential=False)
        copula = be(tag, tense, subject.number, subject.person)
        if form.negated and not auxiliaries:
            return join("VP", ("cop", copula), ("advmod", cue(NOT)), ("head", predicate))
        return wrap(auxiliaries, join("VP", ("cop", copula), ("head", predicate)), form.negated, roles=False)

    def finite_vp(
        self, subject: Phrase, tense: str, depth: int, plain: bool = False, kinds: tuple[str, ...] = FINITE_KINDS
    ) -> tuple[Phrase, str | None]:
        """A finite verb phrase for a subject, and the subject's role in it."""
        for _ in range(30):
            kind = self.choice(kinds)
            if kind in ("copula", "linking"):
                try:
                    linking = kind == "linking"
                    return self.copular(
                        tense, subject, self.form(tense, None, plain), linking
                    ), "ARG1" if linking else None
                except LookupError:
                    continue
            options = frames_for(subject.cls, kind)
            if (kind == "clausal" and depth < 1) or not options:
                continue
            frame = self.choice(options)
            form = self.form(tense, frame, plain)
            auxiliaries, tag = verb_group(form, subject)
            never = form.negated and not form.modal and self.chance(0.25)
            if never:
                auxiliaries, tag = verb_group(Form(tense, form.aspect, form.modal), subject)
            before = (
                NEVER
                if never
                else adverb("frequency")
                if not plain and not form.negated and self.chance(0.07)
                else None
            )
            vp = self.verb_phrase(frame, tag, "Fut" if form.modal in FUTURE else tense, subject, depth)
            vp = self._preverbal(vp, before, never)
            return wrap(auxiliaries, vp, form.negated and not never), frame.subject_role
        raise LookupError(f"no verb for a subject of the class {subject.cls!r}")

    @staticmethod
    def _preverbal(vp: Phrase, leaf: Leaf | None, negative: bool) -> Phrase:
        if leaf is None:
            return vp
        if negative:
            return join("VP", ("advmod", cue(leaf, "ADVP"), "ARGM-NEG"), ("head", vp))
        return join("VP", ("advmod", single(leaf, "ADVP"), "ARGM-TMP"), ("head", vp))

    def passive_vp(self, subject: Phrase, tense: str, depth: int) -> Phrase:
        """A passive verb phrase, with its agent more often than not; the subject is its ARG1."""
        options = passive_frames(subject.cls)
        if not options:
            raise LookupError(f"no passive for a subject of the class {subject.cls!r}")
        frame = self.choice(options)
        form = self.form(tense)._replace(passive=True)
        form = form._replace(aspect="simple") if form.aspect == "progressive" else form
        auxiliaries, tag = verb_group(form, subject)
        parts: list[Any] = [("head", main_verb(frame, tag, tense, subject))]
        if self.chance(0.6):
            parts.append(("obl:agent", self.pp("by", frame.subj, depth - 1, free=self.chance(0.4)), "ARG0"))
        if not self.timeless and self.chance(0.25):
            parts.append(self.time("Fut" if form.modal in FUTURE else tense))
        return wrap(auxiliaries, join("VP", *parts), form.negated)
