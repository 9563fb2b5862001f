"""The reproductions of Moosbauer et al. (2021) find what the paper found."""

import json

import numpy as np
import pytest

import hpo_explain as hx
from examples.papers.bo import cube
from examples.papers.frame import FETCH, PHONEME, Profile
from examples.papers.moosbauer_synthetic import improvement, plane, studied
from tests.source_tree import DATA

pytestmark = pytest.mark.thorough

needs_phoneme = pytest.mark.skipif(not (DATA / PHONEME).exists(), reason=FETCH[PHONEME])


def test_improvement_is_a_percentage_of_the_whole():
    assert improvement(4.0, 3.0) == pytest.approx(25.0)
    assert improvement(4.0, 5.0) == pytest.approx(-25.0)
    assert improvement(-2.0, -3.0) == pytest.approx(50.0)  # a likelihood may be negative: better


# ---------------------------------------------------------------------- the optimizer's model


@pytest.fixture
def smooth():
    """Rows of three columns, and values of a smooth function with noise."""
    space = hx.SearchSpace([hx.FloatParameter(f"x{j}", -1.0, 1.0) for j in range(3)])
    X = space.sample(30, seed=1)
    noise = np.random.default_rng(2).normal(0.0, 0.05, 30)
    return space, X, X @ [1.0, 2.0, 3.0] + np.sin(5.0 * X[:, 0]) + noise


def test_its_kernel_is_the_product_of_its_columns(smooth):
    from examples.papers.dice_kriging import correlation, product

    _, X, _ = smooth
    theta = np.array([0.3, 0.7, 1.9])
    expected = np.prod(correlation(X[:5], X, theta), axis=0)
    assert product(X[:5], X, theta) == pytest.approx(expected)


def test_the_slopes_of_its_likelihood_are_those_of_differences(smooth):
    from examples.papers.dice_kriging import DiceKriging

    model = DiceKriging(*smooth, starts=1)
    at = np.array([-1.0, -0.5, 0.2, 0.9])
    _, slope = model._cost(at)
    for j, step in enumerate(np.eye(4) * 1e-5):
        difference = (model._cost(at + step)[0] - model._cost(at - step)[0]) / 2e-5
        assert slope[j] == pytest.approx(difference, rel=1e-4)


def test_its_correlations_are_those_of_its_kernel(smooth):
    from examples.papers.dice_kriging import DiceKriging, product

    _, X, _ = smooth
    model = DiceKriging(*smooth, starts=1)
    smooth_part = model._share * product(X, X, model._theta)
    np.fill_diagonal(smooth_part, 1.0)
    assert model._L @ model._L.T == pytest.approx(smooth_part, abs=1e-12)


@pytest.mark.parametrize("lam", [0.0, 0.1, 1.0, 10.0])
def test_the_lowest_bound_is_that_of_all_rows(smooth, lam):
    from examples.papers.dice_kriging import DiceKriging

    model = DiceKriging(*smooth, starts=1)
    for seed in range(5):
        X = np.random.default_rng(seed).uniform(size=(700, 3))
        mean, std = model.predict(X)
        bounds = mean - lam * std
        row, bound = model.lowest_bound(X, lam)
        assert row == bounds.argmin()
        assert bound == pytest.approx(bounds.min(), abs=1e-9)


def test_bands_of_both_equations_are_those_of_the_product():
    from examples.papers.moosbauer_kernel_misspecification import KERNELS, fitted, likelihoods
    from examples.papers.moosbauer_synthetic import effect_of, objective

    found = likelihoods(3, 1, n_rows=40)
    space = cube(3, -5.0, 5.0)
    X, sample = (space.sample(n, seed=seed, method="uniform") for n, seed in ((30, 1), (40, 1001)))
    y = np.array([objective(row) for row in X])
    truth = fitted(space, X, y, "Matérn-3/2")
    true = effect_of(truth, sample).mean
    for kernel, both in zip(KERNELS, found, strict=True):
        process = fitted(space, X, truth.predict(X)[0], kernel)
        effects = [
            effect_of(process, sample, variance=variance) for variance in ("covariance", "average")
        ]
        expected = [one.negative_log_likelihood(true) for one in effects]
        assert both == pytest.approx(expected, rel=1e-9)


