"""Calls in several processes: one that is killed, one that raises, and a caller that wants no more."""

import multiprocessing
import os
import signal
import time

import pytest

from bertology_utils import processes


def begin(jobs: int) -> None:
    os.environ["JOBS"] = str(jobs)


def given(call: str) -> str:
    if call == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if call == "raises":
        raise ZeroDivisionError(call)
    if call == "waits":
        time.sleep(300)
    return f"{call} {os.environ['JOBS']}"


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_process_takes_its_own_call_alone_with_it(jobs):
    calls = ["a", "dies", "b", "dies", "c"]
    found = list(processes.each(given, calls, jobs, begin))
    expected = [("a", f"a {jobs}"), ("b", f"b {jobs}"), ("c", f"c {jobs}"), ("dies", None), ("dies", None)]
    assert sorted(found, key=lambda each: each[0]) == expected
    assert not multiprocessing.active_children()


def test_what_a_call_raises_is_raised():
    with pytest.raises(ZeroDivisionError, match="raises"):
        list(processes.each(given, ["raises"], 1, begin))


def test_of_who_wants_no_more_nothing_goes_on():
    before = time.monotonic()
    found = processes.each(given, ["a", "waits", "waits", "b"], 2, begin)
    assert next(found) == ("a", "a 2")
    found.close()
    assert time.monotonic() - before < 30 and not multiprocessing.active_children()


def test_no_calls_no_processes():
    assert list(processes.each(given, [], 2, begin)) == []
