"""Is attention an explanation? Other weights for the same output: permuted maps, and the null space of attention."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch

from ..data.items import MASK
from ..settings import Settings
from ..subject import encode
from ..subject.encode import Batch
from ..subject.hooks import Call, ablate_heads, call_again, head_outputs, layer_calls, states_of
from ..subject.models import Subject
from .importance import masked
from .maps import recorded_values


def permuted_attention(
    subject: Subject, sentences: Sequence[Sequence[str]], *, together: bool = False, settings: Settings
) -> np.ndarray:
    """Change of the output when weights are shuffled: total variation distances (n, L * A), or (n, L) (jain2019).

    In every row of a head's map the weights are dealt out anew over the tokens, and the distribution predicted for one
    masked piece of the sentence is compared with the original one. One head at a time, or, `together`, all heads of a
    block.
    """
    shape = (len(sentences), subject.n_layers, *(() if together else (subject.n_heads,)))
    out = np.zeros(shape)
    for batch, at in _one_masked(subject, sentences, settings):
        predicted = _predictor(subject, at)
        with torch.inference_mode():
            with recorded_values(subject) as values, layer_calls(subject) as inputs:
                result = encode.forward(subject, batch, output_attentions=True)
            original = predicted(result.last_hidden_state)
            order = _orders(batch, settings.seed)  # (B, T, T)
            for layer in range(subject.n_layers):
                value = values[layer].view(*values[layer].shape[:2], subject.n_heads, -1).transpose(1, 2)  # (B,A,T,d)
                dealt = result.attentions[layer].gather(-1, order[:, None].expand_as(result.attentions[layer]))
                hidden = rerun(subject, layer, inputs[layer], dealt @ value, together=together)  # (A or 1, B, T, H)
                change = 0.5 * (predicted(hidden) - original).abs().sum(-1)  # (A or 1, B)
                out[batch.index, layer] = (change[0] if together else change.T).cpu().numpy()
    return out.reshape(len(sentences), -1)


def without_heads(subject: Subject, sentences: Sequence[Sequence[str]], settings: Settings) -> np.ndarray:
    """Change of the same predictions when no head of any block gives anything: total variation distances (n,)."""
    every = [(layer, head) for layer in range(subject.n_layers) for head in range(subject.n_heads)]
    out = np.zeros(len(sentences))
    for batch, at in _one_masked(subject, sentences, settings):
        predicted = _predictor(subject, at)
        with torch.inference_mode():
            original = predicted(encode.forward(subject, batch).last_hidden_state)
            with ablate_heads(subject, every):
                change = predicted(encode.forward(subject, batch).last_hidden_state) - original
        out[batch.index] = (0.5 * change.abs().sum(-1)).cpu().numpy()
    return out


def _one_masked(
    subject: Subject, sentences: Sequence[Sequence[str]], settings: Settings
) -> Iterator[tuple[Batch, torch.Tensor]]:
    """Batches with one piece of each sentence masked, and its place (B,)."""
    for batch, labels in masked(subject, sentences, share=0.0, seed=settings.seed, settings=settings):
        yield batch, labels.argmax(1)  # the one place that is not -100


def _predictor(subject: Subject, at: torch.Tensor) -> Callable[[torch.Tensor], torch.Tensor]:
    """Distributions (..., B, V) at the places from hidden states (..., B, T, H)."""
    rows = torch.arange(len(at), device=at.device)
    return lambda hidden: subject.predict(hidden[..., rows, at, :]).float().softmax(-1)


def left_out(
    subject: Subject, sentences: Sequence[Sequence[str]], places: Sequence[int], settings: Settings
) -> list[np.ndarray]:
    """Change of the prediction for a masked word when another is masked too: by sentence, (words - 1,) (jain2019).

    Total variation distances, in the order of the other words.
    """
    mask = encode.Gapped(MASK)
    texts, of = [], []
    for i, (sentence, place) in enumerate(zip(sentences, places)):
        hidden = [mask if w == place else word for w, word in enumerate(sentence)]
        texts.append(hidden)
        of.append(i)
        for w in range(len(sentence)):
            if w != place:
                texts.append([mask if v == w else word for v, word in enumerate(hidden)])
                of.append(i)
    predictions: dict[int, torch.Tensor] = {}
    for batch in encode.batches(subject, encode.tokenize(subject, texts), settings.budget):
        at = torch.tensor([row.words.index(places[of[k]]) for k, row in zip(batch.index, batch.rows)])
        with torch.inference_mode():
            found = _predictor(subject, at.to(batch.ids.device))(encode.forward(subject, batch).last_hidden_state)
        predictions |= dict(zip(batch.index, found.cpu()))
    out: list[list[float]] = [[] for _ in sentences]
    whole: dict[int, torch.Tensor] = {}
    for k, i in enumerate(of):
        if i not in whole:
            whole[i] = predictions[k]
        else:
            out[i].append(float(0.5 * (predictions[k] - whole[i]).abs().sum()))
    return [np.array(x) for x in out]


def rerun(subject: Subject, layer: int, call: Call, contexts: torch.Tensor, *, together: bool = False) -> torch.Tensor:
    """The last hidden states (A, B, T, H) when each head in turn has other contexts, (B, A, T, d).

    Layers below are not run again, and one run serves all heads of the layer: a copy of the batch each. `together`: all
    heads have them at once, (1, B, T, H).
    """
    n, size = (1 if together else subject.n_heads), contexts.shape[-1]
    rows = len(contexts)

    def copied(x):
        """Tensors whose first axis is the batch's, repeated for every head."""
        return x.repeat(n, *[1] * (x.ndim - 1)) if torch.is_tensor(x) and x.ndim and x.shape[0] == rows else x

    call = tuple(map(copied, call[0])), {k: copied(v) for k, v in call[1].items()}
    hidden = states_of(call)

    def put(module, args):
        (context, *more) = args  # (n * B, T, H)
        if together:
            return (contexts.transpose(1, 2).flatten(2), *more)
        context = context.clone()
        for head in range(n):
            context[head * rows : (head + 1) * rows, :, head * size : (head + 1) * size] = contexts[:, head]
        return (context, *more)

    handle = head_outputs(subject, layer).register_forward_pre_hook(put)
    try:
        for module in subject.layers[layer:]:
            hidden = call_again(module, call, hidden)
    finally:
        handle.remove()
    return hidden.view(n, rows, *hidden.shape[1:])


def _orders(batch: Batch, seed: int) -> torch.Tensor:
    """Random orders of the real keys for every row, (B, T, T); padding stays where it is."""
    width = batch.ids.shape[1]
    out = np.broadcast_to(np.arange(width), (len(batch.index), width, width)).copy()
    for b, (i, row) in enumerate(zip(batch.index, batch.rows)):
        size = len(row.ids)
        out[b, :size, :size] = np.random.default_rng([seed, i]).permuted(out[b, :size, :size], axis=1)
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
