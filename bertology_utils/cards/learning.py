"""What a model had learnt at the checkpoints of its training: figures that were kept, since checkpoints are not.

``bertology learning-curve RUN --out bertology_utils/assets/learning/NAME.csv`` measures the checkpoints of a run and writes
them; they lie half, a quarter, an eighth, … of the budget in, evenly on a logarithmic axis.
"""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

LEARNING = Path(__file__).parents[1] / "assets" / "learning"


def learning(name: str = "mini", folder: Path = LEARNING) -> tuple[dict[str, pd.DataFrame], dict[str, pd.DataFrame]]:
    """Agreement by number of attractors, and held-out loss, by pieces seen in training.

    Parameters
    ----------
    name : str
        The configuration that the run was of.
    folder : Path
        Where the figures lie.

    Returns
    -------
    two dicts of data frames
        "N attractors" -> rows by ``tokens``, share of generated items right, 95 % intervals over them; "held-out loss" -> rows
        in nats per masked piece, without intervals. Both empty where no figures were kept.
    """
    path = folder / f"{name}.csv"
    if not path.is_file():
        return {}, {}
    frame = pd.read_csv(path)
    by = {f"{k} attractor{'s' * (k != 1)}": part.reset_index(drop=True) for k, part in frame.groupby("attractors")}
    once = frame.drop_duplicates("checkpoint").reset_index(drop=True)
    nan = float("nan")
    loss = once.assign(measure="held-out loss", value=once["heldout_mlm"], low=nan, high=nan)
    return by, {"held-out loss": loss}


SITTINGS = ("first release", "mini-further", "mini-phrases", "fourth sitting", "mini-longer", "mini-second")
LEFT = {"fourth sitting": "step-0000812"}  # of a sitting that went on, where the next one began


def sittings() -> dict[str, pd.DataFrame]:
    """What draws the verb of the bundled `mini`, by pieces seen in all of its sittings (`bertology_pretrain.pulls`).

    Returns
    -------
    dict of data frames
        By measure (two pulls in nats, shares of right forms): rows by ``tokens`` with ``run`` and 95 % intervals over nouns. What
        does not lead to the bundled model (controls, averages, rows after a sitting was left) is not among them.
    """
    frame = pd.read_csv(LEARNING / "sittings" / "pulls.csv")
    record = json.loads((LEARNING.parent / "models" / "mini" / "training.json").read_text("utf-8"))
    before = dict.fromkeys(SITTINGS, 0)
    for earlier, (name, sitting) in zip(SITTINGS, zip(SITTINGS[1:], record["start"]["sittings"], strict=True)):
        before[name] = before[earlier] + sitting["tokens"]
    led = frame["run"].isin(SITTINGS) & (frame["checkpoint"] <= frame["run"].map(LEFT).fillna("~"))
    frame = frame[led].assign(tokens=frame["tokens"] + frame["run"].map(before))
    return {
        measure: part.sort_values("tokens").reset_index(drop=True)
        for measure, part in frame.groupby("measure", sort=False)
    }
