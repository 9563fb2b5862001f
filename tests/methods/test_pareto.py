"""The Pareto front: what moving along it costs, and what can be saved for a small loss."""

import json
import pickle

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from hpo_explain.belief.draws import in_own_order
from hpo_explain.run import pareto_ranks

few_draws = pytest.mark.usefixtures("few_draws_here")

SPACE = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in ("x", "y", "z")])


def tuned(f, g, n=60, seed=0, noise=0.0, directions=("minimize", "minimize")):
    rng = np.random.default_rng(seed)
    X = SPACE.sample(n, seed=seed)
    return {
        name: hx.Run(SPACE, X, h(X) + noise * rng.standard_normal(n), way, objective_name=name)
        for name, h, way in zip(("loss", "time"), (f, g), directions, strict=True)
    }


def test_the_gains_of_a_product_are_its_shapley_values():
    """x y from A to B: (B_x - A_x) (A_y + B_y) / 2 for x, and the other way round for y."""
    found = hx.pareto(tuned(lambda X: -X[:, 0] * X[:, 1], lambda X: X[:, 0] + X[:, 1]), kind="gp")
    move = found.moves[0]
    a, b = ([config[name] for name in "xyz"] for config in (move.before, move.after))
    means = [(a[1] + b[1]) / 2.0, (a[0] + b[0]) / 2.0]
    of_product = [(b[j] - a[j]) * means[j] for j in range(2)]
    np.testing.assert_allclose(move.gains()[:2, 0], of_product, atol=0.02)
    np.testing.assert_allclose(move.gains()[:2, 1], [a[j] - b[j] for j in range(2)], atol=0.02)
    np.testing.assert_allclose(move.gains()[2], 0.0, atol=0.02)


@pytest.mark.merge
def test_gains_add_up_to_what_the_whole_move_gains():
    found = hx.pareto(tuned(lambda X: np.sin(3.0 * X).sum(axis=1), lambda X: -(X**2).sum(axis=1)))
    for move in found.moves:
        for k, reason in enumerate(move.reasons):
            whole = reason.baseline - reason.prediction  # both are minimized
            # draws are of single precision, coalitions are valued in other batches than the whole,
            # and weights of trials without noise, 5,000 in all, cancel: 6e-8 of them is 3e-4
            # (of all draws, that is; of a third of them the mean is rounded by twice as much)
            assert move.gains()[:, k].sum() == pytest.approx(whole, abs=3e-4)
    first, *along = found.moves
    assert [along[0].source, along[-1].target] == [first.source, first.target]
    assert [move.target for move in along[:-1]] == [move.source for move in along[1:]]


@pytest.mark.thorough
@few_draws
def test_turning_an_objective_round_changes_nothing_but_its_sign():
    def f(X):
        return (X[:, 0] - 1.0) ** 2 + X[:, 2]

    def g(X):
        return X[:, 0] + 0.1 * X[:, 1]

    one = hx.pareto(tuned(f, g), kind="gp")
    turned = hx.pareto(tuned(f, lambda X: -g(X), directions=("minimize", "maximize")), kind="gp")
    assert one.front.tolist() == turned.front.tolist()
    np.testing.assert_allclose(one.contribution, turned.contribution)
    np.testing.assert_allclose(one.moves[0].gains(), turned.moves[0].gains(), atol=1e-3)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(2))
def test_who_pays_is_said_as_the_truth_is(seed):
    """Width buys loss with time, y costs loss alone, z does nothing."""
    slopes = np.array([[-1.0, 0.3, 0.0], [1.0, 0.0, 0.0]])
    found = hx.pareto(
        tuned(lambda X: X @ slopes[0], lambda X: X @ slopes[1], noise=0.03, seed=seed)
    )
    trades = [claim for claim in found.claims if claim.kind == "contribution"]
    assert any(claim.certain for claim in trades)
    for claim in trades:
        k, j = (found.objectives.index(claim.term), "xyz".index(claim.hyperparameters[0]))
        ((was, now),) = claim.values
        truth = -slopes[k, j] * (now - was)
        if claim.certain:
            assert np.sign(truth) == np.sign(claim.estimate)
        assert abs(truth - claim.estimate) < 2.0 * claim.half + 1e-3


