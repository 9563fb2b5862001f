"""The fewest changes: sums by hand, all mixtures, conditions, noise, goals, and bad input."""

from itertools import combinations, permutations

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.methods.around.changes import AblationExplainer
from tests.analytic import AnalyticSurrogate, Known, space_of, unit_cube
from tests.claims.problems import conditional, pure_noise
from tests.claims.runs import Setting, make_run
from tests.noted import noted, the_note

few_draws = pytest.mark.usefixtures("few_draws_here")

ONES, ZEROS = ({f"x{j}": value for j in range(1, 5)} for value in (1.0, 0.0))
SLOPES = np.array([4.0, 2.0, 0.01, 0.0])


def scattered(slopes, by, n=200, seed=0):
    """Draws of the sum of x times slopes, each with slopes of its own."""
    rng = np.random.default_rng(seed)
    each = slopes + by * rng.standard_normal((n, len(slopes)))
    return Known(unit_cube(len(slopes)), [lambda X, a=a: X @ a for a in each]), each


def changes(draws, start=ONES, end=ZEROS, **options):
    return AblationExplainer(draws).explain(start, end, **options)


def test_of_a_sum_each_change_contributes_its_difference_and_what_hardly_counts_is_put_back():
    draws, each = scattered(SLOPES, 0.001)
    found = changes(draws)
    frame = found.to_frame().loc[["x1", "x2", "x3", "x4"]]
    np.testing.assert_allclose(frame["contribution"], each.mean(axis=0), atol=1e-9)
    assert frame["needed"].tolist() == [True, True, False, False]
    assert (found.changed, found.put_back) == ({"x1": 0.0, "x2": 0.0}, {"x3": 1.0, "x4": 1.0})
    assert found.config == {"x1": 0.0, "x2": 0.0, "x3": 1.0, "x4": 1.0}
    assert found.gain == pytest.approx(each[:, :2].sum(axis=1).mean())
    low, high = found.interval
    assert low < found.gain < high
    inside = (frame["lower"] <= each.mean(axis=0)) & (each.mean(axis=0) <= frame["upper"])
    assert inside.all()


@pytest.mark.parametrize(
    ("noise", "back", "words"),
    [
        (0.0, [], "Fewer changes are not known to keep the gain."),
        (0.5, ["x3"], "2 of 3 changes keep all but 0.5 of that (the noise of one evaluation)"),
        (9.0, ["x2", "x3"], "1 of 3 changes keeps all but 3.2 of that (half of it)"),
    ],
)
def test_a_loss_within_noise_counts_as_kept_up_to_half_of_the_gain(noise, back, words):
    draws, _ = scattered(np.array([4.0, 2.0, 0.4]), 0.001)
    draws.noise_std = noise
    found = changes(draws, *({"x1": v, "x2": v, "x3": v} for v in (1.0, 0.0)))
    assert [*found.put_back] == back
    assert words in found.sentence


def test_the_smallest_set_is_that_of_all_mixtures():
    rng = np.random.default_rng(3)
    pairs = rng.normal(0.0, 1.0, (150, 4, 4)) * 0.2 + rng.normal(1.0, 1.0, (4, 4))
    draws = Known(unit_cube(4), [lambda X, a=a: np.einsum("ni,ij,nj->n", X, a, X) for a in pairs])
    whole = pairs.sum(axis=(1, 2))

    def kept(taken):
        left = [j for j in range(4) if j not in taken]
        gain = whole - pairs[:, left][:, :, left].sum(axis=(1, 2))
        return ((gain >= 0.95 * whole) & (whole > 0.0)).mean()

    assert (whole > 0.0).mean() >= 0.9
    sets = [set(some) for n in range(1, 5) for some in combinations(range(4), n)]
    good = [some for some in sets if kept(some) >= 0.85 or len(some) == 4]
    found = changes(draws)
    names = {f"x{j + 1}" for j in max(good, key=lambda some: (-len(some), kept(some)))}
    assert {*found.changed} == names
    fair = []
    for order in permutations(range(4)):  # the contributions are means over all orders
        left, gains = {0, 1, 2, 3}, np.zeros(4)
        for j in order:
            before = pairs.mean(axis=0)[np.ix_([*left], [*left])].sum()
            left -= {j}
            gains[j] = before - pairs.mean(axis=0)[np.ix_([*left], [*left])].sum()
        fair.append(gains)
    frame = found.to_frame().loc[["x1", "x2", "x3", "x4"]]
    np.testing.assert_allclose(frame["contribution"], np.mean(fair, axis=0), atol=1e-9)


