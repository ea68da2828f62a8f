"""Attention maps over words, one sentence at a time.

`attentions` turns piece-to-piece maps into word-to-word maps by summing over the pieces attended *to* and averaging
over the pieces attending, so that every word's distribution still sums to one (clark2019). Special tokens keep their
rows and columns. For statistics over a corpus, `attention.maps` does the same for a whole batch as one tensor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..settings import Settings
from .encode import Row, batches, forward, tokenize, windows
from .models import Subject


@dataclass(frozen=True)
class Units:
    """What the rows and columns of a word-level attention map stand for.

    Attributes
    ----------
    words : tuple[int, ...]
        For each unit the index of its word, or -1 for a special token.
    tokens : tuple[str, ...]
        The special token's name, or the empty string for a word.
    """

    words: tuple[int, ...]
    tokens: tuple[str, ...]


def word_units(subject: Subject, row: Row) -> tuple[Units, np.ndarray]:
    """The units of a row — special tokens and words in order — and the unit each piece belongs to, shape (T,)."""
    names = {subject.tokenizer.cls_token_id: "[CLS]", subject.tokenizer.sep_token_id: "[SEP]"}
    words: list[int] = []
    tokens: list[str] = []
    member = np.empty(len(row.ids), np.int64)
    for t, w in enumerate(row.words):
        if w < 0 or not words or words[-1] != w:
            words.append(w)
            tokens.append(names.get(row.ids[t], "") if w < 0 else "")
        member[t] = len(words) - 1
    return Units(tuple(words), tuple(tokens)), member


def attentions(
    subject: Subject,
    sentences: Iterable[Sequence[str]],
    *,
    word_level: bool = True,
    second: Sequence[Sequence[str]] | None = None,
    settings: Settings | None = None,
) -> Iterator[tuple[int, Units | Row, np.ndarray]]:
    """Attention maps, streamed; special tokens keep their rows and columns.

    Yields
    ------
    i, units, maps : int, Units, float32 array (L, A, U, U)
        ``maps[l, a, q, k]``: how much unit q attends to unit k; every row sums to one. Without `word_level`, the
        row itself and (L, A, T, T) over pieces.
    """
    budget = (settings or Settings.of()).budget
    for start, window in windows(sentences):
        rows = tokenize(subject, window, None if second is None else second[start : start + len(window)])
        for batch in batches(subject, rows, budget):
            maps = forward(subject, batch, output_attentions=True).attentions
            if not maps:
                raise RuntimeError(f"{subject.name} returned no attention maps: its attention is not eager")
            stacked = torch.stack(maps).float().cpu().numpy()  # (L, B, A, T, T)
            for k, row in enumerate(batch.rows):
                piece = stacked[:, k, :, : len(row.ids), : len(row.ids)]
                if not word_level:
                    yield start + batch.index[k], row, piece
                    continue
                what, member = word_units(subject, row)
                join = np.eye(len(what.words), dtype=np.float32)[member]  # (T, U)
                yield start + batch.index[k], what, (join / join.sum(0)).T @ piece @ join
