"""The important subspace: against brute force over all sets, and inside Optuna."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import optuna
import pytest

import hpo_explain as hx
from hpo_explain.base.facts import fact
from hpo_explain.base.subject import Subject
from hpo_explain.belief.decisions import decide
from hpo_explain.methods.space.subspace_result import Subspace
from hpo_explain.models.box_sums import closed_variance, mean_and_variance
from tests.analytic import space_of, unit_cube

few_draws = pytest.mark.usefixtures("few_draws_here")


def fitted(space, mean, n=300):
    X = space.sample(n, seed=1)
    return hx.Run(space, X, mean(X), "minimize")


def subspace_of(run, share=0.9):
    """By the forest alone: a belief is asked what can stay fixed, which is of no share."""
    return explainer_of(run, incumbent=run.incumbent).explain(share)


def explainer_of(run, **known):
    """The explainer of the run's forest, which knows no incumbent, or the one that is named."""
    forest = run.surrogate(kind="forest", n_trees=8)
    return hx.methods.SubspaceExplainer(
        forest, subject=Subject(run.space, **known)
    )


def brute_force(run, names):
    """The share of the variance that a set explains, by the exact integral of each tree."""
    members = [run.space.index(name) for name in names]
    trees = run.surrogate(kind="forest", n_trees=8).boxes()
    shares = [
        closed_variance([b], members) / mean_and_variance(b)[1] for b in trees
    ]
    return np.mean(shares), np.std(shares)


def products(X):
    return X[:, 0] * X[:, 1] * X[:, 2] + 0.2 * X[:, 4]


@pytest.fixture(scope="module")
def of_products():
    """A run, and the share that each set of its hyperparameters explains."""
    run = fitted(unit_cube(6), products)
    shares = {
        names: brute_force(run, names)[0]
        for size in range(7)
        for names in combinations(run.space.names, size)
    }
    return run, shares


@pytest.mark.parametrize("share", [0.3, 0.6, 0.8, 0.9, 0.99, 1.0])
def test_no_smaller_set_explains_the_share_and_no_set_of_the_size_explains_more(
    of_products, share
):
    run, shares = of_products
    subspace = subspace_of(run, share)
    assert subspace.exhaustive
    size = len(subspace.names)
    best = max(shares[names] for names in shares if len(names) == size)
    assert subspace.explained[-1] == pytest.approx(best, rel=1e-9)
    assert best >= share - 1e-9
    for names, explained in shares.items():
        if len(names) == size - 1:
            assert explained < share - 1e-9


def test_each_step_is_what_its_hyperparameters_explain_together():
    run = fitted(unit_cube(5), products)
    subspace = subspace_of(run, 0.97)
    assert len(subspace.names) > 2
    for k in range(1, len(subspace.names) + 1):
        mean, std = brute_force(run, subspace.names[:k])
        assert subspace.explained[k - 1] == pytest.approx(mean, rel=1e-9)
        assert subspace.std[k - 1] == pytest.approx(std, rel=1e-6, abs=1e-12)


@few_draws
def test_interactions_count_for_those_that_take_part_in_them():
    def either(X):
        return (X[:, 1] > 0.4) ^ (X[:, 2] > 0.6)

    run = fitted(unit_cube(4), either, n=1000)
    result = hx.importance(run, n_trees=8)
    assert result.share("x2") + result.share("x3") < 0.3
    assert set(subspace_of(run, 0.8).names) == {"x2", "x3"}


def test_the_others_are_those_of_the_incumbent():
    run = fitted(unit_cube(3), lambda X: X[:, 1] ** 2)
    subspace = subspace_of(run)
    assert subspace.names == ("x2",)
    assert subspace.others == {
        name: run.incumbent[name] for name in ("x1", "x3")
    }
    explains, *_ = subspace.claims
    assert (explains.kind, explains.hyperparameters) == ("share", ("x2",))
    assert explains.estimate == pytest.approx(subspace.explained[-1])
    assert not explains.certain


def test_many_hyperparameters_are_grown_greedily_and_it_is_said(monkeypatch):
    run = fitted(unit_cube(8), products)
    exhaustive = subspace_of(run, 0.95)
    monkeypatch.setattr("hpo_explain.methods.space.subspace.MOST_SETS", 3)
    greedy = explainer_of(run).explain(0.95)
    assert not greedy.exhaustive
    assert "set_grown_greedily" in [note.kind for note in greedy.notes]
    assert greedy.explained[-1] >= 0.95
    assert len(greedy.names) >= len(exhaustive.names)
    assert set(greedy.names) >= {"x1", "x2", "x3"}


