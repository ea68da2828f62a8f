"""A reader's own data: a treebank in CoNLL-U, or choices in a CSV file, as the items that experiments take.

What a task needs is read off its generated items: their type, and the names and types of what they carry besides (`meta`).
"""

from __future__ import annotations

import csv
import difflib
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import Refusal
from .items import Cloze, ForcedChoice, Item, ItemError, Labelled, MinimalPair, ScoredPair, Sentence, blank
from .text import cycle

PREFIX = "own-"  # of the name of one's own data, in records too
COLUMNS: dict[tuple[str, ...], Callable[..., Item]] = {  # of a CSV file -> the item a line becomes; the first that fits
    ("text", "good", "bad"): ForcedChoice,
    ("good", "bad"): MinimalPair,
    ("text", "answer"): lambda answer, **given: Cloze(answers=tuple(answer.split("|")), **given),
    ("text", "label"): Labelled,
    ("a", "b", "score"): lambda score, **given: ScoredPair(score=float(score), **given),
}
MADE = {("text", "answer"): Cloze, ("a", "b", "score"): ScoredPair}  # by the functions among them
OPTIONAL = ("text_b",)  # of a labelled text
COMMON = ("id", "split", "condition")
TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
SPLITS = "a claim that fits a probe or tunes needs others in train and in dev"
READABLE = (bool, int, float, str)  # types of meta that a cell can hold


class OwnDataError(Refusal, ValueError):
    """Data of one's own cannot be read, or do not fit a task; the message names file and line."""


@cache
def wanted(task: str) -> tuple[type[Item], dict[str, type]] | None:
    """The type of a task's items, and the types of their meta; None of a task that has no generated items.

    Examples
    --------
    >>> kind, meta = wanted("agreement")
    >>> kind.__name__, meta["attractors"].__name__, meta["nonce"].__name__
    ('ForcedChoice', 'int', 'bool')
    """
    from . import builtin

    if task not in builtin.tasks():
        return None
    items = builtin.build(task, n=60)
    return type(items[0]), {k: type(v) for item in items for k, v in item.meta.items() if v is not None}


def fitting(items: Mapping[str, Sequence[Item]], tasks: Sequence[str]) -> None:
    """Refuse items that are not those of a claim's tasks.

    Raises
    ------
    OwnDataError
        Naming the task and what its items are.
    """
    for task, given in items.items():
        if task not in tasks:
            raise OwnDataError(f"there is no task {task!r} here, only {', '.join(tasks)}")
        kind = found[0] if (found := wanted(task)) else Item
        wrong = next((item for item in given if not isinstance(item, kind)), None)
        if wrong is not None or not given:
            what = "nothing" if wrong is None else f"a {type(wrong).__name__}: {str(wrong)[:80]}"
            raise OwnDataError(f"the items of {task!r} are of type {kind.__name__}; given is {what}")


def read(path: str | Path, task: str | None = None) -> list[Item]:
    """Items from a file.

    Parameters
    ----------
    path : str or Path
        ``.conllu``: sentences with their analysis, in a split by a comment ``# split = train`` (else test);
        ``# condition`` likewise, the language where there are several. ``.csv``, in UTF-8: with columns ``good, bad``
        (minimal pairs); ``text, good, bad`` (a text with one [MASK] and two fillers); ``text, answer`` (answers
        separated by ``|``); ``text, label`` (and ``text_b``); or ``a, b, score`` (two texts and how alike they are);
        further columns ``split`` (train, dev or test; else test), ``condition`` and ``id`` are taken along, any others
        become ``meta``.
    task : str, optional
        What the items are for: the columns must be its own, and what becomes ``meta`` has the types of its generated
        items (``attractors`` an integer, ``nonce`` true or false). Without it, all of ``meta`` is text.

    Raises
    ------
    OwnDataError
        If the file cannot be had, a line does not fit, or a column is there twice or misspelt.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "pairs.csv"
    >>> _ = path.write_text("good,bad\\nThe keys are here.,The keys is here.\\n")
    >>> read(path)[0].bad
    'The keys is here.'
    """
    return _read(path, task)[0]


def with_notes(path: str | Path, task: str) -> tuple[list[Item], tuple[str, ...]]:
    """As `read`, with a note that names the columns which nothing of the task's reads."""
    items, columns = _read(path, task)
    known = set(found[1]) if (found := wanted(task)) else set()
    idle = [column for column in columns if column not in known]
    return items, (f"columns that {task} has no use for: {', '.join(idle)}",) if idle else ()


