"""Learning curves whose truth is known, and runs that prune."""

import numpy as np
import optuna
import pandas as pd
import pytest
from scipy.stats import kendalltau, multivariate_normal, spearmanr

import hpo_explain as hx
from hpo_explain.methods.runs.learning_curves import interval
from tests.analytic import unit_cube
from tests.noted import noted


def curved_run(values, final=None, *, X=None, direction="minimize"):
    """A run of 1-D configurations whose trials reported these values (m, S); NaN never finished."""
    values = np.asarray(values, dtype=float)
    m, S = values.shape
    space = unit_cube(1 if X is None else X.shape[1])
    X = np.linspace(0.0, 1.0, m)[:, None] if X is None else X
    trials = np.arange(m)
    final = values[:, -1] if final is None else np.asarray(final, dtype=float)
    done = ~np.isnan(final)
    curves = hx.run.Curves(trials, X, np.arange(1, S + 1), values)
    excluded = {int(t): "pruned" for t in trials[~done]}
    return hx.Run(
        space,
        X[done],
        final[done],
        direction,
        trials=trials[done],
        curves=curves,
        excluded=excluded,
    )


def of_kind(result, kind):
    return [claim for claim in result.claims if claim.kind == kind]


def changes_of(result):
    return [claim for claim in of_kind(result, "difference") if claim.hyperparameters]


# ---------------------------------------------------------------------- ranks


def test_the_correlation_is_spearmans_at_every_step_in_either_direction():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((40, 1)) + rng.standard_normal((40, 6)) * np.linspace(3, 0, 6)
    for direction in ("minimize", "maximize"):
        found = hx.methods.learning_curves(curved_run(values, direction=direction), at=())
        expected = [spearmanr(values[:, s], values[:, -1]).statistic for s in range(6)]
        np.testing.assert_allclose(found.correlation, expected, atol=1e-12)


@pytest.mark.parametrize("rho", [-0.99, 0.0, 0.5, 0.85, 0.99])
def test_the_interval_covers_the_true_rank_correlation_19_times_in_20(rho):
    truth = 6.0 / np.pi * np.arcsin(rho / 2.0)  # of a normal pair
    normal = multivariate_normal([0.0, 0.0], [[1.0, rho], [rho, 1.0]])
    rng = np.random.default_rng(1)
    pairs = normal.rvs((400, 30), random_state=rng)
    ranks = pairs.argsort(axis=1).argsort(axis=1)
    apart = (np.diff(ranks, axis=2)[:, :, 0] ** 2).sum(axis=1)
    spearman = 1.0 - 6.0 * apart / (30 * (30**2 - 1))
    order = np.sign(pairs[:, :, None] - pairs[:, None]).prod(axis=3)
    kendall = order.sum(axis=(1, 2)) / (30 * 29)
    assert spearman[0] == pytest.approx(spearmanr(*pairs[0].T).statistic)
    assert kendall[0] == pytest.approx(kendalltau(*pairs[0].T).statistic)
    covered = 0
    for by_ranks, by_order in zip(spearman, kendall, strict=True):
        low, high = interval(by_ranks, 30, by_order)
        covered += low <= truth <= high
    assert covered >= 0.92 * 400


@pytest.mark.thorough
def test_ranks_that_are_pure_noise_before_the_end_are_never_said_to_be_known():
    rng = np.random.default_rng(2)
    early = 0
    for _ in range(80):
        found = hx.methods.learning_curves(curved_run(rng.standard_normal((12, 8))), at=())
        early += found.related_from is not None and found.related_from < 8
    assert early <= 0.05 * 80


@pytest.mark.thorough
def test_a_step_that_is_named_is_too_early_once_in_40_times_at_most():
    """Eight steps, of which the first four correlate by 0.7 and the others by 0.97."""
    rng = np.random.default_rng(3)
    wrong = named = 0
    for _ in range(80):
        y = rng.standard_normal(60)
        rho = np.where(np.arange(8) < 4, 0.7, 0.97)
        values = rho * y[:, None] + np.sqrt(1 - rho**2) * rng.standard_normal((60, 8))
        found = hx.methods.learning_curves(curved_run(values, y), at=())
        named += found.known_from is not None
        wrong += found.known_from is not None and found.known_from <= 4
    assert named > 70
    assert wrong <= 4


def test_crossing_curves_are_unrelated_until_they_have_crossed():
    a = np.linspace(1.0, -1.0, 31)[:, None]
    values = a * np.linspace(-1.0, 1.0, 12)  # they turn over in the middle
    found = hx.methods.learning_curves(curved_run(values), at=())
    np.testing.assert_allclose(found.correlation, [-1.0] * 6 + [1.0] * 6)
    assert found.known_from == 7.0


def test_a_trial_counts_at_a_step_only_while_it_runs():
    values = np.array([[1.0, np.nan, 3.0, np.nan], [2.0, 2.0, 2.0, 2.0], [3.0, np.nan, 1.0, 0.0]])
    found = hx.methods.learning_curves(curved_run(values, [3.0, 2.0, 0.0]), at=())
    assert found.trials.tolist() == [3, 3, 3, 2]
    assert found.correlation[0] == pytest.approx(-1.0)


