"""A constant preference, and a skill behind a preference, come out as what they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bertology_utils.scores.choices import by_class
from bertology_utils.settings import Settings

SETTINGS = Settings(draws=300)


def measured(frame, **options):
    rows = by_class(frame, settings=SETTINGS, **options)
    plain = rows[rows["measure"] != "accuracy by gold class"].set_index("measure")
    return plain, rows[rows["measure"] == "accuracy by gold class"].set_index("gold")


def detector(sensitivity, bias, n, seed=0, plural=0.5):
    """A detector of equal variance: says plural where evidence + bias is positive."""
    rng = np.random.default_rng(seed)
    is_plural = rng.random(n) < plural
    says = rng.normal(np.where(is_plural, sensitivity / 2, -sensitivity / 2)) + bias > 0
    return pd.DataFrame({"right": says == is_plural, "gold": np.where(is_plural, "plural", "singular")})


@pytest.mark.parametrize("bias", [0.0, 1.0, -1.5])
def test_sensitivity_is_found_behind_any_preference(bias):
    plain, classes = measured(detector(1.5, bias, 8000, plural=0.7))
    low, high = plain.loc["d'", ["low", "high"]]
    assert low < 1.5 < high and high - low < 0.3
    if bias:
        assert abs(classes.loc["plural", "value"] - classes.loc["singular", "value"]) > 0.3


def test_a_constant_preference_has_no_sensitivity_whatever_the_classes():
    frame = pd.DataFrame({"right": [True] * 90 + [False] * 30, "gold": ["are"] * 90 + ["is"] * 30})
    plain, classes = measured(frame)
    assert plain.loc["accuracy", "value"] == 0.75  # and yet:
    assert plain.loc["d'", "value"] == 0 and plain.loc["d'", "low"] < -0.2 and plain.loc["d'", "high"] > 0.2
    assert plain.loc["balanced accuracy", "value"] == 0.5
    assert plain.loc["balanced accuracy", "low"] < 0.5 < plain.loc["balanced accuracy", "high"]
    assert plain.loc["share of the rarer choice", "value"] == 0 and classes["value"].to_dict() == {
        "are": 1.0,
        "is": 0.0,
    }
    assert classes["n"].to_dict() == {"are": 90, "is": 30}


def test_a_perfect_chooser_is_sensitive_and_not_certain():
    frame = pd.DataFrame({"right": [True] * 60, "gold": ["are", "is"] * 30})
    plain, _ = measured(frame)
    assert plain.loc["d'", "low"] > 2 and plain.loc["d'", "high"] > plain.loc["d'", "value"] > 4
    assert plain.loc["share of the rarer choice", "value"] == 0.5


def test_verbs_widen_and_keys_stay():
    frame = pd.concat([detector(1.0, 0.0, 400, seed=k).assign(condition=k) for k in (1, 2)])
    frame["verb"] = np.arange(800) // 40
    free, tied = (by_class(frame, settings=SETTINGS, by="condition", groups=g) for g in (None, "verb"))
    assert sorted(set(tied["condition"])) == [1, 2] and len(free) == len(tied) == 2 * 6
    assert (tied[tied["measure"] == "d'"]["clusters"] == 10).all()


def test_three_classes_have_no_d_prime():
    frame = pd.DataFrame({"right": [True, False, True] * 10, "gold": list("abc") * 10})
    rows = by_class(frame, settings=SETTINGS)
    assert set(rows["measure"]) == {"accuracy", "accuracy by gold class", "balanced accuracy"}
    assert rows.set_index("measure").loc["balanced accuracy", "value"] == pytest.approx(2 / 3)


def test_few_items_leave_a_balanced_accuracy_between_0_and_1():
    """Three of four right, one class always: widened for four items, the interval had reached from -1.8 to 1.6."""
    for right in ([True, True, True, False], [True, True, False, False], [True] * 4):
        rows = by_class(pd.DataFrame({"right": right, "gold": list("aabb")}), settings=SETTINGS).set_index("measure")
        low, high = rows.loc["balanced accuracy", ["low", "high"]]
        assert 0 <= low < high <= 1
