"""Several objectives of the same trials: dominance, hypervolume, and what is made of them."""

import itertools

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.adapters import as_run
from hpo_explain.run import Objectives, WithoutResult, hypervolume, pareto_ranks

SPACE = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])


def runs_of(values, directions, X=None, **options):
    values = np.asarray(values, dtype=float)
    X = SPACE.sample(len(values)) if X is None else X
    names = [f"f{k}" for k in range(values.shape[1])]
    return {
        name: hx.Run(SPACE, X, column, direction, objective_name=name, **options)
        for name, column, direction in zip(names, values.T, directions, strict=True)
    }


def by_definition(costs):
    """Pareto ranks by peeling fronts, each row compared with each."""
    left, ranks, rank = ([*range(len(costs))], np.zeros(len(costs), dtype=int), 0)
    while left:
        rank += 1
        front = [
            i
            for i in left
            if not any(
                all(a <= b for a, b in zip(costs[j], costs[i], strict=True))
                and any(a < b for a, b in zip(costs[j], costs[i], strict=True))
                for j in left
            )
        ]
        ranks[front] = rank
        left = [i for i in left if i not in front]
    return ranks


@pytest.mark.parametrize("m", [2, 3])
def test_ranks_are_those_by_definition_whichever_way_is_better(m):
    costs = np.random.default_rng(m).integers(0, 6, (40, m)).astype(float)
    for signs in itertools.product([1.0, -1.0], repeat=m):
        directions = ["minimize" if sign > 0 else "maximize" for sign in signs]
        found = Objectives.of(runs_of(costs * signs, directions))
        assert found.ranks.tolist() == by_definition(costs.tolist()).tolist()
        assert (found.ranks[found.front] == 1).all()
        assert (np.diff(found.costs[found.front, 0]) >= 0.0).all()


def test_the_hypervolume_of_boxes_and_of_draws():
    assert hypervolume(np.array([[0.0, 0.0, 0.0]]), np.array([1.0, 2.0, 3.0])) == 6.0
    assert hypervolume(np.array([[2.0, 0.0]]), np.ones(2)) == 0.0  # beyond the reference
    rng = np.random.default_rng(0)
    points, draws = rng.random((12, 3)), rng.random((200_000, 3))
    dominated = (points[:, None, :] <= draws[None, :, :]).all(axis=2).any(axis=0)
    assert hypervolume(points, np.ones(3)) == pytest.approx(dominated.mean(), abs=0.005)
    front = points[pareto_ranks(points) == 1]
    assert hypervolume(points, np.ones(3)) == pytest.approx(hypervolume(front, np.ones(3)))


def test_what_a_trial_adds_to_the_hypervolume_and_what_it_lacks():
    # scaled, the front is (0, 1), (0.5, 0.5), (1, 0), the reference (1.1, 1.1)
    values = [[1.0, 30.0], [2.0, 20.0], [3.0, 10.0], [3.0, 30.0]]
    found = Objectives.of(runs_of(values, ["minimize", "minimize"]))
    np.testing.assert_allclose(found.hypervolume_contribution, [0.05, 0.25, 0.05, -0.5])


def test_an_infeasible_trial_is_behind_all_others_and_never_on_the_front():
    feasible = np.array([True, False, True])
    found = Objectives.of(
        runs_of([[1.0, 3.0], [0.0, 0.0], [2.0, 4.0]], ["minimize"] * 2, feasible=feasible)
    )
    assert found.ranks.tolist() == [1, 3, 2]
    assert found.front.tolist() == [0]


def test_weights_of_one_objective_are_that_objective():
    values = np.random.default_rng(1).random((20, 2))
    found = Objectives.of(runs_of(values, ["minimize", "maximize"]))
    only = found.run({"f1": 3.0})
    expected = (values[:, 1].max() - values[:, 1]) / np.ptp(values[:, 1])
    np.testing.assert_allclose(only.objective, expected)
    assert only.direction == "minimize"
    both = found.run({"f0": 1.0, "f1": 1.0}).objective
    np.testing.assert_allclose(2.0 * both, found.run({"f0": 1.0}).objective + only.objective)


def test_every_function_takes_them_as_a_target():
    X = SPACE.sample(40)
    values = np.column_stack([X[:, 0], 1.0 - X[:, 0] + X[:, 1]])
    runs = runs_of(values, ["minimize", "minimize"], X=X)
    along = as_run(runs, target={"f0": 1.0, "f1": 0.0})
    assert hx.importance(along, kind="gp").share("x") > 0.95
    with pytest.raises(hx.base.NothingToExplain, match="the optimizer saw another objective"):
        hx.explain_proposal(runs, target={"f0": 1.0})


def test_a_run_with_times_has_them_as_its_second_objective():
    run = hx.Run(SPACE, SPACE.sample(3), [1.0, 2.0, 3.0], "minimize", durations=[9.0, np.nan, 2.0])
    found = Objectives.of({"loss": run})
    assert found.names == ("loss", "duration in seconds")
    assert found.trials.tolist() == [0, 2]
    assert found.left_out == (1,)


def test_trials_are_joined_by_their_numbers():
    X = SPACE.sample(4)
    one = hx.Run(SPACE, X[:3], [1.0, 2.0, 3.0], "minimize", trials=[0, 1, 2])
    two = hx.Run(SPACE, X[[3, 2, 1]], [4.0, 5.0, 6.0], "minimize", trials=[3, 2, 1])
    found = Objectives.of({"one": one, "two": two})
    assert found.trials.tolist() == [1, 2]
    assert found.values.tolist() == [[2.0, 6.0], [3.0, 5.0]]


def test_what_are_no_objectives_of_the_same_trials_is_refused():
    one = hx.Run(SPACE, SPACE.sample(3), [1.0, 2.0, 3.0], "minimize")
    with pytest.raises(hx.base.NothingToExplain, match="there is one objective"):
        Objectives.of({"loss": one})
    other = hx.Run(SPACE, SPACE.sample(3, seed=1), [1.0, 2.0, 3.0], "minimize")
    with pytest.raises(hx.base.InputError, match="other configurations"):
        Objectives.of({"loss": one, "size": other})
    alone = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    elsewhere = hx.Run(alone, alone.sample(3), [1.0, 2.0, 3.0], "minimize")
    with pytest.raises(hx.base.InputError, match="different search spaces"):
        Objectives.of({"loss": one, "size": elsewhere})
    with pytest.raises(hx.base.InputError, match="which importance alone answers"):
        as_run(runs_of(np.eye(3)[:, :2], ["minimize"] * 2), target="pareto_rank")
    with pytest.raises(hx.base.InputError, match="weights of objectives, none negative"):
        as_run(runs_of(np.eye(3)[:, :2], ["minimize"] * 2), target={"f0": -1.0})
    pending = {7: WithoutResult("running", [0.5, 0.5])}
    later = hx.Run(
        SPACE, one.X, one.objective, "minimize", trials=[4, 5, 6], without_result=pending
    )
    with pytest.raises(hx.base.NothingToExplain, match="fewer than two finished trials together"):
        Objectives.of({"loss": one, "size": later})
