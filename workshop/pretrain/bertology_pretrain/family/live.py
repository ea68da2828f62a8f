"""The first part of a recorded run, trained again here and now: does this machine draw the recorded curve?"""

from __future__ import annotations

from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from bertology_utils.family.config import ConfigError
from bertology_utils.family.grid import Member
from bertology_utils.family.record import SHIPPED, find

from ..loop import Run
from ..parallel import join
from .train import text_of


def retrace(
    member: Member, pieces: int, *, root: Path = SHIPPED, corpus: Path | None = None, cache: Path | None = None
) -> pd.DataFrame:
    """Train a run again up to the last recorded point within `pieces`, at its own learning rates, and keep nothing.

    Parameters
    ----------
    member : Member
        With a record.
    pieces : int
        Word pieces of training; the recorded points lie some 70,000 apart.
    root, corpus, cache
        As of `train.run`.

    Returns
    -------
    data frame
        ``tokens`` (pieces seen), ``recorded`` and ``value``: held-out loss in nats per masked piece, then and now.

    Raises
    ------
    ConfigError
        The run has no record, no recorded point within `pieces`, or takes its text in another order than recorded.
    """
    if (record := find(member, root)) is None:
        raise ConfigError(f"{member.name} has no record yet: bertology family run {member.name!r}")
    points = {p["tokens"]: p["heldout_mlm"] for p in record.curve if p["tokens"] <= pieces}
    if not points:
        raise ConfigError(f"{member.name}: the first recorded point is at {record.curve[0]['tokens']:,} pieces")
    # a page would keep bars of progress, and a remark on the processor's products that the curves answer
    with redirect_stderr(StringIO()), TemporaryDirectory() as folder:
        text = text_of(member, corpus, cache)
        run = Run(member.config, text, Path(folder), join("cpu"), resume=False)
        return pd.DataFrame([_point(run, member, tokens, loss) for tokens, loss in points.items()])


def _point(run: Run, member: Member, tokens: int, recorded: float) -> dict[str, float]:
    while run.seen < tokens:
        run.advance()
    if run.seen != tokens:
        raise ConfigError(f"{member.name}: {run.seen:,} pieces seen where the record has {tokens:,}: another text")
    now = run.evaluate(member.config.eval_predictions)["heldout_mlm"]
    return {"tokens": tokens, "recorded": recorded, "value": now}
