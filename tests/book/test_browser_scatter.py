"""The picture of compressed models in a browser: points asked by keyboard, kinds left out."""

from __future__ import annotations

import pytest
from browsing import PHONE, resize, soon

pytestmark = [pytest.mark.browser, pytest.mark.book]

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
