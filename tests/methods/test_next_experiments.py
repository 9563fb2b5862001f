"""Experiments that narrow a band: what a trial takes off the band, against a refitted process."""

import numpy as np
import pandas as pd
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

import hpo_explain as hx
from hpo_explain.base.text import tell
from hpo_explain.methods.advice.next_experiments import choose_experiments
from tests.analytic import AnalyticSurrogate, nested_space, unit_cube

SPACE = unit_cube(2)
NOISE = 0.04


def process(X):
    """A process with a kernel that is given, conditioned on trials (their objective is zero)."""
    kernel = ConstantKernel(2.0, "fixed") * Matern([0.3, 0.6], "fixed", nu=2.5)
    gp = GaussianProcessRegressor(kernel, alpha=NOISE, optimizer=None).fit(X, np.zeros(len(X)))
    return hx.GaussianProcessSurrogate(SPACE, gp)


def band(surrogate, names):
    """The variance of the band of a curve or surface, averaged over the grid."""
    explainer = hx.PartialDependenceExplainer(surrogate, sample=60, grid_size=6)
    return float(np.mean(explainer.explain(names).std ** 2))


@pytest.mark.parametrize("names", ["x1", ("x1", "x2")])
def test_the_experiments_are_those_after_which_the_refitted_band_is_narrowest(names):
    X = SPACE.sample(12, seed=3) * [1.0, 0.4]
    candidates = SPACE.sample(25, seed=1)
    chosen = choose_experiments(process(X), names, 3, sample=60, grid_size=6, candidates=25, seed=0)
    assert chosen.notes == ()
    for row in chosen.X:
        refitted = [band(process(np.vstack([X, row])), names) for row in candidates]
        np.testing.assert_allclose(row, candidates[np.argmin(refitted)])
        X = np.vstack([X, row])


def test_a_candidate_is_chosen_once_even_where_nothing_is_left_to_learn():
    X = SPACE.sample(12, seed=3)
    chosen = choose_experiments(process(X), "x1", 8, sample=10, grid_size=3, candidates=8)
    assert len(np.unique(chosen.X, axis=0)) == 8


def test_experiments_in_a_nested_space_are_configurations_that_a_study_takes():
    space = nested_space()
    X = space.sample(40, seed=0)
    run = hx.Run(space, X, np.nan_to_num(X) @ np.arange(1.0, len(space) + 1), "minimize")
    for names in ("optimizer", "momentum", ("lr", "n_layers")):
        found = hx.next_experiments(run, names, n=3, sample=30, grid_size=4, candidates=40)
        assert len(found) == 3
        assert space.is_valid(space.encode(found)).all()


def test_without_a_joint_posterior_those_of_largest_uncertainty_are_returned_with_a_note():
    surrogate = AnalyticSurrogate(SPACE, 0.0, lambda X: X[:, 0] + 0.1 * X[:, 1])
    found = choose_experiments(surrogate, "x1", 3, sample=20, grid_size=5)
    (note,) = found.notes
    assert note.kind == "no_joint_posterior"
    assert tell(note, lambda option: f"--{option.name} {option.value}").endswith("use --kind gp")
    assert found.X[:, 0].tolist() == [1.0, 1.0, 1.0]
    assert found.X[:, 1].tolist() == sorted(SPACE.sample(20, seed=0, latent=True)[:, 1])[:-4:-1]


def few_choices(kind):
    """A run of which there are six configurations, and its surrogate."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"k": rng.choice(list("abc"), 40), "b": rng.choice(["t", "f"], 40)})
    table["loss"] = (table.k == "a") + 0.5 * (table.b == "t")
    return hx.from_frame(table, "loss"), {"kind": kind, "sample": 50, "candidates": 50}


@pytest.mark.parametrize("kind", ["gp", "forest"])
@pytest.mark.parametrize("names", ["k", ("k", "b")])
def test_experiments_differ_and_are_fewer_where_there_are_no_others(kind, names):
    run, options = few_choices(kind)
    surrogate = run.surrogate(kind=options.pop("kind"))
    for n in (3, 6):
        found = choose_experiments(surrogate, names, n, **options).configurations
        assert len({tuple(config.items()) for config in found}) == len(found) == n
    found = choose_experiments(surrogate, names, 9, **options)
    note = found.notes[-1]
    assert (note.kind, note["asked"], note["found"]) == ("fewer_experiments", 9, 6)
    option = "candidates" if kind == "gp" else "sample"
    assert str(note) == (
        "n is 9, but there are only 6 different configurations to choose from. If the space has "
        f"others, give a larger {option}="
    )
    assert len(found.configurations) == 6


def test_the_most_uncertain_of_each_curve_comes_before_others_of_the_same_curve():
    space = hx.SearchSpace([hx.IntParameter("i", 1, 3), hx.IntParameter("j", 1, 2)])
    surrogate = AnalyticSurrogate(space, 0.0, lambda X: 5.0 * X[:, 0] + 2.0 * X[:, 1])
    found = choose_experiments(surrogate, "i", 4, sample=20).configurations
    decoded = [(config["i"], config["j"]) for config in found]
    assert decoded == [(3, 2), (3, 1), (2, 2), (2, 1)]


@pytest.mark.parametrize("kind", ["gp", "forest"])
def test_what_is_probably_infeasible_is_not_proposed(kind):
    X = SPACE.sample(40, seed=0) * ([0.5, *[1.0] * (len(SPACE) - 1)])  # x1 up to the middle
    model = process(X) if kind == "gp" else AnalyticSurrogate(SPACE, 0.0, lambda X: X[:, 0])

    def feasible(rows):
        return np.where(rows[:, 0] < 0.7, 0.9, 0.2)

    def never(rows):
        return np.full(len(rows), 0.1)

    free = choose_experiments(model, "x1", 5, sample=50)
    bound = choose_experiments(model, "x1", 5, sample=50, feasible=feasible)
    assert (free.X[:, 0] >= 0.7).any()
    assert (bound.X[:, 0] < 0.7).all()
    assert len(bound.X) == 5
    assert "infeasible_left_out" in [note.kind for note in bound.notes]
    nothing = choose_experiments(model, "x1", 2, sample=50, feasible=never)
    assert nothing.configurations == []
    assert [note.kind for note in nothing.notes][-2:] == [
        "infeasible_left_out",
        "fewer_experiments",
    ]


def test_the_function_knows_the_constraints_of_the_run():
    space = unit_cube(2)
    X = space.sample(40, seed=0)
    run = hx.Run(space, X, X[:, 1], "minimize", feasible=X[:, 0] < 0.5)
    with pytest.warns(UserWarning, match="left out as probably infeasible"):
        found = hx.next_experiments(run, "x2", 5, sample=30)
    assert all(config["x1"] < 0.6 for config in found)
