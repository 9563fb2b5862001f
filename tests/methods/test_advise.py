"""What is advised on runs of which the truth is known: numbers, and what is not advised."""

from itertools import combinations
from statistics import NormalDist

import numpy as np
import optuna
import pytest
from optuna.terminator import RegretBoundEvaluator
from scipy.stats import hypergeom

import hpo_explain as hx
from hpo_explain.base.posterior import normal_draws
from hpo_explain.methods.advice.analyses import Analysed
from hpo_explain.methods.advice.changing import branch, rescale, wider
from hpo_explain.methods.advice.prospects import Candidates, Prospects, _expected_best, changed_rows
from hpo_explain.methods.advice.telling import _gain, beware, failing, luck, repeat, wait
from hpo_explain.run import WithoutResult
from tests.analytic import space_of

PLANE = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
SOLVERS = space_of(solver=["lbfgs", "saga", "sag"], penalty=["l1", "l2"], C=(0.001, 1000.0, "log"))


def run_of(objective, n=40, noise=0.0, seed=0, space=PLANE, direction="minimize"):
    X = space.sample(n, seed=seed)
    y = objective(X) + noise * np.random.default_rng(seed).standard_normal(n)
    return hx.Run(space, X, y, direction)


def rerun(objective, seed=0, n=30, *, noise=0.05, **given):
    return run_of(objective, n, noise, seed, **given)


def losing(lost, state="failed", n=90, space=SOLVERS):
    """A run some of whose trials are lost."""
    X = space.sample(n, seed=0)
    gone = lost(X)
    return hx.Run(
        space,
        X[~gone],
        X[~gone, -1],
        "minimize",
        trials=np.flatnonzero(~gone),
        without_result={int(i): WithoutResult(state, X[i]) for i in np.flatnonzero(gone)},
    )


# ---------------------------------------------------------------------- what trials bring


def test_the_expected_best_of_random_trials_is_that_of_all_choices():
    values = np.random.default_rng(0).random((3, 7))
    for k in (1, 3, 7, 9):
        best = [values[:, list(some)].max(axis=1) for some in combinations(range(7), min(k, 7))]
        np.testing.assert_allclose(_expected_best(values, k), np.mean(best, axis=0))


def test_rows_of_a_changed_space_have_its_values_and_its_measure():
    rows = changed_rows(
        SOLVERS,
        [
            hx.CategoricalParameter("solver", ["saga", "sag"]),
            hx.FloatParameter("C", 0.1, 100.0),  # linear: half lies above 50
        ],
        400,
        seed=0,
    )
    configs = SOLVERS.decode(rows)
    assert {config["solver"] for config in configs} == {"saga", "sag"}
    drawn = np.array([config["C"] for config in configs])
    assert drawn.min() >= 0.1
    assert drawn.max() <= 100.0
    assert abs((drawn > 50.0).mean() - 0.5) < 0.05


def test_what_is_left_to_gain_is_known_where_the_posterior_is():
    """Of one untried configuration: the expectation of max(f* - f, 0) by the joint posterior."""
    run = run_of(lambda X: X[:, 0] + X[:, 1], n=12, noise=0.3)
    prospects, row = Prospects(run), np.array([[0.02, 0.05]])
    model, best = prospects.model, prospects.scaled.X[[prospects.best]]
    mean, std = model.difference(row, best[0])
    z = -mean[0] / std[0]
    normal = NormalDist()
    expected = -mean[0] * normal.cdf(z) + std[0] * normal.pdf(z)
    found, bound = prospects.left(row)
    assert found == pytest.approx(expected, rel=0.15)
    assert bound == pytest.approx(max(-mean[0] + 1.2816 * std[0], 0.0), rel=0.15)


# ---------------------------------------------------------------------- beware


def test_the_pair_of_categories_with_which_trials_fail_is_named_with_its_counts():
    run = losing(lambda X: (X[:, 0] == 0) & (X[:, 1] == 0))
    (action,) = beware(run, None)
    (found,) = action.evidence
    n = len(run.without_result)
    assert (action.hyperparameters, action.values) == (("solver", "penalty"), ("lbfgs", "l1"))
    assert (found["failed"], found["n"], found["elsewhere"]) == (n, n, 0)
    assert action.title == "Beware of solver = lbfgs with penalty = l1"
    assert f"{n} of {n} trials failed" in action.reason
    # of all draws of n trials from 90 only one is that of all that failed, times the tests made
    p = hypergeom(90, n, n).pmf(n)
    assert p < found["p"] < 1000.0 * p
    assert not action.parameters


