"""What is advised on runs of which the truth is known, and what is not; the code to paste."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import optuna
import pytest
import skopt
from scipy.stats import hypergeom

import hpo_explain as hx
from hpo_explain.adapters.optuna import from_optuna
from hpo_explain.belief.left import told
from hpo_explain.methods.advice.advise_result import Action, changed_to
from hpo_explain.methods.advice.beware import beware
from hpo_explain.methods.advice.next_trials import expected_best, next_rows
from hpo_explain.methods.advice.rules import attempt, keep, repeat, trying, widen
from hpo_explain.question import RunDecision, WhatCounts
from hpo_explain.run import WithoutResult
from hpo_explain.space.searches import inside_of
from tests.analytic import Known, space_of, unit_cube
from tests.noted import the_note

pytestmark = pytest.mark.usefixtures("few_draws", "answers_stay")
PLANE = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
SOLVERS = space_of(solver=["lbfgs", "saga", "sag"], penalty=["l1", "l2"], C=(0.001, 1000.0, "log"))
DIGITS = space_of(a=range(10), b=range(10))


def run_of(objective, n=40, noise=0.0, seed=0, space=PLANE, direction="minimize", **known):
    X = space.sample(n, seed=seed)
    y = objective(X) + noise * np.random.default_rng(seed).standard_normal(n)
    return hx.Run(space, X, y, direction, **known)


def kinds(run, **options):
    return [action.kind for action in hx.advise(run, **options).actions]


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


# ---------------------------------------------------------------------- what is decided


def test_the_expected_best_of_random_trials_is_that_of_all_choices():
    values = np.random.default_rng(0).normal(size=(3, 7))
    by_hand = [values[:, list(some)].max(axis=1) for some in combinations(range(7), 3)]
    np.testing.assert_allclose(expected_best(values, 3), np.mean(by_hand, axis=0))
    # of the numbers 1 to n the largest of k is k (n + 1) / (k + 1), however many there are
    many = expected_best(np.arange(1.0, 4001.0)[None], 1000)
    np.testing.assert_allclose(many, 1000 * 4001 / 1001)


def decided(run, draws):
    """What is decided of a run by functions."""
    return RunDecision(run, draws, WhatCounts.of(run, draws))


def decision_by(*functions, tried=((5, 5), (0, 9)), noise=0.0):
    """What is decided of the digits' space by known functions, where their mean was observed."""
    X = DIGITS.encode([{"a": a, "b": b} for a, b in tried])
    draws = Known(DIGITS, functions)
    draws.noise_std = noise
    observed = np.mean([f(X) for f in functions], axis=0)
    return decided(hx.Run(DIGITS, X, observed, "minimize"), draws)


def test_what_was_observed_counts_by_the_trials_with_the_same_configuration():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (60, 2))
    X = DIGITS.encode([{"a": int(a), "b": int(b)} for a, b in codes])
    observed, feasible = rng.standard_normal(60), rng.random(60) < 0.8
    run = hx.Run(DIGITS, X, observed, "minimize", feasible=feasible)
    draws = Known(DIGITS, [distance(0, 1), distance(2, 2)])
    draws.noise_std = 0.5
    found = decided(run, draws)
    assert len(found.rows) == len({*map(tuple, codes[feasible].tolist())})
    alike = [
        [i for i in range(60) if feasible[i] and (codes[i] == codes[row]).all()]
        for row in found.rows
    ]
    drawn = found.costs_of_draws.mean(axis=0)
    apart = np.array([observed[i].mean() for i in alike]) - drawn
    noise = 0.25 / np.array([len(i) for i in alike])
    more = (apart**2 - noise).mean()
    assert more > 0.0
    for place, row in enumerate(found.rows):
        assert row == alike[place][0]
        share = more / (more + noise[place])
        moved = found.costs_of_draws[:, place] + share * apart[place]
        np.testing.assert_allclose(found.costs[:, place], moved, rtol=1e-12, atol=1e-12)


def distance(a, b):
    return lambda X: np.abs(9.0 * X[:, 0] - a) + np.abs(9.0 * X[:, 1] - b)


