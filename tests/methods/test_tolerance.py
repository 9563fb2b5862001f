"""Tolerance: closed forms, a search by hand over a belief's draws, conditions, and failures."""

import itertools

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from hpo_explain.belief import STRETCH
from hpo_explain.methods.around.tolerance import tolerated
from hpo_explain.question import RunDecision
from tests.analytic import AnalyticSurrogate, Known, space_of, unit_cube

few_draws = pytest.mark.usefixtures("few_draws_here")
EPSILON = 0.04


def bowls(weights):
    """Draws w (x1 - 1/2)² + (x2 - x1)², each with a w of its own."""
    return [lambda X, w=w: w * (X[:, 0] - 0.5) ** 2 + (X[:, 1] - X[:, 0]) ** 2 for w in weights]


def run_of(n=40, d=2, **options):
    space = unit_cube(d)
    X = space.sample(n, seed=1)
    return hx.Run(space, X, ((X - 0.5) ** 2).sum(axis=1), "minimize", **options)


def test_of_quadratic_functions_the_stretches_are_their_closed_form():
    """Alone |x1 - 1/2| is at most √(ε / (w + 1)), with x2 following √(ε / w).

    With w of the 95th of 100 draws, half as far again from their median: linear in it are losses.
    """
    space = unit_cube(2)
    known = Known(space, bowls(np.linspace(1.0, 4.0, 100)))
    alone, free = tolerated(known, np.array([0.5, 0.5]), EPSILON)
    w = 2.5 + STRETCH["average"] * (3.0 * 94 / 99 - 1.5)
    for one, half in ((alone[0], np.sqrt(EPSILON / (w + 1.0))), (alone[1], np.sqrt(EPSILON))):
        low, high = one.values
        assert 0.85 * half < 0.5 - low <= half + 1e-9
        assert 0.85 * half < high - 0.5 <= half + 1e-9
        assert one.probability >= 0.95
    low, high = free[0].values
    # candidates stand on a grid of 64: they follow nearly
    assert alone[0].width < high - low <= 2.0 * np.sqrt(EPSILON / w) + 1e-9


def test_a_stretch_is_told_in_the_units_of_the_user_and_has_values_that_exist():
    space = space_of(lr=(1e-4, 1.0, "log"), depth=range(1, 10), kind=["a", "b", "c"])

    def cost(X):
        return (X[:, 0] - 0.5) ** 2 + (X[:, 1] - 0.5) ** 2 + 0.03 * X[:, 2]

    x = space.encode([{"lr": 1e-2, "depth": 5, "kind": "a"}])[0]
    alone, free = tolerated(Known(space, [cost] * 9), x, EPSILON)
    assert np.log10(alone[0].values) == pytest.approx([-2.8, -1.2], abs=0.1)
    assert alone[1].values == free[1].values == (4, 6)  # an eighth away each, .016; then .0625
    assert alone[2].values == ("a", "b")
    assert alone[0].text(space["lr"]).endswith(f"{alone[0].values[1]:.4g}")


@few_draws
def test_it_is_the_widest_that_a_search_by_hand_finds_in_the_draws():
    run = run_of(30)
    decision = RunDecision.of(run)
    x, draws = decision.row_to_keep, decision.draws
    alone, _ = tolerated(draws, x, EPSILON)
    at = np.linspace(0.0, 1.0, 101)
    rows = np.vstack([x, np.column_stack([at, np.full(101, x[1])])])
    costs = draws.costs(rows)
    lost = costs[:, 1:] - costs[:, :1]
    middle = np.median(lost, axis=0)
    lost = middle + STRETCH["average"] * (lost - middle)
    widest = 0.0
    for a, b in itertools.combinations(range(101), 2):
        if at[a] <= x[0] <= at[b]:
            held = [not (one[a : b + 1] > EPSILON).any() for one in lost]
            widest = max(widest, at[b] - at[a] if np.mean(held) >= 0.95 else 0.0)
    assert alone[0].width == pytest.approx(widest, abs=0.05)


@few_draws
def test_more_may_be_lost_further_away_and_the_value_itself_is_always_tolerated():
    run = run_of(30)
    found = [hx.methods.tolerance(run, epsilon=e) for e in (0.001, 0.01, 0.05, 10.0)]
    for small, large in itertools.pairwise(found):
        for a, b in zip(small.alone, large.alone, strict=True):
            assert a.width <= b.width
    for one in found:
        for name, alone, free in zip(one.names, one.alone, one.free, strict=True):
            assert alone.values[0] <= one.config[name] <= alone.values[1]
            assert alone.width <= free.width
    assert [one.values for one in found[-1].alone] == [(0.0, 1.0)] * 2


