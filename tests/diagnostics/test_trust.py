"""The trust verdict: its thresholds, its numbers, and its calibration where the model is right."""

import json
import pickle
from dataclasses import dataclass
from unittest.mock import ANY

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.ensemble import RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import Matern, WhiteKernel
from sklearn.metrics import r2_score

from hpo_explain import ForestSurrogate, GaussianProcessSurrogate
from hpo_explain.diagnostics._skill import good_trials, r2_of, rank_correlation, two_groups
from hpo_explain.diagnostics._trust import LEVELS, SCOPES, reach, trust
from hpo_explain.models.protocols import HeldOut
from tests.analytic import AnalyticSurrogate, unit_cube

SPACE = unit_cube(2)


@dataclass(frozen=True, eq=False)
class Checked(AnalyticSurrogate):
    """A surrogate whose held-out predictions are given."""

    held: HeldOut | None = None

    def held_out(self):
        return self.held


def held(*, n=1000, r2=0.9, coverage=0.95, method="given", known=True):
    """Held-out predictions of this R² and coverage, both exact to 1 / n, of spread trials."""
    observed = np.where(np.arange(n) % 2, 1.0, -1.0)  # mean 0, sum of squares n
    error = np.sqrt(1.0 - r2)
    inside = np.arange(n) < round(coverage * n)
    std = np.where(inside, error / 1.95, error / 1.97)  # the interval reaches to 1.96 std
    rows = SPACE.sample(n, seed=0) if known and n else None
    return HeldOut(method, observed, observed + error, std, rows)


def verdict_of(**numbers):
    return trust(Checked(SPACE, 0.0, held=held(**numbers)))


def reasons_of(verdict):
    return {reason.kind: reason for reason in verdict.reasons}


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
def test_the_level_for_proposals_follows_from_r2_coverage_and_the_number_of_trials(numbers, level):
    assert verdict_of(**numbers).proposals.level == level


def test_each_measure_is_a_reason_with_its_level_and_limits():
    verdict = verdict_of(r2=0.62, coverage=0.9, n=100, method="leave-one-out")
    assert verdict.r2 == pytest.approx(0.62, abs=1e-12)
    assert verdict.coverage == 0.9
    assert (verdict.n_trials, verdict.method) == (100, "leave-one-out")
    keys = ("value", "level", "good_from", "poor_below")
    reasons = verdict.proposals.reasons
    assert {reason.kind: tuple(map(reason.__getitem__, keys)) for reason in reasons} == {
        "trust_r2": (verdict.r2, "fair", 0.7, 0.3),
        "trust_coverage": (0.9, "good", 0.85, 0.7),
        "trust_trials": (100, "good", 10, 5),
    }
    assert verdict.proposals.level == "fair"  # the worst of them
    assert {"trust_r2", "trust_coverage", "trust_reach"} <= reasons_of(verdict.everywhere).keys()
    assert [reason.kind for reason in verdict.good_region.reasons] == ["trust_rank"]
    assert verdict.level == max(
        (verdict.everywhere.level, verdict.good_region.level), key=LEVELS.index
    )


def test_of_few_trials_r2_is_uncertain():
    """Drawn again, trials with a lucky R² of 0.8 lose it; a thousand of them do not."""
    y = np.array([10.0, 0.1, -0.1, 0.2, -0.2, 0.1, 0.0, -0.1, 0.1, -0.1])
    guess = np.array([8.0, -0.5, 0.9, -0.8, 0.8, -1.0, 0.9, 0.9, -0.9, 0.9])  # one outlier's merit
    lucky = HeldOut("given", y, guess, np.ones(10))
    value, lower = r2_of(lucky)
    assert value == pytest.approx(r2_score(y, guess), abs=1e-12)
    assert value > 0.8
    assert lower < 0.0
    assert r2_of(held(n=1000, r2=0.8))[1] > 0.75


