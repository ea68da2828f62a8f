"""Fewer bits: what tuned models lose with 8, 4, 3 and 2, and what outliers and training with rounding save (zafrir2019)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...claims.registry import claim
from ...compress import linear_bytes, quantize
from ...finetune import Classifier, classify
from ...scores import intervals
from ...scores.intervals import Interval
from .heads import TASKS, names
from .studied import GENERATED, LIMIT, QUICK, Study, recipe, right

BYTES, OUTLIERS = "bytes of linear weights, original / quantized", "accuracy, 3 bits with - without outliers"
MEASURES = (*(f"accuracy lost, {n} bits" for n in (8, 3, 2)), BYTES, OUTLIERS)
WAYS: dict[str, Callable[[Classifier], Classifier]] = {
    "8 bits": quantize.int8,
    "4 bits": lambda c: quantize.grouped(c, 4),
    "3 bits": lambda c: quantize.grouped(c, 3),
    "3 bits, outliers kept": lambda c: quantize.grouped(c, 3, outliers=True),
    "2 bits": lambda c: quantize.grouped(c, 2),
}


@claim("siz.quantization.zafrir2019", TASKS, n=GENERATED, limit=LIMIT, quick=QUICK)
def quantization(subject, data, settings):
    """Accuracy lost, bytes and time with weights in fewer bits (zafrir2019, shen2019, zadeh2020).

    8 bits are torch's: weights and activations, products in 8 bits. 4, 3 and 2 bits are groups of 64 weights with a scale,
    with outliers beyond three standard deviations kept apart or not; products are taken in float. `trained` rounds the
    weights to 2 bits while tuning, with one seed.
    """
    study = Study.of(subject, data, settings, names(data))
    if not study.learnt:
        return study.nothing(*MEASURES)
    after = {way: _rounded(study, make) for way, make in WAYS.items()}
    rows = [r for way, scores in after.items() for r in study.lost(f"accuracy lost, {way}", scores)]
    rows += _trained_rows(study)
    kept = {t: after["3 bits, outliers kept"][t] - after["3 bits"][t] for t in after["3 bits"]}
    rows += study.rows(OUTLIERS, kept)
    original = study.classifiers[study.tasks[0].name][0]
    whole = linear_bytes(_encoder(original))
    for way, make in WAYS.items():
        less = make(original)
        ratio = whole / linear_bytes(_encoder(less))
        measure = BYTES if way == "8 bits" else f"{BYTES}, fewer bits"
        rows.append(intervals.row(measure, Interval(ratio, ratio, ratio), 1, way=way))
        rows.append(study.kept_row(after[way], way=way))
        if way in ("8 bits", "4 bits"):
            rows += study.cost_rows(less, way=way)
    return study.table(rows)


def _encoder(classifier: Classifier) -> Any:
    base: Any = classifier.subject.base
    return base.encoder


def _rounded(study: Study, make: Callable[[Classifier], Classifier]) -> dict[str, np.ndarray]:
    """Scores of the tuned models in fewer bits."""
    return study.each(lambda c, t, s: right(make(c), t, study.settings))


def _trained_rows(study: Study) -> list[dict]:
    """What is lost with 2 bits that tuning saw, by the first seed: rounding in each step takes long."""
    settings, lost = study.settings, {}
    for task in study.tasks:
        how = recipe(task.train, settings.seed)
        found = classify(quantize.rounded(study.subject, 2), task.train, how)
        after = right(replace(found, subject=quantize.plain(found.subject)), task, settings)
        lost[task.name] = (study.right[task.name][0] - after)[None]
    return study.rows("accuracy lost, 2 bits, trained", lost)
