"""The book in a browser: what a reader sees on a desk and on a phone, in a headless Chromium on pages served locally."""

from __future__ import annotations

import gzip
from itertools import product
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from barriers import barriers, faint
from browsing import DESK, PHONE, resize, wait
from pages import CHAPTERS, PAGES

from bertology_utils.cards.standing import standing
from bertology_utils.claims import ledger
from bertology_utils.claims.evidence import SHIPPED

BOOK = [f"book/{name}.html" for name in PAGES]
RECORDS = {row.id: len(list((SHIPPED / row.id).glob("*.json"))) for row in ledger.rows()}
# a claim's page of each way to rerun one, that with most to show and that with least: all are of one template
CLAIMS = {
    f"claims/{id}.html"
    for id in (
        *{row.how: row.id for row in ledger.rows()}.values(),
        max(RECORDS, key=RECORDS.get),
        min(RECORDS, key=RECORDS.get),
    )
}
NOTEBOOKS = [f"notebooks/{chapter}.html" for chapter in CHAPTERS]
VIEWS = tuple(product((DESK, PHONE), ("dark", "light")))
ON_A_PHONE = ((PHONE, "light"), (DESK, "dark"))
OF_A_CHAPTER = (*ON_A_PHONE, (DESK, "light"))
ON_A_DESK = ((DESK, "dark"), (DESK, "light"), (PHONE, "dark"))
ALL = (*BOOK, *sorted(CLAIMS), *NOTEBOOKS)

pytestmark = [pytest.mark.browser, pytest.mark.book]
of_each_page = pytest.mark.parametrize("page", ALL, scope="module")  # so are those of one page
of_each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, scope="module")  # those of one after another


@of_each_page
def test_page_is_whole(browser, running, address, rules, page):
    """No error on the console, nothing fetched from elsewhere, no sideways scroll, nothing that bars a reader (axe).

    A page is loaded once, on a phone, and then changed as a reader changes it: widths are measured on phone and desk in
    both modes, colours in one mode on each (a chapter's in both on a desk), the rest on the phone. A page of each kind is
    loaded on a desk as well, for what a phone hides: its colours are measured in all four ways.
    """
    looked(browser, running, address, rules, page, OF_A_CHAPTER if page in NOTEBOOKS else ON_A_PHONE)


@pytest.mark.parametrize("page", (BOOK[0], min(CLAIMS), NOTEBOOKS[0]))
def test_page_is_whole_on_a_desk(browser, running, address, rules, page):
    looked(browser, running, address, rules, page, ON_A_DESK)


def looked(browser, running, *page) -> None:
    from selenium.common.exceptions import WebDriverException

    try:
        look(browser, *page)
    except WebDriverException:  # a crash says nothing of the page; a second one does
        look(running.anew(), *page)


def look(browser, address, rules, page, views) -> None:
    first, *others = views
    show(browser, *first)
    browser.get_log("browser")  # what earlier pages left
    browser.get(f"{address}/{page}")
    browser.execute_script("window.loaded = arguments[0]", page)
    assert browser.find_element("css selector", "article h1").is_displayed()
    assert not [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    fetched = browser.execute_script("return performance.getEntriesByType('resource').map(r => r.name)")
    assert fetched and not [name for name in fetched if not name.startswith((address, "data:"))]
    assert browser.execute_async_script(SHIFTS) < 0.05, "what is seen first does not jump while the page loads"
    for view in VIEWS:
        show(browser, *view)
        width, seen = browser.execute_script("return [document.documentElement.scrollWidth, window.innerWidth]")
        assert seen == view[0][0] and width <= seen, f"{page} is {width} pixels wide in a window of {seen}"
    show(browser, *first)
    assert barriers(browser, rules) == []
    for view in others:
        show(browser, *view)
        assert faint(browser) == []
    if page in BOOK:
        load_pictures(browser)


SHIFTS = """const done = arguments[0];
let sum = 0;
new PerformanceObserver(list => { for (const e of list.getEntries()) sum += e.hadRecentInput ? 0 : e.value; })
  .observe({type: "layout-shift", buffered: true});
requestAnimationFrame(() => setTimeout(() => done(sum), 50));"""  # cumulative layout shift, of a page that is loaded


def show(browser, size: tuple[int, int], mode: str) -> None:
    """A page in a window of that size, in the mode that a reader's system prefers."""
    resize(browser, size)
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": mode}]}
    )
    browser.execute_script("document.documentElement.dataset.theme = arguments[0]", mode)


LAST_ROW, FOLD = "article .cell_output tbody tr:last-child > :last-child", "article details:not([open])"
FAINT = "<span style='color: #777; background: #888'>faint words</span>"
FAINT_WORDS = [(place, FAINT, "color-contrast") for place in (LAST_ROW, f"{FOLD} > :last-child")]
NAMELESS = (FOLD, "<button></button>", "button-name"), ("article section:last-child", "<img src='data:,'>", "image-alt")


