"""The trust verdict: its thresholds, its numbers, and its calibration where the model is right."""

import json
import pickle
from dataclasses import dataclass
from unittest.mock import ANY

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Matern, WhiteKernel
from sklearn.metrics import r2_score

from hpo_explain import ForestSurrogate, GaussianProcessSurrogate
from hpo_explain.diagnostics import trust
from hpo_explain.surrogates import HeldOut
from tests.analytic import AnalyticSurrogate, unit_cube

SPACE = unit_cube(2)


@dataclass(frozen=True, eq=False)
class Checked(AnalyticSurrogate):
    """A surrogate whose held-out predictions are given."""

    held: HeldOut | None = None

    def held_out(self):
        return self.held


def held(*, n=1000, r2=0.9, coverage=0.95, method="given"):
    """Held-out predictions of this R² and coverage, both exact to 1 / n."""
    observed = np.where(np.arange(n) % 2, 1.0, -1.0)  # mean 0, sum of squares n
    error = np.sqrt(1.0 - r2)
    inside = np.arange(n) < round(coverage * n)
    std = np.where(inside, error / 1.95, error / 1.97)  # the interval reaches to 1.96 std
    return HeldOut(method, observed, observed + error, std)


def verdict_of(**numbers):
    return trust(Checked(SPACE, 0.0, held=held(**numbers)))


# ---------------------------------------------------------------------- levels


@pytest.mark.parametrize(
    ("numbers", "level"),
    [
        ({}, "good"),
        ({"r2": 0.701}, "good"),
        ({"r2": 0.699}, "fair"),
        ({"r2": 0.301}, "fair"),
        ({"r2": 0.299}, "poor"),
        ({"r2": -2.0}, "poor"),
        ({"coverage": 0.85}, "good"),
        ({"coverage": 0.849}, "fair"),
        ({"coverage": 0.70}, "fair"),
        ({"coverage": 0.699}, "poor"),
        ({"coverage": 1.0}, "good"),
        ({"r2": 0.5, "coverage": 0.5}, "poor"),
        ({"n": 10}, "good"),  # five for each of two hyperparameters
        ({"n": 8}, "fair"),
        ({"n": 8, "r2": 0.2}, "poor"),
        ({"n": 6}, "fair"),
        ({"n": 4}, "poor"),  # of so few, R² tells nothing
    ],
)
def test_the_level_follows_from_r2_coverage_and_the_number_of_trials(numbers, level):
    assert verdict_of(**numbers).level == level


def test_each_measure_is_a_reason_with_its_level_and_limits():
    verdict = verdict_of(r2=0.62, coverage=0.9, n=100, method="leave-one-out")
    assert verdict.r2 == pytest.approx(0.62, abs=1e-12)
    assert verdict.coverage == 0.9
    assert (verdict.n_trials, verdict.method) == (100, "leave-one-out")
    keys = ("value", "level", "good_from", "poor_below")
    assert {reason.kind: tuple(map(reason.__getitem__, keys)) for reason in verdict.reasons} == {
        "trust_r2": (verdict.r2, "fair", 0.7, 0.3),
        "trust_coverage": (0.9, "good", 0.85, 0.7),
        "trust_trials": (100, "good", 10, 5),
    }
    assert verdict.level == "fair"  # the worst of them


def test_the_verdict_fits_into_json_and_pickle():
    verdict = verdict_of(r2=0.62)
    plain = json.loads(json.dumps(verdict.to_dict()))
    assert plain["r2"] == pytest.approx(0.62)
    assert [reason["text"] for reason in plain["reasons"]] == [*map(str, verdict.reasons)]
    assert pickle.loads(pickle.dumps(verdict)).to_dict() == verdict.to_dict()
    unknown = json.loads(json.dumps(trust(AnalyticSurrogate(SPACE, 0.0)).to_dict()))
    assert unknown["level"] == "unknown"
    assert unknown["r2"] is None
    assert unknown["coverage"] is None


# ---------------------------------------------------------------------- what cannot be checked


@pytest.mark.parametrize(
    ("surrogate", "reason", "values"),
    [
        (AnalyticSurrogate(SPACE, 0.0), "unchecked_no_method", {}),
        (
            ForestSurrogate(SPACE, RandomForestRegressor(2).fit(np.eye(2), [0.0, 1.0])),
            "unchecked_error",
            {"error": "InputError", "why": ANY},
        ),
        (
            Checked(SPACE, 0.0, held=held(n=0, method="out-of-bag")),
            "unchecked_no_trial",
            {"method": "out-of-bag"},
        ),
        (
            Checked(
                SPACE, 0.0, held=HeldOut("given", np.arange(9.0), np.full(9, np.nan), np.ones(9))
            ),
            "unchecked_not_finite",
            {"method": "given"},
        ),
    ],
    ids=["no ability", "no data", "no trial", "not finite"],
)
def test_what_cannot_be_checked_is_unknown_and_says_why(surrogate, reason, values):
    verdict = trust(surrogate)
    assert verdict.level == "unknown"
    assert np.isnan([verdict.r2, verdict.coverage]).all()
    assert verdict.n_trials == 0
    assert [(fact.kind, dict(fact.values)) for fact in verdict.reasons] == [(reason, values)]


