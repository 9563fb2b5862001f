"""The sampling estimator: closed forms, its intervals' coverage, and the check of its size."""

import dataclasses

import numpy as np
import pytest
from scipy.stats import t as t_distribution

import hpo_explain as hx
from hpo_explain.base.facts import fact
from tests.analytic import AnalyticSurrogate
from tests.handmade import explained, explanation
from tests.methods.test_shapley import brute_force, conditional_mean, cube, nested_space


def bound_of(space, mean, std=None):
    return hx.models.LowerConfidenceBound(AnalyticSurrogate(space, mean, std or 0.0))


def sampled(acquisition, config, **options):
    return hx.methods.ShapleyExplainer(acquisition, estimator="sampling", **options).explain(config)


def test_every_draw_of_an_additive_function_is_a_difference_of_its_parts():
    space = cube(4)
    weights = np.array([1.0, -2.0, 3.0, 0.5])
    acquisition = bound_of(space, lambda X: X @ weights)
    x, background = np.array([0.1, 0.9, 0.4, 0.6]), space.sample(1, seed=3)
    config = space.decode(x[None, :])[0]
    found = sampled(acquisition, config, background=background, orders=50, seed=1)
    np.testing.assert_allclose(found.phi[:, 0], -weights * (x - background[0]), atol=1e-12)
    np.testing.assert_allclose(found.standard_error, 0.0, atol=1e-12)


def test_the_efficiency_gap_is_what_contributions_lack_of_the_payout():
    space = cube(4)
    weights = np.array([1.0, -2.0, 3.0, 0.5])
    x, background = np.array([0.1, 0.9, 0.4, 0.6]), space.sample(7, seed=3)
    config = space.decode(x[None, :])[0]
    acquisition = bound_of(space, lambda X: X @ weights)
    found = sampled(acquisition, config, background=background, orders=3, seed=1)
    lacking = (background @ weights).mean() - x @ weights - found.phi.sum()
    assert abs(lacking) > 0.1
    assert found.efficiency_gap["total"] == pytest.approx(lacking)


@pytest.mark.merge
def test_a_draw_sums_to_the_difference_of_the_two_configurations():
    space = nested_space()
    acquisition = bound_of(space, conditional_mean)
    config = {
        "booster": "dart",
        "depth": 2,
        "drop": 0.2,
        "n_layers": 3,
        "units_1": 0.9,
        "inner": 0.3,
    }
    x = space.encode(config)[0]
    background = space.sample(200, seed=0, latent=True)
    possible = conditional_mean(space.project(background)) - conditional_mean(x[None, :])
    pairs = np.add.outer(possible, possible).ravel() / 2.0
    for seed in range(100):  # the fewest draws are two
        found = sampled(acquisition, config, background=background, orders=2, seed=seed)
        assert np.isclose(found.total.sum(), pairs, rtol=0.0, atol=1e-9).any()


def test_many_draws_come_close_to_brute_force_in_conditional_spaces():
    space = nested_space()
    acquisition = bound_of(space, conditional_mean, lambda X: 0.2 + np.isnan(X).sum(1) / 5.0)
    config = {"booster": "tree", "depth": 3, "n_layers": 3, "units_1": 0.1, "inner": 0.8}
    background = hx.methods.global_background(space, 30, seed=3)
    found = sampled(acquisition, config, background=background, orders=4000)
    exact = brute_force(acquisition, space.encode(config)[0], background)
    far = np.abs(found.phi - exact) / np.maximum(found.standard_error[:, :2], 1e-12)
    assert far.max() < 4.5  # standard errors, of 10 numbers
    assert found.standard_error[:, :2].max() < 0.05
    assert str(found.estimator) == "sampling, 4000 draws of a background row and an order"
    assert found.orders == 4000


