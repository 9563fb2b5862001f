"""What is told of TPE's densities: by permutations, by bootstraps, and as their panels show it."""

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from hpo_explain.methods._engines.certainty import Commonness, near_good
from hpo_explain.models.densities.kernels import CategoryKernels, NumericKernels
from hpo_explain.models.densities.mixture import ProductMixture
from hpo_explain.models.densities.ratio import DensityBlock, DensityRatio
from tests.handmade import explained, explanation
from tests.methods.test_shapley import cube
from tests.models.densities.blocks import MIXED, mixture_of, ratio_of

optuna.logging.set_verbosity(optuna.logging.ERROR)


def test_a_value_whose_trials_are_better_is_told_from_one_that_does_not_matter():
    space, rng = cube(2), np.random.default_rng(0)
    tried = rng.random((80, 2))
    found = near_good(space, tried, np.abs(tried[:, 0] - 0.3), np.array([0.3, 0.3]))
    assert found[0, 0] <= 0.01 < found[1, 0]
    far = near_good(space, tried, np.abs(tried[:, 0] - 0.3), np.array([0.9, 0.3]))
    assert far[0, 1] <= 0.01 < far[0, 0]


def test_a_run_that_gets_better_does_not_make_late_values_good():
    rng = np.random.default_rng(1)
    late = np.linspace(0.0, 1.0, 80)
    tried = np.clip(np.c_[late + 0.1 * rng.standard_normal(80)], 0.0, 1.0)  # a drift
    costs = 1.0 - late + 0.05 * rng.random(80)  # better with time, whatever the value
    assert near_good(cube(1), tried, costs, np.array([0.95]))[0, 0] > 0.01


def test_by_chance_it_is_told_as_rarely_as_the_level_says():
    space, x = cube(1), np.array([0.5])
    told = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        found = near_good(space, rng.random((40, 1)), rng.random(40), x, seed=seed)
        told.append(found[0] <= 0.05)
    assert np.mean(told, axis=0).max() <= 0.1  # 200 times 5 %: at most 8 % with probability 0.95


# ---------------------------------------------------------------------- around a value


def test_around_a_value_densities_are_means_over_a_tenth_of_the_scale_on_either_side():
    def narrow(at):  # a tenth of the scale wide
        kernel = NumericKernels(
            mu=np.log([at]), sigma=np.log([1e4]) / 20.0, low=np.log(1e-4), high=0.0,
            smallest=1e-4, largest=1.0, log=True,
        )  # fmt: skip
        return ProductMixture(np.ones(1), (kernel,))

    mixtures = [mixture_of(MIXED, [2], 3, np.random.default_rng(seed)) for seed in (0, 1)]
    ratio = DensityRatio(
        MIXED, [DensityBlock((0,), narrow(0.6), narrow(0.2)), DensityBlock((2,), *mixtures)]
    )
    config = {"lr": 0.6, "layers": 2, "booster": "dart", "share": 0.5, "units": 8}
    background = MIXED.sample(5, seed=0)
    found = hx.ShapleyExplainer(ratio, background=background).explain(config).commonness
    x = MIXED.encode([config])[0]
    assert x[0] + 0.1 > 1.0  # no density is looked at beyond the range
    places = np.linspace(x[0] - 0.1, 1.0, 2001)
    expected = [density.mean() for density in ratio.marginal(0, places)]
    np.testing.assert_allclose(found.near[0], expected, rtol=0.05)  # 21 places, the ends whole
    assert found.good[0] > 1.2 * found.near[0, 0]  # it is the best of these places
    np.testing.assert_array_equal(found.near[2], [found.good[2], found.bad[2]])
    assert (found.by_chance == 1.0).all()  # nothing is known of the trials


def test_what_may_be_chance_is_told_from_the_trials():
    ratio, tried = ratio_of(MIXED, [0]), MIXED.sample(60, seed=1)
    costs = np.abs(tried[:, 0] - 0.9)
    background = MIXED.sample(5, seed=0)
    config = MIXED.decode(np.array([[0.9, *tried[0, 1:]]]))[0]
    found = explained(
        ratio, config, background=background, subject=Subject(MIXED, tried=tried, costs=costs)
    )
    expected = near_good(MIXED, tried, costs, MIXED.encode([config])[0])
    np.testing.assert_array_equal(found.commonness.by_chance, expected)
    assert expected[0, 0] < 0.02


