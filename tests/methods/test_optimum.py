"""Where the best is, and whether there is more to get: from functions, and from trials."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base import NothingToExplain
from tests.analytic import AnalyticSurrogate, Known, space_of, unit_cube
from tests.claims.problems import narrow_optimum, partly_tried, pure_noise
from tests.claims.runs import Setting, make_run

few_draws = pytest.mark.usefixtures("few_draws_here")


def known(functions, X=None, parts=1, **values):
    """A run of three trials of a space, of which these are the functions that they allow."""
    space = space_of(**values)
    X = space.sample(3, seed=0) if X is None else X
    run = hx.Run(space, X, functions[0](X), "minimize")
    return run.explained_by(Known(space, functions, parts))


def bowl(X):
    return (X[:, 0] - 0.3) ** 2


def of_bowl(n=60, d=2, **options):
    X = unit_cube(d).sample(n, seed=2)
    return hx.Run(unit_cube(d), X, bowl(X), "minimize", **options)


# ---------------------------------------------------------------------- from functions


def best_at(value):
    return lambda X: np.abs(9.0 * X[:, 0] - value)


def test_a_region_is_the_shortest_range_with_the_best_of_nine_in_ten_functions():
    functions = 12 * [best_at(2.0)] + 7 * [best_at(4.0)] + [best_at(9.0)]
    run = known(functions, a=range(10))
    found = hx.optimum(run)
    (region,) = found.regions
    assert region.values == (2, 4)
    assert (found.space["a"].low, found.space["a"].high) == (2, 4)
    assert region.share == pytest.approx(0.3)
    assert region.held.probability == pytest.approx(0.95)
    np.testing.assert_allclose(region.density, [0, 0, 6, 0, 3.5, 0, 0, 0, 0, 0.5])


def test_the_best_of_what_was_tried_lies_in_its_region():
    """Where the best of the functions is far from all trials."""
    X = space_of(a=range(10)).encode([{"a": 8}, {"a": 9}])
    found = hx.optimum(known(20 * [best_at(2.0)], a=range(10), X=X))
    (region,) = found.regions
    assert region.values[0] <= found.config["a"] <= region.values[-1]


def test_a_region_of_categories_is_the_smallest_set():
    functions = [*(6 * [lambda X: X[:, 0] != 0.0]), *(4 * [lambda X: X[:, 0] != 3.0])]
    run = known([lambda X, f=f: f(X).astype(float) for f in functions], a=list("pqrs"))
    (region,) = hx.optimum(run).regions
    assert region.values == ("p", "s")
    assert (region.share, region.held.probability) == (0.5, 1.0)


def test_regret_and_whether_a_better_one_exists_are_those_of_the_functions():
    """The trial to keep, 4, lacks 2, 2, 0, 1 and 5, of which 2 is the median: P is 2 / (2 + ε)."""
    space = space_of(a=range(10))
    X = space.encode([{"a": 2}, {"a": 4}, {"a": 9}])
    functions = [best_at(2.0), best_at(2.0), best_at(4.0), best_at(5.0), best_at(9.0)]
    run = hx.Run(space, X, np.array([3.1, 2.0, 5.7]), "minimize")
    run = run.explained_by(Known(space, functions))
    found = hx.optimum(run, epsilon=0.5)
    assert (found.incumbent, found.keep) == ({"a": 4}, 1)
    assert found.regret == pytest.approx(2.0)
    assert found.p_better == pytest.approx(0.8)
    assert hx.optimum(run, epsilon=100.0).p_better == pytest.approx(2 / 102)
    assert found.epsilon == 0.5


def test_the_configuration_has_the_lowest_mean_of_what_was_tried_and_its_neighbours():
    """Far away a mean is lower, but nobody tried that."""

    def mean(X):
        return np.where(X[:, 0] > 0.9, -1.0, np.abs(X[:, 0] - 0.45))

    space = unit_cube(1)
    X = np.array([[0.1], [0.2], [0.42]])
    run = hx.Run(space, X, mean(X), "minimize").explained_by(Known(space, [mean]))
    found = hx.optimum(run)
    assert found.config["x1"] == pytest.approx(0.47)
    assert found.estimate == pytest.approx(0.02)


def gained_after(costs, more, left=1000.0):
    """Return what is said to be gained, where so much is left."""
    space = space_of(a=["tried", "better"])
    X = space.encode([{"a": "tried"}] * len(costs))
    run = hx.Run(space, X, np.asarray(costs), "minimize")
    known = Known(space, [lambda X: -left * X[:, 0]])
    return hx.optimum(run.explained_by(known), more=more)


@pytest.mark.thorough
def test_what_trials_bring_is_what_records_of_an_exponential_tail_bring():
    """The best of n costs log(u) is expected at -(1 + 1/2 + ... + 1/n) [1]_.

    References
    ----------
    .. [1] Renyi, A. (1953). On the theory of order statistics.
    """
    rng, n, more = np.random.default_rng(3), 40, 20
    samples = np.log(rng.random((200, n)))
    said = [gained_after(costs, more).expected_gain for costs in samples]
    true = (1.0 / np.arange(n + 1, n + more + 1)).sum()
    assert np.mean(said) == pytest.approx(true, rel=0.1)  # three of its standard errors


def test_trials_bring_their_share_of_what_is_left_at_most():
    """The best of 60 is among the last 20 in one of three cases."""
    found = gained_after(np.arange(40.0), 20, left=0.3)
    assert found.expected_gain == pytest.approx(0.1)
    assert found.expected_gain_interval == pytest.approx((0.0, 1.0))


def test_where_the_best_trials_are_equal_more_bring_nothing():
    found = gained_after([2.0] * 6 + [3.0] * 6, 20)
    assert found.expected_gain == 0.0
    assert found.is_enough


@pytest.mark.alike
@pytest.mark.parametrize("seed", [0, 1])
def test_without_any_structure_what_is_left_is_as_much_as_values_scatter(seed):
    """Every cell of a grid has a value of its own: the draws are flat, their minima tell nothing.

    The least of these values is known, and what is left is within a factor of ten of it.
    """
    rng = np.random.default_rng(seed)
    cells = rng.random((50, 50))
    space = unit_cube(2)
    X = space.sample(40, seed=seed)
    at = tuple(np.minimum((50 * X).astype(int), 49).T)
    found = hx.optimum(hx.Run(space, X, cells[at], "minimize"))
    low, high = found.better.interval
    assert found.keep == found.incumbent_trial
    assert low <= cells[at].min() - cells.min() <= high


@few_draws
def test_what_is_infeasible_is_not_the_best():
    space = unit_cube(1)
    X = space.sample(60, seed=1)
    run = hx.Run(space, X, X[:, 0], "minimize", feasible=X[:, 0] > 0.5)
    found = hx.optimum(run)
    assert found.space["x1"].low > 0.3
    assert found.config["x1"] > 0.4
    assert found.regret < 0.3


# ---------------------------------------------------------------------- from trials


def test_of_a_bowl_the_region_is_small_and_holds_the_optimum():
    found = hx.optimum(of_bowl())
    x1 = found.space["x1"]
    assert x1.low <= 0.3 <= x1.high
    assert x1.high - x1.low <= 0.25
    assert found.regions[1].share > 0.5
    assert found.config["x1"] == pytest.approx(0.3, abs=0.05)
    assert found.interval[0] <= bowl(np.array([[found.config["x1"]]]))[0] <= found.interval[1]
    assert [r.hyperparameter for r in found.narrowest] == ["x1", "x2"]
    assert not found.better.certain


@pytest.mark.thorough
@few_draws
def test_maximizing_the_negated_objective_is_the_same_optimum():
    first, run = hx.optimum(of_bowl()), of_bowl()
    second = hx.optimum(hx.Run(run.space, run.X, -run.objective, "maximize"))
    assert second.config == first.config
    assert second.space == first.space
    assert second.estimate == pytest.approx(-first.estimate)
    assert second.interval == pytest.approx((-first.interval[1], -first.interval[0]))
    for name in ("epsilon", "regret", "p_better", "expected_gain", "expected_gain_interval"):
        assert getattr(second, name) == pytest.approx(getattr(first, name))


@few_draws
def test_no_promise_leaves_the_bounds():
    space = unit_cube(2)
    X = space.sample(60, seed=0)
    noise = 0.05 * np.random.default_rng(0).normal(size=60)
    accuracy = np.clip(1.0 - (X[:, 0] - 0.3) ** 2 + noise, 0.0, 1.0)
    found = hx.optimum(hx.Run(space, X, accuracy, "maximize", bounds=(0.0, 1.0)))
    assert found.interval[1] <= 1.0
    assert found.estimate <= 1.0
    # what the incumbent may lack is not more than what there is
    assert found.estimate + found.regret <= 1.2


def test_a_better_one_is_certain_where_a_slope_leads_out_of_what_was_tried():
    space = unit_cube(1)
    X = 0.6 * space.sample(40, seed=0)
    run = hx.Run(space, X, -X[:, 0], "minimize")
    found = hx.optimum(run)
    assert found.p_better >= 0.95
    assert found.better.certain
    assert found.config["x1"] <= 0.66  # never where nobody was


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_of_noise_alone_nothing_is_certain(seed):
    found = hx.optimum(make_run(Setting(pure_noise(), "random", 50, seed)))
    assert [c for c in found.claims if c.certain] == []


@pytest.mark.thorough
@pytest.mark.parametrize("sampler", [pytest.param("random", marks=pytest.mark.thorough), "tpe"])
def test_regions_hold_an_optimum_far_from_what_was_tried(sampler):
    """Of the first hyperparameter a tenth was tried, far from its best value."""
    problem = partly_tried()
    found = hx.optimum(make_run(Setting(problem, sampler, 50, 0)))
    for region, best in zip(found.regions, (0.8, 0.5, 0.0), strict=True):
        assert region.values[0] <= best + 0.02 <= region.values[1] + 0.04
    assert found.config["x0"] <= 0.15
    assert not found.better.certain


@pytest.mark.thorough
def test_that_nothing_better_exists_is_not_certain_where_a_well_was_not_seen():
    found = hx.optimum(make_run(Setting(narrow_optimum(), "tpe", 50, 0)))
    assert [c.kind for c in found.claims if c.certain and c.kind == "difference"] == []
    assert [c.side for c in found.claims if c.side == "below"] == []


def branches():
    return hx.SearchSpace(
        [
            hx.CategoricalParameter("booster", ["tree", "linear"]),
            hx.FloatParameter("depth", 0.0, 1.0, active_when={"booster": ["tree"]}),
            hx.FloatParameter("alpha", 0.0, 1.0, active_when={"booster": ["linear"]}),
        ]
    )


def of_branches():
    X = branches().sample(80, seed=3)
    values = np.where(
        X[:, 0] == 0, 1.0 + np.nan_to_num(X[:, 1]), (np.nan_to_num(X[:, 2]) - 0.7) ** 2
    )
    return hx.Run(branches(), X, values, "minimize")


@few_draws
def test_of_a_branch_that_is_never_best_it_is_told_that_its_hyperparameter_is_inactive():
    found = hx.optimum(of_branches())
    booster, depth, alpha = found.regions
    assert booster.values == ("linear",)
    assert (depth.inactive, alpha.inactive) == (1.0, 0.0)
    assert depth.values[1] < 0.5  # the best where it is active
    assert set(found.config) == {"booster", "alpha"}
    assert found.space.names == ("booster", "alpha")
    assert alpha.values[0] <= 0.7 <= alpha.values[1]
    assert "depth" not in found.sentence


# ---------------------------------------------------------------------- words, figure, bad input


@few_draws
def test_the_sentence_names_the_number_of_each_claim():
    found = hx.optimum(of_bowl())
    config, gain, better, *regions = found.claims
    assert (config.kind, better.kind, gain.kind) == ("best", "difference", "difference")
    assert config.values == tuple(found.config.values())
    assert config.estimate == found.estimate
    assert better.probability == found.p_better
    assert better.estimate == found.regret
    assert gain.estimate == found.expected_gain
    assert [c.hyperparameters for c in regions] == [
        (r.hyperparameter,) for r in found.narrowest if r.share < 1.0
    ]
    assert better.text == ""
    assert gain.interval == found.expected_gain_interval
    assert found.sentence.startswith("Best near the trials: objective ")
    assert found.more_trials in found.sentence
    assert f"({found.counts.in_words})" in found.sentence


@few_draws
def test_what_further_trials_gain_is_not_more_than_is_left():
    """More trials gain no less."""
    run = of_bowl(20)
    gains = [hx.optimum(run, more=n) for n in (10, 20, 80)]
    for found in gains:
        low, high = found.expected_gain_interval
        assert low == 0.0  # a search may gain nothing
        assert found.expected_gain <= min(high, found.regret)
        assert high <= found.better.interval[1]
    expected = [found.expected_gain for found in gains]
    assert expected == sorted(expected)


@few_draws
def test_where_nothing_that_counts_may_be_gained_more_trials_hardly_help():
    found = hx.optimum(of_bowl(200))
    assert found.expected_gain_interval[1] < found.counts.between
    assert "More trials of this search will hardly help." in found.sentence


def test_no_more_is_gained_than_the_bounds_leave_above_the_best():
    space = unit_cube(1)
    X = space.sample(12, seed=0)
    accuracy = np.round(0.99 - 0.3 * np.abs(X[:, 0] - 0.5), 3)
    run = hx.Run(space, X, accuracy, "maximize", bounds=(0.0, 1.0))
    found = hx.optimum(run)
    left = 1.0 - accuracy.max()
    assert found.expected_gain_interval[1] <= left + 1e-12


@few_draws
def test_the_figure_has_the_most_narrowed_first_and_marks_their_regions():
    space = hx.SearchSpace(
        [*unit_cube(14), hx.CategoricalParameter("kind", ["a long name of a category", "b"])]
    )
    X = space.sample(60, seed=1)
    found = hx.optimum(hx.Run(space, X, bowl(X) + 0.3 * X[:, 14], "minimize"))
    drawn = found.described()
    assert len(drawn.panels) == 12
    assert drawn.footer.endswith("Not shown: 3 less narrowed hyperparameters.")
    shares = [region.share for region in found.narrowest]
    assert shares == sorted(shares)
    for region, panel in zip(found.narrowest, drawn.panels, strict=False):
        assert panel.heading.startswith(region.hyperparameter)
        if isinstance(region.levels[0], tuple):
            assert panel.marked == [region.values]
            (line,) = panel.lines
            widths = np.diff(line.x)
            assert (widths[::2] > 0.0).all()  # steps
            assert np.sum(widths[::2] * line.y[::2]) == pytest.approx(1.0, abs=0.05)  # a density
    assert len(np.ravel(found.plot())) == 12
    plt.close("all")


@few_draws
def test_no_trials_and_models_without_a_posterior_are_refused():
    run = of_bowl()
    with pytest.raises(hx.base.InputError, match="more must be at least 1"):
        hx.optimum(run, more=0)
    own = AnalyticSurrogate(run.space, bowl)
    with pytest.raises(hx.base.NothingToExplain, match="no joint posterior"):
        hx.optimum(run, surrogate=own)
    none = hx.Run(run.space, run.X, run.objective, "minimize", feasible=np.zeros(60, bool))
    with pytest.raises(hx.base.NothingToExplain, match="feasible"):
        hx.optimum(none)


def test_of_a_constant_objective_nothing_is_told():
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    run = hx.Run(space, space.sample(20, seed=0), np.ones(20), "minimize")
    with pytest.raises(NothingToExplain, match="constant"):
        hx.optimum(run)


@few_draws
def test_conditional_integers_warn_of_nothing():
    """Units of a layer exist from some number of layers on; warnings are errors here."""
    space = hx.SearchSpace(
        [
            hx.IntParameter("layers", 1, 3),
            *(
                hx.IntParameter(
                    f"units_{i}", 4, 64, log=i == 0, active_when={"layers": [*range(i + 1, 4)]}
                )
                for i in range(3)
            ),
        ]
    )
    X = space.sample(30, seed=0)
    loss = np.nansum(X[:, 1:], axis=1) + 0.1 * X[:, 0]
    found = hx.optimum(hx.Run(space, X, loss, "minimize"))
    assert found.config["layers"] == 1
