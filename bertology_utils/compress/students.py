"""Students: fewer layers, or no transformer at all, that learn from a tuned teacher (hinton2014, sanh2019).

Soft targets are the teacher's probabilities at a temperature; matching adds the distance of hidden states (sun2019a: of
layers taken evenly from the teacher's) and of attention maps (jiao2019). A BiLSTM learns the teacher's logits
(tang2019). The null of each is the same student, from the same first weights, tuned on the labels alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from ..data.items import Labelled
from ..finetune import ClassHead, Classifier, Recipe, Way, seeded, states, text_rows, train, trainable
from ..subject.encode import Batch, Row, batches
from ..subject.hooks import on_maps
from ..subject.models import Subject


@dataclass(frozen=True)
class Lessons:
    """What a student hears: soft targets with a `share` and a `temperature`, hidden states and attention with weights."""

    share: float = 0.7
    temperature: float = 2.0
    hidden: float = 0.0
    attention: float = 0.0


@contextmanager
def listening(subject: Subject, seen: dict[str, list[torch.Tensor]]) -> Iterator[None]:
    """Within the context each layer's output and attention maps are kept in `seen`."""

    def hidden(module, args, output):
        seen["hidden"].append(output[0] if isinstance(output, tuple) else output)

    def weights(module, args, output):
        seen["attention"].append(output[1])

    with ExitStack() as stack:
        for k, block in enumerate(subject.layers):
            stack.callback(block.register_forward_hook(hidden).remove)
            stack.enter_context(on_maps(subject, k, weights))
        yield


def partners(student: int, teacher: int) -> list[int]:
    """The teacher's layer that each of the student's listens to: evenly, the last to the last.

    Examples
    --------
    >>> partners(4, 8)
    [1, 3, 5, 7]
    """
    return [round((k + 1) * teacher / student) - 1 for k in range(student)]


def distil(
    student: Subject,
    teacher: Classifier,
    items: Sequence[Labelled],
    recipe: Recipe,
    lessons: Lessons = Lessons(),
    *,
    unlabelled: Sequence[Labelled] = (),
) -> Classifier:
    """Tune a student on labels and on what a teacher says of the same texts.

    Parameters
    ----------
    student : Subject
        Of the teacher's width where hidden states are matched; it is copied.
    unlabelled : sequence of Labelled
        More texts; their labels are not looked at.

    Raises
    ------
    ValueError
        If hidden states are to be matched and the widths differ.
    """
    if lessons.hidden and student.hidden_size != teacher.subject.hidden_size:
        raise ValueError(f"hidden states of width {student.hidden_size} and {teacher.subject.hidden_size} do not match")
    every = [*items, *unlabelled]
    soft = torch.from_numpy(teacher.logits(every)).to(student.device) / lessons.temperature
    codes = [teacher.classes.index(i.label) for i in items] + [-100] * len(unlabelled)
    gold = torch.tensor(codes, device=student.device)
    with seeded(recipe.seed, student.device):
        head = ClassHead(student, len(teacher.classes))
    heard: dict[str, list[torch.Tensor]] = {"hidden": [], "attention": []}
    said: dict[str, list[torch.Tensor]] = {"hidden": [], "attention": []}
    pairs = partners(student.n_layers, teacher.subject.n_layers)

    def loss(hidden: torch.Tensor, batch: Batch) -> torch.Tensor:
        logits = head(hidden.float())
        value = (1 - lessons.share) * _labelled(logits, gold[batch.index])
        q = (soft[batch.index]).softmax(-1)
        value = value + lessons.share * lessons.temperature**2 * F.cross_entropy(logits / lessons.temperature, q)
        if lessons.hidden or lessons.attention:
            with torch.no_grad():
                states(teacher.subject, batch)
            value = value + _matched(heard, said, pairs, batch.mask.bool(), lessons)
        for kept in (*heard.values(), *said.values()):
            kept.clear()
        return value

    with ExitStack() as stack:

        def prepare(copied: Subject) -> list[nn.Parameter]:
            stack.enter_context(listening(copied, heard))
            return trainable(copied, recipe.layers)

        stack.enter_context(listening(teacher.subject, said))
        tuned, losses = train(student, text_rows(student, every), head, loss, recipe, way=Way(prepare))
    return Classifier(tuned, head, teacher.classes, losses)


