"""Is attention an explanation? Other weights for the same output: permuted maps, and the null space of attention."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import numpy as np
import torch

from ..settings import Settings
from ..subject import encode
from ..subject.encode import Batch
from ..subject.models import Subject
from .importance import masked
from .maps import recorded_values


def permuted_attention(
    subject: Subject, sentences: Sequence[Sequence[str]], *, permutations: int = 1, settings: Settings
) -> np.ndarray:
    """Change of the output when a head's weights are shuffled: total variation distances (n, L * A) (jain2019).

    In every row of the head's map the weights are dealt out anew over the tokens, and the distribution predicted for one
    masked piece of the sentence is compared with the original one; the median over `permutations`.
    """
    out = np.zeros((len(sentences), subject.n_layers, subject.n_heads))
    for batch, labels in masked(subject, sentences, share=0.0, seed=settings.seed, settings=settings):
        at = labels.argmax(1)  # the one place that is not -100
        rows = torch.arange(len(at), device=at.device)

        def predicted(hidden: torch.Tensor, rows=rows, at=at) -> torch.Tensor:
            """Distributions (..., B, V) from hidden states (..., B, T, H)."""
            return subject.predict(hidden[..., rows, at, :]).float().softmax(-1)

        with torch.inference_mode():
            with recorded_values(subject) as values, layer_inputs(subject) as inputs:
                result = encode.forward(subject, batch, output_attentions=True)
            original = predicted(result.last_hidden_state)
            order = _orders(batch, permutations, settings.seed)  # (P, B, T, T)
            for layer in range(subject.n_layers):
                value = (
                    values[layer].view(*values[layer].shape[:2], subject.n_heads, -1).transpose(1, 2)
                )  # (B, A, T, d)
                changes = []
                for shuffle in order:
                    dealt = result.attentions[layer].gather(-1, shuffle[:, None].expand_as(result.attentions[layer]))
                    hidden = rerun(subject, layer, inputs[layer], dealt @ value)  # (A, B, T, H)
                    changes.append(0.5 * (predicted(hidden) - original).abs().sum(-1))  # (A, B)
                out[batch.index, layer] = torch.stack(changes).median(0).values.T.cpu().numpy()
    return out.reshape(len(sentences), -1)


@contextmanager
def layer_inputs(subject: Subject) -> Iterator[list[tuple[tuple, dict]]]:
    """Within the context the list receives what each layer is called with, in turn."""
    out: list[tuple[tuple, dict]] = []
    with ExitStack() as stack:
        for layer in subject.layers:
            handle = layer.register_forward_pre_hook(
                lambda m, args, kwargs: out.append((args, kwargs)), with_kwargs=True
            )
            stack.callback(handle.remove)
        yield out


def rerun(subject: Subject, layer: int, call: tuple[tuple, dict], contexts: torch.Tensor) -> torch.Tensor:
    """The last hidden states (A, B, T, H) when each head in turn has other contexts, (B, A, T, d).

    Layers below are not run again, and one run serves all heads of the layer: a copy of the batch each.
    """
    n, size = subject.n_heads, contexts.shape[-1]
    rows = len(contexts)

    def copied(x):
        """Tensors whose first axis is the batch's, repeated for every head."""
        return x.repeat(n, *[1] * (x.ndim - 1)) if torch.is_tensor(x) and x.ndim and x.shape[0] == rows else x

    args, kwargs = call[0], {k: copied(v) for k, v in call[1].items()}
    hidden, *rest = map(copied, args) if args else (kwargs.pop("hidden_states"),)

    def put(module, args):
        (context, *more) = args  # (A * B, T, H)
        context = context.clone()
        for head in range(n):
            context[head * rows : (head + 1) * rows, :, head * size : (head + 1) * size] = contexts[:, head]
        return (context, *more)

    handle = subject.layers[layer].attention.output.dense.register_forward_pre_hook(put)
    try:
        for module in subject.layers[layer:]:
            hidden = module(hidden, *rest, **kwargs)
            hidden = hidden[0] if isinstance(hidden, tuple) else hidden
    finally:
        handle.remove()
    return hidden.view(n, rows, *hidden.shape[1:])


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
    for batch in encode.batches(subject, encode.tokenize(subject, texts), settings.budget):
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
