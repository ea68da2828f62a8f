"""Replaced-token detection against masked pieces, at equal compute."""

from __future__ import annotations

import pandas as pd

from ...claims.registry import claim
from ...data.items import Data
from ...family import compute
from ...family.reading import from_record
from ...family.record import PROBES, Record
from ...family.recorded import Recorded
from ...settings import Settings
from . import family
from .family_tasks import tuned

DETECTING = "replaced pieces"


def below_unigram(record: Record) -> float:
    """How far a generator's held-out loss lies below that of the pieces' frequencies, in nats per masked piece."""
    last = record.curve[-1]
    return last["heldout_unigram"] - last["heldout_generator_mlm"]


@claim("trn.replaced_tokens.clark2020", family=True)
def replaced_tokens(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Linear probes on detectors of replaced pieces less those on masked models, at equal compute (clark2020).

    A detector has no loss on masked pieces: whether its run has left the unigram plateau is asked of its generator, on
    held-out places of the run's own seed. The masked models have no second task either.
    """
    said, masked = "probe accuracy, replaced - masked", family.with_task(runs, "none")
    rows = [family.probes(runs, settings, said, DETECTING, masked, name, probe=name) for name in PROBES]
    rows.append(family.difference(runs, settings, "tuned accuracy, replaced - masked", DETECTING, masked, tuned))
    found = list(runs.group(DETECTING).values())
    of = {"group": f"{DETECTING}: generator"}
    rows.append(family.over_seeds(family.PLATEAU, [below_unigram(r) for r in found], settings, **of))
    detected = [r.curve[-1]["heldout_detected"] for r in found]
    rows.append(family.over_seeds("replaced and original pieces told", detected, settings, group=DETECTING))
    frame = family.table(runs, settings, rows, (masked,))
    other = next(iter(runs.group(masked).values()))
    ratio = compute.total(from_record(found[0].config)) / compute.total(from_record(other.config))
    clock = (
        f"; processor time: {family.seconds(found[0]) / family.seconds(other):.2f}, since a small generator's matrices are "
        "too small for a processor's full speed"
        if found[0].precision == other.precision  # else they ran on other processors
        else ""
    )
    frame.attrs["notes"] += [
        f"compute, replaced over masked: {ratio:.3f} (multiplications, counted from the shapes){clock}",
        "generator and detector share no embeddings; in the study they do, and gain by it",
    ]
    return frame
