"""What rows say of their former rules is what git's history and today's records give."""

import subprocess

import pytest
from former_rules import ROOT, outcomes, unmoved, versions

from bertology_utils.cards.standing import standing
from bertology_utils.claims import ledger

SHALLOW = ["git", "rev-parse", "--is-shallow-repository"]


def test_rows_whose_former_rules_move_no_outcome_are_those_that_say_so():
    if subprocess.run(SHALLOW, cwd=ROOT, capture_output=True, text=True).stdout.strip() != "false":
        pytest.skip("the history is not here")
    known = versions()
    read = [row.id for row in ledger.rows() if row.clauses in known.get(row.id, ())]
    assert len(read) > 100, (
        "rules of history are read as the ledger reads them"
    )  # those of an edit at hand are not in it
    assert set(unmoved()) == {row.id for row in ledger.rows() if not row.moved}, "python -m tests.former_rules"


def test_a_rule_that_asks_for_what_was_not_recorded_cannot_be_asked():
    now, other = standing("syn.amnesic.elazar2020"), ledger.row("emb.anisotropy.ethayarajh2019").clauses
    assert outcomes(now, other) is None is outcomes(now, None)
    assert outcomes(now, now.row.clauses)["real"] == now.real.label and ledger.row(now.row.id) == now.row
