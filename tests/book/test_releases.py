"""What the second release of `mini` changes: counted among the claims that were put to both."""

from __future__ import annotations

from types import SimpleNamespace

from bertology_utils.book import releases
from bertology_utils.cards.standing import standings
from bertology_utils.claims import evidence, ledger
from bertology_utils.claims.rules import FAILS, HOLDS, NOT_RERUN, PART, TAUGHT
from bertology_utils.settings import Settings


def standing(id: str, label: str) -> SimpleNamespace:
    return SimpleNamespace(row=SimpleNamespace(id=id, title=f"claim {id}"), mini=SimpleNamespace(label=label))


def test_what_came_out_otherwise_is_named_and_what_was_put_to_one_alone_is_not_counted():
    found = [standing("a", PART), standing("b", TAUGHT), standing("c", NOT_RERUN), standing("d", HOLDS)]
    before = {"a": FAILS, "b": TAUGHT, "c": HOLDS}
    assert [s.row.id for s in releases.changed(found, before)] == ["a"]
    told = releases.table(found, before)
    assert "1 of 2 have another outcome" in told and told.count("<tr>") == 2
    assert "claims/a.html" in told and "claims/b.html" not in told
    assert releases.table(found[1:], before).endswith("none of 1 have another outcome.")


def test_the_first_release_is_told_of_claims_of_the_ledger_that_the_second_was_put_to():
    before = releases.first()
    found = {s.row.id: s for s in standings(settings=Settings(evidence=evidence.SHIPPED))}
    assert set(before) <= {row.id for row in ledger.rows()} and len(before) > 80
    assert all(found[id].ours == "mini" and found[id].mini.decision for id in before)
