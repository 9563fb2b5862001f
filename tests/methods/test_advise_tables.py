"""What is advised after people's tables: grids, ends, what never varied, and noise alone."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx

pytestmark = pytest.mark.usefixtures("few_draws", "answers_stay")

_UNSEEN = "that tells how much of the variation is noise"


def actions_of(table, **options):
    """The actions after a table, by their kinds."""
    # `n` alone orders the trials: it would be asked whether it is a result
    options.setdefault("hyperparameters", [*table.columns.drop("loss")])
    advice = hx.advise(table, objective="loss", **options)
    return {action.kind: action for action in advice.actions}


def drawn(n=30, seed=0, noise=0.01):
    """A table of random trials whose loss falls with `n`."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"n": rng.integers(10, 100, n), "lr": rng.uniform(0.1, 0.9, n)})
    table["loss"] = 3.0 - table["n"] / 50 + noise * rng.normal(size=n)
    return table


# ---------------------------------------------------------------------- ends


@pytest.mark.parametrize(
    ("sign", "title"), [(1, "Raise the upper bound"), (-1, "Lower the lower bound")]
)
def test_the_bound_at_which_the_best_sits_is_moved(sign, title):
    table = drawn()
    table["loss"] *= sign
    widened = actions_of(table)["widen"]
    assert widened.title.startswith(title)
    assert widened.hyperparameters == ("n",)
    low, high = widened.values[0]
    if sign > 0:
        assert (low, high > table["n"].max()) == (table["n"].min(), True)
    else:
        assert (low < table["n"].min(), high) == (True, table["n"].max())


def test_what_never_varied_is_not_widened():
    table = drawn().assign(m=7, k=1e-3)
    names = ["n", "lr", "m", "k"]
    widened = actions_of(table, hyperparameters=names)["widen"]
    assert widened.hyperparameters == ("n",)


# ---------------------------------------------------------------------- grids


def grid():
    """An enumerated grid with the best in the middle, between its values."""
    rows = [*itertools.product([1e-4, 1e-3, 1e-2, 1e-1], [2, 4, 6, 8])]
    table = pd.DataFrame(rows, columns=["lr", "depth"])
    table["loss"] = (np.log10(table["lr"]) + 2.4) ** 2
    table["loss"] += 0.1 * (table["depth"] - 4.6) ** 2
    return table


def test_after_an_enumerated_grid_nothing_untried_is_proposed():
    assert "try" not in actions_of(grid())
    rng = np.random.default_rng(0)
    off = grid().assign(lr=10 ** rng.uniform(-4, -1, 16))  # no grid
    off["loss"] = (np.log10(off["lr"]) + 2.4) ** 2
    assert "try" in actions_of(off)


def test_of_a_grid_that_is_nearly_enumerated_what_is_left_is_tried():
    table = grid()
    best = int(table["loss"].idxmin())
    left = table.loc[best, ["lr", "depth"]].to_dict()
    tried = actions_of(table.drop(index=best), log=["lr"])["try"]
    assert [dict(c) for c in tried.configurations] == [pytest.approx(left)]
    # a trial that failed was tried
    failed = table["loss"].where(table.index != best)
    assert "try" not in actions_of(table.assign(loss=failed), log=["lr"])


# ---------------------------------------------------------------------- noise


@pytest.mark.alike
@pytest.mark.parametrize("seed", range(3))
def test_where_nothing_but_noise_is_seen_trials_are_repeated(seed):
    table = drawn(seed=seed)
    rng = np.random.default_rng(seed)
    repeated = actions_of(table.assign(loss=rng.normal(1.0, 0.1, 30)))
    assert repeated.keys() == {"keep", "repeat"}
    assert len(repeated["repeat"].trials) == 2
    (reason,) = repeated["repeat"].evidence
    told = re.fullmatch(r"noise makes up (\d+)% of the variance of .*", str(reason))
    assert (told and int(told[1]) > 50) or str(reason) == _UNSEEN


def test_where_something_is_seen_nothing_is_repeated_for_noise():
    assert "repeat" not in actions_of(drawn())
    few = drawn(n=6)  # of two hyperparameters: too few to have seen them
    rng = np.random.default_rng(3)
    few["loss"] = rng.normal(size=6)
    action = actions_of(few).get("repeat")
    assert action is None or str(action.evidence[0]) != _UNSEEN


# ---------------------------------------------------------------------- outside


@pytest.fixture(scope="module")
def with_best_outside():
    """A run whose best trial, 3, has a value outside of the space."""
    table = drawn()
    table.loc[3, ["n", "loss"]] = [500, -7.5]
    space = hx.SearchSpace([hx.IntParameter("n", 1, 100), hx.FloatParameter("lr", 0.0, 1.0)])
    study = pytest.importorskip("optuna").create_study()
    from optuna.distributions import FloatDistribution, IntDistribution
    from optuna.trial import create_trial

    for row in table.to_dict("records"):
        trial = create_trial(
            params={"n": int(row["n"]), "lr": row["lr"]},
            distributions={"n": IntDistribution(1, 1000), "lr": FloatDistribution(0.0, 1.0)},
            value=row["loss"],
        )
        study.add_trial(trial)
    return hx.from_optuna(study, space=space)


def test_that_a_better_trial_lies_outside_is_said_where_one_is_kept(with_best_outside):
    keep = hx.advise(with_best_outside).actions[0]
    (said,) = [f for f in keep.evidence if f.kind == "best_outside_range"]
    assert said.trials == (3,)
    assert "trial 3 (-7.5) is better than every trial" in keep.reason


@pytest.mark.parametrize("ask", [hx.summary, hx.history, hx.optimum])
def test_that_a_better_trial_lies_outside_is_said_once_beside_the_best(with_best_outside, ask):
    found = ask(with_best_outside)
    assert str(found).count("(trial 3 is better, outside the space)") == 1
    inside = replace(with_best_outside, notes=())
    assert "outside the space" not in str(ask(inside))


def test_of_later_trials_none_inside_the_space_was_better(with_best_outside):
    first = replace(with_best_outside, objective=np.arange(0.0, len(with_best_outside)))
    found = hx.history(first)
    assert found.incumbent_trial == 0
    assert "nothing better inside the space" in found.sentence
    assert "outside the space" in found.headline


def test_what_was_seen_from_0_on_is_not_lowered_below():
    table = drawn()
    table["n"] -= table["n"].min()
    table["loss"] *= -1
    assert "widen" not in actions_of(table)
    space = [hx.IntParameter("n", 0, int(table["n"].max()))]
    assert actions_of(table, space=space)["widen"].values[0][0] < 0
