"""The 46 association tests of may2019: WEAT words, and the same words in semantically bleached sentences."""

from __future__ import annotations

import json
from collections.abc import Iterator

from bertology_utils.data.items import Association
from bertology_utils.data.original.reading import Files, at, reader


@reader("may2019_seat", "association")
def association(files: Files) -> Iterator[Association]:
    """One item a test, which is its condition; `bleached` tests are those made of templates ("This is a rose.")."""
    for path in files.glob("tests/*.jsonl"):
        with at(path, 1):
            test = json.loads(path.read_text(encoding="utf-8"))
            parts = [test[key] for key in ("targ1", "targ2", "attr1", "attr2")]
            x, y, a, b = (tuple(part["examples"]) for part in parts)
            if not all((x, y, a, b)):
                raise ValueError("a set of the test is empty")
            yield Association(
                id=path.stem,
                condition=path.stem,
                x=x,
                y=y,
                a=a,
                b=b,
                meta={
                    "bleached": path.stem.startswith("sent-"),
                    "categories": tuple(part["category"] for part in parts),
                },
            )
