"""The model itself, uncompressed, is the null of every claim that compressing costs little."""

from __future__ import annotations

import pytest

from bertology_utils.claims import ledger
from bertology_utils.claims.rules import HOLDS, UNTESTABLE, decide
from bertology_utils.scores import intervals
from bertology_utils.scores.intervals import Interval


@pytest.mark.parametrize(
    ("id", "scores", "size", "small", "not_small"),
    [
        (
            "siz.quantization.zafrir2019",
            {
                "accuracy lost, 8 bits": 0.0,
                "accuracy over majority": 0.3,
                "accuracy lost, 2 bits": 0.2,
                "accuracy lost, 3 bits": 0.05,
                "accuracy, 3 bits with - without outliers": 0.0,
            },
            "bytes of linear weights, original / quantized",
            4.0,
            1.0,
        ),
        (
            "siz.albert.lan2020",
            {
                "loss, shared - plain": 0.0,
                "loss below the unigram plateau": 1.0,
                "loss, narrower of that size - plain": 0.5,
                "loss, shared - narrower of that size": -0.5,
                "loss fallen over the last doubling of pieces": 0.05,
            },
            "parameters, shared / plain",
            0.3,
            1.0,
        ),
        (
            "trn.adapters.houlsby2019",
            {"accuracy, full - adapters": 0.0, "accuracy over majority": 0.3, "accuracy, full - frozen": 0.1},
            "share of parameters trained",
            0.02,
            1.0,
        ),
    ],
)
def test_what_was_not_made_small_loses_nothing_and_shows_nothing(id, scores, size, small, not_small):
    def outcome(figure: float) -> str:
        rows = [intervals.row(m, Interval(v, v - 0.001, v + 0.001), 300) for m, v in scores.items()]
        rows.append(intervals.row(size, Interval(figure, figure, figure), 1))
        return decide(ledger.row(id).clauses, intervals.table(rows), source="builtin").clauses[0].outcome

    assert (outcome(small), outcome(not_small)) == (HOLDS, UNTESTABLE)
