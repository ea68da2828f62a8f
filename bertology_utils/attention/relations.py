"""Which head finds which word: arcs of a treebank, the best head against fixed offsets, mixtures of heads.

A head's answer for a word is the word it attends to most, special tokens and the word itself left out (clark2019).
Heads and offsets are chosen on one split and scored on another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch

from ..data.items import Sentence
from ..scores.choice import choose
from ..settings import Settings
from ..subject.models import Subject
from .maps import Maps, maps

OFFSETS = tuple(o for o in range(-10, 11) if o)  # a word is not its own answer
DIRECTIONS = ("dependent to head", "head to dependent")
COLUMNS = ["sentence", "query", "target", "relation", "direction"]


def arcs(sentences: Sequence[Sentence], *, punctuation: bool = False) -> pd.DataFrame:
    """The arcs of parsed sentences, in both directions: `sentence`, `query`, `target`, `relation`, `direction`.

    Relations are without subtypes (nsubj for nsubj:pass). Where a treebank has unlabelled trees, a few relations are told
    from the tags and the order, and their names say so ("obj, from tags").
    """
    rows = []
    for s, sentence in enumerate(sentences):
        for word, head in enumerate(sentence.heads):
            if head < 0:
                continue
            name = sentence.deprels[word].split(":")[0] if sentence.deprels else _from_tags(sentence, word, head)
            if name == "punct" and not punctuation:
                continue
            rows.append((s, word, head, name, DIRECTIONS[0]))
            rows.append((s, head, word, name, DIRECTIONS[1]))
    return pd.DataFrame(rows, columns=COLUMNS)


def _from_tags(sentence: Sentence, word: int, head: int) -> str:
    tag, of = sentence.xpos[word], sentence.xpos[head]
    if not any(c.isalnum() for c in sentence.words[word]):
        return "punct"
    if of.startswith("VB") and tag.startswith(("NN", "PRP")) and tag != "PRP$":
        return "obj, from tags" if head < word else "nsubj, from tags"
    known = {("DT", "NN"): "det", ("JJ", "NN"): "amod", ("RB", "VB"): "advmod", ("CD", "NN"): "nummod"}
    return known.get((tag[:2], of[:2]), "other") + ", from tags"


def gathered(batch: Maps, queries: pd.DataFrame, *, transposed: bool = False) -> tuple[np.ndarray, torch.Tensor, list]:
    """Scores of all words for each query in a batch.

    Returns
    -------
    which : int array (N,)
        Positions in `queries` of those whose sentence is in this batch.
    scores : Tensor (N, L, A, U)
        Attention from the query to each unit (or, transposed, from each unit to the query); -1 where a unit is no word
        or the query itself.
    place : list of dict
        Word index -> unit, for each of the N.
    """
    at = {i: b for b, i in enumerate(batch.index)}
    sentence = queries["sentence"].to_numpy()
    which = np.flatnonzero(np.isin(sentence, batch.index))
    rows = torch.tensor([at[s] for s in sentence[which]], dtype=torch.long)
    units = batch.place
    place = [units[b] for b in rows.tolist()]
    query = torch.tensor([p[q] for p, q in zip(place, queries["query"].to_numpy()[which])], dtype=torch.long)
    source = batch.weights.transpose(-1, -2) if transposed else batch.weights
    scores = source[rows, :, :, query].clone()  # (N, L, A, U)
    barred = batch.words[rows] < 0
    barred[torch.arange(len(rows)), query] = True
    scores.masked_fill_(barred[:, None, None], -1.0)
    return which, scores, place


def hits(batch: Maps, queries: pd.DataFrame, *, transposed: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Which of the queries are in the batch, and whether each head's answer is right: (N,) and (N, L, A) bool."""
    which, scores, place = gathered(batch, queries, transposed=transposed)
    target = torch.tensor([p[t] for p, t in zip(place, queries["target"].to_numpy()[which])], dtype=torch.long)
    best = scores.argmax(-1)  # (N, L, A)
    return which, (best == target.to(best.device)[:, None, None]).cpu().numpy()


def score(
    subject: Subject,
    sentences: Iterable[Sequence[str]],
    queries: pd.DataFrame,
    *,
    both_ways: bool = False,
    settings: Settings | None = None,
) -> np.ndarray:
    """Whether each head answers each query rightly; (queries, L * A), bool — one pass.

    With `both_ways`, (queries, 2 * L * A): behind the heads' own answers those read against the arrow, the word that
    attends to the query most.
    """
    heads = subject.n_layers * subject.n_heads
    out = np.zeros((len(queries), heads * (2 if both_ways else 1)), bool)
    for batch in maps(subject, sentences, settings=settings):
        for k in range(2 if both_ways else 1):
            which, ok = hits(batch, queries, transposed=bool(k))
            out[which, k * heads : (k + 1) * heads] = ok.reshape(len(which), heads)
    return out


