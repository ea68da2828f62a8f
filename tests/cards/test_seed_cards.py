"""In how many seeds a claim holds: on the card, in its grade, on the scoreboard; and nothing where nothing was measured."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup
from seeded import FAILS, GATED, HOLDS, ID, OPEN, TOO, evidence, seed

from bertology_utils.book import scoreboard, trust
from bertology_utils.cards import card as one_card
from bertology_utils.cards import seeds as over_seeds
from bertology_utils.cards.card import Card
from bertology_utils.cards.standing import Standing
from bertology_utils.cards.sure import sure
from bertology_utils.claims import evidence as records
from bertology_utils.claims import ledger, seeds
from bertology_utils.claims.rules import TAUGHT
from bertology_utils.settings import Settings

WHO = "seeds of a smaller model (4 x 192, 4.5 M pieces)"


def standing(outcomes: list[str], mini: str = HOLDS) -> Standing:
    """`mini` and its seeds, each a little farther from the bound than the one before."""
    found = tuple(seed(k, outcome, shift=k) for k, outcome in enumerate(outcomes))
    return Standing(ledger.row(ID), (evidence(mini, "mini"),), "mini", (), found)


CASES = [
    ([HOLDS] * 5, HOLDS, f"It holds in five of five {WHO}."),
    (
        [HOLDS, TOO, HOLDS, FAILS, OPEN],
        HOLDS,
        f"It holds in three of five {WHO}, in one no better than without training; not found in one; open in one."
        " Seed 3 disagrees with mini.",
    ),
    ([FAILS] * 5, HOLDS, f"In each of five {WHO} it is not found. All of them disagree with mini."),
    (
        [FAILS, HOLDS, HOLDS, FAILS, FAILS],
        FAILS,
        f"It holds in two of five {WHO}; not found in three. Seeds 1 and 2 disagree with mini.",
    ),
    (
        [OPEN, HOLDS],
        HOLDS,
        f"It holds in one of two {WHO.replace(' of a', ' measured so far of a')}; open in one.",
    ),
    ([OPEN], HOLDS, f"In the one {WHO.replace('seeds', 'seed')} that was measured so far it stays open."),
    ([GATED] * 5, HOLDS, f"In each of five {WHO} it cannot be tested."),
    ([GATED, HOLDS, HOLDS, HOLDS, HOLDS], OPEN, f"It holds in four of five {WHO}; not testable in one."),
    ([], HOLDS, ""),
]


@pytest.mark.parametrize(("outcomes", "mini", "says"), CASES, ids=lambda v: " ".join(v) if isinstance(v, list) else "")
def test_the_card_says_in_how_many_seeds_a_claim_holds(outcomes, mini, says):
    s = standing(outcomes, mini)
    assert over_seeds.sentence(s) == says
    line = BeautifulSoup(Card(s)._repr_html_(), "html.parser").select_one(".claim-says").get_text()
    assert line.endswith(says or ".") and ("seed" in line) == bool(says)
    assert (says in repr(Card(s))) and ("seed" in repr(Card(s)).lower()) == bool(says)


def test_beside_an_interval_over_items_stands_the_range_over_seeds():
    s = standing([HOLDS, OPEN, HOLDS])
    values = [x.records[0].rows[0]["value"] for x in s.seeds]
    apart = over_seeds.spread(s)
    assert (apart.low, apart.high, apart.seeds) == (min(values), max(values), 3)
    html = BeautifulSoup(Card(s)._repr_html_(), "html.parser")
    (said,) = html.select(".slot-mini .claim-seeds")
    assert said.get_text().endswith(str(apart)) and "3 seeds" in said["title"]
    assert html.select(".claim-seeds") == [said] and f"SEEDS      {apart.measure} {apart} in 3 seeds" in repr(Card(s))
    assert over_seeds.spread(standing([HOLDS])) is None, "one seed has no range"
    elsewhere = [replace(x, records=(replace(x.records[0], data="builtin"),)) for x in s.seeds]
    assert over_seeds.spread(replace(s, seeds=tuple(elsewhere))) is None, "another source is another figure"


def test_seeds_that_bear_a_claim_out_or_not_are_in_its_grade():
    def reasons(outcomes, mini=HOLDS):
        return [r for r in sure(standing(outcomes, mini), "mini").reasons if "model" in r]

    alone = "a small model, and one training run of it"
    assert reasons([]) == reasons([HOLDS] * 4) == reasons([HOLDS] * 4 + [OPEN]) == [alone]
    assert reasons([HOLDS] * 4 + [TOO]) == reasons([FAILS] * 5, FAILS) == ["a small model"]
    assert reasons([FAILS] * 5) == reasons([OPEN] * 5) == [alone], "a smaller model may be too small"
    assert reasons([HOLDS] * 4 + [FAILS]) == [alone, "seeds of a smaller model come out on both sides"]


def test_the_scoreboard_counts_them():
    with_seeds, without = standing([HOLDS, HOLDS, TOO, FAILS, OPEN]), standing([])
    page = BeautifulSoup(scoreboard.table([with_seeds, without]), "html.parser")
    heads = [h.get_text() for h in page.select("thead th")]
    cells = [row.find_all(["th", "td"]) for row in page.select("tbody tr")]
    assert [len(c) for c in cells] == [len(heads)] * 2
    assert [c[heads.index("seeds")].get_text() for c in cells] == ["3 of 5", "–"]
    lines = list(csv.DictReader(scoreboard.as_csv([with_seeds, without]).splitlines()))
    assert [(line["seeds_hold"], line["seeds_n"]) for line in lines] == [("3", "5"), ("", "")]
    told = json.loads(scoreboard.as_json([with_seeds, without]))
    assert [s["label"] for s in told[0]["seeds"]].count(TAUGHT) == 2 and told[1]["seeds"] == []


def test_the_methods_page_counts_claims_by_what_the_seeds_say():
    title = standing([]).row.title
    same, opposite, among = standing([HOLDS] * 5), standing([FAILS] * 5), standing([FAILS, HOLDS, OPEN, OPEN, OPEN])
    open_, few = standing([OPEN] * 5), standing([HOLDS] * 4)
    told = BeautifulSoup(trust.seeds([same, same, opposite, among, open_, few]), "html.parser").get_text()
    assert told.startswith(
        "**5 claims** have been put to all five. In 2 they all say what mini says; in one all of them"
    )
    assert told.count(f"({title})") == 2 and f"not found in others: one ({title})." in told
    assert "in none all of them" in trust.seeds([same]) and "not found in others: none." in trust.seeds([same])
    assert "bertology seeds run" in trust.seeds([few])


def test_records_are_on_the_card_unless_the_rule_looks_elsewhere(tmp_path, monkeypatch):
    shipped, find = Settings(evidence=records.SHIPPED), seeds.find
    fresh, stale = seed(0, HOLDS), replace(seed(1, HOLDS), looks="another rule")
    seeds.save(ID, [fresh, stale], tmp_path)
    monkeypatch.setattr(seeds, "find", lambda id: find(id, tmp_path))
    assert [s.network.seed for s in one_card(ID, shipped).standing.seeds] == [0]
    assert "In the one seed of a smaller model" in repr(one_card(ID, shipped))
    assert one_card("syn.agreement.goldberg2019", shipped).standing.seeds == ()
