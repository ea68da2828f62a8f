"""Tables that a notebook shows: a line per thing, each column with its own number of places, wide and on a phone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

import pandas as pd

from .markup import scrolled, table

NONE = "–"  # of a figure that a line cannot have
SHORT = 20  # characters that stand on one line; a column with longer texts is broken into several


@dataclass(frozen=True)
class Table:
    """A table; a notebook shows it by itself.

    Attributes
    ----------
    rows : data frame
        A line per thing, named by its first column; a figure that it cannot have is nan.
    figures : mapping
        Column -> format of its figures ("{:.2f}"); others are written as they are.
    label : str
        What the table is of, for those who hear it.

    Examples
    --------
    >>> rows = pd.DataFrame({"way": ["8 bits", "a mask"], "time": [3.44, float("nan")]})
    >>> Table(rows, {"time": "{:.1f}"}, "ways to save")
       way time
    8 bits  3.4
    a mask    –
    """

    rows: pd.DataFrame
    figures: Mapping[str, str]
    label: str

    def as_text(self) -> pd.DataFrame:
        """The same as text."""
        columns = self.rows.columns
        forms = {c: self.figures.get(c, "{}") for c in columns}
        text = {c: [NONE if v != v else forms[c].format(v) for v in self.rows[c]] for c in columns}
        return pd.DataFrame(text, columns=columns)

    def __repr__(self) -> str:
        return self.as_text().to_string(index=False)

    def _repr_html_(self) -> str:
        told = self.as_text()
        kinds = [' class="said"' if told[c].str.len().max() > SHORT else "" for c in told.columns[1:]]
        rows = (
            f'<tr><th scope="row">{escape(first)}</th>'
            + "".join(f"<td{kind}>{escape(v)}</td>" for kind, v in zip(kinds, more, strict=True))
            + "</tr>"
            for first, *more in told.itertuples(index=False)
        )
        return scrolled(table("facts family", map(escape, told.columns), rows), self.label)
