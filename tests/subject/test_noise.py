"""Planted rounding noise: of the size asked for, seeded, in twins too, and absent by default."""

from __future__ import annotations

import numpy as np
import pytest
from support import tiny, tiny_folder

from bertology_utils.settings import Settings, SettingsError
from bertology_utils.subject import encode
from bertology_utils.subject.models import load

WORDS = [["the", "dog", "sleeps"], ["a", "cat", "sees", "the", "key"]]


def states(subject):
    return dict(encode.hidden_states(subject, WORDS, settings=Settings()))


@pytest.mark.parametrize("of", [lambda s: s, lambda s: s.twin(3)])
def test_noise_of_the_size_asked_for(of):
    plain, noisy = of(tiny()), of(load(str(tiny_folder()), Settings(noise=1e-5)))
    assert noisy.noise == 1e-5 and not plain.noise and noisy.sha256 == plain.sha256
    for i, vectors in states(noisy).items():
        moved = np.abs(vectors - states(plain)[i]) / np.abs(states(plain)[i]).mean()
        assert 1e-6 < moved.mean() < 1e-4
        np.testing.assert_array_equal(vectors, states(noisy)[i])


def test_noise_is_a_small_share():
    for bad in (-1e-6, 1.0):
        with pytest.raises(SettingsError, match="noise"):
            Settings(noise=bad)
    assert Settings().noise == 0
