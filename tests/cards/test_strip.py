"""What stands on one axis is of one measure, one clause and the same items."""

import pytest
from support import shipped_standings

from bertology_utils.cards import strip

STANDINGS = {s.row.id: s for s in shipped_standings()}


def lane(name, data=(), tasks=()):
    return strip.Lane(name, "", ((0.5, 0.4, 0.6),), data=frozenset(data), tasks=frozenset(tasks))


@pytest.mark.parametrize("id", STANDINGS)
def test_a_strip_has_no_two_reruns_of_different_items(id):
    first = strip.leading(STANDINGS[id])
    if first is None:
        return
    lanes = [x for x in strip._lanes(STANDINGS[id], first[0].name, first[1]) if x.figures]
    together, apart = strip.sides(lanes)
    assert all(a.like(b) for a in together for b in together) and {*together, *apart} == {*lanes}
    drawn = strip.strip(STANDINGS[id])
    assert all(f">{x.name}</text>" in drawn for x in together)
    assert not any(f">{x.name}</text>" in drawn for x in apart) and ("Of other items" in drawn) is bool(apart)


def test_generated_texts_do_not_stand_beside_the_study_s_own():
    own, made, unknown = lane("mpnet", ["glue_sst2"]), lane("mini", ["builtin"]), lane("real BERT")
    assert strip.sides([unknown, own, made]) == ([unknown, own], [made])
    assert strip.sides([own, lane("mini", ["glue_sst2", "builtin"])])[1] == []


def test_nor_does_one_task_beside_another():
    one, two = lane("real BERT", tasks=["task POS"]), lane("mini", tasks=["task none"])
    assert strip.sides([one, two]) == ([one], [two])


def test_at_least_one_claim_keeps_them_apart():
    assert "Of other items, so not on this axis: mini" in strip.strip(STANDINGS["trn.adapters.houlsby2019"])