def test_without_a_nugget_it_interpolates(smooth):
    from examples.papers.dice_kriging import DiceKriging

    space, X, y = smooth
    mean, std = DiceKriging(space, X, y, nugget=1e-8).predict(X)
    assert mean == pytest.approx(y, abs=1e-3)
    assert std.max() < 0.01 * y.std()


def test_every_proposal_keeps_its_model():
    from examples.papers.bo import minimize

    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.IntParameter("k", 1, 3)])
    run = minimize(
        lambda row: float((row[0] - 0.3) ** 2 + row[1]),
        space,
        space.sample(6, seed=0),
        n_trials=12,
        lam=1.0,
    )
    assert len(run) == 12
    assert space.on_grid(run.X).all()
    for trial in (6, 11):
        assert len(run.surrogate(before=trial, kind="auto")._y) == trial
    assert len(run.surrogate(kind="auto")._y) == 12
    assert run.objective[6:].min() < run.objective[:6].min()


def test_designs_are_drawn_as_r_draws_them():
    from examples.papers.bo import r_latin, r_uniform

    # what R prints for runif(3) after set.seed(1), and for runif(1) after set.seed(42)
    assert r_uniform(1)(3) == pytest.approx([0.2655087, 0.3721239, 0.5728534], abs=1e-7)
    assert r_uniform(42)(1) == pytest.approx([0.9148060], abs=1e-7)
    design = r_latin(14, 7, seed=1234)
    assert (np.sort(np.floor(14 * design), axis=0) == np.arange(14)[:, None]).all()


def test_the_design_is_that_of_the_papers_program():
    from examples.papers.moosbauer_synthetic import DESIGN, uniform

    # what R prints for runif(4) after set.seed(1234): the first row, and one of the second
    first, second = uniform(2, 3, DESIGN)
    assert first == pytest.approx([0.1137034, 0.6222994, 0.6092747], abs=1e-7)
    assert second[0] == pytest.approx(0.6233794, abs=1e-7)


# ---------------------------------------------------------------------- Styblinski-Tang


def test_a_smaller_tau_biases_the_sample_more():
    # 0.05 and 0.27, with standard deviations of 0.07 and 0.003 between seeds
    low, high = (
        [studied(3, tau, seed, n_trials=20, rows=60).mmd for seed in range(2)] for tau in (5.0, 0.1)
    )
    assert max(low) < min(high)


@pytest.mark.parametrize("seed", range(5))
def test_a_biased_sample_gives_a_wider_band_and_a_larger_error_than_a_uniform_one(seed):
    biased, uniform = plane(0.1, seed, 40), plane(None, seed, 40)
    assert biased.effect.mean_confidence > uniform.effect.mean_confidence
    errors = [np.abs(one.effect.mean - one.true).mean() for one in (biased, uniform)]
    assert errors[0] > errors[1]


def test_little_sampling_bias_gives_the_papers_table_1():
    from examples.papers.moosbauer_synthetic import PAPER

    found = [studied(3, 5.0, seed) for seed in range(5)]
    measured = [[s.mmd, *s.delta()[[1, 3], 0], *s.delta()[[1, 3], 2]] for s in found]
    mean, std = np.mean(measured, axis=0), np.std(measured, axis=0, ddof=1)
    # the paper's repetitions may be one run
    theirs = PAPER["d = 3, low bias"]
    assert (np.abs(mean - theirs) < 5.0 * std * np.sqrt(1.0 + 1.0 / 5.0)).all()


def test_paths_to_a_leaf_are_as_long_as_the_deepest():
    from types import SimpleNamespace

    from examples.papers.moosbauer_synthetic import path_to

    nodes = [
        SimpleNamespace(holds=lambda config, j=j: config["x"] % (j + 1) == 0) for j in (0, 1, 2)
    ]
    assert path_to(SimpleNamespace(tree=nodes), {"x": 2}, 3) == [*nodes[:2], nodes[1], nodes[1]]


# ---------------------------------------------------------------------- Table 3