@pytest.mark.thorough
def test_its_95_percent_intervals_cover_93_to_97_percent_of_the_time():
    space = cube(3)
    acquisition = bound_of(space, lambda X: X[:, 0] + X[:, 1] * X[:, 2])
    config = {"t1": 0.0, "t2": 0.0, "t3": 0.0}
    background = hx.methods.global_background(space, 500, seed=2)
    exact = brute_force(acquisition, np.zeros(3), background)[:, 0]
    covered = []
    for seed in range(500):  # 0.95 ± 2 standard errors
        found = sampled(acquisition, config, background=background, orders=60, seed=seed)
        half = found.half_width(0.95)[:, 0]
        covered.append(np.abs(found.phi[:, 0] - exact) <= half)
    assert 0.93 <= np.mean(covered) <= 0.97


def test_same_seed_same_result_and_more_draws_narrower_intervals():
    acquisition = bound_of(cube(14), lambda X: np.prod(1.0 + X[:, :5], axis=1))
    config = dict.fromkeys(acquisition.space.names, 0.5)
    first, again = (sampled(acquisition, config, background=300, orders=200, seed=4) for _ in "ab")
    np.testing.assert_array_equal(first.phi, again.phi)
    other = sampled(acquisition, config, background=300, orders=200, seed=5)
    assert (first.phi != other.phi).any()
    many = sampled(acquisition, config, background=300, orders=3200, seed=4)
    ratio = first.half_width()[:5, -1] / many.half_width()[:5, -1]
    # the root of 16 times as many draws
    np.testing.assert_allclose(ratio, 4.0, rtol=0.3)


# ---------------------------------------------------------------------- Algorithm 4


def check_of(phi, errors, **changes):
    """The check of two terms whose differences have these standard errors, (3, d, d)."""
    names = [f"t{j}" for j in range(len(phi))]
    made = explanation(phi, names=names, **changes)
    return hx.methods.check_sample_size(
        dataclasses.replace(made, difference_error=np.asarray(errors))
    )


def test_the_check_compares_differences_with_their_own_errors():
    errors = np.zeros((3, 2, 2))
    errors[:, 0, 1] = errors[:, 1, 0] = [0.1, 0.1, 0.2]
    check = check_of([[3.0, 0.0], [2.0, 0.5]], errors, orders=100)
    # a single pair and three terms; t with 9 degrees of freedom
    quantile = t_distribution.isf(0.025 / 3, 9)
    frame = check.to_frame()
    np.testing.assert_allclose(frame["difference"], [1.0, 0.5, 0.5])
    np.testing.assert_allclose(frame["half_width"], quantile * np.array([0.1, 0.1, 0.2]))
    assert frame["enough"].tolist() == [True, True, False]
    assert not check.enough
    assert check.orders == 100
    safe, _, unsafe = check.claims
    assert (safe.kind, safe.hyperparameters, safe.term) == ("order", ("t0", "t1"), "mean")
    assert safe.certain
    assert (unsafe.term, unsafe.estimate, unsafe.certain) == ("total", 0.5, False)
    assert [*map(str, unsafe.because)] == ["t0 and t1 cannot be distinguished"]


def algorithm_4(phi, payout):
    """Croppi (2021), Algorithm 4, line by line: by term and for cb whether K is high enough."""
    found = []
    for of_term, paid in zip(phi.T, payout, strict=True):
        error = abs(of_term.sum() - paid)
        threshold = min(abs(a - b) for i, a in enumerate(of_term) for b in of_term[:i])
        found.append(error < threshold)
    return found


def test_algorithm_4_of_the_thesis_compares_differences_with_the_efficiency_error():
    rng, said = np.random.default_rng(3), []
    acquisition = bound_of(
        cube(4), lambda X: X @ [1.0, 1.2, 3.0, 0.9] + X[:, 0] * X[:, 1], lambda X: (X**2).sum(1)
    )
    background = hx.methods.global_background(acquisition.space, 50, seed=1)
    for seed in range(30):
        config = dict(zip(acquisition.space.names, rng.random(4), strict=True))
        found = sampled(acquisition, config, background=background, orders=40, seed=seed)
        at_x, there = (
            acquisition.terms(X) for X in (acquisition.space.encode([config]), background)
        )
        payout = [at_x[term][0] - there[term].mean() for term in acquisition.term_names]
        expected = algorithm_4(
            np.column_stack([found.phi, found.total]), np.array([*payout, sum(payout)])
        )
        check = hx.methods.check_sample_size(found, error="efficiency")
        assert check.to_frame()["enough"].tolist() == expected
        assert check.enough == all(expected)
        assert not any(claim.certain for claim in check.claims)
        said.append(check.enough)
    assert 0 < sum(said) < 30


