"""The page of the survey's figures: what is stored is what is drawn."""

import json
import re

import numpy as np
import pytest

from bertology_utils.book import survey_figures
from bertology_utils.experiments.mbert.centroids import square


def test_the_trees_are_trees_and_their_gold_edges_are_full_lines():
    stored = json.loads(survey_figures.STORED.read_text("utf-8"))
    gold, words = {tuple(e) for e in stored["gold"]}, stored["words"]
    drawn = survey_figures.page()["trees"]
    full = [of.count("drawn-right") for of in drawn.split("</svg>")[:-1]]
    assert full == [len(gold), *(len(gold & set(map(tuple, of["edges"]))) for of in stored["layers"])]
    for of in stored["layers"]:
        assert len(of["edges"]) == len(words) - 1 == len({w for e in of["edges"] for w in e}) - 1
    accuracy = survey_figures.over_all("UUAS")
    assert [of["uuas"] for of in stored["layers"]] == [accuracy[of["layer"]] for of in stored["layers"]]
    assert [of["layer"] for of in stored["layers"]] == [0, accuracy.index(max(accuracy)), len(accuracy) - 1]
    assert stored["chain"] == survey_figures.over_all("UUAS of the chain")[0]


def test_the_plane_has_every_language_and_relatives_have_one_colour():
    drawn = survey_figures.page()["plane"]
    names = dict(re.findall(r"<title>(\w+) \((.*?)\)", drawn))
    assert len(names) == drawn.count("<circle") > 10
    colours = {name: colour for colour, name in re.findall(r'drawn-genus(\d)"><title>(\w+) \(', drawn)}
    for one, genus in names.items():
        same = [other for other, its in names.items() if its == genus and other != one]
        assert (colours[one] == "0") == (not same) and all(colours[other] == colours[one] for other in same)


def test_points_of_a_plane_are_found_again():
    x = np.random.default_rng(0).normal(size=(6, 2))
    distances = np.linalg.norm(x[:, None] - x[None], axis=-1)
    found = survey_figures.in_plane(distances)
    assert np.linalg.norm(found[:, None] - found[None], axis=-1) == pytest.approx(distances, abs=1e-9)


def test_distances_by_pairs_are_symmetric():
    d, names = square([("b", "a", 0.5), ("a", "c", 1.0), ("c", "b", 2.0)])
    assert names == ["a", "b", "c"] and d.tolist() == [[0, 0.5, 1.0], [0.5, 0, 2.0], [1.0, 2.0, 0]]
