"""Table 1 of the survey as data: what compressed models keep, and how much smaller and faster they are (rogers2020).

The figures are the studies' own, each from its own tasks, baseline and machine: the survey warns that they cannot be compared
point by point.
"""

from __future__ import annotations

from importlib.resources import files

import pandas as pd


def survey() -> pd.DataFrame:
    """The 26 rows, two baselines and 24 compressed models, every cell as text.

    Returns
    -------
    data frame
        group, name, study (bib key; empty where there is none), compression, performance, speedup (as the table has
        them: "1.4-2.5", "N/A", empty where none was given), model (``BERT6``: six layers), evaluation (tasks),
        size_percent, kept_percent, time_percent (of BERT base, by a second reader) and first_edition_compression.

    Examples
    --------
    >>> rows = survey().set_index("name")
    >>> rows.loc["TinyBERT", ["compression", "performance", "speedup"]].tolist()
    ['7.5', '96', '9.4']
    """
    with (files("bertology_utils") / "assets" / "released" / "rogers2020_table1" / "table1.csv").open("rb") as table:
        return pd.read_csv(table, dtype=str, keep_default_na=False)


def ends(cell: str) -> tuple[float, ...]:
    """The figures of a cell: one, two for a range, none where it has no figure.

    >>> ends("1.4-2.5"), ends("94"), ends("N/A"), ends("")
    ((1.4, 2.5), (94.0,), (), ())
    """
    return tuple(float(part) for part in cell.split("-")) if cell and cell != "N/A" else ()
