"""Attention between spans equals a naive sum over the maps."""

from __future__ import annotations

import numpy as np
import torch
from support import tiny

from bertology_utils.attention import spans
from bertology_utils.subject.attentions import attentions


def test_between_spans():
    sentences = [["the", "dog", "sees", "a", "cat", "."], ["he", "likes", "unlikeable", "birds"]]
    links = [(0, (0, 2), (3, 5)), (1, (2, 3), (0, 1)), (0, (4, 5), (1, 2))]
    for reduce, plain in ((torch.mean, np.mean), (torch.amax, np.max)):
        found = spans.between(tiny(), sentences, links, reduce)
        for i, _, map_ in attentions(tiny(), sentences):
            for n, (s, (a, b), (c, d)) in enumerate(links):
                if s == i:
                    block = map_[:, :, a + 1 : b + 1, c + 1 : d + 1]
                    np.testing.assert_allclose(found[n], plain(block, axis=(2, 3)).ravel(), atol=1e-6)
