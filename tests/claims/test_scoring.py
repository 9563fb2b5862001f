"""The truth that claims are held against: closed forms, and claims that are right or wrong."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.claim import Claim
from hpo_explain.base.facts import fact
from hpo_explain.base.subject import Subject
from hpo_explain.methods._engines.conditions import Condition
from hpo_explain.methods.advice.advise_result import Action, Advice, changed_to
from tests.claims.problems import PROBLEMS
from tests.claims.runs import Setting, all_settings, make_run, problem_of
from tests.claims.scored import Scored, ScoredRun, score
from tests.claims.scoring import Case, judge, oracle
from tests.claims.scoring.reasons import true_contributions
from tests.claims.scoring.shares import local_shares, true_h
from tests.claims.scoring.spaces import lost_by, oracle_keeps
from tests.claims.scoring.steps import lime_coefficients, true_path, true_shapley
from tests.claims.table import rows, written


def case(problem="additive", method="", n=40, **result):
    """A result that holds what is given, of a run of random configurations."""
    problem = problem_of(problem)
    X = problem.space.sample(n, seed=1, method="uniform")
    run = hx.Run(problem.space, X, problem.cost(X), "minimize")
    held = {"trial": None, "claims": (), "names": problem.space.names, **result}
    return Case(problem, run, method, SimpleNamespace(**held))


def right(a_case, kind, *args, **options):
    return judge(a_case, Claim(kind, *args, **options)).right


# ---------------------------------------------------------------------- problems


def test_there_are_about_a_thousand_settings_with_different_names():
    labels = {setting.label for setting in all_settings()}
    assert len(labels) == len(all_settings()) > 1000
    assert {problem_of(label.split("_")[0]) for label in labels} <= {
        problem_of(make().name) for make in PROBLEMS
    }


def test_shares_are_those_of_closed_forms():
    ellipsoid = problem_of("hyper-ellipsoid").shares
    np.testing.assert_allclose(
        [ellipsoid[f"x{j}",] for j in range(4)], np.array([1, 4, 9, 16]) / 30, atol=0.01
    )
    ishigami = problem_of("ishigami").shares  # a = 7, b = 0.1
    np.testing.assert_allclose(ishigami["x0",], 0.314, atol=0.01)
    np.testing.assert_allclose(ishigami["x1",], 0.442, atol=0.01)
    np.testing.assert_allclose(ishigami["x0", "x2"], 0.244, atol=0.01)
    assert problem_of("product").shares["x0", "x1"] == pytest.approx(1.0, abs=0.01)
    assert set(problem_of("pure noise").shares.values()) == {0.0}


def test_a_closed_index_holds_what_members_do_together():
    assert problem_of("ishigami").closed("x0", "x2") == pytest.approx(0.314 + 0.244, abs=0.01)


@pytest.mark.parametrize(
    ("name", "at", "least"),
    [
        ("additive", (0.3, 0.0, 0.0, 0.0), 0.0),
        ("hyper-ellipsoid", (0.4, 0.4, 0.4, 0.4), 0.0),
        ("conditional", (1.0, np.nan, 0.7, np.nan, 0.5), 0.2),
        ("narrow optimum", (0.85, 0.85, None), 2 * 0.6**2 - 1.5),
    ],
)
def test_the_optimum_is_found(name, at, least):
    row, cost = problem_of(name).optimum
    assert cost == pytest.approx(least, abs=0.01)
    known = [j for j, value in enumerate(at) if value is not None]
    np.testing.assert_allclose(row[known], [at[j] for j in known], atol=0.02)


def test_attainable_is_the_best_over_all_others():
    np.testing.assert_allclose(
        problem_of("conditional").attainable("family")[1], [0.5, 0.2, 0.7], atol=1e-3
    )
    grid, costs = problem_of("conditional").attainable("a_width")
    np.testing.assert_allclose(costs, 0.5 + 0.3 * grid, atol=1e-3)
    grid, costs = problem_of("narrow optimum").attainable("x0")
    assert grid[np.argmin(costs)] == pytest.approx(0.85, abs=0.01)


def test_the_least_cost_with_values_fixed():
    assert problem_of("additive").least({"x0": 0.5, "x2": 1.0}) == pytest.approx(0.66, abs=1e-3)


def test_failures_are_observed_without_noise_and_a_tenth_is_tried():
    run = make_run(Setting("failures over noise", "random", 30, 1.0, 0))
    failed = run.X[:, 0] + run.X[:, 1] > 1.1
    assert set(run.objective[failed]) == {1.5}
    assert np.ptp(run.objective[~failed]) > 0.5
    assert make_run(Setting("a tenth tried", "qmc", 30, 0.3, 0)).X[:, 0].max() <= 0.1


def test_runs_are_kept_in_a_folder(tmp_path):
    setting = Setting("product", "tpe", 12, 0.3, 0)
    made = make_run(setting, tmp_path)
    again = make_run(setting, tmp_path)
    assert [path.stem for path in tmp_path.iterdir()] == [setting.label]
    np.testing.assert_array_equal(made.objective, again.objective)


# ---------------------------------------------------------------------- shares


def test_a_share_is_right_where_its_interval_holds_the_truth():
    fanova = case("hyper-ellipsoid", "importance")
    assert right(fanova, "share", ("x3",), estimate=0.6, interval=(0.5, 0.7))
    assert right(fanova, "share", ("x3",), estimate=0.6, interval=(0.58, 0.7)) is False
    names = fanova.problem.space.names
    assert right(fanova, "share", names, estimate=0.9, interval=(0.8, 1.0), term="alone")
    assert right(fanova, "share", ("x0", "x1"), interval=(0.0, 0.1)) is False


def test_without_an_interval_the_first_must_be_the_first():
    claims = (Claim("importance", ("x3",)), Claim("importance", ("x2",)))
    fanova = case("hyper-ellipsoid", "importance", claims=claims)
    assert judge(fanova, claims[0]).right
    assert judge(fanova, claims[1]).right is None
    wrong = case("hyper-ellipsoid", "importance", claims=claims[::-1])
    assert judge(wrong, claims[1]).right is False


def test_interactions():
    strength = case("product", "h_statistic")
    assert true_h(strength, ("x1", "x0")) == pytest.approx(1.0, abs=0.01)
    assert right(strength, "share", ("x0", "x1"), interval=(0.9, 1.0))
    assert right(strength, "share", strength.problem.space.names, side="below") is False
    assert right(strength, "share", ("x2",), side="below")
    additive = case("additive", "h_statistic")
    assert right(additive, "share", ("x0", "x1", "x2", "x3"), side="below")


def test_local_shares_are_those_of_the_function_along_each_axis():
    local = case("product", "local_importance", config={"x0": 0.5, "x1": 0.9, "x2": 0.1, "x3": 0.2})
    np.testing.assert_allclose(local_shares(local), [1.0, 0.0, 0.0, 0.0], atol=1e-9)
    switched = case(
        "conditional", "local_importance", config={"family": "a", "a_width": 0, "shared": 0.5}
    )
    assert local_shares(switched)[[2, 3]].tolist() == [0.0, 0.0]


# ---------------------------------------------------------------------- effects


def test_best_values():
    effect = case("additive", "partial_dependence", names=("x0",))
    assert right(effect, "best", ("x0",), (0.35,))
    assert right(effect, "best", ("x0",), (0.9,)) is False
    assert right(effect, "best", ("x0",), ((0.1, 0.4),))
    assert right(effect, "best", ("x0",), ((0.6, 1.0),)) is False
    assert right(effect, "difference", ("x0",), side="below") is False
    assert right(effect, "difference", ("x3",), side="below")
    irrelevant = case("irrelevant hyperparameters", "partial_dependence", names=("x4",))
    assert right(irrelevant, "best", ("x4",), (0.5,)) is False
    assert right(irrelevant, "best", ("x4",), ((0.0, 1.0),))


def test_best_on_average_is_not_the_best_attainable():
    families = case("conditional", "partial_dependence", names=("family",))
    assert right(families, "best", ("family",), ("b",), term="attainable")
    average = families.problem.average_effect("family")[1]
    assert right(families, "best", ("family",), ("abc"[int(average.argmin())],))
    assert right(families, "best", ("family",), (("a", "b"),), term="attainable")
    assert right(families, "best", ("family",), (("a", "c"),), term="attainable") is False


def test_a_region_is_right_where_the_model_is_nearer_to_the_truth():
    regional = case("additive", "regional_partial_dependence", names=("x0",))

    def predict(X):
        return regional.problem.cost(X) + np.where(X[:, 1] > 0.5, 0.5, 0.1), np.ones(len(X))

    told = replace(
        regional, run=SimpleNamespace(surrogate=lambda: SimpleNamespace(predict=predict))
    )
    assert right(told, "form", ("x0",), (Condition("x1", up_to=0.5),))
    assert right(told, "form", ("x0",), (Condition("x1", above=0.5),)) is False


# ---------------------------------------------------------------------- steps


def path():
    source = {"x0": 0.9, "x1": 1.0, "x2": 0.5, "x3": 0.5}
    target = {"x0": 0.3, "x1": 0.5, "x2": 0.5, "x3": 0.0}
    return case(
        "additive", "ablation", source=source, target=target, steps=(("x0",), ("x1",), ("x3",))
    )


def test_gains_are_judged_along_the_same_path():
    ablation = path()
    gains = [4 * 0.36, np.sin(3) - np.sin(1.5), 0.025]
    np.testing.assert_allclose(-np.diff(true_path(ablation)), gains)
    np.testing.assert_allclose(true_shapley(ablation), gains)
    assert right(ablation, "contribution", ("x0",), estimate=0.3)
    assert right(ablation, "contribution", ("x1",), estimate=0.3) is False
    assert right(ablation, "difference", ("x0", "x1", "x3"), estimate=0.1)
    assert right(ablation, "difference", ("x0", "x1", "x3"), side="below") is False
    assert right(ablation, "order", ("x0",), estimate=0.1) is False


def test_a_path_switches_what_is_conditional():
    ablation = case(
        "conditional",
        source={"family": "a", "a_width": 0.2, "shared": 0.5},
        target={"family": "b", "b_rate": 0.7, "shared": 0.6},
        steps=(("shared",), ("family",)),
    )
    np.testing.assert_allclose(true_path(ablation), [0.56, 0.563, 0.203], atol=1e-9)


def test_limes_coefficients_of_a_linear_part_are_its_slopes():
    lime = case(
        "additive", "lime", config={"x0": 0.3, "x1": 0.5, "x2": 0.5, "x3": 0.5}, kernel_width=0.5
    )
    found = lime_coefficients(lime)
    assert found[("x2",), (0.0, 1.0)] == pytest.approx(0.5, abs=0.02)
    assert right(lime, "difference", ("x2",), (0.0, 1.0), estimate=0.4)
    assert right(lime, "difference", ("x2",), (0.0, 1.0), estimate=-0.4) is False
    assert right(lime, "difference", ("x2",), (0.0, 0.5), estimate=-0.4) is None


# ---------------------------------------------------------------------- spaces


def test_either_optimum_may_be_kept_but_one_must():
    def lost(*ranges):
        space = hx.SearchSpace(
            [hx.FloatParameter(f"x{j}", *ends) for j, ends in enumerate([*ranges, (0, 1), (0, 1)])]
        )
        return lost_by(case("product", space=space))

    assert lost((0.0, 0.5), (0.5, 1.0)) == pytest.approx(0.0, abs=0.01)
    assert lost((0.5, 1.0), (0.0, 0.5)) == pytest.approx(0.0, abs=0.01)
    assert lost((0.0, 0.5), (0.0, 0.5)) > 0.1


def test_an_oracle_keeps_what_can_be_as_good_as_the_incumbent():
    ellipsoid = case("hyper-ellipsoid")
    shares = oracle_keeps(ellipsoid)
    cost = ellipsoid.cost(ellipsoid.run.incumbent)
    for j in range(4):
        assert shares[f"x{j}"] == pytest.approx(2 * np.sqrt(cost / (j + 1)) / 4, abs=0.07)


def test_what_can_stay_fixed_loses_no_more_than_it_may():
    irrelevant = case("irrelevant hyperparameters", "subspace", lose=0.01)
    assert right(irrelevant, "keep", ("x3", "x4"), (0.1, 0.9))
    assert right(irrelevant, "keep", ("x1",), (1.0,)) is False


def advised(problem, *actions):
    """A case of an advice, and what is judged of each of its actions."""
    made = case(problem, "advise")
    space = made.problem.space
    told = Advice(subject=Subject(space), actions=actions, space=space)
    made = replace(made, result=told)
    return [judge(made, claim) for claim in told.claims]


def test_what_an_action_gives_up_must_not_be_needed():
    kept, lost, fixed, needed = advised(
        "additive",
        changed_to("narrow", [hx.FloatParameter("x0", 0.2, 0.5)]),
        changed_to("narrow", [hx.FloatParameter("x0", 0.5, 0.9)], evidence=(fact("a"),)),
        changed_to("fix", [hx.FloatParameter("x3", 0.0, 0.0)], evidence=(fact("b"),)),
        changed_to("fix", [hx.FloatParameter("x1", 1.0, 1.0)], evidence=(fact("c"),)),
    )
    assert (kept.right, lost.right, fixed.right, needed.right) == (True, False, True, False)


def test_a_range_is_wider_where_its_end_is_best():
    better, worse = advised(
        "additive",  # rises with x2; is best at 0.3 of x0
        changed_to("widen", [hx.FloatParameter("x2", -1.0, 1.0)]),
        changed_to("widen", [hx.FloatParameter("x0", 0.0, 2.0)], evidence=(fact("a"),)),
    )
    assert (better.right, worse.right) == (True, False)


def test_configurations_to_try_must_be_better_than_the_best_trial():
    made = case("hyper-ellipsoid")
    trial = int(np.argmin(made.run.objective))
    best = made.cost(made.run.config(trial))
    because = fact("expected_improvement", trials=[trial])
    optimum, corner = ({f"x{j}": value for j in range(4)} for value in (0.4, 1.0))
    better, worse = advised(
        "hyper-ellipsoid",
        Action(
            "try",
            evidence=(because,),
            interval=(0.9 * best, 1.1 * best),
            configurations=(corner, optimum),
        ),
        Action("try", evidence=(because, because), interval=(1.0, 2.0), configurations=(corner,)),
    )
    assert (better.right, better.covered) == (True, True)
    assert (worse.right, worse.covered) == (False, False)


def test_stop_is_right_where_nothing_is_left_to_gain():
    (early,) = advised("additive", Action("stop", interval=(0.0, 1e-6), evidence=(fact("a"),)))
    assert (early.right, early.covered) == (False, False)


# ---------------------------------------------------------------------- reasons


def test_contributions_to_an_additive_function_are_differences_from_its_means():
    config = {"x0": 0.3, "x1": 0.5, "x2": 1.0, "x3": 0.0}
    found = true_contributions(case("additive", "explain_proposal", config=config))
    square = 4 * (0.49 + 0.09 - 0.21) / 3  # mean of 4 (x - 0.3)²: ((0.7)³ + (0.3)³) / 3
    expected = [-square, np.sin(1.5) - (1 - np.cos(3)) / 3, 0.25, -0.025]
    np.testing.assert_allclose(found, expected, atol=0.01)


def test_what_a_value_does_to_the_objective():
    config = {"x0": 0.3, "x1": 0.5, "x2": 1.0, "x3": 0.0}
    proposal = case("additive", "explain_proposal", config=config, terms=("mean", "uncertainty"))
    assert right(proposal, "contribution", ("x0",), (0.3,), estimate=-1.0, term="objective")
    wrong = right(proposal, "contribution", ("x2",), (1.0,), estimate=-1.0, term="objective")
    assert wrong is False
    assert right(proposal, "contribution", ("x0",), (0.3,), estimate=1.0, term="mean") is None


def test_turning_points_must_hold_for_another_weight_of_the_uncertainty():
    def told(lead):
        phi = [np.array([[mean, 1.0]]) for mean in lead]
        held = [SimpleNamespace(assumed=True, terms=("mean", "uncertainty"), phi=p) for p in phi]

        class Path(SimpleNamespace):
            def __len__(self):
                return len(self.explanations)

        made = case("additive")
        path = Path(explanations=held, names=("x0",), trials=list(range(len(held))))
        return replace(made, result=path)

    clear, unclear = told([0.1] * 5 + [9.0] * 5), told([0.8] * 5 + [1.2] * 5)
    assert right(clear, "order", ("x0",), (5,))
    assert right(unclear, "order", ("x0",), (5,)) is False
    assert right(clear, "form", estimate=0.1, interval=(0.04, 0.15))
    assert right(unclear, "form", estimate=0.45) is False


# ---------------------------------------------------------------------- all together


@pytest.fixture(scope="module")
def scored():
    return score(Setting("additive", "random", 30, 0.0, 0))


def test_a_run_is_scored_by_every_method(scored):
    assert scored.errors == []
    methods = {claim.method for claim in scored.claims}
    assert {"importance", "lime", "ablation", "trust", "explain_proposal"} <= methods
    assert scored.could["best", "partial_dependence"] == 3
    assert scored.space is not None


def test_an_oracle_says_nothing_of_what_was_not_tried():
    run = make_run(Setting("a tenth tried", "random", 30, 0.0, 0))
    tenth = Case(problem_of("a tenth tried"), run, "importance", SimpleNamespace(claims=()))
    assert not oracle(tenth)


def test_the_table_counts_certain_claims_that_are_right():
    claims = [
        Scored("gain", "ablation", certain, right, None, "", "")
        for certain, right in [
            (True, True),
            (True, True),
            (True, False),
            (True, None),
            (False, False),
        ]
    ]
    run = ScoredRun(Setting("additive", "tpe", 30, 0.0, 0), claims)
    run.could["gain", "ablation"] = 5
    (row,) = rows([run])
    assert (row.made, row.certain, row.judged, row.right) == (5, 4, 3, 2)
    assert row.claimed == row.claimed_clean == 0.4
    assert row.misses == ("right", "often")
    assert "| gain | ablation | 5 | 4 | **67 %** | 5 | **40 %** | **40 %** |" in written([run], "x")