def _read(path: str | Path, task: str | None) -> tuple[list[Item], list[str]]:
    """The items of a file, and the names of the columns that became meta."""
    path = Path(path).expanduser()
    if not path.is_file():
        raise OwnDataError(f"{path}: no such file")
    ending = ".conllu" if (kind := _kind(task)) is Sentence else ".csv" if kind else ""
    if path.suffix not in ((ending,) if ending else (".conllu", ".csv")):
        raise OwnDataError(f"{path}: needs a file ending in {ending or '.conllu or .csv'}")
    columns: list[str] = []
    try:
        items = list(_treebank(path) if path.suffix == ".conllu" else _table(path, task, columns))
    except OwnDataError:
        raise
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise OwnDataError(f"{path} is not in UTF-8 (it has a byte {byte:#04x}): save it as UTF-8") from error
    except (ValueError, csv.Error) as error:
        raise OwnDataError(f"{path}: {error}") from error
    if not items:
        raise OwnDataError(f"{path}: holds no item")
    return items, columns


def described(path: str | Path, task: str) -> str:
    """What is read from a file, in lines: how many items by split and condition, which columns are used, the first items.

    Raises
    ------
    OwnDataError
        As of `read`.
    """
    items, notes = with_notes(path, task)
    types = found[1] if (found := wanted(task)) else {}
    has = sorted({key for item in items for key in item.meta} & set(types))
    lacks = sorted(key for key, kind in types.items() if kind in READABLE and key not in has)
    lines = [
        f"{len(items):,} items of type {type(items[0]).__name__} for {task}",
        f"splits: {_counted(item.split for item in items)}",
        f"conditions: {_counted(item.condition or '(none)' for item in items)}",
        *([f"columns that {task} reads besides: {', '.join(has)}"] if has else []),
        *([f"columns that it could read and that are not there: {', '.join(lacks)}"] if lacks else []),
        *notes,
        *(f"item {item.id}: {' | '.join(item.texts())}" for item in items[:3]),
    ]
    if {item.split for item in items} == {"test"}:
        lines.append(f"every item is in test: {SPLITS}")
    return "\n".join(lines)


def _counted(values: Iterable[str]) -> str:
    return ", ".join(f"{value} {n:,}" for value, n in Counter(values).items())


def example(task: str, n: int = 10) -> tuple[str, str]:
    """A file that can be read for a task, made of its generated items: its ending, and its text.

    Raises
    ------
    OwnDataError
        If no file can hold the task's items.

    Examples
    --------
    >>> ending, text = example("npi_pairs", 2)
    >>> ending, text.splitlines()[0]
    ('.csv', 'id,split,condition,good,bad,environment,npi')
    """
    from . import builtin

    kind, types = _kind(task), (wanted(task) or (Item, {}))[1]
    if kind is None:
        raise OwnDataError(f"there is no task {task!r}")
    made = builtin.build(task, n=max(60, n))
    items = builtin.evenly(made, n)
    if kind is Sentence:
        return ".conllu", "".join(map(_analysed, items))
    needed = _columns(kind)[0]
    more = [c for c in OPTIONAL if "label" in needed and any(getattr(item, c) for item in items)]
    meta = [k for k, of in types.items() if of in READABLE and k not in (*COMMON, *needed)]
    stream = io.StringIO(newline="")
    out = csv.DictWriter(stream, [*COMMON, *needed, *more, *meta], lineterminator="\n")
    out.writeheader()
    for item in items:
        cells = {k: "" if (v := getattr(item, k, "")) is None else v for k in (*COMMON, *needed, *more)}
        if "answer" in needed:
            cells["answer"] = "|".join(item.answers)
        out.writerow(cells | {k: item.meta.get(k, "") for k in meta})
    return ".csv", stream.getvalue()


def _analysed(sentence: Sentence) -> str:
    """A sentence as CoNLL-U has it, with its split as a comment."""
    blank = ("_",) * len(sentence.words)
    columns = zip(
        sentence.words,
        sentence.lemmas or blank,
        sentence.upos or blank,
        sentence.xpos or blank,
        [feats or "_" for feats in sentence.feats] or blank,
        [head + 1 for head in sentence.heads] or [k for k in range(len(blank))],
        sentence.deprels or blank,
    )
    rows = "".join(f"{k}\t" + "\t".join(map(str, row)) + "\t_\t_\n" for k, row in enumerate(columns, 1))
    comments = {"sent_id": sentence.id, "split": sentence.split, "condition": sentence.condition}
    return "".join(f"# {name} = {value}\n" for name, value in comments.items() if value) + f"{rows}\n"


