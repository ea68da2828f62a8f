"""Many problems at once against closed forms and against each on its own."""

from __future__ import annotations

import numpy as np
import torch

from bertology_utils.probes.lbfgs import minimise_all


def quadratics(k=5, d=8, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(k, d, d))
    a = torch.tensor(a @ a.transpose(0, 2, 1) + 0.1 * np.eye(d))
    return a, torch.tensor(rng.normal(size=(k, d)))


def test_quadratics_reach_their_solutions():
    a, b = quadratics()
    (x,) = minimise_all(
        lambda x: 0.5 * torch.einsum("ki,kij,kj->k", x, a, x) - (b * x).sum(1), [torch.zeros_like(b)], 200, tolerance=0
    )
    assert torch.allclose(x, torch.linalg.solve(a, b), atol=1e-4)


def test_a_problem_does_not_depend_on_its_company():
    a, b = quadratics()

    def solved(which):
        part = a[which], b[which] * 3
        # quartic, so that step lengths differ from problem to problem
        loss = lambda x: torch.einsum("ki,kij,kj->k", x, part[0], x) + x.pow(4).sum(1) - (part[1] * x).sum(1)  # noqa: E731
        return minimise_all(loss, [torch.ones_like(part[1])], 12)[0]

    together = solved([0, 1, 2, 3, 4])
    for k in range(5):
        assert torch.allclose(together[k], solved([k])[0], atol=1e-9)


def test_the_loss_never_rises_from_a_bad_start():
    seen = []

    def loss(x):
        values = (100 * (x[:, 1] - x[:, 0] ** 2) ** 2 + (1 - x[:, 0]) ** 2).clamp(max=1e12)  # Rosenbrock's valley
        return values

    start = torch.tensor([[-1.2, 1.0], [3.0, -4.0]], dtype=torch.float64)
    for steps in (1, 5, 20, 200):
        (x,) = minimise_all(loss, [start], steps)
        seen.append(loss(x))
    assert all((after <= before).all() for before, after in zip([loss(start), *seen], seen))
    assert torch.allclose(x, torch.ones_like(x), atol=1e-2)
