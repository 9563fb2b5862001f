"""The H-statistic: known values, Eq. 44 and 45 written out, standard errors, and bad input."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, Matern

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from hpo_explain.methods.importance._interaction_bounds import _jointly
from hpo_explain.methods.importance.h_statistic_result import InteractionBounds
from tests.analytic import AnalyticSurrogate, nested_space, space_of, unit_cube


def test_additive_effects_do_not_interact():
    surrogate = AnalyticSurrogate(
        unit_cube(3), lambda X: 1e3 + np.sin(5 * X[:, 0]) + X[:, 1] ** 2 - X[:, 2]
    )
    found = hx.InteractionExplainer(surrogate).explain()
    np.testing.assert_array_equal(found.pairs[np.triu_indices(3, 1)], 0.0)
    np.testing.assert_array_equal(found.total, 0.0)
    assert [claim.kind for claim in found.claims] == ["no_interaction"]


def test_a_product_has_its_known_strength():
    """u = x1 + x2 x3: H_23² = (1/144) / (7/144), H_2² = (1/144) / (19/144)."""
    surrogate = AnalyticSurrogate(unit_cube(3), lambda X: X[:, 0] + X[:, 1] * X[:, 2])
    found = hx.InteractionExplainer(surrogate, sample=400).explain()
    assert found.strength("x2", "x3") == pytest.approx(np.sqrt(1 / 7), rel=0.05)
    assert found.strength("x1", "x2") == 0.0
    assert found.strength("x2") == pytest.approx(np.sqrt(1 / 19), rel=0.05)
    assert found.strength("x1") == 0.0
    assert found.absolute[1, 2] == pytest.approx(1 / 12, rel=0.05)
    error = abs(found.strength("x2", "x3") - np.sqrt(1 / 7))
    assert error < 4 * found.pairs_std[1, 2]
    (claim,) = found.claims
    assert (claim.kind, claim.hyperparameters) == ("interaction", ("x2", "x3"))
    assert claim.estimate == found.strength("x2", "x3")
    assert claim.interval is None
    assert not claim.certain
    assert "interaction_not_bounded" in [reason.kind for reason in claim.because]


def by_loops(f, X):
    """H of pairs and totals as Eq. 44 and 45 are written."""
    n, d = X.shape

    def dependence(members):
        F = np.empty(n)
        for i in range(n):
            rows = X.copy()
            rows[:, members] = X[i, members]
            F[i] = f(rows).mean()
        return F - F.mean()

    alone = [dependence([j]) for j in range(d)]
    pairs, total = np.full((d, d), np.nan), np.zeros(d)
    for j, k in combinations(range(d), 2):
        F = dependence([j, k])
        pairs[j, k] = pairs[k, j] = np.sqrt(((F - alone[j] - alone[k]) ** 2).sum() / (F**2).sum())
    F = f(X) - f(X).mean()
    for j in range(d):
        rest = dependence([k for k in range(d) if k != j])
        total[j] = np.sqrt(((F - alone[j] - rest) ** 2).sum() / (F**2).sum())
    return pairs, total


@pytest.mark.parametrize("kind", [hx.GaussianProcessSurrogate, hx.ForestSurrogate])
def test_the_shared_predictions_give_equations_44_and_45(kind):
    space = space_of(x=(0.0, 1.0), c=list("abc"), k=range(1, 5))
    X = space.sample(40, seed=1)
    surrogate = kind.fit(space, X, X[:, 0] * X[:, 1] + np.sin(4 * X[:, 2]) * X[:, 0])
    sample = space.sample(30, seed=7)
    found = hx.InteractionExplainer(surrogate, sample=sample).explain()
    pairs, total = by_loops(lambda rows: surrogate.predict(rows)[0], sample)
    np.testing.assert_allclose(found.pairs, pairs, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(found.total, total, rtol=1e-6, atol=1e-8)


def test_the_standard_error_is_how_much_h_varies_between_samples():
    surrogate = AnalyticSurrogate(unit_cube(2), lambda X: X[:, 0] * X[:, 1] + X[:, 0])
    drawn = []
    for seed in range(40):
        X = surrogate.space.sample(60, seed=seed, method="uniform")
        found = hx.InteractionExplainer(surrogate, sample=X).explain()
        drawn.append((found.pairs[0, 1], found.pairs_std[0, 1]))
    values, told = np.array(drawn).T
    assert told.mean() == pytest.approx(values.std(), rel=0.5)


def test_a_child_interacts_with_what_decides_whether_it_is_active():
    space = nested_space()
    X = space.sample(60, seed=1)
    y = np.nan_to_num(X[:, 1], nan=0.0) * 3.0 + X[:, 7]
    forest = hx.ForestSurrogate.fit(space, X, y)
    found = hx.InteractionExplainer(forest, sample=20).explain("momentum")
    assert np.nanargmax(found.absolute[1]) == 0  # the optimizer
    assert np.isfinite(found.total).all()
    json.dumps(found.to_dict(), allow_nan=False)
    kinds = [note.kind for note in found.notes]
    assert kinds == ["estimated_from_sample", "interacts_with_its_condition"]


def test_functions_drawn_interact_where_a_condition_makes_them():
    space = space_of(
        optimizer=["adam", "sgd"],
        momentum=(0.0, 1.0),
        lr=(0.0, 1.0),
        when={"momentum": {"optimizer": ["sgd"]}},
    )
    X = space.sample(60, seed=1)
    y = np.nan_to_num(X[:, 1], nan=0.5) * 3.0 + X[:, 2]
    process = hx.GaussianProcessSurrogate.fit(space, X, y)
    found = hx.InteractionExplainer(process, sample=20).explain("momentum")
    kinds = [note.kind for note in found.notes]
    assert kinds == ["estimated_from_sample", "interactions_drawn", "interacts_with_its_condition"]
    bounds = found.bounds
    assert np.isnan(bounds.H[0, 2])  # was not asked for
    # half of all configurations: V_momentum = 9/48, and so is what the optimizer decides
    assert bounds.lower[0, 1] < np.sqrt(0.5) < bounds.upper[0, 1]
    assert bounds.upper[1, 2] < 0.1
    json.dumps(found.to_dict(), allow_nan=False)


# ---------------------------------------------------------------------- the model's uncertainty


class Bilinear:
    """f = b1 x1 + b2 x2 + b3 x1 x2 with independent normal coefficients."""

    def __init__(self, mean, std):
        self.space, self.mean, self.std = unit_cube(2), np.array(mean), np.array(std)

    def features(self, X):
        return np.column_stack([X, X[:, 0] * X[:, 1]])

    def predict(self, X):
        Z = self.features(X)
        return Z @ self.mean, np.sqrt(Z**2 @ self.std**2)

    def posterior_covariance(self, X):
        return self.covariance_of_means([row[None] for row in X])

    def covariance_with(self, X, others):
        raise AssertionError("is not asked for")

    def covariance_of_means(self, groups):
        Z = np.array([self.features(rows).mean(axis=0) for rows in groups]) * self.std
        return Z @ Z.T

    def covariance_of_sums(self, X, weights):
        raise AssertionError("is not asked for")

    def std_of_mean(self, X, members, values):
        raise AssertionError("is not asked for")

    def strengths(self, coefficients):
        """H and the interaction's size in closed form, over the unit square."""
        b1, b2, b3 = coefficients.T
        own = b3**2 / 144.0
        alone = (b1 + b3 / 2.0) ** 2 / 12.0 + (b2 + b3 / 2.0) ** 2 / 12.0
        return np.sqrt(own / (alone + own)), np.sqrt(own)