def test_of_many_changes_orders_give_the_same_sums():
    slopes = np.r_[5.0, 3.0, np.full(12, 1e-4)]
    draws, each = scattered(slopes, 1e-5)
    ends = ({f"x{j}": value for j in range(1, 15)} for value in (1.0, 0.0))
    found = changes(draws, *ends)
    assert {*found.changed} == {"x1", "x2"}
    expected = dict(zip(draws.space.names, each.mean(axis=0), strict=True))
    for name, value in found.to_frame()["contribution"].items():
        assert value == pytest.approx(expected[name], abs=1e-9)


@few_draws
def test_a_larger_objective_is_a_gain_where_it_is_maximized():
    down = run()
    up = hx.Run(down.space, down.X, -down.objective, "maximize")
    first, second = hx.changes(down), hx.changes(up)
    assert first.changed == second.changed
    assert first.gain == pytest.approx(second.gain)
    assert first.gain > 0.0


def test_where_the_gain_is_open_nothing_is_certain_and_nothing_is_put_back():
    found = changes(scattered(np.full(4, 0.1), 3.0)[0])
    assert found.put_back == {}
    assert not any(claim.certain for claim in found.claims)


@pytest.mark.thorough
def test_pure_noise_says_nothing_certain():
    for seed in range(2):
        found = hx.changes(make_run(Setting(pure_noise(), "random", 50, seed)))
        assert not any(claim.certain for claim in found.claims)


def test_a_model_without_draws_says_nothing_certain():
    found = changes(AnalyticSurrogate(unit_cube(4), lambda X: X @ SLOPES))
    assert [*found.changed] == ["x1", "x2"]
    assert not any(claim.certain for claim in found.claims)
    assert np.isnan(found.interval).all()


# ---------------------------------------------------------------------- conditions


def branches():
    space = space_of(
        booster=["tree", "dart"],
        drop=(0.0, 1.0),
        depth=(0.0, 1.0),
        lr=(0.0, 1.0),
        when={"drop": {"booster": ["dart"]}, "depth": {"booster": ["tree"]}},
    )

    def cost(X):
        return np.where(X[:, 0] == 1, np.nan_to_num(X[:, 1]), 2.0) + 0.001 * X[:, 3]

    return Known(space, [cost] * 20)


def test_a_parent_switches_its_children_on_and_they_follow_it():
    found = changes(
        branches(),
        {"booster": "tree", "depth": 0.5, "lr": 1.0},
        {"booster": "dart", "drop": 0.25, "lr": 0.0},
    )
    assert found.changed == {"booster": "dart", "drop": 0.25}
    assert found.config == {"booster": "dart", "drop": 0.25, "lr": 1.0}
    frame = found.to_frame()
    assert frame["contribution"].isna().to_dict() == {
        "booster": False,
        "lr": False,
        "drop": True,
        "depth": True,
    }
    assert frame["needed"].to_dict() == {"booster": True, "drop": True, "depth": True, "lr": False}
    assert frame.loc["booster", "contribution"] == pytest.approx(1.75)
    assert found.few == 1


@few_draws
def test_a_run_with_branches_names_the_family_that_is_better():
    found = hx.changes(
        make_run(Setting(conditional(), "tpe", 60, 0)), {"family": "c", "of_c": 0.5, "shared": 0.5}
    )
    assert found.changed["family"] == "b"
    assert "of_b" in found.changed
    assert "of_c" not in found.config


