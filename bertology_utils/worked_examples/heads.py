"""Where heads look: the head that a claim's function picks on some items, and what it does in one more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from ..attention import antecedents, mixtures, relations, scope, spans
from ..attention.choosing import fitting, sides
from ..attention.maps import KINDS, maps
from ..data.items import Data, Sentence
from ..data.text import marked
from ..errors import TooFew
from ..experiments.heads import frames, lexical, reference, treebanks
from ..finetune import biaffine
from ..scores.choice import choose
from ..settings import Settings
from ..subject.models import Subject
from .text import figures, two, verdict

LONG = 60  # words of a text with a pronoun, where there are shorter ones
RELATIONS = ("obj", "nsubj", "amod", "det", "obj, from tags", "nsubj, from tags", "det, from tags")


def named(subject: Subject, head: int) -> str:
    return relations.head_name(head, subject.n_layers, subject.n_heads)


def looks(subject: Subject, words: Sequence[str], at: int, head: int, settings: Settings) -> str:
    """The words (and special tokens) that get most of a word's attention in a head, with their shares.

    A head beyond the last is read against its arrow: who attends to the word?
    """
    (batch,) = maps(subject, [words], settings=settings)
    turned, head = divmod(head, subject.n_layers * subject.n_heads)
    table = batch.weights[0].flatten(0, 1)[head].cpu().numpy()
    row = (table.T if turned else table)[batch.place[0][at]]
    names = [words[w] if w >= 0 else KINDS[k] for w, k in zip(batch.words[0].tolist(), batch.kinds[0].tolist())]
    best = np.argsort(-np.round(row, 4), kind="stable")[:3]
    given = " · ".join(f"{names[u]} {row[u]:.2f}" for u in best)
    return f"{'who attends to' if turned else 'from'} {words[at]}: {given}"


def _split(subject: Subject, data: Data) -> tuple[list[Sentence], list[Sentence]]:
    items, _ = fitting(subject, [s for s in data["treebank"] if s.heads])
    dev, test, _ = sides(items, train=True)
    return dev, [s for s in test if len(s.words) <= 20] or test


def syntactic(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """The best head of two relations, and where it looks from a dependent."""
    dev, test = _split(subject, data)
    known, asked = (relations.upward(relations.arcs(part)) for part in (dev, test))
    hits = relations.score(subject, [s.words for s in dev], known, settings=settings)
    shown = [r for r in RELATIONS if (known.relation == r).any() and (asked.relation == r).any()][:2]
    if not shown:
        raise TooFew(f"none of {', '.join(RELATIONS[:4])} is both in the sentences to choose on and in the others")
    for relation in shown:
        head = choose(hits[(known.relation == relation).to_numpy()].mean(0))
        arc = asked[asked.relation == relation].iloc[0]
        words = test[arc["sentence"]].words
        yield f"{marked(words, (arc['query'], arc['query'] + 1))}   its head ({relation}): {words[arc['target']]}"
        yield f"  best of {subject.n_layers * subject.n_heads} heads on other sentences: {named(subject, head)}"
        yield "  " + looks(subject, words, arc["query"], head, settings)


def combined(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A mixture of heads and the best single one, on the arcs of one relation."""
    dev, test = _split(subject, data)
    known, asked = (relations.upward(relations.arcs(part)) for part in (dev, test))
    relation = next((r for r in RELATIONS if (known.relation == r).any() and (asked.relation == r).any()), None)
    if relation is None:
        raise TooFew(f"none of {', '.join(RELATIONS[:4])} is both in the sentences to learn from and in the others")
    known, asked = (a[a.relation == relation].reset_index(drop=True) for a in (known, asked))
    found = mixtures.tally(subject, [s.words for s in dev], known, settings)
    weights, head = mixtures.mixture(found), choose(found.hits.mean(0))
    top = np.argsort(-np.round(weights, 4), kind="stable")[:3]
    yield f"learnt from {len(known)} arcs ({relation}): the heaviest heads of the mixture are"
    yield figures((named(subject, int(h)), weights[h]) for h in top)
    asked = asked.head(2)
    words = [s.words for s in test]
    single = mixtures.tally(subject, words, asked, settings).hits[:, head]
    several = mixtures.mixed_hits(subject, words, asked, np.zeros(len(asked), int), weights[None, None], settings)[0]
    for k, arc in asked.iterrows():
        text = words[arc["sentence"]]
        yield f"{marked(text, (arc['query'], arc['query'] + 1))}   its head: {text[arc['target']]}"
        yield f"  the mixture is {verdict(several[k])}, the best head alone ({named(subject, head)}) {verdict(single[k])}"