def test_r2_is_a_number_whatever_counts():
    y = np.arange(5.0)
    alone = HeldOut("given", y, y + 1.0, np.ones(5))
    assert r2_of(alone, np.eye(5)[2]) == (-1e6, -1e6)  # one objective has no spread
    assert r2_of(HeldOut("given", 1e150 * y, 1e150 * y, np.ones(5)))[0] == 1.0
    assert two_groups(1e150 * y)[1] == pytest.approx(two_groups(y)[1])


def test_over_the_space_each_trial_counts_with_its_share_of_it():
    """49 of 50 trials crowd in one corner, and are predicted well: the other one is most of it."""
    rows = np.vstack([0.02 * SPACE.sample(49, seed=0), [[0.9, 0.9]]])
    y, wrong = np.linspace(0.0, 1.0, 50), np.zeros(50)
    wrong[-1] = 0.5
    held_out = HeldOut("given", y, y + wrong, np.ones(50), rows)
    cells = reach(SPACE, rows).cells
    assert cells.sum() == pytest.approx(1.0)
    assert cells[-1] > 0.5
    mean = np.average(y, weights=cells)
    expected = 1 - cells[-1] * 0.25 / np.average((y - mean) ** 2, weights=cells)
    verdict = trust(Checked(SPACE, 0.0, held=held_out))
    assert reasons_of(verdict.everywhere)["trust_r2"]["value"] == pytest.approx(expected)
    assert expected < 0.5 < verdict.r2


def test_where_the_trials_lie_must_be_known_to_be_good_everywhere():
    verdict = verdict_of(known=False)
    assert (verdict.everywhere.level, verdict.proposals.level) == ("fair", "good")
    assert reasons_of(verdict.everywhere)["trust_reach_unknown"]["level"] == "fair"


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


# ---------------------------------------------------------------------- good trials


def test_good_trials_are_the_best_and_what_is_as_good_as_the_best_quarter_of_the_space():
    cost = np.arange(100.0)
    assert good_trials(cost).sum() == 30
    assert good_trials(cost[:20]).sum() == 10  # of fewer nothing can be told
    converged = np.concatenate([np.linspace(0.0, 0.1, 80), np.arange(1.0, 21.0)])
    assert good_trials(converged).sum() == 30
    assert good_trials(converged, predicted=np.linspace(0.05, 20.0, 400)).sum() == 85
    tied = np.concatenate([np.zeros(60), np.arange(1.0, 41.0)])
    assert good_trials(tied).sum() == 64  # equal ones cannot be put in an order


def test_the_rank_correlation_and_its_limit():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 60))
    y = x + rng.normal(size=(200, 60))
    found = np.array([rank_correlation(a, b) for a, b in zip(x, y, strict=True)])
    assert found[0, 0] == pytest.approx(spearmanr(x[0], y[0]).statistic)
    truth = 6 / np.pi * np.arcsin(np.sqrt(0.5) / 2)  # of a bivariate normal distribution
    assert 0.9 < np.mean(found[:, 1] < truth) <= 1.0  # it covers at least as often as it says
    assert rank_correlation(np.ones(9), x[0, :9]) == (0.0, -1.0)


def test_two_groups_are_parted_where_that_explains_most():
    cost = np.array([0.0, 5.0, 0.1, 5.2, 0.2, 0.1])
    better, share = two_groups(cost)
    assert better.tolist() == [True, False, True, False, True, True]
    means = np.where(better, cost[better].mean(), cost[~better].mean())
    assert share == pytest.approx(np.var(means) / np.var(cost))
    assert two_groups(np.arange(100.0))[1] == pytest.approx(0.75, abs=0.01)  # of an even spread