@few_draws
def test_a_trial_is_on_the_front_where_no_other_is_better_in_one_and_worse_in_none():
    found = hx.pareto(runs := tuned(lambda X: X[:, 0], lambda X: 1.0 - X[:, 0], noise=0.3, n=12))
    X = next(iter(runs.values())).X
    costs = [in_own_order(run.belief().draws(X), k) for k, run in enumerate(runs.values())]
    for place, trial in enumerate(found.trials[found.front].tolist()):
        # in some draws an objective is noise alone, and no trial is better in it than another
        better = np.logical_or(*[cost < cost[:, [trial]] for cost in costs])
        worse = np.logical_or(*[cost > cost[:, [trial]] for cost in costs])
        expected = 1.0 - (better & ~worse).any(axis=1).mean()
        assert found.on_front[place] == pytest.approx(expected)
    assert found.to_frame()["on front"].tolist() == found.on_front.tolist()


def test_a_trial_that_noise_put_on_the_front_is_likely_not_on_it():
    rng = np.random.default_rng(0)
    X = SPACE.sample(40, seed=0)
    y = X[:, 0] + 0.02 * rng.standard_normal(40)
    lucky = int(np.argsort(y)[20])
    runs = {
        "a": hx.Run(SPACE, X, np.where(np.arange(40) == lucky, y.min() - 0.3, y), "minimize"),
        "b": hx.Run(SPACE, X, 2.0 * y, "minimize"),
    }
    found = hx.pareto(runs, kind="gp")
    place = found.trials[found.front].tolist().index(lucky)
    assert found.on_front[place] < 0.3
    assert found.on_front.max() > 0.3
    assert np.isnan(hx.pareto(runs, kind="forest").on_front).all()


def test_time_is_saved_where_little_is_lost():
    """y costs time and changes nothing else: the best trial need not have so much of it."""
    runs = tuned(lambda X: 1.0 + (X[:, 0] - 0.5) ** 2, lambda X: 1.0 + 9.0 * X[:, 1], seed=1)
    found = hx.pareto(runs, loss=0.01, kind="gp")
    saving = next(claim for claim in found.claims if claim.kind == "difference")
    instead, best, _ = saving.values
    assert saving.certain
    assert saving.term == "time"
    loss, time = (run.objective for run in runs.values())
    assert loss[instead] <= 1.01 * loss[best]
    assert saving.estimate == pytest.approx(1.0 - time[instead] / time[best], abs=0.01)
    assert f"Trial {instead} in place of trial {best}" in found.sentence


@pytest.mark.thorough
def test_of_noise_neither_trades_nor_savings_are_claimed():
    runs = tuned(lambda X: np.zeros(len(X)), lambda X: np.zeros(len(X)), noise=1.0, n=40)
    found = hx.pareto(runs)
    assert not any(claim.certain for claim in found.claims)
    assert "saves" not in found.sentence
    assert "It is not certain which hyperparameters pay" in found.sentence


@few_draws
def test_one_trial_may_be_best_in_everything():
    found = hx.pareto(tuned(lambda X: X[:, 0], lambda X: X[:, 0] ** 2, n=20), kind="gp")
    assert [claim.kind for claim in found.claims] == ["best", "action"]
    assert "is the best of 20 trials in all objectives" in found.sentence
    assert found.described("moves").bars == []


@few_draws
def test_a_study_with_three_objectives():
    sampler = optuna.samplers.RandomSampler(seed=0)
    study = optuna.create_study(directions=["minimize", "maximize", "minimize"], sampler=sampler)

    def objective(trial):
        x, y = (trial.suggest_float(name, 0.0, 1.0) for name in "xy")
        return x + y, x - y**2, (x - 0.5) ** 2

    study.optimize(objective, n_trials=25)
    found = hx.pareto(study, kind="gp")
    best = {trial.number for trial in study.best_trials}
    assert {*found.trials[found.front].tolist()} == best
    assert found.directions == ("minimize", "maximize", "minimize")
    assert len(found.to_frame()) == len(best)
    assert len(found.described().panels) == 3
    json.dumps(found.to_dict(), allow_nan=False)
    assert pickle.loads(pickle.dumps(found)).objectives == found.objectives
    with pytest.raises(hx.base.InputError, match="loss must lie between 0 and 1"):
        hx.pareto(study, loss=2.0)