def test_the_words_and_the_search_of_algorithm_4():
    phi = [[3.0, 0.0], [2.0, 0.25]]
    made = explanation(phi, error=0.1, orders=100)
    gap = {"mean": 0.5, "uncertainty": -0.2, "total": 0.3}
    enough = hx.methods.check_sample_size(
        dataclasses.replace(made, efficiency_gap=gap), error="efficiency"
    )
    assert enough.sentence == (
        "The sample is large enough by Algorithm 4: the efficiency error is smaller than every "
        "difference in the rankings. Not certain: the efficiency error of draws that "
        "hyperparameters share says little of their differences."
    )
    assert [bar.half for bar in enough.described().bars] == [0.5, 0.2, 0.3]
    assert "the efficiency error" in enough.described().footer
    gap = {**gap, "uncertainty": -0.25}
    small = hx.methods.check_sample_size(
        dataclasses.replace(made, efficiency_gap=gap), error="efficiency"
    )
    assert small.to_frame()["enough"].tolist() == [True, False, True]
    assert "too small to rank the hyperparameters by uncertainty" in small.sentence
    acquisition = bound_of(cube(3), lambda X: X @ [1.0, 2.0, 4.0])
    config = {"t1": 0.1, "t2": 0.2, "t3": 0.3}
    found = sampled(acquisition, config, orders=8)
    with pytest.raises(ValueError, match="error must be one of"):
        hx.methods.check_sample_size(found, error="thesis")


def test_what_contributes_nothing_does_not_count_as_a_tie():
    phi = [[3.0, 0.1], [2.0, 0.4], [0.0, 0.0], [0.0, 0.0]]
    made = explanation(phi, names=[f"t{j}" for j in range(4)], error=None)
    assert hx.methods.check_sample_size(made).enough
    errors = np.full((3, 4, 4), 0.01)
    silent = np.zeros((4, 3))
    silent[:2] = 0.01
    assert check_of(phi, errors, standard_error=silent).enough


def test_contributions_of_all_coalitions_with_a_given_background_are_exact():
    acquisition = bound_of(cube(3), lambda X: X @ [1.0, 2.0, 4.0])
    background = hx.methods.global_background(acquisition.space, 30)
    found = explained(acquisition, {"t1": 0.1, "t2": 0.2, "t3": 0.9}, background=background)
    assert hx.methods.check_sample_size(found).enough


def random_case(rng):
    """A function of interactions, a configuration, a background, and the true contributions."""
    space = cube(3)
    linear, pairs = rng.normal(size=3), rng.normal(size=3)

    def mean(X):
        return X @ linear + (X * X[:, [1, 2, 0]]) @ pairs

    acquisition = bound_of(space, mean)
    x, background = (rng.random(3), space.sample(40, seed=int(rng.integers(1000))))
    config = dict(zip(space.names, x, strict=True))
    return (acquisition, config, background, brute_force(acquisition, x, background)[:, 0])


@pytest.mark.thorough
def test_enough_means_that_the_ranking_is_right():
    rng = np.random.default_rng(0)
    said = {25: [], 10_000: []}
    for case in range(150):
        acquisition, config, background, truth = random_case(rng)
        for orders, right in said.items():
            if orders > 1000 and case >= 30:
                continue
            found = sampled(acquisition, config, background=background, orders=orders, seed=case)
            if hx.methods.check_sample_size(found).enough:
                right.append(np.argsort(found.total).tolist() == np.argsort(truth).tolist())
    assert len(said[25]) >= 15
    assert np.mean(said[25]) >= 0.95
    assert len(said[10_000]) >= 24  # of 30: clearly large samples are enough
    assert all(said[10_000])


