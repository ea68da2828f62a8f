"""A reader's own data: a treebank in CoNLL-U, or choices in a CSV file, as the items that experiments take."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..errors import Refusal
from .items import Cloze, ForcedChoice, Item, ItemError, Labelled, MinimalPair, Sentence

COLUMNS = {  # of a CSV file -> the item a line becomes; the first that fits
    ("text", "good", "bad"): lambda row, common: ForcedChoice(
        text=row["text"], good=row["good"], bad=row["bad"], **common
    ),
    ("good", "bad"): lambda row, common: MinimalPair(good=row["good"], bad=row["bad"], **common),
    ("text", "answer"): lambda row, common: Cloze(text=row["text"], answers=tuple(row["answer"].split("|")), **common),
    ("text", "label"): lambda row, common: Labelled(text=row["text"], label=row["label"], **common),
}


class OwnDataError(Refusal, ValueError):
    """A file of one's own cannot be read; the message names file and line."""


def read(path: str | Path) -> list[Item]:
    """Items from a file.

    Parameters
    ----------
    path : str or Path
        ``.conllu``: sentences with their analysis. ``.csv``: with columns ``good, bad`` (minimal pairs); ``text, good,
        bad`` (a text with one [MASK] and two fillers); ``text, answer`` (answers separated by ``|``); or ``text,
        label``; further columns ``split`` (train, dev or test; else test), ``condition`` and ``id`` are taken along,
        any others become ``meta``.

    Raises
    ------
    OwnDataError
        If the file cannot be had, or a line does not fit.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pairs.csv"
    >>> _ = path.write_text("good,bad\\nThe keys are here.,The keys is here.\\n")
    >>> read(path)[0].bad
    'The keys is here.'
    """
    path = Path(path)
    if not path.is_file():
        raise OwnDataError(f"{path}: no such file")
    readers = {".conllu": _treebank, ".csv": _table}
    if path.suffix not in readers:
        raise OwnDataError(f"{path}: needs a file ending in {' or '.join(readers)}")
    try:
        items = list(readers[path.suffix](path))
    except (ValueError, csv.Error) as error:
        if isinstance(error, OwnDataError):
            raise
        raise OwnDataError(f"{path}: {error}") from error
    if not items:
        raise OwnDataError(f"{path}: holds no item")
    return items


def _treebank(path: Path) -> Iterator[Sentence]:
    from .original import conllu

    for number, block in enumerate(conllu.blocks(path)):
        block.comments.setdefault("sent_id", str(number))
        yield conllu.sentence(block)


def _table(path: Path) -> Iterator[Item]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = csv.DictReader(stream, strict=True)
        names = tuple(rows.fieldnames or ())
        needed = next((c for c in COLUMNS if set(c) <= set(names)), None)
        if needed is None:
            wanted = "; ".join(", ".join(c) for c in COLUMNS)
            raise OwnDataError(f"{path}: columns {', '.join(names) or 'none'}; needs one of: {wanted}")
        for row in rows:
            if None in row or None in row.values():
                raise OwnDataError(f"{path}, line {rows.line_num}: not as many cells as columns")
            try:
                yield COLUMNS[needed](row, _common(row, needed, rows.line_num))
            except ItemError as error:
                raise OwnDataError(f"{path}, line {rows.line_num}: {error}") from error


def _common(row: dict[str, str], needed: Sequence[str], line: int) -> dict:
    known = {*needed, "id", "split", "condition"}
    return {
        "id": row.get("id") or str(line),
        "split": row.get("split") or "test",
        "condition": row.get("condition", ""),
        "meta": {k: v for k, v in row.items() if k not in known},
    }
