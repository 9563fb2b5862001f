"""Signs that a column is no hyperparameter: each asks, and what is proposed then is right."""

import itertools

import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.base.errors import MissingOptionError
from tests.adapters.searched import DESIGNS, N, table_of


def asked(table, objective="loss"):
    """What is suspicious of a table in words, and the hyperparameters that are proposed."""
    with pytest.raises(MissingOptionError) as caught:
        hx.from_frame(table, objective)
    (option,) = caught.value.settled_by
    assert option.name == "hyperparameters"
    return str(caught.value), option.value


SUSPICIOUS = {
    "from 0": ("trial_number", lambda t, g: range(N), "called as a counter"),
    "from 1": ("whatever", lambda t, g: range(1, N + 1), "numbers the rows"),
    "downward": ("rest", lambda t, g: range(N)[::-1], "numbers the rows"),
    "no name": ("#", lambda t, g: g.permutation(N), "as a counter"),
    "id": ("run_id", lambda t, g: g.permutation(N), "called as an id"),
    "hash": ("x", lambda t, g: [f"{i:x}" * 3 for i in g.permutation(10**5)[:N]], "other text"),
    "date": ("day", lambda t, g: [f"2026-01-01 10:{i}" for i in range(10, 10 + N)], "other text"),
    "seed": ("random_state", lambda t, g: g.integers(9, size=N), "a seed"),
    "fold": ("cv_fold", lambda t, g: g.integers(5, size=N), "a fold"),
    "state": ("status", lambda t, g: g.choice(["ok", "done"], N), "a status"),
    "time": ("fit_time", lambda t, g: g.random(N), "called as a time"),
    "metric": ("val_acc", lambda t, g: g.random(N), "called as a metric"),
    "few values": ("training_acc", lambda t, g: g.choice([0.1, 0.25, 0.4], N), "a metric"),
    "lists": ("per_part", lambda t, g: ["[0.1, 0.2]"] * (N - 1) + ["[0.3]"], "holds lists"),
    "other unit": ("percent of lr", lambda t, g: 100 * t["lr"], "follows from lr"),
    "order": ("aux", lambda t, g: np.exp(t["loss"]), "orders the trials"),
}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("case", SUSPICIOUS)
def test_what_is_suspicious_is_asked_and_why(case, design):
    name, make, why = SUSPICIOUS[case]
    words, proposed = asked(table_of(design, **{name: make}))
    assert f"{name} " in words
    is_in_grid = "other numbers in each row of a grid" in words
    assert why in words or (case == "order" and is_in_grid)
    # that it orders the trials only asks: a hyperparameter may decide all
    also = ["aux"] if "orders" in words else []
    assert proposed == ["lr", "depth", *also]


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(
    "name",
    "batch loss_weight max_iter n_iter test_size epochs time_limit precision threshold n_steps "
    "score_threshold weight_decay model id_dim top_k metric".split(),
)
def test_what_was_searched_is_read_without_a_question(name, design):
    table = table_of(design, **{name: lambda t, g: g.choice([2, 4, 8], N)})
    assert hx.from_frame(table, "loss").space.names == ("lr", "depth", name)


@pytest.mark.parametrize("values", [np.arange(20), np.linspace(0.1, 2.0, 20)])
def test_the_only_column_is_read_even_where_it_orders_or_numbers_the_rows(values):
    table = pd.DataFrame({"depth": values, "loss": np.linspace(0.0, 1.0, 20) ** 2})
    assert hx.from_frame(table, "loss").space.names == ("depth",)


def test_the_index_of_a_table_that_was_saved_is_left_out():
    table = table_of().rename_axis("Unnamed: 0").reset_index()
    assert hx.from_frame(table, "loss").space.names == ("lr", "depth")


def test_a_search_that_draws_numbers_beside_lists_is_no_grid():
    table = table_of(
        units=lambda t, g: g.choice([32, 64, 128], N),
        kind=lambda t, g: g.choice(["adam", "sgd"], N),
    )
    names = hx.from_frame(table, "loss").space.names
    assert names == ("lr", "depth", "units", "kind")


def test_what_differs_from_row_to_row_of_a_grid_is_asked():
    pairs = [*itertools.product([5, 10, 15, 20], [50, 100, 200])]
    rng = np.random.default_rng(0)
    table = pd.DataFrame(pairs, columns=["fast", "slow"])
    table["dip"], table["loss"] = rng.random(12), rng.random(12)
    words, proposed = asked(table)
    assert "dip other numbers in each row of a grid" in words
    assert proposed == ["fast", "slow"]


@pytest.mark.parametrize("name", ["id", "num"])
def test_a_setting_that_is_called_as_a_number_is_proposed_in_a_grid(name):
    cells = itertools.product([5, 10, 15], [50, 100], [1, 2, 3])
    table = pd.DataFrame(cells, columns=["fast", "slow", name])
    table["loss"] = np.random.default_rng(0).random(18)
    words, proposed = asked(table)
    assert name in words
    assert proposed == ["fast", "slow", name]


def test_conditions_and_repeated_configurations_follow_from_nothing():
    rng = np.random.default_rng(0)
    kind = rng.choice(["svm", "forest"], 40)
    table = pd.DataFrame({"kind": kind, "loss": rng.random(40)})
    table["C"] = np.where(kind == "svm", rng.random(40), np.nan)
    table["depth"] = np.where(kind == "svm", np.nan, rng.integers(1, 9, 40))
    assert hx.from_frame(table, "loss").space.names == ("kind", "C", "depth")
    lr = np.repeat(rng.random(16), 3)
    repeated = pd.DataFrame({"lr": lr, "wd": np.repeat(rng.random(16), 3)})
    repeated["loss"] = rng.random(48)
    assert hx.from_frame(repeated, "loss").space.names == ("lr", "wd")


def test_a_question_is_answered_by_what_it_proposes_or_by_leaving_out():
    table = table_of(trial=lambda t, g: range(N))
    _, proposed = asked(table)
    for option in ({"hyperparameters": proposed}, {"ignore": ["trial"]}, {"trial": "trial"}):
        run = hx.from_frame(table, "loss", **option)
        assert run.space.names == ("lr", "depth")