def _kind(task: str | None) -> type[Item] | None:
    """The type that a file's items must have; None: any.

    Raises
    ------
    OwnDataError
        If no file holds such items.
    """
    if task is None or (found := wanted(task)) is None:
        return None
    if found[0] is not Sentence and not _columns(found[0]):
        raise OwnDataError(
            f"items of {task!r} are of type {found[0].__name__}, which no file can hold: make them in Python"
        )
    return found[0]


def _treebank(path: Path) -> Iterator[Sentence]:
    from .original import conllu

    for number, block in enumerate(conllu.blocks(path), 1):
        block.comments.setdefault("sent_id", str(number - 1))
        split, condition = block.comments.get("split", "test"), block.comments.get("condition", "")
        made = conllu.sentence(block, split=split, condition=condition)
        if circle := cycle(made.heads):
            words = " -> ".join(made.words[i] for i in (*circle, circle[0]))
            raise OwnDataError(f"{path}, sentence {number} (line {block.line}): its heads go in a circle: {words}")
        yield made


def _table(path: Path, task: str | None, columns: list[str]) -> Iterator[Item]:
    """The items of a CSV file; `columns` gets the names of those that become meta."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = csv.DictReader(stream, strict=True)
        names = [name.strip() for name in rows.fieldnames or ()]
        rows.fieldnames = names
        kind, types = _kind(task), found[1] if task and (found := wanted(task)) else {}
        needed = _needed(path, names, kind)
        known = [*needed, *(OPTIONAL if "label" in needed else ()), *COMMON]
        columns += _checked(path, names, known, types)
        for row in rows:
            where = f"{path}, line {rows.line_num}"
            if None in row or None in row.values():
                raise OwnDataError(f"{where}: not as many cells as columns")
            for name in needed:
                if any(blank(part) for part in (row[name].split("|") if name == "answer" else [row[name]])):
                    raise OwnDataError(f"{where}: nothing to read in {name}")
            given = {k: v for k, v in row.items() if k in known and (v or k in needed)}
            meta = {k: _value(row[k], types.get(k, str), f"{where}, {k}") for k in columns if row[k] or k not in types}
            try:
                yield COLUMNS[needed](**{"id": str(rows.line_num), **given, "meta": meta})
            except (ItemError, ValueError) as error:
                raise OwnDataError(f"{where}: {error}") from error


def _columns(kind: type[Item]) -> list[tuple[str, ...]]:
    """The columns that make items of a type."""
    return [columns for columns, made in COLUMNS.items() if MADE.get(columns, made) is kind]


def _needed(path: Path, names: Sequence[str], kind: type[Item] | None) -> tuple[str, ...]:
    """The columns that make an item, of those that can make one of a type."""
    able = _columns(kind) if kind else list(COLUMNS)
    for columns in able:
        if set(columns) <= set(names):
            return columns
    listed = "; ".join(", ".join(c) for c in able)
    raise OwnDataError(f"{path}: columns {', '.join(names) or 'none'}; needs {'one of: ' * (len(able) > 1)}{listed}")


def _checked(path: Path, names: Sequence[str], known: Sequence[str], types: Mapping[str, type]) -> list[str]:
    """The columns that become meta, none of them twice, misspelt or of a type that no cell holds."""
    if twice := [name for name, n in Counter(names).items() if n > 1]:
        raise OwnDataError(f"{path}: column {twice[0]!r} is there twice")
    for name in names:
        if name in known:
            continue
        if not name:
            raise OwnDataError(f"{path}: a column without a name")
        near = difflib.get_close_matches(name.lower(), [*known, *types], 1, cutoff=0.8)
        if near and name not in types:
            raise OwnDataError(f"{path}: column {name!r}: is {near[0]!r} meant?")
        if types.get(name, str) not in READABLE:
            raise OwnDataError(f"{path}: column {name!r} would be a {types[name].__name__}, which no cell can hold")
    return [name for name in names if name not in known]


def _value(text: str, kind: type, where: str) -> Any:
    try:
        return TRUTHS[text.strip().lower()] if kind is bool else kind(text)
    except (KeyError, ValueError):
        meant = "true or false" if kind is bool else "a number"
        raise OwnDataError(f"{where}: {text!r} is not {meant}") from None
