"""Areas under the curve and F1 against counts by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score

from bertology_utils.scores import discrimination as d

RNG = np.random.default_rng(0)
LABELS = np.arange(80) % 2 == 0
SCORES = LABELS + RNG.standard_normal(80)


def test_the_area_is_the_library_s():
    assert d.auc(SCORES, LABELS) == pytest.approx(roc_auc_score(LABELS, SCORES))
    tied = np.round(SCORES)
    assert d.auc(tied, LABELS) == pytest.approx(roc_auc_score(LABELS, tied))
    assert np.isnan(d.auc(SCORES, np.ones(80)))


def test_f1_is_the_library_s_and_zero_where_nothing_is_said():
    said = SCORES > 0.5
    assert d.f1(d.f1_columns(said, LABELS).sum(0)) == pytest.approx(f1_score(LABELS, said))
    assert d.f1(np.zeros(3)) == 0


def test_intervals_hold_their_value_and_differences_are_paired():
    options = dict(seed=0, draws=200, groups=np.arange(80) // 2)
    value, low, high = d.auc_interval(SCORES, LABELS, **options)
    assert 0 <= low < value < high <= 1
    same = d.auc_difference(SCORES, 2 * SCORES + 1, LABELS, **options)
    assert same[0] == 0 and same[2] - same[1] < (high - low) / 2
    lead, low, high = d.f1_difference(SCORES > 0.5, LABELS, LABELS, **options)
    assert lead == pytest.approx(f1_score(LABELS, SCORES > 0.5) - 1) and low < lead < high < 0
    assert d.f1_interval(SCORES > 0.5, LABELS, **options)[0] == pytest.approx(1 + lead)
