"""The loop: a copy of the subject is trained with a head on top; the subject itself is never changed.

It hands a loss function the last layer's hidden states of a batch and the places of its rows, and the function does the
rest. Three things can be exchanged: which parameters learn (a *way*: `adapters`, `mixout`), what of the encoder is read
(`mixing`: all layers), and how a step makes its gradient (`freelb`: under perturbation).
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import nn

from ..errors import TooFew
from ..subject.encode import Batch, Row, batches
from ..subject.models import Subject

POOL = 8  # batches whose rows are sorted by length together: little padding, order still random

Loss = Callable[[torch.Tensor, Batch], torch.Tensor]
Read = Callable[..., torch.Tensor]  # (subject, batch, embeddings=None) -> what the loss is given
Step = Callable[[Subject, Batch, Loss, Read], torch.Tensor]  # leaves gradients, gives the loss without them
Watch = Callable[[Subject, int], bool]  # (copy, epochs done) -> whether to go on


@dataclass(frozen=True)
class Way:
    """How an encoder is tuned.

    Attributes
    ----------
    prepare : callable
        Changes the copy that is to be tuned where it must, and gives the parameters that learn beside the head.
    finish : callable
        Undoes what is of use in training only.
    """

    prepare: Callable[[Subject], list[nn.Parameter]]
    finish: Callable[[Subject], None] = lambda subject: None


@dataclass(frozen=True)
class Recipe:
    """How to fine-tune: Adam with decoupled weight decay, linear warm-up, linear decay to zero.

    Attributes
    ----------
    rate : float or None
        Peak learning rate; None takes 3e-5 at hidden size 768 and more for a narrower model (cubed ratio, 5e-4 at
        most), which otherwise learns nothing in the few dozen steps of a small data set.
    head_rate : float
        The head's rate as a multiple of the encoder's: large heads that start from nothing need more.
    batch : int
        Rows a step.
    warmup : float
        Share of the steps.
    layers : sequence of int or None
        Transformer layers (from 0) that learn; None means all, and the embeddings too. The head always learns.
    seed : int
        Of the head's first weights, dropout and, where it has none of its own, the order of the rows.
    order : int or None
        Seed of the order of the rows: dodge2020 cross the two.
    """

    epochs: int = 3
    rate: float | None = None
    head_rate: float = 1.0
    batch: int = 32
    warmup: float = 0.1
    decay: float = 0.01
    clip: float = 1.0
    layers: tuple[int, ...] | None = None
    seed: int = 0
    order: int | None = None

    def peak(self, hidden_size: int) -> float:
        return self.rate if self.rate is not None else min(5e-4, 3e-5 * (768 / hidden_size) ** 3)

    def factor(self, step: int, steps: int) -> float:
        """Share of the peak rate at a step (from 0) of so many."""
        rise = max(1, round(self.warmup * steps))
        return (step + 1) / rise if step < rise else (steps - step) / max(1, steps - rise)


_USUAL = Recipe()


def states(subject: Subject, batch: Batch, embeddings: torch.Tensor | None = None) -> torch.Tensor:
    """Last layer's hidden states (B, T, H), with gradients; from given piece embeddings (B, T, E) where there are any."""
    return subject.base(**batch.inputs(embeddings)).last_hidden_state


def plain(subject: Subject, batch: Batch, loss: Loss, read: Read) -> torch.Tensor:
    """The usual step: the gradient of the loss of a batch."""
    value = loss(read(subject, batch), batch)
    value.backward()
    return value.detach()


def duplicate(subject: Subject, name: str | None = None) -> Subject:
    """A subject with weights of its own."""
    return replace(subject, name=name or subject.name, model=copy.deepcopy(subject.model))


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Within the context torch draws from this seed; the caller's random state is put back after it."""
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        yield


