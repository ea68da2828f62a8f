"""True and false statements, read off vectors in which it is written, and off vectors in which it is not."""

from __future__ import annotations

import numpy as np

from bertology_utils.calibration import planted
from bertology_utils.data import load, of
from bertology_utils.probes import statements
from bertology_utils.settings import Settings
from bertology_utils.subject import models


def test_what_is_planted_above_the_embeddings_is_found_there():
    items = load("properties", "builtin", n=300)["properties"]
    base = models.load("mini")
    parts = [planted.word_vectors(), planted.text_vectors(layers=planted.above_embeddings(base.n_layers))]
    subject = planted.plant(base, of({"properties": items}), np.random.default_rng(0), parts=parts)
    train, dev, test = ([i for i in items if i.split == s] for s in ("train", "dev", "test"))
    found = statements.judge(subject, train, dev, test, Settings())
    true = np.array([i.label == "1" for i in test])
    assert (found.predicted == true).mean() > 0.95 and found.layer > 0
    assert (found.static == true).mean() < 0.8
    assert found.lead[true].min() > found.lead[~true].max()