def offset_hits(queries: pd.DataFrame) -> np.ndarray:
    """Whether each of `OFFSETS` leads from query to target; (queries, 20), bool."""
    step = (queries["target"] - queries["query"]).to_numpy()
    return step[:, None] == np.asarray(OFFSETS)[None]


def tag_hits(sentences: Sequence[Sentence], queries: pd.DataFrame, tags: Sequence[str]) -> np.ndarray:
    """Whether the nearest word of a tag, on the left or on the right, is the target; (queries, 2 * tags), bool.

    What a head that knows parts of speech and order, and no tree, could do.
    """
    out = np.zeros((len(queries), 2 * len(tags)), bool)
    columns = (queries[c].to_numpy() for c in ("sentence", "query", "target"))
    for row, (s, query, target) in enumerate(zip(*columns)):
        of = word_tags(sentences[s])
        for k, tag in enumerate(tags):
            left = next((w for w in range(query - 1, -1, -1) if of[w] == tag), None)
            right = next((w for w in range(query + 1, len(of)) if of[w] == tag), None)
            out[row, 2 * k], out[row, 2 * k + 1] = left == target, right == target
    return out


def word_tags(sentence: Sentence) -> tuple[str, ...]:
    """Coarse parts of speech: the universal ones, else the first two letters of the treebank's own."""
    return sentence.upos or tuple(tag[:2] for tag in sentence.xpos)


@dataclass(frozen=True)
class Best:
    """What was chosen on one split and how it does, item by item, on the other."""

    head: int
    offset: int
    right: np.ndarray  # (n,) of the head
    by_offset: np.ndarray  # (n,) of the offset
    dev_lead: float


def best(dev: np.ndarray, test: np.ndarray, dev_offsets: np.ndarray, test_offsets: np.ndarray) -> Best:
    """The most accurate head and offset of the dev split (rows are arcs), scored on the test split."""
    head, offset = choose(dev.mean(0)), choose(dev_offsets.mean(0))
    lead = float(dev[:, head].mean() - dev_offsets[:, offset].mean())
    return Best(head, OFFSETS[offset], test[:, head], test_offsets[:, offset], lead)


def name(head: int, n_layers: int, n_heads: int) -> str:
    """ "block 3, head 5", both counted from 1; "read backwards" behind it where it is read against the arrow."""
    turned, head = divmod(head, n_layers * n_heads)
    return called(*divmod(head, n_heads)) + (", read backwards" if turned else "")


def called(layer: int, head: int) -> str:
    """How a head (both numbers from 0) is called in rows and figures.

    >>> called(2, 4)
    'block 3, head 5'
    """
    return f"block {layer + 1}, head {head + 1}"


@dataclass(frozen=True)
class Tally:
    """What heads say of queries, read along the arrow and (behind, from H = L * A on) against it.

    Attributes
    ----------
    right, total : array (N, 2H)
        Attention of each head to the target, and to all words in question.
    words : array (N,)
        How many words are in question.
    hits : array (N, 2H), bool
        Whether the head's most attended word is the target.
    """

    right: np.ndarray
    total: np.ndarray
    words: np.ndarray
    hits: np.ndarray

    def of(self, which: np.ndarray) -> Tally:
        """Some of the queries."""
        return Tally(self.right[which], self.total[which], self.words[which], self.hits[which])


def tally(
    subject: Subject, sentences: Sequence[Sequence[str]], queries: pd.DataFrame, settings: Settings | None = None
) -> Tally:
    """All that a mixture of heads can be learnt from, in one pass."""
    heads = 2 * subject.n_layers * subject.n_heads
    right, total = (np.zeros((len(queries), heads), np.float32) for _ in range(2))
    words, right_word = np.zeros(len(queries), int), np.zeros((len(queries), heads), bool)
    for which, scores, target in _both_ways(subject, sentences, queries, settings):
        given = scores.clamp(min=0)
        right[which] = given[torch.arange(len(which)), :, target].cpu().numpy()
        total[which] = given.sum(-1).cpu().numpy()
        words[which] = (scores[:, 0] >= 0).sum(-1).cpu().numpy()
        right_word[which] = (scores.argmax(-1) == target.to(scores.device)[:, None]).cpu().numpy()
    return Tally(right, total, words, right_word)