def test_without_uncertainty_the_bounds_are_h():
    surrogate = Bilinear([1.0, -0.3, 1.0], [0.0, 0.0, 0.0])
    bounds = hx.InteractionExplainer(surrogate).explain().bounds
    H, size = surrogate.strengths(surrogate.mean[None])
    for found in (bounds.lower, bounds.H, bounds.upper):
        assert found[0, 1] == pytest.approx(H[0], rel=0.05)  # of a grid of values
    for found in (bounds.size_lower, bounds.size, bounds.size_upper):
        assert found[0, 1] == pytest.approx(size[0], rel=0.05)


def test_the_bounds_are_those_of_the_coefficients_posterior():
    surrogate = Bilinear([1.0, -0.3, 1.5], [0.05, 0.1, 0.15])
    bounds = hx.InteractionExplainer(surrogate).explain().bounds
    rng = np.random.default_rng(0)
    drawn = surrogate.mean + surrogate.std * rng.standard_normal((20_000, 3))
    for numbers, lower, upper in zip(
        surrogate.strengths(drawn),
        (bounds.lower, bounds.size_lower),
        (bounds.upper, bounds.size_upper),
        strict=True,
    ):
        low, middle, high = np.quantile(numbers, [0.005, 0.5, 0.995])
        assert lower[0, 1] == pytest.approx(low, abs=0.35 * (middle - low))  # of 200 draws
        assert upper[0, 1] == pytest.approx(high, abs=0.35 * (high - middle))


