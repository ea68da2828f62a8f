"""Predicates: verb phrases by valency, copulas and linking verbs, passives, infinitives."""
from __future__ import annotations

from dataclasses import replace
from functools import cache

from . import lexicon as lex
from .nominal import PEOPLE, pp_of
from .sentence import Leaf, Phrase, join, single, word
from .verbal import MODALS, NEVER, NOT, Adjuncts, Form, adverb, be, main_verb, verb_group, wrap

FUTURE = ("will", "may", "must", "should", "would", "could", "might", "can")
TO = word("to", "PART", "TO", chunk="+VP")
FINITE_KINDS = ("transitive",) * 8 + ("intransitive",) * 5 + ("prepositional",) * 3 + ("ditransitive", "clausal",
                "infinitival", "linking", "copula", "copula", "particles")


@cache
def frames_for(cls: str, kind: str, role: str = "subj") -> tuple[lex.Frame, ...]:
    """The frames of a valency whose subject (or object) may be of a plain noun class."""
    return tuple(f for f in lex.frames(kind) if any(cls in lex.members(c) for c in getattr(f, role)))


class Predicates(Adjuncts):
    """Draws verb phrases; `that_clause` comes from the grammar.

    negation
        How often a clause is negated.
    timeless
        Whether a time has been given already.
    """

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
                modal = self.rng.choice(MODALS[tense])
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

    def verb_phrase(self, frame: lex.Frame, tag: str, tense: str, subject: Phrase, depth: int, adjuncts: bool = True) -> Phrase:
        """The main verb with its complements and adjuncts."""
        parts: list[tuple] = [("head", main_verb(frame, tag, tense, subject))]
        if frame.kind == "particles":
            index = self.rng.randrange(len(frame.verbs))
            leaf = parts[0][1]  # the particle goes with the verb, so the verb is chosen now
            parts = [("head", replace(leaf, table=(leaf.table[index],))),
                     ("compound:prt", single(word(frame.particle(index), "ADP", "RP", chunk="B-PRT"), "PRT"))]
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
        return join("VP", *filter(None, parts))

    def infinitive(self, subject: Phrase, depth: int) -> Phrase:
        """*to* and a verb phrase whose understood subject is that of the clause above."""
        frame = self.rng.choice([f for k in ("transitive", "prepositional", "ditransitive")
                                 for f in frames_for("man", k) if not f.state])
        vp = self.verb_phrase(frame, "VB", "none", subject, depth, adjuncts=False)
        return join("S", ("head", join("VP", ("mark", TO), ("head", vp))))

    def copular(self, tense: str, subject: Phrase, form: Form, linking: bool = False,
                nominal: bool = True) -> Phrase:
        """*be* (or *seem*, *look*, …) and what is said of the subject."""
        cls = "person" if subject.cls in PEOPLE or subject.cls.startswith("kin_") else subject.cls
        cls = {"city": "place", "weapon": "furniture", "instrument": "furniture", "garment": "clothing"}.get(cls, cls)
        table = lex.words("states", cls)
        if not table:
            raise LookupError(cls)
        adjective = Leaf(table, "ADJ", "JJ", "Degree=Pos", "B-ADJP", "adj", True)
        if self.chance(0.2):
            degree = lex.words("adverbs", "negated" if form.negated else "degree")
            adjp = join("ADJP", ("advmod", Leaf(degree, "ADV", "RB", "_", "B-ADJP")),
                        ("head", Leaf(table, "ADJ", "JJ", "Degree=Pos", "I-ADJP", "adj", True)))
        elif self.chance(0.12):
            second = join("", ("cc", word("and", "CCONJ", "CC", chunk="I-ADJP")),
                          ("head", Leaf(table, "ADJ", "JJ", "Degree=Pos", "I-ADJP", "adj", True)))
            adjp = join("ADJP", ("head", adjective), ("conj", second))
        else:
            adjp = single(adjective, "ADJP")
        auxiliaries, tag = verb_group(form, subject, be_last=not linking)
        if linking:
            vp = join("VP", ("head", main_verb(lex.frame("linking", "seem"), tag, tense, subject)), ("xcomp", adjp, "ARG2"))
            return wrap(auxiliaries, vp, NOT if form.negated else None)
        predicate = adjp
        if cls == "person" and nominal and subject.person == 3 and self.chance(0.3):
            own = {"Masc": "man", "Fem": "woman"}.get(subject.gender, "role")
            predicate = self.common(own if self.chance(0.2) else "role", subject.number, referential=False)
        copula = be(tag, tense, subject)
        if form.negated and not auxiliaries:
            vp = join("VP", ("cop", copula), ("advmod", single(NOT).mark("cue", "pending")), ("head", predicate))
        else:
            vp = join("VP", ("cop", copula), ("head", predicate))
            vp = wrap(auxiliaries, vp, NOT if form.negated else None)
        vp.spans = [s for s in vp.spans if not (s[0] == "role" and s[4] == vp.head)]
        return vp

    def finite_vp(self, subject: Phrase, tense: str, depth: int, plain: bool = False,
                  kinds: tuple[str, ...] = FINITE_KINDS) -> tuple[Phrase, str | None]:
        """A finite verb phrase for a subject, and the subject's role in it."""
        for _ in range(30):
            kind = self.rng.choice(kinds)
            if kind in ("copula", "linking"):
                try:
                    linking = kind == "linking"
                    return self.copular(tense, subject, self.form(tense, None, plain), linking), "ARG1" if linking else None
                except LookupError:
                    continue
            options = frames_for(subject.cls, kind)
            if (kind == "clausal" and depth < 1) or not options:
                continue
            frame = self.rng.choice(options)
            form = self.form(tense, frame, plain)
            auxiliaries, tag = verb_group(form, subject)
            never = form.negated and not form.modal and self.chance(0.25)
            if never:
                auxiliaries, tag = verb_group(Form(tense, form.aspect, form.modal), subject)
            before = NEVER if never else adverb("frequency") if not plain and not form.negated and self.chance(0.07) else None
            vp = self.verb_phrase(frame, tag, "Fut" if form.modal in FUTURE else tense, subject, depth)
            vp = self._preverbal(vp, before, never)
            return wrap(auxiliaries, vp, NOT if form.negated and not never else None), frame.subject_role
        raise LookupError(f"no verb for a subject of the class {subject.cls!r}")

    @staticmethod
    def _preverbal(vp: Phrase, leaf: Leaf | None, negative: bool) -> Phrase:
        if leaf is None:
            return vp
        phrase = single(leaf, "ADVP")
        if negative:
            return join("VP", ("advmod", phrase.mark("cue", "pending"), "ARGM-NEG"), ("head", vp))
        return join("VP", ("advmod", phrase, "ARGM-TMP"), ("head", vp))

    def passive_vp(self, subject: Phrase, tense: str, depth: int) -> Phrase:
        """A passive verb phrase, with its agent more often than not; the subject is its ARG1."""
        options = [f for f in frames_for(subject.cls, "transitive", "obj") if f.passive and not f.state]
        if not options:
            raise LookupError(f"no passive for a subject of the class {subject.cls!r}")
        frame = self.rng.choice(options)
        form = replace(self.form(tense), passive=True)
        form = replace(form, aspect="simple") if form.aspect == "progressive" else form
        auxiliaries, tag = verb_group(form, subject)
        parts: list[tuple] = [("head", main_verb(frame, tag, tense, subject))]
        if self.chance(0.6):
            parts.append(("obl:agent", self.pp("by", frame.subj, depth - 1, free=self.chance(0.4)), "ARG0"))
        if not self.timeless and self.chance(0.25):
            parts.append(self.time("Fut" if form.modal in FUTURE else tense))
        return wrap(auxiliaries, join("VP", *parts), NOT if form.negated else None)
