"""More data and longer training: agreement through pretraining, one doubling of the steps, losses by amount of text."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

from bertology_rescore.counts import only
from bertology_rescore.files import Files
from bertology_rescore.recipes import minibertas
from bertology_utils.scores.intervals import Interval, mean_interval, row, table, unpaired

CURVE = "multiberts_blimp_by_step.csv"
SEEDS = 5  # pretraining runs behind each figure of the curves
MULTI = "multiberts (5 seeds)"


def checkpoints(curves: pd.DataFrame, topic: str) -> pd.DataFrame:
    """Thousands of steps -> value, low, high of one topic, in order."""
    part = curves[curves.topic == topic].sort_values("step_10k")
    index = pd.Index((part.step_10k * 10).round().astype(int), name="thousand steps")
    return part.set_index(index)[["mean", "ci_low", "ci_high"]]


def shrinkage(curve: pd.DataFrame) -> dict[str, Interval]:
    """Gain per doubling of the steps in the first and the second half of the doublings, and their difference.

    Twenty thousand steps to two million are log2(100) doublings, with 200 thousand half way. The intervals of the three
    checkpoints are joined as if independent: they are of the same seeds, which makes the true ones narrower.

    Parameters
    ----------
    curve : DataFrame
        As `checkpoints` gives it, with 20, 200 and 2000 thousand steps.

    Returns
    -------
    dict of str to Interval
        ``first half``, ``second half``, ``first half - second half``; share of items per doubling.

    Raises
    ------
    KeyError
        If one of the three checkpoints is not there.
    """
    at = curve.loc[[20, 200, 2000]]
    value = at["mean"].to_numpy()
    below, above = value - at.ci_low.to_numpy(), at.ci_high.to_numpy() - value
    parts = {"first half": (-1, 1, 0), "second half": (0, -1, 1), "first half - second half": (-1, 2, -1)}
    out = {}
    for name, weights in parts.items():
        w = np.array(weights) / np.log2(10)
        down, up = (np.linalg.norm(w * np.where(w > 0, a, b)) for a, b in ((below, above), (above, below)))
        found = float(w @ value)
        out[name] = Interval(found, found - float(down), found + float(up), clusters=SEEDS)
    return out


def agreement_curve(files: Files) -> pd.DataFrame:
    """Agreement by steps (mean of five seeds), its last value, and gains per doubling of the steps."""
    topic = "Subject Verb Agreement"
    curve = checkpoints(files.csv(CURVE), topic)
    base = files.csv("bert_base_blimp_by_topic.csv").set_index("topic").bert_base_uncased_accuracy[topic]
    rows = [row("agreement", only(base), 0, subject="bert-base-uncased", step="last")]
    for step, (value, low, high) in curve.iterrows():
        rows.append(row("agreement", Interval(value, low, high, clusters=SEEDS), SEEDS, subject=MULTI, step=f"{step}k"))
    last = Interval(*curve.iloc[-1], clusters=SEEDS)
    rows.append(row("agreement, last checkpoint", last, SEEDS, subject=MULTI, step="last"))
    for name, found in shrinkage(curve).items():
        rows.append(row(f"agreement gain per doubling, {name}", found, SEEDS, subject=MULTI, step="all"))
    return table(rows)


def twice_the_steps(files: Files) -> pd.DataFrame:
    """MNLI accuracy after one and two million steps, and the difference."""
    frame = files.csv("multibootstrap_results.csv")
    (found,) = frame[frame.comparison.str.startswith("1M vs 2M")].itertuples()
    keys = dict(subject=MULTI, condition="MNLI")
    return table(
        [
            _given("accuracy, one million steps", found.base, found.base_low, found.base_high, **keys),
            _given("accuracy, two million steps", found.expt, found.expt_low, found.expt_high, **keys),
            _given("accuracy gain of one doubling", found.delta, found.delta_low, found.delta_high, **keys),
        ]
    )


def _given(measure: str, value: float, low: float, high: float, **keys) -> dict:
    return row(measure, Interval(value, low, high, clusters=SEEDS), SEEDS, **keys)


def text_volume(files: Files) -> pd.DataFrame:
    """Mean loss by amount of text, and the change per doubling of it from one amount to the next."""
    runs, rows = minibertas(files), []
    same = runs[runs["size"] == "BASE"]
    parts = {amount: part.loss.to_numpy() for amount, part in same.groupby("tokens")}
    subject = "roberta-base (miniBERTas)"
    for amount, losses in parts.items():
        rows.append(row("loss", mean_interval(losses), len(losses), subject=subject, text=f"{amount:.0e}"))
    amounts = list(parts)
    for less, more in pairwise(amounts):
        step = unpaired(mean_interval(parts[more], seed=1), mean_interval(parts[less])).scaled(1 / np.log2(more / less))
        keys = dict(subject=subject, text=f"{less:.0e} to {more:.0e}")
        rows.append(row("loss per doubling of the text", step, len(parts[more]) + len(parts[less]), **keys))
    return table(rows)
