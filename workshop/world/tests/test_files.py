"""The files of items: what the builders give, in every number that a claim reads; and what the package does without builders."""

from __future__ import annotations

from importlib import metadata

import pytest

from bertology_utils import data
from bertology_utils.data import builtin
from bertology_utils.data.builtin import NotStored
from bertology_world import build, files, tasks


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this distribution were not installed."""
    monkeypatch.setattr(metadata, "entry_points", lambda **chosen: ())


def test_the_package_knows_the_builders_tasks():
    assert builtin.tasks() == tuple(tasks())


@pytest.mark.parametrize("task", tasks())
def test_a_file_holds_what_the_builder_gives_in_every_number_that_is_read(task: str):
    numbers = files.wanted()[task]
    names = {path.name for path in builtin.FOLDER.iterdir()}
    assert all({f"{task}{builtin.ENDING}", f"{task}-{n}{builtin.ENDING}"} & names for n in numbers), "bertology items"
    for n in {min(numbers), max(numbers)}:  # those between them are the first of the largest, or have a file
        assert data.sha256(builtin.stored(task, n) or ()) == data.sha256(build(task, n)), (
            f"{task}, {n}: bertology items"
        )


def test_a_language_that_has_no_more_gives_all_it_has(alone):
    every = builtin.build("word_similarity", 20_000)
    assert len(every) < 20_000 and builtin.build("word_similarity", 30_000) == every


def test_other_numbers_and_seeds_are_generated_where_the_builders_are():
    assert builtin.build("agreement", 5, seed=3) == build("agreement", 5, seed=3)
    assert builtin.build("entailment", 70) == build("entailment", 70)


def test_without_builders_fewer_items_are_drawn_evenly_and_more_are_refused(alone):
    drawn, every = builtin.build("entailment", 70), builtin.build("entailment", 2000)
    assert data.load("entailment", n=70).notes == ("70 of 2000 stored items, at equal distances",)
    assert not data.load("entailment", n=2000).notes
    assert len(drawn) == 70 and {i.split for i in drawn} == {"train", "dev", "test"} and all(i in every for i in drawn)
    for task, n, seed in (("agreement", 5, 3), ("entailment", 9000, 0), ("agreement", 9000, 0)):
        with pytest.raises(
            NotStored, match=f"no {n} items of {task} with seed {seed} .* pip install -e workshop/world"
        ):
            builtin.build(task, n, seed)


def test_words_to_exchange_are_those_of_the_lexicon():
    assert builtin.words() == files.words()


def test_an_unknown_task_is_met_with_those_there_are_and_no_number_of_items_with_one_line():
    with pytest.raises(KeyError, match=r"no builtin data for 'agrement'; there is: .*agreement, "):
        builtin.build("agrement", 5)
    with pytest.raises(ValueError, match="n must be positive, not 0"):
        builtin.build("agreement", 0)