def test_of_a_constant_objective_nothing_matters():
    subspace = subspace_of(fitted(unit_cube(2), lambda X: np.ones(len(X))))
    assert subspace.names == ()
    assert set(subspace.others) == {"x1", "x2"}
    assert [(claim.kind, claim.side) for claim in subspace.claims] == [
        ("share", "below")
    ]


def conditional():
    return space_of(
        booster=["tree", "dart", "linear"],
        drop=(0.0, 1.0),
        lr=(0.0, 1.0),
        when={"drop": {"booster": ["dart"]}},
    )


def test_what_is_inactive_in_the_incumbent_is_not_fixed():
    run = fitted(conditional(), lambda X: X[:, 2] + 0.2 * (X[:, 0] == 1))
    subspace = subspace_of(run, 0.8)
    assert subspace.names == ("lr",)
    assert run.incumbent["booster"] != "dart"
    assert list(subspace.others) == ["booster"]
    assert [(note.kind, note.names) for note in subspace.notes] == [
        ("inactive_not_fixed", ("drop",))
    ]


def test_the_parent_of_what_is_inactive_in_the_incumbent_comes_along():
    run = fitted(
        conditional(),
        lambda X: np.where(
            X[:, 0] == 1, 0.5 + 3.0 * np.abs(X[:, 1] - 0.5), 0.9
        ),
    )
    explainer = explainer_of(run, incumbent={"booster": "tree", "lr": 0.5})
    subspace = explainer.explain(0.6)
    assert set(subspace.names) == {"booster", "drop"}
    assert subspace.others == {"lr": 0.5}


# ---------------------------------------------------------------------- what can stay fixed


def valley(X):
    """x1 matters most over the space, but at its incumbent's value only x2 is left to gain."""
    return 3.0 * (X[:, 0] - 0.3) ** 2 + (X[:, 1] - 0.8) ** 2


def run_of_valley(seed):
    space = unit_cube(3)
    X = space.sample(80, seed=seed)
    return hx.Run(space, X, valley(X), "minimize")


def judged(run):
    return hx.methods.subspace(run, share=0.8, n_trees=8)


@pytest.mark.parametrize("seed", [3, 6])  # of 2, nothing is said to stay fixed
def test_what_can_stay_fixed_truly_loses_little(seed):
    run = run_of_valley(seed)
    subspace = judged(run)
    at = run.incumbent
    losses = {
        "x1": 3.0 * (at["x1"] - 0.3) ** 2,
        "x2": (at["x2"] - 0.8) ** 2,
        "x3": 0.0,
    }
    lost = sum(losses[name] for name in subspace.fixed)
    assert subspace.fixed
    assert lost <= subspace.lose
    _, claim = subspace.claims
    assert (claim.kind, claim.certain) == ("keep", True)
    assert (
        dict(zip(claim.hyperparameters, claim.values, strict=True))
        == subspace.fixed
    )
    assert subspace.fixed.items() <= at.items()


@pytest.mark.parametrize("seed", [2, 3, 6])
def test_its_space_holds_one_nearly_as_good_as_the_best(seed):
    """By the true function at the corners and the best values of what is free."""
    run = run_of_valley(seed)
    subspace = judged(run)
    space, part = run.space, subspace.space
    assert part.names == space.names
    for name in space.names:
        if name in subspace.fixed:
            assert part[name].low == part[name].high == subspace.fixed[name]
        else:
            assert part[name] == space[name]
    free = [
        np.clip(x, p.low, p.high)
        for x, p in zip((0.3, 0.8, 0.0), part, strict=True)
    ]
    assert valley(np.array([free]))[0] <= subspace.lose
    assert part.encode(run.incumbent).shape == (1, 3)


