"""What place alone explains: profiles of attention by offset."""

from __future__ import annotations

import numpy as np
from support import tiny

from bertology_utils.attention import positional
from bertology_utils.subject.attentions import attentions

SENTENCES = [["the", "dog", "sees", "unlikeable", "cats"], ["he", "runs"]]


def test_profile_is_the_mean_over_pairs_of_words_at_an_offset():
    table = positional.profile(tiny(), SENTENCES, 3)
    assert table.shape == (7, 12)
    for offset in range(-3, 4):
        given = []
        for i, units, map_ in attentions(tiny(), SENTENCES):
            at = {w: u for u, w in enumerate(units.words) if w >= 0}
            n = len(SENTENCES[i])
            given += [map_[:, :, at[q], at[q + offset]].ravel() for q in range(n) if 0 <= q + offset < n]
        np.testing.assert_allclose(table[offset + 3], np.mean(given, 0), atol=1e-6)


def test_offsets_beyond_reach_take_the_last():
    table = np.arange(5.0)[:, None]  # reach 2
    assert positional.at(table, [-2, 0, 2, 9, -9]).ravel().tolist() == [0, 2, 4, 4, 0]
