"""The pages that look into heads and layers, and the small forms in chapters."""

from __future__ import annotations

import base64
import json

import numpy as np
import pytest
from browsing import PHONE, resize, wait

from bertology_utils.book import heads, layers, trying
from bertology_utils.book.stage import ROOT
from bertology_utils.settings import Settings
from bertology_utils.subject import models
from bertology_utils.subject.attentions import attentions

pytestmark = [pytest.mark.browser, pytest.mark.book]
CLICKS = 40_000  # bytes that forms may add to a chapter before a reader clicks


@pytest.fixture
def page(browser, address):
    browser.get(f"{address}/book/heads.html")
    wait(browser).until(lambda b: b.find_elements("css selector", ".heads-grid button"))
    return browser


def says(page) -> str:
    return page.find_element("css selector", ".heads-says").text


def test_the_first_view_shows_a_head_that_finds_an_object(page):
    (best,) = [head for head in heads.named("mpnet") if head["about"] == "object"]
    (pressed,) = page.find_elements("css selector", ".heads-grid [aria-pressed=true]")
    assert pressed.get_attribute("aria-label").startswith(f"Block {best['block']}, head {best['head']}: ")
    assert "as the tree has it" in says(page) and page.find_elements("css selector", ".heads-gold")


def test_every_stored_head_is_what_the_network_here_computes():
    sentences = json.loads((heads.STORED / "sentences.json").read_text("utf-8"))
    for name in ("mini", "mini-untrained"):
        stored = json.loads((heads.STORED / f"{name}.json").read_text("utf-8"))
        subject = models.load(name, Settings())
        assert subject.sha256 == stored["sha256"]
        for i, _, weights in attentions(subject, [each["words"] for each in sentences], settings=Settings()):
            there = np.frombuffer(base64.b64decode(stored["sentences"][i]["maps"]), np.uint8).reshape(weights.shape)
            assert np.abs(there / 255 - weights).max() < 0.003, (name, i)


def test_heads_that_records_name_find_their_words_more_often_than_others_do():
    """Whether blocks, heads, directions and the order of sentences mean the same in records, in the files and on the page."""
    sentences = json.loads((heads.STORED / "sentences.json").read_text("utf-8"))
    right = {}
    for name in heads.NETWORKS:
        stored = json.loads((heads.STORED / f"{name}.json").read_text("utf-8"))
        hits = []
        for head in heads.named(name):
            for sentence, tree in zip(stored["sentences"], sentences, strict=True):
                units = len(sentence["units"])
                assert sentence["units"][1:-1] == tree["words"]
                whole = np.frombuffer(base64.b64decode(sentence["maps"]), np.uint8)
                weights = whole.reshape(stored["layers"], stored["heads"], units, units)[
                    head["block"] - 1, head["head"] - 1
                ]
                for word, parent, relation in tree["arcs"]:
                    if relation == head["relation"]:
                        at, to = (parent, word) if head["direction"] == "head to dependent" else (word, parent)
                        others = [k for k in range(1, units - 1) if k != at + 1]
                        hits.append(max(others, key=lambda k: weights[at + 1, k]) == to + 1)
        right[name] = np.mean(hits)
    assert min(right["mpnet"], right["all-MiniLM-L6-v2"], right["mini"]) > 0.6 and right["mini-untrained"] < 0.4, right


def test_by_keyboard_and_by_address_another_head_of_another_network(page, address):
    page.find_element("css selector", ".heads-grid [aria-pressed=true]").send_keys("\ue014")  # arrow right
    wait(page).until(lambda b: "head=10" in b.execute_script("return location.hash"))
    page.get(f"{address}/book/heads.html#network=mini&block=2&head=4&relation=obj")
    page.refresh()
    wait(page).until(
        lambda b: "Block 2, head 4: " in (t := b.find_element("css selector", ".heads-title").text) and "object" in t
    )
    assert len(page.find_elements("css selector", ".heads-grid button")) == 64
    word = page.find_elements("css selector", ".heads-lines text[role=img]")[3]
    page.execute_script("arguments[0].focus()", word)
    assert word.get_attribute("aria-label").startswith("demanded attends to ")
    title = page.find_element("css selector", ".heads-title")
    head = page.find_elements("css selector", ".heads-grid button")[8 * 3]  # of block 4
    page.execute_script("arguments[0].dispatchEvent(new MouseEvent('mouseover', {bubbles: true}))", head)
    assert title.text == "Block 4, head 1: whom a pronoun means", "what is pointed at is drawn, and named for itself"
    grid = page.find_element("css selector", ".heads-grid")
    page.execute_script("arguments[0].dispatchEvent(new MouseEvent('mouseleave'))", grid)
    assert "Block 2, head 4" in title.text
    page.find_element("css selector", ".heads-network option[value=bert-base-uncased]").click()
    wait(page).until(lambda b: "Block 8, head 10" in b.find_element("css selector", ".heads-title").text)


