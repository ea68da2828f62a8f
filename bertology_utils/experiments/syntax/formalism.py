"""One set of arguments, two formalisms: does the choice decide in which layers a probe finds them? (kuznetsov2020)"""

from __future__ import annotations

import numpy as np

from ... import probes
from ...claims.registry import claim
from ...data.items import EdgeItem
from ...probes.linear import fit, fit_grid
from ...scores import intervals
from ...scores.choice import choose
from ...settings import Settings
from . import planted
from .fitted import PENALTIES

FORMALISMS = ("role label", "proto-role properties")


@claim(
    "syn.formalism.kuznetsov2020",
    tasks="proto_roles",
    n=2400,
    nulls=("untrained", "layer 0", "bag of words", "positions"),
    planted=planted.two_formalisms,
)
def formalism(subject, data, settings):
    """One set of predicate-argument pairs, labelled in two formalisms, probed at every layer (kuznetsov2020).

    PropBank gives a pair one role label, decompositional semantics a set of properties; the score of a pair is whether
    its label is right, or the share of its properties that are. Where the layers' gains over the embeddings lie is their
    centre of gravity, as a share of the depth. `difference of centres` is that of the two formalisms, counted positive
    in the direction that dev shows.
    """
    items = _both_labelled(data["proto_roles"])
    targets, note = probes.fitting(subject, probes.from_edges(items, label=lambda i: i.meta["role"]))
    by_id = {(i.words, i.span1, i.span2): i for i in items}
    edges = [by_id[targets.sentences[s], tuple(a), tuple(b)] for s, (a, b) in zip(targets.sentence, targets.spans)]
    x = probes.gather(subject, targets, settings=settings)
    scores = np.stack([_roles(x, targets, settings), _properties(x, edges, targets.split, settings)], -1)  # (L+1, N, 2)
    dev, test = targets.split == "dev", targets.split == "test"
    rows, n = [], int(test.sum())
    groups = targets.sentence[test]
    mean = probes.Means(groups, seed=settings.seed, draws=settings.draws)
    for k, name in enumerate(FORMALISMS):
        rows += [intervals.row("score", mean(s), n, formalism=name, layer=l) for l, s in enumerate(scores[:, test, k])]
        best = choose(scores[1:, dev, k].mean(1)) + 1
        gain = mean(scores[best, test, k] - scores[0, test, k], signed=True)
        rows.append(intervals.row("gain of the best layer over layer 0", gain, n, formalism=name, layer=best))
    way = 1.0 if np.nan_to_num(_apart(np.moveaxis(scores[:, dev], 0, 1))) >= 0 else -1.0
    found = intervals.bootstrap(
        np.moveaxis(scores[:, test], 0, 1),
        lambda s: way * _apart(s),
        seed=settings.seed,
        draws=min(settings.draws, 1000),
        groups=groups,
        bounds=(-1.0, 1.0),
    )
    rows.append(intervals.row("difference of centres", found, n))
    return intervals.table(rows, [note])


def centre(profile: np.ndarray) -> float:
    """Where a profile's gains over layer 0 lie, as a share of the depth; nan where no layer gains.

    Examples
    --------
    >>> centre(np.array([0.5, 0.5, 0.7, 0.5, 0.5]))
    0.5
    """
    gains = np.maximum(profile[1:] - profile[0], 0)
    return float(gains @ np.arange(1, len(profile)) / gains.sum() / len(gains)) if gains.sum() > 0 else float("nan")


def _apart(scores: np.ndarray) -> float:
    """Centre of the first formalism less that of the second, from scores (N, L + 1, 2)."""
    first, second = (centre(scores[..., k].mean(0)) for k in (0, 1))
    return first - second


def _roles(x: np.ndarray, targets, settings: Settings) -> np.ndarray:
    """Whether the role label is right, (L + 1, N); each layer's penalty is the best on dev."""
    train, dev = targets.split == "train", targets.split == "dev"
    grid = fit_grid(x[:, train], targets.labels[train], PENALTIES, device=settings.torch_device())
    right = np.array([[p.predict(v) == targets.labels for p, v in zip(probes_, x)] for probes_ in grid], float)
    which = [choose(layer) for layer in right[..., dev].mean(-1).T]
    return right[which, np.arange(len(x))]


def _properties(x: np.ndarray, edges: list[EdgeItem], split: np.ndarray, settings: Settings) -> np.ndarray:
    """The share of properties that are right, (L + 1, N); each layer's penalty is the best on dev."""
    names = sorted({p for i in edges for p in i.labels})
    held = np.array([[p in i.labels for p in names] for i in edges])
    train, dev = split == "train", split == "dev"
    some = held[train].any(0) & ~held[train].all(0)  # a property that all have, or none, shows nothing
    options = {"classes": np.array(names)[some], "device": settings.torch_device()}
    out = []
    for vectors in x:
        fits = [fit(vectors[train], held[train][:, some], l2=l2, **options) for l2 in PENALTIES]
        right = [(f.predict(vectors) == held[:, some]).mean(1) for f in fits]
        out.append(right[choose([r[dev].mean() for r in right])])
    return np.array(out)


def _both_labelled(items: list[EdgeItem]) -> list[EdgeItem]:
    """Pairs with properties as labels and the PropBank role in `meta["role"]`; once each."""
    return list({(i.words, i.span1, i.span2): i for i in items if i.meta.get("role") and i.labels}.values())
