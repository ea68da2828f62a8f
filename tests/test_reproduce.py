"""Records rerun: the same one passes; one whose figure was moved by a fifth of its half-width does not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bertology_utils import cli, reproduce, runs
from bertology_utils.claims import evidence as records
from bertology_utils.settings import Settings

CLAIM = "syn.agreement.goldberg2019"  # among the cheapest


@pytest.fixture(scope="module")
def shipped(tmp_path_factory) -> Path:
    """A folder with one claim's records, of few items."""
    folder = tmp_path_factory.mktemp("shipped")
    runs.run(CLAIM, Settings(device="cpu", n=60, evidence=folder))
    return folder


def only(folder: Path, name: str, tmp_path: Path, change=lambda raw: None) -> Path:
    """A folder with one of the records, changed."""
    (path,) = folder.glob(f"*/rerun--{name}--builtin.json")
    raw = json.loads(path.read_text())
    change(raw)
    other = tmp_path / path.relative_to(folder).with_name(f"rerun--{raw['model']}--{raw['data']}.json")
    other.parent.mkdir(parents=True)
    other.write_text(json.dumps(raw))
    return tmp_path


def by_share(share):
    def change(raw):
        (row, *_) = [r for r in raw["rows"] if r["low"] is not None and r["high"] - r["low"] > 0.05]
        row["value"] += share * (row["high"] - row["low"]) / 2

    return change


def checked(root: Path):
    return CliRunner().invoke(cli.app, ["check", "--n", "1", "--device", "cpu", "--shipped", str(root)])


def test_a_record_is_reproduced(shipped, tmp_path):
    result = checked(only(shipped, "mini", tmp_path))
    assert result.exit_code == 0 and "the same" in result.output, result.output


def test_a_record_that_was_tampered_with_is_not(shipped, tmp_path):
    result = checked(only(shipped, "mini-untrained", tmp_path, by_share(0.2)))
    assert result.exit_code == 1 and "DIFFERS" in result.output and "value is" in result.output, result.output


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (by_share(0.09), None),
        (by_share(-0.2), "value is"),
        (lambda raw: raw["rows"][0].update(n=raw["rows"][0]["n"] + 1), "rows: "),
        (lambda raw: raw["rows"].pop(), "rows, not"),
        (lambda raw: raw["over_twin"][0].update(twin_value=9.0), "twin_value is"),
        (lambda raw: raw.update(notes=["other"]), "notes are"),
        (lambda raw: raw["provenance"].update(data_sha256="0"), "data_sha256 is"),
    ],
)
def test_what_differs_is_named(shipped, tmp_path, change, said):
    (fresh,) = shipped.glob("*/rerun--mini--builtin.json")
    (stored,) = only(shipped, "mini", tmp_path, change).glob("*/*.json")
    differences, largest = reproduce.compare(records.read(stored), records.read(fresh))
    if said is None:
        assert not differences and 0.5 < largest <= 1
    else:
        assert any(said in line for line in differences)


def test_what_cannot_be_rerun_is_not_drawn(shipped, tmp_path):
    settings = Settings(device="cpu")
    assert {r.model for r in reproduce.reproducible(settings, shipped)} == {"mini", "mini-untrained"}
    elsewhere = only(shipped, "mini", tmp_path, lambda raw: raw.update(data="somewhere"))
    assert not reproduce.reproducible(settings, elsewhere)
    assert reproduce.reproducible(replace(settings, mirror=tmp_path), elsewhere)
    with pytest.raises(reproduce.NothingToRerun):
        next(reproduce.reproduce(settings, root=elsewhere))