def test_ones_own_sentence_is_read_by_mini_as_pytorch_reads_it(page):
    resize(page, PHONE)
    assert page.execute_script("return document.documentElement.scrollWidth") <= PHONE[0]
    box = page.find_element("css selector", ".heads-own input")
    box.clear()
    box.send_keys("The <b>unbelievable</b> cat sleeps.")
    page.find_element("css selector", ".heads-own button").click()
    wait(page).until(lambda b: b.find_element("css selector", ".heads-sentence").get_attribute("value") == "-1")
    words = "the < b > unbelievable < / b > cat sleeps .".split()
    assert [t.text for t in page.find_elements("css selector", ".heads-lines text[role=img]")] == [
        "[CLS]",
        *words,
        "[SEP]",
    ]
    assert not page.find_elements("css selector", "#heads svg b")
    assert "?own=The+%3Cb%3E" in page.current_url, "a link keeps the sentence"
    title = page.find_element("css selector", ".heads-title").text
    block, head = (int("".join(filter(str.isdigit, part))) for part in title.partition(":")[0].split(","))
    ((_, _, maps),) = attentions(models.load("mini", Settings()), [words], settings=Settings())
    label = page.find_elements("css selector", ".heads-lines text[role=img]")[10].get_attribute("aria-label")
    best = maps[block - 1, head - 1, 10].max()
    assert float(label.split(",")[0].split()[-1]) == pytest.approx(best, abs=0.03), label


def test_layers_without_a_click_and_with_one(browser, address):
    browser.get(f"{address}/book/layers.html")
    stored = json.loads(layers.STORED.read_text("utf-8"))
    depth = len(stored["networks"]["mpnet"]["accuracy"])
    wait(browser).until(lambda b: len(b.find_elements("css selector", "#layers tbody tr")) == depth)
    browser.find_element("css selector", ".layers-network option[value=mini]").click()
    browser.find_element("css selector", ".layers-word option[value='2']").click()
    assert len(browser.find_elements("css selector", "#layers tbody tr")) == len(stored["networks"]["mini"]["accuracy"])
    first = stored["networks"]["mini"]["words"][2][0]["neighbours"][0]
    assert " ".join(first).split() == browser.find_element("css selector", ".layers-near").text.split()
    for network in stored["networks"].values():
        assert min(network["accuracy"]) > 0.7, "the probe reads parts of speech"


def test_a_chapter_answers_in_place_and_grows_little(browser, address):
    added = sum(len(form.encode()) for claim, form in trying.forms(9_000_000).items() if claim.startswith("syn."))
    scripts = sum((ROOT / "book" / "_static" / name).stat().st_size for name in ("try-network.js", "try.js"))
    assert added + scripts < CLICKS
    browser.get(f"{address}/notebooks/02_syntax.html")
    n = len([claim for claim in trying.forms(1) if claim.startswith("syn.")])
    wait(browser).until(lambda b: len(b.find_elements("css selector", "details.try-here.alive")) == n)
    forms = browser.find_elements("css selector", "details.try-here")
    for form in forms:
        assert not form.find_elements("css selector", "[aria-live] td"), "the one that is asked answers"
        browser.execute_script("arguments[0].open = true", form)
        form.find_element("css selector", "button[type=submit]").click()
        wait(browser).until(lambda b, form=form: form.find_elements("css selector", "[aria-live] td"))
    assert not browser.execute_script("return location.hash"), "a chapter's address is its reader's"


def test_a_form_in_a_chapter_leads_to_the_heads_of_ones_own_sentence(browser, address):
    browser.get(f"{address}/notebooks/05_heads.html")
    wait(browser).until(lambda b: b.find_elements("css selector", ".heads-ask button"))
    browser.execute_script("document.querySelector('.heads-ask').requestSubmit()")
    wait(browser).until(lambda b: "/heads.html?own=" in b.current_url)
    wait(browser).until(lambda b: b.find_element("css selector", ".heads-sentence").get_attribute("value") == "-1")
    words = [t.text for t in browser.find_elements("css selector", ".heads-lines text[role=img]")]
    assert words[:4] == ["[CLS]", "the", "cat", "that"]
