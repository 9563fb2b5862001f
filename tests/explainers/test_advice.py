"""What is advised, on runs of which the truth is known."""

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from hpo_explain.explainers._advice.improvement import Candidates, recent
from hpo_explain.explainers._advice.widen import wider

SPACE = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
SEEDS = range(10)


def run_of(objective, seed=0, n=30, *, noise=0.05, space=SPACE, direction="minimize"):
    X = space.sample(n, seed=seed)
    y = objective(X) + noise * np.random.default_rng(seed).standard_normal(n)
    return hx.Run(space, X, y, direction)


def widened(run, name="x"):
    """The new range of a hyperparameter and why it is advised; None where it is not."""
    effect = hx.partial_dependence(run, name, sample=30, grid_size=15)
    found = wider([effect], Candidates.of(run).best)
    return found[0] if found else None


def test_an_end_at_which_the_truth_is_best_is_widened_at_that_side():
    ranges = []
    for seed in SEEDS:
        upper = seed % 2
        direction = "maximize" if upper else "minimize"
        run = run_of(lambda X: 2.0 * X[:, 0] + np.sin(X[:, 1]), seed, direction=direction)
        found = widened(run)
        if found is not None:
            ranges.append((found.parameter.low, found.parameter.high) == [(-1, 1), (0, 2)][upper])
            # the grid's last step
            assert abs(found.reason["better"] - 2.0 / 14.0) < 0.05
    assert len(ranges) >= 8
    assert all(ranges)


@pytest.mark.parametrize(
    ("truth", "noise"),
    [
        (lambda X: (X[:, 0] - 0.6) ** 2, 0.01),
        (lambda X: (X[:, 0] - 0.85) ** 2, 0.0),
        (lambda X: 0.0 * X[:, 0], 1.0),
        (lambda X: 0.1 * X[:, 1] - np.minimum(X[:, 0], 0.75), 0.01),
        (lambda X: -np.tanh(6.0 * X[:, 0]), 0.0),
        # better at the upper end on average, and at the lower end where it is best
        (lambda X: np.where(X[:, 1] < 0.3, 4.0 * X[:, 0] - 4.0, -2.0 * X[:, 0]), 0.0),
    ],
    ids=["interior", "near the end", "noise", "plateau", "saturated", "elsewhere best"],
)
def test_no_range_is_widened_where_nothing_lies_beyond(truth, noise):
    assert [s for s in SEEDS[:6] if widened(run_of(truth, s, noise=noise)) is not None] == []


def test_an_untried_end_and_a_categorical_are_not_widened():
    run = run_of(lambda X: -X[:, 0], noise=0.0)
    assert widened(run).parameter.high == 2.0
    below = run.X[:, 0] < 0.85
    assert widened(hx.Run(SPACE, run.X[below], run.objective[below], "minimize")) is None
    space = hx.SearchSpace([hx.CategoricalParameter("x", ["a", "b", "c"]), SPACE["y"]])
    assert widened(run_of(lambda X: -X[:, 0], noise=0.0, space=space)) is None


@pytest.mark.parametrize(
    ("parameter", "sign", "expected"),
    [
        (hx.FloatParameter("x", 1e-3, 0.1, log=True), 1.0, (1e-4, 0.1)),
        (hx.FloatParameter("x", 1e-3, 0.1, log=True), -1.0, (1e-3, 1.0)),
        (hx.FloatParameter("x", 0.5, 3.0), 1.0, (0.0, 3.0)),  # positive stays positive
        (hx.IntParameter("x", 5, 50, step=9), -1.0, (5, 95)),
        (hx.IntParameter("x", 1, 64, log=True), 1.0, None),  # there is nothing below
    ],
)
def test_the_new_range_has_twice_the_length_and_is_possible(parameter, sign, expected):
    space = hx.SearchSpace([parameter, SPACE["y"]])
    found = widened(run_of(lambda X: sign * X[:, 0], noise=0.0, space=space))
    ends = None if found is None else (found.parameter.low, found.parameter.high)
    assert ends == (None if expected is None else pytest.approx(expected))