def test_what_is_tried_gains_most_together():
    """Of two functions each has its own best: both are tried."""
    found = decision_by(distance(2, 2), distance(7, 8))
    rows, gains = next_rows(found, 2, ())
    told = DIGITS.decode(rows)
    assert {(c["a"], c["b"]) for c in told} == {(2, 2), (7, 8)}
    # (5, 5) is the one to keep: 6 worse than the one's best, 5 than the other's
    assert found.keep == 0
    np.testing.assert_allclose(gains, [6.0, 5.0])
    within, _ = next_rows(found, 5, [hx.IntParameter("a", 3, 5), hx.IntParameter("b", 0, 20)])
    assert {c["a"] for c in DIGITS.decode(within)} <= {3, 4, 5}
    assert len(attempt(found, []).configurations) == 1
    assert len(attempt(found, [], 2).configurations) == 2


def test_what_is_tried_lies_in_the_box_or_is_said_to_lie_outside():
    inside = decision_by(distance(5, 5), distance(5, 5), tried=((4, 5), (0, 9)))
    tried = attempt(inside, [])
    assert inside.box.holds(DIGITS.encode(list(tried.configurations))).all()
    (why,) = tried.evidence
    assert "chance to beat trial" in str(why)
    rows, gains = next_rows(inside, 1, ())
    levels = [np.arange(10) == 4, np.arange(10) == 5]
    smaller = replace(inside)
    smaller.__dict__["box"] = replace(inside.box, levels=levels)
    assert not smaller.box.holds(rows).any()
    looking = trying(smaller, rows, inside.gained(gains), 1.0)
    assert the_note(looking.evidence, "a look outside of the recommended space")


def test_rows_inside_have_values_that_are_searched():
    space = space_of(x=(0.0, 1.0), kind=["a", "b"], of_b=(0.0, 1.0), when={"of_b": {"kind": ["b"]}})
    X = space.sample(200, seed=0)
    within = [hx.FloatParameter("of_b", 0.2, 0.5), hx.CategoricalParameter("kind", ["a", "b"])]
    low = (X[:, 2] >= 0.2) & (X[:, 2] <= 0.5)
    np.testing.assert_array_equal(inside_of(space, within, X), low | np.isnan(X[:, 2]))


@pytest.mark.merge
def test_no_configuration_is_tried_next_to_one_that_failed():
    # y, the objective, is best at 0
    run = losing(lambda X: X[:, 0] > 0.6, space=PLANE)
    (tried,) = [a for a in hx.advise(run).actions if a.kind == "try"]
    assert all(config["x"] < 0.7 for config in tried.configurations)
    feasible = run_of(lambda X: X[:, 1], 60).X[:, 0] > 0.6
    run = run_of(lambda X: X[:, 1], 60, feasible=feasible)
    (tried,) = [a for a in hx.advise(run).actions if a.kind == "try"]
    assert all(config["x"] > 0.5 for config in tried.configurations)


# ---------------------------------------------------------------------- rules


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_true_optimum_is_tried_and_improves_as_promised(direction):
    sign = 1.0 if direction == "minimize" else -1.0

    def bowl(X):
        return sign * ((X - 0.42) ** 2).sum(axis=1)

    run = run_of(bowl, 12, seed=3, direction=direction)
    actions = {action.kind: action for action in hx.advise(run).actions}
    tried = actions["try"]
    best = min(sign * bowl(PLANE.encode(list(tried.configurations))))
    low, high = tried.interval
    assert 0.0 < (sign * run.objective).min() - best <= high
    assert low >= 0.0


def tried_in(run, **options):
    """What is to be tried next."""
    (action,) = [action for action in hx.advise(run, **options).actions if action.kind == "try"]
    return action


