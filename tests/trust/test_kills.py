"""Processes killed at random moments while they write: what is there is whole, and the next run leaves no litter.

`TRUST_KILLS=50 pytest tests/trust/test_kills.py` is the long form.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import subprocess
import threading
import time

import nbformat
import pytest
import torch
from children import KILLS, in_a_child, killed, litter
from pretrain_corpus import configuration, write
from tqdm import tqdm

from bertology_pretrain import checkpoint, corpus
from bertology_utils import files
from bertology_utils.claims import evidence
from bertology_utils.claims.evidence import Evidence

ROW = {"condition": "simple", "measure": "accuracy", "value": 0.5, "low": 0.4, "high": 0.6, "n": 30}
RECORD = Evidence(claim="syn.agreement.goldberg2019", model="mini", data="builtin", kind="rerun", rows=[ROW] * 200)


def count() -> None:
    with open(os.devnull, "w") as nowhere:
        list(tqdm(range(3), file=nowhere))


def test_a_child_and_its_parent_do_not_wait_for_each_others_bars_of_progress():
    with tqdm.get_lock():  # as the thread that watches bars may, at the moment of the fork
        child = in_a_child(count)
        assert os.waitpid(child, 0)[1] == 0

    def holds_on():
        with tqdm.get_lock():
            time.sleep(60)

    assert killed(holds_on, 0.2, seed=0) == KILLS
    after = threading.Thread(target=count, daemon=True)
    after.start()
    after.join(10)
    assert not after.is_alive()


def test_records_are_whole_and_the_next_one_sweeps_up(tmp_path):
    path = RECORD.save(tmp_path)
    assert killed(lambda: RECORD.save(tmp_path), 0.05, seed=1) == KILLS
    assert len(evidence.read(path).rows) == 200
    RECORD.save(tmp_path)
    assert litter(tmp_path) == [] and [p for p in tmp_path.rglob("*") if p.is_file()] == [path]


def test_the_sweep_leaves_what_a_living_process_writes(tmp_path):
    with files.scratch(tmp_path / "mine") as mine:
        mine.write_text("half")
        files.write(tmp_path / "other", "whole")
        assert mine.read_text() == "half"
    assert (tmp_path / "mine").read_text() == "half" and litter(tmp_path) == []


def test_notebooks_are_whole(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1\n" * 500) for _ in range(20)])
    path = files.write(tmp_path / "one.ipynb", nbformat.writes(notebook) + "\n")
    assert killed(lambda: files.write(path, nbformat.writes(notebook) + "\n"), 0.05, seed=2) == KILLS
    assert len(nbformat.read(path, as_version=4).cells) == 20
    files.write(path, nbformat.writes(notebook) + "\n")
    assert litter(tmp_path) == []


def test_checkpoints_are_whole(tmp_path):
    state = {"identity": {"seed": 0}, "model": {"w": torch.arange(200_000.0)}}
    path = tmp_path / "checkpoint.pt"
    checkpoint.save(path, state)
    assert killed(lambda: checkpoint.save(path, state), 0.05, seed=3) == KILLS
    assert torch.equal(checkpoint.load(path, {"seed": 0})["model"]["w"], state["model"]["w"])
    checkpoint.save(path, state)
    assert litter(tmp_path) == []


def test_a_tokenised_corpus_is_there_whole_or_not_at_all(tmp_path):
    write(tmp_path / "text.txt")
    cache = tmp_path / "cache"

    def afresh():
        for folder in corpus.cache_folder(cache).glob("[!.]*"):
            folder.rename(cache / f"old-{os.getpid()}-{time.monotonic_ns()}")  # so that it is made again
        corpus.load(tmp_path / "text.txt", configuration(), cache)

    assert killed(afresh, 0.3, seed=4) == KILLS
    made = corpus.load(tmp_path / "text.txt", configuration(), cache)
    assert len(made.tokens) == made.sentences[-1] > 0
    assert litter(cache) == []


def test_two_at_once_on_one_cache_have_the_same_corpus(tmp_path):
    write(tmp_path / "text.txt")

    def tell(name):
        made = corpus.load(tmp_path / "text.txt", configuration(), tmp_path / "cache")
        (tmp_path / name).write_text(json.dumps([len(made.tokens), made.tokenizer.to_str()]))

    children = [in_a_child(lambda name=name: tell(name)) for name in ("one", "two")]
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]
    assert (tmp_path / "one").read_text() == (tmp_path / "two").read_text()
    assert len(list(corpus.cache_folder(tmp_path / "cache").iterdir())) == 1


@pytest.fixture
def small(tmp_path):
    """A file system of 256 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    try:
        made = subprocess.run(mount, capture_output=True).returncode == 0
    except OSError:
        made = False
    if not made:
        pytest.skip("this user may not mount a small file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_said_and_loses_nothing(small):
    path = RECORD.save(small)
    before = path.read_bytes()
    with contextlib.suppress(OSError), (small / "filler").open("wb") as stream:
        while True:
            stream.write(b"0" * 4096)
            stream.flush()
    with pytest.raises(files.CannotWrite, match="No space left on device"):
        RECORD.save(small)
    with pytest.raises(files.CannotWrite, match=r"checkpoint\.pt cannot be written"):
        checkpoint.save(small / "checkpoint.pt", {"w": torch.zeros(100_000)})
    with pytest.raises(files.CannotWrite):
        files.writable(small / "more")
    assert path.read_bytes() == before and litter(small) == [] and not (small / "checkpoint.pt").exists()
    (small / "filler").unlink()
    assert RECORD.save(small) == path


def test_a_full_disk_is_simulated_where_none_can_be_mounted(tmp_path, monkeypatch):
    path = RECORD.save(tmp_path)
    before = path.read_bytes()
    monkeypatch.setattr(
        files.os, "fsync", lambda _: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space left on device"))
    )
    with pytest.raises(files.CannotWrite, match="No space left on device"):
        RECORD.save(tmp_path)
    assert path.read_bytes() == before and litter(tmp_path) == []
