"""The released outputs of the real BERT, scored again as evidence beside our reruns."""

from __future__ import annotations

import pandas as pd

from bertology_rescore import scores
from bertology_utils.claims.evidence import Evidence
from bertology_utils.provenance import scoring
from bertology_utils.scores.intervals import COLUMNS
from bertology_utils.settings import Settings


def score(id: str, settings: Settings | None = None, *, save: bool = True) -> list[Evidence]:
    """Score the released outputs of the real BERT for a claim again; needs the mirror that holds them.

    The claim's own clauses decide where the released rows have what they speak of. A related measure decides nothing:
    its stance is our reading of it.
    """
    settings = settings or Settings.of()
    out = []
    for scored in scores(id, settings.mirror):
        release = scored.release
        for subject, rows in scored.rows.groupby("subject", sort=False):
            rows = rows.drop(columns="subject").reset_index(drop=True)
            hashes = {"data_sha256": scored.sha256, "study": release.study}
            record = Evidence(
                claim=id,
                model=str(subject),
                data=release.folder,
                kind="released",
                rows=[{k: v for k, v in r.items() if k in COLUMNS or not pd.isna(v)} for r in rows.to_dict("records")],
                notes=(release.note,),
                label=release.label,
                stance="" if str(subject) in release.baselines else release.stance,
                source=scored.source,
                provenance=hashes | scoring(settings),
            )
            if save:
                record.save(settings.evidence)
            out.append(record)
    return out
