"""The table of inputs and faults: what is put in, what is said, the exit code; each row is a test's."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from importlib.resources import files

import yaml

from ..cards import markup

TEST = "tests/trust/test_faults.py"


@dataclass(frozen=True)
class Fault:
    """A row: `said` is a part of the one line that the command says, `code` its exit code."""

    id: str
    put: str
    said: str
    code: int
    about: str


def rows() -> tuple[Fault, ...]:
    """All rows, in their order."""
    text = (files("bertology_utils") / "assets" / "faults.yaml").read_text(encoding="utf-8")
    return tuple(Fault(**row, about=group["about"]) for group in yaml.safe_load(text) for row in group["rows"])


def table() -> str:
    """The rows as a table per subject, with the test that proves each."""
    by_subject: dict[str, list[str]] = {}
    for fault in rows():
        by_subject.setdefault(fault.about, []).append(
            f"<tr><td>{escape(fault.put)}</td><td><code>{escape(fault.said)}</code></td><td>{fault.code}</td>"
            f"<td><code>{escape(fault.id)}</code></td></tr>"
        )
    names = ("what is put in", "what is said", "exit code", "test")
    tables = "".join(markup.table("facts faults", names, lines, escape(about)) for about, lines in by_subject.items())
    return f"**{len(rows())} rows**, each run by `{TEST}`.\n\n{tables}"
