"""The book in a browser: what a reader sees on a desk and on a phone, in a headless Chromium on pages served locally."""

from __future__ import annotations

import functools
import http.server
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
PHONE, DESK = (390, 844), (1280, 900)
CHAPTERS = [path.stem for path in notebooks.found(stage.ROOT / "notebooks")]
LOOKED_AT = ("book/intro.html", "book/scoreboard.html", "book/data.html", *(f"notebooks/{c}.html" for c in CHAPTERS))

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


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    binary, driver = next(filter(None, map(shutil.which, BROWSERS)), None), shutil.which("chromedriver")
    if not binary or not driver:
        pytest.skip("chromium or chromedriver is not installed")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield started
    started.quit()


def resize(browser, size: tuple[int, int]) -> None:
    """The page's own size (a window is wider than a phone, even without a frame)."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False},
    )


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("page", LOOKED_AT)
def test_page_is_whole(browser, address, page, size):
    """No error on the console, nothing fetched from elsewhere, nothing to scroll sideways, every picture loaded."""
    resize(browser, size)
    browser.get_log("browser")  # what earlier pages left
    browser.get(f"{address}/{page}")
    assert browser.find_element("css selector", "article h1").is_displayed()
    errors = [entry for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    assert not errors
    fetched = browser.execute_script("return performance.getEntriesByType('resource').map(r => r.name)")
    assert fetched and not [name for name in fetched if not name.startswith((address, "data:"))]
    width, seen = browser.execute_script("return [document.documentElement.scrollWidth, window.innerWidth]")
    assert width <= seen, f"{page} is {width} pixels wide in a window of {seen}"
    pictures = browser.find_elements("css selector", "article img")
    browser.execute_script("arguments[0].forEach(i => i.loading = 'eager')", pictures)
    for picture in pictures:
        assert picture.get_attribute("naturalWidth") != "0" and picture.get_attribute("alt")


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_cards_can_be_read(browser, address, chapter, size):
    resize(browser, size)
    browser.get(f"{address}/notebooks/{chapter}.html")
    cards = browser.find_elements("css selector", "section.claim-card")
    assert cards
    for card in cards:
        assert card.is_displayed() and card.size["width"] <= size[0]
        badges = card.find_elements("css selector", ".verdict")
        assert badges and all(badge.is_displayed() and badge.text.strip() for badge in badges)
    ground = browser.execute_script("return getComputedStyle(arguments[0]).borderLeftWidth", cards[0])
    assert ground == "4px"  # the style sheet was loaded


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_verdicts_stand_out_in_both_modes(browser, address, mode):
    """Contrast of 4.5 to 1 or more between each badge's words and the page (WCAG AA)."""
    resize(browser, DESK)
    browser.get(f"{address}/book/intro.html")
    browser.execute_script("document.documentElement.dataset.theme = arguments[0]", mode)
    page = browser.execute_script("return getComputedStyle(document.querySelector('.bd-main')).backgroundColor")
    if page == "rgba(0, 0, 0, 0)":
        page = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    badges = browser.find_elements("css selector", ".verdict")
    assert len(badges) >= 5
    for badge in badges:
        words = badge.value_of_css_property("color")
        assert contrast(words, page) >= 4.5, f"{badge.text}: {words} on {page}"


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


def test_scoreboard_is_filtered(browser, address):
    from selenium.webdriver.support.select import Select

    resize(browser, DESK)
    browser.get(f"{address}/book/scoreboard.html")
    shown = "return [...document.querySelectorAll('table.scoreboard tbody tr')].filter(r => r.offsetParent).length"
    total = len(ledger.rows())
    assert browser.execute_script(shown) == total
    section, verdict = browser.find_elements("css selector", ".scoreboard-filter select")
    chosen = ledger.sections()[1]
    Select(section).select_by_visible_text(chosen.title)
    assert browser.execute_script(shown) == len(chosen.rows)
    assert f"{len(chosen.rows)} of {total}" in browser.find_element("css selector", ".scoreboard-filter").text
    Select(section).select_by_visible_text("all")
    Select(verdict).select_by_index(1)
    label = Select(verdict).first_selected_option.text
    rows = browser.find_elements("css selector", f"table.scoreboard tbody tr[data-verdict='{label}']")
    assert browser.execute_script(shown) == len(rows) > 0
    Select(verdict).select_by_visible_text("all")
    browser.find_element("css selector", ".scoreboard-filter input").send_keys(chosen.rows[0].id)
    assert browser.execute_script(shown) == 1


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_claims_name_leads_to_its_card(browser, address, chapter):
    resize(browser, DESK)
    browser.get(f"{address}/book/scoreboard.html")
    target = soon(browser, "css selector", f"table.scoreboard th a[href*='{chapter}.html#']").get_attribute("href")
    browser.get(target)
    card = soon(browser, "id", target.split("#")[1])
    where = "return arguments[0].getBoundingClientRect().top"
    wait(browser).until(lambda _: 0 <= browser.execute_script(where, card) < DESK[1])


def soon(browser, by: str, what: str):
    """The first such element, waited for: after a jump within a page the driver may answer before the next is there."""
    return wait(browser).until(lambda _: browser.find_element(by, what))


def wait(browser):
    from selenium.webdriver.support.wait import WebDriverWait

    return WebDriverWait(browser, 20)