def whole_tree(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """One sentence's arcs by the head that finds most arcs of all relations."""
    dev, test = _split(subject, data)
    known = relations.upward(relations.arcs(dev))
    hits = relations.score(subject, [s.words for s in dev], known, both_ways=True, settings=settings)
    head = choose(hits.mean(0))
    for sentence in test[:2]:
        asked = relations.upward(relations.arcs([sentence]))
        right = relations.score(subject, [sentence.words], asked, both_ways=True, settings=settings)[:, head]
        yield sentence.describe()
        arcs = [f"{sentence.words[q]} < {sentence.words[t]}" for q, t in zip(asked["query"], asked["target"])]
        yield f"  found by {named(subject, head)}: {', '.join(a for a, r in zip(arcs, right) if r) or 'none'}"
        yield f"  missed: {', '.join(a for a, r in zip(arcs, right) if not r) or 'none'}"
        yield figures([("share of the tree", right.mean())])


def tuned_tree(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """The same, before a network is tuned to parse some short sentences and after it; heads are chosen on others."""
    trees = [s for s in data["treebank"] if s.heads]
    train = [s for s in trees if s.split == "train" and len(s.words) <= 12]
    others = replace(data, items={"treebank": [s for s in trees if s.split != "train"]})
    parser = biaffine.parse(subject, train, treebanks.RECIPE)
    for said, model in (("before", subject), (f"after tuning on {len(train)} sentences", parser.subject)):
        yield f"{said}:"
        yield from whole_tree(model, others, settings)


def coreference(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Which candidate does a pronoun attend to in the head that resolves most others?"""
    task, items = next(iter(data.items.items()))
    kept, _ = fitting(subject, items)
    read: Any = reference.READERS[task]
    kept = [i for i in kept if len(i.words) <= LONG] or kept
    anaphors = read(kept)
    if len(anaphors) < 4:
        raise TooFew(f"{len(kept)} items hold {len(anaphors)} anaphors with a right and a wrong candidate")
    words = [i.words for i in kept]
    attention = spans.between(subject, words, antecedents.links(anaphors), settings=settings)
    right = antecedents.attended(anaphors, attention)
    head = choose(right[2:].mean(0))
    given = np.split(attention[:, head], np.cumsum([len(a.heads) for a in anaphors])[:-1])
    for a, row in zip(anaphors[:2], given):
        yield f"{marked(a.words, a.span)}   right: {_mention(a, int(np.argmax(a.right)))}"
        yield f"  shares of the attention that the candidates get in {named(subject, head)}"
        yield figures((_mention(a, k), value / row.sum()) for k, value in enumerate(row[:5]))
        yield f"  most attended: {_mention(a, int(row.argmax()))}: {verdict(a.right[int(row.argmax())])}"


def _mention(a: antecedents.Anaphor, k: int) -> str:
    return " ".join(a.words[slice(*a.candidates[k])])


def concepts(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Attention between two related words, and between shuffled ones, in the head that tells them apart best."""
    items, _ = fitting(subject, [i for i in data["concept_pairs"] if not lexical.look_alike(i)])
    related, shuffled, kept = lexical.with_shuffled(subject, items, settings)
    if not len(kept):
        raise TooFew(f"{len(items)} pairs have no partners to be shuffled")
    head = choose(related.mean(0) / np.maximum(shuffled.mean(0), 1e-12))
    yield f"of {subject.n_layers * subject.n_heads} heads {named(subject, head)} leads most on these {len(kept)} pairs"
    for item in dict.fromkeys([kept[choose(related[:, head])], *two(kept, n=1)]):
        k = kept.index(item)
        yield item.describe()
        yield f"  attention between the two: {related[k, head]:.1e}   with another's partner: {shuffled[k, head]:.1e}"


def predicates(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Attention between a predicate and its argument, and between two other words as far apart."""
    items, _ = fitting(subject, [i for i in data["semantic_roles"] if frames.is_core(i)])
    roles = defaultdict(list)
    for item in data["semantic_roles"]:
        if item.span2 is not None:
            roles[item.words].append(item)
    found, texts = frames.links(subject, items, roles, settings)
    head = choose(np.round((found[:, 0] - found[:, 1]).mean(0), 4))
    yield f"of {subject.n_layers * subject.n_heads} heads {named(subject, head)} leads most on these {len(found)} arguments"
    shown = [i for i in two(items, n=len(items)) if " ".join(i.words) in texts][:2]
    for item in shown:
        both = [(0, item.span1, item.span2), (0, item.span2, item.span1)]
        value = spans.between(subject, [item.words], both, torch.amax, settings)[:, head].max()
        yield item.describe()
        yield figures([("largest attention between the two in that head", value)], 3)
    yield figures(
        [("mean, predicate and argument", found[:, 0, head].mean()), ("as far apart", found[:, 1, head].mean())], 3
    )


def negation(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """The scope of a negation read off the head that is best on other sentences."""
    items, _ = fitting(subject, [i for i in data["negation_scope"] if len(list(i.of("cue"))) == 1])
    items = [i for i in items if not scope.words(i)[2].all() and scope.words(i)[2].any()]
    if len(items) < 3:
        raise TooFew(f"{len(items)} sentences have a cue and words outside its scope")
    shown, seen = two(items), [i for i in items if i not in two(items)]
    gold = [scope.words(i)[2] for i in seen]
    head, threshold = scope.choose(scope.scores(subject, seen, settings), gold)
    yield f"best of all heads on {len(seen)} other sentences: {named(subject, head)}"
    for item, own in zip(shown, scope.scores(subject, shown, settings)):
        cue, free, right = scope.words(item)
        said = own[head] * own.shape[1] > threshold
        yield f"{marked(item.words, (cue, cue + 1))}   scope: {' '.join(item.words[w] for w, r in zip(free, right) if r)}"
        yield f"  read off: {' '.join(item.words[w] for w, r in zip(free, said) if r) or '-'}"
        yield figures([("F1", scope.f1(said, right))])


def agreement(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """How a verb divides its attention over the nouns, in all heads together and in the one that points best."""
    items, _ = fitting(subject, [i for i in data["agreement_attention"] if len(i.candidates) > 1])
    links = [(k, (i.meta["from"], i.meta["from"] + 1), (c, c + 1)) for k, i in enumerate(items) for c in i.candidates]
    attention = spans.between(subject, [i.words for i in items], links, settings=settings)
    parts = np.split(attention, np.cumsum([len(i.candidates) for i in items])[:-1])
    head = choose(np.mean([reference.lead(p, i.candidates.index(i.target)) for i, p in zip(items, parts)], 0))
    for item in two(items):
        given = parts[items.index(item)]
        yield f"{item.describe()}   asked from: {item.words[item.meta['from']]}"
        together = given.sum(1) / np.maximum(given.sum(), 1e-12)
        nouns = [item.words[c] for c in item.candidates]
        yield "  share of what the nouns get, all heads:" + figures(zip(nouns, together))
        yield f"  attention in {named(subject, head)}:" + figures(zip(nouns, given[:, head]))