@pytest.mark.merge
def test_one_configuration_is_named_or_as_many_as_are_asked_for():
    run = run_of(lambda X: (X[:, 0] - 0.42) ** 2 + 2.0 * (X[:, 1] - 0.7) ** 2, 15, 0.05, seed=3)
    one, four = tried_in(run), tried_in(run, n=4)
    assert len(one.configurations) == 1
    kept = hx.advise(run).actions[0].trials[0]
    chance = f"{100 * one.probability:.0f} %"
    assert one.title.endswith(f" ({chance} chance to be better)")
    assert f" to beat trial {kept} by more than " in one.reason
    assert four.configurations[0] == one.configurations[0]
    assert "; then 3 other configurations (" in four.title
    assert four.title.endswith(" chance that one is better)")
    rows = np.vstack([PLANE.encode(list(four.configurations)), run.X])
    assert len(np.unique(rows.round(6), axis=0)) == 19  # none was tried, or is named twice
    assert four.gain >= one.gain
    with pytest.raises(hx.base.InputError, match="n must be"):
        hx.advise(run, n=0)


def test_what_is_tried_is_told_by_what_differs_from_the_trial_to_keep():
    run = run_of(lambda X: (X[:, 0] - 0.42) ** 2 + 0.1 * X[:, 1], 15, seed=3)
    advice = hx.advise(run)
    (tried,) = [a for a in advice.actions if a.kind == "try"]
    (number,) = advice.actions[0].trials
    assert tried.title.startswith(f"Try next: as trial {number}, but x = ")
    kept, (config,) = run.config(number), tried.configurations
    assert dict(tried.beside) == kept
    for name in "xy":
        assert (f"{name} = " in tried.title) == (kept[name] != config[name])


def test_where_no_trial_has_a_fair_chance_more_of_the_same_is_as_good():
    """Nothing is better than the trial to keep in any function."""
    found = decision_by(distance(5, 5), tried=((5, 5), (0, 9), (3, 2)))
    action = attempt(found, [])
    assert action.kind == "go_on"
    assert action.reason.endswith("more of the same search is as good.")


def test_where_all_that_is_feasible_is_equal_nothing_is_divided_by():
    objective = np.where(np.arange(40) % 4 == 0, 3.0, 1.0)
    space = PLANE
    run = hx.Run(space, space.sample(40, seed=0), objective, "minimize", feasible=objective == 1.0)
    assert kinds(run)[0] == "keep"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("truth", "noise"),
    [(lambda X: 0.0 * X[:, 0], 1.0), (lambda X: (X[:, 0] - 0.2) ** 2, 0.0)],
    ids=["noise", "found"],
)
def test_no_stop_is_said_but_how_probable_it_is_that_something_is_better(truth, noise):
    for seed in range(3):
        run = run_of(truth, 60, noise, seed)
        kept = hx.advise(run).actions[0]
        assert kept.kind == "keep"
        left = the_note(kept.evidence, "chance that something is better")
        assert left["probability"] == told(hx.optimum(run).p_better)
        assert left["probability"] < 0.55
        assert list(left.trials) == list(kept.trials)


def test_on_a_plateau_little_is_promised():
    run = run_of(lambda X: np.where(X[:, 0] > 0.5, 1.0, 0.9), 60)
    for action in hx.advise(run).actions:
        assert np.isnan(action.gain) or action.gain < 0.01
        assert not action.certain or (action.kind == "narrow" and action.values[0][0] == 0.0)


def test_of_a_constant_objective_and_of_a_model_without_a_posterior_nothing_is_told():
    assert kinds(run_of(lambda X: np.ones(len(X)))) == ["go_on"]
    run = run_of(lambda X: X[:, 0])
    assert kinds(run, surrogate=run.surrogate(kind="forest")) == ["go_on"]


def test_what_to_keep_comes_first_then_actions_in_the_order_of_their_gain():
    run = run_of(lambda X: X[:, 0] + X[:, 1] ** 2, 30, 0.01)
    advice = hx.advise(run, most=2)
    kept, *others = hx.advise(run).actions
    assert kept.kind == "keep"
    gains = [action.gain for action in others]
    assert gains == sorted(gains, reverse=True)
    assert len(advice.actions) == 2
    assert advice.chosen("first") == (advice.actions[1],)  # to keep a trial changes nothing
    changed = [p for action in advice.actions for p in action.parameters]
    assert all(advice.space[p.name] == p for p in changed)


