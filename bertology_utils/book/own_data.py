"""The page on a reader's own data: per task what a file must have, an example to download, and which claims take it."""

from __future__ import annotations

from html import escape
from pathlib import Path

from .. import runs
from ..cards import markup
from ..claims import ledger
from ..data import builtin, own
from ..data.items import Sentence
from ..data.own import OwnDataError


def table(static: Path) -> str:
    """The tasks that a file can hold, and the others; the example files are written into a folder, which is made.

    Readers find it at ``../_static/own``.
    """
    static.mkdir(parents=True, exist_ok=True)
    takes = {task: [id for id in runs.registered() if task in runs.get(id).tasks] for task in sorted(builtin.tasks())}
    rows, others = [], []
    for task, claims in takes.items():
        try:
            ending, text = own.example(task)
        except OwnDataError:
            others.append(f"<code>{escape(task)}</code>")
            continue
        name = f"{task}{ending}"
        (static / name).write_text(text, encoding="utf-8")
        links = ", ".join(markup.link(id, ledger.row(id).title) for id in claims if not runs.get(id).family)
        rows.append(
            f'<tr><th scope="row"><code>{escape(task)}</code>'
            f'<small><a href="../_static/own/{name}" download>{name}</a></small></th>'
            f"<td>{_columns(task, text)}</td><td>{links or 'none'}</td></tr>"
        )
    return (
        f"{markup.table('lines own-data', ('task and example', 'columns', 'claims that read it'), rows)}\n"
        f"<p>No file can hold the items of {', '.join(others)}: these are made in Python "
        "(<code>bertology_utils.data.items</code>) and given to <code>run(id, items=...)</code>.</p>"
    )


def _columns(task: str, example: str) -> str:
    """The columns of a task's file, with the types of those that are no text."""
    kind, meta = own.wanted(task) or (own.Item, {})
    if kind is Sentence:
        return "those of CoNLL-U; <code># split = train</code>, dev or test as a comment"
    names = example.partition("\n")[0].split(",")
    types = {k: f" ({v.__name__})" for k, v in meta.items() if v is not str}
    return ", ".join(f"<code>{escape(name)}</code>{types.get(name, '')}" for name in names)
