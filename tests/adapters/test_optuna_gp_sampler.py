"""The Gaussian process of Optuna's GPSampler, fitted again as the sampler fitted it."""

import dataclasses
import math
import pickle
import time
from importlib.util import find_spec

import numpy as np
import optuna
import pytest
from optuna.samplers import GPSampler

import hpo_explain as hx
from hpo_explain.adapters.optuna import from_optuna
from tests.adapters.studies import optimized
from tests.all_orders import by_all_orders
from tests.noted import the_note

pytestmark = [
    pytest.mark.merge,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.skipif(
        find_spec("torch") is None,  # which takes long to be imported
        reason="GPSampler needs torch, which is not installed",
    ),
]
STARTUP = 6
TRIALS = 14


class SpiedGP(GPSampler):
    """GPSampler that notes posterior and acquisition at what it chose, in standardized units."""

    def __init__(self, **options):
        super().__init__(**options)
        self.seen = []

    def _optimize_acqf(self, acqf, best_params):
        import torch

        chosen = super()._optimize_acqf(acqf, best_params)
        self.latest = acqf
        point = np.atleast_2d(chosen)
        process = self._gprs_cache_list[0]
        with torch.no_grad():
            mean, variance = process.posterior(torch.from_numpy(point))
        value = float(acqf.eval_acqf_no_grad(point)[0])
        self.seen.append((float(mean[0]), math.sqrt(float(variance[0])), value))
        return chosen


def objective(trial):
    x = trial.suggest_float("x", -5.0, 5.0)
    y = trial.suggest_float("y", 1e-5, 1.0, log=True)
    k = trial.suggest_int("k", 1, 64, log=True)
    q = trial.suggest_float("q", 0.0, 1.0, step=0.25)
    c = trial.suggest_categorical("c", ["a", "b", "d"])
    value = x**2 + math.log(y) ** 2 / 10 + k / 10 + q + (c == "b")
    return value + trial.suggest_float("z", 0.0, 1.0) if c == "d" else value


def spied(direction="minimize", **options):
    sampler = SpiedGP(seed=0, n_startup_trials=STARTUP, **options)
    study = optuna.create_study(sampler=sampler, direction=direction)
    study.optimize(objective, n_trials=TRIALS)
    return study, sampler


@pytest.fixture(
    scope="module", params=["minimize", pytest.param("maximize", marks=pytest.mark.thorough)]
)
def studied(request):
    return spied(request.param)


def test_posterior_and_log_ei_are_the_samplers_own(studied):
    study, sampler = studied
    run = from_optuna(study)
    assert run.proposals == tuple(range(STARTUP, TRIALS))
    for number, (mean, std, log_ei) in zip(run.proposals, sampler.seen, strict=True):
        known = np.array([trial.value for trial in study.trials[:number]])
        sign = 1.0 if study.direction.name == "MAXIMIZE" else -1.0
        row = run.X[[run.row(number)]]
        found_mean, found_std = run.surrogate(before=number).predict(row)
        assert (sign * (found_mean[0] - known.mean())) / known.std() == pytest.approx(
            mean, rel=1e-3, abs=1e-6
        )
        assert found_std[0] / known.std() == pytest.approx(std, rel=1e-3)
        (terms,) = run.acquisition(before=number).terms(row).values()
        assert terms[0] - math.log(known.std()) == pytest.approx(log_ei, rel=1e-3)


def test_infinite_values_are_clipped_as_by_the_sampler_which_does_not_warn_again():
    def unbounded(trial):
        x = trial.suggest_float("x", -1.0, 1.0)
        return math.inf if trial.number == 2 else -math.inf if trial.number == 7 else x**2

    sampler = SpiedGP(seed=0, n_startup_trials=STARTUP)
    study = optuna.create_study(sampler=sampler)
    with pytest.warns(UserWarning, match="Clip non-finite values"):
        study.optimize(unbounded, n_trials=9)
    run = from_optuna(study)
    for number, (mean, std, _) in zip((6, 7, 8), sampler.seen, strict=True):
        known = np.array([trial.value for trial in study.trials[:number]])
        finite = known[np.isfinite(known)]
        known = np.clip(known, finite.min(), finite.max())
        asked = study.trials[number].params
        found_mean, found_std = run.surrogate(before=number).predict(run.space.encode([asked]))
        assert (known.mean() - found_mean[0]) / known.std() == pytest.approx(
            mean, rel=1e-3, abs=1e-6
        )
        assert found_std[0] / known.std() == pytest.approx(std, rel=1e-3)


def test_fits_do_not_depend_on_the_order_in_which_they_are_asked_for(studied):
    study, _ = studied
    first, second = (from_optuna(study), pickle.loads(pickle.dumps(from_optuna(study))))
    X = first.X
    a = first.surrogate(before=TRIALS - 1).predict(X)[0]
    second.surrogate(before=STARTUP + 1)
    np.testing.assert_array_equal(a, second.surrogate(before=TRIALS - 1).predict(X)[0])


