"""GLUE from the Hub, at a pinned revision, as the same items: an alternative where a mirror has no copy.

``load("sentiment", "hub:sst2")`` reads the configuration `sst2` of `REPOSITORY` with the `datasets` library, which keeps
its own cache. Splits without labels (GLUE's test sets) are left out, and the notes say so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bertology_utils.data.items import Item, Labelled, ScoredPair
from bertology_utils.data.original.fetch import DataUnavailable

REPOSITORY = "nyu-mll/glue"
REVISION = "bcdcba79d07bc864c1c254ccfcedcce55bcc9a8c"
PREFIX = "hub:"
UNLABELLED = -1
SPLITS = {"train": "train", "validation": "dev", "validation_matched": "dev", "test": "test", "test_matched": "test"}


@dataclass(frozen=True)
class Config:
    """One configuration of GLUE: the task it has items for, its columns of text, what its labels are called here."""

    task: str
    texts: tuple[str, ...]
    labels: tuple[str, ...]  # empty: graded


CONFIGS = {
    "sst2": Config("sentiment", ("sentence",), ("0", "1")),
    "cola": Config("acceptability", ("sentence",), ("0", "1")),
    "mrpc": Config("paraphrase", ("sentence1", "sentence2"), ("0", "1")),
    "qqp": Config("paraphrase", ("question1", "question2"), ("0", "1")),
    "rte": Config("entailment", ("sentence1", "sentence2"), ("entailment", "not_entailment")),
    "wnli": Config("entailment", ("sentence1", "sentence2"), ("not_entailment", "entailment")),
    "mnli": Config("entailment", ("premise", "hypothesis"), ("entailment", "neutral", "contradiction")),
    "stsb": Config("sts", ("sentence1", "sentence2"), ()),
}


def tasks(source: str) -> list[str]:
    """The one task of a source like ``hub:sst2``.

    Raises
    ------
    KeyError
        With the configurations there are.
    """
    name = source.removeprefix(PREFIX)
    if name not in CONFIGS:
        raise KeyError(f"no {source!r}; there are: {', '.join(PREFIX + c for c in CONFIGS)}")
    return [CONFIGS[name].task]


def read(source: str, task: str, *, load: Callable[..., Any] | None = None) -> tuple[list[Item], tuple[str, ...]]:
    """All labelled items of a configuration, with notes.

    Parameters
    ----------
    load : callable, optional
        Stands for `datasets.load_dataset`.

    Raises
    ------
    KeyError
        If there is no such configuration, or it has no items for the task.
    DataUnavailable
        If the Hub cannot be reached.
    """
    name = source.removeprefix(PREFIX)
    if task not in tasks(source):
        raise KeyError(f"{source} has no items for {task!r}; it has: {CONFIGS[name].task}")
    if load is None:
        from datasets import load_dataset  # imported late: slow, and needed here alone

        load = load_dataset
    try:
        parts = load(REPOSITORY, name, revision=REVISION)
    except Exception as error:  # the library raises a different kind for each way of being offline
        reason = " ".join(str(error).split())[:160]
        raise DataUnavailable(
            f"{REPOSITORY} ({name}) could not be had from the Hub: {type(error).__name__}: {reason}"
        ) from None
    items = [item for part, rows in parts.items() if part in SPLITS for item in _items(name, SPLITS[part], rows)]
    kept = [item for item in items if item is not None]
    notes: tuple[str, ...] = (f"{REPOSITORY} {name} from the Hub at revision {REVISION[:8]}",)
    if len(kept) < len(items):
        notes += (f"{len(items) - len(kept)} left out: they have no label",)
    return kept, notes


def _items(name: str, split: str, rows: Any) -> Iterator[Item | None]:
    config = CONFIGS[name]
    for number, row in enumerate(rows):
        texts, label = [row[column] for column in config.texts], row["label"]
        common: dict[str, Any] = {"id": f"{name}-{split}-{row.get('idx', number)}", "split": split, "condition": name}
        if label == UNLABELLED:
            yield None
        elif not config.labels:
            yield ScoredPair(a=texts[0], b=texts[1], score=float(label), **common)
        else:
            yield Labelled(
                text=texts[0], text_b=texts[1] if len(texts) > 1 else None, label=config.labels[label], **common
            )