def widened(run):
    """The new range of x; None where it stays."""
    found = widen(RunDecision.of(run))
    ranges = {} if found is None else {p.name: (p.low, p.high) for p in found.parameters}
    return ranges.get("x")


@pytest.mark.alike
@pytest.mark.parametrize("seed", range(3))
def test_an_end_at_which_the_truth_is_best_is_widened_at_that_side(seed):
    def steep(X):
        return 2.0 * X[:, 0] + np.sin(X[:, 1])

    assert widened(run_of(steep, 30, 0.02, seed)) == (-1.0, 1.0)
    assert widened(run_of(steep, 30, 0.02, seed, direction="maximize")) == (0.0, 2.0)


@pytest.mark.parametrize(
    ("truth", "noise"),
    [
        (lambda X: (X[:, 0] - 0.6) ** 2, 0.01),
        (lambda X: 0.0 * X[:, 0], 1.0),
        (lambda X: 0.1 * X[:, 1] - np.minimum(X[:, 0], 0.75), 0.01),
        (lambda X: -np.tanh(6.0 * X[:, 0]), 0.0),
        # better at the upper end on average, and at the lower end where it is best
        (lambda X: np.where(X[:, 1] < 0.3, 4.0 * X[:, 0] - 4.0, -2.0 * X[:, 0]), 0.0),
    ],
    ids=["interior", "noise", "plateau", "saturated", "elsewhere best"],
)
def test_no_range_is_widened_where_nothing_lies_beyond(truth, noise, pytestconfig):
    seeds = range(3 if pytestconfig.getoption("--thorough") else 1)
    ranges = [widened(run_of(truth, 30, noise, seed)) for seed in seeds]
    assert [found for found in ranges if found is not None and found[1] > 1.0] == []


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

    def uneven(X):  # even steps would be those of a count
        return sign * (X[:, 0] + 0.1 * np.sin(7.0 * X[:, 0]))

    found = widened(run_of(uneven, 30, space=space))
    assert found == (None if expected is None else pytest.approx(expected))


def test_trials_are_repeated_where_noise_hides_which_is_best():
    """Two trials are best by 1.5 in half of the functions each: knowing it gains .75 on average."""
    one, other = distance(5, 5), distance(0, 9)
    found = decision_by(
        lambda X: np.minimum(one(X), 1.5), lambda X: np.minimum(other(X), 1.5), noise=1.0
    )
    action = repeat(found)
    assert sorted(action.trials) == [0, 1]
    assert action.gain == pytest.approx(0.75)
    assert action.times == 2
    assert repeat(decision_by(one, noise=1.0)) is None


def test_a_lucky_trial_is_not_kept():
    tried = [(5, 5), (0, 9), (9, 1), (9, 2), (9, 3)]
    found = decision_by(lambda X: X[:, 0], lambda X: X[:, 0] + 0.1, tried=tried, noise=0.5)
    objective = [0.0, 0.2, 1.05, 1.05, 1.05]
    run = hx.Run(DIGITS, found.run.X, objective, "minimize", epsilon=0.1)
    # (0, 9) is better by 5/9 by the draws, and worse by 0.2 by one evaluation, which is but noise
    action = keep(decided(run, found.draws))
    assert action.trials == (1,)
    assert action.gain == pytest.approx(5.0 / 9.0, abs=1e-6)
    assert action.probability >= 0.95
    assert not action.certain  # what is gained never is
    why = "Trial 0, the best observed one, is expected to be worse than trial 1 by 0.56"
    assert why in action.reason
    best = keep(found)
    assert (best.trials, best.gain, best.probability) == ((1,), 0.0, 1.0)
    assert "best observed" not in best.reason


def test_of_contenders_that_each_may_be_best_one_is_kept_with_its_probability():
    # the other is worse by 9 in each
    found = decision_by(distance(5, 5), distance(0, 9))
    assert keep(found).probability == 0.5


