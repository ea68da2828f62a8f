"""How long a run may take: what is made of the seconds of records, and the pace that they are multiplied by."""

import time

import pytest
import torch
from bench import Bench
from support import tiny, tiny_folder

from bertology_utils.claims import evidence
from bertology_utils.settings import Settings
from bertology_utils.sweep import plan

GAPS, SOURCE = "syn.agreement.goldberg2019", "marvin_linzen2018"


def recorded(model: str) -> float:
    return evidence.read(evidence.SHIPPED / evidence.place(GAPS, "rerun", model, SOURCE)).provenance["seconds"]


def test_at_the_pace_of_its_records_a_claim_takes_what_they_took():
    name = next(n for n in plan.PACE if (evidence.SHIPPED / evidence.place(GAPS, "rerun", n, SOURCE)).is_file())
    its = plan.PACE[name]
    once, with_twin = recorded(name), recorded(name) + recorded(f"{name}-untrained")
    assert plan.seconds(GAPS, SOURCE, its, twin=False) == pytest.approx(once)
    assert plan.seconds(GAPS, SOURCE, its) == pytest.approx(with_twin)
    # ten times as slow: ten times as long, but for what does not go with the network
    assert plan.seconds(GAPS, SOURCE, 10 * its) == pytest.approx(with_twin * (10 - 9 * plan.FIXED))
    assert plan.seconds(GAPS, SOURCE, 1e-9) == pytest.approx(with_twin * plan.FIXED, rel=1e-3)


def test_what_has_no_record_counts_as_the_mean_and_is_counted():
    work = [(GAPS, SOURCE), (GAPS, "no such data")]
    assert plan.seconds(*work[1], 1e-3) is None
    assert plan.total(work, 1e-3) == (pytest.approx(2 * plan.seconds(GAPS, SOURCE, 1e-3)), 1)
    assert plan.total(work, plan.QUICK_PACE, fast=True) == (pytest.approx(2 * plan.QUICK), 0)


def test_the_pace_is_that_of_reading(monkeypatch):
    """A network that is made to sleep 20 ms per batch of 16 rows of 32 pieces reads one in at least 20 / 512 ms."""
    subject, settings = tiny(), Settings(device="cpu", batch_tokens=512)
    fast = plan.pace(subject, settings)
    hook = subject.base.register_forward_pre_hook(lambda *_: time.sleep(0.02))
    try:
        slow = plan.pace(subject, settings)
    finally:
        hook.remove()
    assert fast > 0 and 0.02 / 512 <= slow < 1 and torch.is_grad_enabled()


def test_the_command_says_what_it_multiplies_and_what_comes_of_it(tmp_path, monkeypatch, capsys):
    bench = Bench(tmp_path, monkeypatch, capsys)
    monkeypatch.setattr(plan, "pace", lambda *_: plan.PACE["mini"])
    said = bench("plan", "all", "--model", tiny_folder(), "--data", "original")
    assert (said.code, said.err) == (0, "")
    first, *sections, last = said.out.splitlines()
    assert "reads a word piece in 0.210 ms on cpu" in first and len(sections) == 9
    assert last.startswith("in all ") and last.endswith("extrapolated; 24 claims measure no such model")
    one = bench("plan", GAPS, "--model", tiny_folder(), "--data", SOURCE)
    assert "syntax          1 measurements: " in one.out
