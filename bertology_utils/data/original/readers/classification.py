"""Sentence classification: SST-2 (sentiment), the Microsoft paraphrase corpus, which is MRPC of GLUE, and CoLA."""

from __future__ import annotations

from collections.abc import Iterator

from bertology_utils.data.items import Labelled
from bertology_utils.data.original.reading import Files, reader

SST_PARTS = {"train": "train_full", "dev": "dev", "test": "test-labeled"}
MRPC_PARTS = {"train": "train", "dev": "val", "test": "test"}
COLA_PARTS = {
    "in_domain_train": ("train", "in domain"),
    "in_domain_dev": ("dev", "in domain"),
    "out_of_domain_dev": ("test", "out of domain"),
}


def _binary(label: str) -> str:
    if label not in ("0", "1"):
        raise ValueError(f"label {label!r} is neither 0 nor 1")
    return label


@reader("glue_sst2", "sentiment")
def sentiment(files: Files) -> Iterator[Labelled]:
    """Phrases (train) and sentences (dev, test) of film reviews (socher2013): 1 positive, 0 negative."""
    for split, part in SST_PARTS.items():
        for number, row in files.table(f"glue_data/SST-2/{part}.tsv", ("sentence", "label")):
            yield Labelled(
                id=f"sst2-{split}-{number}", split=split, text=row["sentence"].strip(), label=_binary(row["label"])
            )


@reader("mrpc_msr_paraphrase", "paraphrase")
def paraphrase(files: Files) -> Iterator[Labelled]:
    """Sentence pairs from news (dolan2005): 1 paraphrases, 0 not."""
    for split, part in MRPC_PARTS.items():
        rows = files.columns(f"data/para/msr/msr-para-{part}.tsv", 5, skip=1, encoding="utf-8-sig")
        for number, (label, _, _, a, b) in rows:
            yield Labelled(id=f"mrpc-{split}-{number}", split=split, text=a, text_b=b, label=_binary(label))


@reader("cola", "acceptability")
def acceptability(files: Files) -> Iterator[Labelled]:
    """Sentences from linguistics publications, judged by their authors (warstadt2018): label "1" is acceptable.

    `condition` says whether the publication is one of the training set's.
    """
    files.note(
        "the held-out test sets are not public: the out-of-domain dev set is the test split here; "
        "the dev set of GLUE is in-domain and out-of-domain dev together"
    )
    for part, (split, condition) in COLA_PARTS.items():
        for number, (source, label, _, text) in files.columns(f"acceptability_corpus/cola_public/raw/{part}.tsv", 4):
            yield Labelled(
                id=f"{part}/{number}",
                split=split,
                condition=condition,
                text=text,
                label=_binary(label),
                meta={"source": source},
            )