def test_its_space_goes_on_in_optuna_and_in_other_methods():
    space = space_of(x=(0.0, 1.0), c=["a", "b", "c"], n=range(4))
    X = space.sample(80, seed=1)
    X = X[np.abs(X[:, 0] - 0.3) > 0.15]  # the optimum was not tried
    run = hx.Run(
        space, X, 3.0 * (X[:, 0] - 0.3) ** 2 + (X[:, 1] != 1), "minimize"
    )
    subspace = judged(run)
    assert "n" in subspace.fixed
    assert not {*subspace.names} & {
        *subspace.fixed
    }  # what explains most is to be tuned
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study()
    for _ in range(12):
        trial = study.ask(subspace.space.to_optuna())
        assert subspace.fixed.items() <= trial.params.items()
        study.tell(trial, (trial.params["x"] - 0.3) ** 2)
    again = hx.importance(hx.from_optuna(study, space=subspace.space))
    assert again.share("x") > 0.9


def test_what_a_fixed_parent_never_activates_is_not_in_its_space():
    space = conditional()
    made = Subspace(
        subject=Subject(space),
        names=("lr",),
        share=0.9,
        explained=np.ones(1),
        std=np.zeros(1),
        fixed={"booster": "tree"},
        exhaustive=True,
    )
    assert made.space.names == ("booster", "lr")
    assert made.space["booster"].choices == ("tree",)
    whole = replace(made, fixed={})
    assert whole.space.parameters == space.parameters


def test_what_is_left_to_gain_cannot_stay_fixed():
    space = unit_cube(3)
    X = space.sample(80, seed=1)
    # the optimum was not tried
    X = X[np.abs(X[:, 1] - 0.8) + np.abs(X[:, 0] - 0.3) > 0.35]
    assert "x2" not in judged(hx.Run(space, X, valley(X), "minimize")).fixed


@few_draws
def test_shares_are_of_the_good_quarter_unless_that_is_one_value():
    space = unit_cube(3)
    X = space.sample(200, seed=1)
    # what decides over the whole space is decided among the good
    bad = X[:, 0] > 0.5
    run = hx.Run(space, X, np.where(bad, 9.0, X[:, 1]), "minimize")
    assert hx.methods.subspace(run, 0.5, n_trees=8, cap=None).names == ("x1",)
    capped = hx.methods.subspace(run, 0.5, n_trees=8)
    assert "x2" in capped.names
    by_hand = hx.models.ForestSurrogate.fit(
        space,
        X,
        np.minimum(run.objective, np.quantile(run.objective, 0.25)),
        n_trees=8,
    )
    assert hx.methods.SubspaceExplainer(by_hand).explain(
        0.5
    ).explained == pytest.approx(capped.explained)
    tied = hx.Run(space, X, np.round(X[:, 0]), "minimize")
    subspace = hx.methods.subspace(tied, n_trees=8)
    assert "cap_is_the_best" in [note.kind for note in subspace.notes]


def told(names, fixed, **known):
    """A subspace made by hand."""
    n = len(names)
    return Subspace(
        subject=Subject(unit_cube(3)),
        names=tuple(names),
        share=0.9,
        explained=np.full(n, 0.9),
        std=np.full(n, 0.05),
        fixed=dict.fromkeys(fixed, 0.5),
        exhaustive=True,
        loss=decide(np.zeros(4), 0.1, side="below"),
        lose=0.1,
        **known,
    )


@few_draws
def test_the_sentences_say_what_the_set_explains_and_what_can_stay_fixed():
    of_one = "x1 explains 90%, sd 5% over trees, of the variance"
    left = "can stay at the incumbent's values: by that the best objective gets worse by 0.1"
    none = "No hyperparameter can stay fixed for all that the trials tell."
    one, two, three = unit_cube(3).names
    assert (
        told([one], [two, three]).finding
        == f"{of_one}. x2 and x3 {left} at most."
    )
    assert told([one], []).finding == f"{of_one}. {none}"
    assert told([one, two], []).finding == (
        "x1 and x2 explain 90%, sd 5% over trees, of the variance, interactions among them "
        f"included. {none}"
    )
    assert (
        told("", "").finding
        == "The prediction is constant: no hyperparameter matters."
    )
    capped = told([one], [], notes=(fact("objectives_capped"),))
    assert capped.finding.startswith(f"{of_one} among good predictions.")
    run = fitted(unit_cube(2), lambda X: X[:, 0])
    # it has no joint posterior
    forest = run.surrogate(kind="forest", n_trees=8)
    unknown = hx.methods.subspace(run, surrogate=forest).finding
    assert unknown.endswith("It is not known what can stay fixed.")
