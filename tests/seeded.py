"""Seeds' records made by hand: a claim of one clause that holds, fails, stays open or cannot be tested."""

from __future__ import annotations

from bertology_utils.claims import ledger
from bertology_utils.claims.clauses import Test
from bertology_utils.claims.evidence import Evidence
from bertology_utils.claims.seeds import Network, Seed, looks

ID, DATA = "lay.agreement.goldberg2019", "gulordava2018_linzen2016"
(CLAUSE,) = ledger.row(ID).clauses
HOLDS, TOO, FAILS, OPEN, GATED = "holds", "holds, untrained too", "fails", "open", "gated"


def row(test: Test, place: float, width: float = 0.1, **more: float) -> dict:
    """A row that a test looks at, `place` times the width of its interval beyond the bound (short of it below 0)."""
    sign = -1 if test.side == "below" else 1
    value = test.bound() + sign * place * width
    keys = {k: v[0] if isinstance(v, list) else v for k, v in test.where.items()}
    ends = {"low": value - width / 2, "high": value + width / 2}
    return {"measure": test.measure, "value": value, **ends, "n": 400, "clusters": None, **keys, **more}


def evidence(outcome: str, model: str = "mini-s", shift: float = 0.0) -> Evidence:
    """A record that comes out as asked for; `shift` moves its figure away from the bound."""
    place = {HOLDS: 1 + shift, TOO: 1 + shift, FAILS: -1 - shift, OPEN: shift / 20, GATED: 1}[outcome]
    tests = [row(t, place) for t in CLAUSE.tests]
    gates = [row(g, -1 if outcome == GATED else 1) for g in CLAUSE.gates]
    twin = -1 if outcome == TOO else 1  # whether the untrained network lies above or below
    over = [{**r, "value": 0.2 * twin, "low": 0.1 * twin - 0.05, "high": 0.3 * twin + 0.05} for r in tests]
    over = [r | {"twin_value": r["value"], "twin_low": -1.0, "twin_high": 1.0, "paired": True} for r in over]
    facts = {"asked": None, "seed": 0, "draws": 2000, "dtype": "float32", "seconds": 1.0}
    return Evidence(
        claim=ID, model=model, data=DATA, kind="rerun", rows=tests + gates, over_twin=over, provenance=facts
    )


def seed(number: int, outcome: str, shift: float = 0.0) -> Seed:
    """A seed of a small model whose record comes out so."""
    network = Network(number, f"run {number}", f"model {number}", 4, 192, 4_500_000)
    return Seed(network, looks(ledger.row(ID).clauses), (evidence(outcome, shift=shift),))
