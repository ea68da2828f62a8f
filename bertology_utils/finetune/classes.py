"""Telling the classes of texts, or of pairs of texts, apart: the usual head and what comes out of training it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import nn

from ..data.items import ItemError, Labelled
from ..scores.choice import commonest
from ..settings import Settings
from ..subject import encode
from ..subject.encode import Batch, Row, batches, tokenize
from ..subject.models import Subject
from .loop import Read, Recipe, Step, Way, plain, seeded, states, train

_USUAL = Recipe()


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
    read : callable
        What of the encoder the head is given, by default the last layer's states.
    """

    subject: Subject
    head: nn.Module
    classes: tuple[str, ...]
    losses: list[float] = field(default_factory=list, repr=False)
    read: Read = field(default=states, repr=False)

    def to(self, device: torch.device) -> Classifier:
        """The same on another device; itself where it is there already."""
        if device == self.subject.device:
            return self
        model: Any = copy.deepcopy(self.subject.model)
        subject = replace(self.subject, model=model.to(device), device=device)
        return replace(self, subject=subject, head=copy.deepcopy(self.head).to(device))

    def logits(self, items: Sequence[Labelled], settings: Settings | None = None) -> np.ndarray:
        """Logits (n, C), float32, without gradients."""
        budget = (settings or Settings.of()).budget
        out = np.empty((len(items), len(self.classes)), np.float32)
        for batch in batches(self.subject, text_rows(self.subject, items), budget):
            with torch.inference_mode():
                out[batch.index] = self.head(self.read(self.subject, batch).float()).cpu().numpy()
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
    second = [(i.text_b or "").split() for i in items] if pairs else None
    return tokenize(subject, [i.text.split() for i in items], second)


def fitting(subject: Subject, items: Sequence[Labelled]) -> tuple[list[Labelled], str]:
    """The items that the subject can take whole, and a note that counts the others ('' where there are none)."""
    between = subject.tokenizer.sep_token
    joined = lambda i: (i.text if i.text_b is None else f"{i.text} {between} {i.text_b}").split()  # noqa: E731
    return encode.fitting(subject, items, joined)


def constant(train: Sequence[Labelled], scored: Sequence[Labelled]) -> np.ndarray:
    """Whether always giving one label is right, by scored item (N,): the best answer of that kind (`commonest`).

    Examples
    --------
    >>> train, scored = ([Labelled(id=str(k), text="", label=x) for k, x in enumerate(part)] for part in ("aab", "bba"))
    >>> constant(train, scored).tolist()
    [1.0, 1.0, 0.0]
    """
    label = commonest([i.label for i in scored], [i.label for i in train])
    return np.array([i.label == label for i in scored], float)


def classify(
    subject: Subject,
    items: Sequence[Labelled],
    recipe: Recipe = _USUAL,
    *,
    classes: Sequence[str] | None = None,
    head: Callable[[Subject, int], nn.Module] = ClassHead,
    way: Way | None = None,
    read: Read = states,
    step: Step = plain,
    watch: Callable[[Classifier, int], bool] | None = None,
) -> Classifier:
    """Fine-tune a copy of the subject to tell the classes of texts apart.

    Parameters
    ----------
    items : sequence of Labelled
        Training items (whoever calls has split them); single texts or pairs.
    classes : sequence of str, optional
        By default those that occur, sorted.
    head : callable
        ``(subject, classes) -> module`` that makes logits (B, C) of what is read.
    way, read, step
        As of `train`.
    watch : callable, optional
        ``(classifier so far, epochs done) -> whether to go on``, asked behind each epoch.

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
        made = head(subject, len(classes)).to(subject.device)

    def loss(hidden: torch.Tensor, batch: Batch) -> torch.Tensor:
        return nn.functional.cross_entropy(made(hidden.float()), gold[batch.index])

    def goes_on(tuned: Subject, epoch: int) -> bool:
        return watch is None or watch(Classifier(tuned, made, classes, read=read), epoch)

    rows = text_rows(subject, items)
    tuned, losses = train(subject, rows, made, loss, recipe, way=way, read=read, step=step, watch=goes_on)
    return Classifier(tuned, made, classes, losses, read)