def test_the_trial_to_take_is_that_of_the_smallest_weighted_sum():
    """A minute is worth what a loss of 0.6 is: by brute force over the trials, of no noise."""
    runs = tuned(lambda X: (X[:, 0] - 1.0) ** 2 + X[:, 1], lambda X: 60.0 * X[:, 0])
    found = hx.pareto(runs, trade_off={"loss": 2, "time": 0.02}, kind="gp")
    loss, time = (run.objective for run in runs.values())
    assert found.choice.trial == np.argmin(loss + 0.01 * time)
    star = found.described().dots[-2]
    assert (star.look, star.x[0]) == ("star", loss[found.choice.trial])
    only = hx.pareto(runs, trade_off={"time": 5}, kind="gp")
    assert only.choice.trial == np.argmin(time)
    assert only.to_dict()["choice"]["trade_off"] == {"time": 5}
    assert hx.pareto(runs, trade_off={"time": 5}, kind="forest").choice.trial == np.argmin(time)
    for wrong in ({"time": -1.0}, {}, 3):
        with pytest.raises(hx.base.InputError, match="trade_off must hold weights of objectives"):
            hx.pareto(runs, trade_off=wrong)
    with pytest.raises(hx.base.InputError, match="Did you mean 'time'"):
        hx.pareto(runs, trade_off={"times": 1.0})


@pytest.mark.merge
@pytest.mark.parametrize("directions", [("minimize", "minimize"), ("minimize", "maximize")])
def test_what_is_to_be_tried_extends_the_front(directions):
    """z is best at 0.5 for both objectives, which no trial has: x alone moves along the front."""
    sign = 1.0 if directions[1] == "minimize" else -1.0

    def costs(X):
        away = 2.0 * np.abs(X[:, 2] - 0.5)
        return np.column_stack([X[:, 0] + away, 1.0 - X[:, 0] + away])

    runs = tuned(
        lambda X: costs(X)[:, 0], lambda X: sign * costs(X)[:, 1], directions=directions, n=40
    )
    found = hx.pareto(runs)
    X = next(iter(runs.values())).X
    new = SPACE.encode([found.extension.configuration])
    ranks = pareto_ranks(np.vstack([costs(X), costs(new)]))
    assert ranks[-1] == 1
    assert abs(new[0, 2] - 0.5) < 0.1
    claim = found.claims[-1]
    assert (claim.kind, claim.term, claim.certain) == ("action", "try", False)
    assert claim.probability > 0.9
    assert claim.estimate > 0.0
    kept = hx.pareto(runs, kind="forest")
    assert kept.extension is None


@few_draws
def test_the_figures_hold_the_front_and_the_gains():
    found = hx.pareto(tuned(lambda X: -X[:, 0] * X[:, 1], lambda X: X[:, 0] + X[:, 1]), kind="gp")
    figure = found.described()
    (step, across), (others, front, new) = figure.lines, figure.dots
    assert [(new.x[0], new.y[0])] == [tuple(one.estimate for one in found.extension.predicted)]
    assert across.x.tolist() == [*found.extension.predicted[0].interval]
    assert step.step
    np.testing.assert_array_equal(np.column_stack([front.x, front.y]), found.values[found.front])
    assert len(others.x) + len(front.x) == len(found.trials)
    assert front.labels[0] == str(found.trials[found.front[0]])
    assert figure.x.label == "loss (less is better)"
    rows, move = found.described("moves"), found.moves[0]
    order = ["xyz".index(label) for (label,) in rows.labels]
    ranges = np.ptp(found.values[found.front], axis=0)
    gains = [[bar.end for bar in rows.bars if bar.row == i] for i in range(len(order))]
    np.testing.assert_allclose(gains, move.gains()[order] / ranges)
    assert rows.fills == {0: "loss", 1: "time"}


@few_draws
def test_a_trial_that_is_far_off_the_front_squeezes_no_other():
    def with_one_slow(X):
        time = X[:, 0] + X[:, 1]
        time[-1] = 50.0
        return time

    found = hx.pareto(tuned(lambda X: -X[:, 0] * X[:, 1], with_one_slow), kind="gp")
    figure = found.described()
    _, high = figure.limits()
    on_front = found.values[found.front, 1]
    assert on_front.max() < high < 10.0
    (end,) = {end for dots in figure.dots for _, end in figure.placed(dots) if end}
    assert end == "triangle-up"
