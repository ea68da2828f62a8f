"""Held-out sentences of each language of a run, with the same pieces hidden from all runs."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional as F

from .. import masking, wordpiece
from ..corpus import Corpus
from ..masking import Batch
from ..objectives import logits
from .reader import PART, Reader

BLOCKS, DRAWS = 40, 4  # held-out sentences of a language are summed in blocks, each masked so often
SEED = 20_260_102


@torch.no_grad()
def losses(reader: Reader, corpus: Corpus, most: int | None = None) -> dict[str, dict[str, list[float]]]:
    """Held-out sentences, at most so many per language, with the same pieces hidden from every run: file -> sums per block, (B,).

    ``loss`` and ``unigram`` in nats, ``right`` and ``n`` counts. ``unigram`` is the loss of the language's own piece
    frequencies in the training text, counts plus one, at the same places.
    """
    out = {}
    for place, file in enumerate(reader.config.languages.split()):
        own = corpus.groups == place
        ids = [_sentences(corpus, own & (corpus.held == held)) for held in (True, False)]
        counts = np.bincount(np.concatenate(ids[1]), minlength=reader.config.symbols) + 1.0
        unigram = -np.log(counts / counts.sum())
        if most is not None and len(ids[0]) > most:
            ids[0] = [ids[0][k * len(ids[0]) // most] for k in range(most)]
        sums = np.zeros((4, len(ids[0])))
        for draw in range(DRAWS):
            sums += _losses(reader, ids[0], unigram, place, np.random.default_rng([SEED, draw]))
        blocks = [part.sum(1) for part in np.array_split(sums, BLOCKS, 1)]
        out[file if file not in out else f"{file} again"] = {
            k: [round(float(x), 3) for x in v] for k, v in zip(("loss", "unigram", "right", "n"), zip(*blocks))
        }
    return out


def _sentences(corpus: Corpus, documents: np.ndarray) -> list[np.ndarray]:
    """The pieces of some documents, a sentence each."""
    bounds, first = corpus.sentences, corpus.documents
    numbers = [s for d in np.flatnonzero(documents) for s in range(first[d], first[d + 1])]
    return [corpus.tokens[bounds[s] : bounds[s + 1]].astype(np.int64) for s in numbers]


def _losses(
    reader: Reader, ids: list[np.ndarray], unigram: np.ndarray, place: int, rng: np.random.Generator
) -> np.ndarray:
    """Loss, unigram loss, right and number of the hidden pieces of each sentence, (4, R)."""
    whole, told = _masked(reader, ids, place, rng), []
    for k in range(0, len(ids), PART):
        part = whole.part(k, k + PART)
        scores = logits(reader.model, part)[0].float()
        each = F.cross_entropy(scores.flatten(0, 1), part.labels.flatten(), reduction="none").view_as(part.weights)
        frequent = torch.from_numpy(unigram)[part.labels]
        right = scores.argmax(2) == part.labels
        told.append(torch.stack([(v * part.weights).sum(1) for v in (each, frequent, right, torch.ones_like(each))]))
    return torch.cat(told, 1).numpy()


def _masked(reader: Reader, ids: list[np.ndarray], place: int, rng: np.random.Generator) -> Batch:
    """Sentences with some of their pieces hidden, at least one of each; which they are depends on their lengths alone."""
    rate, room = reader.config.eval_mask_rate, reader.config.eval_length - 2
    ids = [found[:room] for found in ids]
    rows, types = reader.rows(ids, place)
    slots = np.zeros((len(ids), masking.slots(room, rate)), np.int64)
    weights = np.zeros(slots.shape, np.float32)
    for r, found in enumerate(ids):
        n = masking.slots(len(found), rate)
        slots[r, :n], weights[r, :n] = 1 + rng.permutation(len(found))[:n], 1
    where, used = torch.from_numpy(slots), torch.from_numpy(weights)
    labels = rows.gather(1, where)
    hidden = rows.scatter(1, where, torch.where(used > 0, wordpiece.MASK, labels))
    return Batch(hidden, types, (rows != wordpiece.PAD)[:, None, None, :], where, labels, used, where[:, 0])
