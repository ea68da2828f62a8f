"""Records of a claim on several seeds: written, read, decided by the rule as it is, and stale where the rule looks elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from seeded import CLAUSE, FAILS, HOLDS, ID, OPEN, seed

from bertology_utils.claims import ledger, seeds
from bertology_utils.claims.evidence import EvidenceError
from bertology_utils.claims.rules import LABELS
from bertology_utils.family.grid import members
from bertology_utils.family.record import find

SHIPPED = sorted(seeds.SHIPPED.glob("*.json"))


def test_what_is_written_is_read_again_and_decided_alike(tmp_path):
    made = [seed(1, FAILS), seed(0, HOLDS), seed(2, OPEN)]
    path = seeds.save(ID, made, tmp_path)
    again = seeds.find(ID, tmp_path)
    assert [s.network for s in again] == [made[1].network, made[0].network, made[2].network]
    assert [s.label for s in again] == ["learned", "not found at this size", "open"]
    assert again[0].records[0].rows[0]["clusters"] is None and path.stat().st_size < 5_000
    assert seeds.find("syn.agreement.goldberg2019", tmp_path) == []


def test_a_bound_may_move_and_rows_may_not(monkeypatch):
    """The kept rows are decided anew by another bound; a clause that looks at other rows makes the record stale."""
    one, row = seed(0, HOLDS), ledger.row(ID)
    assert one.label == "learned" and not one.stale
    (test, *others) = CLAUSE.tests

    def ruled(**changes):
        clause = replace(CLAUSE, tests=(replace(test, **changes), *others))
        monkeypatch.setattr(ledger, "row", lambda id: replace(row, clauses=(clause,)))
        return replace(one, records=tuple(replace(r) for r in one.records))  # without what was decided before

    stricter = ruled(above=test.threshold + 5)
    assert not stricter.stale and stricter.label == "not found at this size"
    assert ruled(measure="another").stale and ruled(where={"layer": 2}).stale
    assert ruled(sources=("builtin",)).stale


@pytest.mark.parametrize("harm", ["cut", "format", "claim", "figure", "empty"])
def test_a_damaged_file_is_named(tmp_path, harm):
    path = seeds.save(ID, [seed(0, HOLDS)], tmp_path)
    raw = json.loads(path.read_text())
    record = raw["seeds"][0]["records"][0]
    if harm == "format":
        raw["version"] += 1
    elif harm == "claim":
        record["claim"] = "syn.agreement.goldberg2019"
    elif harm == "figure":
        record["rows"][0]["low"] = record["rows"][0]["high"] + 1
    elif harm == "empty":
        raw["seeds"][0]["records"] = []
    path.write_text(path.read_text()[:-9] if harm == "cut" else json.dumps(raw))
    with pytest.raises(EvidenceError, match=path.name):
        seeds.find(ID, tmp_path)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_a_shipped_record_is_of_networks_of_the_family(path):
    runs = {m.seed: m for m in members(tier="seeds")}
    found = seeds.find(path.stem)
    assert [s.network.seed for s in found] == sorted({s.network.seed for s in found}) and found
    for s in found:
        member = runs[s.network.seed]
        assert (s.network.run, s.network.sha256) == (member.key, find(member).model)
        assert (s.network.layers, s.network.hidden) == (member.config.layers, member.config.hidden)
        assert (
            s.stale or s.label in LABELS
        )  # a stale one is not shown until its models, which are not bundled, are asked again
    assert path.stat().st_size < 200_000
