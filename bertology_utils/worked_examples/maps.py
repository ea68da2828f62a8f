"""What whole attention maps are like: what special tokens get, patterns, likeness, pieces of words, shuffled weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..attention import collect, identifiability, patterns, pieces, relations
from ..attention.choosing import fitting
from ..attention.maps import KINDS
from ..data.items import Data
from ..errors import TooFew
from ..experiments.heads import blocks, explanation, removed
from ..scores.choice import choose
from ..settings import Settings
from ..subject import encode
from ..subject.models import Subject
from .heads import named
from .text import figures


def special(subject: Subject, data: Data, settings: Settings, *, norms: bool = False) -> Iterator[str]:
    """What special tokens and punctuation get of the attention in two sentences, block by block; with `norms` by lengths too."""
    words, _ = blocks.sentences_of(subject, data)
    shown = [w for w in words if "." in w or "," in w][:2] or words[:2]
    found = collect.collect(subject, shown, norms=norms, settings=settings)
    yield from (" ".join(w) for w in shown)
    for kind in KINDS:
        by_block = found.values[kind].mean((0, 2))
        yield f"  share of {kind}, by block from 1: " + " ".join(f"{v:.2f}" for v in by_block)
        if norms:
            weighted = np.nan_to_num(found.norms[f"share {kind}"]).mean((0, 2))
            yield "    with the vectors' lengths:    " + " ".join(f"{v:.2f}" for v in weighted)


def without(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """What the loss gains in two sentences where the attention to a token is taken away, and what that token had of it."""
    shown = blocks.sentences_of(subject, data)[0][:2]
    added, share = removed.measured(subject, shown, settings)
    for k, words in enumerate(shown):
        yield " ".join(words)
        for token in ("[CLS]", "[SEP]", "word", removed.WORDS):
            gained = added["removed", token][k]
            yield f"  without {token}:" + figures([("share of the attention", share[token][k]), ("nats added", gained)])


def shapes(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """The pattern of every head's map of one pair of sentences, and the clearest map of each."""
    words, _ = blocks.sentences_of(subject, data)
    first, second = words[:2]
    labels = patterns.classify(subject, [first], [second], settings=settings)[0]
    yield f"{' '.join(first)} | {' '.join(second)}"
    yield "  maps of each pattern: " + ", ".join(f"{p} {(labels == k).sum()}" for k, p in enumerate(patterns.PATTERNS))
    for example in patterns.gallery(subject, first, second, settings=settings):
        where = relations.called(example.layer, example.head)
        yield f"  clearest {example.pattern}: {where} (probability {example.probability:.2f})"


def alike(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """How far apart heads are on a few sentences: of one block and of two, and the pair that is most alike."""
    words, _ = blocks.sentences_of(subject, data)
    found = collect.collect(subject, words[:8], distances=True, settings=settings)
    assert found.matrix is not None and found.distances is not None  # asked for
    yield from (" ".join(w) for w in words[:2])
    table = np.round(found.matrix, 4) + np.eye(len(found.matrix)) * 9
    a, b = (int(k) for k in np.unravel_index(table.argmin(), table.shape))
    within, between = np.nanmean(found.distances, 0)
    yield f"  Jensen-Shannon divergence of their maps, in nats, mean of {min(len(words), 8)} sentences"
    yield figures([("two heads of one block", within), ("of two blocks", between)], 3)
    yield f"  most alike: {named(subject, a)} and {named(subject, b)}:" + figures([("divergence", table[a, b])], 3)


def joined(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """Attention between the pieces of one word in the head that joins them most."""
    items, _ = fitting(subject, data["treebank"])
    words = [list(i.words) for i in items]
    if data.name == "builtin":
        nouns = [[k for k, tag in enumerate(i.upos) if tag == "NOUN"] for i in items]
        words = pieces.with_compounds(subject, words, nouns, settings.seed)
    words, _ = fitting(subject, words, list)
    found = pieces.neighbours(subject, words, settings)
    head = choose(found.ratio().min(0))
    own = [k for k, n in enumerate(found.count[:, 0]) if n and max(map(len, words[k])) <= 25]  # no lines of stars
    own = [k for k in own if len(words[k]) >= 5] or own
    if not own:
        raise TooFew(f"none of {len(words)} sentences has a word of several pieces for {subject.name}")
    yield f"of {subject.n_layers * subject.n_heads} heads {named(subject, head)} joins pieces most"
    for k in sorted(own, key=lambda k: len(words[k]))[:2]:
        (row,) = encode.tokenize(subject, [words[k]])
        cut = {w: subject.tokenizer.tokenize(words[k][w]) for w in row.words if w >= 0 and row.words.count(w) > 1}
        means = found.mass[k, :, head] / np.maximum(found.count[k], 1)
        yield " ".join(words[k])
        yield "  of several pieces: " + ", ".join(" ".join(p) for p in cut.values())
        yield figures(zip(("attention between neighbouring pieces of one word", "of two words"), means), 3)


def explained(subject: Subject, data: Data, settings: Settings) -> Iterator[str]:
    """A masked word predicted with shuffled maps, and what leaving out each other word does."""
    items, _ = fitting(subject, data["sentences"])
    words = [i.words for i in items if 5 < len(i.words) <= 16][:1] or [items[0].words]
    change = identifiability.permuted_attention(subject, words, together=True, settings=settings)[0]
    yield " ".join(words[0])
    yield "  change of a masked word's prediction (0 none, 1 all) when the weights of a block are shuffled"
    yield "  by block from 1: " + " ".join(f"{v:.2f}" for v in change)
    at = len(words[0]) // 2
    (lost,) = identifiability.left_out(subject, words, [at], settings)
    hidden = [encode.Gapped("[MASK]") if w == at else word for w, word in enumerate(words[0])]
    (given,) = explanation.from_mask(subject, [hidden], [at], settings)
    others = [w for k, w in enumerate(words[0]) if k != at]
    yield f"for {words[0][at]}, masked, the prediction changes most without " + _most(others, lost)
    yield "  the last block attends most to " + _most(others, given[-1])


def _most(words: Sequence[str], values: np.ndarray) -> str:
    best = np.argsort(-np.round(values, 4), kind="stable")[:3]
    return " · ".join(f"{words[k]} {values[k]:.2f}" for k in best)