# ---------------------------------------------------------------------- what values depend on


def test_shares_follow_the_step_and_pruned_trials_count():
    """x1 decides the first value, x2 the last one; the last six were pruned at the first step."""
    X = unit_cube(2).sample(46, seed=0)
    values = np.column_stack([X[:, 0], X.mean(axis=1), X[:, 1]])
    values[40:, 1:] = np.nan
    run = curved_run(values, X=X)
    found = hx.methods.learning_curves(run)
    assert sorted(found.shares) == [1.0, 3.0]
    assert found.shares[1.0].share("x1") > 0.95
    assert found.shares[3.0].share("x2") > 0.95
    assert len(found.shares[1.0].subject.tried) == 46
    assert found.unfinished == 6
    changes = changes_of(found)
    assert {c.hyperparameters[0]: np.sign(c.estimate) for c in changes} == {"x1": -1.0, "x2": 1.0}
    assert all(c.certain for c in changes)
    assert noted(found.notes, "6 trials reported values but no final one")
    assert changes_of(hx.methods.learning_curves(run, at=[1.0])) == []


# ---------------------------------------------------------------------- real runs


@pytest.fixture(scope="module")
def study():
    def objective(trial):
        lr = trial.suggest_float("lr", 1e-4, 1.0, log=True)
        depth = trial.suggest_int("depth", 1, 5)
        for epoch in range(8):
            loss = (np.log10(lr) + 2.0) ** 2 + 0.1 * depth + 2.0 * np.exp(-epoch * depth / 3.0)
            trial.report(loss, epoch)
            if trial.should_prune():
                raise optuna.TrialPruned
        return loss

    study = optuna.create_study(
        sampler=optuna.samplers.RandomSampler(seed=0),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=12),
    )
    study.optimize(objective, n_trials=50)
    return study


def test_a_study_with_a_pruner_has_the_values_that_its_trials_reported(study):
    run = hx.from_optuna(study)
    curves = run.curves
    assert len(curves) == 50
    pruned = [t.number for t in study.trials if t.state.name == "PRUNED"]
    found = hx.methods.learning_curves(study, at=())
    assert found.unfinished == len(pruned) > 10
    assert found.finished[-1] == len(run)
    for number, row in zip(curves.trials.tolist(), curves.values, strict=True):
        reported = study.trials[number].intermediate_values
        assert {int(s): v for s, v in zip(curves.steps, row, strict=True) if v == v} == reported


def test_a_table_with_a_row_per_step_has_curves():
    rows = [(i, 10.0**-i, e, i + 1.0 / e) for i in range(6) for e in range(1, 5 - i % 2)]
    table = pd.DataFrame(rows, columns=["id", "lr", "epoch", "loss"])
    run = hx.from_frame(table, objective="loss", trial="id", fidelity="epoch")
    assert run.curves.step_name == "epoch"
    assert run.curves.trials.tolist() == [*range(6)]
    assert np.isnan(run.curves.values[1::2, 3]).all()
    np.testing.assert_allclose(run.curves.values[2], [3.0, 2.5, 2 + 1 / 3, 2.25])
    assert run.config(2)["lr"] == pytest.approx(0.01)
    np.testing.assert_allclose(run.curves.X[2], run.X[run.row(2)])
    early = hx.from_frame(table, objective="loss", trial="id", fidelity="epoch", level=2)
    assert early.curves.steps.tolist() == [1.0, 2.0]


# ---------------------------------------------------------------------- words and figures


def test_known_ranks_are_told_with_the_step_and_the_interval():
    values = np.random.default_rng(0).permutation(30)[:, None] + np.linspace(1.0, 0.0, 4)
    sentence = hx.methods.learning_curves(curved_run(values), at=()).sentence
    assert sentence.startswith(
        "From step 1 of 4 on the objective ranks the 30 finished trials much as in the end: there "
        "the rank correlation with the final values is 1 (0.99"
    )


def test_the_figures_hold_ranks_curves_and_shares():
    X = unit_cube(2).sample(30, seed=0)
    values = X[:, [0]] + X[:, [1]] * np.linspace(1.0, 0.0, 5)
    values[25:, 2:] = np.nan
    final = np.where(np.arange(30) < 25, values[:, -1], np.nan)
    found = hx.methods.learning_curves(curved_run(values, final, X=X), at=[1.0, 5.0])
    ranks = found.described()
    np.testing.assert_array_equal(ranks.lines[0].y, found.correlation)
    np.testing.assert_array_equal(ranks.lines[0].half[0], found.correlation - found.lower)
    assert ranks.levels == [(0.8, "limit")]
    curves = found.described("curves")
    assert len(curves.dots[0].x) == 5  # crosses of those that were pruned
    assert np.isnan(curves.thin[1]).sum() == 25  # a gap after each finished one
    np.testing.assert_array_equal(curves.lines[-1].y, values[np.nanargmin(final)])
    shares = found.described("shares")
    assert {tuple(dots.y) for dots in shares.dots} == {
        tuple(result.estimate[j] for result in found.shares.values()) for j in range(2)
    }
    assert set(shares.means.values()) == {"x1", "x2"}
