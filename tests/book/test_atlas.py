"""The map has a place for every claim, and each of its parts leads somewhere."""

from __future__ import annotations

import re

import pytest
from bs4 import BeautifulSoup
from support import shipped_standings

from bertology_utils.book import atlas, landing


@pytest.fixture(scope="module")
def found():
    return shipped_standings()


def test_every_claim_has_its_one_place(found):
    placed = [s.row.id for own in atlas.parts(found).values() for s in own]
    assert sorted(placed) == sorted(s.row.id for s in found) and all(atlas.parts(found).values())


def test_each_part_is_a_link_to_its_claims_and_says_how_many_they_are(found):
    soup = BeautifulSoup(atlas.page(found), "html.parser")
    links = soup.select("svg a")
    assert (
        {a["href"] for a in links} == {f"#{part}" for part in atlas.PARTS} == {f"#{h['id']}" for h in soup.select("h2")}
    )
    for a in links:
        rows = soup.select(f"{a['href']} ~ table")[0].select("tbody tr")
        assert f"{len(rows)} claims" in a.get_text() and a.title.get_text().startswith(atlas.PARTS[a["href"][1:]][0])
    assert {a["href"] for a in BeautifulSoup(atlas.picture(found, "map.html"), "html.parser").select("a")} == {
        f"map.html#{part}" for part in atlas.PARTS
    }


def test_each_part_shows_what_came_of_its_claims(found):
    soup = BeautifulSoup(atlas.picture(found), "html.parser")
    for part, own in atlas.parts(found).items():
        drawn = " ".join(text.get_text() for text in soup.select(f'svg a[href="#{part}"] .map-came'))
        for who, holds, fails in landing.came(own):
            said = " ".join(f"{n} {sign}" for n, sign in ((holds, "✓"), (fails, "✕")) if n)
            assert f"{who} {said}" in drawn, part


def test_layers_stand_as_in_the_stack_and_hold_the_claims_that_name_them(found):
    soup = BeautifulSoup(atlas.picture(found), "html.parser")
    at = {a["href"][1:]: float(a.rect["y"]) for a in soup.select("svg a")}
    assert at["predictions"] < at["upper"] < at["middle"] < at["early"] < at["embeddings"]
    named = {"upper": r"\b(last|higher)\b", "middle": r"middle|two thirds", "early": r"\b(low|lower|bottom)\b"}
    for part, words in named.items():
        own = atlas.parts(found)[part]
        assert len(own) > 2 and all(re.search(words, s.row.claim, re.I) for s in own), part


def test_the_map_can_be_read_without_seeing_it(found):
    soup = BeautifulSoup(atlas.picture(found, "map.html"), "html.parser")
    drawn, listed = soup.select("svg a[href]"), soup.select("details li a[href]")
    assert soup.svg["aria-label"] and [a["href"] for a in listed] == [f"map.html#{part}" for part in atlas.ORDER]
    assert {a.title.get_text() for a in drawn} == {a.parent.get_text() for a in listed}
