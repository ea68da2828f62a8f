"""Multiple-choice questions: WordNet probes by inference steps (richardson2019), commonsense tests (zhou2020).

One item a choice: `label` "1" for the right one, `meta["chain"]` says which choices compete, `meta["choice"]` their
order. A system answers a question with the choice it scores highest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bertology_utils.data.items import Labelled
from bertology_utils.data.original.reading import Files, reader

PROBES = ("definitions", "dictionary_qa", "hypernymy", "hyponymy", "synonymy")


def _choices(
    question: str, texts: Sequence[tuple[str, str | None]], right: int, split: str, condition: str, meta: dict
) -> Iterator[Labelled]:
    """The items of one question."""
    if not 0 <= right < len(texts) or len(texts) < 2:
        raise ValueError(f"choice {right} of {len(texts)}")
    for i, (text, text_b) in enumerate(texts):
        yield Labelled(
            id=f"{question}/{i}",
            split=split,
            condition=condition,
            text=text,
            text_b=text_b,
            label="1" if i == right else "0",
            meta={**meta, "chain": question, "choice": i},
        )


@reader("richardson_sabharwal2019", "hops")
def hops(files: Files) -> Iterator[Labelled]:
    """Question stem and one of five answers; `meta["hops"]` counts steps in WordNet, `condition` is the probe.

    A definition or a synonym is 0 steps away, a hypernym or a hyponym 1 to 5.
    """
    for name in files.names("data_mcqa/*.jsonl"):
        _, probe, part = name.removesuffix(".jsonl").split("/")
        for number, entry in files.json_lines(name):
            if probe not in PROBES:
                raise ValueError(f"no probe of the study: {probe}")
            question, notes = entry["question"], entry["notes"]
            labels = [str(choice["label"]) for choice in question["choices"]]
            yield from _choices(
                f"{probe}/{part}/{number}",
                [(question["stem"], choice["text"]) for choice in question["choices"]],
                labels.index(str(entry["answerKey"])),
                part,
                probe,
                {"hops": int(notes["hops"])},
            )


# How many choices a question of each test has; `[SEP]` stands between context and ending in one of them.
TESTS = {"arct_1": 2, "arct_2": 2, "ca": 2, "hella_swag": 4, "sm": 2, "smr": 3, "swag": 4, "wsc": 2}
ROBUST = ("add", "del", "sub", "swap")


def _parts(text: str) -> tuple[str, str | None]:
    before, separator, after = text.partition("[SEP]")
    return before.strip(), after.strip() if separator else None


@reader("zhou2020_cats", "commonsense_choice")
def commonsense_choice(files: Files) -> Iterator[Labelled]:
    """Sentences of which one makes sense; `condition` is the test.

    The robustness tests ask a question twice, with a word added, deleted, substituted or swapped: `meta["pair"]` joins
    the two (elsewhere None).
    """
    for test, n in TESTS.items():
        for number, (label, *texts) in files.columns(f"commonsense_ability_test/{test}.txt", n + 1, separator="\x01"):
            parts = [_parts(text) for text in texts]
            yield from _choices(f"{test}/{number}", parts, int(label), "test", test, {"pair": None})
    for test in ROBUST:
        for number, fields in files.columns(f"Robust_commonsense_test/{test}.txt", 6, separator="\x01"):
            for twin in (0, 1):
                label, *texts = fields[3 * twin : 3 * twin + 3]
                parts, meta = [_parts(text) for text in texts], {"pair": f"{test}/{number}"}
                yield from _choices(f"robust {test}/{number}/{twin}", parts, int(label), "test", f"robust {test}", meta)
