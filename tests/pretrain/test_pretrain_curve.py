"""Checkpoints in order, and their agreement across attractors as rows."""

from __future__ import annotations

import json
import shutil

import pytest
import torch
from typer.testing import CliRunner

from bertology_utils.cli import app
from bertology_utils.pretrain import CheckpointError, curve
from bertology_utils.subject.models import bundled


@pytest.fixture
def run(tmp_path):
    """A run's folder with `toy` as its end and, as a checkpoint before that, the same file with a head that says nothing."""
    import safetensors.torch as files

    for name, tokens in (("model", 2_000), ("step-0000001", 1_000)):
        folder = shutil.copytree(bundled()["toy"], tmp_path / "run" / name)
        record = json.loads((folder / "training.json").read_text("utf-8")) | {"tokens": tokens, "steps": tokens // 10}
        (folder / "training.json").write_text(json.dumps(record), "utf-8")
    weights = files.load_file(folder / "model.safetensors")
    files.save_file(
        {k: torch.zeros_like(v) if k.startswith("cls.") else v for k, v in weights.items()},
        folder / "model.safetensors",
        {"format": "pt"},
    )
    return tmp_path / "run"


def test_checkpoints_come_fewest_pieces_first(run, tmp_path):
    assert [p.name for p in curve.checkpoints(run)] == ["step-0000001", "model"]
    with pytest.raises(CheckpointError, match="no exported checkpoint in"):
        list(curve.checkpoints(tmp_path))


def test_a_row_per_checkpoint_and_number_of_attractors(run):
    rows = curve.agreement(run, n=240, draws=100)
    assert list(rows.columns) == list(curve.COLUMNS)
    assert rows[["tokens", "attractors"]].to_numpy().tolist() == [[t, a] for t in (1_000, 2_000) for a in (0, 1, 2)]
    zero, toy = (rows[rows.checkpoint == name] for name in ("step-0000001", "model"))
    assert not zero.value.any()  # all forms equally likely: none is preferred
    assert toy.value.iloc[0] > 0.8 and toy.n.sum() == zero.n.sum() <= 240
    assert ((rows.low <= rows.value) & (rows.value <= rows.high)).all()


def test_the_command_line_prints_the_rows(run):
    shown = CliRunner().invoke(app, ["learning-curve", str(run), "--n", "60"])
    assert shown.exit_code == 0, shown.output
    assert shown.output.splitlines()[0] == ",".join([*curve.COLUMNS, "run"]) and shown.output.count("step-0000001") == 3
