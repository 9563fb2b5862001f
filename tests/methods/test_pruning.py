"""Pruning: what it saved is counted, what it lost is known, and pruners are Optuna's."""

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from hpo_explain.methods.runs import pruning as module
from hpo_explain.methods.runs.replays import PRUNERS, by_halving, by_percentile, replays_of
from tests.analytic import unit_cube


def pruned_run(values, pruned=(), *, failed=(), direction="minimize", seconds=None):
    """A run whose trials reported these values (m, S); the pruned ones end with a NaN."""
    values = np.array(values, dtype=float)
    m, S = values.shape
    X, trials = np.linspace(0.0, 1.0, m)[:, None], np.arange(m)
    done = ~np.isin(trials, [*pruned, *failed])
    kinds = {int(t): hx.run.PRUNED for t in pruned} | {int(t): hx.run.FAILED for t in failed}
    times = {}
    if seconds is not None:
        ends = 1000.0 * trials + seconds
        times = {
            "started": 1000.0 * trials[done],
            "finished": ends[done],
            "excluded_times": {t: (1000.0 * t, float(ends[t])) for t in kinds},
        }
    return hx.Run(
        unit_cube(1),
        X[done],
        values[done, -1],
        direction,
        trials=trials[done],
        curves=hx.run.Curves(trials, X, np.arange(1, S + 1), values),
        excluded=kinds,
        **times,
    )


def cut(values, pruned, step):
    """Values of which those of pruned trials end after a step."""
    values = np.array(values, dtype=float)
    values[np.asarray(pruned), step:] = np.nan
    return values


# ---------------------------------------------------------------------- why


def test_a_pruned_trial_is_compared_with_the_median_of_those_that_had_finished():
    values = np.array([[5.0, 4.0], [7.0, 3.0], [6.0, 2.0], [8.0, 1.0], [9.0, 0.5], [7.5, np.nan]])
    found = hx.pruning(pruned_run(values, [5]))
    assert (found.others.tolist(), found.median.tolist()) == ([5], [7.0])
    assert found.why(5) == "pruned at step 1: 7.5, worse than the median 7 of 5 trials then"
    upside_down = hx.pruning(pruned_run(-values, [5], direction="maximize"))
    assert "worse than the median -7" in upside_down.why(5)
    better = hx.pruning(pruned_run([*values[:5], [5.5, np.nan]], [5]))
    assert "no worse than" in better.why(5)


def test_trials_that_finished_later_do_not_count():
    values = [[9.0, np.nan], *([float(k), 1.0] for k in range(6))]
    assert (
        hx.pruning(pruned_run(values, [0])).why(0).endswith("before any other trial had finished")
    )
    # by their times all had
    run = pruned_run(values, [0], seconds=np.array([9000.0] + [1.0] * 6))
    assert hx.pruning(run).others.tolist() == [6]


def test_what_is_no_pruned_trial_has_no_reason():
    run = pruned_run(cut(np.arange(14.0).reshape(7, 2), [6], 1), [6])
    with pytest.raises(ValueError, match=r"trial 2 was not pruned. Pruned trials: 6"):
        hx.pruning(run).why(2)


def test_failed_trials_are_no_pruned_ones():
    values = cut(np.arange(16.0).reshape(8, 2), [6, 7], 1)
    found = hx.pruning(pruned_run(values, [7], failed=[6]))
    assert found.trials.tolist() == [7]


# ---------------------------------------------------------------------- what it saved


def test_saved_steps_and_seconds_are_counted():
    values = cut(np.random.default_rng(0).random((10, 5)), [8, 9], 2)
    run = pruned_run(values, [8, 9], seconds=np.array([50.0] * 8 + [20.0, 40.0]))
    found = hx.pruning(run)
    assert found.saved == pytest.approx((3 + 3) / 50)
    # three steps at ten seconds, and three at twenty
    assert found.seconds_saved == pytest.approx(90.0)
    assert np.isnan(hx.pruning(pruned_run(values, [8, 9])).seconds_saved)


def test_without_a_pruned_trial_it_says_what_pruners_would_do():
    found = hx.pruning(pruned_run(np.random.default_rng(0).random((12, 4))))
    assert found.p_lost == found.saved == 0.0
    assert found.sentence.startswith("None of 12 trials was pruned.")


# ---------------------------------------------------------------------- what it may have lost


def test_where_steps_tell_nothing_the_best_is_any_of_them():
    """Closed form: of n exchangeable trials the best is a pruned one with p / n."""
    rng = np.random.default_rng(1)
    pruned = np.arange(200, 300)
    values = cut(rng.standard_normal((300, 2)), pruned, 1)
    found = hx.pruning(pruned_run(values, pruned))
    assert found.p_lost == pytest.approx(1 / 3, abs=0.08)


def test_where_steps_tell_all_nothing_is_lost():
    rng = np.random.default_rng(2)
    final = np.sort(rng.standard_normal(200))
    values = cut(np.column_stack([final, final]), np.arange(100, 200), 1)
    found = hx.pruning(pruned_run(values, np.arange(100, 200)))
    assert found.p_lost < 0.01
    # of such chances a tenth was true on real curves
    assert "is at most 10%" in found.sentence


