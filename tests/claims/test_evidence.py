"""Records: written whole or not at all, read strictly, the user's own first."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from bertology_utils import files
from bertology_utils.claims import believable, evidence, ledger
from bertology_utils.claims.checks import checks
from bertology_utils.claims.clauses import Test
from bertology_utils.claims.evidence import Evidence, EvidenceError
from bertology_utils.claims.rules import OUTCOMES, UNTRAINED_TOO
from bertology_utils.settings import Settings

RECORD = Evidence(
    claim="syn.agreement.goldberg2019",
    model="mini",
    data="builtin",
    kind="rerun",
    rows=[{"condition": "simple", "measure": "accuracy", "value": 0.123456789, "low": math.nan, "high": 0.2, "n": 3}],
    over_twin=[],
    notes=("3 of 4",),
    provenance={"seconds": 1.0, "seed": 0},
)


def with_n(n):
    return replace(RECORD, rows=[{**RECORD.rows[0], "n": n}])


def test_round_trip(tmp_path):
    path = RECORD.save(tmp_path)
    back = evidence.read(path)
    assert path.relative_to(tmp_path).parts[0] == RECORD.claim
    assert back.rows[0]["value"] == 0.123457 and math.isnan(back.rows[0]["low"])
    assert back.notes == RECORD.notes and back.over_twin == [] and back.n == 3
    assert json.loads(path.read_text())["version"] == evidence.VERSION
    assert not list(tmp_path.rglob("*.part"))


def test_a_failed_write_leaves_the_old_record(tmp_path, monkeypatch):
    path = RECORD.save(tmp_path)
    before = path.read_bytes()
    monkeypatch.setattr(files.os, "replace", lambda *a: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        with_n(9).save(tmp_path)
    assert path.read_bytes() == before and not list(tmp_path.rglob("*.part"))


def test_what_cannot_be_true_is_not_written_and_a_poor_fit_can_be(tmp_path):
    with pytest.raises(EvidenceError, match=r"accuracy is 1\.3"):
        replace(RECORD, rows=[RECORD.rows[0] | {"value": 1.3, "high": 1.4}]).save(tmp_path)
    assert not list(tmp_path.rglob("*.json"))
    poor = replace(RECORD, rows=[RECORD.rows[0] | {"measure": "share rebuilt", "value": -0.14, "high": 0.1}])
    assert evidence.read(poor.save(tmp_path)).rows[0]["value"] == -0.14, "worse than the mean"


def test_a_broken_record_is_named(tmp_path):
    path = RECORD.save(tmp_path)
    path.write_text(path.read_text()[:-20])
    with pytest.raises(EvidenceError, match=path.name):
        evidence.read(path)
    raw = json.loads((tmp_path / RECORD.save(tmp_path)).read_text())
    raw["kind"] = "hearsay"
    path.write_text(json.dumps(raw))
    with pytest.raises(EvidenceError, match="hearsay"):
        evidence.read(path)


def test_the_users_record_takes_precedence(tmp_path, monkeypatch):
    monkeypatch.setattr(evidence, "SHIPPED", tmp_path / "shipped")
    RECORD.save(tmp_path / "shipped")
    with_n(99).save(tmp_path / "mine")
    replace(RECORD, model="other").save(tmp_path / "mine")
    found = evidence.find(RECORD.claim, Settings(evidence=tmp_path / "mine"))
    assert [(e.model, e.n) for e in found] == [("mini", 99), ("other", 3)]


def test_folders_make_distinct_safe_names():
    names = {replace(RECORD, model=m).file.name for m in ("/a/bert", "/b/bert", "/b/bert-untrained", "google-bert/x")}
    assert len(names) == 4 and all("/" not in n for n in names)
    assert replace(RECORD, model="/b/bert-untrained").is_twin


WITHOUT_COMPANION = "lay.base_vs_large.tenney2019a"


SHOWN = "lay.transferability.liu2019a", "semeval2010_task8"  # one task, which says nothing of most


def shipped():
    return evidence.find(None, Settings(evidence=evidence.SHIPPED))


def test_shipped_records_are_of_known_rows_and_decided_by_their_clauses():
    """Every record that comes with the package is a ledger row's, and every rerun is decided by its clauses."""
    for record in shipped():
        ledger.row(record.claim)
        assert record.rows, record.file
        if record.kind == "rerun" and (record.claim, record.data) != SHOWN:
            assert record.judged().outcome in (*OUTCOMES, UNTRAINED_TOO), record.file
            assert all(r["low"] <= r["value"] <= r["high"] for r in record.rows if not math.isnan(r["low"])), (
                record.file
            )
            first = record.rows[0]
            if record.claim == WITHOUT_COMPANION:  # nothing is measured, so there is no figure at all
                assert first["n"] == 0 and math.isnan(first["value"])
            else:
                assert not math.isnan(first["low"]), f"{record.file}: a figure without an interval"


