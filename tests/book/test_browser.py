"""The book in a browser: what a reader sees on a desk and on a phone, in a headless Chromium on pages served locally."""

from __future__ import annotations

import functools
import http.server
import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bertology_utils.book import notebooks, stage
from bertology_utils.claims import ledger

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PHONE, DESK = (375, 812), (1280, 900)
CHAPTERS = [path.stem for path in notebooks.found(stage.ROOT / "notebooks")]
BOOK = [
    f"book/{name}.html"
    for name in (
        "intro",
        "how-to-read",
        "how-to-run",
        "scoreboard",
        "methods",
        "models",
        "data",
        "faults",
        "glossary",
        "cite",
        "references",
        "api",
    )
]
ONE = [f"claims/{section.rows[0].id}.html" for section in ledger.sections()]  # a claim's page of every section
LOOKED_AT = (*BOOK, *ONE, *(f"notebooks/{c}.html" for c in CHAPTERS))

pytestmark = [pytest.mark.browser, pytest.mark.book]


class Silent(http.server.SimpleHTTPRequestHandler):
    """A file server that keeps its log to itself."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Silent, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class Running:
    """A browser that can be started anew: on a small machine a tab may crash, and all later pages with it."""

    def __init__(self, start) -> None:
        self.start, self.driver = start, start()

    def anew(self):
        self.driver.quit()
        self.driver = self.start()
        return self.driver


@pytest.fixture(scope="module")
def running(tmp_path_factory) -> Iterator[Running]:
    binary, driver = next(filter(None, map(shutil.which, BROWSERS)), None), shutil.which("chromedriver")
    if not binary or not driver:
        pytest.skip("chromium or chromedriver is not installed")
    from selenium import webdriver

    def start():
        options = webdriver.ChromeOptions()
        options.binary_location = binary
        for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))

    started = Running(start)
    yield started
    started.driver.quit()


@pytest.fixture
def browser(running):
    from selenium.common.exceptions import WebDriverException

    try:
        running.driver.execute_script("return 1")
    except WebDriverException:
        running.anew()
    return running.driver


def resize(browser, size: tuple[int, int]) -> None:
    """The page's own size (a window is wider than a phone, even without a frame)."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False},
    )


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("page", LOOKED_AT)
def test_page_is_whole(browser, running, address, rules, page, size, mode):
    """No error on the console, nothing fetched from elsewhere, no sideways scroll, nothing that bars a reader (axe)."""
    from selenium.common.exceptions import WebDriverException

    try:
        look(browser, address, rules, page, size, mode)
    except WebDriverException:  # a crash says nothing of the page; a second one does
        look(running.anew(), address, rules, page, size, mode)


