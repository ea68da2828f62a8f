"""Long tables in a browser: sorted by a heading, narrowed down by words."""

from __future__ import annotations

import pytest
from browsing import DESK, resize, soon, wait

pytestmark = [pytest.mark.browser, pytest.mark.book]

LINES = (
    "return [...document.querySelectorAll('.family-runs tbody tr')].filter(r => !r.hidden)"
    ".map(r => [r.cells[0].textContent, r.cells[1].textContent, r.cells[3].textContent])"
)


def test_the_family_of_runs_is_sorted_by_loss_and_narrowed_down_by_words(browser, address):
    resize(browser, DESK)
    browser.get(f"{address}/notebooks/07_training.html")
    soon(browser, "css selector", ".family-runs thead button")
    browser.execute_script("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    loss = browser.find_elements("css selector", ".family-runs thead button")[3]
    wait(browser).until(lambda _: loss.text == "loss")  # a fold that was opened is drawn when there is time
    for sign, direction in ((1, "ascending"), (-1, "descending")):
        browser.execute_script("arguments[0].click()", loss)
        told = browser.execute_script(LINES)
        figures = [sign * float(x) for *_, x in told if x != "–"]
        assert figures == sorted(figures) and len(set(figures)) > 10
        assert {x for *_, x in told[len(figures) :]} == {"–"}, "what has no figure stands last"
        head = browser.find_elements("css selector", ".family-runs thead th")[3]
        assert head.get_attribute("aria-sort") == direction
    search = browser.find_element("css selector", ".table-filter input")
    search.send_keys("rate eng")
    left = browser.execute_script(LINES)
    assert left and {tier for _, tier, _ in left} == {"english"}, "`generated` has `rate` in it, but no word begins so"
    said = browser.find_element("css selector", ".table-filter [role=status]").text
    assert said == f"{len(left)} of {len(told)} lines"


def test_a_table_that_a_glance_takes_in_has_no_filter(browser, address):
    resize(browser, DESK)
    browser.get(f"{address}/notebooks/07_training.html")
    soon(browser, "css selector", ".table-filter")
    short = (
        "return [...document.querySelectorAll('.family-runs')].filter(t => t.querySelectorAll('tbody tr').length < 8)"
    )
    filters = browser.execute_script("return document.querySelectorAll('.table-filter').length")
    tables = browser.execute_script("return document.querySelectorAll('.family-runs').length")
    assert filters == tables - len(browser.execute_script(short)) > 0
