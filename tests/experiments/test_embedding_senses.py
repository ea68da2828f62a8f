"""Senses that are planted in the words are tagged, and every occurrence is on the map."""

from __future__ import annotations

import numpy as np
import pytest
from embedding_items import SETTINGS
from support import tiny, tiny_folder

from bertology_utils.data.items import WordInContext
from bertology_utils.experiments.embeddings import senses
from bertology_utils.settings import Settings


def test_senses_planted_in_the_words_are_tagged():
    """The sense is the word itself here: layer 0 alone tells it."""
    made = [
        WordInContext(
            id=str(k),
            split=("train", "train", "dev", "test")[k % 4],
            words=("the", w, "runs"),
            target=1,
            lemma="x",
            sense=w,
        )
        for k, w in enumerate(("dog", "cat", "dog") * 20)
    ]
    rows = senses._tagging(tiny(), made, SETTINGS)
    assert rows.set_index("measure").value["accuracy, layer chosen on dev"] == 1
    by = rows.set_index(["measure", "over"]).value
    commonest = np.mean([i.sense == "dog" for i in made if i.split == "test"])
    assert by["baseline", senses.COMMONEST] == pytest.approx(commonest)
    assert by["baseline", senses.FLAT] == 1 and by["gain over baseline", senses.FLAT] == 0
    assert by["baseline", senses.BAG] <= commonest + 0.2, "the other words are the same in all of them"
    assert rows.set_index("measure").value["adjusted Rand index"] == 1


def test_a_source_without_dev_gives_a_fifth_of_its_training():
    made = [
        WordInContext(
            id=str(k), split="train" if k % 2 else "test", words=("a",), target=0, lemma="x", sense=str(k % 3)
        )
        for k in range(100)
    ]
    (parts,) = senses._ambiguous(made, 0).values()
    assert {k: len(v) for k, v in parts.items()} == {"train": 40, "dev": 10, "test": 50}
    single = [WordInContext(id=str(k), split="train", words=("a",), target=0, lemma="y", sense="s") for k in range(5)]
    assert not senses._ambiguous(single, 0)


def test_sense_map_has_every_occurrence_at_every_layer():
    points = senses.sense_map(settings=Settings(model=str(tiny_folder())), n=200)
    n = points.groupby("layer").size()
    assert len(n) == tiny().n_layers + 1 and n.nunique() == 1 and points.sense.nunique() > 1
    with pytest.raises(KeyError, match="xyzzy"):
        senses.sense_map("xyzzy", Settings(model=str(tiny_folder())), n=50)
