"""The table of how fast the package is beside what others offer for the same task (`make bench`)."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files


def table() -> str:
    """Rows of the stored measurement, and what it was made on; empty where there is none."""
    stored = files("bertology_utils") / "assets" / "bench.json"
    if not stored.is_file():
        return ""
    made = json.loads(stored.read_text(encoding="utf-8"))
    rows = "".join(
        f'<tr><th scope="row">{escape(row["task"])}</th><td>{escape(row["peer"])}</td><td>{row["ratio"]:.1f} '
        f"({row['range'][0]:.1f} to {row['range'][1]:.1f})</td><td>{row['apart']:.0e}</td></tr>"
        for row in made["rows"]
    )
    names = ("task", "beside", "times as fast", "results apart by at most")
    heads = "".join(f'<th scope="col">{name}</th>' for name in names)
    return (
        f'<table class="facts even"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>\n\n'
        f"`{made['model']}`, one thread, processor seconds, medians and ranges of turns; a processor with "
        f"{made['machine']['capability']} "
        f"whose matrix products reach {made['matmul GFLOP/s']:.0f} GFLOP per second; torch {made['versions']['torch']}, "
        f"transformers {made['versions']['transformers']}."
    )
