"""What a model had learnt at the checkpoints of its training: figures that were kept, since checkpoints are not.

``bertology learning-curve RUN --out bertology_utils/assets/learning/NAME.csv`` measures the checkpoints of a run and writes
them; they lie half, a quarter, an eighth, … of the budget in, evenly on a logarithmic axis.
"""

from __future__ import annotations

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
