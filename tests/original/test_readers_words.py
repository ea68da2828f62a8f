"""How texts become words, spans of words, and sentences with other names."""

from __future__ import annotations

import pytest

from bertology_utils.data import text as texts
from bertology_utils.data.original.readers import names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dehner's uncles (two) don't go.", "Dehner 's uncles ( two ) do n't go ."),
        ("a well-known man, 's-Hertogenbosch", "a well-known man , ' s-Hertogenbosch"),
        ("他說 OK。", "他 說 OK 。"),
        ("बच्चे खेलते हैं।", "बच्चे खेलते हैं ।"),
        ("the clerk 's pen", "the clerk 's pen"),
    ],
)
def test_words_are_cut_as_treebanks_cut_them(text, expected):
    assert " ".join(texts.words(text)) == expected


def test_words_are_cut_at_the_edges_of_spans():
    words, spans = texts.words_and_spans("Anna-Maria's dog", [(0, 4), (13, 16)])
    assert (words, spans) == (("Anna", "-Maria", "'s", "dog"), [(0, 1), (3, 4)])


@pytest.mark.parametrize("span", [(4, 7), (0, 0), (3, 9)])
def test_a_span_that_is_no_words_is_an_error(span):
    with pytest.raises(ValueError, match="are no words of"):
        texts.words_and_spans("the dog", [span] if span != (4, 7) else [(3, 7)])


def test_renaming_reaches_the_last_name_alone():
    words = texts.words("Ann Lee met Eve. Lee left in 1999.")
    assert " ".join(names.renamed(words, ("Ann", "Lee"), ("Sue", "Orr"))) == "Sue Orr met Eve . Orr left in 1999 ."
    assert not names.shared(words, ("Ann", "Lee"))
    assert names.shared(("Then", "Tom", "Lee", "left"), ("Ann", "Lee"))
    ((year, instead),) = names.placebos(words)
    assert year == "1999" and "1999" not in instead and all(abs(int(y) - 1999) < 10 for y in instead)