# ---------------------------------------------------------------------- a goal


def test_a_goal_takes_the_fewest_changes_to_values_that_were_tried():
    draws, _ = scattered(SLOPES, 0.001)
    tried = draws.space.encode(
        [
            {"x1": 0.5, "x2": 0.0, "x3": 0.0, "x4": 0.0},
            {"x1": 0.25, "x2": 0.5, "x3": 1.0, "x4": 1.0},
        ]
    )
    reach = AblationExplainer(draws).reach
    one = reach(ONES, 3.5, tried)
    assert one.changed == {"x1": 0.25}
    assert (one.gain, one.probability_kept) == (pytest.approx(3.0, abs=0.01), 1.0)
    assert one.claims[0].certain
    both = reach(ONES, 1.5, tried)
    assert both.changed == {"x1": 0.25, "x2": 0.0}
    never = reach(ONES, 0.5, tried)
    assert not never.claims[0].certain
    assert "The default is not known to reach 0.5" in never.sentence
    with pytest.raises(hx.base.NothingToExplain, match="reaches 7 already"):
        reach(ONES, 7.0, tried)


# ---------------------------------------------------------------------- what users call


def run(n=60):
    space = unit_cube(3)
    X = space.sample(n, seed=1)
    return hx.Run(space, X, 3.0 * X[:, 0] + 0.3 * (X[:, 1] - 0.5) ** 2, "minimize")


@few_draws
def test_the_default_is_the_one_given_a_trial_or_the_middle_and_it_is_said():
    study = run()
    assert hx.changes(study, {"x1": 1, "x2": 0.5, "x3": 0}).start.name == "the default"
    worst = int(np.argmax(study.objective))
    assert hx.changes(study, worst).start.config == study.config(worst)
    middle = hx.changes(study)
    assert middle.start.config == {"x1": 0.5, "x2": 0.5, "x3": 0.5}
    assert "the middle of the space" in middle.sentence
    assert noted(middle.notes, "default: the middle of the search space, as none was given")
    assert "x3" in middle.put_back
    assert middle.best.trial == np.argmin(study.belief().predict(study.X)[0])


@few_draws
def test_an_estimator_s_own_parameters_are_the_default():
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV

    X = np.random.default_rng(0).random((40, 3))
    grid = {"alpha": [0.01, 0.1, 1.0, 10.0, 100.0], "fit_intercept": [True, False]}
    search = GridSearchCV(Ridge(), grid, cv=3).fit(X, 5.0 + X @ [1.0, 2.0, 3.0])
    found = hx.changes(search)
    assert found.start.config == {"alpha": 1.0, "fit_intercept": True}
    assert "the framework's default" in found.sentence
    # its own is "auto"
    others = {"solver": ["svd", "lsqr"], "fit_intercept": [True, False]}
    search = GridSearchCV(Ridge(), others, cv=3).fit(X, 5.0 + X[:, 0])
    assert hx.changes(search).start.role == "middle"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"default": {"x1": 1, "x2": 0.5, "x9": 0}}, "x9"),
        ({"default": {"x1": 7, "x2": 0.5, "x3": 0}}, "x1"),
        ({"default": 999}, "999"),
        ({"keep": 0.0}, "keep must lie above 0"),
        ({"keep": "most"}, "keep must be a number"),
        ({"reach": "low"}, "reach must be a number"),
    ],
)
@few_draws
def test_wrong_input_is_named(options, message):
    with pytest.raises(hx.base.InputError, match=message):
        hx.changes(run(), **options)


@few_draws
def test_the_best_configuration_has_nothing_to_change():
    study = run()
    best = hx.changes(study).best
    with pytest.raises(hx.base.NothingToExplain, match="is the best configuration"):
        hx.changes(study, best.trial)


