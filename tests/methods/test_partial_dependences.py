"""Several effects in one call: each is that of the single call, in the order that is asked for."""

from dataclasses import replace

import numpy as np
import pytest

import hpo_explain as hx
from tests.analytic import unit_cube
from tests.handmade import tuning_run

pytestmark = pytest.mark.usefixtures("few_draws", "answers_stay")

SPACE = unit_cube(4)
X = SPACE.sample(50, seed=0)
# x3 matters most, then x2 and x4, which do nothing alone: together they do more than x1 does
Y = 4.0 * X[:, 2] + 0.8 * X[:, 0] + 6.0 * (X[:, 1] - 0.5) * (X[:, 3] - 0.5)
RUN = hx.Run(SPACE, X, Y, "minimize", objective_name="loss")
QUICK = {"sample": 40, "grid_size": 5}


def test_those_that_matter_most_come_first_then_the_pair_that_interacts_most():
    found = hx.partial_dependence(RUN, most=3, pairs=1, **QUICK)
    assert found.names[0] == ("x3",)
    assert {*found.names[1:3]} == {("x2",), ("x4",)}
    assert set(found.names[3]) == {"x2", "x4"}
    assert found.left_out == ("x1",)
    share = hx.base.percent(found.shares["x1",])
    assert f"1 other hyperparameter: at most {share} of the variance" in found.sentence
    # closed form over the unit cube: 16/12, 0.64/12 and 36/144
    variances = {("x3",): 16 / 12, ("x1",): 0.64 / 12, ("x2", "x4"): 36 / 144}
    variances |= {("x2",): 36 / 144, ("x4",): 36 / 144}
    whole = 16 / 12 + 0.64 / 12 + 36 / 144
    for names, variance in variances.items():
        assert found.shares[names] == pytest.approx(variance / whole, abs=0.05)


def test_rows_and_bars_are_in_the_order_of_what_matters_with_interactions():
    found = hx.importance(RUN)
    order = [{"x3"}, {"x2", "x4"}, {"x2", "x4"}, {"x1"}]
    for rows in (
        found.to_frame().index,
        [label for (label,) in found.described().labels],
        [label for (label,) in hx.summary(RUN).described().labels],
    ):
        assert all(a in b for a, b in zip(rows, order, strict=True))
    with_pairs = found.to_frame()["with_interactions"]
    np.testing.assert_allclose(with_pairs[["x2", "x4"]], 0.153, atol=0.05)
    alone = found.to_frame()["importance"]
    np.testing.assert_allclose(alone[["x2", "x4"]], 0.0, atol=0.02)


def test_a_share_says_alone_or_with_interactions_and_both_where_they_differ():
    found = hx.importance(RUN)
    of_each = {
        claim.hyperparameters[0]: claim.text for claim in found.claims if claim.term == "alone"
    }
    assert of_each["x3"].endswith("alone)")
    for name in ("x2", "x4"):
        assert "alone, " in of_each[name]
        assert of_each[name].endswith("with its interactions)")
    assert {"alone", "with its interactions"} == {*found.described().fills.values()} - {
        f"interaction of {k}" for k in (2, 3, 4)
    }
    terms = {"alone", "with interactions", "all alone"}
    of_shares = [c for c in found.claims if c.kind == "share"]
    assert {claim.term for claim in of_shares} == terms


def test_each_effect_is_that_of_the_single_call():
    found = hx.partial_dependence(RUN, ["x2", ("x4", "x2"), "x1"], seed=3, **QUICK)
    assert found.names == (("x2",), ("x4", "x2"), ("x1",))
    for effect in found:
        alone = hx.partial_dependence(RUN, effect.names, seed=3, **QUICK)
        np.testing.assert_array_equal(effect.mean, alone.mean)
        np.testing.assert_array_equal(effect.std, alone.std)
        assert effect.claims == alone.claims
    assert found.effect("x2", "x4") is found.effects[1]
    assert found.claims == tuple(claim for effect in found for claim in effect.claims)
    assert found.shares == {}
    with pytest.raises(hx.base.InputError, match="There are effects of x2, x4 × x2, x1"):
        found.effect("x3")


def test_the_table_holds_the_tables_of_all_effects():
    found = hx.partial_dependence(RUN, ["x1", ("x1", "x2")], **QUICK)
    frame = found.to_frame()
    assert list(frame.columns[:4]) == ["hyperparameter", "value", "value_2", "mean"]
    assert frame["hyperparameter"].value_counts().to_dict() == {"x1": 5, "x1 × x2": 25}
    pair = frame[frame["hyperparameter"] == "x1 × x2"]
    np.testing.assert_array_equal(pair["mean"], found.effects[1].mean.ravel())
    assert frame["value_2"].isna().sum() == 5


@pytest.mark.merge
def test_a_model_of_your_own_chooses_what_matters_and_is_drawn():
    class Own:
        def predict(self, rows):
            return rows[:, 3], np.zeros(len(rows))

    found = hx.partial_dependence(RUN, most=1, surrogate=Own(), **QUICK)
    assert found.names == (("x4",),)
    np.testing.assert_allclose(found.effects[0].mean, np.linspace(0.0, 1.0, 5), atol=1e-9)


def test_two_names_are_a_pair_and_three_are_three_effects():
    assert hx.partial_dependence(RUN, ["x1", "x2"], **QUICK).names == ("x1", "x2")
    assert hx.partial_dependence(RUN, ["x1", "x2", "x3"], **QUICK).names == (
        ("x1",),
        ("x2",),
        ("x3",),
    )


