"""The workflow for many machines: killed half-way and taken up again, it leaves what one run leaves."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SNAKEMAKE = shutil.which("snakemake") or shutil.which("snakemake", path=str(Path(sys.executable).parent))
CLAIMS = ["emb.segment_position.mickus2019", "emb.anisotropy.ethayarajh2019"]
pytestmark = pytest.mark.skipif(not SNAKEMAKE, reason="needs snakemake (pip install snakemake)")


def command(out: Path) -> list[str]:
    bertology = Path(sys.executable).parent / "bertology"
    config = [f"claims=[{','.join(CLAIMS)}]", "options=--n 100 --no-twin", f"bertology={bertology}", f"out={out}"]
    return [SNAKEMAKE, "-q", "-s", str(ROOT / "workflow" / "Snakefile"), "--cores", "1", "--config", *config]


def rows(folder: Path) -> dict[str, list]:
    return {p.parent.name: json.loads(p.read_text("utf-8"))["rows"] for p in sorted(folder.rglob("rerun--*.json"))}


def test_killed_half_way_it_goes_on_and_leaves_the_same_evidence(tmp_path):
    started = subprocess.Popen(command(tmp_path / "a"), cwd=tmp_path, start_new_session=True)
    done = tmp_path / "a" / "seed-0" / "done" / "mini"
    end = time.monotonic() + 240
    while not list(done.glob("emb.*")) and time.monotonic() < end and started.poll() is None:
        time.sleep(0.2)
    os.killpg(started.pid, signal.SIGKILL)
    started.wait()
    first = {p.name: p.stat().st_mtime_ns for p in done.glob("emb.*")}
    assert len(first) == 1, "killed too early or too late to be half-way"
    subprocess.run(command(tmp_path / "a"), cwd=tmp_path, check=True, timeout=300)
    marks = {p.name: p.stat().st_mtime_ns for p in done.glob("emb.*")}
    assert marks.keys() == {f"{c} builtin" for c in CLAIMS} and marks.items() >= first.items()
    subprocess.run(command(tmp_path / "b"), cwd=tmp_path, check=True, timeout=300)
    evidence = "seed-0/evidence"
    assert rows(tmp_path / "a" / evidence) == rows(tmp_path / "b" / evidence)
    assert set(rows(tmp_path / "b" / evidence)) == set(CLAIMS)