def test_bands_of_eq_4_and_5_are_those_of_table_3():
    from examples.papers.moosbauer_kernel_misspecification import PAPER, likelihoods

    found = np.array([likelihoods(3, seed, n_rows=100) for seed in range(6)])
    # mean and standard deviation by kernel and equation
    for k, (_, (theirs, spread)) in enumerate(PAPER["3"].reshape(2, 2, 2)):
        covariance, average = found[:, k].T
        # three of the paper's standard deviations of a mean of 6
        assert average.mean() == pytest.approx(theirs, abs=3.0 * spread / 6**0.5)
        # it is Eq. 4 whose likelihood varies more and is lower in the median
        assert covariance.std() > average.std()
        assert np.median(covariance) < np.median(average)


# ---------------------------------------------------------------------- LCBench


def test_a_task_of_lcbench_is_read_as_it_is_downloaded(tmp_path):
    from examples.papers.moosbauer_lcbench import SPACE, read_lcbench

    config = dict(zip(SPACE.names, (32, 0.5, 128, 3, 0.01, 0.9, 1e-3), strict=True))
    runs = {
        "0": {"config": config | {"optimizer": "sgd"}, "results": {"final_val_accuracy": 81.5}},
        "1": {"config": config | {"num_layers": 1}, "results": {"final_val_accuracy": 79.0}},
    }
    path = tmp_path / "data_2k_lw.json"
    path.write_text(json.dumps({"phoneme": runs, "car": {}}), encoding="utf-8")
    table = read_lcbench(path, "phoneme")
    assert table["final_val_accuracy"].tolist() == [81.5, 79.0]
    assert table["num_layers"].tolist() == [3, 1]
    assert set(table.columns) == {*SPACE.names, "final_val_accuracy"}


def test_the_forest_learns_values_and_mis_coded_layers():
    import pandas as pd

    from examples.papers.lcbench import SPACE, Network, values

    X = SPACE.sample(300, seed=0)
    decoded = pd.DataFrame(SPACE.decode(X))[list(SPACE.names)].astype(float)
    difference = np.abs(values(X) - decoded.to_numpy()).max(axis=0)
    # batch size and units are whole numbers
    assert (difference <= np.where(np.isin(np.arange(7), (0, 2)), 0.5, 1e-9)).all()
    table = decoded.assign(final_val_accuracy=60.0 + 10.0 * (decoded["num_layers"] == 1))
    one, two, five = (
        Network.of(table, n_trees=20).error(np.column_stack([X[:, :3], np.full(300, at), X[:, 4:]]))
        for at in (0.0, 0.25, 1.0)
    )
    # one layer was read as five, two as one
    assert five.mean() < 0.33 < 0.37 < min(one.mean(), two.mean())


def test_what_was_predicted_is_remembered(smooth):
    from examples.papers.dice_kriging import DiceKriging
    from examples.papers.moosbauer_lcbench import Remembering

    space, X, y = smooth
    model = DiceKriging(space, X, y, starts=1)
    asked = []

    class Counting:
        space, label = model.space, model.label

        def predict(self, X):
            asked.append(len(X))
            return model.predict(X)

    remembering = Remembering(Counting())
    for rows in (X[:7], X[:7].copy(), X[7:9], X[:7]):
        for ours, expected in zip(remembering.predict(rows), model.predict(rows), strict=True):
            np.testing.assert_array_equal(ours, expected)
    assert asked == [7, 2]


@needs_phoneme
@pytest.mark.parametrize("seeds", [range(1), range(1, 5)])
def test_regions_of_the_network_are_more_confident_than_the_whole_and_the_neighbourhood(seeds):
    from examples.papers.moosbauer_lcbench import Network, studied

    network = Network.of(Profile().read(PHONEME), n_trees=30)
    for seed in seeds:
        delta, *_ = studied(network, seed, n_trials=70, n_rows=300)
        mc, oc, _ = np.mean(delta, axis=0).T  # of the criteria and the baseline
        # the paper: 29 % with a standard deviation of 7 on this task; by ŝ and by ŝ²
        for criterion in (0, 4):
            assert 29 - 3 * 7 < mc[criterion] < 29 + 3 * 7
        assert mc[0] > mc[-1]
        assert oc[0] > oc[-1]
