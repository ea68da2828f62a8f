"""Which head finds which word: arcs of a treebank, the best head against fixed offsets.

A head's answer for a word is the word it attends to most, special tokens and the word itself left out (clark2019).
Heads and offsets are chosen on one split and scored on another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch

from ..data.items import Sentence
from ..scores.choice import choose
from ..settings import Settings
from ..subject.models import Subject
from .maps import Maps, is_punctuation, maps

OFFSETS = tuple(o for o in range(-10, 11) if o)  # a word is not its own answer
DIRECTIONS = ("dependent to head", "head to dependent")
COLUMNS = ["sentence", "query", "target", "relation", "direction"]


def arcs(sentences: Sequence[Sentence]) -> pd.DataFrame:
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
            if name == "punct":
                continue
            rows.append((s, word, head, name, DIRECTIONS[0]))
            rows.append((s, head, word, name, DIRECTIONS[1]))
    return pd.DataFrame(rows, columns=COLUMNS)


def upward(arcs: pd.DataFrame) -> pd.DataFrame:
    """From the dependent to its head only."""
    return arcs[arcs["direction"] == DIRECTIONS[0]].reset_index(drop=True)


def _from_tags(sentence: Sentence, word: int, head: int) -> str:
    tag, of = sentence.xpos[word], sentence.xpos[head]
    if is_punctuation(sentence.words[word]):
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
class BestHead:
    """What was chosen on one split and how it does, item by item, on the other."""

    head: int
    offset: int
    right: np.ndarray  # (n,) of the head
    by_offset: np.ndarray  # (n,) of the offset
    dev_lead: float


def best_head(dev: np.ndarray, test: np.ndarray, dev_offsets: np.ndarray, test_offsets: np.ndarray) -> BestHead:
    """The most accurate head and offset of the dev split (rows are arcs), scored on the test split."""
    head, offset = choose(dev.mean(0)), choose(dev_offsets.mean(0))
    lead = float(dev[:, head].mean() - dev_offsets[:, offset].mean())
    return BestHead(head, OFFSETS[offset], test[:, head], test_offsets[:, offset], lead)


def head_name(head: int, n_layers: int, n_heads: int) -> str:
    """ "block 3, head 5", both counted from 1; "read backwards" behind it where it is read against the arrow."""
    turned, head = divmod(head, n_layers * n_heads)
    return called(*divmod(head, n_heads)) + (", read backwards" if turned else "")


def called(layer: int, head: int) -> str:
    """How a head (both numbers from 0) is called in rows and figures.

    >>> called(2, 4)
    'block 3, head 5'
    """
    return f"block {layer + 1}, head {head + 1}"