@pytest.mark.parametrize(
    ("size", "mode", "faults"),
    [(PHONE, "dark", [NAMELESS[0], *FAINT_WORDS]), (DESK, "light", [NAMELESS[1], *FAINT_WORDS])],
    ids=["phone", "desk"],
)
def test_what_bars_a_reader_is_found_wherever_it_stands(browser, address, rules, size, mode, faults):
    """One after another, each alone in a page that has no other (`test_page_is_whole`), with its folds closed."""
    show(browser, size, mode)
    browser.get(f"{address}/notebooks/{CHAPTERS[0]}.html")
    show(browser, size, mode)
    found = []
    for place, html, rule in faults:
        put = browser.execute_script(
            """document.querySelectorAll("article details").forEach(fold => { fold.open = false; });
               const at = document.querySelector(arguments[0]);
               at.insertAdjacentHTML("beforeend", arguments[1]);
               return at.lastElementChild""",
            place,
            html,
        )
        seen = faint(browser) if rule == "color-contrast" else barriers(browser, rules)
        found.append([rule for _, rule, _ in seen])
        browser.execute_script("arguments[0].remove()", put)
    assert found == [[rule] for _, _, rule in faults]


@pytest.fixture(scope="session")
def rules() -> str:
    """The accessibility rules of axe, as a script."""
    import axe_core_python

    return (Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def on_a_desk(browser, address, chapter) -> None:
    """A chapter as it is loaded on a desk; the tests of one chapter follow one another and load it once."""
    resize(browser, DESK)
    loaded(browser, address, f"notebooks/{chapter}.html")


def loaded(browser, address, page) -> None:
    """A page is open; it is loaded again only where another one is."""
    if browser.execute_script("return window.loaded") != page:
        browser.get(f"{address}/{page}")
        browser.execute_script("window.loaded = arguments[0]", page)


def load_pictures(browser) -> None:
    """A page's pictures, which are else fetched where they come into sight, all there, with words for them."""
    pictures = browser.find_elements("css selector", "article img")
    browser.execute_script("arguments[0].forEach(i => i.loading = 'eager')", pictures)
    for picture in pictures:
        wait(browser).until(lambda _, p=picture: p.get_property("complete"))
        assert picture.get_attribute("naturalWidth") != "0" and picture.get_attribute("alt")


FIGURES = """
const done = arguments[arguments.length - 1];
const drawn = "article figure:has(> .whole), article .drawn, article svg.strip, article .map-of-bert, article .tradeoff";
async function seen(figure) {
  const image = figure.querySelector("img"), svg = figure.matches("svg") ? figure : figure.querySelector("svg");
  let letters, name = figure.textContent;
  if (image) {
    if (!image.currentSrc) await new Promise(loaded => image.addEventListener("load", loaded, { once: true }));
    const file = await (await fetch(image.currentSrc)).text();
    const scale = image.getBoundingClientRect().width / file.match(/viewBox="[0-9.]+ 0 ([0-9.]+)/)[1];
    letters = [...file.matchAll(/<text style="font-size: ([0-9.]+)px/g)].map(found => scale * found[1]);
    name = image.alt;
  } else {
    const texts = [...svg.querySelectorAll("text")].filter(text => text.textContent.trim());
    letters = texts.map(text => text.getScreenCTM().a * parseFloat(getComputedStyle(text).fontSize));
  }
  const told = getComputedStyle(figure, "::before"), whole = (image || svg).getBoundingClientRect();
  return [name.trim(), Math.min(99, ...letters), figure.scrollWidth <= figure.clientWidth + 1 && whole.right <= innerWidth,
          told.content !== "none" && parseFloat(told.height) > 9];
}
document.querySelectorAll("article details").forEach(fold => { fold.open = true; });
document.querySelectorAll("article img").forEach(image => { image.loading = "eager"; });
Promise.all([...document.querySelectorAll(drawn)].map(seen)).then(done, error => done(String(error)));
"""
# figures of lines and words, which have the width of a phone: what their names begin with
NARROW = {
    "notebooks/01_embeddings.html": ("Small multiples: the occurrences",),
    "notebooks/02_syntax.html": ("Heatmap: impact", "Arcs over"),
    "notebooks/05_heads.html": ("Points in the plane", "Two rows of attention maps"),
    "notebooks/09_mbert.html": ("A tree of",),
    "book/figures.html": ("pretraining: plain text",),
    "book/models.html": ("Loss of mini ", "Loss of mini-multi ", "Loss of toy "),
}


@pytest.mark.parametrize("page", [*ALL, "book/map.html", "book/figures.html"], scope="module")
def test_figures_can_be_read_on_a_phone(browser, address, page):
    """Letters of nine pixels and more; and all of a figure is in sight, or it scrolls by itself under a line that says so."""
    width = 390  # of most phones; a headless browser's scrollbar takes some of it, a phone's none
    loaded(browser, address, page)
    show(browser, (width, 844), "light")
    figures = browser.execute_async_script(FIGURES)
    assert isinstance(figures, list) and browser.execute_script("return document.documentElement.scrollWidth") <= width
    for name, letters, whole, told in figures:
        assert letters >= 8.95 and (whole or told), (name, letters)
    for start in NARROW.get(page, ()):
        assert [whole for name, _, whole, _ in figures if name.startswith(start)] == [True], start


@of_each_chapter
def test_a_chapter_is_light_before_its_pictures_are_opened(browser, address, site, chapter):
    """All that a page loads but its pictures, by who comes for the first time: 200 KB as sent (gzip), 900 KB unpacked."""
    browser.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})  # what is cached would weigh nothing
    browser.execute_script("window.loaded = null")
    on_a_desk(browser, address, chapter)
    loaded = browser.execute_script(
        "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
        ".map(r => [r.name, r.decodedBodySize])"
    )
    browser.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": False})
    size = {urlsplit(name).path: bytes_ for name, bytes_ in loaded}
    size = {path: bytes_ for path, bytes_ in size.items() if not path.endswith((".png", ".svg", ".jpg"))}
    assert len(size) > 20 and min(size.values()) > 0
    assert sum(size.values()) <= 900_000, size
    assert sum(len(gzip.compress((site / path.lstrip("/")).read_bytes())) for path in size) <= 200_000


