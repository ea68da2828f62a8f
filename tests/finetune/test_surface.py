"""The loss about a model: a quadratic's sharpness is known, and weights are put back exactly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from nouns_and_sizes import items
from support import tiny

from bertology_utils.finetune import Recipe, classify
from bertology_utils.finetune.surface import direction, losses, matrices, moved, rises, surface


def quadratic(*shapes, scale=1.0):
    generator = torch.Generator().manual_seed(3)
    weights = [scale * torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes]
    return weights, lambda: np.array([0.5 * sum(float((w**2).sum()) for w in weights)])


@pytest.mark.parametrize("radius", [0.1, 0.5])
def test_sharpness_of_a_quadratic(radius):
    """0.5 |w|^2 rises by 0.5 r^2 |d|^2 both ways, and |d| = |w|: r^2 L / (1 + L)."""
    weights, loss = quadratic((4, 3), (2, 5))
    (level,) = loss()
    found = rises(loss, weights, radius=radius, directions=3)
    assert found[0] == pytest.approx(radius**2 * level / (1 + level))
    assert loss()[0] == level


def test_the_size_of_the_weights_does_not_matter_to_a_loss_that_ignores_it():
    """A loss of the weights' direction alone is as sharp for large weights as for small ones."""
    found = []
    for scale in (1.0, 100.0):
        weights, _ = quadratic((3, 4), scale=scale)
        found.append(rises(lambda w=weights[0]: (w / w.norm())[:, 0].numpy() ** 2, weights, radius=0.3, directions=2))
    assert np.allclose(*found) and np.abs(found[0]).max() > 1e-3


def test_directions_are_as_long_as_each_filter():
    weights = [torch.randn(5, 7), torch.zeros(2, 3)]
    for d, w in zip(direction(weights, torch.Generator().manual_seed(0)), weights):
        assert torch.allclose(d.norm(dim=1), w.norm(dim=1))


def test_a_classifier_is_moved_and_put_back():
    tuned = classify(tiny(), items(96), Recipe(epochs=8, rate=3e-3, batch=16))
    weights = matrices(tuned)
    before = [w.clone() for w in weights]
    with pytest.raises(RuntimeError), moved(weights, [(1.0, direction(weights, torch.Generator()))]):
        assert not torch.equal(weights[0], before[0])
        raise RuntimeError
    assert all(torch.equal(a, b) for a, b in zip(weights, before))


def test_words_and_head_are_moved_with_the_layers():
    """A random start may fit through its embeddings alone, and is flat then to whatever moves the layers."""
    tuned = classify(tiny(), items(8), Recipe(epochs=0))
    weights = {id(w) for w in matrices(tuned)}
    parts = (tuned.subject.base.get_input_embeddings(), *tuned.subject.layers, tuned.head)
    assert all(id(p) in weights for part in parts for p in part.parameters() if p.ndim == 2)


def test_the_plane_goes_from_the_start_to_the_tuned_model():
    recipe = Recipe(epochs=8, rate=3e-3, batch=16)
    begun, tuned = classify(tiny(), items(96), replace(recipe, epochs=0)), classify(tiny(), items(96), recipe)
    found = surface(tuned, begun, items(40), (0.0, 1.0), (0.0, 0.5))
    assert found.shape == (2, 2, 40)
    assert np.allclose(found[1, 0], losses(tuned, items(40)))
    assert found[0, 0].mean() > 3 * found[1, 0].mean()  # biases stay where tuning put them
