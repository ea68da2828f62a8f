"""Tasks about spans: negation scope, entities, semantic roles, proto-roles, pairs of concepts (tenney2019b, zhao2020)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import islice, product
from random import Random

from bertology_utils.data.items import EdgeItem, Sentence

from . import builder
from .lexicon import pairs, source
from .phrase import Phrase
from .treebank import SPLITS, draw

POOL = 800
ANIMATE = frozenset({"man", "woman", "role", "animal", "kin_man", "kin_woman", "kin_role"})
BODILESS = frozenset({"abstract", "event", "quality", "field", "sport", "game", "time"})
RELATION_FRAMES = source("words")["edges"]["relation_frames"]


def holds(kind: str, *labels: str) -> Callable[[Phrase], bool]:
    """Tells whether a sentence has a span of a kind, with one of the labels if any are given."""
    return lambda phrase: any(k == kind and (not labels or label in labels) for k, label, _ in phrase.spans())


@builder("negation_scope")
def negation_scope(n: int, seed: int) -> list[Sentence]:
    """Sentences with a negation: spans `cue` and `scope` (all of the negated clause but the cue; one or two spans)."""
    found = draw("scope", seed, holds("cue"), negation=0.4, pool_size=POOL)
    return [drawn.sentence() for drawn in islice(found, n)]


@builder("mentions")
def mentions(n: int, seed: int) -> list[Sentence]:
    """Sentences with an entity or a chain: spans `entity` and `mention` (its `head` is the number of the cluster)."""
    kept = [0, 0]  # structures with an entity only, and with a chain: half of either

    def keep(phrase: Phrase) -> bool:
        spans = list(phrase.spans())
        clusters = [cluster for kind, _, cluster in spans if kind == "mention"]
        chain = len(set(clusters)) < len(clusters)
        fits = chain or (any(kind == "entity" for kind, _, _ in spans) and kept[0] <= kept[1])
        kept[chain] += fits
        return fits

    # chains are rare, and structures without one cost time: more owners make more chains, half the structures do
    found = draw("mentions", seed, keep, pool_size=POOL // 2, ownership=0.9)
    return [drawn.sentence() for drawn in islice(found, n)]


def _edges(name: str, n: int, seed: int, kind: str) -> list[EdgeItem]:
    """One item a span of `kind`; roles get their predicate as the first span."""
    out: list[EdgeItem] = []
    for s in draw(name, seed, holds(kind), pool_size=POOL):
        if len(out) >= n:
            break
        for x in s.skeleton.spans:
            if x.kind != kind:
                continue
            span = (x.start, x.end)
            first, second = (span, None) if x.head is None or kind != "role" else ((x.head, x.head + 1), span)
            out.append(
                EdgeItem(
                    id=f"{s.id}-{len(out)}", split=s.split, words=s.words, span1=first, span2=second, labels=(x.label,)
                )
            )
    return out[:n]


@builder("entities")
def entities(n: int, seed: int) -> list[EdgeItem]:
    """Named entities and numbers: PERSON, GPE, ORG, LOC, DATE, CARDINAL."""
    return _edges("entities", n, seed, "entity")


@builder("semantic_roles")
def semantic_roles(n: int, seed: int) -> list[EdgeItem]:
    """A predicate (`span1`), one of its arguments or adjuncts (`span2`) and the role."""
    return _edges("roles", n, seed, "role")


@cache
def _proto_verbs() -> dict[str, frozenset[str]]:
    return {name: frozenset(verbs.split()) for name, verbs in source("verbs")["proto"].items()}


@cache
def proto_labels(verb: str, role: str, cls: str) -> tuple[str, ...]:
    """Proto-role properties of an argument (after Dowty 1991), by rule from the verb, the role and the noun's class.

    >>> proto_labels("build", "ARG1", "building")
    ('created', 'physical')
    """
    table = _proto_verbs()
    animate, found = cls in ANIMATE, set()
    if cls not in BODILESS:
        found.add("physical")
    if animate:
        found.add("sentient")
    if role == "ARG0":
        found.add("instigation")
        if animate and verb not in table["involuntary"]:
            found.add("volition")
        if verb in table["motion"]:
            found.add("moved")
    if role == "ARG1":
        found |= {
            name for name in ("changed_state", "destroyed", "created", "moved", "changed_owner") if verb in table[name]
        }
    if verb not in table["created"] or role != "ARG1":
        found.add("existed_before")
    return tuple(sorted(found))


@builder("proto_roles")
def proto_roles(n: int, seed: int) -> list[EdgeItem]:
    """A predicate, its ARG0 or ARG1, and all proto-role properties of that argument; meta `role` is the PropBank label."""
    out: list[EdgeItem] = []
    for s in draw("proto", seed, holds("role", "ARG0", "ARG1"), pool_size=POOL):
        if len(out) >= n:
            break
        for x in s.skeleton.spans:
            if x.kind != "role" or x.label not in ("ARG0", "ARG1") or x.head is None:
                continue
            top = next(i for i in range(x.start, x.end) if not x.start <= s.skeleton.heads[i] < x.end)
            upos, cls = s.skeleton.upos[top], s.skeleton.senses[top].removeprefix("noun.").removeprefix("name.")
            if upos == "PRON" and s.lemmas[top] != "it":
                cls = "role"
            if upos not in ("NOUN", "PROPN", "PRON") or not cls:
                continue
            out.append(
                EdgeItem(
                    id=f"{s.id}-{len(out)}",
                    split=s.split,
                    words=s.words,
                    span1=(x.head, x.head + 1),
                    span2=(x.start, x.end),
                    labels=proto_labels(s.lemmas[x.head], x.label, cls),
                    meta={"role": x.label},
                )
            )
    return out[:n]


def relations() -> list[tuple[str, str, str]]:
    """(relation, word, word) over synonyms, antonyms, hypernyms and parts."""
    out = [(name, a, b) for name in ("synonym", "antonym") for a, b in pairs(name)]
    out += [("meronym", a, b) for a, b in pairs("part")]
    for article in ("a", "an"):
        for category, things in source("taxonomy")[article].items():
            if not isinstance(things, dict):
                out += [("hypernym", thing, category) for thing in things.split()[:3]]
    return out


@builder("concept_pairs")
def concept_pairs(n: int, seed: int) -> list[EdgeItem]:
    """Two words in a lexical relation in frames that say nothing of it; at most all there are (about 1,200).

    The condition and the label name the relation; meta `words` are the two. All frames of a pair are in one split.
    """
    rng, found = Random(f"concepts-{seed}"), relations()
    rng.shuffle(found)
    split = {pair: SPLITS[i % 10] for i, pair in enumerate(found)}
    drawn = list(product(found, RELATION_FRAMES))
    rng.shuffle(drawn)
    out = []
    for i, ((relation, a, b), frame) in enumerate(islice(drawn, n)):
        words = tuple(frame.format(a=a, b=b).split())
        first = frame.split().index("{a}")
        second = frame.split().index("{b}")
        out.append(
            EdgeItem(
                id=f"concepts-{seed}-{i}",
                split=split[relation, a, b],
                condition=relation,
                words=words,
                span1=(first, first + 1),
                span2=(second, second + 1),
                labels=(relation,),
                meta={"words": (a, b)},
            )
        )
    return out
