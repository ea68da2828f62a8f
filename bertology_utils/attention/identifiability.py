"""Is attention an explanation? Other weights for the same output: permuted maps, and the null space of attention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch

from .. import encode
from ..encode import Batch
from ..models import Subject
from ..settings import Settings
from .importance import masked
from .maps import recorded_values


@contextmanager
def replaced_context(subject: Subject, layer: int, contexts: torch.Tensor, head: int) -> Iterator[None]:
    """While open, a head's output in `layer` is `contexts`, (B, T, d)."""
    size = subject.hidden_size // subject.n_heads

    def put(module, args):
        (context, *rest) = args
        context = context.clone()
        context[..., head * size : (head + 1) * size] = contexts
        return (context, *rest)

    handle = subject.layers[layer].attention.output.dense.register_forward_pre_hook(put)
    try:
        yield
    finally:
        handle.remove()


def permuted_attention(
    subject: Subject, sentences: Sequence[Sequence[str]], *, permutations: int = 1, settings: Settings
) -> np.ndarray:
    """Change of the output when a head's weights are shuffled: total variation distances (n, L * A) (jain2019).

    In every row of the head's map the weights are dealt out anew over the tokens, and the distribution predicted for one
    masked piece of the sentence is compared with the original one; the median over `permutations`.
    """
    out = np.zeros((len(sentences), subject.n_layers * subject.n_heads))
    for batch, labels in masked(subject, sentences, share=0.0, seed=settings.seed, settings=settings):
        at = labels.argmax(1)  # the one place that is not -100
        rows = torch.arange(len(at), device=at.device)

        def predicted(rows=rows, at=at, batch=batch) -> torch.Tensor:
            hidden = encode.forward(subject, batch).last_hidden_state
            return subject.predict(hidden[rows, at]).float().softmax(-1)  # (B, V)

        with torch.inference_mode():
            with recorded_values(subject) as values:
                result = encode.forward(subject, batch, output_attentions=True)
            original = subject.predict(result.last_hidden_state[rows, at]).float().softmax(-1)
            order = _orders(batch, permutations, settings.seed)  # (P, B, T, T)
            for layer in range(subject.n_layers):
                value = values[layer].view(*values[layer].shape[:2], subject.n_heads, -1)  # (B, T, A, d)
                for head in range(subject.n_heads):
                    changes = []
                    for shuffle in order:
                        dealt = result.attentions[layer][:, head].gather(-1, shuffle)  # (B, T, T)
                        with replaced_context(subject, layer, dealt @ value[:, :, head], head):
                            changes.append(0.5 * (predicted() - original).abs().sum(-1))
                    change = torch.stack(changes).median(0).values
                    out[batch.index, layer * subject.n_heads + head] = change.cpu().numpy()
    return out


def _orders(batch: Batch, permutations: int, seed: int) -> torch.Tensor:
    """Random orders of the real keys for every row, (P, B, T, T); padding stays where it is."""
    width = batch.ids.shape[1]
    out = np.broadcast_to(np.arange(width), (permutations, len(batch.index), width, width)).copy()
    for b, (i, row) in enumerate(zip(batch.index, batch.rows)):
        rng = np.random.default_rng([seed, i])
        for p in range(permutations):
            size = len(row.ids)
            out[p, b, :size, :size] = rng.permuted(out[p, b, :size, :size], axis=1)
    return torch.from_numpy(out).to(batch.ids.device)


def null_space(subject: Subject, texts: Sequence[Sequence[str]], settings: Settings) -> np.ndarray:
    """Dimensions in which a head's weights may change without changing its output; (n, L, A) int (brunner2020).

    A head's output is weights times values. With values of d dimensions, and the sum of the weights held at one, T tokens
    leave a null space of T - rank([values, 1]) dimensions: none for short inputs, at least T - d - 1 for long ones. The
    output projection can only make it larger.
    """
    out = np.zeros((len(texts), subject.n_layers, subject.n_heads), int)
    for batch in encode.batches(subject, encode.tokenize(subject, texts), settings.batch_tokens):
        with recorded_values(subject) as values:
            encode.forward(subject, batch)
        for layer, value in enumerate(values):
            parts = value.double().view(*value.shape[:2], subject.n_heads, -1).transpose(1, 2)  # (B, A, T, d)
            for b, (i, row) in enumerate(zip(batch.index, batch.rows)):
                own = parts[b, :, : len(row.ids)]
                with_sum = torch.cat([own, torch.ones_like(own[..., :1])], -1)  # (A, T, d + 1)
                # values come in single precision: directions a millionth of the largest are rounding
                out[i, layer] = len(row.ids) - torch.linalg.matrix_rank(with_sum, rtol=1e-6).cpu().numpy()
    return out
