"""One sentence's tree by each of the ways in which studies read trees off a model, with the share that is right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ..data.items import Data, Sentence
from ..errors import TooFew
from ..experiments.syntax import probing_parsing, probing_trees, tensor_products
from ..experiments.syntax import trees as made
from ..experiments.syntax.probing import punctuation
from ..probes import SCHEMES, structural, tagging
from ..probes.linear import fit_each
from ..scores import trees
from ..scores.choice import choose
from ..settings import Settings
from ..subject import encode, perturb
from ..subject.models import Subject
from .heads import named
from .text import depths, figures, short

LONG = 14  # words of a sentence whose tree fits in a line
L2 = 1e-2


def drawn(words: Sequence[str], heads: Iterable[int]) -> str:
    """A tree in a line: each word with its head.

    >>> drawn(("the", "cat", "sleeps"), (1, 2, -1))
    'the < cat, cat < sleeps'
    """
    return ", ".join(f"{word} < {words[h]}" for word, h in zip(words, heads) if h >= 0)


def joined(words: Sequence[str], edges: Iterable[tuple[int, int]]) -> str:
    """A tree without directions in a line.

    >>> joined(("the", "cat", "sleeps"), {(1, 2), (0, 1)})
    'the-cat, cat-sleeps'
    """
    return ", ".join(f"{words[a]}-{words[b]}" for a, b in sorted(edges))


def _usable(subject: Subject, data: Data) -> list[Sentence]:
    sentences, _ = made.usable(subject, [s for s in data["treebank"] if s.heads])
    return sentences


def masking(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """What masking one word does to the others, and the tree decoded from it."""
    sentences = _usable(subject, data)
    (sentence,) = short([s for s in sentences if s.split == "test"] or sentences, 1)
    matrix = perturb.impact(subject, sentence.words, settings)
    keep, gold = trees.without_punctuation(sentence)
    scores = matrix[np.ix_(keep, keep)].T  # [h, d]: the impact of h on d
    words, root = [sentence.words[k] for k in keep], int(np.flatnonzero(gold < 0)[0])
    found = trees.eisner(scores, root)
    yield sentence.describe()
    for d in np.flatnonzero(gold >= 0)[:3]:
        most = np.argsort(-np.round(scores[:, d], 4), kind="stable")[:3]
        yield f"  {words[d]} changes most when masked are " + ", ".join(f"{words[h]} {scores[h, d]:.2f}" for h in most)
    yield f"  tree: {drawn(words, found)}"
    yield f"  gold: {drawn(words, gold)}"
    yield figures([("UUAS", trees.attached(found, gold).mean()),
                   ("of the chain of neighbours", trees.attached(trees.chain(len(gold), root), gold).mean())])  # fmt: skip


def spanning(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A sentence's tree out of the map of the head whose trees are best on other sentences."""
    dev, test = made.two_parts(_usable(subject, data))
    every = made.Attached()
    for table, gold in made.attention_maps(subject, dev, settings):
        every.add(made.head_trees(table, gold), gold)
    best = choose(every.shares(settings)[0])
    for sentence in short(test):
        ((table, gold),) = made.attention_maps(subject, [sentence], settings)
        (found,) = made.head_trees(table, gold, [best])
        keep, _ = trees.without_punctuation(sentence)
        words = [sentence.words[k] for k in keep]
        yield sentence.describe()
        yield f"  tree of {named(subject, best % (subject.n_layers * subject.n_heads))}: {drawn(words, found)}"
        yield f"  gold: {drawn(words, gold)}"
        yield figures([("UUAS", trees.attached(found, gold).mean())])


def probed(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A sentence's tree by structural probes of three layers, fitted on the train sentences."""
    items = [s for s in data["treebank"] if s.heads]
    for k, layer in enumerate(depths(subject.n_layers)):
        found = probing_trees.example(subject, items, layer, settings=settings)
        if not k:
            yield " ".join(found["words"])
            yield f"  gold: {joined(found['words'], found['gold'])}"
        share = len(set(found["gold"]) & set(found["predicted"])) / len(found["gold"])
        yield f"  layer {layer}: {joined(found['words'], found['predicted'])}" + figures([("UUAS", share)])


def unprobed(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Heads told word by word by a linear layer; constituents cut where neighbouring vectors lie farthest apart."""
    layer = depths(subject.n_layers)[1]
    items = [s for s in data.items.get("treebank", []) if s.heads and s.upos]
    if {"train", "test"} <= {s.split for s in items}:
        forest = probing_trees.grow(subject, items, settings)
        yield from _tagged(forest, layer, settings)
    bracketed = [s for s in data.items.get("constituency", items) if s.brackets]
    for sentence in short(encode.fitting(subject, bracketed)[0], 1):
        kept, gold = probing_parsing.without_punctuation(sentence)
        ((_, states),) = encode.hidden_states(subject, [sentence.words], layers=[layer], settings=settings)
        words = [sentence.words[k] for k in kept]
        spans = tagging.split_by_distance(tagging.gaps(states[0, kept]))
        yield sentence.describe()
        yield f"  constituents, layer {layer}: " + "".join(f"[{' '.join(words[a:b])}]" for a, b in sorted(spans))
        yield "  gold: " + "".join(f"[{' '.join(words[s.start : s.end])}]" for s in gold if s.end - s.start > 1)
        yield figures([("F1", tagging.span_f1(spans, gold, len(words)))])


def _tagged(forest: probing_trees.Forest, layer: int, settings: Settings) -> Iterator[str]:
    """Parsing as tagging: both the tags that heads are counted by and the heads come from one layer."""
    kept = [structural.without(s.heads, punctuation(s))[0] for s in forest.items]
    tags = [[s.upos[k] for k in keep] for s, keep in zip(forest.items, kept)]
    labels = [tagging.relative_heads(h, t) for h, t in zip(forest.heads, tags)]
    train = forest.of("train")
    x = np.concatenate([forest.vectors[k][layer] for k in train])[None]
    (tagger,), (parser,) = (
        fit_each(x, np.concatenate([np.array(of[k]) for k in train]), l2=L2, device=settings.torch_device())
        for of in (tags, labels)
    )
    test = forest.of("test")
    for k in [k for k in test if len(kept[k]) <= LONG][:1] or test[:1]:
        words = [forest.items[k].words[w] for w in kept[k]]
        vectors = forest.vectors[k][layer]
        found = tagging.decode_heads(parser.log_probs(vectors), list(parser.classes), tagger.predict(vectors).tolist())
        yield forest.items[k].describe()
        yield f"  heads, layer {layer}: {drawn(words, found)}"
        yield f"  gold: {drawn(words, forest.heads[k])}"
        yield figures([("UAS", tagging.attachments(found, forest.heads[k]).mean())])


def rebuilt(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """[CLS] of two sentences rebuilt from words bound to roles, by five schemes of roles."""
    items = [s for s in data["treebank"] if s.brackets]
    items, _ = encode.fitting(subject, items)
    train, dev, test = (np.array([s.split == part for s in items], bool) for part in ("train", "dev", "test"))
    if not (train.any() and dev.any() and test.any()):
        raise TooFew(f"{len(items)} sentences with constituents are not in train, dev and test")
    errors = tensor_products.rebuilt(subject, items, train, dev, settings)
    yield "squared error of rebuilding the vector of [CLS]; 1: no better than the mean of all such vectors"
    for k in np.flatnonzero(test)[:2]:
        yield items[k].describe()
        yield figures((f"roles by {scheme}", errors[scheme][:, k].mean()) for scheme in SCHEMES)
