"""A masked-LM head for every layer: the model's own head behind a fitted linear map.

The head was trained for the last layer, so reading a lower layer with it as it is would measure how much the layer
*looks like* the last one. A linear map per layer, fitted on running text to predict masked pieces, takes that
difference away; what remains is what the layer holds (goldberg2019 asked where agreement is best; liu2019a where the
pretraining task is). Every layer, the last included, gets its map from the same text by the same number of steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from ..settings import Settings
from ..subject import encode
from ..subject.encode import Row
from ..subject.models import ModelUnsuitable, Subject

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


def _before_decoder(subject: Subject, hidden: torch.Tensor) -> torch.Tensor:
    """What the head makes of hidden states (N, H) before it compares them with the vocabulary."""
    model: Any = subject.model
    if hasattr(model, "cls"):
        return model.cls.predictions.transform(hidden)
    if hasattr(model, "lm_head"):
        head = model.lm_head
        return head.layer_norm(F.gelu(head.dense(hidden)))
    raise ModelUnsuitable(f"{subject.name} ({type(subject.model).__name__}) has no masked-LM head that is known here")


@dataclass(frozen=True, eq=False)
class LayerHead:
    """The subject's head behind a linear map: hidden (N, H) -> hidden @ weight.T + bias -> head."""

    subject: Subject
    weight: torch.Tensor
    bias: torch.Tensor

    def log_probs(self, hidden: np.ndarray, ids: Sequence[int] | np.ndarray | None = None) -> np.ndarray:
        """Natural-log probabilities (N, V), or (N, len(ids)) renormalised over those pieces."""
        x = torch.as_tensor(hidden, device=self.weight.device)
        with torch.no_grad():
            return _log_probs(self.subject, x, self.weight, self.bias, ids).cpu().numpy()

    def top(self, hidden: np.ndarray, rows: int = 256) -> np.ndarray:
        """The likeliest piece of the whole vocabulary for each hidden state; int (N,)."""
        parts = [self.log_probs(hidden[i : i + rows]).argmax(1) for i in range(0, len(hidden), rows)]
        return np.concatenate(parts)


def _log_probs(subject: Subject, x, weight, bias, ids) -> torch.Tensor:
    decoder = subject.model.get_output_embeddings()
    rows, offset = decoder.weight.float(), decoder.bias
    if offset is None:
        offset = rows.new_zeros(len(rows))
    if ids is not None:
        rows, offset = rows[ids], offset[ids]
    features = _before_decoder(subject, (x @ weight.T + bias).to(decoder.weight.dtype)).float()  # (N, H)
    return F.log_softmax(features @ rows.T + offset.float(), -1)


def fit_heads(
    subject: Subject,
    states: np.ndarray,
    pieces: Sequence[int],
    settings: Settings,
    *,
    steps: int = 15,
    rate: float = 3e-3,
) -> list[LayerHead]:
    """One head a layer, fitted to masked pieces of running text.

    Each map starts at the ridge regression of the last layer on its own (for the last layer that is the identity, or
    nearly so) and takes `steps` full-batch Adam steps on the cross-entropy over the pieces that occur in the text: the
    whole vocabulary would cost tens of times more and its other pieces are no answer here. So what is fitted is the
    prediction and not the likeness to the last layer.

    Parameters
    ----------
    states : float32 array (L + 1, N, H)
        At the masked positions, from `states_at`.
    pieces : sequence of int
        What stood there.

    Raises
    ------
    ModelUnsuitable
        If the model has no masked-LM head in its weights.
    ValueError
        If states and pieces differ in number.
    """
    if not subject.has_mlm:
        raise ModelUnsuitable(f"{subject.name} has no masked-language-model head in its weights")
    if states.shape[1] != len(pieces) or not len(pieces):
        raise ValueError(f"{states.shape[1]} masked positions but {len(pieces)} pieces")
    device = subject.device
    kinds, codes = np.unique(np.asarray(pieces), return_inverse=True)
    ids, target = torch.as_tensor(kinds, device=device), torch.as_tensor(codes, device=device)
    last = torch.as_tensor(states[-1], device=device)
    heads = []
    for layer in states:
        x = torch.as_tensor(layer, device=device)
        weight, bias = _ridge(x, last)
        weight.requires_grad_(), bias.requires_grad_()
        optimiser = torch.optim.Adam([weight, bias], lr=rate)
        schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.1, total_iters=steps)
        for _ in range(steps):
            loss = F.nll_loss(_log_probs(subject, x, weight, bias, ids), target)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
        heads.append(LayerHead(subject, weight.detach(), bias.detach()))
    return heads


def _ridge(x: torch.Tensor, y: torch.Tensor, strength: float = 0.01) -> tuple[torch.Tensor, torch.Tensor]:
    """Weight (H, H) and bias of the regression of y on x (N, H), shrunk by `strength` of the mean variance."""
    mean_x, mean_y = x.mean(0), y.mean(0)
    a, b = (x - mean_x).double(), (y - mean_y).double()
    gram = a.T @ a
    gram += (
        strength * gram.diagonal().mean().clamp_min(1e-9) * torch.eye(len(gram), dtype=gram.dtype, device=gram.device)
    )
    weight = torch.linalg.solve(gram, a.T @ b).T.float()
    return weight, mean_y - weight @ mean_x


def at_masks(subject: Subject, rows: Sequence[Row], budget: int) -> Iterator[tuple[int, torch.Tensor]]:
    """Natural-log probabilities (M, V) at the masks of each row, streamed with the row's place; on the device."""
    mask = subject.tokenizer.mask_token_id
    for batch in encode.batches(subject, rows, budget):
        hidden = encode.forward(subject, batch).last_hidden_state  # (B, T, H)
        with torch.inference_mode():
            for k, i in enumerate(batch.index):
                where = batch.ids[k] == mask
                yield i, subject.predict(hidden[k][where]).float().log_softmax(-1)