def test_accumulated_effects_of_all_that_matters_are_those_of_single_calls():
    found = hx.partial_dependence(RUN, most=3, kind="accumulated", grid_size=5)
    assert {*found.names} == {("x3",), ("x2",), ("x4",)}
    alone = hx.partial_dependence(RUN, "x3", kind="accumulated", grid_size=5)
    np.testing.assert_array_equal(found.effects[0].mean, alone.mean)
    assert found.described().subtitle.startswith("accumulated local effects")


def test_the_surrogate_has_the_name_of_a_kind():
    found = hx.partial_dependence(RUN, "x1", surrogate="forest", **QUICK)
    expected = hx.methods.PartialDependenceExplainer(RUN.surrogate(kind="forest"), **QUICK).explain(
        "x1"
    )
    np.testing.assert_array_equal(found.mean, expected.mean)


@pytest.mark.parametrize(
    ("names", "options", "argument"),
    [
        ("x1", {"regions": True, "kind": "accumulated"}, "regions"),
        (None, {"regions": True}, "regions"),
        ("x1", {"most": 2}, "most"),
        ("x1", {"max_depth": 2}, "max_depth"),
        ("x1", {"min_leaf": 5}, "min_leaf"),
        ("x1", {"kind": "accumulated", "variance": "covariance"}, "variance"),
        ("x1", {"kind": "accumulated", "attainable": False}, "attainable"),
    ],
)
def test_an_option_that_has_no_meaning_for_what_is_asked_is_refused(names, options, argument):
    with pytest.raises(hx.base.InputError) as caught:
        hx.partial_dependence(RUN, names, **options)
    assert caught.value.argument == argument


def test_effects_that_make_no_difference_are_told_in_one_sentence():
    run = hx.Run(SPACE, X, X[:, 2], "minimize", objective_name="loss")
    found = hx.partial_dependence(run, ["x3", "x1", "x2"], **QUICK)
    effects = (found.effects[0], *(replace(one, noise_std=9.0) for one in found.effects[1:]))
    sentence = replace(found, effects=effects).sentence
    assert "x1, x2: no difference beyond the noise of one evaluation." in sentence
    (best,) = [c for c in found.effects[0].reached.claims if c.kind == "best"]
    assert best.values[0][0] == pytest.approx(0.0)
    assert "the loss is best at x3 between 0 and" in sentence


def test_the_sentence_is_short_however_many_effects_there_are():
    found = hx.partial_dependence(RUN, ["x1", "x2", "x3", "x4"], **QUICK)
    longest = max(len(one.sentence) for one in found)
    assert len(found.sentence) < 2 * longest
    # a value that is told is that of the claim, with its interval
    claim = found.effects[2].reached.claims[0]
    low, high = claim.interval
    estimate = f"{hx.base.Estimate(claim.estimate, (high - low) / 2.0)}"
    assert f"({estimate})" in found.sentence


def test_the_caution_that_all_effects_share_is_said_once():
    found = hx.partial_dependence(RUN, ["x1", "x2", "x3"], surrogate="forest", **QUICK)
    assert not any(claim.certain for claim in found.claims)
    assert found.sentence.count("Not certain") == 1


def test_panels_of_single_hyperparameters_share_the_scale_and_pairs_that_of_colors():
    names = ["lr", "booster", "rate_drop", ("lr", "layers"), ("booster", "rate_drop")]
    found = hx.partial_dependence(tuning_run(20), names, sample=30, grid_size=4)
    panels = found.described().panels
    assert [panel.heading for panel in panels] == [
        "lr",
        "booster",
        "rate_drop",
        "lr × layers",
        "booster × rate_drop",
    ]
    ((low, high),) = {panel.limits() for panel in panels[:3]}
    for effect in found.effects[:3]:
        for drawn in (effect, effect.reached):
            lower, upper = drawn.band()
            assert low <= np.nanmin(lower)
            assert np.nanmax(upper) <= high
    average, reached = panels[0].lines
    first = found.effects[0]
    np.testing.assert_array_equal(average.y, first.mean)
    np.testing.assert_array_equal(reached.y, first.reached.mean)
    assert (average.look, reached.look) == ("second", "main")
    assert panels[0].means["main"] == "reachable, the others at their best"
    assert len({panel.ends() for panel in panels[3:]}) == 1
    run = tuning_run(20)
    chosen = [config["booster"] for config in run.space.decode(run.X)]
    assert [*panels[1].x.names] == [
        f"{c} ({chosen.count(c)})" for c in run.space["booster"].choices
    ]
    axes = found.plot()
    assert len(axes) == 5
    assert axes[0].get_xscale() == "log"


def test_the_trials_stand_behind_the_effects_at_their_values_and_objectives():
    run = tuning_run(20)
    found = hx.partial_dependence(run, ["lr", "booster", "rate_drop"], sample=30, grid_size=4)
    configs = run.space.decode(run.X)
    for panel, name in zip(found.described().panels, ["lr", "booster", "rate_drop"], strict=True):
        trials = panel.dots[0]
        assert trials.look == "behind"
        active = [name in config for config in configs]
        assert sorted(trials.y) == sorted(run.objective[active])
        if name == "lr":
            np.testing.assert_allclose(trials.x, [config["lr"] for config in configs])
    accumulated = hx.partial_dependence(run, "lr", kind="accumulated")
    assert all(d.look != "behind" for d in accumulated.described().dots)


def test_the_names_of_twelve_categories_are_whole():
    names = [f"algorithm_of_the_optimizer_{k:02d}" for k in range(12)]
    space = hx.SearchSpace([hx.CategoricalParameter("kind", names)])
    X = space.sample(36, seed=0)
    run = hx.Run(space, X, X[:, 0], "minimize")
    for width in (3.8, 8.0):
        ax = hx.partial_dependence(run, "kind", sample=10).plot(width=width)
        labels = [label.get_text() for label in ax.get_yticklabels()]
        told = ["".join(text.split()) for text in labels]
        assert [text.split("(")[0] for text in told] == names
