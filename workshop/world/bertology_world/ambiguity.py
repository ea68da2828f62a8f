"""Decisions learnt where a structural and a linear rule agree, and tested where they do not (lin2019, warstadt2020)."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from bertology_utils.data.items import Ambiguity

from . import builder
from . import lexicon as lex

REFLEXIVES = {"Masc": "himself", "Fem": "herself", "Plur": "themselves"}
WORDS = lex.source("words")["ambiguity"]
REFLEXIVE_VERBS = WORDS["reflexive_verbs"]
AUXILIARIES = WORDS["auxiliaries"]
CANDIDATE = "*"  # put before a word of a frame to make it a candidate


class Words:
    """Draws words for the frames of this module, none of them twice in a sentence."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.said: set[str] = set()

    def fresh(self, table: lex.Table) -> str:
        """A word of the table that is not yet in the sentence."""
        while True:
            form, lemma = table[int(self.rng.random() * len(table))]
            if lemma not in self.said:
                self.said.add(lemma)
                return form

    def person(self, number: str = "Sing", gender: str = "") -> str:
        """Somebody; of a gender if it is to be known."""
        cls = {"Masc": "man", "Fem": "woman"}.get(gender) or self.rng.choice(("man", "woman", "role"))
        return self.fresh(lex.nouns(cls, number))

    def act(self, tag: str) -> str:
        """A verb with two people."""
        return self.fresh(lex.frame("transitive", self.rng.choice(("help", "watch"))).table(tag))

    def thing(self, tag: str) -> tuple[str, str]:
        """A verb and a thing a person may do it to."""
        frame = lex.frame(
            "transitive", self.rng.choice(("read", "drive", "build", "trade", "shut", "consider", "wear", "carry"))
        )
        cls = self.rng.choice([m for c in frame.obj for m in lex.members(c)])
        return self.fresh(frame.table(tag)), self.fresh(lex.nouns(cls, self.rng.choice(("Sing", "Plur"))))

    def doing(self, tag: str) -> str:
        """A verb with a person alone."""
        return self.fresh(lex.frame("intransitive", "play").table(tag))

    def auxiliaries(self) -> list[tuple[str, str]]:
        """Two different auxiliaries, each with the tag it demands."""
        return self.rng.sample(AUXILIARIES, 2)

    def number(self) -> str:
        return self.rng.choice(("Sing", "Plur"))


def _split(i: int) -> str:
    """One item in two trains, the others test; a tenth of the training items is held out."""
    return "test" if i % 2 else "dev" if i % 20 == 0 else "train"


def _item(
    task: str, seed: int, i: int, text: str, target: int, linear: int, condition: str, split: str = "test", **meta
) -> Ambiguity:
    """An item with candidates: those words of `text` that are starred; `target` and `linear` number them from 0.

    `label` and `linear` of the item are positions in the sentence, as those of the published data.
    """
    words: list[str] = []
    candidates: list[int] = []
    for w in text.split():
        if w[0] == CANDIDATE:
            candidates.append(len(words))
            w = w[1:]
        words.append(w)
    words[0] = words[0][0].upper() + words[0][1:]
    return Ambiguity(
        id=f"{task}-{seed}-{i}",
        split=split,
        condition=condition,
        words=tuple(words),
        label=candidates[target],
        linear=candidates[linear],
        candidates=tuple(candidates),
        target=candidates[target],
        meta=meta,
    )


def _main_auxiliary(w: Words, ambiguous: bool) -> tuple[str, int, dict]:
    (aux, tag), (inner, inner_tag) = w.auxiliaries()
    inside = f"{w.act(inner_tag)} the {w.person(w.number())}" if w.rng.random() < 0.5 else w.doing(inner_tag)
    relative = f"who *{inner} {inside}"
    if ambiguous:
        return f"the {w.person()} *{aux} {w.act(tag)} the {w.person()} {relative} .", 0, {"type": "object"}
    verb, thing = w.thing(tag)
    return f"the {w.person()} {relative} *{aux} {verb} the {thing} .", 1, {"type": "subject"}