@pytest.mark.parametrize("rho", [0.3, 0.8])
def test_it_is_as_probable_as_in_a_normal_pair_that_is_cut(rho):
    """Brute force: pairs with a correlation, of which the worse half by the first is pruned."""
    rng = np.random.default_rng(3)
    told, was = [], []
    for _ in range(60):
        first = rng.standard_normal(80)
        final = rho * first + np.sqrt(1.0 - rho**2) * rng.standard_normal(80)
        pruned = np.flatnonzero(first > np.median(first))
        rest = np.setdiff1d(np.arange(80), pruned)
        told.append(
            hx.pruning(pruned_run(cut(np.column_stack([first, final]), pruned, 1), pruned)).p_lost
        )
        was.append(final[pruned].min() < final[rest].min())
    assert np.mean(told) == pytest.approx(np.mean(was), abs=0.15)


def test_the_correlation_of_those_that_were_kept_is_corrected_for_being_cut():
    rng = np.random.default_rng(4)
    z = rng.standard_normal(20_000)
    final = 0.8 * z + 0.6 * rng.standard_normal(20_000)
    kept = z < 0.0
    assert np.corrcoef(z[kept], final[kept])[0, 1] < 0.65
    rho = module._correlations(z, z[kept], final[kept], np.zeros(1))
    assert rho.item() == pytest.approx(0.8, abs=0.01)


def test_only_ranks_count():
    """Axiom: a monotone change of the objective, or of its direction, changes no probability."""
    rng = np.random.default_rng(5)
    values = cut(rng.standard_normal((40, 3)), np.arange(20, 40), 2)
    plain = hx.pruning(pruned_run(values, np.arange(20, 40)))
    bent = hx.pruning(pruned_run(np.exp(3.0 * values), np.arange(20, 40)))
    turned = hx.pruning(pruned_run(-values, np.arange(20, 40), direction="maximize"))
    np.testing.assert_array_equal(plain.p_best, bent.p_best)
    np.testing.assert_array_equal(plain.p_best, turned.p_best)
    assert plain.p_best.max() <= plain.p_lost <= plain.p_best.sum()


# ---------------------------------------------------------------------- pruners


def optunas(cost, pruner):
    """Where Optuna's pruner ends each of some trials."""
    study = optuna.create_study(pruner=pruner)
    last = []
    for row in cost:
        trial = study.ask()
        for step, value in enumerate(row):
            trial.report(value, step + 1)
            if step < len(row) - 1 and trial.should_prune():
                study.tell(trial, state=optuna.trial.TrialState.PRUNED)
                break
        else:
            study.tell(trial, row[-1])
        last.append(step)
    return last


@pytest.mark.parametrize(
    ("rule", "pruner"),
    [
        *((by_percentile(q), optuna.pruners.PercentilePruner(q)) for q in (25.0, 50.0, 75.0)),
        (by_halving, optuna.pruners.SuccessiveHalvingPruner(min_resource=1)),
    ],
)
def test_pruners_end_trials_where_optunas_do(rule, pruner):
    rng = np.random.default_rng(6)
    for _ in range(5):
        cost = rng.standard_normal((40, 1)) + np.cumsum(rng.standard_normal((40, 9)), axis=1)
        assert rule(cost).tolist() == optunas(cost, pruner)


def test_a_replay_counts_what_it_saves_and_loses():
    final = np.arange(20.0)
    known = replays_of(np.column_stack([final] * 4), final, seed=0)
    assert [replay.p_kept for replay in known[:3]] == [1.0] * 3
    assert all(replay.loss == 0.0 for replay in known[:3])
    assert known[0].saved < known[1].saved < known[2].saved
    # where early ranks are turned round, the best is the first to go
    turned = replays_of(np.column_stack([-final, -final, -final, final]), final, seed=0)
    assert all(replay.p_kept < 0.5 and replay.loss > 1.0 for replay in turned[1:])
    assert len(known) == len(PRUNERS)


# ---------------------------------------------------------------------- a real run


def test_a_study_with_a_median_pruner():
    study = optuna.create_study(
        sampler=optuna.samplers.RandomSampler(seed=1), pruner=optuna.pruners.MedianPruner()
    )

    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        noise = np.random.default_rng(trial.number).standard_normal(8) * 0.02
        for step in range(8):
            value = (x - 0.3) ** 2 + np.exp(-step) + noise[step]
            trial.report(value, step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return value

    study.optimize(objective, n_trials=60)
    found = hx.pruning(study)
    of_optuna = [t.number for t in study.trials if t.state == optuna.trial.TrialState.PRUNED]
    assert found.trials.tolist() == of_optuna
    steps = sum(len(t.intermediate_values) for t in study.trials)
    assert found.saved == pytest.approx(1.0 - steps / (60 * 8))
    # Optuna compares the best value so far, which is lower than the last one at times
    assert np.mean(found.values[found.others >= 5] > found.median[found.others >= 5]) > 0.9
    assert found.p_lost < 0.5
    assert found.seconds_saved >= 0.0


def test_it_needs_values_step_by_step_and_five_finished_trials():
    with pytest.raises(ValueError, match="step by step"):
        hx.pruning(hx.Run(unit_cube(1), [[0.1], [0.2]], [1.0, 2.0], "minimize"))
    values = cut(np.arange(16.0).reshape(8, 2), range(4, 8), 1)
    with pytest.raises(ValueError, match="at least 5"):
        hx.pruning(pruned_run(values, range(4, 8)))
