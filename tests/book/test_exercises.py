"""Each chapter ends in an exercise whose code runs as it stands, with what comes with the package alone."""

from __future__ import annotations

import json
import re
from collections import defaultdict

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


def test_which_three_dimensions_are_taken_away_makes_a_difference_to_the_cone_of_mini(capsys):
    """Without the largest it is wider at every layer, as the figure's text says; without those that vary most it need not be."""
    (path,) = (p for p in CHAPTERS if p.stem == "01_embeddings")
    exec(compile(exercise(path), path.stem, "exec"), {})
    whole, less = (list(map(float, part.split())) for part in re.findall(r"\[([^]]+)\]", capsys.readouterr().out))
    assert len(whole) == len(less) == 9 and any(b >= a for a, b in zip(whole, less, strict=True))
    stored = "".join(
        "".join(out.get("text", ""))
        for cell in json.loads(path.with_suffix(".ipynb").read_text("utf-8"))["cells"]
        for out in cell.get("outputs", ())
        if "".join(cell["source"]) == "print(plotting.printed(shown))"
    )
    drawn = defaultdict(list)
    for name, value in re.findall(r"^((?:mini|untrained).*?) +mean cosine \(\d+, \w+\): ([\d.]+)", stored, re.M):
        drawn[name].append(float(value))
    falls = [a - b for a, b in zip(drawn["mini"][-9:], drawn["mini, without three"], strict=True)]
    assert min(falls) > 0 and max(falls) == falls[-1] and min(drawn["mini, without three"]) > 0.1
    twin = zip(drawn["untrained"][-9:], drawn["untrained, without three"], strict=True)
    assert max(abs(a - b) for a, b in twin) < 0.03


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.stem)
def test_a_chapter_says_what_came_after_the_survey(path):
    text = path.with_suffix(".py").read_text("utf-8").partition("# ## Since the survey\n")[2].partition("# %%")[0]
    years = [int(year) for year in re.findall(r"\{cite:t\}`[a-z]+(\d{4})`", text)]
    assert years and min(years) > 2020 and re.search(r"claims/[\w.]+\.html", text)
