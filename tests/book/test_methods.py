"""The method of every claim, and its drawing."""

import re
from xml.etree import ElementTree

import pytest

from bertology_utils.book import methods, social
from bertology_utils.book.claim_pages import page as claim_page
from bertology_utils.book.templates import FOLDER
from bertology_utils.cards.standing import standing
from bertology_utils.claims import ledger
from bertology_utils.claims.evidence import SHIPPED
from bertology_utils.claims.rules import FAILS, HOLDS, MIXED
from bertology_utils.settings import Settings

STYLE = (FOLDER.parent / "_static" / "cards.css").read_text("utf-8")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(params=methods.methods(), ids=lambda method: method.key)
def method(request):
    return request.param


def tree(method):
    html = methods.drawing(method).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')
    return ElementTree.fromstring(html)[0]  # raises where it is not well-formed


def test_every_claim_has_a_method_or_a_reason_and_not_both():
    for row in ledger.rows():
        assert bool(methods.of(row)) != bool(methods.reason(row)), row.id


def test_claims_are_named_once_and_only_where_their_kind_does_not_say_it():
    named = [id for m in methods.methods() for id in m.claims] + list(methods.reasons())
    assert len(named) == len(set(named)) and set(named) <= {row.id for row in ledger.rows()}
    for m in methods.methods():
        assert not m.how or not [id for id in m.claims if ledger.row(id).how == m.how]
        assert any(methods.of(row) == m for row in ledger.rows())


def test_a_drawing_for_each_method_and_none_besides():
    shared = {"base", "_marks"}
    assert {path.stem for path in FOLDER.glob("methods/*.svg")} - shared == {m.key for m in methods.methods()}


def test_a_drawing_is_named_and_described(method):
    svg = tree(method)
    name, shows = svg.find(f"{SVG}title"), svg.find(f"{SVG}desc")
    assert name.text == method.name and len(shows.text) > 40
    assert (svg.get("aria-labelledby"), svg.get("aria-describedby")) == (name.get("id"), shows.get("id"))
    assert len({e.get("id") for e in svg.iter() if e.get("id")}) == 2


def test_a_drawing_is_small_and_says_little(method):
    svg = tree(method)
    _, _, width, height = map(float, svg.get("viewBox").split())
    assert 240 <= width <= 320 and height <= 140
    words = ["".join(text.itertext()).strip() for text in svg.iter(f"{SVG}text")]
    labels = {word for word in words if " " in word or len(word) > 7}  # beside words of the item and its figures
    assert all(words) and 1 <= len(labels) <= 8
    assert not [word for word in words if method.name.lower() in word.lower()]  # the caption has it


def test_nothing_of_a_drawing_lies_outside_it(method):
    svg, letters = tree(method), social._font(13)
    _, _, width, height = map(float, svg.get("viewBox").split())
    for e in svg.iter():
        x, y = (float(e.get(k) or e.get(f"c{k}") or 0) for k in "xy")
        wide, kinds = float(e.get("width") or 0), set((e.get("class") or "").split())
        if e.tag == f"{SVG}text":
            wide = letters.getlength("".join(e.itertext()))
            x -= wide if "drawn-end" in kinds else wide / 2 if kinds & {"drawn-word", "drawn-name"} else 0
        right, below = x + wide, y + float(e.get("height") or 0)
        assert x >= 0 and right <= width and y >= 0 and below <= height, ElementTree.tostring(e)


def test_colours_are_the_stylesheet_s_variables(method):
    for e in tree(method).iter():
        assert not {"fill", "stroke", "color", "font-size"} & set(e.keys())
        assert not re.search(r"fill|stroke:|color|font", e.get("style") or "")
        for name in (e.get("class") or "").split():
            assert re.search(rf"\.{name}\b", STYLE), f"no style for {name}"


def test_the_stylesheet_gives_drawings_of_methods_no_colours_of_its_own_and_no_small_letters():
    rules = re.findall(r"^\.method [^{]*\{([^}]*)\}", STYLE, flags=re.M)
    assert rules and not [rule for rule in rules if re.search(r"#[0-9a-f]{3}|rgb", rule)]
    scale = 300 / 320  # of a drawing in a window of 340 pixels
    assert all(float(size) * scale >= 11 for rule in rules for size in re.findall(r"font-size: ([\d.]+)px", rule))


def test_what_is_drawn_of_mpnet_is_what_was_stored():
    told = {m.key: "".join(tree(m).itertext()) for m in methods.methods()}
    items = methods.items()
    assert f"{items['pair']['mpnet'][0] - items['pair']['mpnet'][1]:.1f}" in told["minimal_pair"]
    ranked = [word for word, _ in items["gap"]["mpnet"]]
    assert f"rank {ranked.index('bird') + 1}" in told["cloze"]
    left = {word for word, _ in items["plain"]["mpnet"]} & {word for word, _ in items["shuffled"]["mpnet"]}
    assert f"{len(left)} of 5" in told["changed_input"]
    edges = items["arcs"]["edges"]
    assert f"{sum(e['right'] for e in edges)} of {len(edges)}" in told["structural_probe"]


def test_a_claim_s_page_has_its_method_once_and_beside_the_rule():
    html = claim_page(standing("syn.agreement.goldberg2019"), {})
    assert html.count('<svg viewBox="0 0 320') == 1
    assert 0 < html.index('class="claim-method"') < html.index('class="claim-rules"')
    assert "claim-method" not in claim_page(standing("siz.table1"), {})


def test_the_page_of_methods_has_all_and_what_has_none():
    html = methods.page()
    assert [html.count(f'<figure id="method-{m.key}">') for m in methods.methods()] == [1] * len(methods.methods())
    assert html.count("<li>") == sum(methods.of(row) is None for row in ledger.rows())
    assert "\n\n<figure" not in html


def test_a_drawing_is_open_unless_another_chapter_has_most_claims_of_its_method():
    found = {m.key: m for m in methods.methods()}
    places = (("head", "heads"), ("head", "syntax"), ("probe", "syntax"), ("probe", "layers"))
    assert [" open>" in methods.folded(found[key], section) for key, section in places] == [True, False, True, True]


def test_released_results_that_were_asked_one_by_one_decide_as_the_page_says():
    page = (FOLDER.parent / "methods.md").read_text("utf-8")
    said = dict(re.findall(r'^\| <a href="../claims/([\w.]+)\.html">[^|]*\| (yes|no) \|', page, re.M))
    assert len(said) == 7
    decided = {id: standing(id, Settings(evidence=SHIPPED)).real.label in (HOLDS, FAILS, MIXED) for id in said}
    assert decided == {id: word == "yes" for id, word in said.items()}
