"""Nothing known before a trial depends on later ones: a run that ends there says the same."""

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from tests.analytic import unit_cube

SPACE = unit_cube(2)


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
        x, layers = (trial.suggest_float("x", 0.0, 1.0), trial.suggest_int("layers", 1, 3))
        return 1e6 if trial.number in (2, 24) else (x - 0.4) ** 2 + layers * 10.0**-trial.number

    study = optuna.create_study(sampler=samplers[sampler](seed=1))
    study.optimize(objective, n_trials=28)
    whole = hx.from_optuna(study)
    for before in (3, 11, 23):
        part = optuna.create_study(sampler=samplers[sampler](seed=1))
        part.add_trials(study.trials[:before])
        same(whole, hx.from_optuna(part), before)
