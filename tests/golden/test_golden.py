"""The comparison names what differs, and generated items are those that are stored."""

from __future__ import annotations

import golden
import pytest

from bertology_utils import data
from bertology_utils.data import builtin

STORED = golden.load()


def test_what_differs_is_named_by_its_place():
    before = {"n": 24, "mini": {"accuracy": "4, mean 0.5000, aa", "UUAS": "1, mean 0.2000, bb"}}
    now = {"n": 24, "mini": {"accuracy": "4, mean 0.5100, cc"}}
    assert list(golden.differences(before, now, "claim")) == [
        "claim, mini, accuracy: '4, mean 0.5000, aa' -> '4, mean 0.5100, cc'",
        "claim, mini, UUAS: '1, mean 0.2000, bb' -> None",
    ]
    assert not list(golden.differences(before, before, "claim"))


def test_rows_are_told_apart_by_keys_and_figures_to_four_digits():
    row = {"measure": "accuracy", "layer": 1, "value": 0.5, "low": 0.25, "high": None, "n": 3}
    told = golden.by_measure([row])
    assert told["accuracy"].startswith("1, mean 0.5000, ")
    assert golden.by_measure([{**row, "layer": 2}]) != told != golden.by_measure([{**row, "low": 0.2502}])
    assert golden.by_measure([{**row, "value": 0.50001, "n": 9, "draws": [1]}]) == told


def test_an_experiment_that_takes_too_long_is_stopped():
    with pytest.raises(golden.TooSlow), golden.stopped_after(0.05):
        while True:
            pass


def test_every_part_is_stored():
    assert STORED.keys() == {"machine", *golden.PARTS}
    held = [told for told in STORED["rows"].values() if not {"slow", "refused"} & set(told)]
    assert len(held) > 75 and all({"mini", "family", "mini-multi"} & set(told) for told in held)


@pytest.mark.parametrize("task", sorted(builtin.tasks()))
def test_generated_items_are_those_that_are_stored(task):
    """Records rest on them: a builder that makes others makes every record of its claims stale."""
    seed = golden.SEEDS[-1]
    found = data.sha256({task: builtin.build(task, golden.ITEMS, seed)})[:12]
    assert found == STORED["items"][f"{task}, seed {seed}"], "if it is meant: python -m tests.golden write items"
