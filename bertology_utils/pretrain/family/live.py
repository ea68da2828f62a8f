"""A few steps of some runs of the family, live: what a reader may see happen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr
from dataclasses import replace
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from .. import generated
from ..corpus import load as load_corpus
from ..loop import Run
from ..parallel import join
from .grid import tiers


def side_by_side(
    groups: Sequence[str], pieces: int, tier: str = "generated", sentences: int = 300
) -> Iterator[tuple[str, int, str]]:
    """Train the first seed of each group on little text for a few steps.

    Parameters
    ----------
    groups : sequence of str
    pieces : int
        At least so many are seen.
    sentences : int
        Of plain generated sentences, made anew in a folder that does not stay.

    Yields
    ------
    group, steps, order : str, int, str
        The last is the hash of all planned rows: equal where two runs saw the same text in the same order.
    """
    from ...data import builtin

    said = [("sentences", s) for item in builtin.build("sentences", sentences) for s in generated.spoken(item)]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        path.write_text("\n\n".join(map(" ".join, generated.documents(said))), "utf-8")
        for name in groups:
            config = tiers()[tier].group(name)[0].config
            config = replace(config, precision="fp32", vocab=400, held_out=0.1)
            with redirect_stderr(StringIO()):  # bars of progress
                corpus = load_corpus(path, config, folder)
            run = Run(config, corpus, Path(folder), join("cpu"), resume=False)
            while run.seen < pieces:
                run.advance()
            yield name, run.number, run.order
