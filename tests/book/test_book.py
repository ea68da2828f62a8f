"""The book: it builds without a warning, every page has content, every link leads somewhere, nothing comes from elsewhere."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup
from pages import CHAPTERS, PAGES

from bertology_utils.book import cite, stage
from bertology_utils.cards.standing import standing
from bertology_utils.claims import ledger
from bertology_utils.claims.evidence import SHIPPED
from bertology_utils.claims.rules import LABELS
from tests.conftest import ADDRESS


def soup(page: Path) -> BeautifulSoup:
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


@pytest.fixture(scope="session")
def read(site: Path) -> dict[str, BeautifulSoup]:
    found = (page for page in sorted(site.rglob("*.html")) if "_static" not in page.parts)  # there: a theme's templates
    return {page.relative_to(site).as_posix(): soup(page) for page in found}


@pytest.mark.book
def test_every_page_is_there_and_has_content(read):
    expected = {f"book/{name}.html" for name in PAGES} | {f"notebooks/{name}.html" for name in CHAPTERS}
    expected |= {f"claims/{row.id}.html" for row in ledger.rows()}
    assert expected <= read.keys()
    for name in expected:
        words = read[name].find("article").get_text(" ").split()
        assert len(words) > 100, f"{name} has {len(words)} words"


@pytest.mark.book
def test_the_contents_list_exactly_the_chapters_that_exist(read):
    listed = [a["href"] for a in read["book/intro.html"].select("nav.bd-links a.internal")]
    assert [Path(h).stem for h in listed if "notebooks/" in h] == CHAPTERS
    assert set(CHAPTERS) <= {s.chapter for s in ledger.sections()}


@pytest.mark.book
def test_internal_links_lead_to_pages_and_places_that_exist(read, site):
    root = site.resolve()
    places = {name: {tag["id"] for tag in page.select("[id]")} for name, page in read.items()}
    links = {}  # where each leads from a folder, and a page that has it: most stand on every page of their folder
    for name, page in read.items():
        for link in page.select("[href], [src]"):
            target = urlsplit(link.get("href") or link.get("src"))
            if not target.scheme and not target.netloc:
                links.setdefault((Path(name).parent if target.path else Path(name), target), name)
    assert len(links) > len(read)
    broken = []
    for (start, target), name in links.items():
        path = (root / start / unquote(target.path)).resolve()
        if not path.exists():
            broken.append(f"{name}: {target.geturl()}")
        elif target.fragment and "=" not in target.fragment and path.suffix == ".html":  # "=": what a page is to show
            there = places[path.relative_to(root).as_posix()]
            broken += [] if unquote(target.fragment) in there else [f"{name}: {target.geturl()} has no such place"]
    assert not broken


@pytest.mark.book
def test_nothing_is_loaded_from_another_site(read):
    loaded = [
        f"{name}: {tag}"
        for name, page in read.items()
        for tag in page.select("script[src], link[rel~=stylesheet], link[rel~=preload], img, iframe, video, source")
        if urlsplit(tag.get("src") or tag.get("href") or "").netloc
    ]
    assert not loaded


@pytest.mark.book
def test_pictures_have_words_for_those_who_do_not_see_them(read):
    for name, page in read.items():
        for image in page.find("article").select("img") if page.find("article") else ():
            alt = image.get("alt", "")
            assert len(alt.split()) > 2 and not re.search(r"[0-9a-f]{16}", alt), f"{name}: alt text {alt!r}"


@pytest.mark.book
def test_chapters_show_their_cards_with_verdicts(read):
    by_chapter = {s.chapter: [row.id for row in s.rows] for s in ledger.sections()}
    for chapter in CHAPTERS:
        page = read[f"notebooks/{chapter}.html"]
        listed = [a["href"].removeprefix("#") for a in page.select("table.overview th a")]
        assert listed == by_chapter[chapter], "a chapter opens with its claims"
        cards, lines = page.select("section.claim-card"), page.select("table.undecided tbody tr")
        places = sorted(place["id"] for place in (*cards, *lines))
        assert places == sorted(listed), "and has a card for each, or a line among those that nothing decided"
        for line in lines:
            assert line.select_one("th a")["href"] == f"../claims/{line['id']}.html" and all(
                td.text for td in line("td")
            )
        for card in cards:
            slots = [name for name, _ in standing(card["id"]).slots]
            assert len(card.select(".claim-slot .outcome")) == len(slots), (
                f"{card['id']} has no outcome for each of {slots}"
            )


@pytest.mark.book
def test_cards_and_claim_pages_lead_to_one_another(read):
    for chapter in CHAPTERS:
        for card in read[f"notebooks/{chapter}.html"].select("section.claim-card"):
            assert card.select_one("a.claim-page")["href"] == f"../claims/{card['id']}.html"
    for row in ledger.rows():
        page = read[f"claims/{row.id}.html"]
        assert page.select_one(f"section.claim-card[id='{row.id}']") and "@misc{bertology-" in page.get_text()
        assert page.select_one("meta[name=description]")["content"]
        assert page.select_one("table.history tbody td").get_text() == cite.release()
        assert f"release {cite.release()}}}" in page.get_text()


@pytest.mark.book
def test_claims_follow_one_another_in_the_ledgers_order(read):
    ids = [row.id for row in ledger.rows()]
    following = [read[f"claims/{id}.html"].select_one("a.right-next")["href"] for id in ids]
    assert following[:-1] == [f"{id}.html" for id in ids[1:]]


@pytest.mark.book
def test_evidence_can_be_downloaded(read, site):
    """Whole and by claim, and each record as it is."""
    with zipfile.ZipFile(site / "_static" / "evidence.zip") as archive:
        assert archive.testzip() is None
        names = {n for n in archive.namelist() if n.startswith("evidence/")}
        shipped = {f"evidence/{p.relative_to(SHIPPED).as_posix()}" for p in SHIPPED.glob("*/*.json")}
        assert names == shipped and {"README.txt", "claims.csv"} <= set(archive.namelist())
    for row in ledger.rows():
        own = json.loads((site / "_static" / "claims" / f"{row.id}.json").read_text(encoding="utf-8"))
        assert len(own) == sum(name.startswith(f"evidence/{row.id}/") for name in names)
        page = read[f"claims/{row.id}.html"]
        assert page.find(id="evidence") and page.find(id="disagree")


@pytest.mark.book
def test_the_book_can_be_cited(read, site):
    assert "@misc{bertology-rerun" in read["book/cite.html"].get_text()
    assert (site / "_static" / "CITATION.cff").read_bytes() == (stage.ROOT / "CITATION.cff").read_bytes()
    assert read["book/intro.html"].select("a[href='cite.html']")


@pytest.mark.book
def test_every_page_has_a_description_and_a_picture_to_be_linked_with(read, site):
    base = "https://example.github.io/bertology-rerun/"
    for name, page in read.items():
        if not name.startswith(("book/", "claims/", "notebooks/")):
            continue
        assert len(page.select("meta[name=description]")) == 1, name
        assert len(page.select_one("meta[name=description]")["content"]) > 30, name
        (picture,) = page.select("meta[property='og:image']")
        assert (site / picture["content"].removeprefix(base)).is_file(), name


@pytest.mark.book
def test_words_of_the_glossary_are_explained_where_they_are_used(read):
    terms = read["book/glossary.html"].select("dt[id]")
    for chapter in CHAPTERS:
        links = read[f"notebooks/{chapter}.html"].select("a.term")
        assert links and all(len(a["title"]) > 20 for a in links)
        assert {a["href"].partition("#")[2] for a in links} <= {dt["id"] for dt in terms}
        assert not [a for a in links if a.find_parent(["a", "code", "pre", "h1", "h2", "h3"])]


@pytest.mark.book
def test_every_line_of_the_landing_page_is_a_claim(read):
    squares = read["book/intro.html"].select(".claim-grid table.lines th a")
    assert [a["href"] for a in squares] == [f"../claims/{row.id}.html" for row in ledger.rows()]
    assert len(read["book/intro.html"].select(".claim-grid summary .sq")) == 2 * len(squares)


@pytest.mark.book
def test_pages_are_light(site):
    """A chapter's own page, without its pictures, stays under 900 KB, and no page loads the icons' script."""
    for chapter in CHAPTERS:
        assert (site / "notebooks" / f"{chapter}.html").stat().st_size < 900_000, chapter
    assert not list(site.rglob("fontawesome*.js"))
    assert "fontawesome" not in (site / "book" / "intro.html").read_text(encoding="utf-8")


@pytest.mark.book
def test_pictures_have_their_places_before_they_are_loaded(read):
    for chapter in CHAPTERS:
        pictures = read[f"notebooks/{chapter}.html"].select("article img[src$='.svg']")
        assert pictures and all(int(p["width"]) > 100 < int(p["height"]) for p in pictures), chapter


@pytest.mark.book
def test_the_same_table_as_csv_and_json(site):
    rows = json.loads((site / "_static" / "claims.json").read_text(encoding="utf-8"))
    lines = (site / "_static" / "claims.csv").read_text(encoding="utf-8").splitlines()
    assert [r["id"] for r in rows] == [line.split(",")[0] for line in lines[1:]] == [r.id for r in ledger.rows()]


@pytest.mark.book
def test_chapters_can_be_downloaded_and_opened_on_colab(read, site):
    for chapter in CHAPTERS:
        hrefs = [a["href"] for a in read[f"notebooks/{chapter}.html"].select("a[href]")]
        colab = ADDRESS.replace("https://github.com", "https://colab.research.google.com/github")
        assert f"{colab}/blob/main/notebooks/{chapter}.ipynb" in hrefs
        assert (site / "_sources" / "notebooks" / f"{chapter}.ipynb").is_file()
        assert any(h.endswith(f"{chapter}.ipynb") and "_sources" in h for h in hrefs)


@pytest.mark.book
def test_scoreboard_has_every_row_of_the_ledger(read):
    page = read["book/scoreboard.html"]
    rows = page.select("table.scoreboard.claims tbody tr")
    assert [tr.th.a["href"] for tr in rows] == [f"../claims/{row.id}.html" for row in ledger.rows()]
    assert {tr[f"data-{who}"] for tr in rows for who in ("real", "sized", "relative", "mini", "untrained")} <= set(
        LABELS
    )
    assert all(len(tr.select(".outcome")) == 5 for tr in rows)


@pytest.mark.book
def test_site_map_names_the_pages(site):
    text = (site / "sitemap.xml").read_text(encoding="utf-8")
    assert "https://example.github.io/bertology-rerun/book/scoreboard.html" in text
