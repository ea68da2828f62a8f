"""The same simple sentences in many languages, with their words' parts of speech, heads and alignment.

Each language is one file of `languages/`: its words under concept names shared by all, and its grammar as rules.
A rule table maps features to a value, ``{m acc: den, m: der, f: die}``; the first key whose features all hold counts.
A form is an index into the forms of a word and an ending, ``0en``. A sentence is a subject, a verb, perhaps an object,
a place and an adverb; noun phrases are definite, verbs in the third person of the present.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any, NamedTuple

from bertology_utils.data.items import Sentence
from bertology_utils.data.text import capital

from . import draw

LANGUAGES = ("eng", "deu", "nld", "swe", "fra", "spa", "ita", "rus", "ell", "hin", "ara", "zho", "jpn", "kor", "fin")
PLACE_TAGS = {1: ("NOUN",), 2: ("ADP", "NOUN"), 3: ("ADP", "DET", "NOUN")}
_FEATS = {
    "m": "Gender=Masc",
    "f": "Gender=Fem",
    "n": "Gender=Neut",
    "c": "Gender=Com",
    "nom": "Case=Nom",
    "acc": "Case=Acc",
    "sg": "Number=Sing",
    "pl": "Number=Plur",
}
# deprel of a word that does not head its phrase, by its slot
_RELATION = {
    "DET": "det",
    "ADJ": "amod",
    "POST": "amod",
    "MARK": "case",
    "LINK": "mark",
    "AUX": "aux",
    "ADP": "case",
    "ADV": "advmod",
    "PUNCT": "punct",
}
_CLASSES = frozenset({"hum", "ani", "thi", "anim"})
_TAG = {"POST": "ADJ", "MARK": "ADP", "LINK": "PART"}


class NP(NamedTuple):
    """A noun with its number and perhaps an adjective, as concepts."""

    noun: str
    plural: bool
    adjective: str | None = None


class Proposition(NamedTuple):
    """What a sentence says, in no language."""

    subject: NP
    verb: str
    object: NP | None
    place: str | None
    adverb: str | None


class Word(NamedTuple):
    """A word of a sentence with the role of its phrase (S, V, O, ADV, PP) and its place there (NOUN, DET, …)."""

    form: str
    role: str
    slot: str
    concept: str = ""
    feats: str = ""

    @property
    def upos(self) -> str:
        """The universal part of speech."""
        return _TAG.get(self.slot, self.slot)


@lru_cache(maxsize=1)
def concepts() -> dict[str, Any]:
    """What there is to say (`languages/concepts.yaml`), lists split, objects of verbs as concepts."""
    raw = draw.table("languages/concepts.yaml")
    nouns = {name: text.split() for name, text in raw["nouns"].items()}
    return {
        "nouns": nouns,
        "class": {noun: name for name, members in nouns.items() for noun in members},
        "adjectives": {name: text.split() for name, text in raw["adjectives"].items()},
        "transitive": {
            verb: [noun for entry in text.split() for noun in nouns.get(entry, [entry])]
            for verb, text in raw["transitive"].items()
        },
        "outdoors": raw["outdoors"],
        **{key: raw[key].split() for key in ("intransitive", "adverbs", "places")},
    }


@cache
def grammar(language: str) -> dict[str, Any]:
    """A language's file, with entries split into words.

    Raises
    ------
    ValueError
        If there is no such language.
    """
    if language not in LANGUAGES:
        raise ValueError(f"no grammar of {language!r}; there are: {', '.join(LANGUAGES)}")
    raw = dict(draw.table(f"languages/{language}.yaml"))
    for part in ("nouns", "adjectives", "verbs", "places"):
        raw[part] = {concept: entry.split() for concept, entry in raw[part].items()}
    return raw


@cache
def _conditions(key: str) -> frozenset[str]:
    """The features a rule asks for."""
    return frozenset(key.split())


def _value(rules: dict[str, Any], features: frozenset[str]) -> Any:
    """The value of the first rule whose features all hold."""
    for key, value in rules.items():
        if features.issuperset(_conditions(key)):
            return value
    raise ValueError(f"no rule of {rules} holds of {sorted(features)}")


def _form(spec: str, forms: list[str]) -> str:
    """``"0en"``: the first form with -en; a form that is not there is the same as the first."""
    index = int(spec[0])
    return (forms[index] if index < len(forms) else forms[0]) + spec[1:]


@lru_cache(maxsize=20_000)
def _features(language: str, np: NP, case: str) -> frozenset[str]:
    kind = concepts()["class"][np.noun]
    gender = grammar(language)["nouns"][np.noun][0]
    return frozenset(
        {kind, "pl" if np.plural else "sg", case, gender}
        | ({"anim"} if kind != "thi" else set())
        | ({"adj"} if np.adjective else set())
    )


def _feats(features: frozenset[str], rules: dict[str, str]) -> str:
    """Features as in CoNLL-U: gender as the lexicon has it, number and case where the forms tell them."""
    told: set[str] = set()
    for key in map(_conditions, rules):
        if _CLASSES.isdisjoint(key) or not _CLASSES.isdisjoint(features & key):  # a rule for this class of noun
            told.update(key)
    shown = {"m", "f", "n", "c", *(("sg", "pl") if "pl" in told else ()), *(("nom", "acc") if "acc" in told else ())}
    return "|".join(sorted(_FEATS[f] for f in features & shown & set(_FEATS)))


@lru_cache(maxsize=20_000)
def noun_phrase(language: str, np: NP, case: str) -> tuple[Word, ...]:
    """The words of a noun phrase, `case` "nom" (subject) or "acc" (object)."""
    g = grammar(language)
    base = _features(language, np, case)
    role = "S" if case == "nom" else "O"
    slots = g["np"].split()
    after = np.adjective in g.get("post", ()) or "ADJ" not in slots
    words: list[Word] = []
    for slot in reversed(slots):  # from the right: an article may depend on the word after it
        context = {
            flag for flag, pattern in g.get("contexts", {}).items() if words and re.search(pattern, words[0].form)
        }
        features = base | context
        form, concept, feats = None, "", ""
        if slot == "NOUN":
            form, concept = _form(_value(g["noun"], features), g["nouns"][np.noun][1:]), np.noun
            feats = _feats(base, g["noun"])
            if "particles" in g:  # joined to the noun, by whether its last syllable ends in a consonant
                form += g["particles"][case][(ord(form[-1]) - 0xAC00) % 28 == 0]
        elif slot in ("ADJ", "POST") and np.adjective and (slot == "POST") == after:
            kind, *forms = g["adjectives"][np.adjective]
            form, concept = _form(_value(g["adjective"][kind], features), forms), np.adjective
        elif slot == "DET":
            form = _value(g["article"], features)
        elif slot == "MARK":
            form = _value(g["mark"], features)
        elif slot == "LINK" and np.adjective:
            form = g["link"]
        if form is not None:
            words.insert(0, Word(form, role, slot, concept, feats))
    for pair, joined in g.get("contract", {}).items():
        if [w.form for w in words[:2]] == pair.split():
            words[:2] = [Word(joined, role, "MARK")]
    return tuple(words)


@lru_cache(maxsize=20_000)
def _verb(language: str, verb: str, features: frozenset[str], slot: str) -> Word:
    g = grammar(language)
    rules = g["auxiliary" if slot == "AUX" else "verb"]
    feats = _feats(features - {"m", "f", "n", "c"}, rules)
    if slot == "AUX":
        return Word(_value(rules, features), "V", slot, "", feats)
    return Word(_form(_value(rules, features), g["verbs"][verb]), "V", slot, verb, feats)


def verb_form(language: str, verb: str, subject: NP, slot: str = "VERB") -> Word:
    """The verb (or, for `slot` "AUX", the auxiliary) as it agrees with the subject."""
    return _verb(language, verb, _features(language, NP(subject.noun, subject.plural), "nom") - {"nom"}, slot)


def words_of(language: str, p: Proposition) -> list[Word]:
    """The words of the sentence in the order of the language, the first as it would be written in the middle."""
    g = grammar(language)
    words: list[Word] = []
    for role in g.get("orders", {}).get(p.adverb, g["order"]).split():
        if role == "S":
            words += noun_phrase(language, p.subject, "nom")
        elif role == "O" and p.object:
            words += noun_phrase(language, p.object, "acc")
        elif role == "V":
            words.append(verb_form(language, p.verb, p.subject))
        elif role == "AUX":
            words.append(verb_form(language, p.verb, p.subject, "AUX"))
        elif role == "ADV" and p.adverb:
            words.append(Word(g["adverbs"][p.adverb], "ADV", "ADV", p.adverb))
        elif role == "PP" and p.place:
            forms = g["places"][p.place]
            tags = g.get("place_tags", PLACE_TAGS[len(forms)])
            words += [Word(form, "PP", tag, p.place if tag == "NOUN" else "") for form, tag in zip(forms, tags)]
    return [*words, Word(g.get("stop", "."), "PUNCT", "PUNCT")]


@lru_cache(maxsize=20_000)
def _tree(shape: tuple[tuple[str, str], ...]) -> tuple[tuple[str, ...], tuple[int, ...], tuple[str, ...]]:
    """Parts of speech, heads and relations of a sentence whose words have these roles and slots."""
    root = shape.index(("V", "VERB"))
    nouns = {role: i for i, (role, slot) in enumerate(shape) if slot == "NOUN"}
    adjectives = {role: i for i, (role, slot) in enumerate(shape) if slot in ("ADJ", "POST")}
    arcs = []
    for i, (role, slot) in enumerate(shape):
        if i == root:
            arcs.append((-1, "root"))
        elif slot == "NOUN":
            arcs.append((root, {"S": "nsubj", "O": "obj", "PP": "obl"}[role]))
        elif slot == "LINK":
            arcs.append((adjectives[role], "mark"))
        else:
            arcs.append((nouns.get(role, root), _RELATION[slot]))
    heads, relations = zip(*arcs)
    return tuple(_TAG.get(slot, slot) for _, slot in shape), heads, relations


def analyse(language: str, p: Proposition, **fields: Any) -> Sentence:
    """The sentence with parts of speech, features and a dependency tree; ``meta["concepts"]`` has one entry per word."""
    words = words_of(language, p)
    upos, heads, relations = _tree(tuple([(w.role, w.slot) for w in words]))
    forms, _, _, concepts_, feats = zip(*words)
    return Sentence(
        words=(capital(forms[0]), *forms[1:]),
        upos=upos,
        feats=feats,
        heads=heads,
        deprels=relations,
        condition=language,
        meta={"concepts": concepts_},
        **fields,
    )


def text_of(language: str, words: list[str]) -> str:
    """The words as the language writes them: no blanks in Chinese and Japanese, none after an apostrophe."""
    g = grammar(language)
    text = g.get("join", " ").join(words[:-1]) + words[-1]
    return capital(text.replace("' ", "'"))
