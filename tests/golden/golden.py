"""What the code gives, in one stored file: a move of code may change nothing of it, and a comparison names what it changed.

Five parts: the generated ``items`` of every builder; the ``original`` items of every reader whose files are at hand; the
``decisions`` of all shipped records; the ``texts`` of all cards and findings; the ``rows`` of every experiment on few
items, for `mini` and its untrained twin. A line of JSON per name. What is long is there by the first digits of a SHA-256,
figures by their mean over the rows of a measure beside such a digest of each to four digits. Another processor, or another
release of a library, moves figures: what a change of code did is seen by comparing on the machine that wrote the file
(its first line says which).
"""

from __future__ import annotations

import hashlib
import json
import math
import platform
import signal
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from bertology_utils import cards, data, runs
from bertology_utils.cards.findings import entries
from bertology_utils.claims import evidence, ledger
from bertology_utils.data import builtin, original
from bertology_utils.errors import Refusal
from bertology_utils.settings import Settings
from bertology_utils.subject import models

FILE = Path(__file__).with_name("golden.jsonl")
ITEMS, SEEDS = 200, (0, 1)
FEW = (24, 60)  # items per task of an experiment: the first number that it can be measured on
SECONDS = 3.0  # of processor time that an experiment may take with its twin; those that take longer are not held
FIGURES = ("value", "low", "high")
APART = ("measure", "draws", "n", "clusters", *FIGURES)  # of a row; the rest are its keys

Golden = dict[str, dict[str, Any]]  # part -> name -> what was there
Part = Callable[[Settings, Mapping[str, Any]], Iterator[tuple[str, Any]]]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def items(settings: Settings, stored: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Task and seed -> digest of the generated items."""
    for task in builtin.tasks():
        for seed in SEEDS:
            yield f"{task}, seed {seed}", data.sha256({task: builtin.build(task, ITEMS, seed)})[:12]


def original_items(settings: Settings, stored: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Data set and task -> digest of the items and of what the reader notes; what is not at hand is left out."""
    for name in original.datasets():
        if original.available(name, mirror=settings.mirror, cache=settings.cache):
            for task in original.tasks(name):
                found, notes = original.read(name, task, mirror=settings.mirror, cache=settings.cache)
                yield f"{name}, {task}", digest("\n".join((data.sha256({task: found}), *notes)))


def decisions(settings: Settings, stored: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    """Claim -> outcome of each shipped record, with a digest of all that was checked."""
    for row in ledger.rows():
        found = sorted((evidence.SHIPPED / row.id).glob("*.json"))
        yield row.id, {path.stem: decided(evidence.read(path)) for path in found}


def decided(record: evidence.Evidence) -> str:
    return f"{record.decision.outcome}, {digest(repr(record.decision))}" if record.decision else "-"


def texts(settings: Settings, stored: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Claim -> digests of its card, as text and as HTML, and of what was found; section -> of its five findings."""
    for row in ledger.rows():
        card = cards.card(row.id, settings, whole=True)
        found = repr(cards.found(row.id, settings)) if row.id in entries(row.section) else ""
        yield row.id, {"card": digest(repr(card)), "page": digest(card._repr_html_()), "finding": digest(found)}
    for section in ledger.sections():
        yield section.name, digest(repr(cards.five(section.name, settings)))


def rows(settings: Settings, stored: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Claim -> items per task, and by model what each measure gives; where they are too few, the refusal.

    What took too long when the file was written is not tried again.
    """
    for id in runs.registered():
        before = stored.get(id, {})
        if not before:
            yield id, measured(id, FEW, SECONDS)
        else:
            yield id, before if "slow" in before else measured(id, (before["n"],), 10 * SECONDS)


class TooSlow(BaseException):
    """No `Exception`: nothing on the way may take it for an error of its own."""


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` in the block once it has taken so much processor time."""

    def stop(*_: Any) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def measured(id: str, numbers: Sequence[int], seconds: float) -> dict[str, Any]:
    """What `rows` says of a claim, on the first of these numbers of items that it can be measured on."""
    refusal = ""
    for n in numbers:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on few items some fits do not converge
            try:
                with stopped_after(seconds):
                    found = runs.run(id, Settings(device="cpu", n=n, draws=20), save=False)
            except Refusal as error:
                refusal = str(error)
                continue
            except TooSlow:
                return {"n": n, "slow": True}
        return {"n": n} | {record.model: by_measure(record.rows) for record in found.records}
    return {"n": numbers[-1], "refused": refusal}


def by_measure(found: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Measure -> number of its rows, their mean and a digest of keys and figures.

    >>> by_measure([{"measure": "accuracy", "layer": k, "value": k / 2, "low": 0.0, "high": None} for k in (0, 1)])
    {'accuracy': '2, mean 0.2500, 33dcae8e700d'}
    """
    out: dict[str, list[Mapping[str, Any]]] = {}
    for row in found:
        out.setdefault(row["measure"], []).append(row)
    return {
        measure: f"{len(some)}, mean {_mean([_number(r['value']) for r in some]):.4f}, {digest(_figures(some))}"
        for measure, some in out.items()
    }


def _figures(some: Sequence[Mapping[str, Any]]) -> str:
    lines = []
    for row in some:
        keys = [f"{k}={v}" for k, v in row.items() if k not in APART]
        lines.append("; ".join([*keys, *(f"{_number(row[f]) + 0.0:.4f}" for f in FIGURES)]))
    return "\n".join(lines)


def _mean(values: Sequence[float]) -> float:
    known = [v for v in values if not math.isnan(v)]
    return float(np.mean(known)) if known else math.nan


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


PARTS: dict[str, Part] = {
    "items": items, "original": original_items, "decisions": decisions, "texts": texts, "rows": rows,
}  # fmt: skip


def machine() -> dict[str, str]:
    """What figures may depend on beside the code."""
    names = ("torch", "transformers", "numpy", "scipy", "scikit-learn")
    return {"mini": models.load("mini").sha256[:12], "processor": platform.machine()} | {
        name: metadata.version(name) for name in names
    }


def save(found: Golden, file: Path = FILE) -> None:
    lines = [json.dumps([part, name, v], ensure_ascii=False) for part in found for name, v in found[part].items()]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def load(file: Path = FILE) -> Golden:
    out: Golden = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        part, name, value = json.loads(line)
        out.setdefault(part, {})[name] = value
    return out


def differences(before: Any, now: Any, where: str) -> Iterator[str]:
    """What differs between two values, by its place.

    >>> list(differences({"n": 24, "mini": {"accuracy": "a"}}, {"n": 24, "mini": {"accuracy": "b"}}, "rows"))
    ["rows, mini, accuracy: 'a' -> 'b'"]
    """
    if isinstance(before, dict) and isinstance(now, dict):
        for key in dict.fromkeys([*before, *now]):
            yield from differences(before.get(key), now.get(key), f"{where}, {key}")
    elif before != now:
        yield f"{where}: {before!r} -> {now!r}"
