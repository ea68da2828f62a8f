"""Logistic regressions: the one optimum, known in closed form or by another's solver, on any processor."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from bertology_utils.probes import logistic
from bertology_utils.probes.linear import fit, fit_each, fit_grid


def problem(k=3, n=120, size=8, many=4, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(k, n, size)) @ (rng.normal(size=(size, size)) * np.geomspace(1, 1e-2, size))
    return x - x.mean(1, keepdims=True), rng.integers(0, many, n)


def loss_of(flat, x, codes, many, l2):
    """The loss as its definition says, for scipy: weights (C, F), biases (C,)."""
    n, size = x.shape
    weight, bias = flat[: many * size].reshape(many, size), flat[many * size :]
    scores = x @ weight.T + bias
    fit = np.logaddexp.reduce(scores, 1) - scores[np.arange(n), codes]
    added = np.logaddexp.reduce(bias) - bias.mean()  # one more observation, at the mean, of all classes alike
    return (fit.sum() + added) / n + l2 / 2 * (weight**2).sum()


@pytest.mark.parametrize("n", [120, 6])  # more rows than features, and fewer
@pytest.mark.parametrize("l2", [1e-1, 1e-3])
def test_the_optimum_is_that_of_another_solver(n, l2):
    x, codes = problem(k=2, n=n)
    ((weight, bias),) = logistic.solve(torch.tensor(x), torch.tensor(codes), 4, [l2])
    for k in range(2):
        ours = np.concatenate([weight[k].numpy().ravel(), bias[k].numpy()])
        found = minimize(loss_of, ours * 0, (x[k], codes, 4, l2), method="BFGS", options={"gtol": 1e-7})
        assert loss_of(ours, x[k], codes, 4, l2) <= found.fun + 1e-12
        assert np.abs(x[k] @ weight[k].numpy().T - x[k] @ found.x[:32].reshape(4, 8).T).max() < 1e-2


def test_the_gradient_vanishes():
    x, codes = problem()
    ((weight, bias),) = logistic.solve(torch.tensor(x), torch.tensor(codes), 4, [1e-3])
    weight, bias = weight.requires_grad_(), bias.requires_grad_()
    scores = torch.einsum("knf,kcf->knc", torch.tensor(x), weight) + bias[:, None]
    fit = torch.nn.functional.cross_entropy(scores.flatten(0, 1), torch.tensor(codes).repeat(3), reduction="sum") / 120
    added = (bias.logsumexp(1) - bias.mean(1)).sum() / 120
    slopes = torch.autograd.grad(fit + added + 1e-3 / 2 * weight.square().sum(), [weight, bias])
    assert slopes[0].norm() < 1e-6 * 1e-3**0.5 * 3 and slopes[1].norm() < 1e-7


@pytest.mark.parametrize("l2", [1e-1, 1e-3])
def test_rounding_noise_moves_the_optimum_no_further_than_itself(l2):
    """Noise of 1e-6 in the features moves log-odds by no more than some hundred times as much, and no prediction."""
    x, codes = problem(n=400, size=30, many=5)
    noisy = x * (1 + 1e-6 * np.random.default_rng(1).normal(size=x.shape))
    a, b = (fit_each(v, codes.astype(str), l2=l2) for v in (x, noisy))
    moved = max(np.abs(p.log_probs(x[k]) - q.log_probs(x[k])).max() for k, (p, q) in enumerate(zip(a, b)))
    assert moved < 2e-4


def test_what_comes_out_does_not_depend_on_company_order_or_penalties_beside():
    x, codes = problem(k=4)
    labels = codes.astype(str)
    together = fit_each(x, labels, l2=1e-2)
    shuffled = np.random.default_rng(0).permutation(len(labels))
    grid = fit_grid(x, labels, [1e-2, 1.0, 1e-3])
    assert len(grid) == 3 and [len(of) for of in grid] == [4, 4, 4]
    for k, probe in enumerate(together):
        others = fit(x[k], labels, l2=1e-2), fit(x[k][shuffled], labels[shuffled], l2=1e-2), grid[0][k]
        for other in others:
            assert np.abs(probe.log_probs(x[k]) - other.log_probs(x[k])).max() < 1e-5
    assert np.abs(grid[1][0].weight).max() < np.abs(grid[0][0].weight).max() < np.abs(grid[2][0].weight).max()


def test_sets_solved_together_are_solved_as_one_by_one():
    x, codes = problem(k=5)
    target = torch.tensor(codes)
    ((together, _),) = logistic.solve(torch.tensor(x), target, 4, [1e-3])
    for k in range(5):
        ((alone, _),) = logistic.solve(torch.tensor(x[[k]]), target, 4, [1e-3])
        assert (together[k] - alone[0]).abs().max() < 1e-4


def test_classes_that_no_row_has_stay_finite_and_unlikely():
    probe = fit(np.zeros((9, 2)), ["a"] * 9, classes=["a", "b", "c"])
    found = np.exp(probe.log_probs(np.zeros((1, 2))))[0]
    # nine rows and one more that is all classes alike: (9 + 1/3) / 10, and 1/3 / 10
    assert np.allclose(found, [28 / 30, 1 / 30, 1 / 30], atol=1e-6)


def test_several_labels_a_row_are_regressions_of_their_own():
    x, _ = problem(k=1, n=200)
    labels = x[0, :, :2] + np.random.default_rng(1).normal(size=(200, 2)) > 0
    both = fit(x[0], labels, classes=["p", "q"], l2=1e-2)
    for c in (0, 1):
        alone = fit(x[0], labels[:, [c]], classes=["p"], l2=1e-2)
        assert np.abs((both.logits(x[0])[:, c] - alone.logits(x[0])[:, 0]).numpy()).max() < 1e-5


def test_features_that_hardly_vary_are_not_blown_up():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=(200, 3)), 1 + 1e-7 * rng.normal(size=(200, 2))], 1)
    probe = fit(x, np.where(x[:, 0] > 0, "a", "b"))
    other = fit(x * [1, 1, 1, 0, 0], np.where(x[:, 0] > 0, "a", "b"))
    assert np.abs(probe.log_probs(x) - other.log_probs(x * [1, 1, 1, 0, 0])).max() < 1e-2


def test_a_fit_that_does_not_reach_its_minimum_says_so(monkeypatch):
    x, codes = problem()
    monkeypatch.setattr(logistic, "NEWTON", 1)
    with pytest.warns(logistic.NotConverged, match=r"3 of 3 fits \(l2 0.001\)"):
        list(logistic.solve(torch.tensor(x), torch.tensor(codes), 4, [1e-3]))
    with warnings.catch_warnings(), pytest.raises(logistic.NotConverged):
        warnings.simplefilter("error", logistic.NotConverged)  # as in the rest of the tests
        list(logistic.solve(torch.tensor(x), torch.tensor(codes), 4, [1e-3]))


def test_no_penalty_is_refused():
    with pytest.raises(ValueError, match="positive"):
        fit(np.ones((2, 1)), ["a", "b"], l2=0)


def rare_classes(seed, n=1000, types=400, size=96, many=36):
    """Rows that repeat few word types, of classes most of which are rare: parts of speech by the embeddings."""
    rng = np.random.default_rng(seed)
    classes, often = np.minimum(rng.pareto(0.7, types).astype(int), many - 1), 1 / np.arange(1, types + 1)
    word = rng.choice(types, n, p=often / often.sum())
    x = rng.normal(size=(types, size))[word] + 0.1 * rng.normal(size=(n, size))
    return torch.tensor((x - x.mean(0)) / x.std(0))[None], torch.tensor(classes[word])


@pytest.mark.parametrize(("farthest", "least", "most"), [(logistic.FARTHEST, 0, 20), (float("inf"), 90, np.inf)])
def test_no_bias_is_sent_far_away(monkeypatch, farthest, least, most):
    """Where a class's odds are all but nought, so is its curvature; Newton's step may be of 1e9, and the next no number."""
    steps, usual = [], logistic._Fit._step
    monkeypatch.setattr(logistic, "FARTHEST", farthest)
    monkeypatch.setattr(logistic._Fit, "_step", lambda self, *of: steps.append(usual(self, *of)) or steps[-1])
    list(logistic.solve(*rare_classes(0), 36, [0.01]))
    assert least <= max(float(b.abs().max()) for _, b in steps) < most


def test_what_is_no_number_is_no_fit():
    x, codes = rare_classes(0)
    with pytest.raises(FloatingPointError, match=r"1 of 1 fits .* are no numbers"):
        list(logistic.solve(x * torch.nan, codes, 36, [0.01]))
