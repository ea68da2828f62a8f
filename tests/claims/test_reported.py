"""Figures that studies reported: all fit, each has its source, and none of them is an outcome."""

from __future__ import annotations

import re

import pytest

from bertology_utils.book import studies
from bertology_utils.claims import ledger, reported
from bertology_utils.claims.ledger import LedgerError

FIGURES = [(row.id, figure) for row in ledger.rows() for figure in reported.figures(row.id)]
GOOD = """\
trn.nsp.liu2019b:
- {study: devlin2019, model: BERT, data: dev, measure: with / without, values: {QNLI: [88.4, 84.9], MRPC: 86}, unit: per cent,
   where: table 5, via: a transcript, source: "https://example.org/paper", speaks: against}
"""


def test_every_figure_names_a_study_of_the_bibliography_and_an_address():
    known = studies.read()
    assert len(FIGURES) > 100
    for id, figure in FIGURES:
        assert figure.study in known, id
        assert figure.source.startswith("https://") and " " not in figure.source, id


def test_a_figure_as_text():
    (figure,) = reported.parse(GOOD)["trn.nsp.liu2019b"]
    assert str(figure) == "QNLI: 88.4 / 84.9; MRPC: 86 %" and figure.text(1) == "QNLI: 88.4 / 84.9 % and 1 more"
    assert not figure.confirmed and figure.network == "BERT"
    lone = reported.parse(re.sub(r"values: \{.*?\}", "values: 7", GOOD).replace("per cent", "points"))
    assert str(lone["trn.nsp.liu2019b"][0]) == "7 (points)"
    twice = reported.parse(GOOD.replace("against}", "against, second: another transcript}"))
    assert twice["trn.nsp.liu2019b"][0].confirmed


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("trn.nsp.liu2019b", "trn.nonesuch", "trn.nonesuch: no such claim"),
        ("study: devlin2019, ", "", "missing field 'study'"),
        ("https://example.org/paper", "a shelf", "source does not fit"),
        ("https://example.org/paper", "https:paper", "source does not fit"),
        ("against", "shouts", "speaks is 'shouts'"),
        ("against", "against, network: none", "network is 'none'"),
        ("84.9", "low", r"QNLI, 2 is 'low': .*number"),
        ("[88.4, 84.9]", "[]", "values does not fit"),
        ("{QNLI: [88.4, 84.9], MRPC: 86}", "{}", "values does not fit"),
        ("with / without", "accuracy", "measure does not fit"),
        ("with / without", "with / half / without", "measure does not fit"),
        ("via: a transcript", "verdict: holds", "unknown field 'verdict'"),
        ("speaks", "same: {measure: UAS, of: QNLI}, speaks", "same does not fit"),
        (
            "speaks",
            'same: {measure: "downstream accuracy, without - with NSP", of: SST-2}, speaks',
            "same does not fit",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(old, new, said):
    with pytest.raises(LedgerError, match=said):
        reported.parse(GOOD.replace(old, new))
