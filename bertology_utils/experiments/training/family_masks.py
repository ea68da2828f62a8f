"""What is hidden, how much of it, by what, and whether it is the same at every pass."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...claims.registry import claim
from ...data.items import Data
from ...family.record import PROBES, Record
from ...family.recorded import Recorded
from ...settings import Settings
from . import family

USUAL, RATES = 0.15, (0.1, 0.2, 0.3, 0.8)
SHOWN = 0.4  # a rate beside them, in tiers that have it: of recipes for larger models


@claim("trn.masking_rate.raffel2019", family=True)
def masking_rate(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Held-out loss at other masking rates less that at 15 %, all asked under masks of 15 % (raffel2019)."""
    usual, rates = at_rate(runs, USUAL), [r for r in sorted({*RATES, SHOWN}) if runs.has(at_rate(runs, r))]
    rows = [family.loss(runs, settings, "loss, rate - 15%", at_rate(runs, r), usual, rate=r) for r in rates]
    return family.table(runs, settings, rows, (usual, *(at_rate(runs, r) for r in rates if r in RATES[:-1])))


def at_rate(runs: Recorded, rate: float) -> str:
    """The group that hides this share of the pieces: the base, where that is its rate."""
    base = next(iter(runs.group("base").values()))
    return "base" if base.config["mask_rate"] == rate else f"rate {rate}"


@claim("trn.dynamic_masking.liu2019b", family=True)
def dynamic_masking(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Held-out loss with masks drawn afresh at every pass less that with the same ones, on the same rows (liu2019b)."""
    fresh, fixed = family.pairs(runs, "same rows", "static masks")
    rows = [
        family.loss(runs, settings, "loss, dynamic - static", "same rows", "static masks"),
        family.over_seeds("passes over the text", [r.passes for r in (*fresh, *fixed)], settings),
    ]
    return family.table(runs, settings, rows, ("same rows", "static masks"))


@claim("trn.unk_mask.clinchant2019", family=True)
def unk_mask(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Held-out loss with [UNK] or with random pieces in place of [MASK], in training and when asked (clinchant2019)."""
    rows = [
        family.loss(runs, settings, "loss, [UNK] - [MASK]", "unk", "base"),
        family.loss(runs, settings, "loss, random word - [MASK]", "random piece", "base"),
    ]
    return family.table(runs, settings, rows, ("base", "unk"))


@claim("trn.whole_word.devlin2019", family=True)
def whole_word(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Agreement and linear probes after masking whole words or spans, less those after masking pieces (devlin2019)."""
    groups = ("whole word", *(["span"] if runs.has("span") else []))
    rows = [family.score(runs, settings, "agreement", g, family.agreeing, group=g) for g in ("base", *groups)]
    for group in groups:
        said = f"agreement, {group} - piece"
        rows.append(family.difference(runs, settings, said, group, "base", family.agreeing))
        for name in PROBES:
            said = f"probe accuracy, {group} - piece"
            rows.append(family.probes(runs, settings, said, group, "base", name, probe=name))
    return family.table(runs, settings, rows, ("base", *groups))


@claim("trn.entity_mask.sun2019b", family=True)
def entity_mask(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Facts told right after masking entities, less those after masking pieces (sun2019b)."""

    def over_majority(record: Record) -> np.ndarray:
        told = record.items["facts"]
        return family.truths(told["right"]) - family.truths(told["majority"])

    def right(record: Record) -> np.ndarray:
        return family.truths(record.items["facts"]["right"])

    rows = [
        family.difference(runs, settings, "P@1, entity masks - piece masks", "entity", "base", right),
        *(
            family.score(runs, settings, "P@1 over majority object", group, over_majority, signed=True, group=group)
            for group in ("entity", "base")
        ),
    ]
    return family.table(runs, settings, rows, ("base", "entity"))
