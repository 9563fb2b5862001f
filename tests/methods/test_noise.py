"""What the noise depends on, on runs whose noise is known."""

from dataclasses import replace

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from tests.analytic import unit_cube
from tests.handmade import Page
from tests.reporting.pages import content_of


def noisy_run(log_std, n=40, k=5, *, seed=0, instances=False, d=3):
    """Results with the noise exp(log_std(X)), repeated k times or on k instances."""
    space = unit_cube(d)
    rng = np.random.default_rng(seed)
    X = space.sample(n, seed=seed)
    std = np.exp(np.broadcast_to(log_std(X), n))
    Y = X[:, [0]] + np.sin(5.0 * X[:, [1]]) + std[:, None] * rng.standard_normal((n, k))
    if not instances:
        return hx.Run(space, np.repeat(X, k, axis=0), Y.ravel(), "minimize")
    Y = Y + 10.0 * rng.standard_normal(k)  # what is difficult is not noisy
    folds = hx.run.Instances(
        [*range(k)], np.repeat(X, k, axis=0), np.tile(np.arange(k), n), Y.ravel()
    )
    return hx.Run(space, X, Y.mean(axis=1), "minimize", instances=folds)


def of_kind(result, kind):
    return [claim for claim in result.claims if claim.kind == kind]


def ratios(result):
    return [claim for claim in of_kind(result, "spread") if claim.term]


def rising(X):
    """log σ: the log variance is 2 x1 + 4 x3, of which x3 explains four fifths."""
    return 2.0 * X[:, 2] + X[:, 0] - 2.0


@pytest.fixture(scope="module")
def varying():
    return hx.methods.noise(noisy_run(rising, instances=True, seed=3))


@pytest.fixture(scope="module")
def constant():
    return hx.methods.noise(noisy_run(lambda X: np.log(0.3), seed=1))


# ---------------------------------------------------------------------- the same everywhere


@pytest.mark.thorough
@pytest.mark.parametrize(("k", "instances"), [(2, False), (3, True)])
def test_a_constant_noise_depends_on_nothing_19_times_in_20(k, instances):
    wrong = 0
    for seed in range(15):
        run = noisy_run(lambda X: 0.0, 14, k, seed=seed, instances=instances, d=2)
        wrong += any(c.certain for c in hx.methods.noise(run).claims if c.kind == "share")
    assert wrong <= 1


def test_a_constant_noise_is_told_with_its_interval(constant):
    (claim,) = of_kind(constant, "spread")
    assert claim.interval[0] < 0.3 < claim.interval[1]
    assert claim.certain
    assert claim.hyperparameters == ()
    assert constant.at_incumbent == constant.pooled
    assert constant.spread == (constant.pooled[0], constant.pooled[0])


def test_that_noise_is_the_same_everywhere_is_never_certain(constant):
    (claim,) = of_kind(constant, "share")
    assert not claim.certain
    (why,) = claim.because
    assert "do not show whether it depends on a hyperparameter" in str(why)
    assert constant.main is None
    with pytest.raises(hx.base.InputError):
        constant.effect("x1")


# ---------------------------------------------------------------------- what it depends on


def test_the_hyperparameter_that_the_noise_depends_on_is_named(varying):
    assert varying.varies
    assert varying.main == "x3"
    named = {c.hyperparameters: c for c in of_kind(varying, "share") if c.certain}
    assert ("x2",) not in named
    lower, upper = named["x3",].interval
    assert lower < 0.8 < upper  # the variance of 4 u is four times that of 2 u


def test_where_the_noise_is_largest_and_how_many_times_it_is(varying):
    (claim,) = [c for c in ratios(varying) if c.hyperparameters == ("x3",)]
    ((noisy, quiet),) = claim.values
    assert noisy > 0.8
    assert quiet < 0.2
    assert claim.interval[0] < np.exp(2.0 * (noisy - quiet)) < claim.interval[1]


def test_the_effect_is_the_root_of_the_averaged_log_variance(varying):
    effect = varying.effect("x3")
    at = effect["x3"].to_numpy()
    true = np.exp(2.0 * at + 0.5 - 2.0)  # x1 is 0.5 on average
    assert np.median(np.abs(np.log(effect["std"] / true))) < np.log(1.25)
    assert ((effect["lower"] < effect["std"]) & (effect["std"] < effect["upper"])).all()


def test_the_noise_at_the_incumbent_is_within_its_interval(varying):
    claim = of_kind(varying, "spread")[0]
    (true,) = np.exp(rising(np.array([claim.values])))
    assert claim.interval[0] < true < claim.interval[1]
    assert claim.interval[1] < 3.5 * claim.interval[0]


def test_a_study_whose_objective_is_a_mean_of_draws():
    """The noise of a mean of n draws falls with the root of n: a sixteenth at 256 times as many."""
    rng = np.random.default_rng(1)

    def objective(trial):
        draws = trial.suggest_int("draws", 4, 1024, log=True)
        return trial.suggest_float("shift", 0.0, 1.0) + rng.standard_normal(draws).mean()

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=40)
    for trial in study.trials[:40] * 2:
        study.enqueue_trial(trial.params)
    study.optimize(objective, n_trials=80)
    found = hx.methods.noise(study)
    assert found.main == "draws"
    (claim,) = ratios(found)
    ((noisy, quiet),) = claim.values
    assert noisy < 8
    assert quiet > 256
    assert claim.interval[0] < np.sqrt(quiet / noisy) < claim.interval[1]


# ---------------------------------------------------------------------- words, figure, section


def test_what_the_noise_depends_on_is_told_and_how_many_times_larger_it_is(varying, constant):
    assert varying.sentence.startswith(
        "How much results scatter depends on the configuration: the standard deviation of the "
        "objective is"
    )
    assert "Largest shares of the variance of its logarithm: x3 (" in varying.sentence
    assert ") times as large as at 0." in varying.sentence
    found = replace(constant, pooled=(1234.2, 784.0, 2.7e6))
    assert found.sentence == (
        "Results of the same configuration scatter with a standard deviation of 1234 (784 to "
        "2.7e+06), the same everywhere as far as is known."
    )


def test_the_figure_of_a_noise_that_varies_is_a_curve_with_what_was_observed(varying):
    figure, frame = varying.described(), varying.effect("x3")
    (curve,), (points,) = figure.lines, figure.dots
    np.testing.assert_allclose(curve.y, frame["std"])
    np.testing.assert_array_equal(points.y, varying.observed)
    assert list(points.x) == [c["x3"] for c in varying.configurations]
    assert figure.guide == varying.subject.incumbent["x3"]


def test_the_figure_of_a_constant_noise_has_all_that_was_observed_and_the_pooled_one(constant):
    figure = constant.described()
    (level,), (points,) = figure.lines, figure.dots
    np.testing.assert_array_equal(points.y, np.sort(constant.observed))
    std, low, high = constant.pooled
    assert set(level.y) == {std}
    np.testing.assert_allclose(level.half[:, 0], [std - low, high - std])


def test_the_section_shows_the_finding_the_plot_and_what_was_observed():
    run = noisy_run(rising, seed=3)
    found, content = hx.methods.noise(run), content_of("noise", run)
    page = Page(content.body)
    assert content.finding == found.sentence
    assert len([tag for tag, _ in page.elements if tag == "figure"]) == 1
    std, *_ = found.at_incumbent
    assert content.headline == (
        f"At the incumbent results scatter by {std:.2g} (standard deviation)."
    )