def _both_ways(
    subject: Subject, sentences: Sequence[Sequence[str]], queries: pd.DataFrame, settings: Settings | None
) -> Iterator[tuple[np.ndarray, torch.Tensor, torch.Tensor]]:
    """By batch: positions of queries (N,), scores (N, 2H, U) with -1 for what is out of the question, target units (N,)."""
    for batch in maps(subject, sentences, settings=settings):
        which, along, place = gathered(batch, queries)
        if not len(which):
            continue
        _, against, _ = gathered(batch, queries, transposed=True)
        target = [p[t] for p, t in zip(place, queries["target"].to_numpy()[which])]
        yield which, torch.cat([along.flatten(1, 2), against.flatten(1, 2)], 1), torch.tensor(target)


def mixture(
    found: Tally, *, weights: np.ndarray | None = None, steps: int = 120, rate: float = 0.1, l1: float = 1e-3
) -> np.ndarray:
    """Non-negative weights of the heads, (2H,), learnt so that the weighted attention picks the target (hoover2019).

    Minimises the cross-entropy of the mixed attention, normalised over the words in question, plus a little L1 that
    lets useless heads go to zero. `weights` (N,) says how often each query counts (a resample's counts). Nothing is
    drawn: the same tally gives the same weights.
    """
    right, total, words = (torch.from_numpy(np.asarray(x, np.float64)) for x in (found.right, found.total, found.words))
    count = torch.ones(len(right)) if weights is None else torch.as_tensor(np.asarray(weights, np.float64))
    raw = torch.full((right.shape[1],), -2.0, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.Adam([raw], lr=rate)
    for _ in range(steps):
        mix = torch.nn.functional.softplus(raw)
        odds = (right @ mix + 1e-6) / (total @ mix + 1e-6 * words)
        loss = -(count * odds.log()).sum() / count.sum() + l1 * mix.sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return torch.nn.functional.softplus(raw).detach().numpy()


def mixed_hits(
    subject: Subject,
    sentences: Sequence[Sequence[str]],
    queries: pd.DataFrame,
    of: np.ndarray,
    weights: np.ndarray,
    settings: Settings | None = None,
) -> np.ndarray:
    """Whether the most attended word under mixtures is the target; (R, N) bool.

    Parameters
    ----------
    of : int array (N,)
        Which of the K sets of mixtures a query is put to.
    weights : array (K, R, 2H)
    """
    out = np.zeros((weights.shape[1], len(queries)), bool)
    table = torch.as_tensor(np.asarray(weights, np.float32))
    for which, scores, target in _both_ways(subject, sentences, queries, settings):
        mine = table[torch.as_tensor(of[which])].to(scores.device)  # (N, R, 2H)
        mixed = torch.einsum("nrh,nhu->rnu", mine, scores.clamp(min=0))
        mixed = mixed.masked_fill((scores[:, 0] < 0)[None], -1.0)
        out[:, which] = (mixed.argmax(-1) == target.to(scores.device)).cpu().numpy()
    return out


Span = tuple[int, int]


def between(
    subject: Subject,
    sentences: Sequence[Sequence[str]],
    links: Sequence[tuple[int, Span, Span]],
    reduce: Callable[..., torch.Tensor] = torch.mean,
    settings: Settings | None = None,
) -> np.ndarray:
    """Attention from one span of words to another, (links, L * A).

    `links` are (sentence, from, to) with half-open word spans; `reduce` (`torch.mean`, `torch.amax`) is taken over the
    pairs of words. The model runs once over each sentence that some link is in, however often it occurs.
    """
    texts: dict[tuple[str, ...], int] = {}
    of: dict[int, list[int]] = {}
    for i, (sentence, *_) in enumerate(links):
        text = tuple(sentences[sentence])
        of.setdefault(texts.setdefault(text, len(texts)), []).append(i)
    out = np.zeros((len(links), subject.n_layers * subject.n_heads), np.float32)
    for batch in maps(subject, texts, settings=settings):
        single: list[tuple[int, int, int, int]] = []  # (link, b, q, k) of one word to one: all at once
        for b, (s, place) in enumerate(zip(batch.index, batch.place)):
            for i in of.get(s, ()):
                (q0, q1), (k0, k1) = links[i][1:]
                if q1 - q0 == k1 - k0 == 1:
                    single.append((i, b, place[q0], place[k0]))
                    continue
                rows, columns = [[place[w] for w in range(*span)] for span in ((q0, q1), (k0, k1))]
                block = batch.weights[b][:, :, rows][:, :, :, columns]  # (L, A, q, k)
                out[i] = reduce(block.flatten(2), dim=-1).flatten().cpu().numpy()
        if single:
            i, b, q, k = torch.tensor(single).T
            out[i.numpy()] = batch.weights[b, :, :, q, k].flatten(1).cpu().numpy()
    return out
