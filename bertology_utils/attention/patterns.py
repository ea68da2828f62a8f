"""The five patterns of head maps (kovaleva2019), told apart by a classifier trained on generated maps.

Nobody's labels are needed to train it: maps of each pattern are made from its definition, with noise, in all sizes. A
map is seen through a few figures that do not depend on its size — how much falls on single columns, along the
diagonals, within the two segments — so the classifier works for words and pieces, long inputs and short. How often it
agrees with the eye is another question: `labelled` has real maps with labels given from their pictures.

Evenly spread maps count as heterogeneous: they show none of the other four patterns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np
import pandas as pd
import torch
from sklearn.ensemble import RandomForestClassifier

from ..settings import Settings
from ..subject.models import Subject
from .maps import Maps, maps

PATTERNS = ("vertical", "diagonal", "vertical + diagonal", "block", "heterogeneous")
STRIPES = ("vertical", "vertical + diagonal")  # maps with columns, with or without a diagonal
FEATURES = ("column", "two columns", "evenness of columns", "best diagonal", "three diagonals", "within segments",
            "block evenness", "entropy", "two columns or three diagonals", "likeness of rows")  # fmt: skip


def features(weights: torch.Tensor, real: torch.Tensor, segment: torch.Tensor) -> torch.Tensor:
    """`FEATURES` of maps.

    Parameters
    ----------
    weights : Tensor (B, M, U, U)
        M maps for each of B inputs; zero in padding, rows that are not sum to one.
    real : Tensor (B, U), bool
    segment : Tensor (B, U), int
        0 and 1 for the first and second segment (separators with the one they close).

    Returns
    -------
    Tensor (B, M, 10)
    """
    size = real.sum(1)[:, None].to(weights.dtype)  # (B, 1)
    place = torch.arange(weights.shape[-1], device=weights.device)
    offset = place[None] - place[:, None]  # (U, U): key less query
    columns = weights.sum(-2) / size[..., None]  # (B, M, U): a distribution
    top = columns.topk(2, -1)
    diagonals = [torch.diagonal(weights, k, -2, -1).sum(-1) / (size - abs(k)) for k in range(-2, 3)]
    near = (offset.abs() <= 1).to(weights.dtype)
    in_top = torch.zeros_like(columns).scatter(-1, top.indices, 1.0)
    either = torch.maximum(in_top[..., None, :], near)
    same = (segment[:, :, None] == segment[:, None]).to(weights.dtype)[:, None]  # (B, 1, U, U)
    both = (real[:, :, None] & real[:, None]).to(weights.dtype)[:, None]
    chance = (same * both).sum((-2, -1)) / size**2  # what an even map has within segments
    within = (weights * same).sum((-2, -1)) / size
    spread = -torch.xlogy(weights, weights).sum(-1)  # (B, M, U)
    inside = (same * both).sum(-1).clamp(min=1)  # (B, 1, U): units in the query's own segment
    blocky = 0.5 * (weights - same * both / inside[..., None]).abs().sum((-2, -1)) / size
    mean = columns[..., None, :] * real[:, None, :, None]
    return torch.stack(
        [
            top.values[..., 0],
            top.values.sum(-1),
            -torch.xlogy(columns, columns).sum(-1) / size.log(),
            torch.stack(diagonals).amax(0),
            (weights * near).sum((-2, -1)) / size,
            (within - chance) / (1 - chance).clamp(min=1e-3),
            1 - blocky,
            spread.sum(-1) / size / size.log(),
            (weights * either).sum((-2, -1)) / size,
            1 - 0.5 * (weights - mean).abs().sum((-2, -1)) / size,
        ],
        -1,
    )


def generate(pattern: str, size: int, split: int, rng: np.random.Generator) -> np.ndarray:
    """A map (size, size) of a pattern for an input whose second segment starts at `split`.

    Each is its pattern, drawn unevenly, mixed with up to half of noise that is a map of no pattern; a heterogeneous map
    may have up to three tenths of a pattern, and words that are sought by all.
    """
    if pattern == "heterogeneous":
        # from peaked on a place of its own in each row, through uneven, to the even map
        base = rng.dirichlet(np.full(size, rng.choice([0.05, 0.2, 1.0, 10.0, 1000.0])), size)
        base = _rows(base * rng.gamma(rng.uniform(0.5, 5), size=size))
        other = _vertical(size, split, rng) if rng.random() < 0.6 else _diagonal(size, rng)
        return _mixed(base, other, rng.uniform(0, 0.3))
    if pattern == "vertical":
        pure = _vertical(size, split, rng)
    elif pattern == "diagonal":
        pure = _diagonal(size, rng)
    elif pattern == "vertical + diagonal":
        pure = _mixed(_vertical(size, split, rng), _diagonal(size, rng), rng.uniform(0.3, 0.7))
    else:
        segment = np.arange(size) >= split
        pure = _rows((segment[:, None] == segment[None]) * _uneven(size, rng, 0.5, 10))
    noise = rng.dirichlet(np.full(size, rng.choice([0.1, 0.5, 5.0])), size)
    return _mixed(pure, noise, rng.uniform(0, 0.5))


def _vertical(size: int, split: int, rng: np.random.Generator) -> np.ndarray:
    """A few columns: special tokens ([CLS] first, a separator before the split and at the end) or any."""
    special = rng.choice([0, split - 1, size - 1], rng.integers(0, 3), replace=False)
    count = rng.integers(1, max(3, size // 5) + 1)
    columns = list(dict.fromkeys([*special, *rng.choice(size, count, replace=False)]))[:count]
    out = np.zeros((size, size))
    out[:, columns] = rng.dirichlet(np.full(len(columns), 2.0))
    return _rows(out * _uneven(size, rng, 2, 30))


def _diagonal(size: int, rng: np.random.Generator) -> np.ndarray:
    """The word itself, the one before or the one behind, more or less sharply."""
    place = np.arange(size)
    off = np.abs(place[None] - place[:, None] - rng.choice([-1, 0, 1]))
    return _rows(np.exp(-off * rng.uniform(0.7, 5.0)) * _uneven(size, rng, 2, 30))


def _uneven(size: int, rng: np.random.Generator, low: float, high: float) -> np.ndarray:
    """Factors (size, size) around a mean, the more alike the higher a number drawn between `low` and `high`."""
    return rng.gamma(rng.uniform(low, high), size=(size, size))


def _rows(weights: np.ndarray) -> np.ndarray:
    weights = weights + 1e-12
    return weights / weights.sum(1, keepdims=True)


def _mixed(a: np.ndarray, b: np.ndarray, part: float) -> np.ndarray:
    return (1 - part) * a + part * b


def generated(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """`n` maps of each pattern as features (5n, F) with labels (5n,), indices into `PATTERNS`."""
    rng = np.random.default_rng(seed)
    out, labels = [], []
    for label, pattern in enumerate(PATTERNS):
        for _ in range(n):
            size = int(np.exp(rng.uniform(np.log(7), np.log(60))))  # short inputs are as frequent as long ones
            split = int(rng.integers(size // 4 + 2, size - size // 4))
            map_ = torch.from_numpy(generate(pattern, size, split, rng))[None, None]
            real, segment = torch.ones(1, size, dtype=torch.bool), torch.arange(size)[None] >= split
            out.append(features(map_, real, segment.long())[0, 0].numpy())
            labels.append(label)
    return np.stack(out), np.array(labels)


@lru_cache(maxsize=4)
def classifier(seed: int = 0, n: int = 500) -> RandomForestClassifier:
    """The classifier, trained on `n` generated maps of each pattern."""
    forest = RandomForestClassifier(60, min_samples_leaf=3, random_state=seed, n_jobs=1)
    return forest.fit(*generated(n, seed))


def labelled(split: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Maps of models, labelled by eye: features (n, F), labels (n,) and the input that each map is of (n,).

    220 maps, drawn at random, of bert-base-uncased (100, of the four released inputs) and of mini (120, of 24 pairs of
    sentences), with labels given from their pictures before the classifier had seen them, by one annotator. `split` is
    "dev", on which the generated maps were made more like real ones, or "test", which took no part in that.
    """
    frame = pd.read_csv(str(files("bertology_utils") / "assets" / "attention" / "labelled_maps.csv"))
    frame = frame[frame["split"] == split]
    labels = frame["label"].map(PATTERNS.index).to_numpy()
    return frame[list(FEATURES)].to_numpy(), labels, (frame["source"] + frame["input"].astype(str)).to_numpy()


