"""What the studies themselves reported, figure by figure: read strictly from `assets/reported/`.

These figures decide nothing here: they stand beside the outcomes, each with its source, so that a reader knows what is
known of BERT where none of its outputs was released.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import ClassVar, Literal
from urllib.parse import urlparse

from . import ledger
from .strict import STRICT, LedgerError, made, read

REPORTED = Path(__file__).parents[1] / "assets" / "reported"


@dataclass(frozen=True, kw_only=True)
class Same:
    """Which of a study's figures are a test's own quantity, on the data of what stands on its axis.

    Attributes
    ----------
    measure : str
        The test's, as in the ledger.
    of : str
        The figure's name.
    """

    __pydantic_config__: ClassVar = STRICT

    measure: str
    of: str


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure, or several of one table, as a study states it; `assets/reported/README.md` explains the fields.

    Attributes
    ----------
    study : str
        Key of the bibliography.
    values : dict[str, tuple[float, ...]]
        By name, a figure for each column that the measure names, in `unit`; the name of a lone one is empty.
    speaks : {"supports", "qualifies", "against"}
        Our reading of the figure beside the survey's sentence: no outcome.
    network : {"BERT", "other"}
        Whether a BERT is among the networks.
    second : str
        A second place where the same figures were read; empty where there is none.
    same : Same, optional
        None where no figure is known to be the quantity of a test, on the same data.

    Examples
    --------
    >>> print(figures("trn.nsp.liu2019b")[0])
    QNLI: 88.4 / 84.9; SQuAD: 88.5 / 87.9; MNLI-m: 84.4 / 83.9 %
    """

    __pydantic_config__: ClassVar = STRICT | {"str_min_length": 0}  # a lone figure has no name

    study: str
    model: str
    data: str
    measure: str
    values: Mapping[str, tuple[float, ...]] = field(hash=False)
    unit: str
    where: str
    via: str
    source: str
    speaks: Literal["supports", "qualifies", "against"]
    network: Literal["BERT", "other"] = "BERT"
    second: str = ""
    same: Same | None = None

    def marks(self, measure: str) -> tuple[float, ...]:
        """The figures that may stand on the axis of a test with this measure, in the test's unit.

        >>> [f.marks("UAS, best head") for f in figures("hed.no_full_tree.clark2019")]
        [(0.345,)]
        """
        if self.same is None or self.same.measure != measure:
            return ()
        return tuple(v / 100 if self.unit == "per cent" else v for v in self.values[self.same.of])

    @property
    def confirmed(self) -> bool:
        """Whether the figures were read in two independent places."""
        return bool(self.second)

    def __str__(self) -> str:
        return self.text()

    def text(self, most: int | None = None) -> str:
        """The figures with their unit; of more names than `most` the first ones, and how many there are beyond."""
        rows = [(f"{name}: " if name else "", " / ".join(f"{v:g}" for v in row)) for name, row in self.values.items()]
        more = len(rows) - len(rows[:most])
        told = "; ".join(name + row for name, row in rows[:most])
        return f"{told} {'%' if self.unit == 'per cent' else f'({self.unit})'}" + (f" and {more} more" if more else "")


def figures(claim: str) -> tuple[Figure, ...]:
    """What was reported that bears on a claim, in the order of the file; empty where nothing was found.

    Parameters
    ----------
    claim : str
        Id of a ledger row.
    """
    return _all().get(claim, ())


@cache
def _all() -> dict[str, tuple[Figure, ...]]:
    return parse("".join(path.read_text(encoding="utf-8") for path in sorted(REPORTED.glob("*.yaml"))))


def parse(text: str) -> dict[str, tuple[Figure, ...]]:
    """Read figures by claim, refusing whatever does not fit.

    Parameters
    ----------
    text : str
        YAML as in `assets/reported/`.

    Raises
    ------
    LedgerError
        A claim is not in the ledger, a field is unknown, missing or of the wrong kind, a figure is no number or has no
        address, the measure does not name the columns; claim and field are named.
    """
    known = {row.id for row in ledger.rows()}
    raw = read(text)
    for claim in raw:
        if claim not in known:
            raise LedgerError(f"{claim}: no such claim in the ledger")
    return {id: tuple(_figure(f, id, n) for n, f in enumerate(entries, 1)) for id, entries in raw.items()}


def _figure(raw: object, claim: str, n: int) -> Figure:
    where = f"{claim}, figure {n}"
    if isinstance(raw, Mapping) and "values" in raw:
        values = raw["values"] if isinstance(raw["values"], Mapping) else {"": raw["values"]}
        raw = {**raw, "values": {name: v if isinstance(v, list) else [v] for name, v in values.items()}}
    out = made(Figure, raw, where)
    tests = {t.measure for clause in ledger.row(claim).clauses for t in clause.tests}
    values = out.values
    columns = {len(row) for row in values.values()} - {1}
    named = {out.measure.count(" / ") + 1} if "..." not in out.measure else columns
    trouble = {
        "values": not values or not all(values.values()),
        "measure": bool(columns) and columns != named,
        "same": out.same and (out.same.of not in values or out.same.measure not in tests),
        "source": urlparse(out.source).scheme != "https" or not urlparse(out.source).netloc,
    }
    for name, bad in trouble.items():
        if bad:
            raise LedgerError(f"{where}: {name} does not fit: {getattr(out, name)!r}")
    return out