def _subject_noun(w: Words, ambiguous: bool) -> tuple[str, int, dict]:
    tense, aux = w.rng.choice((("VBD", ""), ("VB", "can "), ("VB", "will "), ("VB", "must ")))
    verb, thing = w.thing(tense)
    if ambiguous:
        kind = w.rng.choice(("possessive", "compound", "pp"))
        if kind == "pp":
            place = w.fresh(lex.nouns("building", "Sing"))
            return f"the *{w.person(w.number())} near the *{place} {aux}{verb} the *{thing} .", 0, {"type": "pp"}
        if kind == "possessive":
            return f"the *{w.person(w.number())} {aux}{verb} the *{w.person()} 's *{thing} .", 0, {"type": kind}
        first, second = w.rng.choice(lex.compounds("role"))
        return f"the *{w.person(w.number())} {aux}{w.act(tense)} the *{first} *{second} .", 0, {"type": kind}
    if w.rng.random() < 0.5:
        owned = w.fresh(lex.nouns(w.rng.choice(("kin_man", "kin_woman", "kin_role")), w.number()))
        return f"the *{w.person()} 's *{owned} {aux}{verb} the *{thing} .", 1, {"type": "possessive"}
    first, second = w.rng.choice(lex.compounds("role"))
    return f"the *{first} *{second} {aux}{verb} the *{thing} .", 1, {"type": "compound"}


