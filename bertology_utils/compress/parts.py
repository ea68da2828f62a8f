"""Parts switched off in turn: every head, every layer, all heads of a layer but one; the layers below are run once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ..data.items import Labelled
from ..finetune import Classifier, text_rows
from ..finetune.loop import inputs_of
from ..settings import Settings
from ..subject.encode import Batch, batches
from ..subject.hooks import ablate_heads
from ..subject.models import ModelUnsuitable, Subject

PLAIN = ("bert", "roberta", "xlm-roberta", "camembert", "electra")  # layers that take states and a mask alone


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


def embedded(subject: Subject, batch: Batch) -> torch.Tensor:
    """What goes into the first layer, (B, T, H), where layers can be called one by one.

    Raises
    ------
    ModelUnsuitable
        Layers of this kind are told more than states and mask, such as relative positions.
    """
    if subject.config.model_type not in PLAIN:
        why = "its layers cannot be called one by one with nothing but states and mask"
        raise ModelUnsuitable(
            f"this is not defined for {subject.name}, a model of type {subject.config.model_type}: {why}"
        )
    base: Any = subject.base
    inputs = inputs_of(subject, batch)
    hidden = base.embeddings(input_ids=inputs["input_ids"], token_type_ids=inputs["token_type_ids"])
    return base.embeddings_project(hidden) if hasattr(base, "embeddings_project") else hidden  # ELECTRA's are narrower


def states(subject: Subject, batch: Batch) -> tuple[list[torch.Tensor], torch.Tensor]:
    """What goes into each layer and out of the last, (B, T, H) each, and the mask that layers add to attention scores."""
    hidden = [embedded(subject, batch)]
    # where padding stands, the lowest number
    lowest = torch.finfo(hidden[0].dtype).min
    mask = torch.zeros_like(batch.mask, dtype=hidden[0].dtype).masked_fill(~batch.mask.bool(), lowest)[:, None, None]
    for block in subject.layers:
        hidden.append(block(hidden[-1], mask))
    return hidden, mask


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
            hidden, mask = states(subject, batch)
            for row, change in enumerate(changes):
                logits = classifier.head(_from(subject, hidden[change.layer], mask, change).float())
                out[row, batch.index] = logits.argmax(1).cpu().numpy() == gold[batch.index]
    return out


def _from(subject: Subject, hidden: torch.Tensor, mask: torch.Tensor, change: Off) -> torch.Tensor:
    """The last layer's output with a part off, from what goes into its layer."""
    first = change.layer if change.heads else change.layer + 1
    with ablate_heads(subject, [(change.layer, h) for h in change.heads]):
        for block in subject.layers[first:]:  # type: ignore[union-attr]
            hidden = block(hidden, mask)
    return hidden
