"""What released outputs may decide: those that have been put beside what a rule puts our own models beside."""

from __future__ import annotations

import pytest

from bertology_utils.cards.standing import standing
from bertology_utils.claims import evidence
from bertology_utils.settings import Settings

SHIPPED = Settings(evidence=evidence.SHIPPED)


@pytest.mark.parametrize(
    "id",
    [
        "emb.sense_clusters.wiedemann2019",  # without a bag of words, which leads the commonest sense by itself
        "hed.combination.hoover2019",  # averages of heads that attend at random are ahead of the best of them too
        "lay.tree_depth.hewitt2019",  # layers 5 to 10 alone: none below or above the middle
        "syn.mdl.voita2020",  # no description length
        "siz.albert.lan2020",  # no plain BERT of fewer parameters
        "siz.theseus.xu2020",  # no layers tuned plainly, and DistilBERT with figures from elsewhere
        "siz.table1",  # two copies of a table, and no model
    ],
)
def test_outputs_without_the_rules_rivals_bear_on_a_claim_and_do_not_decide_it(id):
    found = standing(id, SHIPPED)
    assert found.real.decision is None and found.related
    assert any(r.kind == "released" and r.label == "related" and r.rows for r in found.records)


def test_better_than_before_and_better_than_after_another_tuning_are_told_apart():
    """Our runs have no control task, and nothing is said of one; the released ones were not compared with before."""
    by_kind = {}
    for record in evidence.find("hed.negation_scope.zhao2020"):
        if record.decision and not record.is_twin:
            by_kind.setdefault(record.kind, {c.name for c in record.decision.tested})
    assert by_kind["rerun"] == {"pretrained", "tuned"} and by_kind["released"] == {"pretrained", "control"}
