"""Attention as explanation: does it agree with gradients and with leaving words out?"""

from __future__ import annotations

import re

import pandas as pd

from bertology_rescore import released
from bertology_rescore.curves import estimated, released_row
from bertology_rescore.files import Files
from bertology_utils.scores.intervals import table

QUANTITIES = {
    "CorrGL-AG_kendalltau": "Kendall tau, attention and gradients",
    "CorrGL-AL_kendalltau": "Kendall tau, attention and leaving out",
}


@released(
    "hed.explanation_debate.jain2019",
    study="jain2019",
    label="authors",
    stance="supports",
    folder="released/jain_wallace2019",
    files=("corr_kendalltau.csv",),
    note="The authors' rank correlations of attention with gradients and with leaving a word out, for "
    "recurrent, convolutional and averaging encoders, not BERT; intervals over data sets. They are weak "
    "throughout, and near zero for the encoder that only averages. Of the real BERT they say nothing.",
    baselines=("average", "cnn(1,3,5,7)", "lstm"),
)
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


@released(
    "hed.explanation_debate.jain2019",
    study="Abnar & Zuidema 2020",
    label="related",
    stance="supports",
    folder="released/abnar_zuidema2020_attention_flow",
    files=("correlation_logs/correlations",),
    note="One of the authors' logs: Spearman of gradients with raw attention and with attention rolled out "
    "over the layers, for a DistilBERT on sentiment (mean over examples, whose spread but "
    "not number was logged). Raw attention agrees weakly with the gradients; rollout does better in the "
    "upper layers. A DistilBERT's figures decide nothing for BERT.",
    baselines=("distilbert",),
)
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