def test_a_range_or_category_with_which_every_trial_fails_is_given_up():
    (action,) = beware(losing(lambda X: X[:, 2] > 0.7), None)
    (narrower,) = action.parameters
    assert narrower.high == pytest.approx(10 ** (0.7 * 6 - 3), rel=0.3)
    assert narrower.low == 1e-3
    (action,) = beware(losing(lambda X: X[:, 0] == 1), None)
    assert action.parameters[0].choices == ("lbfgs", "sag")
    # what was pruned may have been pruned too early
    (action,) = beware(losing(lambda X: X[:, 0] == 1, "pruned"), None)
    assert not action.parameters


def test_a_category_within_a_range_is_named_and_is_not_advised_to_be_tried():
    def lost(X):
        return (X[:, 1] == 0) & (X[:, 2] < 0.6)

    run = losing(lost)
    (warning,) = beware(run, None)
    assert warning.hyperparameters == ("penalty", "C")
    assert warning.values[0] == "l1"
    fails = failing(SOLVERS, [warning])
    np.testing.assert_array_equal(fails(run.X), lost(run.X))
    # C is best where l1 fails
    (tried,) = [action for action in hx.advise(run).actions if action.kind == "try"]
    assert not fails(SOLVERS.encode(list(tried.configurations))).any()


def test_failures_by_chance_are_not_explained():
    for seed in range(10):
        chance = np.random.default_rng(seed).random(90) < 0.3
        assert beware(losing(lambda X, chance=chance: chance), None) == []


# ---------------------------------------------------------------------- repeat


def test_knowing_the_best_of_two_is_worth_its_closed_form():
    """E[max(d, 0)] less max(E[d], 0) for a normal difference d (Frazier et al. 2009)."""
    mean, covariance = np.array([0.0, 0.1]), np.array([[0.04, 0.01], [0.01, 0.09]])
    s = np.sqrt(0.04 + 0.09 - 0.02)
    normal = NormalDist()
    expected = s * normal.pdf(0.1 / s) - 0.1 * normal.cdf(-0.1 / s)
    assert _gain(mean, covariance, 0.0) == pytest.approx(expected, rel=0.05)
    gains = [_gain(mean, covariance, variance) for variance in (1.0, 0.1, 0.01)]
    assert gains == sorted(gains)
    assert normal_draws(mean, covariance, 4000, 0).mean(axis=1) == pytest.approx(mean, abs=0.02)


def test_trials_are_repeated_where_noise_hides_which_is_best_and_nothing_new_promises_more():
    """All values were tried, and two of them are best."""
    space = hx.SearchSpace([hx.IntParameter("k", 1, 8)])
    X = np.repeat(space.encode([{"k": k} for k in range(1, 9)]), 4, axis=0)
    k = np.repeat(np.arange(1, 9), 4)
    y = 0.5 * (k - 3.5) ** 2 + np.random.default_rng(3).standard_normal(32)
    run = hx.Run(space, X, y, "minimize")
    assert not len(Candidates.of(run).rows)
    found = repeat(Analysed(run), Candidates.of(run))
    assert {3, 4} <= {config["k"] for config in found.configurations} <= {2, 3, 4, 5}
    assert 1 <= found.times <= 5
    scored, _ = found.evidence
    assert scored["mean"] == pytest.approx(y[k == run.incumbent["k"]].mean(), abs=0.6)
    assert scored["observed"] < scored["mean"]
    assert scored["noise"] == pytest.approx(1.0, rel=0.4)


def test_what_a_lucky_best_trial_would_score_again_is_told_and_true():
    """Of a noisy plane: the truth at the incumbent, which was observed better than it is."""
    within, nearer = [], []
    for seed in range(10):
        run = run_of(lambda X: X.sum(axis=1), 40, 0.3, seed)
        told = luck(Analysed(run))
        if told is not None:
            truth = sum(run.incumbent.values())
            assert told["observed"] < truth
            error = abs(told["mean"] - truth)
            within.append(error <= 2.0 * told["std"])
            nearer.append(error < abs(told["observed"] - truth))
    assert len(within) >= 5
    assert sum(within) >= len(within) - 2  # of 30 seeds 93 % are within
    assert sum(nearer) >= len(nearer) - 1
    assert luck(Analysed(run_of(lambda X: X.sum(axis=1)))) is None


