"""Runs of training on one processor: what their checkpoints hold, a power cut in the middle of one, a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from bertology_pretrain import loop
from bertology_pretrain.masking import Batch
from bertology_pretrain.parallel import World

WORLD = World(0, 1, torch.device("cpu"))


class PowerCut(Exception):
    """Nothing is written any more."""


@contextmanager
def power_cut(when: Callable[[loop.Run], bool]) -> Iterator[None]:
    """The run in this block breaks off before the first step of which `when` is true; one that does not fails the test."""
    advance = loop.Run.advance

    def crashing(run: loop.Run):
        if when(run):
            raise PowerCut
        return advance(run)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(PowerCut):
        patch.setattr(loop.Run, "advance", crashing)
        yield


def saved(folder: Path) -> dict:
    """The checkpoint of a run."""
    return torch.load(folder / "checkpoint.pt", weights_only=True)


def random_batch(rows: int = 4, length: int = 16, vocab: int = 300) -> Batch:
    """Rows of random pieces, three hidden in each."""
    rng = torch.Generator().manual_seed(0)
    ids = torch.randint(5, vocab, (rows, length), generator=rng)
    slots = torch.arange(1, 4).expand(rows, 3)
    return Batch(
        ids,
        torch.zeros_like(ids),
        torch.ones(rows, 1, 1, length, dtype=torch.bool),
        slots,
        ids.gather(1, slots),
        torch.ones(rows, 3),
        torch.zeros(rows, dtype=torch.long),
    )
