"""A tag for every word: a linear head over the first piece of each (devlin2019)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from ..data.items import ItemError
from ..settings import Settings
from ..subject.encode import Batch, Row, batches, tokenize
from ..subject.models import Subject
from .loop import Recipe, seeded, states, train

_USUAL = Recipe()
IGNORED = -100


def first_pieces(row: Row) -> list[int]:
    """The place of each word's first piece."""
    return [row.words.index(w) for w in range(row.n_words)]


@dataclass(frozen=True, eq=False)
class Tagger:
    """A tuned subject with its head; `tags` in the order of the logits."""

    subject: Subject
    head: nn.Linear
    tags: tuple[str, ...]

    def tag(self, sentences: Sequence[Sequence[str]], settings: Settings | None = None) -> list[list[str]]:
        """The likeliest tag of each word."""
        rows = tokenize(self.subject, sentences)
        out: list[list[str]] = [[] for _ in rows]
        for batch in batches(self.subject, rows, (settings or Settings.of()).budget):
            with torch.inference_mode():
                best = self.head(states(self.subject, batch).float()).argmax(-1).cpu().numpy()
            for k, i in enumerate(batch.index):
                out[i] = [self.tags[t] for t in best[k, first_pieces(rows[i])]]
        return out

    def right(self, sentences: Sequence[Sequence[str]], gold: Sequence[Sequence[str]], settings=None) -> np.ndarray:
        """Whether each word's tag is right, (words,) bool."""
        found = self.tag(sentences, settings)
        return np.array([a == b for tags, wanted in zip(found, gold) for a, b in zip(tags, wanted)], bool)


def tag(
    subject: Subject, sentences: Sequence[Sequence[str]], gold: Sequence[Sequence[str]], recipe: Recipe = _USUAL
) -> Tagger:
    """Fine-tune a copy of the subject to tag words.

    Raises
    ------
    ItemError
        If a sentence has not as many tags as words; it is shown.
    """
    for words, tags_ in zip(sentences, gold, strict=True):
        if len(words) != len(tags_):
            raise ItemError(f"{len(tags_)} tags for {len(words)} words: {' '.join(words)[:120]}")
    tags = tuple(sorted({t for line in gold for t in line}))
    rows = tokenize(subject, sentences)
    wanted = []
    for row, line in zip(rows, gold):
        places = torch.full((len(row.ids),), IGNORED)
        places[first_pieces(row)] = torch.tensor([tags.index(t) for t in line])
        wanted.append(places)
    with seeded(recipe.seed, subject.device):
        head = nn.Linear(subject.hidden_size, len(tags)).to(subject.device)

    def loss(hidden: torch.Tensor, batch: Batch) -> torch.Tensor:
        targets = nn.utils.rnn.pad_sequence(
            [wanted[i] for i in batch.index], batch_first=True, padding_value=IGNORED
        ).to(hidden.device)
        return nn.functional.cross_entropy(head(hidden.float()).transpose(1, 2), targets, ignore_index=IGNORED)

    tuned, _ = train(subject, rows, head, loss, recipe)
    return Tagger(tuned, head, tags)
