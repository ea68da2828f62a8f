"""Pairs of sentences, the second following from the first or not: GLUE's RTE and WNLI, semantic fragments."""

from __future__ import annotations

from collections.abc import Iterator

from bertology_utils.data.items import Labelled
from bertology_utils.data.original.reading import Files, reader

GLUE = {
    "RTE": {"entailment": "entailment", "not_entailment": "not_entailment"},
    "WNLI": {"1": "entailment", "0": "not_entailment"},
}


@reader("glue_rte_wnli", "entailment")
def glue(files: Files) -> Iterator[Labelled]:
    """RTE and WNLI (wang2018); `condition` is the task."""
    files.note(
        "RTE is split anew in this copy, with labels for the test part: train, dev and test hold GLUE's train and dev "
        "sets (2,767 pairs); WNLI's test part is GLUE's dev set (71), its train and dev parts GLUE's train set (635)"
    )
    for task, labels in GLUE.items():
        for split in ("train", "dev", "test"):
            for number, row in files.table(
                f"glue_data/{task}/{split}.tsv", ("index", "sentence1", "sentence2", "label")
            ):
                yield Labelled(
                    id=f"{task}/{split}/{number}",
                    split=split,
                    condition=task,
                    text=row["sentence1"],
                    text_b=row["sentence2"],
                    label=labels[row["label"]],
                    meta={"index": row["index"]},
                )


FRAGMENTS = (
    "boolean", "comparative", "conditional", "counting", "monotonicity_hard", "monotonicity_simple",
    "negation", "quantifier",
)  # fmt: skip
FRAGMENT_PARTS = {"train": "train/challenge_train", "dev": "train/challenge_dev", "test": "test/challenge_dev"}
TWO_WAY = {"ENTAILMENT": "entailment", "NEUTRAL": "not_entailment", "CONTRADICTION": "not_entailment"}


@reader("richardson_sabharwal2019", "entailment")
def fragments(files: Files) -> Iterator[Labelled]:
    """Eight semantic fragments, each with its own training pairs, and the "breaking NLI" pairs.

    `condition` is the fragment; `meta["three_way"]` keeps neutral and contradiction apart. The logical fragments' test
    pairs use words that their training pairs do not.
    """
    files.note("neutral and contradiction are both not_entailment, as in the other data sets")
    for fragment in FRAGMENTS:
        for split, part in FRAGMENT_PARTS.items():
            yield from _pairs(files, f"data/{fragment}/{part}.tsv", fragment, split)
    yield from _pairs(files, "breaking_nli/challenge_dev.tsv", "breaking_nli", "test")


def _pairs(files: Files, name: str, condition: str, split: str) -> Iterator[Labelled]:
    for number, (_, premise, hypothesis, label) in files.columns(name, 4):
        yield Labelled(
            id=f"{condition}/{split}/{number}",
            split=split,
            condition=condition,
            text=premise,
            text_b=hypothesis,
            label=TWO_WAY[label],
            meta={"three_way": label.lower()},
        )
