"""Tuned models are kept while there is room for their weights: 48 of BERT-base would be 21 GB."""

from __future__ import annotations

from collections import OrderedDict

import pytest
from support import tiny

from bertology_utils.finetune import Classifier, shared


def made(key: int) -> Classifier:
    return shared.once(key, lambda: Classifier(tiny(), tiny().base, ("0", "1")))


@pytest.fixture(autouse=True)
def empty(monkeypatch):
    monkeypatch.setattr(shared, "_MODELS", OrderedDict())


def test_what_was_asked_for_longest_ago_goes_first(monkeypatch):
    first = made(0)
    monkeypatch.setattr(shared, "ROOM", 2 * shared.bytes_of(first))
    second = made(1)
    assert made(0) is first  # asked for again: now the other is the oldest
    made(2)
    assert len(shared._MODELS) == 2 and made(0) is first and made(1) is not second


def test_the_last_one_is_kept_however_large(monkeypatch):
    monkeypatch.setattr(shared, "ROOM", 1)
    assert made(0) is made(0)
    made(1)
    assert list(shared._MODELS) == [1]


def test_all_seeds_of_a_task_have_room_at_the_size_of_bert_base():
    base = 4 * 110_106_428  # bytes of BERT-base with the heads of its pretraining
    assert 5 * base <= shared.ROOM < 6 * base
