"""What studies reported, on cards, scoreboard and landing page: shown with its source, never as an outcome."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from bs4 import BeautifulSoup
from support import shipped_standings

from bertology_utils.book import claim_pages, landing, scoreboard
from bertology_utils.cards import card, overview, reported
from bertology_utils.cards.standing import Standing, standing
from bertology_utils.cards.words import KINDS
from bertology_utils.claims import evidence, ledger
from bertology_utils.claims.rules import NOT_RERUN
from bertology_utils.settings import Settings

SHIPPED = Settings(evidence=evidence.SHIPPED)
FOUND = shipped_standings()
OUTCOMES = re.compile("|".join(re.escape(label) for label in KINDS if label != NOT_RERUN))


def shown_of(id: str):
    return BeautifulSoup(card(id, SHIPPED)._repr_html_(), "html.parser")


def slot(id: str):
    return shown_of(id).select_one(".slot-real")


def line(id: str) -> str:
    """What stands below the slots of BERT itself."""
    return shown_of(id).select_one(".claim-of-bert").get_text()


@pytest.mark.parametrize("s", [s for s in FOUND if s.known == "reported"], ids=lambda s: s.row.id)
def test_a_reported_figure_stands_in_berts_slot_in_grey_and_is_no_verdict(s):
    shown = slot(s.row.id)
    figure = s.reported[0]
    assert shown.select_one(".outcome")["class"] == ["outcome", "outcome-none"]
    assert shown.select_one(".outcome").get_text() == "reported" and figure.network == "BERT"
    below = line(s.row.id)
    assert re.search(rf"reported( in a related study)?: {re.escape(figure.text(reported.SHOWN))}", below)
    assert ("in a related study" in below) is reported.elsewhere(s) and figure.where in below
    assert not OUTCOMES.search(shown.select_one(".outcome").get_text()) and not shown.select(".claim-figure")
    told = next(line for line in repr(card(s.row.id, SHIPPED)).splitlines() if line.startswith("REAL BERT"))
    assert figure.text(reported.SHOWN) in told and not told.startswith(f"REAL BERT  {NOT_RERUN}")
    assert s.real.label == NOT_RERUN and s.plain()["outcomes"]["real"]["label"] == NOT_RERUN, "it decides nothing"


@pytest.mark.parametrize("s", [s for s in FOUND if s.known == "none"], ids=lambda s: s.row.id)
def test_a_card_with_neither_says_that_nothing_was_reported(s):
    said = line(s.row.id)
    assert "nothing reported" in said and "reported:" not in said
    assert "nothing reported" in repr(card(s.row.id, SHIPPED))


def test_a_figure_of_another_network_never_stands_in_berts_slot():
    """T5 answered the questions of this claim; no BERT did."""
    said = line("wld.closed_book.roberts2020")
    assert "nothing reported of BERT itself" in said and "34.5" not in said
    fold = BeautifulSoup(card("wld.closed_book.roberts2020", SHIPPED)._repr_html_(), "html.parser")
    assert "34.5" in fold.select_one("details.claim-reported").get_text()
    assert "of another network than BERT" in fold.select_one("details.claim-reported").get_text()


def test_beside_released_figures_a_reported_one_is_a_line_in_the_fold():
    made = BeautifulSoup(card("syn.structural_probe.hewitt2019", SHIPPED)._repr_html_(), "html.parser")
    assert "reported" not in made.select_one(".slot-real").get_text()
    assert "79.8" in made.select_one("details.claim-reported").get_text()


@pytest.mark.parametrize(
    ("id", "told"),
    [
        ("trn.nsp.liu2019b", "QNLI: 88.4 / 84.9"),
        ("mbt.more_languages.artetxe2019", "en: 84.8 / 83.7"),
        ("trn.tuned_sep.kovaleva2019", "first: 0.454 / 0.357"),
        ("trn.last_layers_change.kovaleva2019", "5 (tasks of 5)"),
    ],
)
def test_a_figure_against_the_sentence_is_said_outside_the_fold(id, told):
    s = standing(id, SHIPPED)
    for html in (card(id, SHIPPED)._repr_html_(), claim_pages.page(s, {})):
        said = BeautifulSoup(html, "html.parser").select_one("p.claim-against").get_text()
        assert told in said and "speaks against the survey's sentence" in said
    assert any(told in line and "speaks against" in line for line in repr(card(id, SHIPPED)).splitlines())


def test_no_other_card_says_so():
    assert {s.row.id for s in FOUND if reported.contradicted(s)} == {s.row.id for s in FOUND if reported.against(s)}
    assert not reported.contradicted(standing("trn.more_layers.su2019", SHIPPED))


def test_a_figure_read_in_one_place_is_marked():
    once, twice = (standing(id, SHIPPED).reported[0] for id in ("syn.npi.warstadt2019", "trn.more_layers.su2019"))
    assert reported.line(once).endswith("read in one place only") and "one place" not in reported.line(twice)


def test_the_kinds_are_counted_and_add_up():
    counted = reported.counts(FOUND)
    assert sum(counted.values()) == len(ledger.rows()) and all(counted.values())
    assert counted["released"] == sum(s.real.decision is not None for s in FOUND)
    said = reported.sentence(FOUND)
    numbers = [int(n) for n in re.findall(r"\d+", said)]
    again = numbers.pop(3)
    assert 0 < again == sum(s.known == "reported" and "released" in {r.kind for r in s.records} for s in FOUND)
    beside = numbers.pop(2)
    assert numbers == list(counted.values()) and 0 < beside == sum(map(reported.elsewhere, FOUND)) < counted["reported"]
    assert said in scoreboard.table(FOUND) and said in landing.result(FOUND)
    bare = Standing(ledger.row("syn.tpdn.jawahar2019"), ())
    assert reported.counts([bare]) == {"released": 0, "reported": 0, "related": 0, "none": 1}


def test_scoreboard_and_its_files_carry_the_figures():
    page = BeautifulSoup(scoreboard.table(FOUND), "html.parser")
    line = next(r for r in page.select("tbody tr") if r.select_one('a[href$="trn.nsp.liu2019b.html"]'))
    cell = line.select_one('td[data-label="BERT"]')
    assert cell.get_text() == "reported" and "QNLI: 88.4 / 84.9" in cell.select_one(".outcome")["title"]
    by_id = {row["id"]: row for row in csv.DictReader(io.StringIO(scoreboard.as_csv(FOUND)))}
    assert (
        by_id["trn.nsp.liu2019b"]["known"] == "reported"
        and "Devlin et al. (2019), table 5" in by_id["trn.nsp.liu2019b"]["reported"]
    )
    (plain,) = [s for s in json.loads(scoreboard.as_json(FOUND)) if s["id"] == "trn.nsp.liu2019b"]
    assert plain["reported"][0]["values"]["QNLI"] == [88.4, 84.9] and plain["reported"][0]["confirmed"]
    assert (
        "reported"
        in str(overview("training")).split("Dropping next sentence prediction does not hurt")[1].splitlines()[0]
    )
