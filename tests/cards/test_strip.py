"""What stands on one axis is of one measure, one clause and the same items, and each row says how it came out."""

import pytest
from bs4 import BeautifulSoup
from support import shipped_standings

from bertology_utils.cards import layout, strip

STANDINGS = {s.row.id: s for s in shipped_standings()}


def lane(name, data=(), tasks=()):
    return strip.Lane(name, "", ((0.5, 0.4, 0.6),), data=frozenset(data), tasks=frozenset(tasks))


@pytest.mark.parametrize("id", STANDINGS)
def test_a_strip_has_no_two_reruns_of_different_items(id):
    first = strip.leading(STANDINGS[id])
    if first is None:
        return
    lanes = [x for x in strip._lanes(STANDINGS[id], first[0].name, first[1]) if x.figures]
    together, apart = strip.sides(lanes)
    assert all(a.like(b) for a in together for b in together) and {*together, *apart} == {*lanes}
    drawn = strip.strip(STANDINGS[id])
    assert all(f">{x.name}</tspan>" in drawn for x in together)
    assert not any(f">{x.name}</tspan>" in drawn for x in apart) and ("Of other items" in drawn) is bool(apart)


def test_each_row_of_a_strip_says_what_the_table_of_parts_says_and_bert_s_is_the_first():
    for s in filter(strip.leading, STANDINGS.values()):
        card = BeautifulSoup(layout.html(s), "html.parser")
        clause = strip.capital(strip.leading(s)[0].says)
        (row,) = [r for r in card.select(".claim-parts tbody tr") if r.th.get_text() == clause]
        parts = {cell["data-label"]: cell.get_text() for cell in row.select("td")}
        names = [x for x in card.select("svg.strip .lane") if x.get_text() != "reported"]
        rows = {x.get_text(): x.parent.select_one(".outcome").get_text() for x in names}
        assert next(iter(rows)) == "real BERT", s.row.id
        said = rows.pop("real BERT")
        assert rows == {name: parts[name] for name in rows}, s.row.id
        has_figures = any(strip.figures(s.real, *_leading(s)))
        other = f"{parts['real BERT']}, by another measure"  # its outcome stands on figures that are not drawn
        assert said == parts["real BERT"] if has_figures else said in (strip.NONE, other), s.row.id


def test_a_reported_figure_stands_there_as_an_open_mark_beside_what_bert_s_own_outputs_give():
    """Where a mark is of the same quantity and data it cannot be far from them."""
    marked = [s for s in STANDINGS.values() if any(f.same for f in s.reported)]
    assert marked
    for s in marked:
        (lane,) = strip._reported(s, strip.leading(s)[1])
        ours = [value for value, *_ in strip.figures(s.real, *_leading(s))]
        assert all(min(abs(value - own) for own in ours) < 0.01 for value, *_ in lane.figures), s.row.id
        drawn = BeautifulSoup(strip.strip(s), "html.parser").svg
        (words,) = [text for text in drawn.select("text") if text.get_text().startswith("reported")]
        assert not any(sign in words.get_text() for sign in ("✓", "✕", "?", "◐"))
        (mark,) = drawn.select('circle[fill="none"]')
        assert not drawn.select(f'line[y1="{mark["cy"]}"]')


def test_no_mark_is_made_of_a_figure_without_the_word_of_its_record():
    s = STANDINGS["trn.adapters.houlsby2019"]
    assert s.reported and not strip._reported(s, strip.leading(s)[1]) and ">reported<" not in strip.strip(s)


def test_the_axis_is_named_where_a_long_name_can_be_broken():
    for s in filter(strip.leading, STANDINGS.values()):
        drawn = BeautifulSoup(strip.strip(s), "html.parser")
        measure = strip.leading(s)[1].measure
        assert drawn.select_one("svg + .strip-axis").get_text() == measure
        assert not any(measure == text.get_text() for text in drawn.select("svg text"))


def test_the_part_that_is_drawn_is_one_that_came_out_as_the_claim_did():
    s = STANDINGS["syn.agreement.goldberg2019"]
    clause = strip.leading(s)[0].name
    assert clause != s.row.clauses[0].name  # which mpnet passes, though the claim is open for it
    assert strip.outcome_of(s.sized, clause).outcome == s.sized.decision.outcome == "open"


def test_of_several_intervals_each_says_what_it_is_of():
    drawn = BeautifulSoup(strip.strip(STANDINGS["mbt.retrieval.pires2019"]), "html.parser")
    named = [(label.title or label).get_text() for label in drawn.select("svg.strip svg")]
    assert len(named) == 9 and len(set(named)) == 3, "three data sets of three networks"
    assert "<svg" not in strip._lane(lane("mpnet"), 0, float), "one needs no name"


def test_how_rows_are_read_is_said_where_all_rows_of_one_record_must_hold_and_nowhere_else():
    said = {id for id, s in STANDINGS.items() if strip.ALL in strip.strip(s)}
    assert "emb.bleached.may2019" in said and "mbt.retrieval.pires2019" not in said
    assert all(strip.leading(STANDINGS[id])[1].need == "all" for id in said)


def test_the_dotted_line_leaves_the_words_free():
    drawn = BeautifulSoup(strip.strip(STANDINGS["syn.agreement.goldberg2019"]), "html.parser").svg
    words = [float(text["y"]) for text in drawn.find_all("text", recursive=False) if text.select(".lane")]
    lines = [(float(line["y1"]), float(line["y2"])) for line in drawn.select(".chance")]
    assert lines and not any(top < y < bottom for y in words for top, bottom in lines)


def _leading(s):
    clause, test = strip.leading(s)
    return clause.name, test


def test_generated_texts_do_not_stand_beside_the_study_s_own():
    own, made, unknown = lane("mpnet", ["glue_sst2"]), lane("mini", ["builtin"]), lane("real BERT")
    assert strip.sides([unknown, own, made]) == ([unknown, own], [made])
    assert strip.sides([own, lane("mini", ["glue_sst2", "builtin"])])[1] == []


def test_nor_does_one_task_beside_another():
    one, two = lane("real BERT", tasks=["task POS"]), lane("mini", tasks=["task none"])
    assert strip.sides([one, two]) == ([one], [two])


def test_at_least_one_claim_keeps_them_apart():
    assert "Of other items, so not on this axis: mini" in strip.strip(STANDINGS["trn.adapters.houlsby2019"])


def test_a_strip_says_where_bert_s_outputs_are_of_other_texts_than_the_reruns_beside_them():
    warned = {id for id, s in STANDINGS.items() if strip.OTHER_TEXTS in strip.strip(s)}
    assert "hed.no_full_tree.clark2019" in warned  # newspaper text, and web text
    same = {
        "syn.agreement.goldberg2019",
        "emb.anisotropy.ethayarajh2019",
    }  # the same sentences, under two names for one
    assert not warned & same and not [id for id in warned if not STANDINGS[id].real.records]
