"""What [CLS] is made of: words bound to roles, by five schemes of roles."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import probes
from ...calibration.nulls import SENTENCES
from ...claims.registry import claim
from ...data.items import Sentence
from ...probes import tpdn
from ...scores import intervals
from ...subject import encode
from . import planted

HOW: dict[str, Any] = {"epochs": 40, "decay": 0.3, "rate": 0.01, "filler_size": 20, "role_size": 12}


@claim(
    "syn.tpdn.jawahar2019",
    "treebank",
    n=4800,
    nulls=SENTENCES,
    planted=planted.bound_to_tree_roles,
    plantable=("tree roles",),  # nothing else is in its vector: the margin is not small
)
def tensor_products(subject, data, settings):
    """[CLS] of the last layer rebuilt from words bound to roles, by five role schemes (jawahar2019).

    The error is the mean squared error on test over standardised coordinates (1: no better than the mean vector);
    intervals are over seeds and sentences. `lead over best other` is by what the error of tree roles is below that of
    the best other scheme on dev.
    """
    items = [i for i in data["treebank"] if i.brackets]
    items = [i for i, ok in zip(items, encode.fits(subject, [i.words for i in items])) if ok]
    train, dev, test = (np.array([i.split == s for i in items]) for s in ("train", "dev", "test"))
    errors = rebuilt(subject, items, train, dev, settings)
    rows = intervals.Rows(settings)
    for scheme, error in errors.items():
        rows.mean("error", error[:, test], roles=scheme)
    rows.mean("share rebuilt", 1 - errors["tree"][:, test], roles="tree")
    over = {scheme: error - errors["tree"] for scheme, error in errors.items() if scheme != "tree"}
    for scheme, lead in over.items():
        rows.mean("error over tree roles", lead[:, test], roles=scheme)
    best = min(over, key=lambda s: errors[s][:, dev].mean())
    rows.mean("lead over best other", over[best][:, test])
    return intervals.table(rows, [f"the best of the other schemes, on dev: {best}"])


def rebuilt(subject, items: list[Sentence], train: np.ndarray, dev: np.ndarray, settings) -> dict[str, np.ndarray]:
    """Role scheme -> squared errors (seeds, n) of rebuilding the vector of [CLS] in the last layer."""
    vectors = np.empty((len(items), subject.hidden_size), np.float32)
    words = [i.words for i in items]
    for i, states in encode.hidden_states(subject, words, pool=None, layers=[subject.n_layers], settings=settings):
        vectors[i] = states[0, 0]
    fillers = [[w.lower() for w in ws] for ws in words]
    options = HOW | {"seed": settings.seed, "device": settings.torch_device()}
    roles = {s: [tpdn.roles(s, len(i.words), i.brackets) for i in items] for s in probes.SCHEMES}
    return {s: probes.fit_tpdn(fillers, of, vectors, train, dev, **options) for s, of in roles.items()}
