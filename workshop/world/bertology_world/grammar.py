"""Clauses and sentences: relative, complement and adverbial clauses, coordination, passives, questions."""

from __future__ import annotations

from functools import cache

from . import lexicon as lex
from .chance import weights
from .nominal import NAMEABLE, pp_of, pronoun_for
from .phrase import Leaf, Phrase, join, single, word
from .predicates import Predicates, frames_for
from .slots import PEOPLE, adverb
from .verbal import Form, be, main_verb, verb_group, wrap

PERIOD, QUESTION_MARK, COMMA = word(".", "PUNCT", "."), word("?", "PUNCT", "."), word(",", "PUNCT", ",")
MIN_WORDS, MAX_WORDS = 5, 25
OWN = ("raise", "family", "sport")  # frames whose object is not natural as the head of a relative clause
CONJUNCTIONS = ("because", "although", "when", "if", "before", "after", "while")
SUBJECTS = (
    *("person",) * 10,
    *("animal",) * 3,
    *"group troop text building vehicle event abstract force device portable place nature".split(),
)
LIVING = ("person",) * 5 + ("animal",) * 2 + ("group", "troop", "vehicle", "event", "force")
PASSIVE_SUBJECTS = tuple(
    "person animal food text vehicle building goods opening abstract group site event game".split()
)
SENTENCE_KINDS = weights(
    {  # methods of the grammar
        "statement": 30,
        "passive": 5,
        "coordinated_clauses": 4,
        "coordinated_verbs": 4,
        "adverbial_sentence": 5,
        "fronted": 5,
        "question": 3,
        "who": 2,
        "existential": 3,
        "order": 1,
    }
)


@cache
def subordinator(form: str) -> Leaf:
    """*that*, *because*, …; *when* is an adverb in UD."""
    if form == "when":
        return word("when", "ADV", "WRB", "PronType=Int", "B-ADVP")
    return word(form, "SCONJ", "IN", "_", "B-SBAR")


@cache
def relativiser(form: str) -> Leaf:
    """*who*, *that* or *which* at the head of a relative clause."""
    return word(form, "PRON", "WP" if form == "who" else "WDT", "PronType=Rel", "B-NP")


@cache
def relative_frames(cls: str) -> tuple[lex.Frame, ...]:
    """The transitive frames for a relative clause about an object of a plain noun class."""
    return tuple(f for f in frames_for(cls, "transitive", "obj") if f.name not in OWN)


