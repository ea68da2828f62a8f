"""Markup planted in items, notes and names is shown as text: nothing in the book can run script from data."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from bench import GAPS, record
from bs4 import BeautifulSoup

from bertology_utils.book import claim_pages, samples, scoreboard
from bertology_utils.cards.card import Card
from bertology_utils.cards.standing import Standing
from bertology_utils.claims import ledger
from bertology_utils.data import items

PLANTED = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>\n```\n<script>alert(3)</script>\n[x](javascript:alert(4))"


def harmless(html: str) -> BeautifulSoup:
    """The parsed text, which holds no script, no handler and no address that runs."""
    soup = BeautifulSoup(html, "html.parser")
    assert not soup.find_all(["script", "img", "iframe", "object", "embed"])
    for tag in soup.find_all(True):
        for name, value in tag.attrs.items():
            assert not name.lower().startswith("on"), tag
            assert not str(value).lower().strip().startswith("javascript:"), tag
    return soup


@pytest.fixture
def planted() -> Standing:
    row = {"condition": PLANTED, "measure": "accuracy", "value": 0.5, "low": 0.4, "high": 0.6, "n": 30}
    other = {**row, "measure": f"accuracy of {PLANTED}"}
    given = {"rows": [row, other], "notes": (PLANTED,), "data": PLANTED}
    records = (
        record(**given),
        record(**given, model=f"bert-{PLANTED}", provenance={"subject_source": "hub@x"}),
        record(**given, kind="released", model=f"bert-x{PLANTED}", label="authors", stance="supports", source=PLANTED),
    )
    return Standing(ledger.row(GAPS), records, beside=(record(model=PLANTED, **given),))


def test_cards_show_it_as_text(planted):
    for whole in (False, True):
        text = harmless(Card(planted, whole)._repr_html_()).get_text()
        assert "<script>alert(1)</script>" in text


def test_pages_show_it_as_text_and_it_ends_no_fence(planted):
    plain = claim_pages.page(Standing(planted.row, ()), {})
    text = claim_pages.page(planted, {})
    assert [x for x in text.splitlines() if x.startswith("```")] == [
        x for x in plain.splitlines() if x.startswith("```")
    ]
    harmless(text)


def test_the_scoreboard_shows_it_as_text(planted):
    harmless(scoreboard.table([planted]))
    assert json.loads(scoreboard.as_json([planted]))[0]["id"] == GAPS


def spans(**change) -> items.Span:
    return replace(items.Span(start=0, end=1, label=PLANTED, kind=PLANTED), **change)


ITEMS = [
    items.ForcedChoice(id="1", condition=PLANTED, text=f"{PLANTED} [MASK]", good=PLANTED, bad="b"),
    items.Cloze(id="2", text=f"{PLANTED} [MASK]", answers=(PLANTED,)),
    items.MinimalPair(id="3", good=PLANTED, bad=f"{PLANTED} no"),
    items.Labelled(id="4", text=PLANTED, text_b=PLANTED, label=PLANTED),
    items.Sentence(
        id="5", words=(PLANTED, "b"), upos=(PLANTED, "X"), heads=(-1, 0), deprels=(PLANTED, "x"), chunks=(PLANTED, "O"),
        senses=(PLANTED, ""), brackets=(spans(kind="constituent"),), spans=(spans(),),
    ),
]  # fmt: skip


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: type(item).__name__)
def test_items_are_shown_as_text(item):
    assert "alert(1)" in harmless(samples._condition(item) + samples.describe(item)).get_text()
