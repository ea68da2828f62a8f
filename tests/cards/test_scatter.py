"""The picture to be asked: a point per model at its place, in words what it is, a front through ours alone, no script."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from bs4 import BeautifulSoup

from bertology_utils.cards import savings
from bertology_utils.cards.scatter import LEFT, RIGHT, Scale, Scatter
from bertology_utils.cards.tables import NONE

SURVEY = savings.survey()


@pytest.fixture(scope="module")
def rows():
    """What the records have, and the survey's table."""
    return pd.concat([savings.points(), SURVEY], ignore_index=True)


@pytest.fixture(scope="module")
def page(rows):
    return BeautifulSoup(Scatter(rows)._repr_html_(), "html.parser")


def test_the_survey_rows_are_those_of_its_table():
    assert len(SURVEY) == 26 and not SURVEY["on the front"].any() and SURVEY["from"].isna().all()
    tiny = SURVEY.set_index("what is saved").loc["TinyBERT"]
    assert tiny[["bytes, times fewer", "score kept", "times as fast"]].tolist() == [7.5, 0.96, 9.4]
    power = SURVEY.set_index("what is saved").loc["PoWER-BERT"]
    assert power[["bytes, times fewer", "times as fast"]].tolist() == [1.0, 4.5]  # no size is given
    page = savings.survey_rows()._repr_html_()
    assert page.count("<tr>") == 27 and "1.4-2.5" in page and "nan" not in page


def test_the_first_edition_stands_beside_tacl_where_it_differs_and_nowhere_else():
    rows = savings.first_edition().rows
    assert set(rows["model"]) == {"DistilBERT", "Aguilar et al. (2019), Exp. 3", "ALBERT-base"}
    assert (rows["first edition"] != rows["TACL"]).all() and len(rows) == 4  # DistilBERT's other two cells are alike
    assert (rows["TACL"] == NONE).sum() == 1 and "2.5" in savings.first_edition()._repr_html_()


def test_every_row_is_a_point_that_says_its_figures(rows, page):
    points = page.select("g.pt")
    assert len(points) == len(rows)
    said = {p["aria-label"] for p in points}
    assert "DistilBERT (the survey's table): bytes, times fewer 1.5; score kept 90.0%; 1.6 times as fast" in said
    assert all(p.find("title").text == p["aria-label"] and p["data-way"] and p.find("circle") for p in points)
    assert not page.find_all("script") and not re.search(r"\bon\w+=", str(page)), "it is whole without scripts"


def test_more_saved_is_further_right_more_kept_is_higher_and_faster_is_larger(page):
    at = {p["aria-label"].split(" (")[0]: p.find("circle") for p in page.select('g.pt[data-whose="survey"]')}
    x, y, r = ({k: float(c[a].rstrip("%")) for k, c in at.items()} for a in ("cx", "cy", "r"))
    assert x["ALBERT-xxlarge"] < x["BERT-base"] < x["TinyBERT"] < x["BiLSTM-soft"]
    assert y["ALBERT-xxlarge"] < y["BERT-base"] < y["BERT-48"]  # pixels from the top
    assert r["BiLSTM-soft"] > r["TinyBERT"] > r["DistilBERT"] > r["GOBO"] == r["BERT-base"]


def test_the_front_is_drawn_through_our_points_and_no_other(rows, page):
    scale = Scale.of(rows)
    best = rows[rows["on the front"]].sort_values("bytes, times fewer")
    lines = page.select("g.front line")
    assert set(best["model"]) == {"mini"} and len(lines) == 2 * (len(best) - 1) > 0
    ends = [f"{scale.across(f)}%" for f in best["bytes, times fewer"]]
    assert [lines[0]["x1"], *(line["x2"] for line in lines[1::2])] == ends
    assert not BeautifulSoup(Scatter(SURVEY)._repr_html_(), "html.parser").select("g.front")


def test_places_along_doublings_are_evenly_spaced_within_the_margins():
    scale = Scale((0.0, 4.0), (0.0, 1.0))
    assert scale.across(1) == LEFT and scale.across(16) == 100 - RIGHT
    assert scale.across(4) == pytest.approx((scale.across(2) + scale.across(8)) / 2, abs=0.01)
    assert scale.up(1.0) < scale.up(0.5) < scale.up(0.0)


def test_markup_in_a_name_is_shown_as_text(rows):
    planted = rows.assign(**{"what is saved": "<script>alert(1)</script>\"'"})
    assert not BeautifulSoup(Scatter(planted)._repr_html_(), "html.parser").find_all("script")
