"""Families of languages: how often relatives are the nearer ones, and what that is compared with."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from bertology_utils.experiments.mbert import (
    centroids,
    parallel,
    relatives,
)
from bertology_utils.scores import intervals
from bertology_utils.settings import Settings

SETTINGS = Settings(draws=60, model="mini-multi")


SIZES = (4, 4, 3)  # as many Germanic, Romance and Slavic languages as Tatoeba has


def test_v_measure_is_the_library_s():
    from sklearn.metrics import v_measure_score

    rng = np.random.default_rng(0)
    found, labels = rng.integers(0, 4, 15), rng.integers(0, 5, (6, 15))
    found, labels = np.unique(found, return_inverse=True)[1], labels
    ours = relatives.v_measures(found, labels)
    assert np.allclose(ours, [v_measure_score(row, found) for row in labels])


def test_families_that_are_there_are_found_and_shuffled_ones_give_nothing():
    means = np.repeat(np.eye(16)[:4], 2, 0)[None] + 0.01 * np.arange(8)[:, None]
    d, genera = centroids.distances(means), np.repeat(range(4), 2)
    for score in (relatives.v_measures_of, relatives.nearer):
        value, *shuffled = score(d, relatives.dealt(genera))
        assert value == 1 > np.quantile(shuffled, 0.9) and np.std(shuffled) > 0.05
        (apart,) = score(d, genera[None, [0, 2, 4, 6, 1, 3, 5, 7]])
        assert apart < np.quantile(shuffled, 0.6)


def test_a_language_apart_from_all_others_hides_no_families():
    """Ten languages of two genera and an eleventh far from everything: cutting the tree sees the eleventh alone."""
    genera = np.repeat([0, 1], [6, 5])
    d = np.where(genera[:, None] == genera, 1.0, 2.0) - np.eye(11)
    d[-1, :-1] = d[:-1, -1] = 50.0
    assert relatives.v_measures_of(d, genera[None])[0] < 0.2 < 0.8 < relatives.nearer(d, genera[None])[0]


def test_relatives_are_nearer_as_often_as_a_library_says_and_drawn_languages_count_as_copies():
    rng = np.random.default_rng(0)
    d, genera = rng.random((9, 9)), np.repeat([0, 1, 2], 3)
    d = np.round(d + d.T, 1)  # some are equal
    a, b = np.triu_indices(9, 1)
    value = roc_auc_score(genera[a] == genera[b], -d[a, b])
    assert relatives.nearer(d, genera[None])[0] == pytest.approx(value)
    counts = rng.multinomial(9, np.ones(9) / 9, 5)
    drawn = relatives.nearer_drawn(d[None], genera, np.concatenate([np.ones((1, 9)), counts, np.eye(9)[:1]]))
    copies = [roc_auc_score(genera[a] == genera[b], -d[a, b], sample_weight=c[a] * c[b]) for c in counts]
    assert drawn[:6] == pytest.approx([value, *copies]) and np.isnan(drawn[6])
    assert relatives.nearer_drawn(np.stack([d, -d]), genera, np.ones((2, 9))) == pytest.approx([value, 1 - value])


def test_genera_are_dealt_out_in_every_way_once_and_by_chance_relatives_are_nearer_half_the_time():
    genera = np.repeat([0, 1, 2], SIZES)
    every = relatives.dealt(genera)
    assert len(every) == len(np.unique(every, axis=0)) == 11550 and (every[0] == genera).all()
    assert (np.sort(every, 1) == genera).all()
    d = np.random.default_rng(0).random((11, 11))
    assert relatives.nearer(d + d.T, every).mean() == pytest.approx(0.5)


def test_the_interval_over_languages_holds_the_truth_where_one_over_shuffles_does_not():
    """Languages of three genera around means in four dimensions, drawn a hundred times."""
    rng, genera = np.random.default_rng(0), np.repeat([0, 1, 2], SIZES)
    weights, every, leads, ends, other = intervals.counts(11, 200, 0), relatives.dealt(genera)[::50], [], [], []
    for _ in range(100):
        d = centroids.distances((rng.standard_normal((11, 4)) + 0.5 * rng.standard_normal((3, 4))[genera])[None])
        found = relatives.lead(d, d[None], genera, weights)
        leads.append(found[0])
        ends.append(found[1:])
        other.append(found[0] + 0.5 - np.quantile(relatives.nearer(d, every), [0.975, 0.025]))
    low, high = np.transpose(ends)
    truth, shuffled = np.mean(leads), np.transpose(other)
    assert 0.05 < truth < 0.15 and ((low <= truth) & (truth <= high)).mean() >= 0.93 and (low > 0.1).mean() <= 0.03
    assert ((shuffled[0] <= truth) & (truth <= shuffled[1])).mean() < 0.9


def in_languages(codes, kin, per=30):
    """Vectors (3, K * per, 24) of sentences in languages near their genus, or not; each has a piece of its own."""
    rng = np.random.default_rng(0)
    genera = [parallel.language(c).genus for c in codes]
    genus = {g: rng.standard_normal(24) for g in sorted(set(genera))}
    means = [rng.standard_normal(24) + 3 * kin * genus[g] for g in genera]
    x = np.concatenate([m + rng.standard_normal((3, per, 24)) for m in means], 1)
    return x, [f"{k} 99" for k in range(len(codes)) for _ in range(per)], np.repeat(codes, per)


@pytest.mark.parametrize("kin, low", [(True, True), (False, False)])
def test_the_clause_on_families_holds_of_eleven_languages_with_their_genus_and_of_none_without(kin, low):
    x, pieces, spoken = in_languages("de en nl sv es fr it pt cs pl ru ja".split(), kin)
    rows = centroids.families(x, pieces, spoken, np.full(len(spoken), "test"), SETTINGS)
    found = {r["measure"]: r for r in rows}
    assert found[relatives.NEARER]["n"] == 11 and (found[relatives.NEARER]["low"] > 0.1) is low
    assert (found[relatives.PERMUTED]["value"] < 0.01) is low and found[relatives.PERMUTED]["n"] == 11550
    assert found[f"{relatives.NEARER}, pieces counted"]["low"] < 0.1  # the pieces tell nothing here
    assert (found[relatives.OVER]["low"] > 0.05) is low and found[relatives.OVER]["n"] == 11
    assert (
        relatives.over(*[found[relatives.NEARER]] * 2)["value"] == 0
    )  # who is no nearer than by the pieces has no lead
    assert sum(r["measure"] == "distance of centroids" for r in rows) == 66


@pytest.mark.parametrize("codes, n", [("de en ja fi", 2), ("ja fi ru", 0)])
def test_where_no_pair_can_be_compared_nothing_is_said_of_families(codes, n):
    x, pieces, spoken = in_languages(codes.split(), True)
    rows = centroids.families(x, pieces, spoken, np.full(len(spoken), "test"), SETTINGS)
    for row in rows:
        if row["measure"] != "distance of centroids":
            assert row["n"] == n and np.isnan([row["value"], row["low"], row["high"]]).all()
