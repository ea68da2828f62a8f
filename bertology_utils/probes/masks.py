"""Masked pieces of running text: where they stand, the states of every layer there, and what the model puts there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from ..settings import Settings
from ..subject import encode
from ..subject.encode import Row
from ..subject.models import Subject

SHARE = 0.15  # of the pieces of a sentence that are masked, as in pretraining


def mask_rows(
    subject: Subject, sentences: Sequence[Sequence[str]], *, share: float = SHARE, seed: int = 0
) -> tuple[list[Row], list[list[int]], list[list[int]]]:
    """Rows with pieces masked at random, the masked positions of each and the pieces that stood there.

    At least one piece a sentence; special tokens are never masked. Unknown pieces neither: nobody could fill them in.
    """
    rng = np.random.default_rng(seed)
    rows, positions, pieces = [], [], []
    for row in encode.tokenize(subject, sentences):
        free = [t for t, w in enumerate(row.words) if w >= 0 and row.ids[t] != subject.tokenizer.unk_token_id]
        if not free:
            continue
        hidden = sorted(rng.choice(free, max(1, round(share * len(free))), replace=False).tolist())
        rows.append(row.masked(hidden, subject.tokenizer.mask_token_id))
        positions.append(hidden)
        pieces.append([row.ids[t] for t in hidden])
    return rows, positions, pieces


def states_at(
    subject: Subject, rows: Sequence[Row], positions: Sequence[Sequence[int]], settings: Settings
) -> np.ndarray:
    """Hidden states of every layer at some positions of each row: float32 (L + 1, N, H), row by row."""
    starts = np.cumsum([0, *map(len, positions)])
    out = np.empty((subject.n_layers + 1, starts[-1], subject.hidden_size), np.float32)
    for batch in encode.batches(subject, rows, settings.budget):
        states = encode.forward(subject, batch, output_hidden_states=True).hidden_states
        at = [(b, t) for b, i in enumerate(batch.index) for t in positions[i]]
        rows_at, places = torch.tensor(at, device=subject.device).reshape(-1, 2).T
        chosen = torch.stack([state[rows_at, places] for state in states])  # (L + 1, n, H)
        out[:, np.concatenate([np.arange(starts[i], starts[i + 1]) for i in batch.index])] = (
            chosen.float().cpu().numpy()
        )
    return out


def at_masks(subject: Subject, rows: Sequence[Row], budget: int) -> Iterator[tuple[int, torch.Tensor]]:
    """Natural-log probabilities (M, V) at the masks of each row, streamed with the row's place; on the device."""
    mask = subject.tokenizer.mask_token_id
    for batch in encode.batches(subject, rows, budget):
        hidden = encode.forward(subject, batch).last_hidden_state  # (B, T, H)
        with torch.inference_mode():
            for k, i in enumerate(batch.index):
                where = batch.ids[k] == mask
                yield i, subject.predict(hidden[k][where]).float().log_softmax(-1)
