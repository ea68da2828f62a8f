"""Released results on the mirror: every scorer gives finite figures with their source, and every folder has one."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from released_figures import released_rows as rows
from support import NEEDS_MIRROR

from bertology_rescore import claims, heuristics, scores
from bertology_utils.scores.intervals import COLUMNS

pytestmark = NEEDS_MIRROR


@pytest.mark.parametrize("claim", claims())
def test_every_scorer_gives_finite_figures_with_their_source(claim):
    found = scores(claim)
    assert found
    for s in found:
        assert len(s.rows) and np.isfinite(s.rows.value).all(), s.release.study
        assert {"subject", "measure", "value", "low", "high", "n"} <= set(s.rows.columns)
        known = s.rows.dropna(subset=["low", "high"])
        assert s.rows.low.isna().equals(s.rows.high.isna())
        assert (known.low <= known.high).all()
        assert not s.rows.duplicated([c for c in s.rows.columns if c not in COLUMNS or c == "measure"]).any()
        assert "/" in s.source and s.sha256 and all(len(h) == 64 for h in s.sha256.values())
        assert s.rows.attrs.get("notes", []) == []


def test_every_row_of_the_map_for_these_sections_has_a_scorer():
    import csv

    text = (Path(os.environ["BERTOLOGY_MIRROR"]) / "released" / "MAP.csv").read_text()
    wanted = {
        r["ledger_id"]: r["folder"].split("; ")
        for r in csv.DictReader(text.splitlines())
        if r["ledger_id"][:4] in ("emb.", "syn.", "hed.", "lay.", "siz.", "mbt.")
        and r["ledger_id"] != "siz.table1"  # the tables are what the others read
    }
    missing = [
        (claim, folder)
        for claim, folders in wanted.items()
        for folder in folders
        if {f"released/{folder}", f"released/readme_tables/{folder}"}.isdisjoint(
            s.release.folder for s in scores(claim)
        )
    ]
    assert missing == []


def test_hans_accuracy_where_the_heuristic_is_right_less_where_it_is_wrong():
    frame = rows("trn.heuristics.mccoy2019b", "McCoy et al. 2020").set_index(["measure", "condition"]).value
    right, wrong = (
        np.mean([frame["accuracy", f"{kind}, heuristic {is_}"] for kind in heuristics.HEURISTICS])
        for is_ in ("right", "wrong")
    )
    assert frame["accuracy, consistent - contradicting", "HANS"] == pytest.approx(right - wrong)
    assert round(frame["accuracy, in domain", "MNLI"], 3) == 0.843
    assert round(frame["accuracy", "lexical overlap, heuristic wrong"], 3) == 0.277
