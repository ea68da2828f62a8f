"""The slot of a trained relative: there where it was measured, and no outcome of it put down to size."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bs4 import BeautifulSoup

from bertology_utils.book import landing, scoreboard
from bertology_utils.cards import layout, words
from bertology_utils.cards.card import Card
from bertology_utils.cards.standing import MINILM, RELATIVE, Standing, standing
from bertology_utils.claims import evidence
from bertology_utils.claims.rules import FAILS, NOT_FOUND, TAUGHT
from bertology_utils.settings import Settings

SHIPPED = Settings(evidence=evidence.SHIPPED)
MISSED, LEARNT = "lay.conceptnet.cui2020", "hed.redundancy.clark2019"


def related(id: str) -> Standing:
    """The claim with mini's figures for the relative's too."""
    s = standing(id, SHIPPED)
    others = [r for r in s.records if r.model != RELATIVE]
    return replace(s, records=(*others, *(replace(r, model=RELATIVE) for r in s.mini.records)))


def without(id: str) -> Standing:
    s = standing(id, SHIPPED)
    return replace(s, records=tuple(r for r in s.records if r.model != RELATIVE))


@pytest.mark.parametrize(
    ("id", "mini", "label", "sentence"),
    [
        (MISSED, NOT_FOUND, FAILS, "In MiniLM, a trained relative, it does not hold."),
        (LEARNT, TAUGHT, TAUGHT, "In MiniLM, a trained relative, it holds."),
    ],
)
def test_it_has_a_slot_a_lane_and_a_sentence(id, mini, label, sentence):
    s = related(id)
    assert (s.mini.label, s.relative.label) == (mini, label)
    assert [name for name, _ in s.slots] == ["real BERT", MINILM, "mini", "untrained"]
    assert sentence in words.sentence(s) and f"{MINILM.upper():10} {label}" in repr(Card(s))
    html = BeautifulSoup(layout.html(s), "html.parser")
    assert html.select_one(".slot-relative").get_text().startswith(MINILM)
    assert MINILM in html.select_one("svg.strip")["aria-label"]
    assert s.plain()["outcomes"]["relative"]["label"] == label


def test_where_it_was_not_measured_nothing_speaks_of_it():
    s = without(MISSED)
    assert MINILM not in layout.html(s) + repr(Card(s)) + words.sentence(s)
    assert "relative" not in landing.result([s])


def test_the_landing_page_and_the_scoreboard_count_it():
    found = [related(LEARNT), related(MISSED), without("syn.agreement.goldberg2019")]
    box = BeautifulSoup(landing.result(found), "html.parser").select_one(".tally-relative")
    assert box.select_one(".tally-count").get_text() == "1 of 2" and "1 does not hold" in box.get_text()
    cells = BeautifulSoup(scoreboard.table(found), "html.parser").select(f'td[data-label="{MINILM}"]')
    assert [cell["data-sign"] for cell in cells] == ["✓", "✕", "–"]
