"""The generated items as the files that the package reads: written, and which numbers of items they must hold."""

from __future__ import annotations

import json
import lzma
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from bertology_utils import files, runs
from bertology_utils.data import builtin
from bertology_utils.data.items import Item
from bertology_utils.experiments.world import consequences, taught

from . import build, lexicon

CUTS = (10, 24, 60, 97, 200, 600, 1000)  # tried besides the numbers wanted: are they the first of the largest?
# text has no columns: what a byte is hangs on those before it, not on its place
PACKED = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "pb": 0}]
PEOPLE = {"man", "woman", "kin_man", "kin_woman", "kin_role", "role", "person", "group"}  # classes of nouns


def wanted() -> dict[str, set[int]]:
    """Task -> how many items of it are read: by each claim, by experiments that ask generated items of their own."""
    numbers: defaultdict[str, set[int]] = defaultdict(set)
    for claim in map(runs.get, runs.registered()):
        for task in () if claim.family else claim.tasks:
            numbers[task].add(claim.n)
    for task in ("facts", "negation", "hops", *consequences.PAIRED):
        numbers[task].add(consequences.ITEMS)
    for task in taught.TAUGHT:
        numbers[task].add(taught.MANY)
    return dict(numbers)


def contents(task: str, numbers: set[int]) -> dict[str, list[Item]]:
    """File name -> the items it holds: the largest number alone, where smaller ones are the first of it."""
    largest = build(task, max(numbers))
    if all(lines(build(task, n)) == lines(largest[:n]) for n in {*numbers, *CUTS} if n < max(numbers)):
        return {f"{task}{builtin.ENDING}": largest}
    return {f"{task}-{n}{builtin.ENDING}": build(task, n) for n in sorted(numbers)}


def lines(items: Sequence[Item]) -> list[str]:
    """An item a line: the name of its type, and its fields."""
    return [json.dumps([type(item).__name__, item], default=vars, ensure_ascii=False) for item in items]


def write(folder: Path = builtin.FOLDER) -> list[Path]:
    """Write all files anew; those that are not wanted go.

    Raises
    ------
    ValueError
        An item is not the same when it has been read again.
    """
    written = []
    for task, numbers in wanted().items():
        for name, items in contents(task, numbers).items():
            text = lines(items)
            if [builtin.decoded(line) for line in text] != items:
                raise ValueError(f"items of {task} are not the same when they are read again")
            # the number that it was made with: a file that holds fewer holds all that there are
            packed = lzma.compress("\n".join((str(max(numbers)), *text, "")).encode(), filters=PACKED)
            (folder / name).write_bytes(packed)
            written.append(folder / name)
    files.write(folder / builtin.WORDS.name, json.dumps(words(), ensure_ascii=False, indent=0) + "\n")
    for path in set(folder.glob(f"*{builtin.ENDING}")) - set(written):
        path.unlink()
    return written


def words() -> dict[str, object]:
    """What `builtin.words` reads: names, nouns by class and number (none of people), and those with *an* before them."""
    nouns = [
        [form for form, _ in lexicon.nouns(name, number)]
        for name in lexicon.source("lexicon")["nouns"]
        if name not in PEOPLE
        for number in ("Sing", "Plur")
    ]
    names = {kind: [w for w, _ in lexicon.words("names", kind)] for kind in ("man", "woman", "place")}
    every = {w for group in (*nouns, names["place"]) for w in group}
    return {"names": names, "nouns": nouns, "an": sorted(filter(lexicon.takes_an, every))}
