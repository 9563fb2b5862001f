"""The recommended space: what it must hold, what is given up, and that it stays a valid space."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base import NothingToExplain
from hpo_explain.base.figures import PALE
from hpo_explain.base.subject import Subject
from hpo_explain.belief.box import Box
from hpo_explain.belief.landscape import axes_of
from hpo_explain.belief.narrowing import Narrowing, part_of, untried
from hpo_explain.methods.space.recommended_space import Kept, Recommendation, recommendation
from tests.analytic import Known, space_of, unit_cube
from tests.claims.problems import hyper_ellipsoid
from tests.claims.runs import Setting, make_run
from tests.noted import the_note

few_draws = pytest.mark.usefixtures("few_draws_here")
of_two_seeds = pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.thorough)])


def recommend(space, mean, n=80, direction="minimize", **options):
    X = space.sample(n, seed=2)
    return hx.recommended_space(hx.Run(space, X, mean(X), direction), **options)


def of_draws(draws, lose, **options):
    """Return the recommended space of functions that no trial is known of."""
    box = Box.of(draws, lose, **options)
    return recommendation(box, Subject(draws.space))


def bowl(X):
    return (X[:, 0] - 0.2) ** 2 + 0.05 * X[:, 1]


def inside(space, x):
    return all(p.low <= v <= p.high for p, v in zip(space.parameters, x, strict=True))


# ---------------------------------------------------------------------- from functions


def test_of_one_function_the_smallest_box_near_its_best_is_left():
    """Of a function of one digit a single value of it, of the other all: nothing else is near."""
    space = space_of(a=range(10), b=range(10))
    draws = Known(space, [lambda X: np.abs(9.0 * X[:, 0] - 4.0)])
    found = of_draws(draws, 0.5)
    assert (found.space["a"].low, found.space["a"].high) == (4, 4)
    assert (found.space["b"].low, found.space["b"].high) == (0, 9)
    assert found.volume == pytest.approx(0.1)
    assert found.loss.estimate == 0.0
    assert not found.loss.known  # one function says nothing of how uncertain that is
    assert " By the model's prediction it still holds " in found.sentence


def test_of_two_parts_that_are_as_good_both_are_left_with_what_is_between():
    """Of a function that is least at 2 and at 7: one box holds both of them."""
    space = space_of(a=range(10), b=range(10))
    draws = Known(
        space, [lambda X: np.minimum(np.abs(9.0 * X[:, 0] - 2.0), np.abs(9.0 * X[:, 0] - 7.0))]
    )
    found = of_draws(draws, 0.5)
    assert (found.space["a"].low, found.space["a"].high) == (2, 7)


def test_what_is_best_in_more_than_one_in_ten_functions_of_a_part_stays():
    """Some functions are best at 9: given up only if all, and both parts, can spare them."""
    space = space_of(a=range(10))

    def best_at(value):
        return lambda X: np.abs(9.0 * X[:, 0] - value)

    low, high = [best_at(1.0)], [best_at(9.0)]
    together = Known(space, 39 * low + high, parts=1)
    of_one_part = Known(space, 33 * low + 4 * high + 39 * low, parts=2)
    everywhere = Known(space, 2 * (35 * low + 3 * high), parts=2)
    for draws, first_to_last in (
        (together, (1, 1)),
        (of_one_part, (1, 9)),  # more than a tenth of a part
        (everywhere, (1, 9)),  # more than a twentieth of all
    ):
        (kept,) = Narrowing(draws, 0.5).found()
        assert tuple(kept.nonzero()[0][[0, -1]]) == first_to_last


def test_what_loses_less_is_given_up_first():
    """Without a = 1 two in a hundred functions lose, without b = 1 four: both are too many."""
    both, of_a, of_b = ((lambda X: X.sum(axis=1)), (lambda X: 1 - X[:, 0]), (lambda X: 1 - X[:, 1]))
    draws = Known(space_of(a=range(2), b=range(2)), 94 * [both] + 2 * [of_a] + 4 * [of_b])
    assert [of.tolist() for of in Narrowing(draws, 0.5).found()] == [[True, False], [True, True]]


def test_levels_of_a_range_meet_halfway():
    draws = Known(space_of(x=(0.0, 12.0)), [lambda X: X[:, 0]])
    for first, last in ((0, 12), (0, 5), (3, 6), (7, 12)):
        level = np.arange(12)
        part = part_of(draws, [(first <= level) & (level < last)], 0)
        assert (part.low, part.high) == pytest.approx((first, last))


def test_what_is_infeasible_is_not_near_the_best():
    space = space_of(a=range(10))
    draws = Known(space, [lambda X: X[:, 0]])
    draws.feasible = lambda X: X[:, 0] > 0.5
    found = of_draws(draws, 0.01)
    assert (found.space["a"].low, found.space["a"].high) == (5, 5)


def test_what_does_not_matter_stays_open():
    """A box that gives up what does as well would be read as knowledge of it."""
    space = space_of(a=range(10), b=range(10), c=list("pqr"))
    draws = Known(space, [lambda X: np.abs(9.0 * X[:, 0] - 4.0)])
    (keep,) = space.encode([{"a": 4, "b": 7, "c": "q"}])
    box = Box.of(draws, 0.5, keep=keep)
    assert (box.space["a"].low, box.space["a"].high) == (4, 4)
    assert box.narrowed == (box.space["a"],)
    # nor is anything given up that loses less than counts
    draws = Known(space, [lambda X: np.abs(9.0 * X[:, 0] - 4.0) + 0.3 * X[:, 1]])
    found = Box.of(draws, 0.5, keep=keep, enough=0.5)
    assert found.narrowed == (box.space["a"],)


@pytest.mark.alike
@few_draws
@pytest.mark.parametrize("seed", range(2))
def test_what_has_no_effect_is_not_narrowed(seed):
    """Of six hyperparameters two matter."""
    space = unit_cube(6)
    X = space.sample(80, seed=seed)
    run = hx.Run(space, X, ((X[:, :2] - 0.3) ** 2).sum(axis=1), "minimize")
    found = hx.recommended_space(run)
    assert {row.hyperparameter for row in found.narrowed} == {"x1", "x2"}


def test_the_configuration_to_keep_is_never_given_up():
    space = space_of(a=range(10))
    draws = Known(space, [lambda X: np.abs(9.0 * X[:, 0] - 2.0)])
    keep = space.encode([{"a": 7}])[0]
    (kept,) = Narrowing(draws, 0.5, keep=keep).found()
    assert kept.nonzero()[0].tolist() == [2, 3, 4, 5, 6, 7]


@pytest.mark.thorough
@few_draws
def test_what_is_enough_for_less_is_enough_for_more():
    """Boxes of larger losses lie in those of smaller ones."""
    run = make_run(Setting(hyper_ellipsoid(), "tpe", 60, 0))
    draws = run.belief().at_best
    spread = float(np.median(draws.landscape.spread))
    boxes = [Narrowing(draws, share * spread).found() for share in (0.01, 0.03, 0.05, 0.2, 1.0)]
    for smaller, larger in pairwise(boxes):
        for before, after in zip(smaller, larger, strict=True):
            assert not (after & ~before).any()


def test_a_stretch_that_nobody_tried_is_not_given_up():
    """Of a number and of a whole number wider than a fifth of the range, of a category any."""
    space = space_of(x=(0.0, 1.0), n=range(10), kind=list("abc"))
    draws = Known(space, [lambda X: X[:, 0] + X[:, 1] + X[:, 2]])
    rows = [(x, n, kind) for x in np.linspace(0.0, 0.7, 15) for n in range(9) for kind in "ab"]
    tried = space.encode([dict(zip("x n kind".split(), row, strict=True)) for row in rows])
    x, n, kind = Narrowing(draws, 0.1, tried=tried).untried
    # levels of x are twelfths: the stretch from 0.7 to 1 holds the middles of the last three
    assert x.nonzero()[0].tolist() == [9, 10, 11]
    assert n.nonzero()[0].tolist() == []  # a tenth of the range
    assert kind.nonzero()[0].tolist() == [2]
    kept = Narrowing(draws, 0.1, tried=tried).found()
    assert kept[0].all()
    assert kept[2].nonzero()[0].tolist() == [0, 2]
    found = of_draws(draws, 0.1, tried=tried)
    note = the_note(found.notes, "it has no trials: kind in {c}")
    assert note.names == ("kind",)


def test_between_the_values_of_a_coarse_grid_nothing_is_known():
    x = np.repeat([0.0, 1 / 3, 2 / 3, 1.0], 5)
    (axis,) = axes_of(space_of(x=(0.0, 1.0)))
    assert untried(axis, x).sum() == 8  # all levels but those that hold a value


@few_draws
def test_where_it_is_not_known_what_activates_a_hyperparameter_nothing_is_certain():
    space = hx.SearchSpace(
        [hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("deep", 0.0, 1.0, optional=0.5)]
    )
    X = space.sample(80, seed=0)
    X[:, 1] = np.where(X[:, 0] > 0.5, np.nan_to_num(X[:, 1], nan=0.5), np.nan)
    found = hx.recommended_space(hx.Run(space, X, np.abs(X[:, 0] - 0.7), "minimize"))
    assert found.volume < 0.9
    assert not any(claim.certain for claim in found.claims)
    assert the_note(found.notes, "the conditions of these are unknown")


# ---------------------------------------------------------------------- from trials


@few_draws
def test_a_range_is_narrowed_around_the_best_values():
    found = recommend(unit_cube(3), bowl)
    x1 = found.space["x1"]
    assert x1.low <= 0.2 <= x1.high < 0.5
    assert found.space["x3"] == unit_cube(3)["x3"]
    (claim,) = found.claims
    assert claim.kind == "keep"
    assert claim.certain
    assert dict(zip(claim.hyperparameters, claim.values, strict=True))["x1"] == (x1.low, x1.high)
    assert found.volume == pytest.approx(np.prod([row.share for row in found.rows]))


@pytest.mark.thorough
@few_draws
def test_maximizing_the_negated_objective_recommends_the_same_space():
    first = recommend(unit_cube(2), bowl)
    second = recommend(unit_cube(2), lambda X: -bowl(X), direction="maximize")
    assert second.space == first.space
    assert (second.lose, second.loss) == (first.lose, first.loss)


@few_draws
def test_an_interaction_protects_values_that_are_bad_on_average():
    # low x1 is bad on average, and the best where x2 is low
    def crossed(X):
        return np.where(X[:, 1] < 0.3, X[:, 0], 2.0 - X[:, 0])

    assert recommend(unit_cube(2), crossed).space["x1"].low == 0.0


@pytest.mark.merge
@of_two_seeds
def test_a_bowl_that_tpe_searched_is_narrowed_around_its_optimum(seed):
    run = make_run(Setting(hyper_ellipsoid(), "tpe", 60, seed))
    found = hx.recommended_space(run)
    assert found.volume < 0.6
    assert inside(found.space, [0.4] * 4)


@pytest.mark.thorough
@of_two_seeds
def test_noise_alone_narrows_nothing(seed):
    space = hx.SearchSpace([*unit_cube(3), hx.CategoricalParameter("kind", list("abcd"))])
    X = space.sample(40, seed=seed)
    y = np.random.default_rng(seed).normal(size=40)
    found = hx.recommended_space(hx.Run(space, X, y, "minimize"))
    assert [row.share for row in found.rows] == [1.0] * 4


def test_what_may_be_lost_must_be_positive():
    with pytest.raises(hx.base.InputError, match="lose must be positive"):
        recommend(unit_cube(1), lambda X: X[:, 0], lose=0.0)


# ---------------------------------------------------------------------- categories and branches


def kinds():
    return space_of(
        x=(0.0, 1.0),
        kind=["low", "high", "bad", None],
        bad_only=(0.0, 1.0),
        either=range(1, 5),
        deep=(0.0, 1.0),
        when={
            "bad_only": {"kind": ["bad"]},
            "either": {"kind": ["bad", "high"]},
            "deep": {"either": [1, 2]},
        },
    )


def costs(X):
    """'low' is best for low x, 'high' for high x; 'bad' is worse by 0.5, None between the two."""
    x, kind = X[:, 0], X[:, 1]
    table = np.stack([x, 1.0 - x, 1.5 + 0.0 * x, np.full(len(x), 0.5)])
    return table[kind.astype(int), np.arange(len(x))]


@few_draws
def test_a_category_that_cannot_reach_the_best_is_dropped():
    found = recommend(kinds(), costs, n=120)
    assert "bad" not in found.space["kind"].choices
    assert {"low", "high"} & set(found.space["kind"].choices)


@few_draws
def test_conditions_stay_valid_and_what_can_no_longer_be_active_is_left_out():
    found = recommend(kinds(), costs, n=120)
    assert "bad_only" not in found.space.names
    note = the_note(found.notes, "because never active in the recommended space")
    assert "bad_only" in note.names
    (row,) = [row for row in found.rows if row.hyperparameter == "bad_only"]
    assert row.after == ()
    configs = found.space.decode(found.space.sample(200, seed=0))
    assert kinds().is_valid(kinds().encode(configs)).all()


def test_a_conditional_range_keeps_the_best_of_its_branch():
    """Half of the functions need one branch, the others the other: of each its best is kept."""
    space = space_of(
        booster=["tree", "dart"],
        drop=range(10),
        depth=range(5),
        when={"drop": {"booster": ["dart"]}, "depth": {"booster": ["tree"]}},
    )

    def cost(X, dart):
        drop, depth = (9.0 * np.nan_to_num(X[:, 1]), 4.0 * np.nan_to_num(X[:, 2]))
        return np.where(X[:, 0] == 1, np.abs(drop - 2.0) + dart, np.abs(depth - 3.0))

    functions = [lambda X: cost(X, 0.3), lambda X: cost(X, -0.3)]
    search = Narrowing(Known(space, functions), 0.25)
    assert search.goal_of == [0, 1, 2]  # the space, and each branch
    found = search.found()
    assert [of.nonzero()[0].tolist() for of in found] == [[0, 1], [2], [3]]
    assert search.volume(found) == pytest.approx((1 / 10 + 1 / 5) / 2, abs=0.01)


# ---------------------------------------------------------------------- every kind of number


@pytest.mark.parametrize(
    "parameter",
    [
        hx.FloatParameter("p", 1e-4, 1.0, log=True),
        hx.FloatParameter("p", 0.0, 10.0, step=0.5),
        hx.IntParameter("p", 1, 1024, log=True),
        hx.IntParameter("p", 2, 200, step=3),
        hx.IntParameter("p", 1, 9),
        hx.FloatParameter("p", 0.0, 1.0, optional=0.5),
    ],
    ids=["log", "step", "log integer", "integer with step", "integer", "optional"],
)
@few_draws
def test_every_kind_of_number_is_narrowed_on_its_own_scale(parameter):
    space = hx.SearchSpace([parameter, hx.FloatParameter("q", 0.0, 1.0)])
    X = space.sample(100, seed=2)
    y = np.abs(np.nan_to_num(X[:, 0], nan=1.0) - 0.3)
    recommended = hx.recommended_space(hx.Run(space, X, y, "minimize"))
    narrower = recommended.space["p"]
    low, high = parameter.encode([narrower.low, narrower.high])
    nearest = parameter.nearest(np.array([0.3]))[0]
    assert low <= nearest <= high < 0.75
    assert (narrower.log, narrower.step) == (parameter.log, parameter.step)
    assert 0.0 < recommended.to_frame().loc["p", "kept"] < 0.75
    configs = recommended.space.decode(recommended.space.sample(100, seed=1))
    assert space.is_valid(space.encode(configs)).all()


# ---------------------------------------------------------------------- how it is shown


def test_the_sentence_the_table_and_the_figure_of_a_narrower_space():
    space = space_of(a=range(10), kind=["a", None])
    draws = Known(space, 2 * [lambda X: np.abs(9.0 * X[:, 0] - 4.0)])
    found = of_draws(draws, 0.5)
    assert found.sentence == (
        "The search space can shrink to a tenth: a 4. 99% sure: it still holds a configuration "
        "whose objective is within 0.5 of the best."
    )
    frame = found.to_frame()
    assert frame.values.tolist() == [["[0, 9]", "[4, 4]", 0.1], ["{a, None}", "{a, None}", 1.0]]
    figure = found.described()
    assert figure.labels == [("a", "[4, 4]"), ("kind", "{a, None}")]
    assert [(bar.row, bar.kind) for bar in figure.bars] == [(0, PALE), (0, 0), (1, 0), (1, 0)]
    same = of_draws(Known(space, [lambda X: 0.0 * X[:, 0]]), 0.5)
    assert same.sentence == "No value can be left out of the search."


@pytest.mark.parametrize(
    ("parameter", "after", "said"),
    [
        (hx.FloatParameter("p", 1e-5, 1e3, log=True), (1e-5, 0.31623), "1e-5 to 0.32"),
        (hx.FloatParameter("p", 0.0125, 0.9), (0.0125, 0.41667), "0.0125 to 0.42"),
        (hx.FloatParameter("p", 1.0, 5e3), (1.0, 1234.5), "1 to 1200"),
        (hx.FloatParameter("p", 0.9, 1.0), (0.99123, 0.99523), "0.9912 to 0.9952"),
        (hx.FloatParameter("p", -4.0, 0.0), (-1.75, 0.0), "-1.8 to 0"),
        (hx.FloatParameter("p", 1.0, 3e9), (2.4e6, 3e9), "2.4e6 to 3e9"),
        (hx.IntParameter("p", 8, 5000), (8, 1234), "8 to 1234"),
        (hx.IntParameter("p", 0, 9), (4, 4), "4"),
        (hx.CategoricalParameter("p", ["a", "b", None]), ("a", None), "a or None"),
    ],
)  # fmt: skip
def test_ends_have_two_digits_where_these_tell_them_apart(parameter, after, said):
    """What was given up is rounded; an end of the whole range stands as it was written."""
    whole = Kept.of(parameter, parameter, 1.0)
    row = replace(whole, after=after, share=0.5)
    space = hx.SearchSpace([parameter])
    found = Recommendation(subject=Subject(space), space=space, rows=(row,), lose=0.1, volume=0.5)
    assert found.kept == f"p {said}"


def test_of_many_those_are_named_of_which_least_is_left():
    space = unit_cube(5)
    shares = (0.9, 0.2, 1.0, 0.7, 0.1)
    rows = [
        Kept(p.name, (0.0, 1.0), (0.0, share), share)
        for p, share in zip(space, shares, strict=True)
    ]
    found = Recommendation(
        subject=Subject(space), space=space, rows=tuple(rows), lose=0.1, volume=0.01
    )
    assert found.kept == "x5 0 to 0.1, x2 0 to 0.2, x4 0 to 0.7, among others"


def test_of_a_constant_objective_nothing_is_told():
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    run = hx.Run(space, space.sample(20, seed=0), np.ones(20), "minimize")
    with pytest.raises(NothingToExplain, match="constant"):
        hx.recommended_space(run)


def test_boxes_of_several_losses_are_found_at_once_and_are_those_found_alone():
    space = unit_cube(2)
    functions = [lambda X: np.abs(X[:, 0] - 0.3) + 0.2 * X[:, 1]]
    keep = np.array([0.3, 0.1])
    draws = Known(space, functions)
    losses = (0.3, 0.02, 0.1)
    together = [Narrowing(draws, lose, keep=keep) for lose in losses]
    alone = [Narrowing(Known(space, functions), lose, keep=keep) for lose in losses]
    for one, other in zip(together, alone, strict=True):
        for a, b in zip(one.found(), other.found(), strict=True):
            np.testing.assert_array_equal(a, b)
    # what is left at the largest loss was all that had to be looked for
    assert together[1].found() is together[1].found()
