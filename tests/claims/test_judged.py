"""Families that judge: their truth, their runs, and what is measured by them."""

import numpy as np
import pytest

from hpo_explain import CategoricalParameter, IntParameter, SearchSpace
from tests.claims import best, goals, judged, problems, runs, summaries
from tests.claims.asked import Asked, Scored
from tests.claims.decided import Amount, Decided
from tests.claims.families import black_boxes, real, smooth, uneven
from tests.claims.goals import Found
from tests.claims.runs import AHEAD, Setting, make_run, trials_ahead
from tests.claims.together import contributions, strengths

pytestmark = [pytest.mark.merge, pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def ioh():
    return pytest.importorskip("ioh")


@pytest.fixture
def of_two():
    """A grid with a branch, and the configurations that were evaluated."""
    space = SearchSpace(
        [
            CategoricalParameter("model", ["a", "b"]),
            IntParameter("depth", 1, 5, active_when={"model": ["b"]}),
        ]
    )
    evaluated = []

    def cost(config):
        evaluated.append(config)
        return -0.1 * config.get("depth", 3)

    return space, real.each(cost), evaluated


def runs_of(several, family="bbob, smooth", seed=0):
    problem = smooth.quadratic()
    object.__setattr__(problem, "judges", True)
    object.__setattr__(problem, "family", family)
    setting = Setting(problem, "tpe", 60, seed)
    return [Found(setting, one) for one in several]


def reached(found, name):
    return next(goal for goal in judged.goals(found) if goal.name == name)


# ---------------------------------------------------------------------- the truth


def test_of_every_function_of_bbob_the_known_optimum_is_the_best(ioh):
    for problem in black_boxes.every():
        if problem.optimum is None:
            continue
        number, d = (int(problem.name.split()[i]) for i in (1, -1))
        known = ioh.get_problem(number, black_boxes.INSTANCE, d).optimum.y
        assert problem.cost(problem.optimum) == pytest.approx(known, abs=1e-9)
        assert problem.best == pytest.approx(known, abs=1e-9)


def test_of_the_sphere_shares_are_those_of_shifted_squares(ioh):
    problem = black_boxes.bbob(1, 3)
    x = 10 * (np.arange(100_000) + 0.5) / 100_000 - 5
    at = 10 * problem.optimum[0] - 5
    variances = np.array([np.var((x - one) ** 2) for one in at])
    found = [problem.shares[j,] for j in range(3)]
    np.testing.assert_allclose(found, variances / variances.sum(), atol=0.01)


def test_of_a_separable_rugged_function_nothing_interacts(ioh):
    problem = black_boxes.bbob(3, 5)
    alone = [problem.shares[j,] for j in range(5)]
    assert sum(alone) == pytest.approx(1.0, abs=0.03)
    np.testing.assert_allclose(problem.totals, alone, atol=0.02)


def test_of_onemax_every_bit_explains_as_much(ioh):
    problem = black_boxes.pseudo_boolean(1)
    assert problem.is_finite
    assert len(problem.rows) == 2**black_boxes.BITS
    np.testing.assert_allclose(problem.totals, 1 / 9, atol=1e-9)
    # of 0 to 9 ones, half of the strings have at most 4
    ones = np.round(problem.costs - problem.best, 9)
    assert len(np.unique(ones)) == 10


def test_the_optimum_moves_into_a_part_that_leaves_it_out(ioh):
    problem = black_boxes.bbob(1, 3)
    at = problem.optimum[0]
    low, high = (0.0, at[0] - 0.2) if at[0] > 0.5 else (at[0] + 0.2, 1.0)
    first = type(problem.space.parameters[0])("x0", low, high)
    part = SearchSpace([first, *problem.space.parameters[1:]])
    # .2 of the range of 10 away, squared
    assert problem.best_in(part)[0] == pytest.approx(problem.best + 4.0)


def test_a_grid_is_evaluated_once_each_and_never_again(of_two, tmp_path, monkeypatch):
    space, costs, evaluated = of_two
    monkeypatch.setattr(real, "cache_folder", lambda _: tmp_path / "claims")
    problem = real.of_grid("toy", space, costs)
    assert len(evaluated) == 6
    assert problem.maximize
    assert problem.cost_of({"model": "a"}) == pytest.approx(-0.3)
    assert problem.cost_of({"model": "b", "depth": 5}) == pytest.approx(-0.5)
    assert problem.best == pytest.approx(-0.5)
    again = real.of_grid("toy", space, costs)
    assert len(evaluated) == 6
    np.testing.assert_array_equal(again.costs, problem.costs)


def test_what_needs_a_missing_package_is_left_out_by_name(monkeypatch, capsys):
    def missing():
        raise ModuleNotFoundError("No module named 'ioh'")

    monkeypatch.setattr(black_boxes, "every", missing)
    monkeypatch.setattr(real, "every", lambda: (smooth.bowl(),))
    problems.judges.cache_clear()
    assert [*problems.judges()] == ["bowl"]
    problems.judges.cache_clear()
    assert "skipped: tests.claims.families.black_boxes" in (capsys.readouterr().err)


# ---------------------------------------------------------------------- their runs


def test_no_run_that_constants_are_chosen_by_is_of_a_problem_that_judges():
    assert not [one for one in runs.settings() if one.problem.judges]


def test_six_seeds_have_every_sampler_and_noise_on_every_problem(ioh, monkeypatch):
    monkeypatch.setattr(runs, "has_gp", lambda: True)
    some = [black_boxes.bbob(1, 3), black_boxes.bbob(8, 2)]
    made = {(one.problem.name, one.sampler, one.noise) for one in runs.judged(some, seeds=range(6))}
    assert len(made) == 2 * 3 * len(black_boxes.NOISES)


def test_trials_ahead_follow_a_run_that_is_the_same_without_them(ioh, tmp_path):
    judges = Setting(black_boxes.bbob(1, 3), "tpe", 15, 3, 0.0)
    ahead = trials_ahead(judges, tmp_path)
    longer = Setting(judges.problem, "tpe", 15 + AHEAD, 3, 0.0)
    rows = make_run(longer).X
    assert len(ahead) == AHEAD
    np.testing.assert_allclose(make_run(judges, tmp_path).X, rows[:15])
    np.testing.assert_allclose(ahead, rows[15:])
    assert len([*tmp_path.iterdir()]) == 1


# ---------------------------------------------------------------------- what is measured


def test_the_nested_boxes_of_a_run_count_once_and_are_wrong_if_one_is():
    right = [Scored(f"keep at {loss}%", certain=True, right=True) for loss in (20, 10, 5, 2, 1)]
    wrong = [*right[:4], Scored("keep at 1%", certain=True, right=False)]
    found = runs_of(right) + runs_of(wrong, seed=1)
    assert goals.right_of_certain(found) == (0.5, 2)


def test_what_is_told_is_a_goal_of_twenty_cases():
    one = Scored("share of one", certain=True, right=True, could=True)
    name = "told of what could be: bbob, smooth"
    assert reached(runs_of([one] * 20), name).cases == 20
    with pytest.raises(StopIteration):
        reached(runs_of([one] * 19), name)


def test_a_chance_is_compared_with_a_constant_in_each_family():
    good = [Scored("better exists", stated=k, known=k) for k in (0.0, 1.0)]
    bad = [Scored("better exists", stated=1.0 - k, known=k) for k in (0.0, 1.0)]
    found = runs_of(good) + runs_of(bad, "pseudo-boolean", 1)
    name = "better exists: Brier ÷ a constant's"
    assert reached(found, f"{name}: bbob, smooth").reached == 0.0
    assert reached(found, f"{name}: pseudo-boolean").reached == 4.0
    assert reached(found, f"{name}: pseudo-boolean").is_missed
    assert reached(found, name).reached == pytest.approx(2.0)


def test_what_trials_are_said_to_gain_is_compared_over_all_runs():
    """In shares of median minus best: .4 and .2 are said, and .1 and .1 gained."""
    spread = smooth.quadratic().spread
    found = [
        one
        for seed, said in enumerate((0.4, 0.2))
        for one in runs_of(
            [Scored("gained by more", stated=said * spread, known=0.1 * spread)], seed=seed
        )
    ]
    name = "gain of 20 more: over all off by a factor of"
    assert reached(found, name).reached == pytest.approx(3.0)


def test_trust_that_says_too_little_is_not_too_much():
    found = runs_of(
        [Scored("trust good", stated=0.9, known=0.6), Scored("trust fair", stated=0.5, known=0.9)]
    )
    assert reached(found, goals.OVER).reached == 0.5


@pytest.mark.parametrize(
    ("interval", "known", "covered"),
    [
        ((0.1 / 39, 39 * 0.1), 2.0, False),  # wide, but not worth reading
        ((0.1 / 39, 39 * 0.1), 0.9, True),
        ((0.05, 0.2), 0.9, False),
        ((0.0, 2.0), 0.9, True),
    ],
)
def test_an_amount_is_covered_within_a_factor_of_ten(interval, known, covered):
    problem = uneven.rounded()
    asked = Asked(None, problem, None)
    found = best._amount("left", asked, Amount(0.1, interval), known)
    assert found.covered is covered


def test_h_of_a_product_is_one_and_contributions_of_a_sum_are_its_terms():
    setting = Setting(smooth.product(), "random", 60, 0, 0.0)
    (pair,) = (
        one
        for one in strengths(Asked(make_run(setting), setting.problem, setting))
        if one.known > 0.5
    )
    assert pair.known == pytest.approx(1.0, abs=1e-3)
    assert pair.stated > 0.5
    rows = np.random.default_rng(0).random((200, 3))
    terms = lambda X: X**2 * [1.0, 2.0, 0.0]  # noqa: E731
    x = np.array([0.9, 0.1, 0.5])
    np.testing.assert_allclose(
        contributions(lambda X: terms(X).sum(axis=1), x, rows),
        terms(x) - terms(rows).mean(axis=0),
        atol=1e-12,
    )


def test_another_trial_that_is_named_is_right_only_where_it_is_better():
    """By noise the best observed one was lucky; a trial as good as it is not better."""
    setting = Setting(smooth.quadratic(), "random", 40, 0, 0.5)
    asked = Asked(make_run(setting), setting.problem, setting)
    decided = Decided.of(asked.run)
    found = [*best.another(asked)]
    assert len(found) == decided.names_another
    observed = setting.problem.cost_of(asked.run.incumbent)
    kept = setting.problem.cost_of(asked.run.config(decided.keep))
    assert all(one.right == (kept < observed) for one in found)


def test_a_summary_stands_beside_what_is_true(ioh):
    setting = Setting(black_boxes.bbob(1, 3), "random", 12, 0, 0.0)
    (text,) = summaries.told([setting], None)
    said, truth = text.split("\n\n")[1:]
    assert len(said.splitlines()) == 5
    assert "best reachable -1000," in truth
    kept = setting.problem.cost_of(make_run(setting).incumbent)
    assert f"truly {kept:.6g}" in truth
    assert "of the same search gain" in truth
    assert "true shares, alone (with interactions)" in truth


def test_summaries_are_spread_over_all_runs():
    assert summaries.spread_over([*range(60)], 3) == [0, 30, 59]
    assert summaries.spread_over([1, 2], 5) == [1, 2]