def test_trials_are_not_repeated_without_noise_and_ties_are_told():
    bowl = run_of(lambda X: ((X - 0.4) ** 2).sum(axis=1))
    assert repeat(Analysed(bowl), Candidates.of(bowl)) is None
    steps = run_of(lambda X: np.where(X[:, 0] < 0.5, 0.0, 1.0))
    found = repeat(Analysed(steps), Candidates.of(steps))
    assert found.trials == steps.tied
    assert found.evidence[0].kind == "best_tied"


# ---------------------------------------------------------------------- branch and scale


def conditional(n, noise=0.01, seed=0):
    space = hx.SearchSpace(
        [
            hx.CategoricalParameter("model", ["a", "b", "c"]),
            *(hx.FloatParameter(f"of {m}", 0.0, 1.0, active_when={"model": [m]}) for m in "abc"),
        ]
    )
    level = np.array([0.0, 0.3, 0.02])

    def objective(X):
        return level[X[:, 0].astype(int)] + np.nanmax((X[:, 1:] - 0.5) ** 2, axis=1)

    return run_of(objective, n, noise, seed, space)


def branches(run):
    analyses = Analysed(run)
    return branch(analyses, Prospects(run), Candidates.of(run), ())


def test_a_branch_that_is_certainly_worse_is_given_up_and_no_other():
    found = [action for action in branches(conditional(90)) if action.parameters]
    (stay,) = [action.parameters[0].choices for action in found]
    assert "a" in stay
    assert "b" not in stay
    told = found[0].evidence[0]
    assert np.abs(np.array(told["mean"]) - [0.0, 0.3, 0.02]).max() < 0.05
    assert found[0].title.startswith("Give up branches: search on with model in a")
    assert found[0].reason.count("(30 trials)") == 3


@pytest.mark.parametrize("log", [True, False])
def test_the_scale_on_which_the_objective_is_smooth_is_advised(log):
    """The space has the other scale."""
    space = hx.SearchSpace([hx.FloatParameter("lr", 1e-3, 1.0, log=not log), PLANE["y"]])

    def objective(X):
        lr = np.array([config["lr"] for config in space.decode(X)])
        return (-np.sin(3.0 * np.log10(lr)) if log else np.sin(9.0 * lr)) + 0.3 * X[:, 1]

    run = run_of(objective, 60, 0.02, space=space)
    found = rescale(run, ())
    assert [(p.name, p.log) for p in found.parameters] == [("lr", log)]
    assert found.code == f"lr = hpo_explain.FloatParameter('lr', 0.001, 1.0{', log=True' * log})"
    assert rescale(run, ["lr"]) is None


def test_no_scale_is_advised_under_noise_or_where_it_is_the_right_one():
    space = hx.SearchSpace([hx.FloatParameter("lr", 1e-3, 1.0, log=True), PLANE["y"]])
    for seed in range(3):
        assert rescale(run_of(lambda X: 0.0 * X[:, 0], 40, 1.0, seed, space), ()) is None
        assert rescale(run_of(lambda X: np.sin(9.0 * X[:, 0]), 40, 0.1, seed, space), ()) is None


# ---------------------------------------------------------------------- wait


def test_too_few_trials_are_told_and_noise_promises_nothing():
    action, why_not = wait(Analysed(run_of(lambda X: ((X - 0.4) ** 2).sum(axis=1), 6)))
    assert action.evidence[0]["more"] == 8  # 10, and 2 for each hyperparameter
    assert why_not is None
    promised = [wait(Analysed(run_of(lambda X: 0.0 * X[:, 0], 40, 1.0, s)))[0] for s in range(4)]
    assert promised == [None] * 4


# ---------------------------------------------------------------------- all together


@pytest.mark.parametrize(
    ("name", "objective", "noise", "seeds"),
    [
        ("pure noise", lambda X: 0.0 * X[:, 0], 1.0, range(2)),
        (
            "a narrow optimum never hit",
            lambda X: -np.exp(-((X - 0.37) ** 2).sum(1) / 5e-4),
            0.0,
            [0],
        ),
    ],
)
def test_nothing_is_given_up_that_the_trials_do_not_rule_out(name, objective, noise, seeds):
    for seed in seeds:
        actions = hx.advise(run_of(objective, 40, noise, seed)).actions
        kinds = {action.kind for action in actions}
        assert not kinds & {"narrow", "fix", "stop", "branch", "rescale"}