@pytest.mark.thorough
def test_a_diverged_neighbourhood_is_not_tried():
    run = run_of(lambda X: np.where(X[:, 0] > 0.9, 1e6, (X[:, 0] - 0.85) ** 2 + X[:, 1]), 60)
    rows, _ = next_rows(RunDecision.of(run), 5, ())
    assert len(rows)
    assert (rows[:, 0] < 0.93).all()


# ---------------------------------------------------------------------- beware


def test_the_pair_of_categories_with_which_trials_fail_is_named_with_its_counts():
    run = losing(lambda X: (X[:, 0] == 0) & (X[:, 1] == 0))
    (action,) = beware(run)
    (found,) = action.evidence
    n = len(run.without_result)
    assert (action.hyperparameters, action.values) == (("solver", "penalty"), ("lbfgs", "l1"))
    assert f", and 0 of {len(run)} others" in str(found)
    assert action.title == "Beware of solver = lbfgs with penalty = l1"
    assert f"{n} of {n} trials failed" in action.reason
    # of all draws of n trials from 90 only one is that of all that failed, times the tests made
    p = hypergeom(90, n, n).pmf(n)
    assert p < float(str(found).rpartition(" ")[2]) < 1000.0 * p
    assert not action.parameters


def test_a_range_or_category_with_which_every_trial_fails_is_given_up():
    (action,) = beware(losing(lambda X: X[:, 2] > 0.7))
    (narrower,) = action.parameters
    assert narrower.high == pytest.approx(10 ** (0.7 * 6 - 3), rel=0.3)
    assert narrower.low == 1e-3
    (action,) = beware(losing(lambda X: X[:, 0] == 1))
    assert action.parameters[0].choices == ("lbfgs", "sag")
    # what was pruned may have been pruned too early
    (action,) = beware(losing(lambda X: X[:, 0] == 1, "pruned"))
    assert not action.parameters


def test_failures_by_chance_are_not_explained():
    for seed in range(10):
        chance = np.random.default_rng(seed).random(90) < 0.3
        assert beware(losing(lambda X, chance=chance: chance)) == []


def test_a_category_that_no_trial_has_is_named_where_there_were_enough():
    X = SOLVERS.sample(120, seed=0)
    X = X[X[:, 0] != SOLVERS["solver"].choices.index("sag")]
    (action,) = beware(hx.Run(SOLVERS, X[:30], X[:30, -1], "minimize"))
    assert (action.hyperparameters, action.values) == (("solver",), ("sag",))
    assert str(action.evidence[0]) == "none of 30 trials has it"
    assert beware(hx.Run(SOLVERS, X[:29], X[:29, -1], "minimize")) == []  # ten for each are few


def test_what_was_enqueued_and_has_no_result_is_named_unless_another_trial_has_one():
    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        if trial.number == 0:
            raise ValueError
        return x

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.enqueue_trial({"x": 0.25})
    study.optimize(objective, n_trials=8, catch=ValueError)
    (action,) = beware(from_optuna(study))
    assert (action.trials, action.configurations) == ((0,), ({"x": 0.25},))
    study.enqueue_trial({"x": 0.25})
    study.optimize(objective, n_trials=1)
    assert beware(from_optuna(study)) == []


# ---------------------------------------------------------------------- code

PARAMETERS = [
    hx.FloatParameter("lr", 1e-4, 0.01234567, log=True),
    hx.IntParameter("depth", 2, 8, step=2),
    hx.CategoricalParameter("kind", ["a", None, True]),
    hx.FloatParameter("a name", 0.0, 0.5),
]
CONFIG = {"lr": 0.001, "kind": None}


def executed(action, framework, **given):
    known = {"hpo_explain": hx, "optuna": optuna, "skopt": skopt, **given}
    exec(Action(**{**action.__dict__, "framework": framework}).code, known)
    return known


