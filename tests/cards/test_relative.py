"""The slots of trained relatives: there where they were measured, and no outcome of theirs put down to size."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup

from bertology_utils.book import landing, scoreboard
from bertology_utils.cards import layout, words
from bertology_utils.cards.card import Card
from bertology_utils.cards.standing import MINILM, RELATIVE, SIZED, Standing, standing, standings
from bertology_utils.cards.words import KINDS
from bertology_utils.claims import evidence
from bertology_utils.claims.rules import FAILS, TAUGHT
from bertology_utils.settings import Settings

SHIPPED = Settings(evidence=evidence.SHIPPED)
MISSED, LEARNT = "lay.conceptnet.cui2020", "hed.redundancy.clark2019"


def without(id: str) -> Standing:
    s = standing(id, SHIPPED)
    return replace(s, records=tuple(r for r in s.records if r.model not in (RELATIVE, *SIZED)))


def related(id: str, model: str = RELATIVE) -> Standing:
    """The claim with mini's figures for a relative's too."""
    s = without(id)
    return replace(s, records=(*s.records, *(replace(r, model=model) for r in s.mini.records)))


@pytest.mark.parametrize(
    ("model", "slot", "name", "called"),
    [
        ("mpnet", "sized", "mpnet", "mpnet (a network of BERT's size)"),
        (RELATIVE, "relative", MINILM, "MiniLM (a smaller relative)"),
    ],
)
@pytest.mark.parametrize(
    ("id", "label", "says"),
    [(MISSED, FAILS, "it does not hold."), (LEARNT, TAUGHT, "it holds.")],
)
def test_it_has_a_slot_a_lane_and_a_sentence(id, label, says, model, slot, name, called):
    s = related(id, model)
    assert s.mini.label == getattr(s, slot).label == label
    assert [shown for shown, _ in s.slots] == ["real BERT", name, "mini", "mini, untrained"]
    assert f"For {called} {says}" in words.sentence(s) and f"{name.upper():10} {label}" in repr(Card(s))
    html = BeautifulSoup(layout.html(s), "html.parser")
    assert html.select_one(f".slot-{slot}").get_text().startswith(name)
    assert name in html.select_one("svg.strip")["aria-label"]
    assert s.plain()["outcomes"][slot]["label"] == label


def test_where_it_was_not_measured_nothing_speaks_of_it():
    s = without(MISSED)
    html = BeautifulSoup(layout.html(s), "html.parser")
    html.select_one(".claim-changed").decompose()  # what was changed, and whose outcome moved by it
    said = str(html) + repr(Card(s)) + words.sentence(s)
    assert MINILM not in said and "mpnet" not in said
    assert "tally-sized" not in landing.result([s])


def test_the_landing_page_counts_the_network_of_berts_size_and_the_scoreboard_has_both():
    found = [related(LEARNT, "mpnet"), related(MISSED, "mpnet"), without("syn.agreement.goldberg2019")]
    box = BeautifulSoup(landing.result(found), "html.parser").select_one(".tally-sized")
    assert box.select_one(".tally-count").get_text() == "1 of 2" and "1 does not hold" in box.get_text()
    cells = BeautifulSoup(scoreboard.table(found), "html.parser").select('td[data-label="mpnet"]')
    assert [cell["data-sign"] for cell in cells] == ["✓", "✕", "–"]


def test_a_chapters_count_names_every_network_whose_outcome_its_lines_show():
    """Each line counts once for BERT and once for the largest network that was rerun, under that one's name."""
    found = standings("training", SHIPPED)
    said = landing.outcomes(found)
    names = {s.nearest[0] for s in found if KINDS[s.nearest[1].label] in ("holds", "not")}
    assert len(names) > 1 and all(f"{name}: " in said for name in names)
    held = sum(KINDS[slot.label] == "holds" for s in found for slot in (s.real, s.nearest[1]))
    assert sum(int(n) for n in re.findall(r"(\d+) holds?", said)) == held
    assert landing.outcomes([s for s in found if not s.real.decision and not s.nearest[1].decision]) == "none decided"
