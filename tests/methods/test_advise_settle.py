"""Which trials settle what a result leaves open, and that they do."""

import itertools
from functools import partial

import numpy as np
import optuna
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.methods.advice.advise_show import VIEWS
from hpo_explain.methods.advice.settle import Unsettled
from tests.analytic import unit_cube
from tests.claims.problems import functions
from tests.claims.runs import Setting, make_run

few_draws = pytest.mark.usefixtures("few_draws_here")
RNG = np.random.default_rng(0)


def linear(X, k=300, noise=0.1, scales=(1.0, 1.0)):
    """Draws of a linear function of two columns, of which the coefficients are asked."""
    slopes = RNG.standard_normal((k, 2)) * scales
    return Unsettled(slopes @ X.T, slopes, np.full(len(X), noise))


def covariance_left(unsettled, rows):
    """Return the numbers' variances by the Schur complement of the joint covariance."""
    both = np.hstack([unsettled.numbers, unsettled.costs[:, rows]])
    joint = np.cov(both.T, bias=True)
    m = unsettled.numbers.shape[1]
    seen = joint[m:, m:] + np.diag(unsettled.noise[rows] ** 2)
    between = joint[:m, m:]
    return np.diag(joint[:m, :m] - between @ np.linalg.solve(seen, between.T))


def test_an_evaluation_of_a_line_narrows_its_slope_as_the_closed_form_says():
    unsettled = linear(np.array([[2.0, 0.0]]), noise=0.5)
    prior = unsettled.numbers[:, 0].var()
    left = unsettled.left(np.array([0]), unsettled)[0]
    assert left == pytest.approx(prior * 0.25 / (4.0 * prior + 0.25))


def test_what_rows_leave_is_the_schur_complement_of_the_joint_covariance():
    unsettled = linear(RNG.random((6, 2)), noise=0.3)
    rows = np.array([1, 4, 5])
    assert unsettled.left(rows, unsettled) == pytest.approx(covariance_left(unsettled, rows))


def test_each_row_is_the_best_one_after_those_before_it():
    unsettled = linear(RNG.random((40, 2)), k=3000, noise=0.2, scales=(1.0, 0.5))
    chosen = [*unsettled.best_rows(4)]
    for place, row in enumerate(chosen):
        before = chosen[:place]
        left = {
            other: covariance_left(unsettled, [*before, other]).sum()
            for other in range(40)
            if other not in before
        }
        # chance, which is subtracted, is one part in 3000
        assert left[row] <= min(left.values()) * 1.02