def test_an_interaction_that_may_be_nothing_has_no_lower_end():
    unknown = hx.InteractionExplainer(Bilinear([1.0, 1.0, 0.3], [0.1, 0.1, 1.0])).explain()
    assert (unknown.bounds.lower[0, 1], unknown.bounds.size_lower[0, 1]) == (0.0, 0.0)
    (claim,) = unknown.claims
    assert (claim.kind, claim.certain) == ("interaction", False)
    assert claim.because[0].kind == "interaction_may_be_nothing"
    assert "they may not interact at all" in unknown.sentence
    known = hx.InteractionExplainer(Bilinear([1.0, 1.0, 0.05], [0.1, 0.1, 0.05])).explain()
    assert [claim.kind for claim in known.claims] == ["no_interaction"]
    assert "each pair explains less than 1% of its variance" in known.sentence


def noisy_run(f, d=3, n=50, noise=0.1):
    space = unit_cube(d)
    X = space.sample(n, seed=3)
    y = f(X)
    y = y + noise * y.std() * np.random.default_rng(3).standard_normal(n)
    return hx.Run(space, X, y, "minimize")


@pytest.mark.parametrize(
    ("f", "kind", "names"),
    [
        (lambda X: np.sin(5 * X[:, 0]) + X[:, 1] ** 2, "no_interaction", ("x1", "x2", "x3")),
        (lambda X: (X[:, 0] - 0.5) * (X[:, 2] - 0.5), "interaction", ("x1", "x3")),
    ],
)
def test_what_a_run_shows_is_certain_by_a_process_and_not_by_a_forest(f, kind, names):
    run = noisy_run(f)
    (claim,) = hx.h_statistic(run, kind="gp", sample=30).claims
    assert (claim.kind, claim.hyperparameters, claim.certain) == (kind, names, True)
    (claim,) = hx.h_statistic(run, kind="forest", sample=30).claims
    assert not claim.certain
    assert claim.because[0].kind == "interaction_not_bounded"


# ---------------------------------------------------------------------- pairs of the same functions


def of_a_user(f, d=3, n=15):
    space = unit_cube(d)
    X = space.sample(n, seed=0)
    gp = GaussianProcessRegressor(RBF([0.5] + [50.0] * (d - 1)), alpha=0.05, optimizer=None)
    return hx.GaussianProcessSurrogate(space, gp.fit(X, f(X))), space.sample(60, seed=1)


def test_several_pairs_of_a_users_process_are_of_the_same_functions():
    """Where only x1 matters, x1 with x2 and x1 with x3 vary as x1 does, function by function."""
    surrogate, rows = of_a_user(lambda X: X[:, 0])
    first, second = _jointly(surrogate, surrogate, rows, [(0, 1), (0, 2)], 200, 0)
    assert np.corrcoef(first.alone, second.alone)[0, 1] > 0.99
    assert first.alone.std() > 0.05 * first.alone.mean()


