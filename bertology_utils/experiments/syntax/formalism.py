"""One set of arguments, two formalisms: does the choice decide in which layers a probe finds them? (kuznetsov2020)"""

from __future__ import annotations

import numpy as np

from ... import probes
from ...calibration.nulls import VECTORS
from ...claims.registry import claim
from ...data.items import EdgeItem
from ...probes.linear import fit, fit_grid
from ...scores import intervals
from ...scores.choice import choose
from . import planted
from .fitted import FOLDS, folds

PENALTIES = (1e-1, 1e-2)
FORMALISMS = ("role label", "proto-role properties")


@claim("syn.formalism.kuznetsov2020", "proto_roles", n=900, nulls=VECTORS, planted=planted.two_formalisms)
def formalism(subject, data, settings):
    """One set of predicate-argument pairs, labelled in two formalisms, probed at every layer (kuznetsov2020).

    PropBank gives a pair one role label, decompositional semantics a set of properties; the score of a pair is whether
    its label is right, or the share of its properties that are. Where the layers' gains over the embeddings lie is their
    centre of gravity, as a share of the depth; `centre later by` has a row for either formalism. Few pairs are labelled
    in both, so every pair is scored by probes trained on other documents: five folds, one of them for choices.
    """
    by_id = {(i.words, i.span1, i.span2): i for i in data["proto_roles"] if i.meta.get("role")}  # labelled in both
    targets, note = probes.fitting(subject, probes.from_edges(list(by_id.values()), label=lambda i: i.meta["role"]))
    edges = [by_id[targets.sentences[s], tuple(a), tuple(b)] for s, (a, b) in zip(targets.sentence, targets.spans)]
    x = probes.gather(subject, targets, settings=settings)
    groups = np.array([str(e.meta.get("document", s)) for e, s in zip(edges, targets.sentence)])
    scores, on_dev = _scores(x, targets.labels, edges, groups, settings)  # (formalisms, L + 1, N), (formalisms, L + 1)
    mean, rows, n = probes.Means(groups, seed=settings.seed, draws=settings.draws), intervals.Rows(settings), len(edges)
    for name, of, dev in zip(FORMALISMS, scores, on_dev):
        rows += [intervals.row("score", mean(s), n, formalism=name, layer=l) for l, s in enumerate(of)]
        best = choose(dev[1:]) + 1
        gain = mean(of[best] - of[0], signed=True)
        rows.add("gain of the best layer over layer 0", gain, n, formalism=name, layer=best)
    by_item = np.moveaxis(scores, -1, 0)  # (N, formalisms, L + 1)
    options = {"seed": settings.seed, "draws": min(settings.draws, 1000), "groups": groups, "bounds": (-1.0, 1.0)}
    for name, sign in zip(FORMALISMS, (1, -1)):
        found = intervals.bootstrap(by_item, lambda s, sign=sign: sign * _apart(s.mean(0)), **options)
        rows.add("centre later by", found, n, formalism=name)
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


def _apart(profiles: np.ndarray) -> float:
    """Centre of the first profile less that of the second, (2, L + 1)."""
    return centre(profiles[0]) - centre(profiles[1])


def _scores(x, labels: np.ndarray, edges: list[EdgeItem], groups, settings) -> tuple[np.ndarray, np.ndarray]:
    """Scores of every pair by probes that did not see its document, and mean scores on the folds choices are made on."""
    names = sorted({p for i in edges for p in i.labels})
    held = np.array([[p in i.labels for p in names] for i in edges])
    fold, device = folds(groups, settings), settings.torch_device()
    scores, on_dev = np.empty((2, len(x), len(edges))), np.zeros((2, len(x)))
    for k in range(FOLDS):
        test, dev = fold == k, fold == (k + 1) % FOLDS
        train = ~(test | dev)
        some = held[train].any(0) & ~held[train].all(0)  # a property that all have, or none, shows nothing
        grid = fit_grid(x[:, train], labels[train], PENALTIES, device=device)
        told = np.array([[p.predict(v) == labels for p, v in zip(fits, x)] for fits in grid], float)
        options = {"classes": np.array(names)[some], "device": device}
        fits = [[fit(v[train], held[train][:, some], l2=l2, **options) for v in x] for l2 in PENALTIES]
        shares = [[(p.predict(v) == held[:, some]).mean(1) for p, v in zip(of, x)] for of in fits]
        for which, right in enumerate((told, np.array(shares))):  # (penalties, L + 1, N)
            best = right[[choose(layer) for layer in right[..., dev].mean(-1).T], np.arange(len(x))]
            scores[which][:, test] = best[:, test]
            on_dev[which] += best[:, dev].mean(1) / FOLDS
    return scores, on_dev