@pytest.mark.parametrize("seed", range(3))
def test_a_plateau_of_failures_over_noise_is_no_skill_among_the_good_trials(seed):
    space, rng = unit_cube(3), np.random.default_rng(seed)
    X = space.sample(80, seed=seed, method="uniform")
    fails = X[:, 0] + X[:, 1] > 1.1
    y = np.where(fails, 1.5, 0.1 * rng.normal(size=80))
    verdict = trust(GaussianProcessSurrogate.fit(space, X, y))
    assert verdict.r2 > 0.7
    assert verdict.good_region.level == "poor"
    assert reasons_of(verdict.everywhere)["trust_two_groups"]["worse"] == fails.sum()
    mirrored = trust(GaussianProcessSurrogate.fit(space, X, -y), "maximize")
    assert mirrored.good_region.level == "poor"


# ---------------------------------------------------------------------- support


@pytest.mark.parametrize("d", [2, 10])
@pytest.mark.parametrize("seed", range(3))
def test_a_space_of_which_a_quarter_was_tried_is_not_known(d, seed):
    """The fit is exact where trials are; nothing is known of the rest, nor claimed."""
    space = unit_cube(d)
    X = space.sample(60 if d == 2 else 120, seed=seed, method="uniform")
    everywhere = trust(GaussianProcessSurrogate.fit(space, X, X[:, 1] + X[:, 0] ** 2)).everywhere
    assert everywhere.level == "good"
    X[:, 0] *= 0.25
    left = trust(GaussianProcessSurrogate.fit(space, X, X[:, 1] + X[:, 0] ** 2))
    reasons = reasons_of(left.everywhere)
    assert reasons["trust_r2"]["value"] > 0.9
    assert left.everywhere.level == "poor"
    assert reasons["trust_reach"].names == (space.names[0],)
    assert left.good_region.level == "good"


def test_reach_is_how_near_trials_were_checked():
    """Ten evenly spaced trials check distances up to 0.1: on a line, all within 0.1 of one."""
    line = unit_cube(1)
    found = reach(line, np.linspace(0.0, 0.45, 10)[:, None])
    assert found.joint == pytest.approx(0.5, abs=0.05)  # up to 0.45 + 0.05
    assert found.along == (found.joint,)
    assert reach(line, np.linspace(0.05, 0.95, 10)[:, None]).share == 1.0


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
    assert (verdict.proposals.level, verdict.coverage) == ("good", 1.0)
    off = HeldOut("given", y, y + 1e-6, np.zeros(20))
    assert trust(Checked(SPACE, 0.0, held=off)).coverage == 0.0


# ---------------------------------------------------------------------- models


@pytest.mark.parametrize("model", [GaussianProcessSurrogate, ForestSurrogate])
def test_r2_is_that_of_the_held_out_predictions(model):
    X = SPACE.sample(60, seed=1)
    y = 3.0 * X[:, 0] + np.random.default_rng(0).normal(0, 0.5, 60)
    surrogate = model.fit(SPACE, X, y)
    held_out = surrogate.held_out()
    verdict = trust(surrogate)
    assert verdict.r2 == pytest.approx(r2_score(held_out.observed, held_out.mean), abs=1e-12)
    assert verdict.method == held_out.method


@pytest.mark.parametrize(
    ("n", "d", "runs"),
    [(20, 4, 10), (40, 3, 10), (60, 6, 5), pytest.param(20, 4, 100, marks=pytest.mark.thorough)],
)
@pytest.mark.parametrize("model", [GaussianProcessSurrogate, ForestSurrogate])
def test_noise_is_not_trusted(model, n, d, runs):
    """Kernel's parameters that had seen all trials explained some noise: 8 of 30 were trusted."""
    space = unit_cube(d)
    found = []
    for seed in range(runs):
        noise = np.random.default_rng(seed).normal(size=n)
        found.append(trust(model.fit(space, space.sample(n, seed=seed, method="uniform"), noise)))
    for scope in SCOPES:
        # 5 % are meant; one of six happens by chance
        trusted = sum(verdict.verdict(scope).enough for verdict in found)
        assert trusted <= max(1, 0.05 * runs)
    assert sum(verdict.level != "poor" for verdict in found) <= 0.05 * runs


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