@builder("ambiguity")
def ambiguity(n: int, seed: int) -> list[Ambiguity]:
    """Which auxiliary is the main clause's, which noun is the head of the subject? (lin2019)

    The linear rule takes the first candidate. `label` (and `target`) and `linear` are positions in the sentence.
    """
    rng, out = Random(f"ambiguity-{seed}"), []
    for i in range(n):
        condition, draw = (("main_auxiliary", _main_auxiliary), ("subject_noun", _subject_noun))[i % 2]
        split = _split(i // 2)
        text, target, meta = draw(Words(rng), split != "test")
        out.append(_item("ambiguity", seed, i, text, target, 0, condition, split, **meta))
    return out


# four tasks of whole-sentence classification: (words, ambiguous?, label) -> text; the linear label is the label in
# ambiguous items and its opposite in the others


def _inversion(w: Words, ambiguous: bool, label: int) -> str:
    """Linear rule: right if the auxiliary at the front is the first of the statement."""
    (aux, tag), (inner, inner_tag) = w.auxiliaries()
    a, b, v1, v2 = w.person(), w.person(), w.act(tag), w.doing(inner_tag)
    if ambiguous:
        return (
            f"{aux} the {a} {v1} the {b} who {inner} {v2} ?"
            if label
            else f"{inner} the {a} {aux} {v1} the {b} who {v2} ?"
        )
    return (
        f"{aux} the {a} who {inner} {v2} {v1} the {b} ?" if label else f"{inner} the {a} who {v2} {aux} {v1} the {b} ?"
    )


def _reflexive(w: Words, ambiguous: bool, label: int) -> str:
    """Linear rule: right if the reflexive agrees with the noun nearest before it."""

    def noun(kind: str) -> str:
        return w.person("Plur") if kind == "Plur" else w.person("Sing", kind)

    kind = w.rng.choice(tuple(REFLEXIVES))
    other = w.rng.choice([k for k in REFLEXIVES if k != kind])
    first, second = (kind if label else other), (kind if label == ambiguous else other)
    link = w.rng.choice(("near", "behind", f"who {w.act('VBD')}"))
    return f"the {noun(first)} {link} the {noun(second)} {w.rng.choice(REFLEXIVE_VERBS)} {REFLEXIVES[kind]} ."


def _npi(w: Words, ambiguous: bool, label: int) -> str:
    """Linear rule: right if the sentence begins with *no*."""
    s, t, verb = w.person(), w.person(), w.act("VBD")
    end = f"has ever {w.doing('VBN')} ." if w.rng.random() < 0.5 else "has ever {} the {} .".format(*w.thing("VBN"))
    if ambiguous and label:
        return f"no {s} who {verb} the {t} {end}"
    if ambiguous:
        return f"the {s} who {verb} {w.rng.choice(('no', 'no', 'the'))} {t} {end}"
    if label:
        said = w.rng.choice(("says", "thinks", "knows", "believes"))
        return f"the {w.person()} {said} that no {s} who {verb} the {t} {end}"
    return f"no {w.person()} {w.doing('VBD')} {w.rng.choice(('and', 'but'))} the {s} who {verb} the {t} {end}"


def _tense(w: Words, ambiguous: bool, label: int) -> str:
    """Linear rule: right (past) if the first verb is in the past."""
    main = "VBD" if label else "VBZ"
    if ambiguous:
        return f"the {w.person()} {w.act(main)} the {w.person()} who {w.doing(w.rng.choice(('VBD', 'VBZ')))} ."
    inner = "VBZ" if label else "VBD"
    end = w.doing(main) if w.rng.random() < 0.5 else "{} the {}".format(*w.thing(main))
    return f"the {w.person()} who {w.act(inner)} the {w.person()} {end} ."


STRUCTURAL: dict[str, Callable[[Words, bool, int], str]] = {
    "inversion": _inversion,
    "reflexive": _reflexive,
    "npi": _npi,
    "tense": _tense,
}


@builder("structural_bias")
def structural_bias(n: int, seed: int) -> list[Ambiguity]:
    """Sentences to be classified; `label` follows the structure, `linear` the surface (warstadt2020).

    Conditions take turns; in each, training and test items alternate, and so do the labels within either.
    """
    rng, out, names = Random(f"structural-{seed}"), [], tuple(STRUCTURAL)
    for i in range(n):
        k = i // len(names)  # the item's number within its condition
        split, label = _split(k), (k // 2 + k // 20) % 2  # turned over each twenty, or all of dev had one label
        ambiguous = split != "test"
        words = STRUCTURAL[names[i % len(names)]](Words(rng), ambiguous, label).split()
        words[0] = words[0][0].upper() + words[0][1:]
        out.append(
            Ambiguity(
                id=f"structural-{seed}-{i}",
                split=split,
                condition=names[i % len(names)],
                words=tuple(words),
                label=label,
                linear=label if ambiguous else 1 - label,
            )
        )
    return out


def _attention(w: Words, condition: str) -> tuple[str, int, int]:
    """A sentence with candidates starred and the word that looks for its noun marked ``^``; target, nearest noun."""
    number = w.number()
    other = "Plur" if number == "Sing" else "Sing"
    verb_tag = "VBZ" if number == "Sing" else "VBP"
    reflexive, kind = condition.startswith("reflexive"), condition.split()[-1]
    if reflexive:
        gender = w.rng.choice(("Masc", "Fem"))
        subject = w.person(number, gender)
        verb = f"{w.rng.choice(REFLEXIVE_VERBS)} ^{REFLEXIVES['Plur' if number == 'Plur' else gender]}"
    else:
        subject, verb = w.person(number), "^{} the {}".format(*w.thing(verb_tag))
    distractor = w.person(other)
    if kind == "none":
        end = f"near the *{distractor} ."
        return f"the *{subject} {verb} {end}", 0, 0
    if kind == "clause":
        return f"the *{distractor} said that the *{subject} {verb} .", 1, 1
    link = w.rng.choice(("near", "behind", "with")) if kind == "pp" else f"who {w.act('VBD')}"
    return f"the *{subject} {link} the *{distractor} {verb} .", 0, 1


ATTENTION_CONDITIONS = (
    "none",
    "pp",
    "relative",
    "reflexive none",
    "reflexive pp",
    "reflexive relative",
    "reflexive clause",
)


@builder("agreement_attention")
def agreement_attention(n: int, seed: int) -> list[Ambiguity]:
    """Two nouns of different number and the verb or reflexive that agrees with one of them (lin2019).

    Meta `from` is the position of the verb or reflexive, `linear` that of the noun nearest before it. In the conditions
    with `none` the other noun follows.
    """
    rng, out = Random(f"attention-{seed}"), []
    for i in range(n):
        condition = ATTENTION_CONDITIONS[i % len(ATTENTION_CONDITIONS)]
        text, target, linear = _attention(Words(rng), condition)
        verb = next(j for j, word in enumerate(text.split()) if word[0] == "^")
        out.append(
            _item("attention", seed, i, text.replace("^", ""), target, linear, condition, "test", **{"from": verb})
        )
    return out
