"""Released outputs for the chapter on semantics: the published figures come out, and the notes are true."""

from __future__ import annotations

import csv

import pytest
from released_figures import released_rows as rows
from support import NEEDS_MIRROR, mirror

from bertology_rescore import scores
from bertology_utils.claims import ledger
from bertology_utils.claims.rules import decide

pytestmark = NEEDS_MIRROR


def test_every_row_of_the_map_for_this_section_has_a_scorer():
    rows = csv.DictReader((mirror() / "released" / "MAP.csv").read_text(encoding="utf-8").splitlines())
    wanted = [
        (r["ledger_id"], f"released/{f}")
        for r in rows
        if r["ledger_id"].startswith("sem.")
        for f in r["folder"].split("; ")
    ]
    assert wanted and [(id, f) for id, f in wanted if f not in {s.release.folder for s in scores(id)}] == []


def test_reversed_roles():
    frame = rows("sem.roles.ettinger2019", "Shivagunde et al. 2023").set_index(["subject", "measure"])
    for subject in ("bert-base-uncased", "bert-large-uncased"):
        found = frame.loc[(subject, "sensitivity to reversal")]
        assert found.n > 700 and 0 < found.low < found.value < found.high


def test_semantic_labels_over_words():
    frame = rows("sem.edge_probing.tenney2019b", "tenney2019b")
    over = frame[frame.measure == "F1 over best baseline"].set_index(["subject", "task"]).value
    assert over["bert-base-uncased", "entities"] == pytest.approx(
        0.960229 - 0.897127, abs=1e-4
    )  # over input embeddings
    gap = frame[frame.measure == "gain over layer 0, syntactic - semantic"].set_index("subject")
    assert set(gap.index) == {"bert-base-uncased", "bert-large-uncased"} and (gap.low < gap.value).all()


def test_entity_types():
    frame = rows("sem.ner_f1.tenney2019a", "tenney2019b").set_index(["subject", "measure", "view"]).value
    assert frame["bert-base-uncased", "F1", "mix of all layers"] == pytest.approx(0.960, abs=1e-3)
    assert frame["bert-base-uncased", "F1", "input embeddings"] == pytest.approx(0.897, abs=1e-3)


def test_pretraining_seeds_differ():
    frame = rows("sem.name_brittleness.balasubramanian2020", "Sellam et al. 2022").set_index("measure")
    assert frame.loc["accuracy, Winogender", "value"] == 0.626 and frame.loc["bias, seed 1 - seed 0", "low"] > 0


@pytest.mark.parametrize("id", ["sem.roles.ettinger2019", "sem.edge_probing.tenney2019b", "sem.ner_f1.tenney2019a"])
def test_the_ledger_decides_on_released_outputs(id):
    for s in scores(id):
        for subject in set(s.rows.subject) - set(s.release.baselines):
            assert decide(ledger.row(id).clauses, s.rows[s.rows.subject == subject], source=s.release.folder).outcome