def test_actions_stand_in_the_order_of_their_gain_and_are_a_handful():
    advice = hx.advise(run_of(lambda X: ((X - 0.4) ** 2).sum(axis=1), 40, 0.01), most=3)
    gains = [action.gain for action in advice.actions if not np.isnan(action.gain)]
    assert gains == sorted(gains, reverse=True)
    assert 1 <= len(advice.actions) <= 3
    changed = [p for action in advice.actions for p in action.parameters]
    assert all(advice.space[p.name] == p for p in changed)


# ---------------------------------------------------------------------- widen, stop, and all


SEEDS = range(10)


def widened(run):
    """The new range of x and why it is advised; None where it is not."""
    effect = hx.partial_dependence(run, "x", sample=30, grid_size=15)
    found = wider([effect], Candidates.of(run).best)
    return found[0] if found else None


def test_an_end_at_which_the_truth_is_best_is_widened_at_that_side():
    ranges = []
    for seed in SEEDS:
        upper = seed % 2
        direction = "maximize" if upper else "minimize"
        run = rerun(lambda X: 2.0 * X[:, 0] + np.sin(X[:, 1]), seed, direction=direction)
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
    assert [s for s in SEEDS[:6] if widened(rerun(truth, s, noise=noise)) is not None] == []


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
    space = hx.SearchSpace([parameter, PLANE["y"]])
    found = widened(rerun(lambda X: sign * X[:, 0], noise=0.0, space=space))
    ends = None if found is None else (found.parameter.low, found.parameter.high)
    assert ends == (None if expected is None else pytest.approx(expected))


def test_a_range_that_is_widened_is_not_narrowed_and_the_next_trial_can_be_pasted():
    run = rerun(lambda X: 2.0 * X[:, 0] + (X[:, 1] - 0.5) ** 2, 1, direction="maximize")
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
    assert PLANE.is_valid(PLANE.encode(given["configs"])).all()


def test_the_largest_expected_improvement_is_that_of_the_true_optimum():
    run = rerun(lambda X: (X[:, 0] - 0.3) ** 2 + (X[:, 1] - 0.7) ** 2, n=12, noise=0.0)
    candidates = Candidates.of(run)
    place = candidates.most_promising()
    found = candidates.reason(place)
    mean, std = found["predicted"]
    x = np.array([candidates.config(place)[name] for name in PLANE.names])
    assert np.linalg.norm(x - [0.3, 0.7]) < 0.15
    assert abs(mean - np.sum((x - [0.3, 0.7]) ** 2)) < 4.0 * std + 0.01
    # the closed form of [Jones et al. 1998], by draws of the same normal distribution
    draws = mean + std * np.random.default_rng(0).standard_normal(200_000)
    by_draws = np.maximum(found["at_best"][0] - draws, 0.0).mean()
    assert found["expected"] == pytest.approx(by_draws, rel=0.05)


def test_stopping_is_advised_only_where_nothing_improved_and_nothing_is_expected():
    truth = lambda X: (X[:, 0] - 0.5) ** 2  # noqa: E731
    space = hx.SearchSpace([PLANE["x"]])
    X = np.linspace(0.0, 1.0, 25)[:, None]
    X = np.vstack([X[[12]], np.delete(X, 12, axis=0)])  # the optimum first
    (action,) = hx.advise(hx.Run(space, X, truth(X), "minimize")).actions
    assert action.title == "Stop, unless the space changes"
    assert "The last 12 trials did not improve the best objective, 0." in action.reason
    later = np.vstack([X[1:], X[:1]])
    titles = [a.title for a in hx.advise(hx.Run(space, later, truth(later), "minimize")).actions]
    assert not [title for title in titles if title.startswith("Stop")]


def test_optunas_regret_bound_stands_beside_what_is_left_to_gain():
    pytest.importorskip("torch", reason="the bound is one of a process of Optuna's, in torch")
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0) * 0.0 + trial.number % 7, 25)
    record = hx.from_optuna(study).record
    with pytest.warns(optuna.exceptions.ExperimentalWarning):
        evaluator = RegretBoundEvaluator(seed=0)
    expected = evaluator.evaluate(study.trials, study.direction)
    assert record.regret_bound(range(25), [t.value for t in study.trials]) == expected
    assert record.regret_bound(range(5), [t.value for t in study.trials[:5]]) is None
