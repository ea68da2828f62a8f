"""Several processes under `torchrun` compute what one does; files are written whole or not at all."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
import torch
import yaml
from pretrain_corpus import ROOT, configuration, write

from bertology_pretrain import checkpoint, train
from bertology_utils.family.config import Phase

TWO = configuration(
    name="two",
    layers=2,
    tokens=8_000,
    micro_tokens=128,
    phases=(Phase(length=16, share=0.5, layers=1), Phase(length=32, share=0.5)),
)


def test_two_processes_compute_what_one_does(tmp_path):
    """Under torchrun, with growth and accumulation on the way: same rows, same figures, same weights up to rounding."""
    file = tmp_path / "two.yaml"
    file.write_text(yaml.safe_dump(TWO.as_dict()), "utf-8")
    text, cache = write(tmp_path / "text.txt"), tmp_path / "cache"
    train.run(TWO, text, tmp_path / "one", device="cpu", cache=cache)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    command += ["-m", "bertology_pretrain", "--config", file, "--corpus", tmp_path / "text.txt"]
    command += ["--out", tmp_path / "two", "--cache", tmp_path / "cache", "--device", "cpu"]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(tmp_path / "two" / "model")] * 2
    one, two = (torch.load(tmp_path / n / "checkpoint.pt", weights_only=True) for n in ("one", "two"))
    assert one["order"] == two["order"] and one["number"] == two["number"]
    assert json.loads((tmp_path / "two/model/training.json").read_text())["processes"] == 2
    logs = [(tmp_path / n / "log.jsonl").read_text("utf-8").splitlines() for n in ("one", "two")]
    assert len(logs[0]) == len(logs[1]) > 1
    for a, b in (map(json.loads, pair) for pair in zip(*logs)):
        assert a["mlm"] == pytest.approx(b["mlm"], abs=2e-3) and a["nsp"] == pytest.approx(b["nsp"], abs=2e-3)
    for name, value in one["model"].items():
        torch.testing.assert_close(two["model"][name], value, atol=1e-3, rtol=0, msg=name)


def test_files_are_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "file"
    checkpoint.atomic(path, lambda stream: stream.write(b"old"))

    def fails(stream):
        stream.write(b"new, but")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        checkpoint.atomic(path, fails)
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]
    checkpoint.atomic(path, lambda stream: stream.write(b"new"))
    assert path.read_bytes() == b"new"
