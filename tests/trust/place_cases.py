"""Places that cannot be written to, and training that is broken off: a case for each such row of the table of faults."""

from __future__ import annotations

import errno
import os
import signal

import torch
import yaml
from bench import Bench, Said, case

from bertology_pretrain import checkpoint, loop
from bertology_utils import files


@case("evidence-is-file")
def _(bench):
    (bench.folder / "evidence").write_text("")
    return bench.run()


@case("evidence-unwritable")
def _(bench):
    return bench.run("--evidence", "/proc/bertology")  # nobody can make a folder there, not even root


def full(bench: Bench, module: object) -> None:
    """From now on the disk is full for whoever writes by this module."""

    def fsync(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    bench.patch.setattr(module.os, "fsync", fsync)


@case("evidence-disk-full")
def _(bench):
    full(bench, files)
    said = bench.run()
    assert not [p for p in (bench.folder / "evidence").rglob("*") if p.is_file()]
    return said


@case("report-no-place")
def _(bench):
    (bench.folder / "file").write_text("")
    return bench("report", "--section", "size", "--out", bench.folder / "file" / "report.md")


@case("report-disk-full")
def _(bench):
    target = bench.folder / "report.md"
    target.write_text("before")
    full(bench, files)
    said = bench("report", "--section", "size", "--out", target)
    assert target.read_text() == "before" and list(bench.folder.glob(".*")) == []
    return said


def training(bench: Bench, *words: object) -> Said:
    """A run of a few steps."""
    from pretrain_corpus import configuration, write

    text, config = bench.folder / "text.txt", bench.folder / "tiny.yaml"
    write(text)
    config.write_text(yaml.safe_dump(configuration(checkpoint_seconds=1e9).as_dict()))
    given = ("--config", config, "--corpus", text, "--out", bench.folder / "run", "--cache", bench.folder / "cache")
    return bench("pretrain", *given, "--device", "cpu", *words)


@case("checkpoint-no-place")
def _(bench):
    (bench.folder / "run").write_text("")
    return training(bench)


@case("checkpoint-disk-full")
def _(bench):
    full(bench, checkpoint)
    return training(bench, "--minutes", 1e-9)


@case("checkpoint-damaged")
def _(bench):
    (bench.folder / "run").mkdir()
    (bench.folder / "run" / "checkpoint.pt").write_bytes(b"PK\x03\x04 not a checkpoint")
    return training(bench, "--minutes", 1e-9)


def _signalled(bench: Bench, number: int) -> Said:
    advance = loop.Run.advance

    def interrupted(self):
        if self.number == 2:
            os.kill(os.getpid(), number)
        return advance(self)

    bench.patch.setattr(loop.Run, "advance", interrupted)
    said = training(bench)
    assert torch.load(bench.folder / "run" / "checkpoint.pt", weights_only=True)["number"] == 3
    return said


@case("training-interrupted")
def _(bench):
    return _signalled(bench, signal.SIGINT)


@case("training-terminated")
def _(bench):
    return _signalled(bench, signal.SIGTERM)
