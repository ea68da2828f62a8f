"""A function called in several processes, of which one may be killed without harm to the others' calls."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from typing import TypeVar

Call = TypeVar("Call")
Given = TypeVar("Given")


def each(
    function: Callable[[Call], Given], calls: Sequence[Call], jobs: int, begin: Callable[[int], None]
) -> Iterator[tuple[Call, Given | None]]:
    """Each call with what the function gives for it, as they come; None where its process was killed.

    Where the caller is interrupted, or wants no more of them, the processes end and what is queued never begins.

    Parameters
    ----------
    function : callable
        Of one call; what it raises is raised here. Found by its name in a new process, like `begin`.
    calls : sequence
    jobs : int
        Processes at the same time.
    begin : callable
        Called in each process with `jobs` before anything else.
    """
    context = get_context("spawn")  # a forked process would share torch's threads and the accelerator's state
    others, waiting = set(active_children()), deque(calls)
    running: dict[Future[Given], tuple[ProcessPoolExecutor, Call]] = {}

    def pool() -> ProcessPoolExecutor:  # of one process: of a larger one, a killed process breaks the whole
        return ProcessPoolExecutor(1, mp_context=context, initializer=_begin, initargs=(begin, jobs))

    idle = [pool() for _ in range(min(jobs, len(calls)))]
    try:
        while waiting or running:
            while waiting and idle:
                free, call = idle.pop(), waiting.popleft()
                running[free.submit(function, call)] = (free, call)
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                used, call = running.pop(future)
                killed = isinstance(future.exception(), BrokenProcessPool)
                idle.append(pool() if killed else used)
                yield call, None if killed else future.result()
    finally:
        if running:
            for child in set(active_children()) - others:
                child.kill()
        for used in (*idle, *(used for used, _ in running.values())):
            used.shutdown()


def _begin(begin: Callable[[int], None], jobs: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal: the first one sees to it
    begin(jobs)
