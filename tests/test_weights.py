"""What matters to the weighted sum of objectives: closed form, ends, order, and noise."""

import numpy as np

import hpo_explain as hx

SPACE = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])


def runs_of(f, g, n=60, directions=("minimize", "maximize")):
    X = SPACE.sample(n)
    return {
        name: hx.Run(SPACE, X, h(X), way, objective_name=name)
        for name, h, way in zip(("loss", "speed"), (f, g), directions, strict=True)
    }


def test_shares_of_two_lines_along_the_weights():
    """w x + (1 - w) (1 - y) has shares w² and (1 - w)², by their sum; both are normalized."""
    runs = runs_of(lambda X: 3.0 * X[:, 0], lambda X: 100.0 * X[:, 1], n=30)
    found = hx.weighted_importance(runs, divisions=2, kind="gp")
    w = found.weights
    np.testing.assert_allclose(w, [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    expected = w**2 / (w**2).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.shares, expected, atol=0.03)
    differing = {c.hyperparameters[0]: c.values[0] for c in found.claims}
    assert differing == {"x": ("loss", "speed"), "y": ("speed", "loss")}


def test_the_ends_are_the_importance_of_each_objective_alone():
    runs = runs_of(lambda X: X[:, 0] + 0.5 * X[:, 1], lambda X: X[:, 1] ** 2)
    found = hx.weighted_importance(runs, divisions=1)
    for end, run in zip(found.importances, runs.values(), strict=True):
        alone = hx.importance(run, kind="forest")
        np.testing.assert_allclose(end.estimate, alone.estimate, atol=0.05)


def test_three_objectives_have_a_lattice_of_weights():
    runs = runs_of(lambda X: X[:, 0], lambda X: X[:, 1], n=30)
    runs["size"] = hx.Run(SPACE, runs["loss"].X, runs["loss"].X.sum(axis=1), "minimize")
    found = hx.weighted_importance(runs, divisions=2)
    assert len(found.weights) == 6
    np.testing.assert_allclose(found.weights.sum(axis=1), 1.0)
    assert len(found.to_frame()) == 12
    assert found.plot().get_title(loc="left")


def test_of_noise_nothing_is_claimed():
    rng = np.random.default_rng(0)
    noise = [rng.standard_normal(40) for _ in range(2)]
    found = hx.weighted_importance(
        runs_of(lambda X: noise[0], lambda X: noise[1], n=40), divisions=2
    )
    assert not any(claim.certain for claim in found.claims)
