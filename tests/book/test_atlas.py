"""The map has a place for every claim, and each of its parts leads somewhere."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup
from support import shipped_standings

from bertology_utils.book import atlas


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
