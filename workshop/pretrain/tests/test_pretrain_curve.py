"""Checkpoints in order, and their agreement across attractors as rows."""

from __future__ import annotations

import json
import shutil

import pytest
import torch
from pretrain_corpus import write
from typer.testing import CliRunner

from bertology_pretrain import CheckpointError, curve
from bertology_pretrain.train import run as train
from bertology_utils.cli import app
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


def test_held_out_figures_are_of_the_same_rows(tmp_path):
    """A run's last export has the figures of its record, by its configuration; by another seed's rows it has others."""
    text, seeds = tmp_path / "a.txt", []
    write(text)
    for seed in (0, 1):
        (tmp_path / f"{seed}.yaml").write_text(f"{{base: tiny, tokens: 2_000, exports: 1, seed: {seed}}}", "utf-8")
        seeds.append(str(tmp_path / f"{seed}.yaml"))
    folder = train(seeds[0], text, tmp_path / "run", device="cpu", cache=tmp_path)
    record = json.loads((folder / "training.json").read_text("utf-8"))["heldout"]
    own, other = (curve.heldout(tmp_path / "run", text, config, tmp_path).set_index("checkpoint") for config in seeds)
    assert len(own) > 1 and own.heldout_mlm["model"] == pytest.approx(record["heldout_mlm"], abs=0.01)
    assert own.heldout_predictions["model"] == record["heldout_predictions"]
    assert own.heldout_mlm.nunique() == len(own) and (own.heldout_mlm != other.heldout_mlm).all()
    options = ["--corpus", str(text), "--config", seeds[0], "--cache", str(tmp_path)]
    shown = CliRunner().invoke(app, ["learning-curve", str(tmp_path / "run"), *options])
    assert shown.exit_code == 0 and shown.output.splitlines()[-1].endswith("run"), shown.output
