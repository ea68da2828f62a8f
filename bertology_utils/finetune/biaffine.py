"""A biaffine dependency parser on top of a subject: the heads of words, learnt together with the encoder.

Unlabelled arcs after dozat2017 as glavas2020 uses them: two transformed copies of each word's vector, one as dependent
and one as head, scored against one another; trees come from the best spanning tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn

from ..data.items import Sentence
from ..scores import trees
from ..settings import Settings
from ..subject.encode import Batch, Row, batches, tokenize
from ..subject.models import Subject
from . import Recipe, seeded, states, train

_USUAL = Recipe()


class BiaffineHead(nn.Module):
    """Arc scores (B, W + 1, W): from each candidate head, the root first, to each word; a word is its pieces' mean."""

    def __init__(self, hidden_size: int, size: int = 128):
        super().__init__()
        self.dependent = nn.Sequential(nn.Linear(hidden_size, size), nn.GELU())
        self.head = nn.Sequential(nn.Linear(hidden_size, size), nn.GELU())
        self.weight = nn.Parameter(torch.eye(size) / size**0.5)
        self.bias = nn.Parameter(torch.zeros(size))

    def forward(self, hidden: torch.Tensor, rows: Sequence[Row]) -> torch.Tensor:
        words = pooled(hidden.float(), rows)  # (B, W, H)
        candidates = torch.cat([hidden[:, :1].float(), words], 1)  # the first position stands for the root
        heads, dependents = self.head(candidates), self.dependent(words)
        scores = heads @ self.weight @ dependents.transpose(1, 2) + (heads @ self.bias)[..., None]
        lengths = torch.tensor([row.n_words for row in rows], device=hidden.device)
        width = torch.arange(candidates.shape[1], device=hidden.device)
        scores = scores.masked_fill((width > lengths[:, None])[..., None], -1e4)  # padding is nobody's head
        return scores


def pooled(hidden: torch.Tensor, rows: Sequence[Row]) -> torch.Tensor:
    """Mean vectors of words (B, W, H) from those of pieces (B, T, H)."""
    join = torch.zeros(len(rows), max(row.n_words for row in rows), hidden.shape[1])
    for b, row in enumerate(rows):
        for t, w in enumerate(row.words):
            if w >= 0:
                join[b, w, t] = 1
    return (join / join.sum(-1, keepdim=True).clamp(min=1)).to(hidden.device) @ hidden


@dataclass(frozen=True, eq=False)
class Parser:
    """A tuned subject with its biaffine head; `losses` are those of the training steps."""

    subject: Subject
    head: BiaffineHead
    losses: list[float] = field(default_factory=list, repr=False)

    def heads(self, sentences: Sequence[Sentence], settings: Settings | None = None) -> list[np.ndarray]:
        """Heads (W,) of each sentence, -1 for the root: the best spanning tree from its likeliest root."""
        rows = tokenize(self.subject, [s.words for s in sentences])
        out: list[np.ndarray] = [np.empty(0, int)] * len(rows)
        for batch in batches(self.subject, rows, (settings or Settings.of()).budget):
            with torch.inference_mode():
                scores = self.head(states(self.subject, batch), batch.rows).log_softmax(1).cpu().numpy()
            for k, i in enumerate(batch.index):
                n = rows[i].n_words
                out[i] = trees.arborescence(scores[k, 1 : n + 1, :n], int(scores[k, 0, :n].argmax()))
        return out

    def right(self, sentences: Sequence[Sentence], settings: Settings | None = None) -> list[np.ndarray]:
        """For each sentence, whether each word's head is right (the root's too), punctuation left out."""
        out = []
        for sentence, heads in zip(sentences, self.heads(sentences, settings)):
            keep, _ = trees.without_punctuation(sentence)
            out.append(heads[keep] == np.array(sentence.heads)[keep])
        return out


def parse(subject: Subject, sentences: Sequence[Sentence], recipe: Recipe = _USUAL) -> Parser:
    """Fine-tune a copy of the subject to parse; `Parser.subject` can then be tuned further on another task.

    Raises
    ------
    ValueError
        If a sentence has no gold heads; it is shown.
    """
    for sentence in sentences:
        if not sentence.heads:
            raise ValueError(f"a sentence without gold heads: {sentence}")
    with seeded(recipe.seed, subject.device):
        head = BiaffineHead(subject.hidden_size).to(subject.device)
    gold = [torch.tensor(s.heads, device=subject.device) + 1 for s in sentences]  # 0: the root

    def loss(hidden: torch.Tensor, batch: Batch) -> torch.Tensor:
        scores = head(hidden, batch.rows)  # (B, W + 1, W)
        wanted = nn.utils.rnn.pad_sequence([gold[i] for i in batch.index], batch_first=True, padding_value=-100)
        return nn.functional.cross_entropy(scores, wanted)

    tuned, losses = train(subject, tokenize(subject, [s.words for s in sentences]), head, loss, recipe)
    return Parser(tuned, head, losses)
