"""Parts switched off in turn: every head, every layer, all heads of a layer but one; the layers below are run once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..data.items import Labelled
from ..finetune import Classifier, text_rows
from ..settings import Settings
from ..subject.encode import Batch, batches, forward
from ..subject.hooks import Call, ablate_heads, call_again, layer_calls, states_of
from ..subject.models import Subject


@dataclass(frozen=True)
class Off:
    """What is off: some heads of a layer, or with none named the layer itself; both counted from 0."""

    layer: int
    heads: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"layer {self.layer}" + (f", head {self.heads[0]}" if len(self.heads) == 1 else "")


def every_part(subject: Subject) -> list[Off]:
    """Each layer and each head.

    Examples
    --------
    >>> from bertology_utils import load
    >>> len(every_part(load("mini")))
    72
    """
    layers = range(subject.n_layers)
    return [*(Off(k) for k in layers), *(Off(k, (h,)) for k in layers for h in range(subject.n_heads))]


def all_but(subject: Subject, kept: Iterable[int]) -> list[Off]:
    """For each layer, all its heads but one, which `kept` names."""
    return [Off(k, tuple(h for h in range(subject.n_heads) if h != one)) for k, one in enumerate(kept)]


def states(subject: Subject, batch: Batch) -> tuple[list[torch.Tensor], list[Call]]:
    """What goes into each layer and out of the last, (B, T, H) each, and what the layers were called with.

    Raises
    ------
    ModelUnsuitable
        Its layers cannot be reached one by one.
    """
    with layer_calls(subject) as calls:
        last = forward(subject, batch).last_hidden_state
    return [*map(states_of, calls), last], calls


def right(classifier: Classifier, items: Sequence[Labelled], changes: Sequence[Off], settings: Settings) -> np.ndarray:
    """Whether each item is classified rightly with each part off, (changes, n) bool.

    Raises
    ------
    IndexError
        If there is no such layer or head.
    """
    subject = classifier.subject
    if any(not 0 <= c.layer < subject.n_layers for c in changes):
        raise IndexError(f"layers {sorted({c.layer for c in changes})}: counted from 0, there are {subject.n_layers}")
    out = np.zeros((len(changes), len(items)), bool)
    gold = np.array([classifier.classes.index(i.label) for i in items])
    for batch in batches(subject, text_rows(subject, items), settings.budget):
        with torch.inference_mode():
            hidden, calls = states(subject, batch)
            for row, change in enumerate(changes):
                logits = classifier.head(_from(subject, hidden[change.layer], calls, change).float())
                out[row, batch.index] = logits.argmax(1).cpu().numpy() == gold[batch.index]
    return out


def _from(subject: Subject, hidden: torch.Tensor, calls: Sequence[Call], change: Off) -> torch.Tensor:
    """The encoder's output with a part off, from what goes into its layer."""
    first = change.layer if change.heads else change.layer + 1
    with ablate_heads(subject, [(change.layer, h) for h in change.heads]):
        for k in range(first, subject.n_layers):
            hidden = call_again(subject.layers[k], calls[k], hidden)
    return getattr(subject.base, "final_norm", torch.nn.Identity())(hidden)  # ModernBERT has one
