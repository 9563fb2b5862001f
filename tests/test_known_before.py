"""Nothing known before a trial depends on later ones: a run that ends there says the same."""

import warnings

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from tests.analytic import unit_cube

SPACE = unit_cube(2)
NEW = SPACE.sample(50, seed=9)


def same(whole, part, before):
    """Whether a run and one that ends before a trial know the same then."""
    configs = whole.space.decode(whole.space.sample(50, seed=9))
    at = [run.space.encode(configs) for run in (whole, part)]
    for kind in ("auto", "forest"):
        one = whole.surrogate(before=before, kind=kind).predict(at[0])
        other = part.surrogate(kind=kind).predict(at[1])
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    assert whole.diverged_above(before) == part.diverged_above()
    ei = [run.chosen_acquisition(t, "ei").acquisition for run, t in ((whole, before), (part, None))]
    assert ei[0].best == ei[1].best


def recorded(seed, wild):
    """Rows and losses of which those after the 15th may be wild."""
    rng = np.random.default_rng(seed)
    X = SPACE.sample(30, seed=seed)
    y = (X[:, 0] - 0.3) ** 2 + 0.1 * rng.normal(size=30)
    y[20:] = np.where(rng.random(10) < 0.5, 1e6, 1e-5) if wild else y[20:]
    return X, y


@pytest.mark.parametrize("wild", [False, True])
@pytest.mark.parametrize("before", [3, 8, 19])
def test_a_run_of_its_own(before, wild):
    X, y = recorded(before, wild)
    whole = hx.Run(SPACE, X, y, "minimize", proposals=range(5, 30))
    part = hx.Run(SPACE, X[:before], y[:before], "minimize", proposals=range(5, before))
    same(whole, part, before)


@pytest.mark.parametrize("sampler", ["tpe", "random"])
def test_a_study(sampler):
    samplers = {"tpe": optuna.samplers.TPESampler, "random": optuna.samplers.RandomSampler}

    def objective(trial):
        x, layers = trial.suggest_float("x", 0.0, 1.0), trial.suggest_int("layers", 1, 3)
        return 1e6 if trial.number in (2, 24) else (x - 0.4) ** 2 + layers * 10.0**-trial.number

    study = optuna.create_study(sampler=samplers[sampler](seed=1))
    study.optimize(objective, n_trials=28)
    whole = hx.from_optuna(study)
    for before in (3, 11, 23):
        part = optuna.create_study(sampler=samplers[sampler](seed=1))
        part.add_trials(study.trials[:before])
        same(whole, hx.from_optuna(part), before)


def test_a_skopt_result():
    from skopt import gp_minimize
    from skopt.utils import create_result

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = gp_minimize(
            lambda x: x[0] ** 2 + 4 * x[1] ** 2, [(-5.0, 5.0)] * 2, n_calls=14,
            n_initial_points=6, acq_optimizer="sampling", n_points=200, random_state=0,
        )  # fmt: skip
        whole = hx.from_skopt(result)
        for before in (4, 8, 12):
            models = result.models[: max(0, before - 5)]
            part = create_result(
                result.x_iters[:before], result.func_vals[:before], result.space,
                specs=result.specs, models=models,
            )  # fmt: skip
            known = hx.from_skopt(part)
            assert whole.diverged_above(before) == known.diverged_above()
            at = whole.space.sample(50, seed=9)
            one = whole.surrogate(before=before, kind="gp").predict(at)
            np.testing.assert_array_equal(one, known.surrogate(kind="gp").predict(at))
            own = [run.surrogate(t).predict(at)[0] for run, t in ((whole, before), (known, None))]
            np.testing.assert_array_equal(*own)