def test_sampled_coalitions_are_judged_by_hypercubes_that_sample_others():
    weights = np.r_[np.arange(1.0, 6.0), np.full(7, 0.01) * np.arange(1, 8)]
    acquisition = bound_of(cube(12), lambda X: X @ weights + 3.0 * X[:, 0] * X[:, 1])
    config = dict.fromkeys(acquisition.space.names, 0.1)
    found = hx.methods.ShapleyExplainer(acquisition, background=40).explain(config)
    assert found.estimator["sampled"]
    assert np.isfinite(found.difference_error).all()
    given = hx.methods.global_background(acquisition.space, 20)
    once = hx.methods.check_sample_size(
        hx.methods.ShapleyExplainer(acquisition, background=given).explain(config)
    )
    assert not once.enough
    assert all("their error is not known" in str(claim.because[0]) for claim in once.claims)


# ---------------------------------------------------------------------- reference sets by word


@pytest.mark.parametrize("word", ["local", "hybrid", "global"])
def test_a_reference_set_named_by_a_word_gives_intervals_and_efficiency(word):
    space = cube(3)
    acquisition = bound_of(space, lambda X: (X**2).sum(axis=1))
    config = {"t1": 0.3, "t2": 0.5, "t3": 0.7}
    found = hx.methods.ShapleyExplainer(acquisition, background=word).explain(config)
    assert found.standard_error is not None
    assert abs(found.efficiency_gap["total"]) < 1e-9
    # E[t²] over the whole range is 1/3; within 0.1 of t it is t² + 0.1²/3
    x = np.array([0.3, 0.5, 0.7])
    near, far = 0.01 / 3.0, 1.0 / 3.0 - x**2
    expected = {"local": near, "global": far, "hybrid": (near + far) / 2.0}[word]
    assert (np.abs(found.total - expected) <= 1.6 * found.half_width()[:, -1] + 1e-6).all()


def test_one_configuration_is_the_baseline_of_baseline_shapley():
    acquisition = bound_of(cube(3), lambda X: X[:, 0] + X[:, 1] * X[:, 2])
    found = explained(
        acquisition, {"t1": 0.0, "t2": 0.0, "t3": 0.0}, background={"t1": 1.0, "t2": 1.0, "t3": 1.0}
    )
    # u = -(t1 + t2 t3): t1 earns 1, the other two share 1
    np.testing.assert_allclose(found.total, [1.0, 0.5, 0.5], atol=1e-12)
    assert found.background_size == 1


# ---------------------------------------------------------------------- words and the figure


def test_sentences_and_bars_of_the_worst_differences():
    phi = [[3.0, 0.0], [2.0, 0.25]]
    assert hx.methods.check_sample_size(explanation(phi, error=0.01, orders=100)).sentence == (
        "The sample is large enough: all neighbours in the rankings can be distinguished (95 %)."
    )
    found = hx.methods.check_sample_size(explanation(phi, error=0.1, orders=100))
    assert found.sentence == (
        "The sample is too small to rank the hyperparameters by uncertainty; take more orders. "
        "Not certain: x1 and x0 cannot be distinguished."
    )
    figure = found.described()
    assert figure.labels == [("mean", "x0 − x1"), ("uncertainty", "x1 − x0"), ("total", "x0 − x1")]
    assert [bar.end for bar in figure.bars] == [1.0, 0.25, 0.75]
    np.testing.assert_allclose([bar.half for bar in figure.bars], found.to_frame()["half_width"])
    assert figure.subtitle == "100 orders; safe ranking by mean and total"
    unknown = explanation(phi, error=None, estimator=fact(kind="x", sampled=True))
    check = hx.methods.check_sample_size(unknown)
    assert "coalitions were sampled once, so their error is not known" in check.sentence
    assert all(np.isnan(bar.half) for bar in check.described().bars)
