"""What steadies fine-tuning, and how far seeds alone move it: normalised [CLS], mixout, perturbation, crossed seeds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import torch

from ...claims.registry import claim
from ...finetune import ClassHead
from ...finetune.freelb import Ball, freelb, right_under
from ...finetune.mixout import mixout
from ...scores import intervals, variance
from ...scores.intervals import mean_row
from ...subject import encode
from . import tuned_runs as runs
from .tuned_runs import LIMIT, QUICK, SEEDS, N, afresh, gain_row, plain, recipe, right

SEEDED = ("sentiment", "entailment", "paraphrase", "acceptability")  # the first that there is, as `runs.TASKS`
MANY = 8  # seeds of rows about seeds
GRID = 4  # seeds of the head times seeds of the order
P = 0.7  # of mixout, the least of those that lee2019 try
BALL = Ball(radius=0.02, steps=2)  # a plainly tuned model is then wrong on most generated texts, and not on all
EARLY, KEEP = 1, 3  # epochs after which runs that start badly are stopped, and one in so many that goes on


class Normalised(ClassHead):
    """The usual head over [CLS] values that are centred and scaled, each by the pretrained model's own (zhou2019).

    Its dense layer starts afresh: the pretrained one was learnt for the values as they were.
    """

    def __init__(self, vectors: np.ndarray, subject, n_classes: int):
        super().__init__(subject, n_classes)
        torch.nn.init.normal_(self.dense.weight, std=0.02)
        torch.nn.init.zeros_(self.dense.bias)
        self.register_buffer("mean", torch.from_numpy(vectors.mean(0)))
        self.register_buffer("scale", torch.from_numpy(vectors.std(0).clip(1e-3)))

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return super().forward((hidden[:, :1] - self.get_buffer("mean")) / self.get_buffer("scale"))


def firsts(subject, items, settings) -> np.ndarray:
    """[CLS] of the last layer, float32 (n, H)."""
    rows = runs.finetune.text_rows(subject, items)
    out = np.empty((len(rows), subject.hidden_size), np.float32)
    for batch in encode.batches(subject, rows, settings.budget):
        out[batch.index] = encode.forward(subject, batch).last_hidden_state[:, 0].float().cpu().numpy()
    return out


def off_centre(vectors: np.ndarray) -> float:
    """The median over dimensions of how many standard deviations over texts a value's mean lies from zero.

    Examples
    --------
    >>> round(off_centre(np.array([[1.0, -2.0], [3.0, -4.0]])), 2)
    2.5
    """
    return float(np.median(np.abs(vectors.mean(0)) / vectors.std(0).clip(1e-9)))


@claim("trn.cls_norm.zhou2019", ("entailment", "sentiment"), n=N, limit=LIMIT, quick=QUICK)
def normalised_cls(subject, data, settings):
    """Where [CLS] lies before tuning, and the spread over seeds with and without normalising it (zhou2019)."""
    of = runs.first(subject, data).few(runs.TRAIN)
    before = firsts(subject, of.train, settings)
    head = partial(Normalised, before)
    usual = right(partial(plain, subject, of), of.held, settings)
    other = right(lambda seed: runs.learn(subject, of, recipe(subject, of.train, seed), head=head), of.held, settings)
    options = {"seed": settings.seed, "draws": min(settings.draws, 500)}
    offset = intervals.bootstrap(before.astype(float), off_centre, bounds=(0.0, np.inf), **options)
    rows = [intervals.row("offset of [CLS], standard deviations", offset, len(before))]
    rows += _steadier({"plain": usual, "normalised": other}, of, settings)
    return intervals.table(rows, runs.notes(of))


@claim("trn.mixout.lee2019", runs.TASKS, n=N, limit=LIMIT, quick=QUICK)
def mixed_out(subject, data, settings):
    """The spread over eight seeds with dropout and with mixout in its place, on a few hundred texts (lee2019)."""
    of = runs.first(subject, data).few(runs.TRAIN)
    usual = right(lambda k: (plain if k < SEEDS else afresh)(subject, of, k), of.held, settings, MANY)
    other = right(
        lambda seed: runs.learn(subject, of, recipe(subject, of.train, seed), way=mixout(P)), of.held, settings, MANY
    )
    return intervals.table(_steadier({"plain": usual, "mixout": other}, of, settings), runs.notes(of, MANY))


def _steadier(scores: dict[str, np.ndarray], of, settings) -> list[dict]:
    """Deviations over seeds of two ways of tuning, their difference, the means, and the gate's row of either.

    Runs that all give the same answer are steady and have learnt nothing: the other way must beat the majority too.
    """
    (usual, a), (other, b) = scores.items()
    spread = {name: variance.deviation(x.mean(1)) for name, x in scores.items()}
    apart = intervals.unpaired(spread[usual], spread[other])
    keys = {"task": of.name}
    return [
        *(runs.beats_majority(x, of, settings, way=w) for w, x in scores.items()),
        intervals.row(f"standard deviation over seeds, {usual} - {other}", apart, len(of.held), **keys),
        *(intervals.row("standard deviation", s, len(of.held), way=w, **keys) for w, s in spread.items()),
        *(mean_row("accuracy", x, settings, way=w, **keys) for w, x in scores.items()),
        gain_row(f"accuracy, {other} - {usual}", b - a, settings, **keys),
    ]


@claim("trn.adversarial.zhu2019", ("entailment", "sentiment"), n=N, limit=LIMIT, quick=QUICK)
def adversarial(subject, data, settings):
    """Accuracy under perturbed embeddings after training under them (FreeLB) and after plain training (zhu2019).

    Each model meets the worst perturbation that two steps up its own loss find in a ball as large as that of training.
    Nothing moves a model that always gives the same answer: both must beat the majority on texts as they are.
    """
    of = runs.first(subject, data)
    arms: dict[str, Callable] = {
        "plain": partial(plain, subject, of),
        "adversarial": lambda seed: runs.learn(subject, of, recipe(subject, of.train, seed), step=freelb(BALL)),
    }
    clean, moved = {}, {}
    for way, made in arms.items():  # one model after the other: ten of BERT-base are 4 GB
        pairs = [(c.right(of.held, settings), right_under(c, of.held, BALL, settings)) for c in map(made, range(SEEDS))]
        clean[way], moved[way] = np.array(pairs, float).swapaxes(0, 1)
    (a, b), (c, d) = clean.values(), moved.values()
    rows = [
        *(runs.beats_majority(x, of, settings, way=way) for way, x in clean.items()),
        gain_row("perturbed accuracy, adversarial - plain", d - c, settings, task=of.name),
        gain_row("accuracy, adversarial - plain", b - a, settings, task=of.name),
    ]
    for text, of_arms in (("as it is", clean), ("perturbed", moved)):
        rows += [mean_row("accuracy", x, settings, task=of.name, way=k, text=text) for k, x in of_arms.items()]
    return intervals.table(rows, [*runs.notes(of), f"radius: {BALL.radius} of the embeddings' norm"])


@claim("trn.seed_variance.dodge2020", SEEDED, n=N, limit=LIMIT, quick=QUICK)
def crossed_seeds(subject, data, settings):
    """Seeds of the head (and dropout) crossed with seeds of the order: variance components, early stopping (dodge2020).

    Generated texts are of sentiment, which is learnt unevenly. The pretrained weights are the same in all runs.
    Deviations are of the accuracy on these held-out items.
    """
    of = runs.first(subject, data, SEEDED).few(runs.TRAIN)  # few texts, as where the study's seeds differ most
    early, final = (np.empty((GRID, GRID)) for _ in range(2))
    for i in range(GRID):
        for k in range(GRID):
            early[i, k], final[i, k] = _watched(subject, of, recipe(subject, of.train, i, order=100 + k), settings)
    by_head, by_order, rest = variance.components(final)
    keep, part = final.size // KEEP, EARLY / runs.usual(of.train).epochs
    saved = intervals.bootstrap(
        np.stack([early.ravel(), final.ravel()], 1),
        lambda x: variance.steps_saved(x[:, 0], x[:, 1], part=part, keep=keep),
        seed=settings.seed, draws=min(settings.draws, 500),
    )  # fmt: skip
    n, keys = len(of.held), {"task": of.name}
    spread = variance.deviation(final.ravel())
    rows = [
        intervals.row("standard deviation by initialisation", by_head, n, **keys),
        intervals.row("standard deviation by data order", by_order, n, **keys),
        intervals.row("standard deviation, all runs", spread, n, **keys),
        intervals.row("steps saved at equal best score", saved, final.size, **keys),
        *_runs_rows(final, n, keys),
    ]
    return intervals.table(rows, [*runs.notes(of, GRID), f"what neither explains: {rest:.4f} standard deviation"])


def _watched(subject, of, how, settings) -> tuple[float, float]:
    """Accuracy after the first epochs and at the end."""
    seen: list[float] = []

    def watch(so_far, epoch: int) -> bool:
        if epoch in (EARLY, how.epochs):
            seen.append(float(so_far.right(of.held, settings).mean()))
        return True

    runs.learn(subject, of, how, watch=watch)
    return seen[0], seen[-1]


def _runs_rows(final: np.ndarray, n: int, keys: dict) -> list[dict]:
    """The accuracy of each run, for pictures."""
    return [
        intervals.row("accuracy of a run", intervals.proportion(round(final[i, k] * n), n), n, head=i, order=k, **keys)
        for i in range(final.shape[0])
        for k in range(final.shape[1])
    ]
