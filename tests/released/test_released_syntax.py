"""Released per-item outputs on agreement and negation, scored by our code."""

from __future__ import annotations

import numpy as np
from support import NEEDS_MIRROR
from support import released_rows as rows

pytestmark = NEEDS_MIRROR


def test_goldberg_figures_come_out_of_the_items():
    frame = rows("syn.agreement.goldberg2019", "goldberg2019").set_index(["subject", "attractors"])
    assert frame.loc[("bert-base-uncased", "all"), "n"] == frame.loc[("bert-large-uncased", "all"), "n"] == 383
    expected = {"bert-base-uncased": (0.833, 0.836, 0.810, 0.889), "bert-large-uncased": (0.796, 0.804, 0.746, 0.889)}
    for subject, values in expected.items():
        got = [frame.loc[(subject, k), "value"] for k in ("all", "0", "1", "2")]
        assert np.round(got, 3).tolist() == list(values)
    assert (frame.low > 0.5).all()


def test_base_leads_large_but_the_paired_interval_reaches_zero():
    frame = rows("siz.bigger_not_always.goldberg2019", "goldberg2019").set_index("measure")
    difference = frame.loc["accuracy difference"]
    assert round(difference.value, 3) == 0.037 and difference.low < 0 < difference.high
    assert 0.05 < frame.loc["McNemar p", "value"] < 0.1


def test_the_false_category_falls_but_stays_near_the_top():
    frame = rows("syn.negation.ettinger2019", "Shivagunde et al. 2023").set_index(["subject", "set", "measure"]).value
    base = frame.loc["bert-base-uncased"]
    for name in ("NEG-136-SIMP", "NEG-1500-SIMP-GEN", "NEG-1500-SIMP-TEMP"):
        assert base[name, "false first"] < base[name, "true first"]
        assert base[name, "overlap of top 10"] < 0.7
    for name in ("NEG-1500-SIMP-GEN", "NEG-1500-SIMP-TEMP"):
        assert base[name, "false above true"] > 0.5
    assert ("NEG-136-SIMP", "false above true") not in base.index  # that set names no true category


def test_roles_prefer_their_own_order():
    frame = rows("sem.roles.ettinger2019", "Shivagunde et al. 2023").set_index(["subject", "measure"])
    for subject in ("bert-base-uncased", "bert-large-uncased"):
        own, other = frame.loc[(subject, "expected in top 5")], frame.loc[(subject, "other order's in top 5")]
        assert own.low > other.high
    assert frame.loc[("bert-base-uncased", "expected in top 1"), "value"] < 0.1
