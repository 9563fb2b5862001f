"""Shapley interactions of predictions and acquisitions: closed forms, composed rows, real runs."""

from itertools import combinations

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.methods._engines.coalitions import all_coalitions
from hpo_explain.methods.importance.interaction_indices import interaction_weights
from hpo_explain.methods.importance.shapley_interactions import (
    interactions_at,
)
from tests.analytic import AnalyticSurrogate, unit_cube
from tests.handmade import tuning_run


def run_of(y, d=4, n=60):
    X = unit_cube(d).sample(n, seed=1)
    return hx.Run(unit_cube(d), X, y(X), "minimize", objective_name="loss")


def test_a_product_and_a_sum_by_hand():
    """f = x1 x2 + 3 x3 at (1, 1, 1): E(x1 x2 | x1 = 1) = 1/2, so the pair has 1 - 1 + 1/4."""
    model = AnalyticSurrogate(unit_cube(3), lambda X: X[:, 0] * X[:, 1] + 3.0 * X[:, 2])
    # its means are those of x
    background = np.array(list(np.ndindex(2, 2, 2)), dtype=float)
    found = interactions_at(model, dict.fromkeys(("x1", "x2", "x3"), 1.0), background=background)
    expected = {"x1": 0.25, "x2": 0.25, "x3": 1.5, "x1 × x2": 0.25, "x1 × x3": 0, "x2 × x3": 0}
    for label, value in zip(found.labels, found.values, strict=True):
        assert value == pytest.approx(expected[label], abs=1e-12), label
    assert found.prediction - found.baseline == pytest.approx(2.25)


@pytest.mark.parametrize("kind", ["gp", "forest"])
@pytest.mark.parametrize("of", ["prediction", "acquisition"])
def test_structured_coalitions_agree_with_composed_rows(kind, of):
    run = tuning_run()
    model = run.surrogate(before=25, kind=kind)
    acquisition = hx.models.LowerConfidenceBound(model, direction=run.direction)
    found = interactions_at(
        model if of == "prediction" else acquisition, run.incumbent, background=20, order=3
    )
    x = run.space.encode(found.config)[0]
    players = np.flatnonzero(~np.isnan(x))
    background = hx.methods.global_background(run.space, 20, seed=0)

    def explained(rows):
        if of == "prediction":
            return {"mean": model.predict(rows)[0]}
        return acquisition.terms(rows)

    values = []
    for joined in all_coalitions(len(players)):
        rows = background.copy()
        rows[:, players[joined]] = x[players[joined]]
        values.append([t.mean() for t in explained(run.space.project(rows)).values()])
    expected = interaction_weights(len(players), 3) @ np.array(values)
    np.testing.assert_allclose(found.by_term, expected, rtol=1e-6, atol=1e-8)


def test_the_terms_of_a_confidence_bound_add_up_and_so_do_all_sets():
    run = run_of(lambda X: X[:, 0] * X[:, 1] + X[:, 2])
    found = hx.methods.shapley_interactions(run, 30, of="acquisition", background=50)
    assert found.terms == ("mean", "uncertainty")
    np.testing.assert_allclose(found.by_term.sum(axis=1), found.values)
    assert found.values.sum() == pytest.approx(found.prediction - found.baseline)
    assert abs(found.efficiency_gap) < 1e-9


@pytest.mark.merge
def test_of_singles_and_pairs_shapleys_values_are_made():
    """k-SII: a Shapley value is the single's value and half of each of its pairs."""
    run = run_of(lambda X: X[:, 0] * X[:, 1] + X[:, 2] ** 2)
    rows = hx.methods.global_background(run.space, 40, seed=3)
    found = hx.methods.shapley_interactions(run, background=rows)
    shapley = hx.explain_prediction(run, background=rows)
    for j, name in enumerate(run.space.names):
        pairs = [found.value(name, other) for other in run.space.names if other != name]
        assert found.value(name) + sum(pairs) / 2 == pytest.approx(shapley.phi[j], abs=1e-5)


