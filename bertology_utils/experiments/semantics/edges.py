"""What kind of thing a span is, and what it is to another: entities, relations, roles, proto-roles (tenney2019b)."""

from __future__ import annotations

import numpy as np

from ...calibration import planted as plants
from ...calibration.nulls import VECTORS
from ...calibration.planted import plant
from ...claims.registry import claim
from ...probes import control_task
from ...probes.linear import fit_each
from ...scores import f1, intervals
from ...scores.choice import choose
from . import probing
from .probing import SEMANTIC, SYNTACTIC, Probed


def labelled(data, base, rng):
    """Labels of spans, faint, and parts of speech and relations, strong, above the embeddings; of the words nothing."""
    above = plants.above_embeddings(base.n_layers)
    parts = [plants.label_vectors(plants.of_spans, layers=above, noise=0.35)]
    parts += [
        plants.label_vectors(plants.of_words(layer), layers=2 * above, noise=0.1) for layer in ("upos", "deprels")
    ]
    return plant(base, data, rng, parts=parts)


@claim(
    "sem.edge_probing.tenney2019b",
    (*SEMANTIC.values(), "treebank"),
    n=1400,
    limit=6000,
    planted=labelled,
    nulls=(*VECTORS, "constant"),
)
def edge_probing(subject, data, settings):
    """Linear probes for entities, relations, roles and proto-roles, with parts of speech and dependencies beside (tenney2019b).

    Micro F1 at the layer that is best on dev, against the best on dev of the commonest label, a lookup of the words and the
    embeddings; and what context adds to the embeddings, averaged over semantic and over syntactic tasks.
    """
    found = probing.available(data)
    rows, notes, gains = intervals.Rows(settings), [], {}
    for task, (x, targets, note) in probing.gathered(subject, found, settings).items():
        scored = probing.probe(x, targets, probing.depths(subject.n_layers), settings)
        made, gains[task], rival = task_rows(scored, task, settings)
        rows += made + _control(x, targets, scored, task, settings)
        notes += [note, f"{task}: best on dev of what needs no context: {rival}"]
    kinds = {
        kind: [gains[t] for t in names if t in gains]
        for kind, names in (("semantic", SEMANTIC), ("syntactic", SYNTACTIC))
    }
    if all(kinds.values()):
        means = {kind: f1.mean(figures, seed=settings.seed + k) for k, (kind, figures) in enumerate(kinds.items())}
        least = min(r["n"] for r in rows if r["measure"] == "gain over layer 0")
        for kind, figure in means.items():
            rows.add(f"gain over layer 0, {kind}", figure, least, task="all")
        gap = f1.difference(means["syntactic"], means["semantic"])
        rows.add("gain over layer 0, syntactic - semantic", gap, least, task="all")
    return intervals.table(rows, notes)


def task_rows(scored: Probed, task: str, settings) -> tuple[list[dict], intervals.Interval, str]:
    """F1 by layer, of the baselines, and over the best of them; the gain over the embeddings; and which was best."""
    n, best, rows = len(scored.gold), scored.best, intervals.Rows(settings)
    for k, layer in enumerate(scored.layers):
        rows.add("F1 by layer", scored.interval(scored.predicted[:, k], settings), n, task=task, layer=layer)
    base = scored.baselines()
    figures = {name: scored.interval(np.asarray(predicted), settings) for name, (predicted, _) in base.items()}
    rows += [intervals.row(f"F1, {name}", figure, n, task=task) for name, figure in figures.items()]
    own = scored.interval(scored.predicted[:, best], settings)
    rival = list(base)[choose([dev for _, dev in base.values()])]
    gain, keys = f1.difference(own, figures["layer 0"]), dict(task=task, layer=scored.layers[best])
    rows.add("F1", own, n, **keys)
    over = f1.difference(own, figures[rival])
    rows.add("F1 over best baseline", over, n, **keys)
    rows.add("gain over layer 0", gain, n, **keys)
    rows.add("train targets", (scored.trained,) * 3, scored.trained, task=task)
    return rows, gain, rival


def _control(x, targets, scored: Probed, task: str, settings) -> list[dict]:
    """How well a probe at that layer memorises random labels of words; of pairs hardly any kind comes twice."""
    if targets.spans.shape[1] > 1 or scored.multi:
        return []
    train, test = np.flatnonzero(targets.split == "train")[: probing.FITTED], targets.split == "test"
    labels = control_task(targets, settings.seed).labels
    (fitted,) = fit_each(x[[scored.best]][:, train], labels[train], l2=probing.L2, device=settings.torch_device())
    right = fitted.predict(x[scored.best][test]) == labels[test]
    return [intervals.mean_row("F1, control labels", right, settings, groups=scored.groups, task=task)]
