"""Each chapter ends in an exercise whose code runs as it stands, with what comes with the package alone."""

from __future__ import annotations

import re

import pytest

from bertology_utils.book import notebooks, stage

FENCED = re.compile(r"^# ```python\n(.*?)^# ```$", re.M | re.S)
CHAPTERS = notebooks.paths(stage.ROOT / "notebooks")


def exercise(path) -> str:
    text = path.with_suffix(".py").read_text("utf-8").partition("# ## Exercise: ")[2]
    (code,) = FENCED.findall(text)
    return re.sub(r"^# ?", "", code, flags=re.M)


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
def test_the_code_of_an_exercise_runs_and_says_something(path, capsys):
    exec(compile(exercise(path), path.stem, "exec"), {})
    assert re.search(r"\w", capsys.readouterr().out)


def test_a_second_noun_of_the_other_number_turns_mini(capsys):
    """What the text of the exercise says of its three frames."""
    (path,) = (p for p in CHAPTERS if p.stem == "02_syntax")
    exec(compile(exercise(path), path.stem, "exec"), {})
    one, two, three = (float(line.split()[0]) for line in capsys.readouterr().out.splitlines())
    assert min(one, two) > 0 > three


def test_without_three_dimensions_the_cone_of_mini_is_measured_again(capsys):
    (path,) = (p for p in CHAPTERS if p.stem == "01_embeddings")
    exec(compile(exercise(path), path.stem, "exec"), {})
    whole, less = (list(map(float, part.split())) for part in re.findall(r"\[([^]]+)\]", capsys.readouterr().out))
    assert len(whole) == len(less) == 9 and all(b < a for a, b in zip(whole, less, strict=True))


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
def test_a_chapter_says_what_came_after_the_survey(path):
    text = path.with_suffix(".py").read_text("utf-8").partition("# ## Since the survey\n")[2].partition("# %%")[0]
    years = [int(year) for year in re.findall(r"\{cite:t\}`[a-z]+(\d{4})`", text)]
    assert years and min(years) > 2020 and re.search(r"claims/[\w.]+\.html", text)
