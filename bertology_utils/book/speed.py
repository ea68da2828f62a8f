"""The tables of speed: the package beside what others offer for the same task (`make bench`), cost by size, half precision."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from ..cards import markup
from ..claims import ledger


def stored(name: str) -> dict[str, Any]:
    """A stored measurement, ``bench`` or ``costs``."""
    return json.loads((files("bertology_utils") / "assets" / f"{name}.json").read_text(encoding="utf-8"))


def _table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of plain text, the first column its rows' names."""
    lines = (
        f'<tr><th scope="row">{escape(str(first))}</th>{"".join(f"<td>{escape(str(x))}</td>" for x in rest)}</tr>'
        for first, *rest in rows
    )
    return markup.table("facts even", map(escape, names), lines) + "\n"


def table() -> str:
    """Rows of the stored measurement, and what it was made on."""
    made = stored("bench")
    rows = (
        (
            row["task"],
            row["peer"],
            f"{row['ratio']:.1f} ({row['range'][0]:.1f} to {row['range'][1]:.1f})",
            " / ".join("–" if x is None else f"{x:.0f}" for x in row["MiB"]),
            f"{row['apart']:.0e}",
        )
        for row in made["rows"]
    )
    work = made["pseudo-log-likelihood GFLOP/s"]
    return (
        _table(("task", "beside", "times as fast", "MiB, ours / theirs", "results apart by at most"), rows)
        + f"\n`{made['model']}`, one thread, processor seconds, medians and ranges of turns; MiB: what a call adds at its peak "
        f"to what the process holds. A processor with {made['machine']['capability']} whose matrix products reach "
        f"{made['matmul GFLOP/s']:.0f} GFLOP per second; torch {made['versions']['torch']}, "
        f"transformers {made['versions']['transformers']}.\n\n"
        f"**The ceiling.** These pseudo-log-likelihoods take {work['GFLOP']:.0f} GFLOP of matrix products. Ours are computed at "
        f"{work['ours']:.0f} GFLOP per second; the products alone, at the same shapes, reach {work['products alone']:.0f}. "
        f"So no code that computes the same in float32 would be more than {work['products alone'] / work['ours']:.1f} times "
        "as fast."
    )


def precision() -> str:
    """How far bfloat16 moves what decides, claim by claim."""
    rows = []
    for model, found in stored("costs")["dtype"].items():
        for row in found:
            moved, faster = f"{row['moved']:.2f}", f"{row['times as fast']:.1f}"
            asked = (ledger.row(row["claim"]).title, model, row["n"], row["measure"], row["figures"])
            rows.append((*asked, moved, row["decided otherwise"], faster))
    names = ("claim", "network", "items per task", "measure that moved most", "figures that decide", "largest movement")
    return _table((*names, "decided otherwise", "times as fast"), rows)


def scale() -> str:
    """Cost by size as fitted, the whole survey by that, and the prediction beside what chapters took."""
    made = stored("costs")["scale"]
    powers = ", ".join(f"{name} to the power of {power:g}" for name, power in made["powers"].items())
    beyond = "; ".join(
        f"{row['length']} pieces: {row['seconds']:g} s measured, {row['predicted']:g} s predicted"
        for row in made["beyond"]
    )
    survey = made["survey"]
    hours = _table(
        ("arithmetic", "one, hours", "ten, hours at least"),
        [(name, each["one"], each["ten"]) for name, each in survey.items() if isinstance(each, dict)],
    )
    names = ("chapter", "measurements", "took, seconds", "predicted")
    keys = ("section", "measurements", "seconds", "predicted")
    chapters = _table(
        (*names, "predicted / took: a tenth, half, nine tenths lie below"),
        [(*(r[k] for k in keys), ", ".join(map(str, r["predicted over measured"]))) for r in made["sections"]],
    )
    grid = ", ".join(f"{' / '.join(map(str, values))} {name}" for name, values in made["grid"].items())
    return (
        f"Processor seconds of reading go as {powers} (least squares on logarithms over {grid}; the fit "
        f"is off by a factor of {made['off'][0]:g} in the median, {made['off'][1]:g} at worst). Beyond the grid, 12 layers "
        f"of 768, {made['grid']['sentences'][-1]} sentences: {beyond}.\n\n{hours}\n"
        f"All {survey['measurements']} measurements of `make real` with 12 layers of 768 and an untrained twin, by the "
        f"seconds of shipped records and by how fast a piece is read ({1e3 * made['pace']['float32']:.2g} ms in float32, "
        f"{1e3 * made['pace']['bfloat16']:.2g} ms in bfloat16); {survey['guessed']} have no record and count as the mean."
        f"\n\n{chapters}"
    )