def test_the_figure_has_a_bar_for_each_change_and_pale_ones_are_put_back():
    found = changes(scattered(SLOPES, 0.001)[0])
    figure = found.described()
    assert [label[0] for label in figure.labels] == [*found.names]
    assert [bar.end for bar in figure.bars] == pytest.approx(found.contributions.tolist())
    assert [bar.kind == 0 for bar in figure.bars] == found.needed.tolist()
    assert "2 changes of 4" in figure.subtitle


@pytest.mark.parametrize(("value", "end"), [(0, 1e-8), (0.0, 1e-8), (-1.0, 1e-8), (100, 10.0)])
@few_draws
def test_a_default_outside_a_logarithmic_range_counts_as_its_end(value, end):
    space = hx.SearchSpace(
        [hx.FloatParameter("reg_alpha", 1e-8, 10.0, log=True), hx.FloatParameter("x", 0.0, 1.0)]
    )
    X = space.sample(40, seed=0)
    run = hx.Run(space, X, (X[:, 0] - 0.6) ** 2 + X[:, 1], "minimize")
    found = hx.changes(run, {"reg_alpha": value, "x": 0.9})
    same = hx.changes(run, {"reg_alpha": end, "x": 0.9})
    assert found.changed == same.changed
    assert found.gain == same.gain
    note = the_note(found.notes, "outside its logarithmic range")
    assert note.names == ("reg_alpha",)
    assert str(note).endswith(f"its end, {end:g}, counts")
    assert not noted(same.notes, "outside its logarithmic range")
    with pytest.raises(ValueError, match="outside its range"):
        hx.changes(run, {"reg_alpha": 1.0, "x": 7.0})


def test_what_a_change_certainly_brings_is_the_end_of_its_interval():
    # 97.5 % of the draws gain; an interval that is stretched would hold 0
    gains = np.linspace(-1.0, 39.0, 401)
    draws = Known(unit_cube(1), [lambda X, a=a: a * X[:, 0] for a in gains])
    found = changes(draws, {"x1": 1.0}, {"x1": 0.0})
    total, main = found.claims
    assert total.certain
    assert main.certain
    assert "brings at least 1" in main.text
    assert total.interval[0] == main.interval[0] == pytest.approx(1.0)
    assert found.to_frame()["lower"].tolist() == [main.interval[0]]
    assert found.interval == total.interval


@few_draws
def test_the_end_is_the_trial_to_keep(answers_stay):
    setting = Setting(pure_noise(), "random", 40, 0, 1.0)
    run = make_run(setting)
    keep = hx.optimum(run).keep
    for found in (
        hx.changes(run).best.trial,
        hx.explain_prediction(run, background=20).trial,
        hx.methods.local_importance(run).trial,
    ):
        assert found == keep


@few_draws
def test_any_two_configurations_are_compared_and_the_way_back_is_the_opposite():
    space = unit_cube(3)
    X = space.sample(60, seed=2)
    run = hx.Run(space, X, 3.0 * X[:, 0] + X[:, 1], "minimize")
    there, back = hx.changes(run, 4, 9), hx.changes(run, 9, 4)
    whole = float((X[4] - X[9]) @ [3.0, 1.0, 0.0])
    assert there.whole_drawn.mean() == pytest.approx(whole, abs=0.1)
    np.testing.assert_allclose(there.whole_drawn, -back.whole_drawn, atol=1e-6)
    for found in (there, back):  # a loss is divided as a gain is, the largest part first
        told = [c.hyperparameters for c in found.claims if c.kind == "contribution"]
        assert (told[0], found.names[0]) == (("x1",), "x1")
    assert ("trial 4" in there.sentence, "trial 9" in there.sentence) == (True, True)
    by_values = hx.changes(run, run.config(4), run.config(9))
    np.testing.assert_allclose(by_values.contributions, there.contributions)
    assert "the other configuration" in by_values.sentence
    with pytest.raises(ValueError, match="where the changes lead"):
        hx.changes(run, 4, 9, reach=0.1)
