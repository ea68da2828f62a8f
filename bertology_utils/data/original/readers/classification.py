"""Sentence classification: SST-2 (sentiment) and the Microsoft paraphrase corpus, which is MRPC of GLUE."""

from __future__ import annotations

from collections.abc import Iterator

from bertology_utils.data.items import Labelled
from bertology_utils.data.original.readers.texts import table
from bertology_utils.data.original.reading import Files, at, columns, reader

SST_PARTS = {"train": "train_full", "dev": "dev", "test": "test-labeled"}
MRPC_PARTS = {"train": "train", "dev": "val", "test": "test"}


def _binary(label: str) -> str:
    if label not in ("0", "1"):
        raise ValueError(f"label {label!r} is neither 0 nor 1")
    return label


@reader("glue_sst2", "sentiment")
def sentiment(files: Files) -> Iterator[Labelled]:
    """Phrases (train) and sentences (dev, test) of film reviews (socher2013): 1 positive, 0 negative."""
    for split, part in SST_PARTS.items():
        path = files[f"glue_data/SST-2/{part}.tsv"]
        for number, row in table(path, ("sentence", "label")):
            with at(path, number):
                yield Labelled(
                    id=f"sst2-{split}-{number}", split=split, text=row["sentence"].strip(), label=_binary(row["label"])
                )


@reader("mrpc_msr_paraphrase", "paraphrase")
def paraphrase(files: Files) -> Iterator[Labelled]:
    """Sentence pairs from news (dolan2005): 1 paraphrases, 0 not."""
    for split, part in MRPC_PARTS.items():
        path = files[f"data/para/msr/msr-para-{part}.tsv"]
        for number, (label, _, _, a, b) in columns(path, 5, skip=1, encoding="utf-8-sig"):
            with at(path, number):
                yield Labelled(id=f"mrpc-{split}-{number}", split=split, text=a, text_b=b, label=_binary(label))