def test_released_outputs_that_may_decide_do():
    """Authors' own outputs and independent reruns of the real BERT: a clause finds their figures, or a name differs."""
    from bertology_utils.cards.standing import is_real

    silent = [
        str(r.file)
        for r in shipped()
        if r.kind == "released" and r.decides and r.stance and is_real(r.model) and r.decision is None
    ]
    assert silent == []


@pytest.mark.parametrize(
    "label, value, decides",
    [
        ("digitised", 0.2, True),  # bound .1, reading error .02
        ("digitised", 0.15, False),  # surely beyond the bound by its interval, but within three reading errors of it
        ("digitised", 0.03, True),  # as surely short of it: what is read off a picture can speak against a claim too
        ("authors", 0.15, True),
        ("related", 0.2, False),
    ],
)
def test_what_is_read_off_a_picture_decides_far_from_the_bound_only(label, value, decides):
    row = {
        "measure": "change, last third - first third",
        "value": value,
        "low": value - 0.01,
        "high": value + 0.01,
        "n": 96,
    }
    source = {"model": "bert-base-uncased", "data": "released/some_picture", "kind": "released", "label": label}
    record = Evidence(claim="trn.last_layers_change.kovaleva2019", rows=[row], **source)
    assert record.decision is not None and record.decides is decides


def test_no_record_names_a_path_of_some_machine():
    for path in evidence.SHIPPED.rglob("*.json"):
        assert "/home/" not in path.read_text() and "/tmp/" not in path.read_text(), path


def test_an_interval_ends_where_its_measure_does(tmp_path):
    """Widened for few units, the interval of .02 reaches to -.01; over the twin it may reach below 0."""
    row = {**RECORD.rows[0], "value": 0.02, "low": -0.01, "high": 0.05}
    over = {**row, "twin_value": 0.99, "twin_low": 0.97, "twin_high": 1.01}
    record = evidence.read(replace(RECORD, rows=[row], over_twin=[over]).save(tmp_path))
    assert (record.rows[0]["low"], record.rows[0]["high"]) == (0.0, 0.05)
    assert (record.over_twin[0]["low"], record.over_twin[0]["twin_high"]) == (-0.01, 1.0)
    gain = evidence.Evidence(**{**vars(RECORD), "rows": [{**row, "measure": "gain over layer 0"}]})
    assert gain.rows[0]["low"] == -0.01


def test_an_interval_widened_for_several_rows_ends_there_too():
    """Any of two rows: 1 - .05 / 2 of each, so 2.24 / 1.96 times as wide, which would reach to -.0014."""
    test = Test(measure="accuracy", above=0.5, by=0.1, unit="share", why="a test", need="any")
    rows = [{"measure": "accuracy", "value": 0.1, "low": 0.01, "high": 0.19, "n": 90, "layer": k} for k in range(2)]
    assert [c.low for c in checks(test, rows, absence=False)] == [0.0, 0.0]
    assert checks(replace(test, need="all"), rows, absence=False)[0].low == pytest.approx(0.01)


def test_bounds_are_kept_for_measures_that_there_are():
    """A misspelt name in the table would bound nothing."""
    there = {
        row["measure"]
        for path in evidence.SHIPPED.glob("*/*.json")
        for row in json.loads(path.read_text("utf-8"))["rows"]
    }
    assert set(believable.LOWEST) <= there


def test_a_source_inside_another_does_not_count_beside_it():
    files = [
        evidence.SHIPPED / evidence.place(RECORD.claim, "rerun", "mpnet", data)
        for data in ledger.row(RECORD.claim).data[:3]
    ]
    whole, part, other = map(evidence.read, files)
    assert part.data in ledger.row(RECORD.claim).part_of
    assert evidence.together([whole, part, other]) == evidence.together([whole, other])
    assert evidence.together([part, other]) != evidence.together([other])  # alone, the part speaks
