"""A chapter at a glance: a line per claim, what came of it for whom, and a way to its card."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup

from bertology_utils.cards import overview
from bertology_utils.cards.overview import Overview
from bertology_utils.cards.standing import MINILM, Standing, standing
from bertology_utils.cards.words import badge, drawn, sign
from bertology_utils.claims import ledger


@pytest.mark.parametrize("section", [s.name for s in ledger.sections()])
def test_a_line_per_claim_with_the_outcomes_of_its_card(section):
    made = overview(section)
    page = BeautifulSoup(made._repr_html_(), "html.parser")
    head, *lines = ([cell.get_text() for cell in line.select("th, td")] for line in page.select("tr"))
    assert head == ["claim", *made.columns.values()]
    assert [line[0] for line in lines] == [row.title for row in ledger.rows(section)]
    assert [a["href"] for a in page.select("th a")] == [f"#{row.id}" for row in ledger.rows(section)]
    for line, s in zip(lines, made.of, strict=True):
        labels = [getattr(s, slot).label for slot in made.columns]
        signs = [sign(label, slot) for label, slot in zip(labels, made.columns, strict=True)]
        beside = {"reported": "reported", "related": f"related: {', '.join(s.related)}"}.get(s.known)
        assert [said[0] for said in line[1:]] == (["r", *signs[1:]] if beside else signs), s.row.id
        assert not beside or line[1] == beside
        told = next(row for row in repr(made).splitlines() if s.row.title in row)
        plain = [line[1], *labels[1:]] if beside else labels
        assert told.split() == [*s.row.title.split(), *" ".join(plain).split()]


@pytest.mark.parametrize("section", [s.name for s in ledger.sections()])
def test_squares_begin_with_bert_and_each_kind_is_explained_outside_of_the_picture(section):
    made = overview(section)
    page = BeautifulSoup(made._repr_html_(), "html.parser")
    picture, key = page.select_one("figure [role=img]"), page.select_one("figure figcaption")
    assert not picture.select("figcaption") and not key.find_parents(role="img")
    rows = {row.b.get_text(): [i["class"][1] for i in row.select("i")] for row in picture.select(".squares")}
    assert list(rows) == list(made.columns.values()) and next(iter(rows)) == "real BERT"
    assert all(f"{name} is " in page.select_one(".overview-names").get_text() for name in rows)
    explained = {span.i["class"][1]: span.get_text().strip() for span in key.select("span span")}
    assert {kind for kinds in rows.values() for kind in kinds} <= set(explained) and all(explained.values())
    stated = [s.known == "reported" for s in made.of]
    assert [kind == "sq-reported" for kind in rows.pop("real BERT")] == stated
    assert not any("sq-reported" in kinds for kinds in rows.values())


def test_what_an_untrained_network_does_has_the_sign_of_its_badge():
    s = next(s for s in overview("embeddings").of if s.untrained.label == "holds")
    assert drawn(s, s.untrained) == "part" and "outcome-part" in badge(s.untrained.label, who=s.twin)


def test_columns_follow_what_was_measured():
    assert MINILM in overview("heads").columns.values() and MINILM not in overview("mbert").columns.values()
    assert overview("heads").columns["mini"] == "mini"
    assert overview("mbert").columns["mini"] == "ours", "the family beside mini-multi"
    alone = Overview((standing("mbt.zero_shot.pires2019"),))
    assert alone.columns["mini"] == "mini-multi"
    bare = Overview((Standing(ledger.row("hed.frames.kovaleva2019"), (), "mini"),))
    assert 'title="not rerun"' in bare._repr_html_(), "a dash"


def test_an_unknown_section_is_said():
    with pytest.raises(KeyError, match="no section"):
        overview("nonesuch")
