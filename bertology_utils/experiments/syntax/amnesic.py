"""Amnesic probing: is part of speech missed once it is erased? (elazar2020)"""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np
import torch

from ... import probes
from ...claims.registry import claim
from ...data.items import Sentence
from ...probes import Means
from ...probes.linear import fit_grid
from ...scores import intervals
from ...scores.choice import choose
from ...settings import Settings
from ...subject import encode
from ...subject.hooks import changed_states
from ...subject.models import ModelUnsuitable, Subject
from . import planted
from .fitted import PENALTIES
from .probing import few

CONTROLS = 3  # draws of random directions, and of labels of words; a control is their mean


@claim(
    "syn.amnesic.elazar2020",
    "treebank",
    n=1000,
    limit=500,
    nulls=("untrained", "constant", "frequency"),
    planted=planted.relied_on,
)
def amnesic(subject, data, settings):
    """Part of speech erased after a layer, against as many random directions erased there (elazar2020).

    Single-piece words are masked (about one in six); the eraser is learnt from the vectors at the masks of train
    sentences and applied to every position of test sentences. After the embeddings, the middle layer and the last one.
    Vectors at masks say which word is meant, so that any labels of words can be erased, and are missed more than random
    directions: the other control are labels drawn by word, as frequent as the parts of speech (hewitt2019control).
    `probe over majority` says, by new probes, how much could be told of the part of speech before and after.
    """
    if not subject.has_mlm:
        raise ModelUnsuitable(f"{subject.name} has no masked-language-model head")
    items, _ = encode.fitting(subject, few(data["treebank"], 5))
    masked = {s: Masked.of(subject, [i for i in items if i.split == s], settings) for s in ("train", "dev", "test")}
    layers = sorted({0, subject.n_layers // 2, subject.n_layers})
    x = {s: of.vectors(subject, layers, settings) for s, of in masked.items()}
    test = masked["test"]
    before = test.distributions(subject, settings)
    mean, n = Means(test.groups, seed=settings.seed, draws=settings.draws), len(test.groups)
    rows, notes = [intervals.row("masked-LM accuracy", mean(test.right(before)), n)], []
    for k, layer in enumerate(layers):
        whitened = Whitened(x["train"][k])
        of_pos = whitened.without(masked["train"].labels)
        keys = {"layer": layer, "place": "last layer" if layer == subject.n_layers else "lower layer"}
        hit = _without(subject, layer, [of_pos], test, before, settings)
        controls = {
            "random": [whitened.at_random(of_pos.rank, settings.seed + c) for c in range(CONTROLS)],
            "control labels": [whitened.without(labels) for labels in _drawn(masked["train"], settings)],
        }
        missed = {name: _without(subject, layer, others, test, before, settings) for name, others in controls.items()}
        for erased_, (drop, moved) in {"part of speech": hit, **missed}.items():
            rows.append(intervals.row("drop of accuracy", mean(drop, signed=True), n, erased=erased_, **keys))
            rows.append(intervals.row("KL divergence (nats)", mean(moved), n, erased=erased_, **keys))
        for name, (drop, moved) in missed.items():
            rows.append(intervals.row(f"drop over {name}", mean(hit[0] - drop, signed=True), n, **keys))
            rows.append(intervals.row(f"KL over {name}", mean(hit[1] - moved, signed=True), n, **keys))
        for when, change in (("before", lambda v: v), ("after", of_pos)):
            told = _above_commonest({s: change(v[k]) for s, v in x.items()}, masked, settings)
            rows.append(intervals.row("probe over majority", mean(told, signed=True), n, when=when, **keys))
        notes.append(f"layer {layer}: {of_pos.rank} of {subject.hidden_size} directions erased")
    return intervals.table(rows, notes)


def _drawn(train: Masked, settings: Settings) -> list[np.ndarray]:
    """Labels of the masked words, each drawn by word with the frequencies of the parts of speech; (M,) each."""
    return [probes.control_labels(train.pieces, train.labels, settings.seed + c) for c in range(CONTROLS)]


def _without(subject: Subject, layer: int, erasers: list[Eraser], test: Masked, before, settings) -> np.ndarray:
    """Accuracy lost and KL divergence at each mask, (2, M), when the layer's output goes through an eraser; their mean."""
    found = []
    for eraser in erasers:
        with erased(subject, layer, eraser):
            logs = test.distributions(subject, settings)
        moved = (before.exp() * (before - logs)).sum(-1).cpu().numpy()
        found.append([test.right(before) - test.right(logs), moved])
    return np.mean(found, 0)


def _above_commonest(x: dict[str, np.ndarray], masked: dict[str, Masked], settings: Settings) -> np.ndarray:
    """How far a new probe is above the commonest part of speech at each test mask: 1, 0 or -1."""
    gold = {s: of.labels for s, of in masked.items()}
    grid = fit_grid(x["train"][None], gold["train"], PENALTIES, device=settings.torch_device())
    on_dev = [(p.predict(x["dev"]) == gold["dev"]).mean() for (p,) in grid]
    kinds, counts = np.unique(gold["train"], return_counts=True)
    right = grid[choose(on_dev)][0].predict(x["test"]) == gold["test"]
    return right.astype(float) - (gold["test"] == kinds[counts.argmax()])


class Masked:
    """Sentences with some words masked: rows of pieces, and for each mask the word's tag, piece and sentence."""

    COPIES = 2  # of each sentence, with different words masked
    SHARE = 0.15

    def __init__(self, rows: list, labels: np.ndarray, pieces: np.ndarray, groups: np.ndarray) -> None:
        self.rows, self.labels, self.pieces, self.groups = rows, labels, pieces, groups

    @classmethod
    def of(cls, subject: Subject, items: list[Sentence], settings: Settings) -> Masked:
        rng, mask = random.Random(settings.seed), subject.tokenizer.mask_token_id
        rows, labels, pieces, groups = [], [], [], []
        for k, (item, row) in enumerate(zip(items, encode.tokenize(subject, [i.words for i in items]))):
            tag = item.upos or item.xpos
            whole = [t for t, w in enumerate(row.words) if w >= 0 and row.words.count(w) == 1]
            whole = [t for t in whole if row.ids[t] != subject.tokenizer.unk_token_id]
            for _ in range(cls.COPIES):
                chosen = sorted(rng.sample(whole, min(len(whole), max(1, round(cls.SHARE * len(item.words))))))
                if not chosen:
                    continue
                rows.append(row.masked(chosen, mask))
                labels += [tag[row.words[t]] for t in chosen]
                pieces += [row.ids[t] for t in chosen]
                groups += [k] * len(chosen)
        return cls(rows, np.array(labels), np.array(pieces), np.array(groups))

    def vectors(self, subject: Subject, layers: list[int], settings: Settings) -> np.ndarray:
        """Hidden states at the masks, (layers, M, H)."""
        found: list = [None] * len(self.rows)
        mask = subject.tokenizer.mask_token_id
        for batch in encode.batches(subject, self.rows, settings.budget):
            states = encode.forward(subject, batch, output_hidden_states=True).hidden_states
            for b, i in enumerate(batch.index):
                found[i] = torch.stack([states[k][b, batch.ids[b] == mask] for k in layers]).float().cpu().numpy()
        return np.concatenate(found, 1)

    def distributions(self, subject: Subject, settings: Settings) -> torch.Tensor:
        """Natural-log probabilities at the masks, (M, V)."""
        found: list = [None] * len(self.rows)
        for i, logs in probes.at_masks(subject, self.rows, settings.budget):
            found[i] = logs
        return torch.cat(found)

    def right(self, logs: torch.Tensor) -> np.ndarray:
        """Whether the likeliest piece is the word that stood there, (M,), as numbers."""
        return (logs.argmax(-1).cpu().numpy() == self.pieces).astype(float)


@dataclass(frozen=True, eq=False)
class Eraser:
    """x -> x - (x - mean) P^T.

    Attributes
    ----------
    mean : float array (H,)
    projection : float array (H, H)
        P, of rank `rank`.
    """

    mean: np.ndarray
    projection: np.ndarray
    rank: int

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Vectors (..., H) without it."""
        return x - (x - self.mean) @ self.projection.T


class Whitened:
    """The whitening of training vectors (N, H); directions without variance are left alone.

    A property is erased in closed form, by the least change after which no linear probe tells it (belrose2023): whitened
    vectors are projected off the directions that covary with the labels; as many directions drawn at random in the same
    space are the control. At most one direction per label is lost, where iterated projection would take half of a small
    model's dimensions before a probe is at the majority.
    """

    def __init__(self, x: np.ndarray, least: float = 1e-4) -> None:
        x = np.asarray(x, np.float64)
        self.mean = x.mean(0)
        self.centred = x - self.mean
        values, vectors = np.linalg.eigh(self.centred.T @ self.centred / len(x))
        kept = values > least * values.max()
        root = np.sqrt(values[kept])
        self.white = (vectors[:, kept] / root).T  # (k, H)
        self.back = vectors[:, kept] * root  # (H, k)

    def without(self, labels: Sequence[str] | np.ndarray) -> Eraser:
        """The eraser of what a linear probe can tell of the labels."""
        kinds, codes = np.unique(np.asarray(labels), return_inverse=True)
        z = np.eye(len(kinds))[codes]
        z -= z.mean(0)
        together = self.white @ (self.centred.T @ z / len(z))  # (k, C)
        directions, strength, _ = np.linalg.svd(together, full_matrices=False)
        return self._off(directions[:, strength > 1e-8 * max(strength.max(initial=0.0), 1e-12)])

    def at_random(self, rank: int, seed: int) -> Eraser:
        """An eraser of `rank` directions drawn uniformly in the whitened space."""
        drawn = np.random.default_rng(seed).standard_normal((len(self.white), rank))
        return self._off(np.linalg.qr(drawn)[0])

    def _off(self, directions: np.ndarray) -> Eraser:
        return Eraser(self.mean, self.back @ directions @ directions.T @ self.white, directions.shape[1])


def erased(subject: Subject, layer: int, eraser: Eraser) -> AbstractContextManager[Subject]:
    """Within the context every vector leaving `layer` (0: the embeddings, l: block l) goes through the eraser.

    Raises
    ------
    IndexError
        If there is no such layer.
    """
    matrix, mean = (
        torch.as_tensor(a, dtype=subject.model.dtype, device=subject.device) for a in (eraser.projection.T, eraser.mean)
    )
    return changed_states(subject, layer, lambda hidden: hidden - (hidden - mean) @ matrix)
