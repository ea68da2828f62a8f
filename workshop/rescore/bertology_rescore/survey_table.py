"""Table 1 of the survey held against what somebody else read off it (rogers2020).

26 rows: two baselines and 24 compressed models. The figures are the studies' own, each from its own tasks, baseline and machine:
the survey warns that they cannot be compared point by point. What is checked here is the copy alone. A second reader put the
same table down as shares of BERT base, cut or rounded, and an earlier edition of it as factors.
"""

from __future__ import annotations

from math import isclose

import pandas as pd

from bertology_rescore.files import Files
from bertology_utils.cards.survey_table import ends
from bertology_utils.scores.intervals import Interval, row, table

FILE = "table1.csv"
ROWS = {"baseline": 2, "distillation": 13, "quantization": 3, "pruning": 4, "other": 4}
WHOLE = 100.0  # per cent of BERT base: what the second reader put where the table gives no figure
MODEL = "bert-base and 25 others"


def read(files: Files) -> pd.DataFrame:
    """The table from the files of a scorer, every cell as text."""
    return files.csv(FILE, dtype=str, keep_default_na=False)


def same(exact: float, told: str) -> bool:
    """Whether a share was cut or rounded from a figure, at as many places as it has.

    >>> same(62.5, "62"), same(62.5, "63"), same(62.5, "61"), same(100 / 110, "0.9")
    (True, True, False, True)
    """
    step = 10.0 ** -len(told.partition(".")[2])
    off = exact - float(told)
    return -0.5 * step - 1e-9 <= off < step - 1e-9 or isclose(off, 0, abs_tol=1e-9)


def inverse(cell: str, told: str) -> bool:
    """Whether a share of size or time is that of a factor, at one end where it is a range; all where there is none.

    >>> inverse("2-4.5", "22"), inverse("N/A", "100"), inverse("0.47", "200")
    (True, True, False)
    """
    figures = ends(cell)
    return any(same(100 / f, told) for f in figures) if figures else float(told) == WHOLE


def agreement(frame: pd.DataFrame) -> pd.DataFrame:
    """Which figures of each row are equal in both sources, by name: columns size, score, time, factor (bool), row.

    `factor` is that of the earlier edition; a row of it that is new counts as unequal. A row agrees if score and time do,
    and size by either reading: the share, or the factor.
    """
    out = pd.DataFrame(
        {
            "size": [inverse(a, b) for a, b in zip(frame["compression"], frame["size_percent"])],
            "score": [float(b) in ends(a) for a, b in zip(frame["performance"], frame["kept_percent"])],
            "time": [inverse(a, b) for a, b in zip(frame["speedup"], frame["time_percent"])],
            "factor": [
                bool(ends(a)) and a == b for a, b in zip(frame["compression"], frame["first_edition_compression"])
            ],
        },
        index=frame["name"],
    )
    return out.assign(row=(out["size"] | out["factor"]) & out["score"] & out["time"])


def table1(files: Files) -> pd.DataFrame:
    """How many rows, and how many shares, are equal in both sources."""
    frame = read(files)
    equal = agreement(frame)
    counts = frame["group"].value_counts()
    told = [("rows equal to the survey's", equal["row"].sum(), len(equal))]
    told += [(f"{name}s equal as shares", equal[name].sum(), len(equal)) for name in ("size", "score", "time")]
    known = (frame["first_edition_compression"] != "").to_numpy()
    told.append(("factors equal to the first edition's", equal["factor"][known].sum(), int(known.sum())))
    rows = [row(measure, Interval(*[float(k)] * 3), n, subject=MODEL) for measure, k, n in told]
    rows += [
        row("rows of a group", Interval(*[float(counts[g])] * 3), len(equal), subject=MODEL, group=g) for g in ROWS
    ]
    return table(rows)
