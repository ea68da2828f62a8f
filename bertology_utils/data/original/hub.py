"""GLUE, PAWS-X and XNLI from the Hub, at pinned revisions, with the `datasets` library: a second way in.

``load("sentiment", "hub:sst2")`` and ``--data hub:xnli.de`` read one configuration of a repository; the library keeps its
own cache. Splits without labels (GLUE's test sets) are left out, and the notes say so.

LAMA cannot be read this way: the Hub has it as a program, and no program is run here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bertology_utils.data.items import Item, Labelled, ScoredPair
from bertology_utils.data.original.fetch import DataUnavailable

GLUE = ("nyu-mll/glue", "bcdcba79d07bc864c1c254ccfcedcce55bcc9a8c")
PAWS_X = ("google-research-datasets/paws-x", "4cd8187c404bda33cb1f62b49b001115862acf37")
XNLI = ("facebook/xnli", "b8dd5d7af51114dbda02c0e3f6133f332186418e")
PREFIX = "hub:"
UNLABELLED = -1
SPLITS = {"train": "train", "validation": "dev", "validation_matched": "dev", "test": "test", "test_matched": "test"}


@dataclass(frozen=True)
class Config:
    """One configuration: the task it has items for, its columns of text, what its labels are called here, where it lies."""

    task: str
    texts: tuple[str, ...]
    labels: tuple[str, ...]  # empty: graded
    place: tuple[str, str] = GLUE  # repository, revision


ENTAILMENT = ("entailment", "neutral", "contradiction")

CONFIGS = {
    "sst2": Config("sentiment", ("sentence",), ("0", "1")),
    "cola": Config("acceptability", ("sentence",), ("0", "1")),
    "mrpc": Config("paraphrase", ("sentence1", "sentence2"), ("0", "1")),
    "qqp": Config("paraphrase", ("question1", "question2"), ("0", "1")),
    "rte": Config("entailment", ("sentence1", "sentence2"), ("entailment", "not_entailment")),
    "wnli": Config("entailment", ("sentence1", "sentence2"), ("not_entailment", "entailment")),
    "mnli": Config("entailment", ("premise", "hypothesis"), ENTAILMENT),
    "stsb": Config("sts", ("sentence1", "sentence2"), ()),
    **{
        f"paws-x.{language}": Config("paraphrase", ("sentence1", "sentence2"), ("0", "1"), PAWS_X)
        for language in "de en es fr ja ko zh".split()
    },
    **{
        f"xnli.{language}": Config("entailment", ("premise", "hypothesis"), ENTAILMENT, XNLI)
        for language in "ar bg de el en es fr hi ru sw th tr ur vi zh".split()
    },
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
    items = [i for part, rows in _parts(name, load) if part in SPLITS for i in _items(name, SPLITS[part], rows)]
    kept = [item for item in items if item is not None]
    repository, revision = CONFIGS[name].place
    notes: tuple[str, ...] = (f"{repository} {name} from the Hub at revision {revision[:8]}",)
    if len(kept) < len(items):
        notes += (f"{len(items) - len(kept)} left out: they have no label",)
    return kept, notes


def _parts(name: str, load: Callable[..., Any] | None) -> Iterator[tuple[str, Any]]:
    """The splits of a configuration, by their names on the Hub."""
    if load is None:
        from datasets import load_dataset  # imported late: slow, and needed here alone

        load = load_dataset
    repository, revision = CONFIGS[name].place
    try:
        yield from load(repository, name.rpartition(".")[2], revision=revision).items()
    except Exception as error:  # the library raises a different kind for each way of being offline
        reason = " ".join(str(error).split())[:160]
        raise DataUnavailable(
            f"{repository} ({name}) could not be had from the Hub: {type(error).__name__}: {reason}"
        ) from None


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
