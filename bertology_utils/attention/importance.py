"""How much attention matters to the output: gradients by its weights, and by gates on whole heads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from ..settings import Settings
from ..subject import encode
from ..subject.encode import Batch
from ..subject.hooks import head_outputs, scaled
from ..subject.models import Subject


def masked(subject: Subject, sentences: Sequence[Sequence[str]], *, share: float = 0.15, seed: int = 0,
           settings: Settings) -> Iterator[tuple[Batch, torch.Tensor]]:  # fmt: skip
    """Batches with some pieces masked (at least one a sentence), and the labels: -100 where nothing is to be predicted."""
    rows = encode.tokenize(subject, sentences)
    for batch in encode.batches(subject, rows, settings.budget):
        ids, labels = batch.ids.clone(), torch.full_like(batch.ids, -100)
        for b, (i, row) in enumerate(zip(batch.index, batch.rows)):
            places = [t for t, w in enumerate(row.words) if w >= 0]
            rng = np.random.default_rng([seed, i])  # its own draw: the batch it falls in does not matter
            hidden = rng.choice(places, max(1, round(share * len(places))), replace=False)
            labels[b, hidden] = ids[b, hidden]
            ids[b, hidden] = subject.tokenizer.mask_token_id
        yield Batch(batch.index, batch.rows, ids, batch.types, batch.mask), labels


def kind_gradients(subject: Subject, sentences: Sequence[Sequence[str]], settings: Settings) -> dict[str, np.ndarray]:
    """Mean size of the derivative of the masked-LM loss by the attention on pieces of a kind (clark2019).

    Returns
    -------
    dict of str to array (n, L, A)
        "[CLS]", "[SEP]" and "other" (the words). The loss of each sentence is the mean over its masked pieces; the mean
        is over the sentence's positions and the pieces of the kind.
    """
    out = {k: np.zeros((len(sentences), subject.n_layers, subject.n_heads)) for k in ("[CLS]", "[SEP]", "other")}
    for batch, labels in masked(subject, sentences, seed=settings.seed, settings=settings):
        # embeddings ask for gradients, so that attention weights are in a graph although weights are not
        embedded = subject.base.get_input_embeddings()(batch.ids).detach().requires_grad_(True)
        result = subject.base(**batch.inputs(embedded), output_attentions=True)
        where = labels >= 0
        logs = torch.log_softmax(subject.predict(result.last_hidden_state[where]).float(), -1)
        losses = -logs.gather(1, labels[where][:, None])[:, 0] / where.sum(1, keepdim=True).expand_as(where)[where]
        gradients = torch.autograd.grad(losses.sum(), result.attentions)
        kinds = _kinds(subject, batch)
        for name, of in kinds.items():
            real = batch.mask.bool()[:, None, :, None] & of[:, None, None]  # (B, 1, T, T)
            for layer, gradient in enumerate(gradients):
                size = (gradient.abs() * real).sum((-2, -1)) / real.sum((-2, -1)).clamp(min=1)
                out[name][batch.index, layer] = size.float().cpu().numpy()
    return out


def _kinds(subject: Subject, batch: Batch) -> dict[str, torch.Tensor]:
    """Which pieces are of each kind, (B, T) bool."""
    ids, tokenizer = batch.ids, subject.tokenizer
    special = {"[CLS]": ids == tokenizer.cls_token_id, "[SEP]": (ids == tokenizer.sep_token_id) & batch.mask.bool()}
    return special | {"other": batch.mask.bool() & ~special["[CLS]"] & ~special["[SEP]"]}


def masked_hits(subject: Subject, sentences: Sequence[Sequence[str]], settings: Settings) -> np.ndarray:
    """Share of each sentence's masked pieces that the model predicts; (n,)."""
    out = np.zeros(len(sentences))
    for batch, labels in masked(subject, sentences, seed=settings.seed, settings=settings):
        where = labels >= 0
        with torch.inference_mode():
            hidden = encode.forward(subject, batch).last_hidden_state
            right = torch.zeros_like(where)
            right[where] = subject.predict(hidden[where]).argmax(-1) == labels[where]
        out[batch.index] = (right.sum(1) / where.sum(1)).cpu().numpy()
    return out


def head_importance(subject: Subject, batches: Sequence[tuple[Batch, torch.Tensor]], loss) -> np.ndarray:
    """|d loss / d gate| of every head, summed over batches, each layer brought to length one; (L, A) (michel2019).

    `loss(output, labels)` gives the summed loss of a batch from the encoder's output.
    """
    total = np.zeros((subject.n_layers, subject.n_heads))
    gates = torch.ones(total.shape, device=subject.device, requires_grad=True)
    with scaled([head_outputs(subject, k) for k in range(subject.n_layers)], gates.__getitem__):
        for batch, labels in batches:
            output = subject.base(**batch.inputs())
            (gradient,) = torch.autograd.grad(loss(output, labels), gates)
            total += gradient.abs().double().cpu().numpy()
    return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-30)