@pytest.mark.skipif(
    tuple(map(int, optuna.__version__.split(".")[:2])) < (5, 0),
    reason="before Optuna 5 the sampler passes over running trials",
)
@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_beside_running_trials_log_ei_is_the_samplers_own_but_for_its_random_numbers(direction):
    space = {name: optuna.distributions.FloatDistribution(0.0, 1.0) for name in "xy"}
    sampler = SpiedGP(seed=1, n_startup_trials=5)
    study = optuna.create_study(sampler=sampler, direction=direction)
    sign = 1.0 if direction == "minimize" else -1.0
    for _ in range(6):
        trial = study.ask(space)
        study.tell(trial, sign * ((trial.params["x"] - 0.4) ** 2 + trial.params["y"]))
        time.sleep(0.001)
    asked = [study.ask(space) for _ in range(3)]
    run = from_optuna(study)
    chosen = run.own_acquisition(asked[2].number)
    assert the_note(chosen.notes, "it is averaged over the possible results of the trials then run")
    own = chosen.acquisition
    values = np.array([trial.value for trial in study.trials[:6]])
    # normalized values are encoded positions here
    X = run.space.sample(60, seed=0)
    (ours,) = own.terms(X).values()
    # with its own random numbers
    its = sampler.latest._cond_gpr
    results = values.mean() - sign * values.std() * its.get_fantasy_samples().numpy()
    same = dataclasses.replace(own, results=results, normal=its._fixed_samples_x.numpy())
    (theirs,) = same.terms(X).values()
    expected = sampler.latest.eval_acqf_no_grad(X) + math.log(values.std())
    np.testing.assert_allclose(theirs, expected, rtol=1e-3, atol=1e-3)
    # and by drawing from the joint posterior
    for x, value in zip(X[:5], ours, strict=False):
        rows = np.vstack([own.running, x])
        drawn = np.random.default_rng(0).multivariate_normal(
            own.surrogate.predict(rows)[0], own.surrogate.posterior_covariance(rows), 100_000
        )
        gain = np.maximum(sign * (own.best - drawn), 0.0).max(axis=1)
        assert math.exp(value) == pytest.approx(gain.mean(), rel=0.1)  # of 128 draws
    # the predictions are those that are left where the running results are known
    process, running = own.surrogate, own.running
    least = (1e-6 * own.scale) ** 2
    known = process.posterior_covariance(running) + least * np.eye(len(running))
    drawn = np.linalg.solve(known, (own.results - process.predict(running)[0]).T)
    floor = sign * (own.best - own.results)
    floor = np.maximum(floor.max(axis=1), 1e-12 * own.scale)

    class GivenRunning:
        space = run.space

        def predict(self, row):
            cross = process.covariance_with(row, running)
            mean, std = process.predict(row)
            left = std**2 + least - (cross @ np.linalg.solve(known, cross.T))[0]
            return mean[:, None] + cross @ drawn, np.sqrt(left)

    def log_ei(expected, left):
        gain = sign * (own.best - expected) + left * own.normal
        return np.log(np.maximum(gain, floor).mean())

    config = run.space.decode(X[:1])[0]
    found = hx.methods.ShapleyExplainer(own, background=X[1:5]).explain(config)
    shares = by_all_orders(log_ei, GivenRunning(), X[0], X[1:5])
    np.testing.assert_allclose(found.phi, shares, rtol=1e-6, atol=1e-9)
    assert (found.terms, found.own_terms) == (("mean", "uncertainty"), own.term_names)


def test_constraints_and_several_objectives_are_named_and_not_rebuilt():
    def constrained(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        trial.set_user_attr("c", [0.5 - x])
        return x

    sampler = GPSampler(
        seed=0, n_startup_trials=4, constraints_func=lambda trial: trial.user_attrs["c"]
    )
    study = optimized(constrained, 7, sampler)
    run = from_optuna(study, infeasible="keep")
    assert run.own_acquisition(6) is None
    assert "which also weighs what the constraints allow" in str(run.record.why_not(6))
    assert run.record.surrogate(6) is not None
    several = optuna.create_study(
        directions=["minimize", "maximize"], sampler=GPSampler(seed=0, n_startup_trials=4)
    )
    several.optimize(lambda t: (t.suggest_float("x", 0, 1), t.params["x"] ** 2), n_trials=6)
    run = from_optuna(several, target=0)
    assert run.own_acquisition(5) is None
    assert str(run.record.why_not(5)) == (
        "GPSampler weighed 2 objectives against each other, which is not rebuilt"
    )


def test_another_objective_than_the_samplers_is_modelled_anew(studied):
    study, _ = studied
    run = from_optuna(study, target=lambda trial: trial.params["x"])
    assert run.record.surrogate(TRIALS - 1) is None
    assert run.own_acquisition(TRIALS - 1) is not None
