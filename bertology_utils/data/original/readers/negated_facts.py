"""LAMA facts with and without "not" (kassner2020)."""

from __future__ import annotations

from collections.abc import Iterator

from bertology_utils.data.items import Cloze
from bertology_utils.data.original.reading import Files, reader


@reader("lama_negated", "negated_facts")
def negated_facts(files: Files) -> Iterator[Cloze]:
    """Each fact as two items of one pair, `affirmative` and `negated`; the answer is that of the affirmative one.

    The more a model's answers to the two agree, the less it heeds "not". `meta`: `pair`, `set`, `relation`, `subject`.
    """
    for name in files.names("data/*/random/*.jsonl"):
        corpus = name.split("/")[1]
        relation = name.rpartition("/")[2].removesuffix(".jsonl").removesuffix("_random")
        for number, fact in files.json_lines(name):
            texts = {"affirmative": fact["masked_sentences"], "negated": fact["masked_negations"]}
            if not all(texts.values()):
                files.left_out("facts without a negated sentence")
                continue
            if any(len(versions) != 1 for versions in texts.values()):
                files.count("facts have several sentences, of which the first is taken")
            pair = f"{corpus}-{relation}-{number}"
            meta = {
                "pair": pair,
                "set": corpus,
                "relation": fact.get("pred", relation),
                "subject": fact["sub_label"],
            }
            for condition, versions in texts.items():
                yield Cloze(
                    id=f"{pair}-{condition}",
                    condition=condition,
                    text=versions[0],
                    answers=(fact["obj_label"],),
                    meta=meta,
                )
