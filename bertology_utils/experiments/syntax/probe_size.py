"""How large may a probe be? What larger ones find, and what they only memorise (liu2019a, hewitt2019control)."""

from __future__ import annotations

import numpy as np
from sklearn.decomposition import PCA

from ... import probes
from ...calibration import planted as plants
from ...calibration.nulls import aimed, as_null
from ...claims.registry import claim
from ...probes import Targets, constant, control_task, from_sentences
from ...scores import intervals
from ...scores.choice import choose
from ...settings import Settings
from .fitted import FOLDS, Rows, folds
from .probing import few, stranger, tags

WIDTHS = {"linear": None, "16 units": 16, "64 units": 64}  # of the hidden layer
LINEAR, *_, WIDEST = WIDTHS
PENALTIES = (1e-2, 1e-3)  # the stronger first: of equals on dev it is taken
MOST = 4000  # targets per split
DIMENSIONS = 128  # far fewer than there are word types, so that a linear probe cannot learn each type by heart
SIGNS = 8


def plain(data, base, rng):
    """Every word's part of speech in the layers above the embeddings, for any probe, and the word in few dimensions."""
    above = plants.above_embeddings(base.n_layers)
    labels = (plants.label_vectors(plants.of_words(kind), size=32, layers=above) for kind in ("upos", "xpos"))
    return plants.plant(base, data, rng, parts=[plants.word_vectors(), *labels])


@as_null("products", "not of the network")
def products(data, base, rng):
    """Every word's part of speech, faintly; and plainly as products of two signs, which no linear probe can read."""
    above = plants.above_embeddings(base.n_layers)

    def make(seen):
        factor = np.sign(rng.standard_normal((seen.n_words, SIGNS)))
        signs = np.ones_like(factor)
        for item, part in seen.golds:
            for word, label in enumerate(item.upos if part == "text" else ()):
                signs[word] = np.sign(plants.code(label, SIGNS))
        return np.concatenate([factor, factor * signs], 1)

    faint = plants.label_vectors(plants.of_words("upos"), size=16, layers=above, noise=0.4)
    return plants.plant(base, data, rng, parts=[faint, plants.Part(2 * SIGNS, make, above, noise=0.05)])


@claim(
    "syn.probe_size.liu2019a",
    "treebank",
    n=2400,
    limit=280,
    nulls=(aimed("coin", "finds more", "memorises more"), products),
    planted=plain,
    plantable=("memorises more", "not of the network"),  # what is plain to a linear probe leaves a larger one nothing
)
def probe_size(subject, data, settings):
    """Parts of speech by probes of growing size, beside control labels and an untrained network (liu2019a).

    Of a middle layer, in its leading principal components. The penalty of each probe, on control labels too, is chosen
    on dev, so that it is size that is compared. *Selectivity* is accuracy less that on control labels (hewitt2019control);
    the widest probe and the linear one are compared on the same words.
    """
    items = few(data["treebank"], 2)
    targets, note = probes.fitting(subject, from_sentences(items, tags(items)))
    targets = targets.draw(MOST, settings.seed)
    layer = subject.n_layers // 2
    ours, theirs = (_leading(s, targets, layer, settings) for s in (subject, stranger(subject, settings)))
    control = control_task(targets, settings.seed)
    rows = Rows(targets.sentence[targets.split == "test"], settings, subject.name)

    def add(measure: str, values: np.ndarray, **keys) -> None:
        refits = values[1:] if len(values) > 1 else None
        rows.add(measure, values[0], refits, signed="accuracy" not in measure, layer=layer, **keys)

    found = {}
    for probe, width in WIDTHS.items():
        real, false, untrained = (
            _right(x, task, width, settings) for x, task in ((ours, targets), (ours, control), (theirs, targets))
        )
        figures = {"selectivity": real - false, "lead over untrained": real - untrained, "accuracy": real}
        for measure, values in (figures | {"control accuracy": false, "untrained accuracy": untrained}).items():
            add(measure, values, probe=probe)
        found[probe] = figures
    gains = {kind: found[WIDEST][kind] - found[LINEAR][kind] for kind in found[WIDEST]}
    add("gain of the widest probe", gains["accuracy"])
    add("selectivity lost by the widest probe", -gains["selectivity"])
    add("gain beyond an untrained network's", gains["lead over untrained"])
    rows.add("majority", constant(targets))
    return intervals.table(rows.rows, [note])


def _leading(subject, targets: Targets, layer: int, settings: Settings) -> np.ndarray:
    """Vectors of the targets, (N, F), along the principal components of the training vectors."""
    (x,) = probes.gather(subject, targets, layers=[layer], settings=settings).astype(float)
    learnt = x[targets.split == "train"]
    return PCA(min(DIMENSIONS, *learnt.shape), svd_solver="full").fit(learnt).transform(x)


def _right(x: np.ndarray, task: Targets, width: int | None, settings: Settings) -> np.ndarray:
    """Whether probes are right on test, (1 + folds, N): of all training words, and, of the smallest and the widest
    probe, without a fold of them.
    """
    train, dev, test = task.splits()

    def fit(which: np.ndarray, l2: float) -> probes.Probe:
        options = {"hidden": width, "l2": l2, "seed": settings.seed, "device": settings.torch_device()}
        return probes.fit(x[which], task.labels[which], **options)

    fits = [fit(train, l2) for l2 in PENALTIES]
    best = choose([(p.predict(x[dev]) == task.labels[dev]).mean() for p in fits])
    learnt, fold = np.flatnonzero(train), folds(task.sentence[train], settings)
    left = range(FOLDS) if width in (WIDTHS[LINEAR], WIDTHS[WIDEST]) else ()
    refits = [fit(learnt[fold != k], PENALTIES[best]) for k in left]
    return np.array([p.predict(x[test]) == task.labels[test] for p in (fits[best], *refits)], float)
