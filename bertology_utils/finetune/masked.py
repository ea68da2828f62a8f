"""Masked pieces filled: a copy of the subject goes on learning by the task it was pretrained on (devlin2019)."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import torch
from torch import nn

from ..subject.encode import Batch, Row
from ..subject.models import ModelUnsuitable, Subject
from .loop import Recipe, train

HEADS = ("cls.predictions", "lm_head", "predictions")  # BERT; RoBERTa, MPNet; ALBERT


def name_of_head(subject: Subject) -> str:
    """The name of the module with which the subject predicts pieces.

    Raises
    ------
    ModelUnsuitable
        If it has no masked-LM head that can be taught here.
    """
    for name in HEADS if subject.has_mlm else ():
        try:
            subject.model.get_submodule(name)
        except AttributeError:
            continue
        return name
    raise ModelUnsuitable(f"{subject.name} has no masked-LM head that can be taught here")


def fill(
    subject: Subject, rows: Sequence[Row], places: Sequence[Sequence[int]], recipe: Recipe, name: str | None = None
) -> tuple[Subject, nn.Module]:
    """A copy of the subject that has learnt to fill masks, and its head, which no longer shares the embeddings' weights.

    Parameters
    ----------
    rows : sequence of Row
        As written, nothing hidden; a row that comes time and again may hide other places each time.
    places : sequence of sequence of int
        Of each row, the pieces that are hidden and predicted: at least one.

    Raises
    ------
    ModelUnsuitable
        If the model has no masked-LM head that can be taught here.
    """
    head = copy.deepcopy(subject.model.get_submodule(name_of_head(subject))).float().train().requires_grad_(True)
    mask = subject.tokenizer.mask_token_id

    def loss(hidden: torch.Tensor, batch: Batch) -> torch.Tensor:
        asked = [(b, t, rows[i].ids[t]) for b, i in enumerate(batch.index) for t in places[i]]
        lines, at, pieces = (list(x) for x in zip(*asked))
        return nn.functional.cross_entropy(head(hidden[lines, at]).float(), torch.tensor(pieces, device=hidden.device))

    masked = [row.masked(hidden, mask) for row, hidden in zip(rows, places, strict=True)]
    tuned, _ = train(subject, masked, head, loss, recipe, name=name)
    return tuned, head
