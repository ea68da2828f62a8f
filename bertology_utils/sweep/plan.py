"""How long claims will take on a model: an extrapolation from the seconds of shipped records and the pace of the model here.

Most of a measurement is reading texts, so its time goes with the time that a word piece takes; the rest (probes on their
own, intervals) does not. What is made of that is an order of magnitude: a network that has learnt more passes more gates,
and then more is measured.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable
from typing import Any

from .. import runs
from ..settings import TWIN, Settings
from ..subject.models import Subject

# Seconds that a word piece took on the core that the shipped records were made on (mpnet in bfloat16); the largest network
# first.
PACE = {"mpnet": 0.33e-3, "all-MiniLM-L6-v2": 0.29e-3, "mini": 0.21e-3, "mini-multi": 0.17e-3}
# Share of a record's seconds that does not go with them: `toy` reads in a fifth of the time of `mini`, and its 54 records on
# generated data took a third of the time of the same records of `mini`.
FIXED = 1 / 6
# A quick try (`--fast`) of 103 claims on a random network of BERT-base's size took 53 minutes of a core, at this pace.
QUICK, QUICK_PACE = 53 * 60 / 103, 2.2e-3
LENGTH, TRIES = 32, 5  # pieces of a row, and batches, that the pace is measured on


def pace(subject: Subject, settings: Settings) -> float:
    """Seconds per word piece when the subject reads texts here, as batches of the settings' size: the median of a few."""
    import torch

    reads: Any = subject.base.get_encoder() if subject.config.is_encoder_decoder else subject.base
    made = torch.Generator().manual_seed(0)
    shape = (max(1, settings.budget // LENGTH), LENGTH)
    ids = torch.randint(0, subject.config.vocab_size, shape, generator=made).to(subject.device)
    took = []
    with torch.inference_mode():
        for _ in range(1 + TRIES):
            start = time.perf_counter()
            reads(ids, output_hidden_states=True).last_hidden_state.sum().item()  # an accelerator is waited for
            took.append(time.perf_counter() - start)
    return statistics.median(took[1:]) / ids.numel()


def seconds(id: str, source: str, pace: float, *, twin: bool = True, by: Iterable[str] = PACE) -> float | None:
    """What a claim may take on a source at a pace; None where no record of it says how long it took.

    Parameters
    ----------
    id, source : str
    pace : float
        Seconds per word piece.
    twin : bool
        With the untrained twin's.
    by : names of `PACE`
        Whose record may tell, the first of them that there is.
    """
    for name in by:
        its = PACE[name]
        if (took := runs.seconds(id, name, source)) is None:
            continue
        if twin:
            other = runs.seconds(id, name + TWIN, source)
            took += took if other is None else other
        return took * (FIXED + (1 - FIXED) * pace / its)
    return None


def total(work: Iterable[tuple[str, str]], pace: float, *, twin: bool = True, fast: bool = False) -> tuple[float, int]:
    """Seconds for (claim, source) pairs, and how many of them no record tells the time of: those are counted as the mean.

    Examples
    --------
    >>> total([], 1e-3)
    (0.0, 0)
    """
    work = list(work)
    if fast:
        return len(work) * QUICK * (FIXED + (1 - FIXED) * pace / QUICK_PACE), 0
    each = [seconds(id, source, pace, twin=twin) for id, source in work]
    known = [s for s in each if s is not None]
    lacking = len(each) - len(known)
    return sum(known) + (lacking * statistics.mean(known) if known else 0.0), lacking


def in_words(seconds: float) -> str:
    """A duration as roughly as it is known.

    >>> in_words(40), in_words(1100), in_words(40000)
    ('a minute', '18 minutes', '11 hours')
    """
    minutes = seconds / 60
    if minutes < 1.5:
        return "a minute"
    return f"{minutes:.0f} minutes" if minutes < 90 else f"{minutes / 60:.0f} hours"
