"""Fine-tuning: a copy of the subject is trained with a head on top; the subject itself is never changed.

One loop (`train`) serves every head: it hands a loss function the last layer's hidden states of a batch and the places
of its rows, and the function does the rest. `classify` is the usual case, a text or a pair of texts with a class. What
comes back is a subject like any other, so whatever reads vectors, attention maps or ablates heads works on it.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import nn

from .data.items import ItemError, Labelled
from .encode import Batch, Row, batches, fits, tokenize
from .models import Subject
from .settings import Settings

POOL = 8  # batches whose rows are sorted by length together: little padding, order still random

Loss = Callable[[torch.Tensor, Batch], torch.Tensor]


@dataclass(frozen=True)
class Recipe:
    """How to fine-tune: Adam with decoupled weight decay, linear warm-up, linear decay to zero.

    Attributes
    ----------
    rate : float or None
        Peak learning rate; None takes 3e-5 at hidden size 768 and more for a narrower model (squared ratio, 1e-3 at
        most), as the small published BERTs need.
    batch : int
        Rows a step.
    warmup : float
        Share of the steps.
    layers : sequence of int or None
        Transformer layers (from 0) that learn; None means all, and the embeddings too. The head always learns.
    seed : int
        Of the head's first weights, the order of the rows and dropout.
    """

    epochs: int = 3
    rate: float | None = None
    batch: int = 32
    warmup: float = 0.1
    decay: float = 0.01
    clip: float = 1.0
    layers: tuple[int, ...] | None = None
    seed: int = 0

    def peak(self, hidden_size: int) -> float:
        return self.rate if self.rate is not None else min(1e-3, 3e-5 * (768 / hidden_size) ** 2)

    def factor(self, step: int, steps: int) -> float:
        """Share of the peak rate at a step (from 0) of so many."""
        rise = max(1, round(self.warmup * steps))
        return (step + 1) / rise if step < rise else (steps - step) / max(1, steps - rise)


def states(subject: Subject, batch: Batch, embeddings: torch.Tensor | None = None) -> torch.Tensor:
    """Last layer's hidden states (B, T, H), with gradients; from given piece embeddings (B, T, E) where there are any."""
    inputs = batch.inputs()
    if not getattr(subject.config, "type_vocab_size", 0) > 1:
        inputs["token_type_ids"] = torch.zeros_like(inputs["token_type_ids"])
    if embeddings is not None:
        inputs["inputs_embeds"] = embeddings
        del inputs["input_ids"]
    return subject.base(**inputs).last_hidden_state


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
    recipe: Recipe = Recipe(),
    *,
    name: str | None = None,
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
        raise ValueError("no row to fine-tune on")
    tuned = duplicate(subject, name)
    head.to(tuned.device)
    parameters = _trainable(tuned, recipe.layers)
    groups = [*parameters, *head.parameters()]
    steps = recipe.epochs * math.ceil(len(rows) / recipe.batch)
    optimiser = torch.optim.AdamW(
        [
            {"params": [p for p in groups if p.ndim > 1], "weight_decay": recipe.decay},
            {"params": [p for p in groups if p.ndim < 2], "weight_decay": 0.0},  # biases and layer norms
        ],
        lr=recipe.peak(tuned.hidden_size),
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda s: recipe.factor(min(s, steps - 1), steps))
    losses = []
    with seeded(recipe.seed, tuned.device):
        tuned.base.train()
        head.train()
        for batch in _epochs(tuned, rows, recipe):
            value = loss(states(tuned, batch), batch)
            if not torch.isfinite(value):
                raise FloatingPointError(f"loss is {value.item()} at step {len(losses)} of {steps} ({subject.name})")
            value.backward()
            nn.utils.clip_grad_norm_(groups, recipe.clip)
            optimiser.step()
            schedule.step()
            optimiser.zero_grad(set_to_none=True)
            losses.append(value.item())
    tuned.model.eval().requires_grad_(False)
    head.eval().requires_grad_(False)
    return tuned, losses


def _trainable(subject: Subject, layers: Sequence[int] | None) -> list[nn.Parameter]:
    """The encoder's parameters that are to learn, switched on; the pooler is not in the way of any head here."""
    chosen = [subject.base.embeddings, *subject.layers] if layers is None else [subject.layers[k] for k in layers]
    out = [p for module in chosen for p in module.parameters()]
    for p in out:
        p.requires_grad_(True)
    return out


def _epochs(subject: Subject, rows: Sequence[Row], recipe: Recipe) -> Iterator[Batch]:
    """Batches of rows of like length, in a random order that the seed fixes."""
    rng = np.random.default_rng(recipe.seed)
    for _ in range(recipe.epochs):
        order = rng.permutation(len(rows))
        pools = [order[i : i + POOL * recipe.batch] for i in range(0, len(order), POOL * recipe.batch)]
        cut = []
        for pool in pools:
            pool = sorted(pool, key=lambda i: len(rows[i].ids))
            cut += [pool[i : i + recipe.batch] for i in range(0, len(pool), recipe.batch)]
        for k in rng.permutation(len(cut)):
            chosen = cut[k]
            (batch,) = batches(subject, [rows[i] for i in chosen], budget=10**9)
            yield replace(batch, index=[int(chosen[i]) for i in batch.index])


