"""Before and after tuning: layers put back to what they were (hao2019), and how far attention has moved (kovaleva2019)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..data.items import Labelled
from ..settings import Settings
from ..subject.encode import batches, forward
from ..subject.models import Subject
from .classes import text_rows
from .loop import duplicate


def thirds(n_layers: int) -> tuple[range, range]:
    """The lower and the upper third of the layers, counted from 0, of equal size.

    Examples
    --------
    >>> thirds(8)
    (range(0, 3), range(5, 8))
    """
    size = max(1, round(n_layers / 3))
    return range(size), range(n_layers - size, n_layers)


def restored(tuned: Subject, pretrained: Subject, layers: Iterable[int]) -> Subject:
    """A copy of the tuned subject in which these layers, counted from 0, are the pretrained ones again.

    Raises
    ------
    IndexError
        If there is no such layer.
    """
    out = duplicate(tuned, f"{tuned.name}, restored")
    for k in layers:
        out.layers[k].load_state_dict(pretrained.layers[k].state_dict())
    return out


def attention_change(
    tuned: Subject, pretrained: Subject, items: Sequence[Labelled], settings: Settings | None = None
) -> np.ndarray:
    """Cosine distance between each head's maps before and after tuning, mean over a layer's heads: (n, L).

    0: the same map; maps have no negative entry, so 1 is the most. Special tokens are counted.
    """
    out = np.empty((len(items), tuned.n_layers))
    for batch in batches(tuned, text_rows(tuned, items), (settings or Settings.of()).budget):
        both = [forward(s, batch, output_attentions=True).attentions for s in (tuned, pretrained)]
        real = batch.mask[:, None, :, None].float()  # rows of padding are no distributions
        for layer, (a, b) in enumerate(zip(*both)):
            a, b = ((x.float() * real).flatten(2) for x in (a, b))  # (B, A, T * T)
            cosine = (a * b).sum(-1) / (a.norm(dim=-1) * b.norm(dim=-1))
            out[batch.index, layer] = 1 - cosine.mean(1).cpu().numpy()
    return out


def special_mass(subject: Subject, items: Sequence[Labelled], settings: Settings | None = None) -> np.ndarray:
    """Attention to [CLS] and to [SEP], mean over pieces and heads: (n, L, 2)."""
    out = np.empty((len(items), subject.n_layers, 2))
    tokens = (subject.tokenizer.cls_token_id, subject.tokenizer.sep_token_id)
    for batch in batches(subject, text_rows(subject, items), (settings or Settings.of()).budget):
        real = batch.mask[:, None, :, None].float()
        for layer, weights in enumerate(forward(subject, batch, output_attentions=True).attentions):
            received = (weights.float() * real).sum(2) / real.sum(2)  # (B, A, T): to each piece, from all
            for k, token in enumerate(tokens):
                given = (received * (batch.ids == token)[:, None]).sum(-1).mean(1)
                out[batch.index, layer, k] = given.cpu().numpy()
    return out