@few_draws
def test_what_fails_is_not_tolerated():
    run = run_of(60)
    feasible = run.X[:, 0] < 0.7
    found = hx.methods.tolerance(run_of(60, feasible=feasible), epsilon=10.0)
    assert found.alone[0].values[1] < 0.8
    assert found.free[0].values[1] < 0.8
    assert found.alone[1].values == (0.0, 1.0)


@few_draws
def test_a_value_that_activates_others_is_tolerated_only_with_the_others_free():
    space = space_of(kind=["a", "b"], x=(0.0, 1.0), when={"x": {"kind": ["b"]}})
    X = space.sample(40, seed=2)
    run = hx.Run(space, X, np.where(np.isnan(X[:, 1]), 0.0, 0.1 + X[:, 1]), "minimize")
    found = hx.methods.tolerance(run, epsilon=0.5)
    assert found.names == ("kind",)
    assert found.alone[0].values == ("a",)
    assert found.free[0].values == ("a", "b")
    assert "No other value of kind" in found.sentence
    assert any("inactive there: x" in str(note) for note in found.notes)


@few_draws
def test_it_is_certain_only_where_trials_scatter_by_less_than_may_be_lost():
    run = run_of(60)
    certain = hx.methods.tolerance(run, epsilon=0.05)
    assert all(claim.certain for claim in certain.claims)
    assert "95% sure" in certain.sentence
    y = run.objective + 0.05 * np.random.default_rng(0).standard_normal(60)
    noisy = hx.methods.tolerance(hx.Run(run.space, run.X, y, "minimize"), epsilon=0.05)
    assert not any(claim.certain for claim in noisy.claims if claim.probability > 0.0)
    assert "trials scatter by" in noisy.caution


def test_where_nothing_but_noise_is_no_other_value_is_known_to_be_tolerated():
    space = unit_cube(3)
    run = hx.Run(
        space, space.sample(60, seed=0), np.random.default_rng(0).normal(size=60), "minimize"
    )
    found = hx.methods.tolerance(run)
    assert all(len({*one.values}) == 1 for one in (*found.alone, *found.free))
    (claim,) = found.claims
    assert claim.hyperparameters == found.names
    # that the objective hardly varies is known: all lose less than 10 standard deviations
    wide = hx.methods.tolerance(run, epsilon=10.0)
    assert all(one.values == (0.0, 1.0) for one in (*wide.alone, *wide.free))


def test_of_a_model_without_a_joint_posterior_nothing_is_certain():
    own = AnalyticSurrogate(unit_cube(2), lambda X: (X[:, 1] - 0.5) ** 2, 0.1)
    run = run_of(40)
    found = hx.methods.tolerance(run, surrogate=own, epsilon=EPSILON)
    assert found.alone[0].values == (0.0, 1.0)
    centre = (found.config["x2"] - 0.5) ** 2 + EPSILON
    _, high = found.alone[1].values
    assert 0.8 * np.sqrt(centre) < high - 0.5 <= np.sqrt(centre)
    assert not any(claim.certain for claim in found.claims)
    assert np.isnan(found.to_frame()["probability"]).all()
    assert "by the model" in found.sentence


def test_the_figure_has_a_bar_of_each_behind_it_that_of_the_others_free():
    found = hx.methods.tolerance(run_of(), epsilon=0.05)
    figure = found.described()
    assert len(figure.bars) == 2 * len(figure.labels) == 4
    (dots,) = figure.dots
    for row, i in enumerate(found.order()):
        alone = next(bar for bar in figure.bars if bar.row == row and bar.fill == 0)
        assert (alone.begin, alone.end) == pytest.approx(found.alone[i].values)
        assert dots.x[row] == pytest.approx(found.config[found.names[i]])


@pytest.mark.merge
def test_of_a_study_the_stretches_are_about_the_true_ones():
    """100 (x - .3)² + (y - .6)²: x must be met ten times as exactly as y."""
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=3))

    def objective(trial):
        x, y = trial.suggest_float("x", 0.0, 1.0), trial.suggest_float("y", 0.0, 1.0)
        return 100.0 * (x - 0.3) ** 2 + (y - 0.6) ** 2

    study.optimize(objective, n_trials=80)
    found = hx.methods.tolerance(study, epsilon=1.0)
    kept = (found.config["x"] - 0.3) ** 2 + EPSILON / 4.0
    (low, high), y = (one.values for one in found.alone)
    half = np.sqrt(kept)
    assert 0.3 - half <= low < 0.3 - 0.6 * half
    assert 0.3 + 0.6 * half < high <= 0.3 + half
    assert y == (0.0, 1.0)
    assert found.order().tolist() == [0, 1]