def look(browser, address, rules, page, size, mode) -> None:
    resize(browser, size)
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": mode}]}
    )
    browser.get_log("browser")  # what earlier pages left
    browser.get(f"{address}/{page}")
    browser.execute_script("document.documentElement.dataset.theme = arguments[0]", mode)
    assert browser.find_element("css selector", "article h1").is_displayed()
    errors = [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    assert not errors
    fetched = browser.execute_script("return performance.getEntriesByType('resource').map(r => r.name)")
    assert fetched and not [name for name in fetched if not name.startswith((address, "data:"))]
    width, seen = browser.execute_script("return [document.documentElement.scrollWidth, window.innerWidth]")
    assert width <= seen, f"{page} is {width} pixels wide in a window of {seen}"
    browser.execute_script(rules)
    found = browser.execute_async_script(
        "const done = arguments[0]; axe.run({resultTypes: ['violations']}).then(r => done(r.violations.map("
        "v => [v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 160))])))"
    )
    assert [v for v in found if v[0] in ("serious", "critical")] == []


@pytest.fixture(scope="session")
def rules() -> str:
    """The accessibility rules of axe, as a script."""
    import axe_core_python

    return (Path(axe_core_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", (*BOOK, *(f"notebooks/{c}.html" for c in CHAPTERS)))
def test_every_picture_loads(browser, address, page):
    resize(browser, DESK)
    browser.get(f"{address}/{page}")
    pictures = browser.find_elements("css selector", "article img")
    browser.execute_script("arguments[0].forEach(i => i.loading = 'eager')", pictures)
    for picture in pictures:
        wait(browser).until(lambda _, p=picture: p.get_property("complete"))
        assert picture.get_attribute("naturalWidth") != "0" and picture.get_attribute("alt")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_is_light_before_its_pictures_are_opened(browser, address, chapter):
    """All that a page loads but its pictures, unpacked: at most 900 KB."""
    resize(browser, DESK)
    browser.get(f"{address}/notebooks/{chapter}.html")
    loaded = browser.execute_script(
        "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
        ".map(r => [r.name, r.decodedBodySize])"
    )
    size = {name: bytes_ for name, bytes_ in loaded if not name.endswith((".png", ".svg", ".jpg"))}
    assert len(size) > 3 and sum(size.values()) <= 900_000, size


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_cards_can_be_read(browser, address, chapter, size):
    resize(browser, size)
    browser.get(f"{address}/notebooks/{chapter}.html")
    cards = browser.find_elements("css selector", "section.claim-card")
    assert cards
    for card in cards:
        assert card.is_displayed() and card.size["width"] <= size[0]
        outcomes = card.find_elements("css selector", ".claim-slot .outcome")
        assert len(outcomes) == 3 and all(o.is_displayed() and o.text.strip() for o in outcomes)
    ground = browser.execute_script("return getComputedStyle(arguments[0]).borderLeftWidth", cards[0])
    assert ground == "5px"  # the style sheet was loaded


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


SHOWN = "return [...document.querySelectorAll('table.scoreboard tbody tr')].filter(r => r.offsetParent).length"


def test_scoreboard_is_filtered_and_keeps_its_state_in_the_address(browser, address):
    from selenium.webdriver.support.select import Select

    resize(browser, DESK)
    browser.get(f"{address}/book/scoreboard.html")
    total, chosen = len(ledger.rows()), ledger.sections()[1]
    assert browser.execute_script(SHOWN) == total
    section, *_ = browser.find_elements("css selector", ".scoreboard-filter select")
    Select(section).select_by_visible_text(chosen.title)
    assert browser.execute_script(SHOWN) == len(chosen.rows)
    assert f"{len(chosen.rows)} of {total}" in browser.find_element("css selector", ".scoreboard-count").text
    assert "section=" in browser.current_url
    browser.get(browser.current_url)  # as somebody opens the link
    assert browser.execute_script(SHOWN) == len(chosen.rows)
    words = browser.find_element("css selector", ".scoreboard-filter input[type=search]")
    words.send_keys(" ".join(reversed(chosen.rows[0].title.split()[:3])))  # matched singly, in any order
    assert 1 <= browser.execute_script(SHOWN) < len(chosen.rows)
    browser.find_element("css selector", ".scoreboard-filter button").click()
    assert browser.execute_script(SHOWN) == total and "?" not in browser.current_url


def test_an_address_with_words_that_are_no_more_shows_everything(browser, address):
    browser.get(f"{address}/book/scoreboard.html?real=splendid&sort=77")
    assert browser.execute_script(SHOWN) == len(ledger.rows())


def test_the_scoreboard_counts_what_it_shows(browser, address):
    browser.get(f"{address}/book/scoreboard.html?disagree=1")
    shown = browser.execute_script(SHOWN)
    said = browser.find_element("css selector", ".scoreboard-count").text
    assert said.startswith(f"{shown} of {len(ledger.rows())} claims")


def test_the_scoreboard_is_whole_without_scripts(browser, address):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(f"{address}/book/scoreboard.html")
        rows = browser.find_elements("css selector", "table.scoreboard.claims tbody tr")
        assert len(rows) == len(ledger.rows()) and all(row.is_displayed() for row in rows[:3] + rows[-3:])
        assert not browser.find_element("css selector", ".scoreboard-filter").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


POINTS = (
    "return [...document.querySelectorAll('.tradeoff g.pt')].filter(p => getComputedStyle(p).display !== 'none').length"
)
SAID = "return document.querySelector('.tradeoff-said').textContent"


def test_points_of_compressed_models_are_asked_by_keyboard_and_left_out_by_kind(browser, address):
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.select import Select

    resize(browser, PHONE)
    browser.get(f"{address}/notebooks/08_size.html")
    soon(browser, "css selector", ".tradeoff-key input")
    every = browser.execute_script(POINTS)
    first = browser.find_element("css selector", '.tradeoff g.pt[tabindex="0"]')
    browser.execute_script("arguments[0].focus()", first)
    said = browser.execute_script(SAID)
    assert every > 26 and said == first.get_attribute("aria-label")
    browser.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    assert browser.execute_script(SAID) != said and "score kept" in browser.execute_script(SAID)
    Select(browser.find_element("css selector", ".tradeoff-key select")).select_by_visible_text("quantization")
    assert 3 <= browser.execute_script(POINTS) < every
    survey = browser.find_element("css selector", ".tradeoff-key .pt-survey input")
    browser.execute_script("arguments[0].click()", survey)
    left = browser.execute_script(POINTS)
    assert browser.execute_script(SAID) == f"{left} of {every} models"
    wide = "const t = document.querySelector('.tradeoff'); return t.scrollWidth <= t.clientWidth"
    assert browser.execute_script(wide), "it fits a phone"


def test_scoreboard_is_sorted(browser, address):
    resize(browser, DESK)
    browser.get(f"{address}/book/scoreboard.html")
    texts = "return [...document.querySelectorAll('table.scoreboard tbody th')].map(c => c.textContent)"
    head = browser.find_elements("css selector", "table.scoreboard thead button")[0]
    head.click()
    up = browser.execute_script(texts)
    letters = [re.sub(r"[^\w ]", "", text).casefold() for text in up]
    assert min(letters) == letters[0] and max(letters) == letters[-1] and "sort=0" in browser.current_url
    browser.find_elements("css selector", "table.scoreboard thead button")[0].click()
    assert browser.execute_script(texts)[0] == up[-1]


def test_no_line_of_the_scoreboard_is_taller_than_two(browser, address):
    resize(browser, DESK)
    browser.get(f"{address}/book/scoreboard.html")
    tall = browser.execute_script(
        "return [...document.querySelectorAll('table.scoreboard.claims tbody tr')].filter("
        "r => r.offsetHeight > 2 * 1.7 * parseFloat(getComputedStyle(r).fontSize) + 16).map(r => r.textContent)"
    )
    assert tall == []


def test_a_claims_name_leads_to_its_card(browser, address):
    resize(browser, DESK)
    browser.get(f"{address}/book/scoreboard.html")
    target = soon(browser, "css selector", "table.scoreboard th a").get_attribute("href")
    browser.get(target)
    assert soon(browser, "id", target.rpartition("/")[2].removesuffix(".html")).is_displayed()


def soon(browser, by: str, what: str):
    """The first such element, waited for: after a jump within a page the driver may answer before the next is there."""
    return wait(browser).until(lambda _: browser.find_element(by, what))


def wait(browser):
    from selenium.webdriver.support.wait import WebDriverWait

    return WebDriverWait(browser, 20)