def train(
    subject: Subject,
    rows: Sequence[Row],
    head: nn.Module,
    loss: Loss,
    recipe: Recipe = _USUAL,
    *,
    name: str | None = None,
    way: Way | None = None,
    read: Read = states,
    step: Step = plain,
    watch: Watch | None = None,
) -> tuple[Subject, list[float]]:
    """Train a copy of the subject together with a head.

    Parameters
    ----------
    rows : sequence of Row
        Training rows.
    head : nn.Module
        Changed in place; `loss` uses it.
    loss : callable
        ``(hidden (B, T, H), batch) -> scalar``; ``batch.index`` says which rows the batch holds.
    way : Way, optional
        Which parameters learn; by default those of the recipe's layers.
    read : callable
        What of the encoder the loss is given, by default `states`.
    step : callable
        How a step makes its gradient.
    watch : callable, optional
        Asked behind each epoch, copy and head in eval mode, whether to go on: it can keep scores, or stop early.

    Returns
    -------
    tuned, losses : Subject, list of float
        In eval mode, without gradients, and the loss of each step.

    Raises
    ------
    ValueError
        If there is no row.
    FloatingPointError
        If the loss is no longer finite; the step is named.
    """
    if not rows:
        raise TooFew("no row to fine-tune on")
    tuned = duplicate(subject, name)
    mixed = next(subject.model.parameters()).dtype is torch.bfloat16  # float16 would need its losses scaled
    tuned.model.float()  # weights in 16 bits would swallow what most steps change
    head.to(tuned.device)
    way = way or Way(lambda copied: trainable(copied, recipe.layers))
    parameters = way.prepare(tuned)
    steps = recipe.epochs * math.ceil(len(rows) / recipe.batch)
    optimiser, schedule = _optimiser(parameters, head, recipe, tuned, steps)
    losses: list[float] = []
    with seeded(recipe.seed, tuned.device):
        for epoch, part in enumerate(_epochs(tuned, rows, recipe), 1):
            tuned.base.train()
            head.train()
            for batch in part:
                with torch.autocast(tuned.device.type, torch.bfloat16, enabled=mixed):
                    value = step(tuned, batch, loss, read)
                if not torch.isfinite(value):
                    raise FloatingPointError(
                        f"loss is {value.item()} at step {len(losses)} of {steps} ({subject.name})"
                    )
                nn.utils.clip_grad_norm_([*parameters, *head.parameters()], recipe.clip)
                optimiser.step()
                schedule.step()
                optimiser.zero_grad(set_to_none=True)
                losses.append(value.item())
            tuned.model.eval()
            head.eval()
            if watch is not None and not watch(tuned, epoch):
                break
    way.finish(tuned)
    tuned.model.requires_grad_(False)
    head.requires_grad_(False)
    return tuned, losses


def _optimiser(parameters: list[nn.Parameter], head: nn.Module, recipe: Recipe, tuned: Subject, steps: int):
    """AdamW over encoder and head, and its schedule."""
    peak = recipe.peak(tuned.hidden_size)
    optimiser = torch.optim.AdamW(
        [
            {"params": [p for p in part if (p.ndim > 1) is decayed], "lr": rate, "weight_decay": decay}
            for part, rate in ((parameters, peak), (list(head.parameters()), peak * recipe.head_rate))
            for decayed, decay in ((True, recipe.decay), (False, 0.0))  # biases and layer norms do not decay
        ],
        fused=tuned.device.type in ("cpu", "cuda"),  # one pass over the weights: they outnumber a step's tokens by far
    )
    return optimiser, torch.optim.lr_scheduler.LambdaLR(optimiser, lambda s: recipe.factor(min(s, steps - 1), steps))


def trainable(subject: Subject, layers: Sequence[int] | None) -> list[nn.Parameter]:
    """The encoder's parameters that are to learn, switched on; the pooler is not in the way of any head here."""
    if layers is None:  # whatever an architecture has beside embeddings and layers, which ALBERT's share
        out = [p for name, p in subject.base.named_parameters() if not name.startswith("pooler.")]
    else:
        out = [p for k in layers for p in subject.layers[k].parameters()]
    for p in out:
        p.requires_grad_(True)
    return out


def _epochs(subject: Subject, rows: Sequence[Row], recipe: Recipe) -> Iterator[Iterator[Batch]]:
    """For each epoch, batches of rows of like length, in a random order that the seed fixes."""
    rng = np.random.default_rng(recipe.seed if recipe.order is None else recipe.order)
    for _ in range(recipe.epochs):
        order = rng.permutation(len(rows))
        pools = [order[i : i + POOL * recipe.batch] for i in range(0, len(order), POOL * recipe.batch)]
        cut = []
        for pool in pools:
            alike = sorted(pool, key=lambda i: len(rows[i].ids))
            cut += [alike[i : i + recipe.batch] for i in range(0, len(alike), recipe.batch)]
        yield _batches(subject, rows, [cut[k] for k in rng.permutation(len(cut))])


def _batches(subject: Subject, rows: Sequence[Row], cut: Sequence[Sequence[int]]) -> Iterator[Batch]:
    for chosen in cut:
        (batch,) = batches(subject, [rows[i] for i in chosen], budget=10**9)
        yield replace(batch, index=[int(chosen[i]) for i in batch.index])
