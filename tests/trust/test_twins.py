"""What training taught is held against an untrained network of the same shape, wherever one was or can be measured."""

from __future__ import annotations

from bertology_utils.claims import evidence, ledger
from bertology_utils.claims.clauses import LEARNED
from bertology_utils.settings import Settings

# Records that no untrained twin stands beside: a clause says of them what its threshold says.
NONE = {
    ("mbt.vocabulary_swap.artetxe2019", "family", "builtin"),  # groups of runs, a random start among them
    ("trn.cls_norm.zhou2019", "all-MiniLM-L6-v2", "glue_sst2"),
}


def test_what_is_learned_is_decided_with_its_twin():
    alone = {
        (record.claim, record.model, record.data)
        for record in evidence.find(settings=Settings(evidence=evidence.SHIPPED))
        if record.kind == "rerun" and not record.is_twin and not record.over_twin
        and any(c.kind == LEARNED and c.on(record.data).tests for c in ledger.row(record.claim).clauses)
    }  # fmt: skip
    assert alone == NONE