class Grammar(Predicates):
    """Draws sentences; ``depth`` bounds how deep phrases and clauses are nested."""

    def modified(self, phrase: Phrase, depth: int) -> Phrase:
        """A noun phrase with a prepositional phrase or a relative clause after it."""
        if self.chance(0.4):
            try:
                return self.with_relative(phrase, depth)
            except LookupError:
                pass
        return super().modified(phrase, depth)

    def with_relative(
        self, noun: Phrase, depth: int, kind: str | None = None, number: str | None = None, plain: bool = False
    ) -> Phrase:
        """A noun phrase and a relative clause: `kind` is "subject" or "object"; `number` is that of its own noun."""
        kind = kind or ("subject" if self.chance(0.6) else "object")
        clause = (
            self.subject_relative(noun, depth - 1, plain)
            if kind == "subject"
            else self.object_relative(noun, number, plain)
        )
        return join("NP", ("head", noun), ("acl:relcl", clause))

    def subject_relative(self, noun: Phrase, depth: int, plain: bool = False) -> Phrase:
        """*who chased the dog*."""
        who = single(relativiser("who" if noun.cls in PEOPLE and self.chance(0.75) else "that"), "WHNP")
        vp, role = self.finite_vp(
            noun,
            self.choice(("Past", "Past", "Pres")),
            depth,
            plain,
            ("transitive", "transitive", "intransitive", "prepositional"),
        )
        inner = vp.bracket("S")
        return join("SBAR", ("nsubj", who, "R-" + role if role else None), ("head", inner)).close()

    def object_relative(self, noun: Phrase, number: str | None = None, plain: bool = False) -> Phrase:
        """*that the dog chased*, or *the dog chased*."""
        options = relative_frames(noun.cls)
        if not options:
            raise LookupError(noun.cls)
        frame = self.choice(options)
        if number:
            subject = self._mentioned(self.common(self.plain_class(frame.subj), number, det="the", adjectives=0))
        else:
            subject = self.np(frame.subj, depth=0)
        form = (
            Form("Past") if plain else self.form(self.choice(("Past", "Past", "Pres")), frame)._replace(negated=False)
        )
        auxiliaries, tag = verb_group(form, subject)
        vp = wrap(auxiliaries, single(main_verb(frame, tag, form.tense, subject), "VP"))
        clause = join("S", ("nsubj", subject, "ARG0"), ("head", vp))
        if not plain and self.chance(0.3):
            return clause.bracket("SBAR")
        return join("SBAR", ("obj", single(relativiser("that"), "WHNP"), "R-ARG1"), ("head", clause))

    def subject(self, classes: tuple[str, ...] | str | None = None, depth: int = 1, **options) -> Phrase:
        """A subject noun phrase."""
        return self.np(classes or self.choice(SUBJECTS), depth=depth, **options)

    def clause(self, tense: str, depth: int, subject: Phrase | None = None, plain: bool = False) -> Phrase:
        """An active clause without its full stop."""
        subject = subject or self.subject(depth=depth)
        vp, role = self.finite_vp(subject, tense, depth, plain)
        return join("S", ("nsubj", subject, role), ("head", vp)).close()

    def resumed(self, antecedent: Phrase | None, probability: float = 0.5) -> Phrase | None:
        """A pronoun for a noun phrase of the clause before, if one fits and chance has it."""
        if antecedent is None or antecedent.cls not in NAMEABLE or not self.chance(probability):
            return None
        name = pronoun_for(antecedent)
        return self.pronoun_np(name, "Nom", antecedent) if name else None

    def that_clause(self, tense: str, depth: int, subject: Phrase) -> Phrase:
        """A complement clause, with or without *that*."""
        inner = self.clause(tense, min(depth, 0), self.resumed(subject))
        if self.chance(0.3):
            return inner.bracket("SBAR")
        return join("SBAR", ("mark", subordinator("that")), ("head", inner))

    def adverbial(self, conjunction: str, tense: str, subject: Phrase | None) -> Phrase:
        """A clause of time, cause, condition or concession."""
        relation = "advmod" if conjunction == "when" else "mark"
        inner = self.clause(tense, 0, self.resumed(subject, 0.6) or self.subject(self.choice(LIVING), 0), plain=True)
        return join("SBAR", (relation, subordinator(conjunction)), ("head", inner))

    # whole sentences

    def statement(self, tense: str) -> Phrase:
        return join("S", ("head", _open(self.clause(tense, 2))), ("punct", PERIOD))

    def passive(self, tense: str) -> Phrase:
        subject = self.np(self.choice(PASSIVE_SUBJECTS), depth=1)
        clause = join("S", ("nsubj:pass", subject, "ARG1"), ("head", self.passive_vp(subject, tense, 1))).close()
        return join("S", ("head", _open(clause)), ("punct", PERIOD))

    def coordinated_clauses(self, tense: str) -> Phrase:
        subject = self.subject(depth=1)
        first = self.clause(tense, 1, subject)
        conjunction = word(self.choice(("and", "but")), "CCONJ", "CC")
        second = self.clause(tense, 0, self.resumed(subject, 0.25))
        second = join("", ("punct", COMMA), ("cc", conjunction), ("head", second))
        return join("S", ("head", first), ("conj", second), ("punct", PERIOD))

    def coordinated_verbs(self, tense: str) -> Phrase:
        subject = self.subject(depth=1)
        kinds = ("transitive", "transitive", "intransitive", "prepositional")
        first, role = self.finite_vp(subject, tense, 0, True, kinds)
        second, role2 = self.finite_vp(subject, tense, 0, True, kinds)
        second = join("", ("cc", word("and", "CCONJ", "CC")), ("head", second))
        clause = join("S", ("nsubj", subject, role), ("head", join("VP", ("head", first), ("conj", second))))
        verb = subject.length + first.length + second.head  # the subject belongs to the second verb too
        if role2 is not None:
            clause.mark("role", role2, 0, subject.length, verb)
        return join("S", ("head", _open(clause)), ("punct", PERIOD))

    def adverbial_sentence(self, tense: str) -> Phrase:
        subject, conjunction = self.subject(depth=0), self.choice(CONJUNCTIONS)
        tense = "Pres" if conjunction == "if" else tense
        if self.chance(0.5):
            main = self.clause(tense, 1, subject)
            parts: list[tuple] = [("head", _open(main)), ("advcl", self.adverbial(conjunction, tense, subject))]
        else:
            lead = self.adverbial(conjunction, tense, None)
            parts = [("advcl", lead), ("punct", COMMA), ("head", _open(self.clause(tense, 1, subject)))]
        return join("S", *parts, ("punct", PERIOD))

    def fronted(self, tense: str) -> Phrase:
        comment: tuple = ("advmod", single(adverb("clause"), "ADVP"), "ARGM-ADV")
        lead = comment if self.chance(0.4) else self.time(tense)
        self.timeless = lead[2] == "ARGM-TMP"
        try:
            clause = self.clause(tense, 1)
        finally:
            self.timeless = False
        if clause.top().upos != "VERB":  # roles are the verbs'
            lead = lead[:2]
        return join("S", lead, ("punct", COMMA), ("head", _open(clause)), ("punct", PERIOD))

    def question(self, tense: str) -> Phrase:
        """A yes-no question: the finite auxiliary before the subject."""
        subject = self.np(self.choice(("person", "person", "animal", "group", "troop")), depth=0)
        kind = self.choice([k for k in ("transitive", "intransitive", "prepositional") if frames_for(subject.cls, k)])
        frame = self.choice(frames_for(subject.cls, kind))
        form = self.form(tense, frame)
        form = Form(tense, form.aspect, form.modal, force_do=True)
        auxiliaries, tag = verb_group(form, subject)
        vp = wrap(auxiliaries[1:], self.verb_phrase(frame, tag, "none", subject, 1))
        return join(
            "SQ", auxiliaries[0], ("nsubj", subject, frame.subject_role), ("head", vp), ("punct", QUESTION_MARK)
        )

    def who(self, tense: str) -> Phrase:
        """A question about the subject."""
        subject = single(word("who", "PRON", "WP", "PronType=Int", "B-NP"), "WHNP")
        subject.cls = "role"
        vp, role = self.finite_vp(subject, tense, 1, True, ("transitive", "transitive", "intransitive", "ditransitive"))
        return join("SBARQ", ("nsubj", subject, role), ("head", vp.bracket("SQ")), ("punct", QUESTION_MARK))

    def existential(self, tense: str) -> Phrase:
        """*There was a dog in the garden.*"""
        cls, place = self.choice(
            (
                ("person", "room"),
                ("animal", "place"),
                ("thing", "room"),
                ("person", "place"),
                ("text", "surface"),
                ("furniture", "room"),
                ("building", "city"),
                ("food", "surface"),
            )
        )
        cls, number = self.plain_class((cls,)), self.choice(("Sing", "Plur"))
        det = "a" if number == "Sing" else self.choice(("some", "many", "several"))
        np = self._mentioned(self.common(cls, number, det=det))
        preposition = {"surface": "on"}.get(place, "in")
        there = single(word("there", "PRON", "EX", "_", "B-NP"), "NP")
        place_np = self._mentioned(self.common(place, "Sing", det="the", adjectives=int(self.chance(0.3))))
        verb = be("fin", tense, np.number, np.person)._replace(upos="VERB", sense="verb.be")
        vp = join("VP", ("head", verb), ("nsubj", np, "ARG1"), ("obl", pp_of(preposition, place_np), "ARGM-LOC"))
        return join("S", ("expl", there), ("head", vp), ("punct", PERIOD))

    def order(self, tense: str) -> Phrase:
        """An imperative."""
        frame = lex.frame("transitive", self.choice(("shut", "carry", "read", "help", "watch", "eat", "wear")))
        verb = Leaf(
            frame.table("VB"), "VERB", "VB", "Mood=Imp|VerbForm=Fin", "B-VP", f"verb.transitive.{frame.name}", True
        )
        vp = join("VP", ("head", verb), ("obj", self.np(frame.obj, case="Acc", depth=1, free=False), "ARG1"))
        return join("S", ("head", vp), ("punct", PERIOD))

    def sentence(self) -> Phrase:
        """Any sentence within the length limits."""
        while True:
            kind = self.weighted(SENTENCE_KINDS)
            tense = "Past" if self.chance(0.65) else "Pres"
            try:
                phrase = getattr(self, kind)(tense)
            except LookupError:  # a subject drawn for which the frames asked for have no verb
                continue
            if MIN_WORDS <= phrase.length <= MAX_WORDS:
                return phrase


def _open(clause: Phrase) -> Phrase:
    """Drop the clause's own outer bracket: the sentence's covers it."""
    clause.labels = tuple(label for label in clause.labels if label != "S")
    return clause