@pytest.mark.parametrize("kind", ["narrow", "widen", "beware"])
def test_optuna_searches_what_was_advised(kind):
    def objective(trial):
        found = executed(changed_to(kind, PARAMETERS), "optuna", trial=trial)
        assert (found["lr"], found["depth"]) == (trial.params["lr"], trial.params["depth"])
        return 0.0

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=1)
    found = study.trials[0].distributions
    assert found["lr"] == optuna.distributions.FloatDistribution(1e-4, 0.0123457, log=True)
    assert found["depth"] == optuna.distributions.IntDistribution(2, 8, step=2)
    assert found["kind"].choices == ("a", None, True)
    assert found["a name"].high == 0.5


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (2400050000.25, 2400083000.5),
        (0.123456789, 0.987654321),
        (-3.00000004, -3.00000001),
        (0.1, 0.3),
    ],
)
@pytest.mark.parametrize("framework", ["optuna", "skopt", ""])
def test_code_searches_what_was_advised_and_hardly_more(low, high, framework):
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    trial = study.ask()
    action = changed_to("narrow", [hx.FloatParameter("x", low, high)])
    made = executed(action, framework, trial=trial)["x"]
    if framework == "optuna":
        made = trial.distributions["x"]
    assert made.low <= low < high <= made.high
    assert made.high - made.low <= 1.002 * (high - low)
    if (low, high) == (0.1, 0.3):
        assert (made.low, made.high) == (low, high)


def test_optuna_enqueues():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    executed(Action("try", configurations=(CONFIG,)), "optuna", study=study)
    executed(Action("repeat", configurations=(CONFIG, CONFIG), times=2), "optuna", study=study)

    def objective(trial):
        trial.suggest_categorical("kind", ["a", None])
        return trial.suggest_float("lr", 1e-4, 1.0)

    study.optimize(objective, n_trials=5)
    assert [trial.params["lr"] for trial in study.trials] == [0.001] * 5
    assert [trial.params["kind"] for trial in study.trials] == [None] * 5


def test_skopt_searches_what_was_advised_and_evaluates_what_is_tried():
    fixed = hx.FloatParameter("momentum", 0.9, 0.9)
    found = executed(changed_to("narrow", [*PARAMETERS, fixed]), "skopt")
    assert found["lr"] == skopt.space.Real(1e-4, 0.0123457, prior="log-uniform", name="lr")
    assert found["depth"] == skopt.space.Integer(2, 8, name="depth")
    assert found["kind"] == skopt.space.Categorical(["a", None, True], name="kind")
    assert found["dimension"] == skopt.space.Real(0.0, 0.5, name="a name")
    assert found["momentum"] == skopt.space.Categorical([0.9], name="momentum")
    assert executed(Action("try", configurations=(CONFIG,)), "skopt")["x"] == [
        0.001,
        None,
    ]
    again = Action("repeat", configurations=(CONFIG, {"lr": 1.0}), times=2)
    assert executed(again, "skopt")["xs"] == [[0.001, None], [1.0, None]] * 2


def test_any_other_run_gets_hyperparameters_and_values():
    found = executed(changed_to("narrow", PARAMETERS), "")
    assert found["lr"] == hx.FloatParameter("lr", 1e-4, 0.0123457, log=True)
    assert [found["depth"], found["kind"], found["parameter"]] == PARAMETERS[1:]
    several = Action("repeat", configurations=(CONFIG, {"lr": 1.0}), times=2)
    assert executed(several, "")["configs"] == [CONFIG, {"lr": 1.0}] * 2
    assert Action("keep").code == ""


def test_what_an_action_rests_on_is_told_once():
    """Why another trial than the best observed one is kept stands with the action alone."""
    space = unit_cube(2)
    X = space.sample(40, seed=1)
    y = (X[:, 0] - 0.4) ** 2 + 0.05 * np.random.default_rng(1).normal(size=40)
    y[np.argsort(y)[30]] = y.min() - 0.01  # by luck
    found = hx.advise(hx.Run(space, X, y, "minimize"))
    facts = [str(fact) for action in found.actions for fact in action.evidence]
    assert any("best observed" in fact for fact in facts)
    told = found.sentence.lower()
    assert all(told.count(fact.lower()) <= 1 for fact in facts)
