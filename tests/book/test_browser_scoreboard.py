"""The scoreboard in a browser: filtered, sorted, counted, and whole without scripts."""

from __future__ import annotations

import re

import pytest
from browsing import DESK, resize, soon, wait
from support import shipped_standings

from bertology_utils.claims import ledger
from bertology_utils.claims.rules import HOLDS, TAUGHT

pytestmark = [pytest.mark.browser, pytest.mark.book]

SHOWN = "return [...document.querySelectorAll('table.scoreboard tbody tr')].filter(r => r.offsetParent).length"


def test_scoreboard_is_filtered_and_keeps_its_state_in_the_address(browser, address):
    from selenium.webdriver.support.select import Select

    resize(browser, DESK)
    browser.get(f"{address}/book/scoreboard.html")
    total, chosen = len(ledger.rows()), ledger.sections()[1]
    assert browser.execute_script(SHOWN) == total
    section = soon(browser, "css selector", ".scoreboard-filter select")
    Select(section).select_by_visible_text(chosen.title)
    assert browser.execute_script(SHOWN) == len(chosen.rows)
    assert f"{len(chosen.rows)} of {total}" in browser.find_element("css selector", ".scoreboard-count").text
    assert "section=" in browser.current_url
    browser.get(browser.current_url)  # as somebody opens the link; the page arrives in parts
    wait(browser).until(lambda _: browser.execute_script(SHOWN) == len(chosen.rows))
    words = browser.find_element("css selector", ".scoreboard-filter input[type=search]")
    words.send_keys(" ".join(reversed(chosen.rows[0].title.split()[:3])))  # matched singly, in any order
    assert 1 <= browser.execute_script(SHOWN) < len(chosen.rows)
    browser.find_element("css selector", ".scoreboard-filter button").click()
    assert browser.execute_script(SHOWN) == total and "?" not in browser.current_url


def test_rows_are_filtered_by_each_network_and_by_what_studies_reported(browser, address):
    from selenium.webdriver.support.select import Select

    resize(browser, DESK)
    browser.get(f"{address}/book/scoreboard.html")
    found = shipped_standings()
    for name, value, n in (
        ("sized", TAUGHT, sum(s.sized.label == TAUGHT for s in found)),
        ("mini", HOLDS, sum(s.mini.label == HOLDS for s in found)),
        ("kind", "reported", sum(any(f.network == "BERT" for f in s.reported) for s in found)),
    ):
        choice = Select(soon(browser, "css selector", f".scoreboard-filter select[name={name}]"))
        choice.select_by_visible_text(value)
        assert browser.execute_script(SHOWN) == n > 0
        choice.select_by_visible_text("all")
    low = browser.execute_script(
        "return [...document.querySelectorAll('.scoreboard-filter :is(select, input, button), .scoreboard thead button')]"
        ".filter(c => c.checkVisibility() && c.getBoundingClientRect().height < 24).map(c => c.outerHTML)"
    )
    assert low == []


def test_an_address_with_words_that_are_no_more_shows_everything(browser, address):
    browser.get(f"{address}/book/scoreboard.html?real=splendid&sort=77")
    wait(browser).until(lambda _: browser.execute_script(SHOWN) == len(ledger.rows()))  # the page before had fewer


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


def test_scoreboard_is_sorted(browser, address):
    resize(browser, DESK)
    browser.get(f"{address}/book/scoreboard.html")
    texts = "return [...document.querySelectorAll('table.scoreboard tbody th')].map(c => c.textContent)"
    head = soon(browser, "css selector", "table.scoreboard thead button")
    head.click()
    up = browser.execute_script(texts)
    letters = [re.sub(r"[^\w ]", "", text).casefold() for text in up]
    assert min(letters) == letters[0] and max(letters) == letters[-1] and "sort=0" in browser.current_url
    browser.find_elements("css selector", "table.scoreboard thead button")[0].click()
    assert browser.execute_script(texts)[0] == up[-1]


def test_no_row_of_the_scoreboard_is_taller_than_two_lines_of_name_and_two_of_verdict(browser, address):
    resize(browser, DESK)
    browser.get(f"{address}/book/scoreboard.html")
    tall = browser.execute_script(
        "return [...document.querySelectorAll('table.scoreboard.claims tbody tr')].filter("
        "r => r.offsetHeight > 4 * 1.7 * parseFloat(getComputedStyle(r).fontSize) + 16).map(r => r.textContent)"
    )
    assert tall == []


def test_the_search_shows_an_excerpt_of_the_article(browser, address):
    browser.get(f"{address}/search.html?q=anisotropy")
    wait(browser).until(lambda b: len(b.find_elements("css selector", "#search-results li p.context")) > 3)
    for excerpt in browser.find_elements("css selector", "#search-results li p.context"):
        assert ".md" not in excerpt.text and ".pdf" not in excerpt.text, excerpt.text


def test_a_claims_name_leads_to_its_card(browser, address):
    resize(browser, DESK)
    browser.get(f"{address}/book/scoreboard.html")
    target = soon(browser, "css selector", "table.scoreboard th a").get_attribute("href")
    browser.get(target)
    assert soon(browser, "id", target.rpartition("/")[2].removesuffix(".html")).is_displayed()


def test_the_count_names_reported_figures_and_adds_up(browser, address):
    browser.get(f"{address}/book/scoreboard.html")
    real = browser.find_element("css selector", ".scoreboard-count").text.split(" · ")[1]
    found = dict(reversed(pair) for pair in re.findall(r"(\d+) (\S+)", real))
    stated = sum(s.known == "reported" for s in shipped_standings())
    assert int(found["reported"]) == stated and sum(map(int, found.values())) == len(ledger.rows())