def test_a_range_that_is_widened_is_not_narrowed_and_the_next_trial_can_be_pasted():
    run = run_of(lambda X: 2.0 * X[:, 0] + (X[:, 1] - 0.5) ** 2, 1, direction="maximize")
    actions = hx.advise(run).actions
    (first,) = [action for action in actions if action.kind == "widen"]
    others = [action for action in actions if action is not first]
    assert first.title.startswith("Widen the range, if such values are allowed: x from 0 to 2")
    assert "The objective still rises at the upper end of x (1)" in first.reason
    given = {"hpo_explain": hx}
    exec(first.code, given)
    assert (given["x"].low, given["x"].high) == (0.0, 2.0)
    assert not [a for a in others if a.kind != "try" and "x" in a.hyperparameters]
    (tried,) = [action for action in others if action.kind == "try"]
    exec(tried.code, given)
    assert SPACE.is_valid(SPACE.encode(given["configs"])).all()


def test_the_largest_expected_improvement_is_that_of_the_true_optimum():
    run = run_of(lambda X: (X[:, 0] - 0.3) ** 2 + (X[:, 1] - 0.7) ** 2, n=12, noise=0.0)
    candidates = Candidates.of(run)
    place = candidates.most_promising()
    found = candidates.reason(place)
    mean, std = found["predicted"]
    x = np.array([candidates.config(place)[name] for name in SPACE.names])
    assert np.linalg.norm(x - [0.3, 0.7]) < 0.15
    assert abs(mean - np.sum((x - [0.3, 0.7]) ** 2)) < 4.0 * std + 0.01
    # the closed form of [Jones et al. 1998], by draws of the same normal distribution
    draws = mean + std * np.random.default_rng(0).standard_normal(200_000)
    by_draws = np.maximum(found["at_best"][0] - draws, 0.0).mean()
    assert found["expected"] == pytest.approx(by_draws, rel=0.05)


def test_stopping_is_advised_only_where_nothing_improved_and_nothing_is_expected():
    truth = lambda X: (X[:, 0] - 0.5) ** 2  # noqa: E731
    space = hx.SearchSpace([SPACE["x"]])
    X = np.linspace(0.0, 1.0, 25)[:, None]
    X = np.vstack([X[[12]], np.delete(X, 12, axis=0)])  # the optimum first
    (action,) = hx.advise(hx.Run(space, X, truth(X), "minimize")).actions
    assert action.title == "Stop, unless the space changes"
    assert "The last 12 trials did not improve the best objective, 0." in action.reason
    later = np.vstack([X[1:], X[:1]])
    titles = [a.title for a in hx.advise(hx.Run(space, later, truth(later), "minimize")).actions]
    assert not [title for title in titles if title.startswith("Stop")]


def test_under_pure_noise_it_goes_on_and_tells_what_the_last_trials_brought():
    run = run_of(lambda X: 0.0 * X[:, 0], 3, n=20, noise=1.0)
    (action,) = hx.advise(run).actions
    assert action.title == "Go on as it is"
    improved, brought = recent(run, 0.25)
    assert improved == (run.objective[-5:].min() < run.objective[:-5].min())
    assert str(brought)[1:] in action.reason


def test_optuna_tries_the_configuration_that_is_advised():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))

    def objective(trial):
        x = trial.suggest_float("x", 1e-3, 1.0, log=True)
        return float(np.log10(x) + 1.5) ** 2 + 0.1 * abs(trial.suggest_int("depth", 1, 4) - 3)

    study.optimize(objective, n_trials=25)
    actions = hx.advise(study).actions
    (tried,) = [action for action in actions if action.title.startswith("Try next")]
    exec(tried.code, {"study": study})
    best = study.best_value
    study.optimize(objective, n_trials=len(tried.configurations))
    tries = [trial.params for trial in study.trials[25:]]
    assert tries == [dict(config) for config in tried.configurations]
    assert f"x = {tries[0]['x']:.4g}" in tried.title
    assert study.best_value < best
