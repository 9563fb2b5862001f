"""Instances are averaged once, where a run is made: every answer is that of the averages."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.run import Instances
from tests.analytic import unit_cube

few_draws = pytest.mark.usefixtures("few_draws_here")

LEVELS = np.array([0.0, 10.0, -3.0, 100.0, 1.0])
NOISE = np.array([0.01, 0.02, 0.01, 0.3, 0.05])
N = 40


def effect(X):
    return (X[:, 0] - 0.3) ** 2 + 0.2 * X[:, 1]


def evaluated_on(evaluated, Y, X, direction="minimize", **options):
    """A run of configurations X; `evaluated` (n, k) says where `Y` (n, k) is known."""
    rows, index = np.nonzero(evaluated)
    mean = np.array([y[there].mean() for y, there in zip(Y, evaluated, strict=True)])
    instances = Instances([*range(Y.shape[1])], X[rows], index, Y[rows, index])
    space = unit_cube(X.shape[1])
    return hx.Run(space, X, mean, direction, instances=instances, **options)


def on_some(seed, n=N, k=5, share=0.6):
    """Where configurations are evaluated: the first on all instances."""
    evaluated = np.random.default_rng(seed).random((n, k)) < share
    evaluated[0] = True
    evaluated[:, 0] |= ~evaluated.any(axis=1)
    return evaluated


# ---------------------------------------------------------------------- the averages


def test_a_configuration_evaluated_on_all_instances_keeps_its_mean():
    X = unit_cube(2).sample(N, seed=1)
    Y = np.random.default_rng(1).normal(size=(N, 5)) + LEVELS
    complete = evaluated_on(np.ones(Y.shape, dtype=bool), Y, X)
    assert complete.objective.tolist() == [row.mean() for row in Y]
    partly = on_some(1)
    run = evaluated_on(partly, Y, X)
    all_of_them = partly.all(axis=1)
    np.testing.assert_array_equal(run.objective[all_of_them], Y[all_of_them].mean(axis=1))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_levels_of_missing_instances_do_not_count(seed, direction):
    """Without noise y_ij = f(x_i) + b_j is solved exactly, whatever is missing."""
    X = unit_cube(2).sample(N, seed=seed)
    evaluated = on_some(seed)
    run = evaluated_on(evaluated, effect(X)[:, None] + LEVELS, X, direction)
    np.testing.assert_allclose(run.objective, effect(X) + LEVELS.mean(), rtol=1e-9)
    missing = [note for note in run.notes if note.kind == "instances_missing"]
    trials = np.flatnonzero(~evaluated.all(axis=1))
    assert [note.trials for note in missing] == [tuple(trials)]


def test_repeated_evaluations_of_one_instance_count_once():
    X = np.array([[0.2], [0.2], [0.2], [0.7], [0.7]])
    folds = Instances("ab", X, [0, 0, 1, 0, 1], [1.0, 3.0, 12.0, 5.0, 15.0])
    averages, complete = folds.averages(np.array([[0.2], [0.7], [0.4]]))
    np.testing.assert_allclose(averages, [(2.0 + 12.0) / 2, 10.0, np.nan])
    assert complete.tolist() == [True, True, False]


def test_instances_that_no_configuration_shares_are_not_compared():
    X = unit_cube(2).sample(6, seed=0)
    alone = np.eye(6, dtype=bool)
    Y = np.arange(36.0).reshape(6, 6)
    run = evaluated_on(alone, Y, X)
    assert run.objective.tolist() == np.diag(Y).tolist()
    assert "instances_missing" not in {note.kind for note in run.notes}


def test_a_run_made_of_another_is_not_averaged_again():
    X = unit_cube(2).sample(N, seed=3)
    run = evaluated_on(on_some(3), effect(X)[:, None] + LEVELS, X)
    again = replace(run, name="again")
    assert again.objective.tolist() == run.objective.tolist()
    assert again.notes == run.notes


def test_no_average_leaves_the_natural_range():
    X = np.array([[0.1], [0.5], [0.9]])
    Y = np.array([[0.9, 0.5], [0.8, 0.4], [0.0, 0.99]])
    evaluated = np.array([[True, True], [True, True], [False, True]])
    run = evaluated_on(evaluated, Y, X, "maximize", bounds=(0.0, 1.0))
    assert run.objective[2] == 1.0  # 0.99 + 0.4 / 2


def test_only_levels_known_by_then_count():
    """A run that ends before a trial says the same of what was known."""
    X = unit_cube(2).sample(N, seed=4)
    Y = effect(X)[:, None] + LEVELS
    Y += NOISE * np.random.default_rng(4).normal(size=Y.shape)
    evaluated = on_some(4)
    whole = evaluated_on(evaluated, Y, X)
    for before in (5, 20, N):
        part = evaluated_on(evaluated[:before], Y[:before], X[:before])
        np.testing.assert_allclose(whole.known_cost(before), part.cost, rtol=1e-9)
        assert whole.chosen_acquisition(before, "ei").acquisition.best == pytest.approx(
            part.cost.min(), rel=1e-9
        )


# ---------------------------------------------------------------------- the answers


def table_of(Y, X):
    """One row an evaluation, on folds."""
    return pd.DataFrame(
        {
            "x1": np.repeat(X[:, 0], Y.shape[1]),
            "x2": np.repeat(X[:, 1], Y.shape[1]),
            "fold": np.tile([*"abcde"], len(X)),
            "loss": Y.ravel(),
        }
    )


@pytest.fixture(scope="module")
def both():
    """A run with 5 instances of very different level and noise, and a table averaged by hand."""
    X = unit_cube(2).sample(N, seed=2)
    Y = effect(X)[:, None] + LEVELS
    Y += NOISE * np.random.default_rng(2).normal(size=Y.shape)
    table = table_of(Y, X)
    by_hand = table.drop(columns="fold").groupby(["x1", "x2"], sort=False, as_index=False).mean()
    space = unit_cube(2)
    reading = {"objective": "loss", "space": space}
    return (hx.from_frame(table, instance="fold", **reading), hx.from_frame(by_hand, **reading))


def close(one, other):
    """Whether two answers hold the same numbers."""
    np.testing.assert_allclose(
        np.nan_to_num(np.asarray(one, dtype=float)),
        np.nan_to_num(np.asarray(other, dtype=float)),
        rtol=1e-6,
        atol=1e-9,
    )


@pytest.mark.merge
@few_draws
def test_every_answer_is_that_of_a_table_averaged_by_hand(both):
    run, by_hand = both
    assert run.instances is not None
    assert by_hand.instances is None
    close(run.objective, by_hand.objective)
    assert run.incumbent_trial == by_hand.incumbent_trial
    assert hx.summary(run).lines == hx.summary(by_hand).lines
    one, other = (hx.importance(source) for source in both)
    close(one.importance["lower"], other.importance["lower"])
    close(one.importance["upper"], other.importance["upper"])
    one, other = (hx.partial_dependence(source, "x1") for source in both)
    close(one.mean, other.mean)
    close(one.std, other.std)
    one, other = (hx.trust(source) for source in both)
    assert one.level == other.level
    close(one.r2, other.r2)
    one, other = (hx.optimum(source) for source in both)
    assert one.config == other.config
    close([one.estimate, *one.interval], [other.estimate, *other.interval])
    one, other = (hx.recommended_space(source) for source in both)
    assert one.sentence == other.sentence
    one, other = (hx.advise(source) for source in both)
    assert [a.title for a in one.actions] == [a.title for a in other.actions]


def where_it_is_easy():
    """y = x2 + 10 on the hard instance, which is missing where x1 is high: x1 has no effect."""
    X = unit_cube(2).sample(200, seed=1)
    Y = X[:, [1]] + np.array([[0.0, 0.0, 10.0]])
    evaluated = np.ones((200, 3), dtype=bool)
    evaluated[X[:, 0] > 0.5, 2] = False
    return evaluated, Y, X


@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["minimize", "maximize"])
def test_missing_instances_do_not_make_a_hyperparameter_important(sign):
    evaluated, Y, X = where_it_is_easy()
    direction = "minimize" if sign > 0 else "maximize"
    run = evaluated_on(evaluated, sign * Y, X, direction)
    mean = [y[there].mean() for y, there in zip(sign * Y, evaluated, strict=True)]
    plain = hx.Run(run.space, X, mean, direction)
    assert hx.importance(plain, n_trees=16).share("x1") > 0.9
    found = hx.importance(run, n_trees=16)
    assert found.share("x2") > 0.95
    assert found.share("x1") < 0.02


def test_pure_noise_on_instances_is_not_trusted():
    for seed in range(2):
        X = unit_cube(2).sample(60, seed=seed)
        Y = np.random.default_rng(seed).normal(size=(60, 4))
        run = evaluated_on(on_some(seed, 60, 4), Y, X)
        assert hx.trust(run).level == "poor"
        claims = hx.importance(run).claims
        assert not [claim for claim in claims if claim.certain]