def _labelled(logits: torch.Tensor, gold: torch.Tensor) -> torch.Tensor:
    known = gold >= 0
    return F.cross_entropy(logits[known], gold[known]) if known.any() else logits.sum() * 0


def _matched(heard: dict, said: dict, pairs: list[int], real: torch.Tensor, lessons: Lessons) -> torch.Tensor:
    """Mean squared distance of hidden states, each brought to length one (sun2019a), and of attention maps (jiao2019)."""
    value = torch.zeros(())
    for k, partner in enumerate(pairs):
        mine, other = (F.normalize(x, dim=-1) for x in (heard["hidden"][k], said["hidden"][partner]))
        value = value + lessons.hidden * ((mine - other)[real] ** 2).sum(-1).mean() / len(pairs)
        apart = (heard["attention"][k] - said["attention"][partner]) ** 2  # (B, A, T, T)
        value = value + lessons.attention * apart.sum(-1).mean(1)[real].mean() / len(pairs)
    return value


class BiLSTM(nn.Module):
    """Pieces, one bidirectional LSTM, the two last states, a hidden layer, logits (tang2019; embeddings learnt anew)."""

    def __init__(self, vocabulary: int, n_classes: int, size: int = 96):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, size, padding_idx=0)
        self.lstm = nn.LSTM(size, size, batch_first=True, bidirectional=True)
        self.out = nn.Sequential(nn.Linear(2 * size, size), nn.ReLU(), nn.Linear(size, n_classes))

    def forward(self, rows: Sequence[Row]) -> torch.Tensor:
        """Logits (B, C)."""
        ids = [torch.tensor(r.ids) for r in rows]
        padded = nn.utils.rnn.pad_sequence(ids, batch_first=True)
        packed = nn.utils.rnn.pack_padded_sequence(
            self.embed(padded), [len(i) for i in ids], batch_first=True, enforce_sorted=False
        )
        _, (last, _) = self.lstm(packed)  # (2, B, size)
        return self.out(torch.cat([last[0], last[1]], -1))


def train_bilstm(
    subject: Subject,
    items: Sequence[Labelled],
    targets: torch.Tensor,
    n_classes: int,
    *,
    epochs: int = 20,
    seed: int = 0,
) -> BiLSTM:
    """A BiLSTM that learns classes (targets (n,) of integers) or a teacher's logits (targets (n, C)), from nothing.

    `subject` gives the tokenizer only.
    """
    rows = text_rows(subject, items)
    with seeded(seed, subject.device):
        model = BiLSTM(len(subject.tokenizer), n_classes)
        optimiser = torch.optim.Adam(model.parameters(), 2e-3)
        rng = np.random.default_rng(seed)
        for _ in range(epochs):
            order = rng.permutation(len(rows))
            for start in range(0, len(order), 32):
                at = order[start : start + 32]
                logits, wanted = model([rows[i] for i in at]), targets[torch.as_tensor(at)]
                value = F.mse_loss(logits, wanted) if wanted.ndim == 2 else F.cross_entropy(logits, wanted)
                value.backward()
                optimiser.step()
                optimiser.zero_grad(set_to_none=True)
    return model.eval().requires_grad_(False)


def bilstm_right(model: BiLSTM, subject: Subject, items: Sequence[Labelled], classes: Sequence[str]) -> np.ndarray:
    """Whether each item's class is predicted, (n,) bool."""
    rows, out = text_rows(subject, items), np.zeros(len(items), bool)
    for batch in batches(subject, rows, 4096):
        said = model([rows[i] for i in batch.index]).argmax(-1).tolist()
        out[batch.index] = [classes[k] == items[i].label for k, i in zip(said, batch.index)]
    return out