def segments(batch: Maps) -> torch.Tensor:
    """0 up to the first [SEP], 1 behind it; (B, U)."""
    separators = (batch.kinds == 1).long()
    return ((separators.cumsum(1) - separators) > 0).long()


@dataclass(frozen=True)
class Example:
    """One map of a subject, with the probability of its pattern."""

    pattern: str
    layer: int
    head: int
    tokens: list[str]
    map: np.ndarray
    probability: float


def _inputs(batch: Maps, norms: bool) -> torch.Tensor:
    weights = batch.weights
    if norms:
        if batch.norms is None:
            raise ValueError("the maps of this batch were made without norms")
        weights = batch.norms / batch.norms.sum(-1, keepdim=True).clamp(min=1e-30)
    return weights.flatten(1, 2)  # (B, L * A, U, U)


def classify(
    subject: Subject,
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]] | None = None,
    *,
    norms: bool = False,
    settings: Settings,
) -> np.ndarray:
    """The pattern of every head's map of every input: (n, L, A), indices into `PATTERNS`.

    With `norms`, maps of ``||alpha f(x)||``, each row brought to one, instead of the weights (kobayashi2020).
    """
    model = classifier(settings.seed)
    out = np.empty((len(first), subject.n_layers, subject.n_heads), int)
    for batch in maps(subject, first, second=second, norms=norms, settings=settings):
        seen = features(_inputs(batch, norms), batch.real, segments(batch)).cpu().numpy()
        labels = model.predict(seen.reshape(-1, len(FEATURES)))
        out[batch.index] = labels.reshape(len(batch.index), *out.shape[1:])
    return out


def gallery(subject: Subject, first: Sequence[str], second: Sequence[str], *, settings: Settings) -> list[Example]:
    """For one pair of sentences, the subject's clearest map of each pattern that some map of it has."""
    model = classifier(settings.seed)
    (batch,) = maps(subject, [first], second=[second], settings=settings)
    seen = features(_inputs(batch, False), batch.real, segments(batch))[0].cpu().numpy()
    chances = model.predict_proba(seen)  # (L * A, 5)
    words = [*first, *second]
    tokens = [words[w] if w >= 0 else ("[CLS]", "[SEP]")[k] for w, k in zip(batch.words[0], batch.kinds[0])]
    out = []
    for label, pattern in enumerate(PATTERNS):
        best = int(chances[:, label].argmax())
        if chances[best].argmax() == label:
            layer, head = divmod(best, subject.n_heads)
            map_ = batch.weights[0, layer, head].cpu().numpy()
            out.append(Example(pattern, layer, head, tokens, map_, float(chances[best, label])))
    return out
