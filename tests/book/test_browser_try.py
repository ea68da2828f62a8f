"""The page on which a reader tries a network: what the browser computes is what PyTorch computes."""

from __future__ import annotations

import json
import random
import time
from functools import cache

import numpy as np
import pytest
import torch
from browsing import PHONE, resize, wait
from transformers import AutoTokenizer

from bertology_utils.book import trying
from bertology_utils.settings import Settings
from bertology_utils.subject import models

pytestmark = [pytest.mark.browser, pytest.mark.book]
READ = """
const [path, then, done] = arguments;
fetch(path).then((answer) => answer.arrayBuffer()).then((buffer) => {
  window.read = window.read || window.bertology.Network.read(buffer);
  done(Function("read", "return " + then)(window.read));
});
"""
ODD = [
    "café", "naïve", "don't", "it's", "O'Neill", "…", "–", "“quoted”", "日本語", "북한", "😀", "👩‍👩‍👧", "a" * 120,
    "İstanbul", "ΣΟΦΟΣ", "straße", "x=y^2", "$5", "\u200b", "e\u0301", "[MASK]", "[sep]", "\u00a0", "3,000.5", "don’t",
    "हिन्दी", "עברית", "\ufeff", "co-op", "#tag", "`code`",
]  # fmt: skip


@pytest.fixture
def page(browser, address):
    browser.get(f"{address}/book/try.html")
    wait(browser).until(lambda b: b.execute_script("return Boolean(window.bertology)"))
    return browser


@cache
def whole_tokenizer():
    """The bundled tokenizer as others load it: a subject's own takes a mask in a text for text."""
    return AutoTokenizer.from_pretrained(models.bundled()["mini"])


def computed(page, then: str):
    """What an expression over the file of weights (`read.network`, `read.tokenizer`) is in the browser."""
    return page.execute_async_script(READ, "../_static/try/mini.bin", then)


def test_a_text_is_cut_as_the_tokenizer_cuts_it(page):
    words = "the keys to cabinet are old Paris unbelievable antidisestablishmentarianism , . ! ?".split() + ODD
    draw = random.Random(0)
    texts = [" ".join(draw.choices(words, k=draw.randint(1, 9))) for _ in range(470)] + ODD
    here = [whole_tokenizer()(text)["input_ids"] for text in texts]
    there = computed(page, f"{json.dumps(texts)}.map((text) => read.tokenizer.encode(text).ids)")
    assert [t for t, a, b in zip(texts, here, there) if a != b] == []


def test_logits_are_pytorchs_for_the_same_weights_and_near_those_of_full_precision(page):
    subject = models.load("mini", Settings())
    texts = ["The keys to the cabinet [MASK] old.", "A robin is not a [MASK].", "Nobody [MASK] ever seen it , has he ?"]
    rows = [whole_tokenizer()(text)["input_ids"] for text in texts]
    full, rounded = [], []
    for out in (full, rounded):
        with torch.inference_mode():
            out += [subject.model(torch.tensor([ids])).prediction_logits[0, ids.index(4)].numpy() for ids in rows]
        for parameter in subject.model.parameters():  # and once more with the weights as the file has them
            if parameter.ndim == 2:
                groups = parameter.data.reshape(-1, trying.GROUP)
                scale = groups.abs().amax(1, keepdim=True).clamp_min(1e-12) / 127
                parameter.data = ((groups / scale).round() * scale).reshape(parameter.shape)
    there = computed(page, f"{json.dumps(rows)}.map((ids) => Array.from(read.network.logits(ids, ids.indexOf(4))))")
    assert np.abs(np.array(there) - np.array(rounded)).max() < 1e-3
    probable = [torch.softmax(torch.tensor(np.array(logits)), -1) for logits in (there, full)]
    far = float((probable[0] - probable[1]).abs().max())
    assert far < 0.04, f"8 bits move a filler's probability by {far:.3f}"


def test_a_reader_asks_and_is_answered_soon_and_from_this_site_alone(page, address):
    resize(page, PHONE)
    start = time.monotonic()
    page.find_element("css selector", "#try .try-fill button[type=submit]").click()
    wait(page).until(lambda b: b.find_elements("css selector", "#try .try-fillers td"))
    first = time.monotonic() - start
    box = page.find_element("css selector", "#try .try-text")
    planted = "<img src=x onerror=alert(1)> The dog [MASK] ."
    box.clear()
    box.send_keys(planted)
    start = time.monotonic()
    page.find_element("css selector", "#try .try-fill button[type=submit]").click()
    wait(page).until(lambda b: "onerror" in b.execute_script("return location.hash"))
    assert first < 20 and time.monotonic() - start < 5, "2 seconds and 0.2 are usual on a quiet machine"
    assert not page.find_elements("css selector", "#try img")
    page.refresh()
    assert page.find_element("css selector", "#try .try-text").get_attribute("value") == planted, (
        "a link keeps the sentence"
    )
    fetched = page.execute_script("return performance.getEntriesByType('resource').map(r => r.name)")
    assert not [name for name in fetched if not name.startswith((address, "data:"))]


def test_a_text_that_is_too_long_is_said_to_be_under_the_form_that_was_asked(page):
    box = page.find_element("css selector", "#try .try-text")
    page.execute_script("arguments[0].value = '[MASK] ' + 'the '.repeat(255)", box)
    page.find_element("css selector", "#try .try-fill button[type=submit]").click()
    said = page.find_element("css selector", "#try .try-fill + .try-status")
    wait(page).until(lambda b: said.text.startswith("Type a shorter text: it has 256 pieces, and mini reads 254"))


def test_two_sentences_are_compared_as_the_command_does(page):
    pair = json.loads(trying.STORED.read_text("utf-8"))["pairs"][0]
    page.find_element("css selector", "#try [data-a]").click()
    wait(page).until(lambda b: "first less second" in b.find_element("css selector", "#try .try-nats").text)
    (row,) = [r for r in page.find_elements("css selector", "#try .try-nats tr") if "first less second" in r.text]
    mini, _, mpnet = (float(cell.text) for cell in row.find_elements("css selector", "td")[1:])
    assert mini == pytest.approx(pair["mini"][0] - pair["mini"][1], abs=0.5)
    assert mpnet == pytest.approx(pair["mpnet"][0] - pair["mpnet"][1], abs=0.01)


def test_stored_answers_are_what_the_networks_here_answer():
    stored = json.loads(trying.STORED.read_text("utf-8"))
    again = trying.answers([name for name in trying.NETWORKS if name != "mpnet"], Settings())
    for kind in ("fill", "pairs"):
        for was, now in zip(stored[kind], again[kind], strict=True):
            for name in ("mini", "mini-untrained"):
                if kind == "fill":
                    assert [w for w, _ in was[name]] == [w for w, _ in now[name]]
                    assert [p for _, p in was[name]] == pytest.approx([p for _, p in now[name]], abs=2e-3)
                else:
                    assert was[name] == pytest.approx(now[name], abs=0.02)
    assert stored["sha256"]["mini"] == again["sha256"]["mini"]