@of_each_chapter
def test_a_chapter_shows_first_what_it_found(browser, address, chapter):
    """Five sentences within the first screen; a figure, or a verdict, soon after it."""
    on_a_desk(browser, address, chapter)
    five, shown = (
        browser.execute_script(
            "return [...document.querySelectorAll(arguments[0])].find(e => e.checkVisibility()).getBoundingClientRect().top",
            what,
        )
        for what in ("article .five", "article .unit figure img, article .claim-card")
    )
    assert five <= DESK[1] / 2 and shown <= 1.6 * DESK[1]


@of_each_chapter
def test_a_chapters_pictures_load_and_it_is_no_longer_than_it_was(browser, address, chapter):
    """Twelve screens at most in either mode, or half a screen more where letters are wider."""
    on_a_desk(browser, address, chapter)
    load_pictures(browser)
    for mode in ("dark", "light"):
        show(browser, DESK, mode)
        assert browser.execute_script("return document.documentElement.scrollHeight") / DESK[1] <= 12.5, mode


def test_paper_has_no_folds(browser, address):
    browser.get(f"{address}/notebooks/03_semantics.html")
    closed = "return document.querySelectorAll('.bd-article details:not([open])').length"
    before = wait(browser).until(lambda b: b.execute_script(closed))
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert browser.execute_script(closed) == 0
    browser.execute_script("dispatchEvent(new Event('afterprint'))")
    assert browser.execute_script(closed) == before


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@of_each_chapter
def test_cards_can_be_read(browser, address, chapter, size):
    on_a_desk(browser, address, chapter)
    resize(browser, size)
    cards = browser.execute_script(
        """const seen = e => e.checkVisibility({opacityProperty: true, visibilityProperty: true})
             && e.getBoundingClientRect().height > 0;
           return [...document.querySelectorAll('section.claim-card')].map(card => [card.id, seen(card),
             card.getBoundingClientRect().width, getComputedStyle(card).borderLeftWidth,
             [...card.querySelectorAll('.claim-chip')].map(o => seen(o) ? o.innerText.trim() : '')])"""
    )
    assert cards
    for claim, visible, width, border, outcomes in cards:
        assert visible and 0 < width <= size[0], claim
        assert border == "5px"  # the style sheet was loaded
        assert len(outcomes) == len(standing(claim).slots) and all(outcomes), claim


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("chapter", CHAPTERS[:1])
def test_words_on_a_card_stand_out_in_both_modes(browser, address, chapter, mode):
    """Contrast of 4.5 to 1 or more between the words of a card and its ground (WCAG AA)."""
    resize(browser, DESK)
    browser.get(f"{address}/notebooks/{chapter}.html")
    browser.execute_script("document.documentElement.dataset.theme = arguments[0]", mode)
    card = browser.find_element("css selector", "section.claim-card")
    ground = card.value_of_css_property("background-color")
    words = card.find_elements("css selector", "p, li, b, small, a, .outcome")
    assert len(words) > 10
    for element in words:
        if element.text.strip():
            colour = element.value_of_css_property("color")
            assert contrast(colour, ground) >= 4.5, f"{element.text[:40]!r}: {colour} on {ground}"


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two CSS colours, ``rgb(…)`` or ``rgba(…)``, as WCAG defines it."""

    def luminance(colour: str) -> float:
        parts = [float(p) / 255 for p in colour[colour.index("(") + 1 : -1].replace(",", " ").split()[:3]]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return sum(weight * p for weight, p in zip((0.2126, 0.7152, 0.0722), linear))

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_computed_as_defined():
    assert contrast("rgb(0, 0, 0)", "rgba(255, 255, 255, 1)") == pytest.approx(21)
    assert contrast("rgb(119, 119, 119)", "rgb(255, 255, 255)") == pytest.approx(4.48, abs=0.01)
