"""Attention as explanation: does it agree with gradients and with leaving words out?"""

from __future__ import annotations

import re

import pandas as pd

from bertology_rescore.curves import estimated, released_row
from bertology_rescore.files import Files
from bertology_utils.scores.intervals import table

QUANTITIES = {
    "CorrGL-AG_kendalltau": "Kendall tau, attention and gradients",
    "CorrGL-AL_kendalltau": "Kendall tau, attention and leaving out",
}


def correlations(files: Files) -> pd.DataFrame:
    """Mean over data sets by encoder and kind of attention, for all classes together."""
    frame = files.csv("corr_kendalltau.csv")
    frame = frame[(frame["class"] == "Overall") & frame.quantity.isin(QUANTITIES)].dropna(subset=["mean"])
    return table(
        [
            estimated(QUANTITIES[q], part["mean"], subject=encoder, attention=attention)
            for (q, encoder, attention), part in frame.groupby(["quantity", "encoder", "attention"])
        ]
    )


_LOG = re.compile(r"#+Layer\s+(\d+) #+")


def log_correlations(text: str) -> dict[tuple[int, str], tuple[float, float]]:
    """(layer, measure) -> mean and spread, from a log with a heading per layer and the measure's name above two numbers.

    Raises
    ------
    ValueError
        If the log has no such pair.
    """
    found: dict[tuple[int, str], tuple[float, float]] = {}
    layer = name = None
    for line in text.splitlines():
        if match := _LOG.match(line):
            layer = int(match.group(1))
        elif re.fullmatch(r"(raw|joint|flow) grad", line.strip()):
            name = line.split()[0]
        elif layer is not None and name and (match := re.fullmatch(r"(-?\d\.\d+) (\d\.\d+)", line.strip())):
            found[layer, name] = float(match.group(1)), float(match.group(2))
            name = None
    if not found:
        raise ValueError(f"the log has no layer with its correlations: {text[:80]!r}")
    return found


def rollout(files: Files) -> pd.DataFrame:
    """Mean rank correlation by layer for raw attention and rollout, and the difference."""
    found = log_correlations(files.text("correlation_logs/correlations"))
    names = {"raw": "raw attention", "joint": "rollout"}
    rows = [
        released_row(
            "Spearman with gradients", mean, subject="distilbert", method=names.get(name, name), block=layer + 1
        )
        for (layer, name), (mean, _) in found.items()
    ]
    keys = dict(subject="distilbert", method="difference")
    for layer in sorted({layer for layer, _ in found}):
        if (layer, "joint") in found and (layer, "raw") in found:
            gain = found[layer, "joint"][0] - found[layer, "raw"][0]
            rows.append(released_row("rollout - raw attention", gain, **keys, block=layer + 1))
    return table(rows)