def test_the_draws_of_a_pair_are_those_of_it_alone_whatever_the_others():
    surrogate, rows = of_a_user(lambda X: X[:, 0] * X[:, 1])
    (alone,) = _jointly(surrogate, surrogate, rows, [(0, 1)], 2000, 0)
    among, _ = _jointly(surrogate, surrogate, rows, [(0, 1), (0, 2)], 2000, 0)
    for name in ("own", "alone"):
        a, b = (getattr(drawn, name) for drawn in (alone, among))
        np.testing.assert_allclose(b.mean(), a.mean(), rtol=0.1)
        np.testing.assert_allclose(b.std(), a.std(), rtol=0.2)


def test_a_users_process_says_which_pair_acts_more_strongly():
    space = unit_cube(3)
    X = space.sample(30, seed=0)
    gp = GaussianProcessRegressor(Matern([1.0] * 3, nu=2.5), alpha=1e-3)
    surrogate = hx.GaussianProcessSurrogate(space, gp.fit(X, X[:, 0] * X[:, 1] + X[:, 2]))
    found = hx.InteractionExplainer(surrogate, sample=30).explain()
    assert found.probability("x1 × x2", "x1 × x3") > 0.9
    assert len(found.posterior) == 200


# ---------------------------------------------------------------------- figures


def strengths(focus=None, d=3):
    """H of the pair (j, k) is (j + 2 k) / 100, the same in absolute terms."""
    j, k = np.indices((d, d))
    pairs = (np.minimum(j, k) + 2.0 * np.maximum(j, k)) / 100.0
    np.fill_diagonal(pairs, np.nan)
    names = tuple(f"x{j}" for j in range(d))
    if focus is not None:
        away = np.array(names) != focus
        pairs[np.ix_(away, away)] = np.nan
    std = 0.0 * pairs + 0.01
    total = np.arange(d) / 50.0
    return hx.InteractionStrength(
        subject=Subject(hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in names])),
        pairs=pairs,
        pairs_std=std,
        absolute=pairs,
        total=total,
        total_std=0.0 * total + 0.005,
        focus=focus,
        sample_size=100,
    )


def drawn(focus=None):
    """As `strengths`, but functions drawn have the largest H where the interaction is smallest."""
    of_mean = strengths(focus=focus)
    H = 0.5 - of_mean.pairs
    sizes = of_mean.absolute
    bounds = InteractionBounds(H, H - 0.1, H + 0.2, *(3 * [sizes]), *(3 * [sizes]))
    return replace(of_mean, bounds=bounds)


def test_every_pair_stands_once_below_the_diagonal():
    found = strengths()
    cells = found.described()
    assert (cells.y.names, cells.x.names) == (["x1", "x0"], ["x2", "x1"])
    np.testing.assert_allclose(cells.values.T, [[0.05, np.nan], [0.04, 0.02]])
    assert cells.texts == [["0.05 ± 0.01", "0.04 ± 0.01"], ["", "0.02 ± 0.01"]]
    assert (found.plot().get_title(loc="left"), cells.ends()) == (cells.heading, (0.0, 0.1))


def test_one_hyperparameters_pairs_and_totals_are_bars():
    rows = strengths(focus="x0").described()
    assert (rows.labels, [bar.end for bar in rows.bars]) == ([("x2",), ("x1",)], [0.04, 0.02])
    assert rows.label == "H with x0"
    totals = strengths().described("totals")
    assert totals.labels == [("x2",), ("x1",), ("x0",)]
    assert [bar.end for bar in totals.bars] == [0.04, 0.02, 0.0]


def test_functions_drawn_are_shown_in_the_order_of_the_sentence():
    found = drawn("x0")
    rows = found.described()
    assert rows.labels == [("x2",), ("x1",)]
    assert [bar.end for bar in rows.bars] == [0.46, 0.48]
    assert [bar.half for bar in rows.bars] == [pytest.approx((0.1, 0.2))] * 2
    assert "x0 and x2" in found.sentence.partition(":")[0]
    assert "H is larger for x0 and x1 (0.48)" in found.sentence
    assert drawn().described().texts[0][0].endswith(" ± 0.15")
    unsure = replace(found.bounds, size_upper=found.bounds.size_upper + 1.0)
    told = replace(found, bounds=unsure).sentence
    assert "x0 and x2 seem to interact most" in told
    assert "H is between 0.36 and 0.66." in told
