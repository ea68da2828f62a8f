"""Sentences of many languages: translations, treebanks and agreement pairs (grammar: `multilingual_grammar`)."""

from __future__ import annotations

import random

from bertology_utils.data.items import MASK, ForcedChoice, Sentence, Translation

from . import builder, draw
from .multilingual_grammar import LANGUAGES, NP, Proposition, analyse, concepts, grammar, text_of, verb_form, words_of

PIVOT = "eng"  # alignments are given between this language and each other


def proposition(random_: random.Random) -> Proposition:
    """Any sentence that makes sense: people act, animals see and sleep."""
    c = concepts()

    def np(noun: str, chance: float) -> NP:
        adjective = random_.choice(c["adjectives"][c["class"][noun]]) if random_.random() < chance else None
        return NP(noun, random_.random() < 0.5, adjective)

    kind = "hum" if random_.random() < 0.85 else "ani"
    subject = np(random_.choice(c["nouns"][kind]), 0.5)
    place = random_.choice(c["places"]) if random_.random() < 0.5 else None
    adverb = random_.choice(c["adverbs"]) if random_.random() < 0.5 else None
    if random_.random() < 0.2:
        verb = "sleep" if kind == "ani" else random_.choice(c["intransitive"])
        return Proposition(subject, verb, None, place, adverb)
    verb = "see" if kind == "ani" else random_.choice(list(c["transitive"]))
    if verb == "know":  # a state has no place and time
        place = adverb = None
    elif place and verb in c["outdoors"]:
        place = random_.choice(c["outdoors"][verb].split())
    noun = random_.choice([o for o in c["transitive"][verb] if o != subject.noun])
    return Proposition(subject, verb, np(noun, 0.4), place, adverb)


def propositions(task: str, n: int, seed: int) -> list[Proposition]:
    """`n` different ones."""
    random_ = draw.rng(task, seed)
    return draw.distinct(lambda i: proposition(random_), n, lambda p: p)


@builder("translations")
def translations(n: int, seed: int) -> list[Translation]:
    """Sentences in all languages, words of the same concept aligned between English and each other language."""
    items = []
    for i, p in enumerate(propositions("translations", n, seed)):
        name = f"translations-{seed}-{i}"
        keys = {
            language: {
                (w.role, w.upos): k for k, w in enumerate(words_of(language, p)) if w.concept or w.slot == "PUNCT"
            }
            for language in LANGUAGES
        }
        pivot = keys[PIVOT]
        items.append(
            Translation(
                id=name,
                sentences={language: analyse(language, p, id=f"{name}-{language}") for language in LANGUAGES},
                alignment=tuple(
                    (PIVOT, pivot[key], language, k)
                    for language in LANGUAGES
                    if language != PIVOT
                    for key, k in keys[language].items()
                ),
            )
        )
    return items


@builder("multilingual_treebank")
def multilingual_treebank(n: int, seed: int) -> list[Sentence]:
    """Sentences of all languages in turn; what is said differs from sentence to sentence (pires2019).

    Splits are 70/10/20 within each language; no sentence of one split is said in another, in whatever language.
    """
    return [
        analyse(LANGUAGES[i % len(LANGUAGES)], p, id=f"multilingual_treebank-{seed}-{i}", split=draw.split_of(i, n))
        for i, p in enumerate(propositions("multilingual_treebank", n, seed))
    ]


def agreeing() -> tuple[str, ...]:
    """The languages whose verbs or auxiliaries tell the number of the subject."""
    return tuple(
        language
        for language in LANGUAGES
        if any("pl" in key.split() for table in ("verb", "auxiliary") for key in grammar(language).get(table, ()))
    )


@builder("multilingual_agreement")
def multilingual_agreement(n: int, seed: int) -> list[ForcedChoice]:
    """The verb in the number of its subject against the other number, languages in turn.

    Where there is an auxiliary (Hindi) it is what is masked. ``meta`` tells the subject's number and what is masked.
    """
    random_ = draw.rng("multilingual_agreement", seed)
    languages = agreeing()

    def make(i: int) -> tuple[str, str, str, str, bool]:
        language = languages[i % len(languages)]
        slot = "AUX" if "auxiliary" in grammar(language) else "VERB"
        while True:
            p = proposition(random_)
            good = verb_form(language, p.verb, p.subject, slot).form
            other = NP(p.subject.noun, not p.subject.plural, p.subject.adjective)
            bad = verb_form(language, p.verb, other, slot).form
            if good != bad:
                words = [MASK if w.slot == slot else w.form for w in words_of(language, p)]
                return text_of(language, words), good, bad, slot, p.subject.plural

    return [
        ForcedChoice(
            id=f"multilingual_agreement-{seed}-{i}",
            condition=languages[i % len(languages)],
            text=text,
            good=good,
            bad=bad,
            meta={"number": "plural" if plural else "singular", "masked": slot},
        )
        for i, (text, good, bad, slot, plural) in enumerate(draw.distinct(make, n, lambda m: m))
    ]
