"""Held-out places: the same pieces hidden from every run of a tier, whatever its seed, its masks or its second task.

`HeldOut` of the training draws its places with the run's seed, as its learning curve needs. Runs are compared on others:
the held-out documents cut into pairs of neighbouring stretches once, with masks that depend on the place in the text alone.
A run that was trained on pairs reads ``[CLS] A [SEP] B [SEP]``, one that was not ``[CLS] A B [SEP]``: each as it was
taught, with the same pieces to tell. All that is hidden is hidden by the run's own symbol.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional as F
from transformers import BertForPreTraining

from .. import masking, units, wordpiece
from ..corpus import Corpus
from ..masking import Batch
from ..objectives import logits

LENGTH = 32  # pieces per row
RATE = 0.15
DRAWS = 6  # masks per row
SEED = 20_260_101
PART = 256  # rows at a time
SYMBOLS = {"mask": wordpiece.MASK, "unk": wordpiece.UNK}


@dataclass(frozen=True, eq=False)
class Places:
    """Rows of held-out documents.

    Attributes
    ----------
    rows : (R, 5) int64
        As `instances.plan` has them, B the true continuation of A.
    document : (R,) int64
        Which held-out document, counted from 0.
    held : (D,) int64
        Its number among all held-out documents of the text, whatever the pieces: one that gives no row is not among them.
    """

    corpus: Corpus
    rows: np.ndarray
    document: np.ndarray
    held: np.ndarray

    @property
    def count(self) -> int:
        """Documents."""
        return int(self.document.max()) + 1


def of(corpus: Corpus, length: int = LENGTH) -> Places:
    """Cut the held-out documents: a sentence as A, the sentences after it that fit as B (at least one, shortened if need be)."""
    room, rows, owner = length - 3, [], []
    bounds = corpus.sentences
    for n, document in enumerate(np.flatnonzero(corpus.held)):
        at, last = corpus.documents[document], corpus.documents[document + 1]
        while at + 1 < last:
            a = int(bounds[at + 1] - bounds[at])
            stop = max(at + 2, int(np.searchsorted(bounds[: last + 1], bounds[at] + room, side="right")) - 1)
            b = min(int(bounds[stop] - bounds[at + 1]), room - a)
            if b > 0:
                rows.append((bounds[at], a, bounds[at + 1], b, 0))
                owner.append(n)
            at = stop
    held, numbers = np.unique(np.array(owner), return_inverse=True)
    return Places(corpus, np.array(rows, np.int64), numbers, held)


@torch.no_grad()
def losses(model: BertForPreTraining, places: Places, *, pairs: bool, symbol: str = "mask") -> dict[str, np.ndarray]:
    """What a model makes of the hidden pieces, summed by document.

    Parameters
    ----------
    model : BertForPreTraining
        In eval mode.
    pairs : bool
        Whether it was trained on two segments.
    symbol : str
        What the pieces are hidden by: ``mask``, ``unk`` or ``random`` (a random piece).

    Returns
    -------
    dict
        ``loss`` and ``unigram`` (D,) in nats, ``right``, ``n`` and ``words`` (D,) counts. ``unigram`` is the loss of the
        frequencies of the training text, counts plus one, at the same places; ``words`` counts the pieces that begin a
        word, and ``document`` is `Places.held`: by these two runs in different pieces are compared.
    """
    sums = np.zeros((5, places.count))
    unigram = _unigram(places.corpus, model.config.vocab_size)
    begins = ~units.continuation(places.corpus.tokenizer)
    for draw in range(DRAWS):
        batch = _masked(places, pairs, symbol, draw)
        for start in range(0, len(places.rows), PART):
            part = batch.part(start, start + PART)
            scores, used = logits(model, part)[0].float(), part.weights > 0
            each = F.cross_entropy(scores[used], part.labels[used], reduction="none")
            right = scores[used].argmax(1) == part.labels[used]
            where = places.document[start : start + PART][np.nonzero(used.numpy())[0]]
            labels = part.labels[used].numpy()
            told = (each.numpy(), unigram[labels], right.numpy(), np.ones(len(where)), begins[labels])
            for k, values in enumerate(told):
                np.add.at(sums[k], where, values)
    return dict(zip(("loss", "unigram", "right", "n", "words"), sums)) | {"document": places.held}


def _unigram(corpus: Corpus, vocab: int) -> np.ndarray:
    """Minus log of the relative frequency of each piece in the training documents, (V,)."""
    sentence = np.repeat(np.repeat(corpus.held, np.diff(corpus.documents)), np.diff(corpus.sentences))
    counts = np.bincount(corpus.tokens[~sentence], minlength=vocab) + 1.0
    return -np.log(counts / counts.sum())


def _masked(places: Places, pairs: bool, symbol: str, draw: int) -> Batch:
    """The rows with the hidden pieces of a draw; which they are depends on the text alone."""
    rows = places.rows if pairs else _single(places.rows)
    tokens = torch.from_numpy(places.corpus.tokens.astype("int32"))
    planned = torch.from_numpy(rows)
    ids, types, words = masking.assemble(tokens, planned, LENGTH)
    rng = np.random.default_rng([SEED, draw])
    hidden, other = rng.random(len(tokens)) < RATE, rng.integers(5, 1 << 30, len(tokens))
    at = masking.sources(planned, LENGTH)[0].clamp(0, len(tokens) - 1).numpy()  # (R, L) place in the text of each piece
    chosen = torch.from_numpy(hidden[at]) & words
    stand_in = torch.from_numpy(5 + other[at] % (int(tokens.max()) - 4)) if symbol == "random" else SYMBOLS[symbol]
    most = max(1, int(chosen.sum(1).max()))
    weights, slots = chosen.float().topk(most, 1)  # those that are hidden first
    masked = torch.where(chosen, stand_in, ids)
    present = (ids != wordpiece.PAD)[:, None, None, :]
    return Batch(masked, types, present, slots, ids.gather(1, slots), weights, planned[:, -1])


def _single(rows: np.ndarray) -> np.ndarray:
    """A and B as one segment."""
    out = rows.copy()
    out[:, 1] += out[:, 3]
    out[:, 3] = 0
    return out


@torch.no_grad()
def relations(model: BertForPreTraining, places: Places) -> dict[str, np.ndarray]:
    """Whether the head of the second task tells pairs apart: a random B (``nsp``), or A and B changed places (``sop``).

    Every row is asked once as it is in the text and once spoilt, so that saying always the same is right half of the time.

    Returns
    -------
    dict
        ``nsp`` and ``sop``: (2 R,) bool, the rows as they are first.
    """
    rows = places.rows
    # B of a row of another document: that of half the rows further on
    other = np.roll(rows, len(rows) // 2, 0)
    random = rows.copy()
    random[:, 2] = other[:, 2]
    random[:, 3] = np.minimum(other[:, 3], LENGTH - 3 - rows[:, 1])
    swapped = rows[:, [2, 3, 0, 1, 4]]
    whole = _related(model, places, rows)
    return {
        "nsp": np.r_[~whole, _related(model, places, random)],
        "sop": np.r_[~whole, _related(model, places, swapped)],
    }


def _related(model: BertForPreTraining, places: Places, rows: np.ndarray) -> np.ndarray:
    """Whether the model says of each row that it is spoilt, (R,) bool."""
    tokens = torch.from_numpy(places.corpus.tokens.astype("int32"))
    out = []
    for start in range(0, len(rows), PART):
        planned = torch.from_numpy(np.ascontiguousarray(rows[start : start + PART]))
        ids, types, _ = masking.assemble(tokens, planned, LENGTH)
        slots = torch.zeros(len(ids), 1, dtype=torch.int64)
        present = (ids != wordpiece.PAD)[:, None, None, :]
        batch = Batch(ids, types, present, slots, slots, slots.float(), planned[:, -1])
        out.append(logits(model, batch)[1].argmax(1).numpy() == 1)
    return np.concatenate(out)
