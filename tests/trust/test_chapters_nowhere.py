"""Every chapter runs to its end where neither the studies' data nor a network can be had: each claim says so in a line."""

from __future__ import annotations

import pytest
from chapters import FEW, NAMES, NOWHERE, claims_of, executed, on_the_hub, whole

from bertology_utils import runs

NOTHING = {"BERTOLOGY_MIRROR": ""}


@pytest.mark.parametrize("name", NAMES)
def test_without_data_and_without_a_network_each_claim_says_so_in_a_line(name, tmp_path):
    """One worked example of each: what they answer on generated items, which stand in, the stored notebooks are held to.

    So they are to the two runs that chapter 7 trains again (`live`), which takes neither data nor a network.
    """
    nowhere = {**NOTHING, "BERTOLOGY_CACHE": str(tmp_path / "cache"), **on_the_hub(NOWHERE, tmp_path)}
    chapter = whole(
        executed(name, tmp_path, model="mini", data="original", examples=1, without="live", **FEW, **nowhere)
    )
    assert set(chapter.measured) | set(chapter.refused) >= claims_of(name), "a claim is neither measured nor refused"
    assert not {claim for claim in chapter.measured if runs.get(claim).sources()}, "measured on data that cannot be had"
    assert "generated items stand in" in chapter.text
    assert any("could not be had" in why for why in chapter.refused.values())
