"""Batches shrink until they fit an accelerator's memory; a GPU computes what a processor does."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from support import tiny

from bertology_utils.settings import Settings
from bertology_utils.subject import attentions, encode, memory
from bertology_utils.subject.models import load

SENTENCES = [["the", "dog", "sees", "a", "cat", "."][: 2 + k % 5] * (1 + k % 3) for k in range(40)]


def room(pieces: int):
    """An attempt on a device that holds so many pieces at a time."""
    tried = []

    def attempt(subject, rows, length):
        tried.append((rows, length))
        if rows * length > pieces:
            raise torch.OutOfMemoryError("out of memory")

    return attempt, tried


@pytest.fixture(autouse=True)
def forgotten(monkeypatch):
    monkeypatch.setattr(memory, "_fitted", type(memory._fitted)())


def test_the_budget_is_halved_until_it_fits_and_remembered():
    attempt, tried = room(300)
    with pytest.warns(UserWarning, match="halved to 512"), pytest.warns(UserWarning, match="halved to 256"):
        assert memory.affordable(tiny(), 1024, 10, attempt) == 256
    assert tried == [(102, 10), (51, 10), (25, 10)]
    assert memory.affordable(tiny(), 200, 8, attempt) == 200 and len(tried) == 3  # smaller in both: known to fit
    assert memory.affordable(tiny(), 260, 20, attempt) == 260 and tried[-1] == (13, 20)  # longer rows: tried again


def test_a_row_that_does_not_fit_alone_is_refused_in_a_line():
    attempt, _ = room(9)
    with pytest.raises(memory.TooLarge, match="a row of 10 pieces does not fit"):
        memory.affordable(tiny(), 10, 10, attempt)


def test_what_is_tried_needs_no_less_than_what_is_kept():
    """The trial keeps states and maps of all layers, more than any stream holds of a batch."""
    seen = {}
    handle = tiny().base.register_forward_hook(lambda m, args, kwargs, out: seen.update(out), with_kwargs=True)
    try:
        memory.attempt(tiny(), 3, 7)
    finally:
        handle.remove()
    assert len(seen["hidden_states"]) == tiny().n_layers + 1 and seen["attentions"][0].shape == (
        3,
        tiny().n_heads,
        7,
        7,
    )


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_gives_what_a_processor_gives():
    """Within 1e-4 of a state's size in float32, within 2e-2 in bfloat16."""
    plain = load("mini", Settings.of(device="cpu"))
    for dtype, share in (("float32", 1e-4), ("bfloat16", 2e-2)):
        other = load("mini", Settings.of(device="cuda", dtype=dtype))
        for stream in (encode.hidden_states, attentions.attentions):
            for (i, a), (j, b) in zip(stream(plain, SENTENCES), stream(other, SENTENCES), strict=True):
                a, b = (np.asarray(x[0] if isinstance(x, tuple) else x) for x in (a, b))
                assert i == j and np.abs(a - b).max() < share * max(1.0, np.abs(a).max())


def test_no_more_is_tried_than_there_is_to_read(monkeypatch):
    """A budget without bounds ("all in one batch") once filled a card of 140 GiB with trials."""
    asked = []
    monkeypatch.setattr(memory, "affordable", lambda subject, budget, length: asked.append((budget, length)) or budget)
    elsewhere = replace(tiny(), device=torch.device("meta"))
    rows = encode.tokenize(tiny(), [["a", "b", "c"], ["a"]])
    (batch,) = encode.batches(elsewhere, rows, 10**9)
    longest = len(rows[0].ids)
    assert len(batch.rows) == 2 and asked == [(2 * longest, longest)]