@pytest.mark.parametrize("model", [GaussianProcessSurrogate, ForestSurrogate])
def test_noise_is_not_trusted_because_its_configurations_are_repeated(model):
    X, noise = SPACE.sample(40, seed=1), np.random.default_rng(1).normal(size=40)
    verdict = trust(model.fit(SPACE, np.tile(X, (4, 1)), np.tile(noise, 4)))
    assert verdict.level == "poor"
    assert verdict.r2 < 0.1
    assert "repeated configurations together" in verdict.method


@pytest.mark.parametrize("model", [GaussianProcessSurrogate, ForestSurrogate])
@pytest.mark.parametrize("value", [0.0, 0.1, -1e6])
def test_a_constant_objective_cannot_be_explained(model, value):
    X = SPACE.sample(30, seed=0)
    verdict = trust(model.fit(SPACE, X, np.full(30, value)))
    assert verdict.level == "poor"
    assert [reason.kind for reason in verdict.reasons] == ["trust_constant"]
    assert verdict.to_dict()["r2"] is None


def test_an_exact_prediction_without_spread_is_covered():
    y = np.linspace(0.1, 0.7, 20)
    exact = HeldOut("given", y, y + 1e-16, np.zeros(20))
    verdict = trust(Checked(SPACE, 0.0, held=exact))
    assert (verdict.level, verdict.coverage) == ("good", 1.0)
    off = HeldOut("given", y, y + 1e-6, np.zeros(20))
    assert trust(Checked(SPACE, 0.0, held=off)).coverage == 0.0


# ---------------------------------------------------------------------- models


@pytest.mark.parametrize("model", [GaussianProcessSurrogate, ForestSurrogate])
def test_trials_are_held_out_once(model):
    surrogate = model.fit(SPACE, SPACE.sample(20, seed=1), np.arange(20.0))
    assert surrogate.held_out() is surrogate.held_out()


@pytest.mark.parametrize("model", [GaussianProcessSurrogate, ForestSurrogate])
def test_r2_is_that_of_the_held_out_predictions(model):
    X = SPACE.sample(60, seed=1)
    y = 3.0 * X[:, 0] + np.random.default_rng(0).normal(0, 0.5, 60)
    surrogate = model.fit(SPACE, X, y)
    held_out = surrogate.held_out()
    verdict = trust(surrogate)
    assert verdict.r2 == pytest.approx(r2_score(held_out.observed, held_out.mean), abs=1e-12)
    assert verdict.method == held_out.method


@pytest.mark.parametrize("model", [GaussianProcessSurrogate, ForestSurrogate])
def test_a_clear_function_is_trusted_and_noise_is_not(model):
    X = SPACE.sample(150, seed=2)
    assert trust(model.fit(SPACE, X, 3.0 * X[:, 0] - 2.0 * X[:, 1])).level in ("good", "fair")
    for seed in range(3):
        noise = np.random.default_rng(seed).normal(size=150)
        assert trust(model.fit(SPACE, X, noise)).level == "poor"


def test_units_and_direction_do_not_matter():
    X = SPACE.sample(60, seed=1)
    y = np.sin(5 * X[:, 0]) + np.random.default_rng(0).normal(0, 0.3, 60)
    kernel = Matern([0.4, 1.0], nu=2.5) + WhiteKernel(0.1)
    verdicts = [
        trust(
            GaussianProcessSurrogate(
                SPACE,
                GaussianProcessRegressor(kernel, normalize_y=True, optimizer=None).fit(X, target),
            )
        )
        for target in (y, 1e6 * y + 3e6, -y, 1e-9 * y)
    ]
    for verdict in verdicts[1:]:
        assert verdict.r2 == pytest.approx(verdicts[0].r2, abs=1e-6)
        assert verdict.coverage == verdicts[0].coverage


def test_the_interval_of_a_right_model_covers_as_often_as_it_says():
    """Objectives drawn from the process itself: 95 % of held-out trials within the interval."""
    kernel = Matern([0.3, 0.8], nu=2.5) + WhiteKernel(0.05)
    rng = np.random.default_rng(0)
    coverages = []
    for seed in range(150):
        X = SPACE.sample(25, seed=seed)
        y = np.linalg.cholesky(kernel(X)) @ rng.normal(size=25)
        gp = GaussianProcessRegressor(kernel, optimizer=None).fit(X, y)
        coverages.append(trust(GaussianProcessSurrogate(SPACE, gp)).coverage)
    # trials of one run depend on each other, runs do not
    standard_error = np.std(coverages, ddof=1) / np.sqrt(150)
    assert standard_error < 0.005
    assert np.mean(coverages) == pytest.approx(0.95, abs=4 * standard_error)