class ClassHead(nn.Module):
    """Dense, tanh, dropout, linear over the first position, as in the original fine-tuning.

    Where the subject learnt a pooler (with next-sentence prediction) the dense layer starts from it.
    """

    def __init__(self, subject: Subject, n_classes: int):
        super().__init__()
        size = subject.hidden_size
        self.dense = nn.Linear(size, size)
        self.drop = nn.Dropout(getattr(subject.config, "hidden_dropout_prob", 0.1))
        self.out = nn.Linear(size, n_classes)
        for layer in (self.dense, self.out):
            nn.init.normal_(layer.weight, std=0.02)
            nn.init.zeros_(layer.bias)
        pooler = getattr(subject.base, "pooler", None)
        if subject.has_nsp and pooler is not None:
            self.dense.load_state_dict(pooler.dense.state_dict())

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """Logits (B, C) from hidden states (B, T, H)."""
        return self.out(self.drop(torch.tanh(self.dense(hidden[:, 0]))))


@dataclass(frozen=True, eq=False)
class Classifier:
    """A tuned subject with its head.

    Attributes
    ----------
    subject : Subject
        The tuned copy; vectors and attention maps of it are those after fine-tuning.
    head : ClassHead
    classes : tuple of str
        In the order of the logits.
    losses : list of float
        Of each training step.
    """

    subject: Subject
    head: ClassHead
    classes: tuple[str, ...]
    losses: list[float] = field(default_factory=list, repr=False)

    def logits(self, items: Sequence[Labelled], settings: Settings | None = None) -> np.ndarray:
        """Logits (n, C), float32, without gradients."""
        budget = (settings or Settings.of()).batch_tokens
        out = np.empty((len(items), len(self.classes)), np.float32)
        for batch in batches(self.subject, text_rows(self.subject, items), budget):
            with torch.inference_mode():
                out[batch.index] = self.head(states(self.subject, batch).float()).cpu().numpy()
        return out

    def predict(self, items: Sequence[Labelled], settings: Settings | None = None) -> list[str]:
        """The likeliest class of each item."""
        return [self.classes[k] for k in self.logits(items, settings).argmax(1)]

    def right(self, items: Sequence[Labelled], settings: Settings | None = None) -> np.ndarray:
        """Whether each item's class is predicted, (n,) bool."""
        return np.array([p == i.label for p, i in zip(self.predict(items, settings), items)], bool)


def text_rows(subject: Subject, items: Sequence[Labelled]) -> list[Row]:
    """Model inputs of texts, or of pairs of texts.

    Raises
    ------
    ItemError
        If some items are pairs and others are not.
    TooLong
        If an item does not fit; filter with `fitting` first.
    """
    pairs = [i for i in items if i.text_b is not None]
    if pairs and len(pairs) != len(items):
        single = next(i for i in items if i.text_b is None)
        raise ItemError(f"{len(pairs)} of {len(items)} items are pairs of texts, but not {single}")
    second = [i.text_b.split() for i in items] if pairs else None
    return tokenize(subject, [i.text.split() for i in items], second)


def fitting(subject: Subject, items: Sequence[Labelled]) -> tuple[list[Labelled], str]:
    """The items that the subject can take whole, and a note that counts the others ('' where there are none)."""
    joined = [f"{i.text} {subject.tokenizer.sep_token} {i.text_b}" if i.text_b is not None else i.text for i in items]
    ok = fits(subject, [text.split() for text in joined])
    kept = [i for i, fine in zip(items, ok) if fine]
    lost = len(items) - len(kept)
    return (
        kept,
        f"{lost} of {len(items)} texts have more than {subject.max_length} pieces and are left out" if lost else "",
    )


def classify(
    subject: Subject,
    items: Sequence[Labelled],
    recipe: Recipe = Recipe(),
    *,
    classes: Sequence[str] | None = None,
) -> Classifier:
    """Fine-tune a copy of the subject to tell the classes of texts apart.

    Parameters
    ----------
    items : sequence of Labelled
        Training items (whoever calls has split them); single texts or pairs.
    classes : sequence of str, optional
        By default those that occur, sorted.

    Raises
    ------
    ItemError
        If fewer than two classes occur, or a label is none of `classes`.
    """
    classes = tuple(classes or sorted({i.label for i in items}))
    strange = next((i for i in items if i.label not in classes), None)
    if len(classes) < 2 or strange is not None:
        raise ItemError(f"needs two classes or more, and labels among them: {classes}, {strange or ''}")
    gold = torch.tensor([classes.index(i.label) for i in items], device=subject.device)
    with seeded(recipe.seed, subject.device):
        head = ClassHead(subject, len(classes)).to(subject.device)

    def loss(hidden: torch.Tensor, batch: Batch) -> torch.Tensor:
        return nn.functional.cross_entropy(head(hidden.float()), gold[batch.index])

    tuned, losses = train(subject, text_rows(subject, items), head, loss, recipe)
    return Classifier(tuned, head, classes, losses)
