"""Log-probabilities of chosen pieces, with any others of the row hidden: what scores of several words are made of.

One pass per row, whatever it is asked for: pieces of a span are predicted side by side, each with all of the span
masked. (A chain that fills them in one by one takes as many passes as there are pieces.)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import torch

from ..settings import Settings
from .encode import Row, batches, forward, windows
from .models import Subject


def pieces_of(row: Row, words: Collection[int]) -> list[int]:
    """Places of the pieces of some words of a row.

    >>> pieces_of(Row((2, 8, 9, 5, 3), (0,) * 5, (-1, 0, 0, 1, -1), 2), [0])
    [1, 2]
    """
    return [t for t, word in enumerate(row.words) if word in words and word >= 0]


def log_probabilities(
    subject: Subject,
    rows: Sequence[Row],
    wanted: Sequence[Sequence[int]],
    hidden: Sequence[Sequence[int]] | None = None,
    settings: Settings | None = None,
) -> list[np.ndarray]:
    """Natural-log probability of the pieces at some places of each row, with some places masked.

    Parameters
    ----------
    rows : sequence of Row
        As `encode.tokenize` gives them, nothing masked.
    wanted : sequence of places, one per row
        Which pieces are asked for.
    hidden : sequence of places, one per row, optional
        Which pieces are masked; by default those that are asked for. Those that are asked for and not masked are read
        where they stand: a cheap measure of how well a text reads.

    Returns
    -------
    list of float arrays (pieces asked for,)

    Raises
    ------
    ValueError
        If there are not as many lists of places as rows.
    """
    hidden = wanted if hidden is None else hidden
    if not len(rows) == len(wanted) == len(hidden):
        raise ValueError(f"{len(rows)} rows, but places for {len(wanted)} and {len(hidden)}")
    budget, mask = (settings or Settings.of()).budget, subject.tokenizer.mask_token_id
    asked: dict[Row, list[int]] = {}  # equal inputs are read once: all that is wholly masked is alike
    for i, row in enumerate(rows):
        asked.setdefault(_covered(row, hidden[i], mask), []).append(i)
    out: list[np.ndarray] = [np.empty(0)] * len(rows)
    for _, window in windows(asked):
        for batch in batches(subject, window, budget):
            owners = [asked[row] for row in batch.rows]
            places = [sorted({t for i in of for t in wanted[i]}) for of in owners]
            at = [(b, t) for b, of in enumerate(places) for t in of]
            if not at:
                continue
            states = forward(subject, batch).last_hidden_state  # (B, T, H)
            with torch.inference_mode():
                logits = subject.predict(states[[b for b, _ in at], [t for _, t in at]])  # (P, V)
                logs = torch.log_softmax(logits.float(), -1).cpu().numpy()
            line = {place: k for k, place in enumerate(at)}
            for b, of in enumerate(owners):
                for i in of:
                    lines = [line[b, t] for t in wanted[i]]
                    out[i] = logs[lines, [rows[i].ids[t] for t in wanted[i]]].astype(float)
    return out


def _covered(row: Row, places: Sequence[int], mask: int) -> Row:
    ids = row.masked(set(places), mask).ids
    return Row(ids, row.types, (-1,) * len(ids), 0)  # words do not matter, and equal inputs shall be equal
