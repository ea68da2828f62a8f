"""CoLA: sentences from linguistics publications, judged acceptable or not by their authors (warstadt2018)."""

from __future__ import annotations

from collections.abc import Iterator

from bertology_utils.data.items import Labelled
from bertology_utils.data.original.reading import Files, at, columns, reader

PARTS = {
    "in_domain_train": ("train", "in domain"),
    "in_domain_dev": ("dev", "in domain"),
    "out_of_domain_dev": ("test", "out of domain"),
}


@reader("cola", "acceptability")
def acceptability(files: Files) -> Iterator[Labelled]:
    """Label "1" is acceptable; `condition` says whether the publication is one of the training set's."""
    files.note(
        "the held-out test sets are not public: the out-of-domain dev set is the test split here; "
        "the dev set of GLUE is in-domain and out-of-domain dev together"
    )
    for part, (split, condition) in PARTS.items():
        path = files[f"acceptability_corpus/cola_public/raw/{part}.tsv"]
        for number, (source, label, _, text) in columns(path, 4):
            with at(path, number):
                if label not in ("0", "1"):
                    raise ValueError(f"label {label!r} is neither 0 nor 1")
                yield Labelled(
                    id=f"{part}/{number}",
                    split=split,
                    condition=condition,
                    text=text,
                    label=label,
                    meta={"source": source},
                )
