"""A sentence in several languages: whose cell says which language and which direction it is in."""

from __future__ import annotations

import re

import pytest

from bertology_utils.cards.scripts import Scripts
from bertology_utils.experiments.mbert.languages import NoSuchLanguage, language
from bertology_world.multilingual_grammar import LANGUAGES

CELL = re.compile(r'<td lang="(\w\w)" dir="(\w{3})">(.*?)</td>')


def test_each_cell_bears_its_language_and_those_of_two_scripts_run_from_right_to_left():
    said = {"ara": "الكلب", "heb": "כלב", "zho": "狗", "hin": "कुत्ता", "eng": "dog"}
    cells = CELL.findall(Scripts(said, "dogs")._repr_html_())
    assert [text for _, _, text in cells[1::2]] == list(said.values())
    assert [text for _, _, text in cells[::2]] == ["العربية", "עברית", "中文", "हिन्दी", "English"]
    assert [(code, way) for code, way, _ in cells[::2]] == [
        ("ar", "rtl"), ("he", "rtl"), ("zh", "ltr"), ("hi", "ltr"), ("en", "ltr"),
    ]  # fmt: skip


def test_text_is_told_as_it_is_and_escaped_on_a_page():
    shown = Scripts({"eng": "a < b & c"}, 'a "label"')
    assert repr(shown) == "en English: a < b & c"
    assert "a &lt; b &amp; c" in shown._repr_html_() and "&quot;label&quot;" in shown._repr_html_()
    with pytest.raises(NoSuchLanguage, match="tlh"):
        repr(Scripts({"tlh": "Qapla'"}, "one"))


def test_every_generated_language_has_a_name_in_its_own_script():
    ranges = {"Arabic": "\u0600-\u06ff", "Cyrillic": "\u0400-\u04ff", "Greek": "\u0370-\u03ff", "Han": "\u4e00-\u9fff",
              "Devanagari": "\u0900-\u097f", "Hangul": "\uac00-\ud7af", "Latin": "a-zA-Z"}  # fmt: skip
    for code in LANGUAGES:
        assert re.match(f"[{ranges[language(code).script]}]", language(code).own), code
