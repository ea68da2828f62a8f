"""Generated number tasks: words, targets, and ranges that do not meet."""

from __future__ import annotations

import pytest
from grouped import by

import bertology_world as builtin
from bertology_world import numbers

TASKS = ("number_maximum", "number_decoding", "number_addition")


@pytest.fixture(scope="module")
def items():
    return {task: builtin.build(task, 800, seed=3) for task in TASKS}


@pytest.mark.parametrize(
    "value, words",
    [
        (0, "zero"),
        (13, "thirteen"),
        (21, "twenty-one"),
        (100, "one-hundred"),
        (305, "three-hundred-and-five"),
        (999, "nine-hundred-and-ninety-nine"),
        (1042, "one-thousand-and-forty-two"),
    ],
)
def test_numbers_in_words(value, words):
    assert numbers.in_words(value) == words


def test_numbers_outside_the_range_are_refused():
    with pytest.raises(ValueError, match="2000"):
        numbers.in_words(2000)


@pytest.mark.parametrize("task", ["number_maximum", "number_decoding", "number_addition"])
def test_extrapolation_lies_beyond_what_was_trained_on(task, items):
    for condition, group in by(items[task], lambda i: i.condition).items():
        seen = [v for i in group if i.meta["range"] == "interpolation" for v in i.values]
        beyond = [v for i in group if i.meta["range"] == "extrapolation" for v in i.values]
        assert beyond and all(v > max(seen) or v < min(seen) for v in beyond), condition
        assert {i.split for i in group if i.meta["range"] == "extrapolation"} == {"test"}
        assert any(i.split == "test" and i.meta["range"] == "interpolation" for i in group)
        assert len({i.values for i in group}) == len(group)


def test_floats_and_integers_are_asked_alike(items):
    """The same range, and no number to be tested on has its integer part among those to learn from."""
    for condition in ("integers", "floats"):
        group = [i for i in items["number_decoding"] if i.condition == condition]
        seen, tested = ({int(i.target) for i in group if (i.split == "test") == test} for test in (False, True))
        inside = [i.target for i in group if i.meta["range"] == "interpolation"]
        assert not seen & tested and min(inside) < 20 and 480 < max(inside) < 500


def test_number_targets(items):
    for i in items["number_maximum"]:
        assert i.values.count(max(i.values)) == 1 and i.values[int(i.target)] == max(i.values) and len(i.words) == 5
    assert all(i.target == pytest.approx(sum(i.values)) and len(i.words) == 2 for i in items["number_addition"])
    for i in items["number_decoding"]:
        assert i.target == i.values[0]
        if i.condition != "words":
            assert float(i.words[0]) == i.target
