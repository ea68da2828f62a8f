"""`make real` from a Hub on this machine that serves the published layouts: killed, taken up, its failures recorded.

On generated data: the studies' own are not in the repository. The weights are tiny and random, so no figure is looked at.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import fake_hub
import published
import pytest
from bench import Bench
from support import tiny_folder

from bertology_utils import runs
from bertology_utils.book.stage import ROOT
from bertology_utils.claims import evidence, ledger
from bertology_utils.subject import hub

SECTION = "embeddings"
CLAIMS = [r.id for r in ledger.rows(SECTION) if r.id in runs.registered()]
REFUSED = "emb.static_distillation.bommasani2020"  # on few items there is no word in 50 contexts
KINDS = (
    "emb.anisotropy.ethayarajh2019",
    "syn.agreement.goldberg2019",
    "hed.special_tokens.clark2019",
)  # states, gaps, maps
QUICK = ("--fast", "--n", "150", "--data", "builtin")
pytestmark = pytest.mark.skipif(not shutil.which("make"), reason="needs make")


@pytest.fixture(scope="module")
def repos(tmp_path_factory):
    return published.everything(tmp_path_factory.mktemp("hub"))


def installed(folder: Path) -> Path:
    """What `make` takes for an environment that it made before: this one."""
    (folder / "bin").mkdir(parents=True)
    for name, words in {"python": "", "bertology": " -m bertology_utils.cli"}.items():
        script = folder / "bin" / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}"{words} "$@"\n')
        script.chmod(0o755)
    (folder / ".installed").touch()
    return folder


def records(folder: Path) -> dict[str, int]:
    return {p.parent.name: p.stat().st_mtime_ns for p in folder.glob("*/*.json")}


def test_make_real_killed_is_taken_up_and_says_what_failed(repos, tmp_path):
    mine, asked = tmp_path / "evidence", (*KINDS, REFUSED)  # `make` hands on the names as they are
    # under `make test` this is a make within make, which says which folder it enters
    words = [
        "make",
        "--no-print-directory",
        "real",
        f"VENV={installed(tmp_path / 'venv')}",
        f"CLAIMS={' '.join(asked)}",
        f"OPTIONS={' '.join(QUICK)}",
    ]
    words.append("BOOK=echo the book:")  # tests/book builds one with a reader's own records
    kept = {k: v for k, v in os.environ.items() if k not in fake_hub.PROXIES and not k.startswith("BERTOLOGY_")}
    own = {"BERTOLOGY_EVIDENCE": str(mine), "HF_HUB_CACHE": str(tmp_path / "cache"), "HF_HUB_DISABLE_XET": "1"}
    with fake_hub.listening(repos) as (address, server):
        told = {**kept, **own, "HF_ENDPOINT": address, "HF_HUB_OFFLINE": "0", "PYTHONPATH": str(ROOT)}
        first = subprocess.Popen(words, cwd=ROOT, env=told, stdout=subprocess.PIPE, text=True, start_new_session=True)
        end = time.monotonic() + 120
        while not records(mine) and first.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        os.killpg(first.pid, signal.SIGKILL)
        first.communicate()
        before = records(mine)
        assert 0 < len(before) < len(KINDS), "killed too early or too late"
        done = subprocess.run(words, cwd=ROOT, env=told, capture_output=True, text=True, timeout=300)
        fetched = [a for a in server.asked if a.startswith("GET") and a.endswith("model.safetensors")]
    after = records(mine)
    assert after.keys() == set(KINDS) and after.items() >= before.items(), done.stderr
    assert len(fetched) == 1 and "google-bert/bert-base-uncased" in fetched[0]
    assert done.returncode == 2 and "real] Error 2" in done.stderr
    assert f"1 could not be measured, the rest was; {mine / 'failed.txt'} says why" in done.stderr
    assert (
        (mine / "failed.txt").read_text().startswith(f"{REFUSED} on builtin: {REFUSED} cannot be measured on n = 150")
    )
    *_, last, book = done.stdout.splitlines()
    assert book == "the book: build --execute --own bert-base-uncased"
    assert re.fullmatch(
        r"(\d+ measured before, )?(\d+ measured, )?1 not measured(, \d+ measured( before)?)*; .* hours", last
    ), last
    (row,) = [line for line in done.stdout.splitlines() if line.startswith(REFUSED)]
    assert "not measured" in row and "ask for more" in row


@pytest.mark.parametrize("name", [n for n in published.NAMES if n != "bert-base-uncased"])
def test_the_other_published_models_are_measured_too(repos, name, tmp_path, monkeypatch, capsys):
    bench = Bench(tmp_path, monkeypatch, capsys)
    with fake_hub.serving(repos, tmp_path / "hub", monkeypatch):
        said = bench("run", *KINDS, "--model", name, "--fast", "--n", 60)
    assert records(tmp_path / "evidence").keys() == set(KINDS) and (said.code, said.err) == (0, ""), said
    (of,) = {evidence.read(p).provenance["subject_source"] for p in (tmp_path / "evidence").glob("*/*.json")}
    assert of == f"hub@{hub.REVISIONS[name]}"


@pytest.mark.parametrize("jobs", [(), ("--jobs", "2")])
def test_ctrl_c_ends_a_long_run_at_once_and_says_how_to_go_on(tmp_path, jobs):
    mine = tmp_path / "evidence"
    words = ["run", SECTION, "--model", str(tiny_folder()), *QUICK, *jobs]
    told = {**{k: v for k, v in os.environ.items() if not k.startswith("BERTOLOGY_")}, "BERTOLOGY_EVIDENCE": str(mine)}
    command = [sys.executable, "-m", "bertology_utils.cli", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    heard = partial(signal.signal, signal.SIGINT, signal.default_int_handler)  # whatever started pytest may ignore it
    run = subprocess.Popen(command, cwd=ROOT, env=told, start_new_session=True, preexec_fn=heard, **pipes)
    end = time.monotonic() + 120
    while not records(mine) and run.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does: every process of the group has it
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130, err
    assert "stopped; the same command with --missing measures what is missing" in err and "Traceback" not in err
    assert 0 < len(records(mine)) < len(CLAIMS) - 1
    assert "not reached" in out and re.search(r"\d+ not reached", out.splitlines()[-1])


def test_where_nothing_is_missing_that_is_said(tmp_path, monkeypatch, capsys):
    bench = Bench(tmp_path, monkeypatch, capsys)
    words = ("run", KINDS[1], KINDS[2], "--model", tiny_folder(), "--fast", "--n", 60, "--missing")
    first, second = bench(*words), bench(*words)
    assert "nothing is missing" not in first.out and "nothing is missing" in second.out
    assert "2 measured before; " in second.out and (second.code, second.err) == (0, "")


def test_a_failure_is_forgotten_when_nothing_fails_any_more(tmp_path, monkeypatch, capsys):
    bench = Bench(tmp_path, monkeypatch, capsys)
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "failed.txt").write_text("of another day")
    two = ("syn.agreement.goldberg2019", "wld.closed_book.roberts2020")  # the second is for another kind of model
    assert bench("run", *two, "--model", tiny_folder(), "--fast", "--n", 30).code == 0
    assert not (tmp_path / "evidence" / "failed.txt").exists()
