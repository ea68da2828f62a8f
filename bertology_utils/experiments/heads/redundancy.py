"""Likeness of heads: divergences between the maps of one layer and of two."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import beta

from ...attention.collect import collect, permutation_test
from ...calibration import planted as plants
from ...calibration.nulls import MAPS
from ...claims.registry import claim
from ...scores import intervals
from .blocks import sentences_of


def alike_in_a_layer(data, base, rng):
    """All heads of a layer attend to the same offset, another in each layer, with noise."""

    def attention(seen, own):
        maps = plants.even_maps(base.n_layers, base.n_heads, seen, own, 1.0)
        for layer in range(base.n_layers):
            near = np.eye(len(seen.ids), k=layer - base.n_layers // 2) + 0.05
            maps[layer] = 0.5 * maps[layer] + 0.5 * near / near.sum(1, keepdims=True)
        return maps

    return plants.plant(base, data, rng, attention=attention)


@claim("hed.redundancy.clark2019", "sentences", n=1000, limit=800, planted=alike_in_a_layer, nulls=MAPS)
def redundancy(subject, data, settings):
    """Jensen-Shannon divergences between heads, of one layer and of two (clark2019).

    The permutation test deals the heads out over the layers anew. What it gives by chance, its 95th percentile, is
    taken off the difference; its p is shown with the interval of the count (Clopper-Pearson). `x` and `y` place the
    heads on a map that keeps their distances as well as two dimensions can.
    """
    words, note = sentences_of(subject, data)
    found = collect(subject, words, distances=True, settings=settings)
    assert found.matrix is not None  # asked for
    observed, drawn = permutation_test(found.matrix, subject.n_heads, seed=settings.seed, draws=1000)
    chance = float(np.quantile(drawn, 0.95))
    names = ("within a layer", "between layers")
    frame = pd.DataFrame(found.distances, columns=names).assign(gap=lambda f: f[names[1]] - f[names[0]])
    frame["beyond"] = frame["gap"] - chance
    named = {
        names[0]: f"divergence {names[0]}",
        names[1]: f"divergence {names[1]}",
        "gap": "between - within layers",
        "beyond": "between - within layers, beyond chance",
    }
    measured = [
        intervals.means(frame, c, measure=m, settings=settings, signed=c in ("gap", "beyond"))
        for c, m in named.items()
    ]  # fmt: skip
    over = int((drawn >= observed - 1e-12).sum())
    p = (over + 1) / (len(drawn) + 1)
    low, high = beta.ppf([0.025, 0.975], [max(over, 1e-9), over + 1], [len(drawn) - over + 1, len(drawn) - over])
    rows = [intervals.row("p of the permutation test", (p, low, high), len(drawn))]
    points = _plane(found.matrix)
    for head, (x, y) in enumerate(points):
        block, place = divmod(head, subject.n_heads)
        for axis, at in (("x", x), ("y", y)):  # a place on a map, not an estimate: no interval
            rows.append(intervals.row(axis, (at, np.nan, np.nan), len(words), block=block + 1, place=place + 1))
    return intervals.combine(*measured, intervals.table(rows, [note]))


def _plane(matrix: np.ndarray) -> np.ndarray:
    """Heads in the plane, by classical scaling of the square roots of the divergences (which are distances)."""
    square = np.asarray(matrix)
    centre = np.eye(len(square)) - 1 / len(square)
    values, vectors = np.linalg.eigh(-0.5 * centre @ square @ centre)
    points = vectors[:, -2:][:, ::-1] * np.sqrt(np.maximum(values[-2:][::-1], 0))
    return points * np.sign(points[np.abs(points).argmax(0), [0, 1]] + 1e-30)  # signs are free: the largest is positive
