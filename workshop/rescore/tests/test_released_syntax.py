"""Released per-item outputs on agreement and negation, scored by our code."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from released_figures import released_rows as rows
from support import NEEDS_MIRROR, mirror

from bertology_rescore.agreement import read_items, stimuli
from bertology_rescore.files import Files
from bertology_rescore.negation import _ranked

pytestmark = NEEDS_MIRROR


def test_goldberg_figures_come_out_of_the_items():
    frame = rows("syn.agreement.goldberg2019", "goldberg2019")
    plain = frame[frame.measure == "accuracy"].set_index(["subject", "attractors"])
    assert plain.loc[("bert-base-uncased", "all"), "n"] == plain.loc[("bert-large-uncased", "all"), "n"] == 383
    expected = {"bert-base-uncased": (0.833, 0.836, 0.810, 0.889), "bert-large-uncased": (0.796, 0.804, 0.746, 0.889)}
    for subject, values in expected.items():
        got = [plain.loc[(subject, k), "value"] for k in ("all", "0", "1", "2")]
        assert np.round(got, 3).tolist() == list(values)


def test_goldberg_balanced_is_the_mean_over_numbers():
    frame = rows("syn.agreement.goldberg2019", "goldberg2019")
    base = frame[(frame.measure == "balanced accuracy") & (frame.subject == "bert-base-uncased")].set_index("items")
    assert base.n.to_dict() == {"no distractor": 311, "distractor": 63, "several distractors": 9, "nonce": 349}
    assert base.clusters["distractor"] < 10  # constructions: 63 sentences are few
    files = Files(mirror(), "goldberg2019_bert_syntax", ("results/gulordava_results_base.txt", "generated.tab"))
    items = read_items(files, "results/gulordava_results_base.txt").join(stimuli(files), on="place")
    far = items[items.attractors == 1]
    by_number = far.groupby("number").right.mean()
    assert base.value["distractor"] == pytest.approx(by_number.mean())


def test_base_leads_large_but_the_paired_interval_reaches_zero():
    frame = rows("siz.bigger_not_always.goldberg2019", "goldberg2019").set_index("measure")
    difference = frame.loc["accuracy, base - large"]
    assert round(difference.value, 3) == 0.037 and difference.low < 0 < difference.high
    assert difference.task == "agreement" and difference.n == 383 and difference.clusters == 41
    assert frame.loc["accuracy"].set_index("size").value.round(3).to_dict() == {"base": 0.833, "large": 0.796}
    assert 0.05 < frame.loc["McNemar p", "value"] < 0.1


def test_the_false_category_falls_but_stays_near_the_top():
    frame = rows("syn.negation.ettinger2019", "Shivagunde et al. 2023")
    by_set = frame.dropna(subset="set").set_index(["subject", "set", "measure"]).value.loc["bert-base-uncased"]
    for name in ("NEG-136-SIMP", "NEG-1500-SIMP-GEN", "NEG-1500-SIMP-TEMP"):
        assert by_set[name, "false first"] < by_set[name, "true first"]
        assert by_set[name, "overlap of top 10"] < 0.7
    pooled = frame[frame["set"].isna()].set_index(["subject", "measure"]).loc["bert-base-uncased"]
    assert pooled.value["accuracy, affirmative"] > 0.9 and pooled.value["unmoved by not"] > 0.8
    assert abs(pooled.value["switched by not"]) < 0.15
    # pairs of which neither category is among the twenty fillers say nothing
    assert pooled.n["switched by not"] < pooled.n["unmoved by not"] < pooled.n["same first filler"] == 1538


def test_a_pair_is_scored_by_the_ranks_of_both_categories():
    def pair(plain, negated):
        frame = pd.DataFrame({"first": ["A robin is a"], "first_word": ["bird"], "second_word": ["tree"],
                              "first_fillers": [plain], "second_fillers": [negated]})  # fmt: skip
        return _ranked(next(frame.itertuples()))

    heeds = pair(["bird", "tree"], ["tree", "bird"])
    assert (heeds["accuracy, affirmative"], heeds["unmoved by not"], heeds["switched by not"]) == (1, 0, 1)
    deaf = pair(["bird", "x"], ["bird", "x"])
    assert (deaf["unmoved by not"], deaf["switched by not"], deaf["same first filler"]) == (1, 0, 1)
    silent = pair(["x"], ["bird"])
    assert np.isnan(silent["accuracy, affirmative"]) and np.isnan(silent["switched by not"])
    assert deaf["thing"] == "A robin"


def test_ease_tells_representations_apart_better_than_the_best_probe():
    frame = rows("syn.mdl.voita2020", "pimentel2020")
    lead = frame[frame.measure == "lead by ease less lead by accuracy"].set_index("task")
    assert (lead.low > 0.05).all() and (lead.low < lead.value).all() and (lead.value < lead.high).all()


def test_roles_prefer_their_own_order():
    frame = rows("sem.roles.ettinger2019", "Shivagunde et al. 2023").set_index(["subject", "measure"])
    for subject in ("bert-base-uncased", "bert-large-uncased"):
        own, other = frame.loc[(subject, "expected in top 5")], frame.loc[(subject, "other order's in top 5")]
        assert own.low > other.high
    assert frame.loc[("bert-base-uncased", "expected in top 1"), "value"] < 0.1
