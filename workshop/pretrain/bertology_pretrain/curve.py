"""What a run's checkpoints can do, as rows: agreement across 0, 1 and 2 attractors, and what draws a verb's form.

A learning curve by training step needs checkpoints spread evenly on a logarithmic axis: `exports` of the configuration
asks for them (budget / 2, / 4, …), and the run's folder keeps them. Figures alone are worth keeping for good.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from .checkpoint import CheckpointError

ABOUT = ("checkpoint", "tokens", "steps", "heldout_mlm")
COLUMNS = (*ABOUT, "attractors", "measure", "value", "low", "high", "n")


def checkpoints(run: str | Path) -> Iterator[Path]:
    """The exported folders of a run, ``step-…`` and ``model``, fewest pieces first.

    Raises
    ------
    CheckpointError
        There is none.
    """
    found = [p.parent for p in Path(run).glob("*/training.json")]
    if not found:
        raise CheckpointError(f"no exported checkpoint in {run}")
    yield from sorted(found, key=lambda p: (_record(p)["tokens"], p.name))


def agreement(run: str | Path, n: int = 1200, seed: int = 0, draws: int = 2000) -> pd.DataFrame:
    """Share of agreement items with the right verb form preferred, by checkpoint and number of attractors (goldberg2019).

    Parameters
    ----------
    run : str or Path
        Folder of a run.
    n, seed : int
        Generated items (nonce ones among them) and their seed.
    draws : int
        Bootstrap draws of the intervals.

    Returns
    -------
    DataFrame
        A row per checkpoint and number of attractors (0, 1, 2; more count as 2), columns `COLUMNS`; intervals are 95 %
        over the items.

    Raises
    ------
    CheckpointError
        The folder holds no exported checkpoint.
    """
    import bertology_world as builtin
    from bertology_utils.scores.intervals import mean_interval
    from bertology_utils.settings import Settings
    from bertology_utils.subject import cloze
    from bertology_utils.subject.models import load

    settings, items, rows = Settings(device="cpu"), builtin.build("agreement", n, seed), []
    for folder in checkpoints(run):
        subject = load(str(folder.resolve()), settings)
        kept, _ = cloze.single_piece(subject, items)
        right = cloze.choose(subject, kept, settings) > 0
        frame = pd.DataFrame({"attractors": [min(i.meta["attractors"], 2) for i in kept], "right": right})
        for attractors, part in frame.groupby("attractors"):
            value, low, high = mean_interval(part.right.to_numpy(float), seed=seed, draws=draws)
            rows.append((*_about(folder), int(attractors), "agreement", value, low, high, len(part)))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def pulls(run: str | Path) -> pd.DataFrame:
    """What the numbers of the subject and of the nearer noun do to a verb's form (`pulls.rows`), by checkpoint.

    Raises
    ------
    CheckpointError
        The folder holds no exported checkpoint.
    """
    from bertology_utils.settings import Settings
    from bertology_utils.subject.models import load

    from . import pulls as measured

    settings, parts = Settings(device="cpu"), []
    for folder in checkpoints(run):
        rows = measured.rows(load(str(folder.resolve()), settings), settings)
        parts.append(rows.assign(**dict(zip(ABOUT, _about(folder), strict=True))))
    return pd.concat(parts)[[*ABOUT, *measured.COLUMNS]]


def heldout(
    run: str | Path, corpus: str | Path, config: str = "mini-second", cache: str | Path | None = None
) -> pd.DataFrame:
    """Held-out loss and top-1 accuracy of each checkpoint, all on the same rows under the same masks.

    The figures in a run's record are of rows that depend on its seed, so that those of two runs are not to be compared.

    Parameters
    ----------
    run : str or Path
        Folder of a run, or any with exported models in it.
    corpus : str or Path
        The text whose held-out documents are read.
    config : str
        The configuration that says which they are: `seed`, `held_out`, and how rows are made and masked (`heldout.HeldOut`).
    cache : str or Path, optional
        Where the tokenised text is kept.

    Returns
    -------
    DataFrame
        A row per checkpoint: ``checkpoint``, ``tokens``, ``steps``, ``heldout_mlm`` (nats per piece), ``heldout_top1``, …

    Raises
    ------
    CheckpointError
        The folder holds no exported checkpoint.
    ConfigError
        A checkpoint has other word pieces, sizes or heads than the configuration.
    """
    import torch

    from . import start
    from .corpus import load as load_corpus
    from .heldout import HeldOut
    from .recipes import load as load_config
    from .step import build

    asked = load_config(config)
    text = load_corpus(corpus, asked, cache)
    measure = HeldOut(text, torch.from_numpy(text.tokens.astype("int32")), asked)
    rows = []
    for folder in checkpoints(run):
        model = build(asked, asked.layers, "cpu")
        start.weights(load_config(config, start=str(folder)), model, text.tokenizer)
        figures = measure(model, asked.final_predictions, autocast=False)
        rows.append(dict(zip(ABOUT[:3], _about(folder), strict=False)) | figures)
    return pd.DataFrame(rows)


def _about(folder: Path) -> tuple:
    record = _record(folder)
    return folder.name, record["tokens"], record["steps"], record["heldout"].get("heldout_mlm")


def _record(folder: Path) -> dict:
    return json.loads((folder / "training.json").read_text("utf-8"))
