"""Beyond accuracy: how easily are labels extracted? (voita2020, pimentel2020)"""

from __future__ import annotations

import numpy as np

from ... import probes
from ...calibration.nulls import aimed
from ...claims.registry import claim
from ...probes import Means, Targets, control_task, from_sentences
from ...probes.linear import fit_grid
from ...scores import intervals
from ...scores.choice import choose, choose_each
from ...settings import Settings
from . import planted
from .fitted import PENALTIES
from .probing import few, stranger, tags

CODED = 8000  # words per split: every layer is fitted anew with every block of the code


@claim(
    "syn.mdl.voita2020",
    tasks="treebank",
    n=300,
    limit=600,
    nulls=("untrained", aimed("layer 0", "beyond accuracy"), "bag of words", "positions"),  # tags are easily told there
    planted=planted.analysed,
    plantable=(
        "code",
    ),  # a lead of code over accuracy in all three contrasts takes more words than a stand-in is given
)
def description_length(subject, data, settings):
    """Online code length and accuracy of parts of speech and of control labels, at every layer (voita2020).

    Compression is the uniform code's length over the online code's; the code is of the train split, accuracy is on test.
    Each code has the penalty that makes it shortest, and pays for saying which. Three contrasts, at the layer best on
    dev, are measured by both: real against control labels, the model against an untrained one, that layer against the
    embeddings. Their *separation* is in standard deviations over sentences, so that code and accuracy share a scale.
    """
    items = few(data["treebank"], 4)
    targets, note = probes.fitting(subject, from_sentences(items, tags(items)))
    targets = targets.draw(CODED, settings.seed)
    x = probes.gather(subject, targets, settings=settings)
    y = probes.gather(stranger(subject, settings), targets, settings=settings)
    real, control = (_Coded.of(x, task, settings) for task in (targets, control_task(targets, settings.seed)))
    best = choose(real.dev[1:]) + 1
    untrained = _Coded.of(y[[0, best]], targets, settings)
    rows = _layer_rows(real, targets, settings, labels="real") + _layer_rows(
        control, targets, settings, labels="control"
    )
    train = targets.split == "train"
    sent = Means(targets.sentence[train], seed=settings.seed, draws=settings.draws)
    saved = sent(control.bits[best] - real.bits[best])
    rows.append(intervals.row("code saved by real labels", saved, int(train.sum()), layer=best))
    contrasts = {
        "real against control labels": (control, best),
        "trained against untrained": (untrained, 1),
        "best layer against layer 0": (real, 0),
    }
    for name, (other, at) in contrasts.items():
        rows += _contrast_rows(real, best, other, at, targets, settings, contrast=name)
    return intervals.table(rows, [note])


def _layer_rows(coded: _Coded, targets: Targets, settings: Settings, **keys) -> list[dict]:
    """Compression of the train split and accuracy on test, by layer."""
    sentences = targets.sentence[targets.split == "train"]
    told = Means(targets.sentence[targets.split == "test"], seed=settings.seed + 1, draws=settings.draws)
    rows = intervals.Rows(settings)
    for layer, (bits, right) in enumerate(zip(coded.bits, coded.right)):
        ratio = intervals.ratio(np.ones(len(bits)), bits, seed=settings.seed, draws=settings.draws, groups=sentences)
        rows.add("compression", ratio, len(bits), layer=layer, **keys)
        rows.add("accuracy", told(right), len(right), layer=layer, **keys)
    return rows


def _contrast_rows(
    real: _Coded, layer: int, other: _Coded, at: int, targets: Targets, settings: Settings, **keys
) -> list[dict]:
    """How far a layer's real labels are apart from something else (`other`'s layer `at`), by code and by accuracy."""
    sent, asked = (targets.sentence[targets.split == split] for split in ("train", "test"))
    by_code = _separation(other.bits[at] - real.bits[layer], sent, settings, settings.seed)
    by_accuracy = _separation(real.right[layer] - other.right[at], asked, settings, settings.seed + 1)
    found = {
        "separation by code length": by_code,
        "separation by accuracy": by_accuracy,
        "lead of code over accuracy": intervals.unpaired(by_code, by_accuracy),
    }
    return [intervals.row(m, f, len(np.unique(sent)), **keys, layer=layer) for m, f in found.items()]


class _Coded:
    """What the labels of a task cost with the vectors of each layer, and how often probes are right.

    Attributes
    ----------
    bits : float array (layers, train targets)
        Share of the uniform code, the choice of the penalty included.
    right : float array (layers, test targets)
    dev : float array (layers,)
        Accuracy on dev.
    """

    def __init__(self, bits: np.ndarray, right: np.ndarray, dev: np.ndarray) -> None:
        self.bits, self.right, self.dev = bits, right, dev

    @classmethod
    def of(cls, x: np.ndarray, task: Targets, settings: Settings) -> _Coded:
        train, dev, test = (task.split == s for s in ("train", "dev", "test"))
        labels, device, layers = task.labels[train], settings.torch_device(), np.arange(len(x))
        options = {"groups": task.sentence[train], "seed": settings.seed, "device": device}
        codes = probes.online_codes(x[:, train], labels, PENALTIES, **options)  # (penalties, L + 1, N)
        bits = codes[choose_each(-codes.mean(-1).T), layers] + np.log2(len(PENALTIES)) / len(labels)
        grid = fit_grid(x[:, train], labels, PENALTIES, device=device)
        right = np.array([[p.predict(v) == task.labels for p, v in zip(fits, x)] for fits in grid], float)
        which = [choose(layer) for layer in right[..., dev].mean(-1).T]
        right = right[which, layers]
        return cls(bits / probes.uniform_bits(labels), right[:, test], right[:, dev].mean(1))


def _separation(values: np.ndarray, sentence: np.ndarray, settings: Settings, seed: int) -> intervals.Interval:
    """Mean over sentences of what one condition is ahead by, in standard deviations between sentences (Cohen's d)."""
    _, member = np.unique(sentence, return_inverse=True)
    by_sentence = np.bincount(member, values) / np.bincount(member)
    return intervals.bootstrap(by_sentence, _effect, seed=seed, draws=min(settings.draws, 1000))


def _effect(values: np.ndarray) -> float:
    spread = values.std()
    return float(values.mean() / spread) if spread > 0 else 0.0