# ---------------------------------------------------------------------- bootstraps


def categories(good, bad):
    space = hx.SearchSpace([hx.CategoricalParameter("kernel", ["rbf", "poly"])])

    def mixture(n_first, n):
        kernels = np.repeat([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], [n_first, n - n_first, 1], axis=0)
        return ProductMixture(np.full(n + 1, 1.0 / (n + 1)), (CategoryKernels(kernels),))

    return DensityRatio(space, [DensityBlock((0,), mixture(*good), mixture(*bad))])


def test_a_bootstrap_of_categories_is_the_binomial_one():
    ratio = categories((6, 8), (10, 30))
    drawn = ratio.bootstrap_terms(np.array([[0.0]]), 20_000, seed=1)
    share = np.exp(drawn["good"][0])  # (count + 1/2) / 9, count binomial of 8 with 6/8
    assert share.mean() == pytest.approx(6.5 / 9.0, abs=0.005)
    assert share.std() == pytest.approx(np.sqrt(8 * 0.75 * 0.25) / 9.0, rel=0.03)
    others = np.exp(-drawn["bad"][0])
    assert others.std() == pytest.approx(np.sqrt(30 * (1 / 3) * (2 / 3)) / 31.0, rel=0.03)
    again = ratio.bootstrap_terms(np.array([[0.0]]), 20_000, seed=1)
    np.testing.assert_array_equal(drawn["good"], again["good"])


def test_contributions_of_densities_have_the_std_of_their_bootstraps():
    ratio = categories((6, 8), (10, 30))
    found = explained(ratio, {"kernel": "rbf"}, background=np.array([[0.0], [1.0]]))
    drawn = ratio.bootstrap_terms(np.array([[0.0], [1.0]]), 80, seed=0)
    good = (drawn["good"][0] - drawn["good"][1]) / 2.0
    bad = (drawn["bad"][0] - drawn["bad"][1]) / 2.0
    expected = [np.std(one, ddof=1) for one in (good, bad, good + bad)]
    np.testing.assert_allclose(found.model_std[0], expected, rtol=1e-9)


# ---------------------------------------------------------------------- words as the panels


def told(term, times, by_chance=0.001):
    phi = np.array([[0.5, 0.0], [0.0, 0.0]] if term == "good" else [[0.0, 0.5], [0.0, 0.0]])
    both = np.array([times, times])
    commonness = Commonness(both, both, np.c_[both, both], np.full((2, 2), by_chance))
    made = explanation(
        phi, terms=("good", "bad"), model="", acquisition="log l − log g", unsure=None,
        commonness=commonness,
    )  # fmt: skip
    return made.claims[0], made.sentence


def test_six_times_as_common_as_by_chance_is_not_called_rare():
    claim, sentence = told("bad", 6.0)
    assert not claim.certain
    assert [reason.kind for reason in claim.because] == ["not_by_itself"]
    assert "6 times as common there as by chance" in str(claim.because[0])
    assert "Not certain: by itself the value of x0 is 6 times as common" in sentence
    claim, sentence = told("bad", 0.5)
    assert claim.certain
    assert "because of x0 = 0 (rare among the other trials)" in sentence


def test_common_among_good_trials_needs_more_than_chance():
    assert told("good", 3.0)[0].certain
    assert [reason.kind for reason in told("good", 3.0, 0.2)[0].because] == ["may_be_chance"]
    assert [reason.kind for reason in told("good", 0.8)[0].because] == ["not_by_itself"]


def test_under_pure_noise_hardly_anything_is_common():
    certain = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))

        def objective(trial, rng=rng):
            trial.suggest_float("x", 0.0, 1.0)
            trial.suggest_categorical("b", ["a", "b", "c"])
            return rng.standard_normal()

        study.optimize(objective, n_trials=40)
        certain += [c.certain for c in hx.proposal_densities(study).claims if c.kind == "common"]
    assert len(certain) >= 8
    assert sum(certain) <= 2
    found = hx.explain_proposal(study, background=100)
    assert (found.model_std > 0.0).all()