def test_the_draws_are_those_of_the_linear_functional():
    run = run_of(lambda X: X[:, 0] * X[:, 1], d=2, n=20)
    found = hx.methods.shapley_interactions(run, background={"x1": 0.1, "x2": 0.2})
    x, b = run.space.encode(found.config)[0], np.array([0.1, 0.2])
    rows = np.array([b, [x[0], b[1]], [b[0], x[1]], x])
    expected = run.belief().draws(rows) @ np.array([1.0, -1.0, -1.0, 1.0])
    i = found.labels.index("x1 × x2")
    np.testing.assert_allclose(found.draws[:, i], expected, atol=1e-6)


def test_beyond_eleven_the_least_play_as_one():
    d = 15
    model = AnalyticSurrogate(
        unit_cube(d), lambda X: X[:, 0] * X[:, 1] + X[:, 2] + 0.01 * X[:, 3:].sum(axis=1)
    )
    config = {f"x{j + 1}": 1.0 for j in range(d)}
    rows = unit_cube(d).sample(2, seed=0)
    found = interactions_at(model, config, background=rows)
    assert [len(player) for player in found.players] == [1] * 10 + [5]
    expected = np.mean((1.0 - rows[:, 0]) * (1.0 - rows[:, 1]))
    assert found.value("x1", "x2") == pytest.approx(expected)
    assert abs(found.efficiency_gap) < 1e-9
    assert "count as one player" in str(found.notes[0])


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["auto", "forest"])
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.thorough) for n in (1, 2))]
)
def test_in_pure_noise_no_interaction_is_certain(kind, seed):
    rng = np.random.default_rng(seed)
    found = hx.methods.shapley_interactions(run_of(lambda X: rng.normal(size=len(X))), kind=kind)
    assert not any(claim.certain for claim in found.claims)


def test_an_interaction_is_told_with_its_interval_that_holds_the_truth():
    found = hx.methods.shapley_interactions(
        run_of(lambda X: 2.0 * X[:, 0] * X[:, 1] + X[:, 2]),
        dict.fromkeys(("x1", "x2", "x3", "x4"), 1.0),
    )
    claim = found.claims[0]
    assert (claim.kind, claim.hyperparameters) == ("contribution", ("x1", "x2"))
    assert claim.certain
    assert claim.interval[0] <= 0.5 <= claim.interval[1]
    assert "x1 = 1 with x2 = 1 raises it by 0." in found.sentence


def test_tpe_is_univariate_so_nothing_acts_together():
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0, multivariate=False))

    def objective(trial):
        x = [trial.suggest_float(f"x{j}", 0.0, 1.0) for j in range(15)]
        return x[0] * x[1] + x[2]

    study.optimize(objective, n_trials=25)
    found = hx.methods.shapley_interactions(study, 24, of="acquisition", background=50)
    pairs = [i for i, s in enumerate(found.sets) if len(s) == 2]
    assert len(pairs) == len(list(combinations(range(11), 2)))
    assert len(found.players[-1]) == 5  # those that contribute least play as one
    np.testing.assert_allclose(found.values[pairs], 0.0, atol=1e-12)
    assert abs(found.efficiency_gap) < 1e-8


def test_the_figures_hold_the_values():
    run = run_of(lambda X: X[:, 0] * X[:, 1] + X[:, 2], d=3, n=40)
    found = hx.methods.shapley_interactions(run, {"x1": 1.0, "x2": 1.0, "x3": 0.0}, background=100)
    steps = found.described()
    assert [" ".join(parts) for parts in steps.labels] == [
        "average",
        *found.to_frame().index,
        "this configuration",
    ]
    assert steps.bars[0].begin == found.baseline
    assert steps.bars[-1].end == pytest.approx(found.prediction, rel=1e-5)  # single precision
    assert [bar.fill for bar in steps.bars] == [int(v > 0.0) for v in found.to_frame()["value"]]
