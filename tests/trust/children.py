"""Forked processes that work, or are killed while they do, and the half-written files that they may leave."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tqdm import tqdm

KILLS = int(os.environ.get("TRUST_KILLS", "6"))


def in_a_child(work: Callable[[], object]) -> int:
    """A forked process that works; its number.

    It takes a lock of its own for bars of progress. tqdm's is one for a process and all that it forks: held by a thread
    here, the child would wait for ever; held by a child that is killed, we should.
    """
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        tqdm.set_lock(threading.RLock())
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):
            work()
        code = 0
    finally:
        os._exit(code)


def killed(work: Callable[[], object], longest: float, seed: int) -> int:
    """How many of `KILLS` processes that work again and again were killed in the middle of it."""
    draw, hit = random.Random(seed), 0
    for _ in range(KILLS):

        def forever():
            while True:
                work()

        child = in_a_child(forever)
        time.sleep(draw.uniform(0.001, longest))
        os.kill(child, signal.SIGKILL)
        hit += os.WIFSIGNALED(os.waitpid(child, 0)[1])
    return hit


def litter(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if ".part" in p.name]
