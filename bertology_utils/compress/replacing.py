"""Module replacing: each pair of layers gives way, more and more often, to a single one that learns in its place (xu2020)."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from ..data.items import Labelled
from ..finetune import Classifier, Recipe, text_rows, train
from ..subject.encode import Batch
from ..subject.hooks import call_again
from ..subject.models import Subject
from .movement import Schedule
from .structures import drop_layers


class Replaced(nn.Module):
    """A layer in place of some: in training it is chosen with the schedule's probability, afterwards always."""

    def __init__(self, old: Sequence[nn.Module], new: nn.Module, rate: Schedule):
        super().__init__()
        self.old, self.new, self.rate = list(old), new, rate  # those in a list are no parameters, and do not learn

    def forward(self, hidden_states: torch.Tensor, *args, **kwargs) -> torch.Tensor | tuple:
        if not self.training or torch.rand(()) < 0.5 + 0.5 * self.rate.now():
            return self.new(hidden_states, *args, **kwargs)
        *below, last = self.old
        for block in below:
            hidden_states = call_again(block, ((hidden_states, *args), kwargs), hidden_states)
        return last(hidden_states, *args, **kwargs)


def successor(subject: Subject, *, by: int = 2) -> Subject:
    """The plain small model: the first of every `by` layers."""
    return drop_layers(subject, [k for k in range(subject.n_layers) if k % by])


def replace_modules(
    subject: Subject, teacher: Classifier, items: Sequence[Labelled], recipe: Recipe, *, by: int = 2
) -> Classifier:
    """A classifier of 1/`by` of the layers, grown inside a tuned one.

    The new layers start as the subject's (as pretrained); head and embeddings are the teacher's and go on learning. The
    probability of replacing rises from one half to one, and for the last three tenths of the steps the new layers are
    alone, as in the study's second stage.
    """
    new: Any = successor(subject, by=by)
    steps = recipe.epochs * -(-len(items) // recipe.batch)
    rate = Schedule(1.0, steps)
    grown: Any = successor(teacher.subject, by=by)
    old = [block.requires_grad_(False) for block in teacher.subject.layers]
    blocks = [Replaced(old[k * by : (k + 1) * by], block, rate) for k, block in enumerate(new.layers)]
    grown.base.encoder.layer = nn.ModuleList(blocks)
    head: Any = copy.deepcopy(teacher.head).requires_grad_(True)
    gold = torch.tensor([teacher.classes.index(i.label) for i in items], device=subject.device)

    def loss(hidden: torch.Tensor, batch: Batch) -> torch.Tensor:
        rate.step += 1
        return F.cross_entropy(head(hidden.float()), gold[batch.index])

    tuned, losses = train(grown, text_rows(subject, items), head, loss, recipe)
    base: Any = tuned.base
    base.encoder.layer = nn.ModuleList([block.new for block in tuned.layers])  # type: ignore[misc]
    return Classifier(tuned, head, teacher.classes, losses)