def test_a_row_that_tells_the_same_as_another_one_waits():
    X = np.array([[2.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    assert linear(X, noise=0.01).best_rows(3).tolist() in ([0, 2, 1], [1, 2, 0])


def test_draws_that_have_nothing_to_do_with_each_other_leave_everything():
    noise = Unsettled(
        RNG.standard_normal((192, 500)), RNG.standard_normal((192, 2)), np.full(500, 0.1)
    )
    assert (noise.expected_left(5) > 0.95).all()


def test_what_is_expected_is_not_flattered_by_the_choice():
    # many rows that resemble the number by chance, and one that is it
    numbers = RNG.standard_normal((192, 1))
    costs = RNG.standard_normal((192, 2000))
    costs[:, 7] = numbers[:, 0]
    unsettled = Unsettled(costs, numbers, np.full(2000, 1.0))
    assert unsettled.best_rows(1).tolist() == [7]
    assert unsettled.expected_left(1)[0] == pytest.approx(0.5**0.5, abs=0.07)


# ---------------------------------------------------------------------- of a run


def bumps(X):
    """Return a smooth function of which the first column matters most."""
    return np.sin(5.0 * X[:, 0]) + X[:, 1] * X[:, 0] + 0.3 * X[:, 1]


def plateau(X):
    """Return a function that is flat but in a corner."""
    inside = (X[:, 0] < 0.6) & (X[:, 1] < 0.6)
    return np.where(inside, X[:, 0] + X[:, 1], 1.2)


SPACE = unit_cube(3)


def made(cost, X, noise, seed):
    rng = np.random.default_rng(seed)
    return cost(X) + noise * rng.standard_normal(len(X))


def run_of(cost, seed, noise=0.05, n=16):
    X = SPACE.sample(n, seed=seed)
    return hx.Run(SPACE, X, made(cost, X, noise, seed), "minimize")


def longer(run, X, cost, noise=0.05, seed=99):
    return hx.Run(
        SPACE,
        np.vstack([run.X, X]),
        np.append(run.objective, made(cost, X, noise, seed)),
        "minimize",
    )


def widths(result):
    return result.posterior.values.std(axis=0).sum()


ASKED = {"importance": hx.importance, "x1": lambda run: hx.partial_dependence(run, "x1")}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("cost", "asked"),
    [(bumps, "importance"), (plateau, "x1"), (bumps, "x1"), (plateau, "importance")],
)
def test_intervals_narrow_as_told_and_more_than_after_random_trials(cost, asked):
    after, random, told = [], [], []
    for seed in range(2):
        run = run_of(cost, seed)
        now = ASKED[asked](run)
        (action,) = hx.advise(run, settle=now, n=6).actions
        chosen = SPACE.encode(list(action.configurations))
        others = SPACE.sample(6, seed=seed + 50)
        told.append(action.evidence[0]["left"])
        for found, rows in ((after, chosen), (random, others)):
            found.append(widths(ASKED[asked](longer(run, rows, cost))) / widths(now))
    assert np.mean(after) < np.mean(random)
    assert np.mean(after) < np.mean(told) + 0.15


CORNERS = ({"x1": 0.1, "x2": 0.9, "x3": 0.5}, {"x1": 0.9, "x2": 0.1, "x3": 0.5})
AT_CORNERS = {
    "what the changes bring": lambda run: hx.changes(run, *CORNERS),
    "the contributions to the prediction": lambda run: hx.explain_prediction(run, CORNERS[0]),
    "local importance": lambda run: hx.methods.local_importance(run, CORNERS[0]),
}


# of runs 0 and 1 four trials are not expected to narrow local importance, and none are advised
@pytest.mark.thorough
@pytest.mark.parametrize("seed", [2, pytest.param(3, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("named", AT_CORNERS)
def test_of_single_configurations_intervals_narrow_more_than_at_random(named, seed):
    ask, run = AT_CORNERS[named], run_of(bumps, seed)
    (action,) = hx.advise(run, settle=ask(run), n=4).actions
    assert f"the 95% intervals of {named} to be" in action.reason
    chosen = SPACE.encode(list(action.configurations))
    others = SPACE.sample(4, seed=seed + 50)
    these, random = (widths(ask(longer(run, rows, bumps))) for rows in (chosen, others))
    assert these < random


@few_draws
def test_a_name_stands_for_the_result():
    run = run_of(bumps, 0)
    for name, ask in ASKED.items():
        by_name, by_result = (
            hx.advise(run, settle=one, n=2).actions[0] for one in (name, ask(run))
        )
        assert by_name.configurations == by_result.configurations
        assert by_name.narrows == by_result.narrows


@pytest.mark.thorough
@few_draws
def test_neither_unit_nor_direction_changes_which_trials_settle_it():
    run = run_of(bumps, 0)
    larger = hx.Run(SPACE, run.X, run.objective * 2.0**20, "minimize")
    turned = hx.Run(SPACE, run.X, -run.objective, "maximize")
    first, *others = (
        hx.advise(one, settle="importance", n=3).actions[0] for one in (run, larger, turned)
    )
    for other in others:
        assert other.configurations == first.configurations
        assert other.evidence[0]["left"] == pytest.approx(first.evidence[0]["left"])


@few_draws
def test_optuna_goes_on_with_the_trials_that_settle_it():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(line, n_trials=20)
    advice = hx.advise(study, settle="importance", n=2)
    applied = advice.apply(study)
    applied.optimize(line, n_trials=2)
    tried = [trial.params for trial in applied.trials[20:]]
    assert tried == [dict(c) for c in advice.actions[0].configurations]


def line(trial):
    x = trial.suggest_float("x", 0.0, 1.0)
    return x + 0.5 * trial.suggest_float("y", 0.0, 1.0) + np.sin(50.0 * x)


@few_draws
def test_what_is_told_is_the_mean_over_the_intervals():
    result = hx.importance(run_of(bumps, 0))
    (action,) = hx.advise(run_of(bumps, 0), settle=result, n=3).actions
    assert [one.label for one in action.narrows] == ["x1", "x2", "x3"]
    std = result.posterior.values.std(axis=0)
    assert [one.std for one in action.narrows] == pytest.approx(std.tolist())
    left = std @ [one.left for one in action.narrows] / std.sum()
    assert action.evidence[0]["left"] == pytest.approx(left)
    assert action.reason == (
        f"Expect the 95% intervals of importance to be {left:.0%} as wide as now after 3 trials."
    )
    assert action.kind == "settle"
    assert len(action.configurations) == 3
    assert not action.certain


@few_draws
def test_trials_of_a_grid_are_combinations_that_are_left():
    levels = np.arange(4) / 3.0
    X = np.array([[a, b, c] for a in levels for b in levels for c in levels])
    some = np.delete(X, [5, 17, 40], axis=0)
    table = pd.DataFrame(some, columns=list(SPACE.names))
    table["loss"] = made(bumps, some, noise=0.5, seed=0)
    (action,) = hx.advise(table, settle="importance", n=9, objective="loss").actions
    left = {tuple(row) for row in X[[5, 17, 40]].round(6).tolist()}
    tried = {
        tuple(round(value, 6) for value in config.values()) for config in action.configurations
    }
    assert tried == left


@few_draws
def test_the_figure_shows_each_interval_now_and_as_expected():
    advice = hx.advise(run_of(bumps, 0), settle="importance", n=3)
    rows = VIEWS[""].describe(advice)
    widest = sorted(advice.actions[0].narrows, key=lambda one: one.std, reverse=True)
    assert [label for (label,) in rows.labels] == [one.label for one in widest]
    now, expected = rows.bars[:3], rows.bars[3:]
    for one, before, after in zip(widest, now, expected, strict=True):
        assert before.end == pytest.approx(1.96 * one.std, rel=1e-3)
        assert after.end == pytest.approx(before.end * one.left)


def noise_only(seed, n=20):
    X = SPACE.sample(n, seed=seed)
    values = np.random.default_rng(seed).standard_normal(n)
    return hx.Run(SPACE, X, values, "minimize")


@pytest.mark.alike
@few_draws
@pytest.mark.parametrize("seed", range(3))
def test_where_nothing_is_known_to_matter_nothing_is_promised(seed):
    run = noise_only(seed)
    advice = hx.advise(run, settle="importance", n=2)
    (action,) = advice.actions
    assert len(action.configurations) == 2
    assert action.reason == (
        "Nothing is known to matter yet: if noise is all there is, the 95% intervals of importance "
        "stay as wide as now after 2 trials."
    )
    assert np.isnan([one.left for one in action.narrows]).all()
    assert [one.std > 0.0 for one in action.narrows] == [True] * 3
    rows = VIEWS[""].describe(advice)
    assert len(rows.bars) == 3
    assert [*rows.fills.values()] == ["now"]


@few_draws
def test_of_a_constant_objective_the_remedy_is_more_trials():
    X = SPACE.sample(12)
    constant = hx.Run(SPACE, X, np.ones(12), "minimize")
    with pytest.raises(InputError, match="same objective") as raised:
        hx.advise(constant, settle="importance")
    assert raised.value.remedy.startswith("Make more trials")
    assert "seed" not in str(raised.value)


@few_draws
def test_what_a_name_stands_for_has_the_seed_already():
    table = pd.DataFrame({"x": np.linspace(0.0, 1.0, 40)})
    table["loss"] = 2.0 * table.x
    run = hx.from_frame(table, "loss", hyperparameters=["x"])
    for named, is_result in [("importance", False), (hx.importance(run), True)]:
        with pytest.raises(InputError, match="1 trial would not make") as raised:
            hx.advise(run, settle=named)
        assert "more trials with n=" in raised.value.remedy
        assert ("seed" in raised.value.remedy) == is_result


@few_draws
def test_what_cannot_be_settled_is_refused():
    run = run_of(bumps, 0)
    for wrong, problem in [
        ("alpha", "There are: importance, x1, x2, x3"),
        (
            hx.trust(run),
            "must be a result of importance, partial_dependence.* but was of type RunTrust",
        ),
        (
            hx.partial_dependence(run, "x1", kind="accumulated"),
            "must be a result of importance, partial_dependence.* of type AccumulatedEffect",
        ),
        (hx.importance(run, seed=1), "a result of the same seed="),
        (hx.importance(run_of(bumps, 1)), "is about other trials"),
    ]:
        with pytest.raises(InputError, match=problem) as raised:
            hx.advise(run, settle=wrong)
        assert raised.value.remedy
    with pytest.raises(NothingToExplain):
        hx.advise(run, settle=hx.importance(run, kind="forest"))
    with pytest.raises(InputError, match="the model does not have"):
        hx.advise(run, settle="importance", surrogate=run.surrogate(kind="forest"))


@pytest.mark.thorough
@pytest.mark.parametrize("asked", ["importance", "effect"])
@pytest.mark.parametrize(
    ("noise", "names"),
    [(0.1, ("branin, idle", "rosenbrock", "wide plateau")), (0.5, ("branin, idle", "rosenbrock"))],
)
def test_the_table_of_the_guide(asked, noise, names):
    ratios = {"told": [], "these": [], "random": [], "tpe": []}
    for name, seed in itertools.product(names, range(8)):
        problem = functions()[name]
        run = make_run(Setting(problem, "tpe", 30, seed, noise))
        others = make_run(Setting(problem, "tpe", 36, seed, noise)).X[30:]
        ask = hx.importance
        if asked == "effect":
            totals = hx.importance(run).estimate
            column = run.space.names[int(np.argmax(totals))]
            ask = partial(hx.partial_dependence, names=column)
        now = ask(run)
        (action,) = hx.advise(run, settle=now, n=6).actions
        rows = {
            "these": run.space.encode(list(action.configurations)),
            "random": run.space.sample(6, seed=seed + 500),
            "tpe": others,
        }
        ratios["told"].append(action.evidence[0]["left"])
        rng = np.random.default_rng(seed + 1000)
        for which, X in rows.items():
            costs = [problem.evaluate(x, noise, rng) for x in X]
            after = hx.Run(
                run.space, np.vstack([run.X, X]), np.append(run.objective, costs), run.direction
            )
            ratios[which].append(widths(ask(after)) / widths(now))
    mean = {which: np.exp(np.log(r).mean()) for which, r in ratios.items()}
    assert mean["these"] < mean["random"]
    assert mean["these"] < mean["tpe"]
    assert abs(mean["these"] - mean["told"]) < 0.25
