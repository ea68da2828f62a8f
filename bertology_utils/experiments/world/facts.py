"""Facts as gaps to fill: how many come first, and would anything simpler have found them? (petroni2019)"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import pandas as pd

from ...claims.registry import claim
from ...data.items import Cloze
from ...scores import intervals
from ...scores.relations import macro
from ...settings import Settings
from ...subject import retrieval
from . import plants

MOST = 150  # facts of a relation that are scored
RELATIONAL = ("T-REx", "")  # corpora of the macro average: LAMA's relations of Wikidata, and generated ones
TOP = 10


@claim(
    "wld.lama.petroni2019",
    "facts",
    n=592,
    nulls=("untrained", "frequency", "constant", plants.commonest_object),
    planted=plants.knowing,
)
def facts(subject, data, settings):
    """P@1, P@10 and MRR over the whole vocabulary, by relation and cardinality, against simpler answers (petroni2019).

    Baselines: the object that is right most often in the relation (counted on the scored facts: an oracle), and the
    most frequent word among the relation's objects. What the wording gives away is right for another subject too: the
    share of a wording's other facts whose likeliest word is the right one here. (With its subject masked the same
    wording is asked again as well, but two masks are another text, which may be answered otherwise.) Relations count
    alike; subjects and relations are resampled.
    """
    items = [i for i in data["facts"] if i.meta.get("origin", "manual") == "manual" and i.meta["subject"]]
    items, drawn = per_relation(items, MOST, settings)
    items, coverage, note = retrieval.answerable(subject, items)
    frame = answered(subject, items, settings)
    rows = rows_of(frame[frame["corpus"].isin(RELATIONAL)], settings)
    rows += [intervals.row("items kept", (k / n, np.nan, np.nan), n, relation=r) for r, n, k in coverage.to_numpy()]
    return intervals.table(rows, [note, drawn])


def per_relation(items: list[Cloze], most: int, settings: Settings) -> tuple[list[Cloze], str]:
    """At most so many items of each relation, in their order, drawn from the seed; and a note."""
    groups = defaultdict(list)
    for k, item in enumerate(items):
        groups[item.condition].append(k)
    chosen: set[int] = set()
    for relation, places in sorted(groups.items()):
        chosen.update(random.Random(f"{settings.seed} {relation}").sample(places, min(most, len(places))))
    kept = [item for k, item in enumerate(items) if k in chosen]
    return kept, "" if len(kept) == len(items) else f"at most {most} facts per relation: {len(kept)} of {len(items)}"


def answered(subject, items: list[Cloze], settings: Settings) -> pd.DataFrame:
    """A row per fact: where its object stands, whether the baselines are right, and what the wording alone gives."""
    known = retrieval.pieces(subject, items)
    found = retrieval.retrieve(subject, items, settings, known=known)
    alone = retrieval.without_subject(subject, [i.meta["template"] for i in items], settings)
    common = retrieval.commonest_words(subject, known.candidates)
    place = found["rank"].to_numpy()
    hits = (place == 0).astype(float)
    masked = [retrieval.rank(alone[i.meta["template"]], right) == 0 for i, right in zip(items, known.answers)]
    wordings = [f"{i.condition} {i.meta['template']}" for i in items]  # two relations may be asked in the same words
    others = of_others(wordings, found["first"].to_numpy(), known.answers)
    oracle = retrieval.majority([i.condition for i in items], [a.tolist() for a in known.answers]).astype(float)
    frequent = np.array([common[i.condition] in right for i, right in zip(items, known.answers)], float)
    return pd.DataFrame(
        {
            "relation": [i.condition for i in items],
            "cardinality": [i.meta.get("cardinality") or "none" for i in items],
            "corpus": [i.meta.get("corpus", "") for i in items],
            "subject": [i.meta["subject"] for i in items],
            "P@1": hits,
            f"P@{TOP}": (place < TOP).astype(float),
            "MRR": 1 / (1 + place),
            "P@1 among the relation's objects": found["among"].to_numpy(float),
            "majority object": oracle,
            "most frequent object": frequent,
            "P@1, subject masked": np.array(masked, float),
            "P@1, another subject": others,
            "P@1 over majority object": hits - oracle,
            "P@1 over frequency": hits - frequent,
            "P@1, own subject - another subject": hits - others,
        }
    )


def of_others(wordings: Sequence[str], first: np.ndarray, answers: Sequence[np.ndarray]) -> np.ndarray:
    """Of the other facts asked in the same words, the share whose likeliest piece is right of this one; (n,).

    Nan where there is no other. Who says one word whatever the subject is right for others where it is right here.

    >>> of_others(["t"] * 3, np.array([7, 7, 8]), [np.array([7]), np.array([5]), np.array([8])]).tolist()
    [0.5, 0.0, 0.0]
    """
    first, out = np.asarray(first), np.full(len(answers), np.nan)
    for places in pd.Series(range(len(answers))).groupby(list(wordings)).groups.values():
        for k in places if len(places) > 1 else ():
            same = np.isin(first[places], answers[k])
            out[k] = (same.sum() - np.isin(first[k], answers[k])) / (len(places) - 1)
    return out


MEASURES = ("P@1", f"P@{TOP}", "MRR", "P@1 among the relation's objects", "majority object", "most frequent object",
            "P@1, subject masked", "P@1, another subject", "P@1 over majority object", "P@1 over frequency",
            "P@1, own subject - another subject")  # fmt: skip


def rows_of(frame: pd.DataFrame, settings: Settings) -> list[dict]:
    """Macro averages, and P@1 beside its baselines by relation and by cardinality."""
    rows = intervals.Rows(settings)
    for m in MEASURES:
        part = frame[frame[m].notna()]
        units = part["relation"], part["subject"]
        rows.add(m, macro(part[m], *units, settings, signed=" over " in m or " - " in m), len(part))
    for by in ("relation", "cardinality"):
        for name, part in frame.groupby(by):
            more = {"cardinality": part["cardinality"].iloc[0]} if by == "relation" else {}
            for m in ("P@1", "majority object", "most frequent object", f"P@{TOP}"):
                rows.mean(f"{m}, by {by}", part[m], groups=part["subject"], **{by: name}, **more)
    return rows
