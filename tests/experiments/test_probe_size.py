"""Probes of growing size: what only hidden units can read, and the figures by which sizes are compared."""

from dataclasses import replace

import numpy as np
import pytest
from picked import value
from support import tiny
from syntax_items import SETTINGS, data, treebank

from bertology_utils.experiments.syntax import probe_size
from bertology_utils.probes import Targets


def test_a_product_of_signs_is_read_with_hidden_units_alone():
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (600, 2))
    labels = np.where(signs.prod(1) > 0, "same", "other")
    split = np.repeat(["train", "dev", "test"], 200)
    spans = np.zeros((600, 1, 2), int)
    task = Targets((), np.arange(600), spans, labels, split, labels)
    widths = probe_size.WIDTHS[probe_size.LINEAR], probe_size.WIDTHS[probe_size.WIDEST]
    linear, widest = (probe_size._right(signs, task, width, SETTINGS) for width in widths)
    assert linear.shape == widest.shape == (1 + probe_size.FOLDS, 200)
    assert linear.mean() < 0.65 and widest.min() == 1


def test_the_widest_probe_is_set_against_the_linear_one():
    upos = ("DET", "NOUN", "ADP", "DET", "NOUN", "VERB", "PUNCT")
    items = [replace(s, upos=upos) for split in ("train", "dev", "test") for s in treebank(30, split)]
    frame = probe_size.probe_size(tiny(), data(treebank=items), SETTINGS)

    def gain(measure):
        return np.subtract(*(value(frame, measure, probe=p) for p in (probe_size.WIDEST, probe_size.LINEAR)))

    real, false, untrained = map(gain, ("accuracy", "control accuracy", "untrained accuracy"))
    assert value(frame, "gain of the widest probe") == pytest.approx(real)
    assert value(frame, "selectivity lost by the widest probe") == pytest.approx(false - real)
    assert value(frame, "gain beyond an untrained network's") == pytest.approx(real - untrained)
