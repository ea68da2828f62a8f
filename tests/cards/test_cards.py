"""Cards: the same facts as HTML and as text, each with its sign and its words."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup
from support import shipped_standings

from bertology_utils.cards import card, layout, words
from bertology_utils.cards.rows import deciding, every
from bertology_utils.cards.rule import rule
from bertology_utils.cards.standing import standing
from bertology_utils.cards.strip import Lane, draw
from bertology_utils.cards.sure import GRADES, sure
from bertology_utils.claims import evidence, ledger
from bertology_utils.claims.clauses import Test
from bertology_utils.claims.rules import FAILS, HOLDS, OPEN
from bertology_utils.settings import Settings

SHIPPED = Settings(evidence=evidence.SHIPPED)
RERUN = [s.row.id for s in shipped_standings() if s.mini.decision]
ACCURACY = Test(measure="accuracy", above=0.5, by=0.05, unit="share", why="less is luck")


@pytest.mark.parametrize("id", RERUN)
def test_a_card_has_its_slots_a_sentence_and_its_rules(id):
    made = card(id, SHIPPED)
    html = BeautifulSoup(made._repr_html_(), "html.parser")
    (section,) = html.select("section.claim-card")
    assert (
        section["id"] == id
        and len(section.select(".claim-slot")) == len(made.standing.slots)
        and len(section.select(".claim-slot .outcome")) == len(made.standing.slots)
    )
    assert len(section.select(".claim-says")[0].get_text().split()) > 5
    assert len(section.select(".claim-rules li")) == len(ledger.row(id).clauses)
    text = section.get_text(" ")
    assert not re.search(r"\bnan\b|None|\bTrue\b|\{|\}|\band \d+ more;", text), text
    assert not re.search(r"Each tier of runs\. [a-z]", text)
    departs = section.select(".claim-departs")
    assert all(p.get_text().endswith(".") and not p.get_text().endswith("..") for p in departs)
    for _, slot in made.standing.slots:
        label = "reported" if slot is made.standing.real and made.standing.known == "reported" else slot.label
        assert label in section.get_text() and label in repr(made)


@pytest.mark.parametrize("row", ledger.rows(), ids=lambda r: r.id)
def test_every_row_has_a_card(row):
    assert row.title in repr(card(row.id, SHIPPED))


def test_the_whole_card_has_every_row_of_every_record():
    made = card("syn.agreement.goldberg2019", SHIPPED, whole=True)
    rows = sum(r["value"] == r["value"] for e in made.standing.records for r in e.rows)
    html = BeautifulSoup(made._repr_html_(), "html.parser")
    assert len(html.select("details tbody tr")) == rows


@pytest.mark.parametrize(
    ("test", "absence", "words"),
    [
        (ACCURACY, False, "the whole 95% interval of accuracy is above 0.55"),
        (ACCURACY, True, "interval of accuracy is above 0.45"),
        (Test(measure="gap", within=0.0, by=0.1, unit="", why=""), True, "gap stays within 0.1 of 0"),
        (Test(measure="p", below=0.05, by=0.0, unit="", why="", need="any"), False, "widened for the number of rows"),
        (Test(measure="m", above=0.0, by=0.0, unit="", why="", need=0.5), False, "in at least 50% of the rows"),
        (
            Test(measure="m", above=0.0, by=0.0, unit="", why="", where={"set": ["a", "b"]}),
            False,
            "m (set: each of a, b)",
        ),
        (
            Test(measure="m", above=0.0, by=0.0, unit="", why="", where={"set": ["a"]}, need=1),
            False,
            "m (set: a) is above 0",
        ),
    ],
)
def test_rules_in_plain_words(test, absence, words):
    assert words in rule(test, absence=absence)


def test_a_strip_is_valid_and_its_dots_stand_where_their_figures_are():
    svg = draw([Lane("mini", "teal", ((0.8, 0.7, 0.9),)), Lane("untrained", "grey", ((0.5, 0.4, 0.6),))], ACCURACY)
    root = ElementTree.fromstring(svg)
    dots = [per_cent(e.get("cx")) for e in root.iter() if e.tag.endswith("circle")]
    chance = next(per_cent(e.get("x1")) for e in root.iter() if e.get("class") == "chance")
    assert dots[0] > dots[1] == chance
    assert "mini .80" in root.get("aria-label") and "holds above .55" in "".join(root.itertext())


@pytest.mark.parametrize(
    ("test", "absence", "says", "where"),
    [
        (ACCURACY, False, "holds above .55", (0.55, None)),
        (ACCURACY, True, "holds above .45", (0.45, None)),
        (Test(measure="gap", below=0.0, by=0.2, unit="", why=""), False, "holds below −.20", (None, -0.2)),
        (Test(measure="gap", within=0.0, by=0.1, unit="", why=""), True, "holds from −.10 to .10", (-0.1, 0.1)),
    ],
)
def test_the_tinted_stretch_is_where_the_test_holds(test, absence, says, where):
    """Its ends are read off the places of dots that stand there."""
    ends = [end for end in where if end is not None]
    nan = float("nan")
    root = ElementTree.fromstring(draw([Lane("mini", "teal", tuple((e, nan, nan) for e in ends))], test, absence))
    dots = sorted(per_cent(e.get("cx")) for e in root.iter() if e.tag.endswith("circle"))
    zone = next(e for e in root.iter() if e.get("class") == "zone")
    start, width = per_cent(zone.get("x")), per_cent(zone.get("width"))
    if where[0] is not None:
        assert start == pytest.approx(dots[0], abs=0.02)
    if where[1] is not None:
        assert start + width == pytest.approx(dots[-1], abs=0.02)
    assert says in "".join(root.itertext())


def per_cent(text: str) -> float:
    return float(text.removesuffix("%"))


def test_many_figures_of_one_subject_share_a_lane():
    figures = tuple((k / 20, k / 20 - 0.01, k / 20 + 0.01) for k in range(20))
    few, many = draw([Lane("mini", "teal", figures[:1])], ACCURACY), draw([Lane("mini", "teal", figures)], ACCURACY)
    heights = [ElementTree.fromstring(svg).get("height") for svg in (few, many)]
    assert heights[0] == heights[1] and many.count("<circle") == 20


def test_a_small_model_alone_is_never_a_high_grade():
    grades = [sure(s, "mini") for s in shipped_standings()]
    assert {g.grade for g in grades if g} <= set(GRADES[1:]) and all(g.reasons for g in grades if g)


def test_a_card_says_whose_outputs_speak_and_how_many_items():
    """Two records of the real BERT: each with its own items, or both without any that were published."""
    said = {
        id: words.sentence(card(id, SHIPPED).standing).split(".")[0]
        for id in ("syn.agreement.goldberg2019", "sem.ner_f1.tenney2019a")
    }
    assert said["syn.agreement.goldberg2019"] == "Holds for the real BERT (authors' outputs, 748 items of 2 networks)"
    assert said["sem.ner_f1.tenney2019a"] == "Holds for the real BERT (authors' outputs)"
    html = BeautifulSoup(card("sem.edge_probing.tenney2019b", SHIPPED)._repr_html_(), "html.parser")
    assert "n = 0" not in html.get_text() and "0 items" not in html.select(".claim-slot")[0].get_text()


@pytest.mark.parametrize(("id", "worn"), [("syn.agreement.goldberg2019", True), ("syn.amnesic.elazar2020", False)])
def test_the_badge_of_a_changed_rule_is_worn_where_a_former_rule_would_decide_otherwise(id, worn):
    html, whole = (BeautifulSoup(card(id, SHIPPED, whole=w)._repr_html_(), "html.parser") for w in (False, True))
    changed = ledger.row(id).changed
    assert changed and bool(html.select(".changed-badge")) is worn
    assert ("By every former rule" in whole.select_one(".claim-changed").get_text()) is not worn
    assert len(whole.select(".claim-changed li")) == len(changed) and not html.select(".claim-changed li")
    assert html.select_one(f'.claim-changed a[href="../claims/{id}.html"]')


@pytest.mark.parametrize("whole", [True, False])
def test_no_table_has_more_rows_than_are_read_at_once_outside_of_a_fold_of_its_own(whole):
    """And every row is there once; in a chapter, as many as are read at once, of every network some."""
    longest = 0
    for s in shipped_standings()[::7]:
        card = BeautifulSoup(layout.html(s, whole), "html.parser")
        rows = every(s) if whole else [r for clause in s.row.clauses for r in deciding(s, clause.name)]
        longest = max(longest, len(rows))
        networks, rows = {row.who for row in rows}, rows if whole else layout._some(rows)
        assert {row.who for row in rows} == networks and (whole or len(rows) <= layout.MANY), s.row.id
        shown = [[td.get_text() for td in tr.select("td")] for tr in card.select(".claim-rows tbody tr")]
        assert sorted(shown) == sorted(map(list, rows)), s.row.id
        for fold in card.select(".claim-rows, .claim-rows details"):
            tables = fold.find_all("table", recursive=False) + fold.select(":scope > .claim-scroll table")
            more = (fold.summary.get_text() or "").endswith("more")
            assert more or all(len(t.select("tbody tr")) <= layout.MANY for t in tables), s.row.id
    assert longest > layout.MANY


def test_the_figure_beside_an_outcome_is_one_that_came_out_so():
    """Where any did: of affordances the first figure of the claim is open, and the claim fails by another."""
    wanted = {HOLDS: True, FAILS: False, OPEN: None}
    for s in shipped_standings():
        for slot in (slot for _, slot in s.slots if slot.decision and slot.decision.outcome in wanted):
            outcome = slot.decision.outcome
            sides = [k.holds for c in slot.decision.clauses if c.outcome == outcome for k in c.checks]
            assert wanted[outcome] not in sides or slot.leading.holds is wanted[outcome], s.row.id
    assert standing("wld.affordances.forbes2019", SHIPPED).sized.leading.key == "task object-affordance"


def test_the_largest_network_rerun_has_its_own_twin_beside_it():
    of = {
        id: standing(id, SHIPPED).nearest for id in ("emb.anisotropy.ethayarajh2019", "trn.layers_vs_heads.wang2019b")
    }
    (mpnet, slot, twin), (runs, _, none) = of.values()
    assert (mpnet, slot.records[0].model, twin.records[0].model) == ("mpnet", "mpnet", "mpnet-untrained")
    assert runs == "our runs" and none.decision is None
    alone = standing("trn.adversarial.zhu2019", SHIPPED)  # measured of MiniLM without its twin
    assert alone.nearest[0] == "MiniLM" and alone.nearest[2].decision is None


def test_what_the_untrained_twin_leaves_open_is_said():
    drift, _ = standing("emb.context_specificity.ethayarajh2019", SHIPPED).sized.decision.clauses
    assert drift.outcome == OPEN and "over the untrained twin, where 0.1 is asked for surely" in drift.reason
