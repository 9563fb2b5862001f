import math
import re
from contextlib import suppress
from datetime import date, time, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import optuna
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hpo_explain as hx
from hpo_explain.adapters._cells import is_empty
from hpo_explain.base.errors import InputError, NothingToExplain
from tests.noted import columns_left_out, noted, the_note


def read(options=None, /, **columns):
    """The run of the table below with other columns, or with more."""
    return hx.from_frame(EXPORT.assign(**columns), "loss", **(options or {}))


EXPORT = pd.DataFrame(
    {
        "lr": [1e-4, 1e-3, 1e-1, 3e-2],
        "layers": [1, 3, 2, 5],
        "booster": ["gbtree", "dart", "gbtree", "gblinear"],
        "bias": [True, False, False, True],
        "loss": [0.9, 0.4, 0.7, 0.6],
    }
)
NAMES = ("lr", "layers", "booster", "bias")
Float, Int, Choice = (hx.FloatParameter, hx.IntParameter, hx.CategoricalParameter)


def test_a_table_becomes_a_run_of_its_rows():
    run = hx.from_frame(EXPORT, objective="loss")
    assert (run.direction, run.objective_name) == ("minimize", "loss")
    assert run.trials.tolist() == [0, 1, 2, 3]
    assert run.objective.tolist() == [0.9, 0.4, 0.7, 0.6]
    assert (run.proposals, run.incumbent_trial) == ((), 1)
    for number, row in enumerate(EXPORT.drop(columns="loss").to_dict("records")):
        assert run.config(number) == pytest.approx(row)
    kinds_ = [Choice("booster", ["gbtree", "dart", "gblinear"]), Choice("bias", [True, False])]
    numbers = [Float("lr", 1e-4, 1e-1, log=True), Int("layers", 1, 5)]
    assert run.space == hx.SearchSpace([*numbers, *kinds_])
    assert hx.from_frame(EXPORT, "loss", "maximize").direction == "maximize"


@pytest.mark.parametrize(
    ("column", "parameter"),
    [
        (pd.Series(["a", "b", "a"], dtype="category"), Choice("c", ["a", "b"])),
        (pd.Series([2, 1, 2], dtype="category"), Choice("c", [2, 1])),
        (pd.Series([1, "1", True], dtype=object), Choice("c", [1, "1", True])),
        (pd.Series([[1], [2], [1]]), Choice("c", [[1], [2]])),
        (pd.Series([True, False, True]), Choice("c", [True, False])),
        (pd.Series([3, 1, 2], dtype="Int64"), Int("c", 1, 3)),
        (pd.Series([3, 1, 2], dtype=object), Int("c", 1, 3)),
        (pd.Series([3.0, 1.0, 2.0]), Float("c", 1.0, 3.0)),
        (pd.Series([2**70, 1, 2], dtype=object), Float("c", 1.0, 2.0**70)),
        (pd.Series([3.0, 1.5, 2.0], dtype="Float64"), Float("c", 1.5, 3.0)),
        (pd.Series([0.1, 0.1, 0.1]), Float("c", 0.1, 0.1)),
        (pd.Series(["a", "a", "a"]), Choice("c", ["a"])),
        (pd.Series([Decimal("0.25"), 1, Decimal("0.75")]), Float("c", 0.25, 1.0)),
        (pd.Series([Decimal("3"), Decimal("1"), 2]), Int("c", 1, 3)),
        (pd.Series([Fraction(1, 2), 1, Fraction(3, 2)]), Float("c", 0.5, 1.5)),
        (
            pd.Series([*map(Decimal, (1, 2, 1))], dtype="category"),
            Choice("c", [*map(Decimal, (1, 2))]),
        ),
    ],
)
def test_every_type_of_column_is_understood(column, parameter):
    run = hx.from_frame(pd.DataFrame({"c": column, "loss": [1.0, 2.0, 3.0]}), "loss")
    assert run.space.parameters == (parameter,)
    for trial, value in enumerate(column.tolist()):
        assert run.config(trial)["c"] == (pytest.approx(value) if type(value) is float else value)


LINEAR = np.random.default_rng(0).uniform(1e-4, 0.5, 200)
LOG = np.exp(np.random.default_rng(0).uniform(np.log(1e-4), np.log(1e-2), 40))


@pytest.mark.parametrize(
    ("values", "log"),
    [
        ([1e-3, 1e-2, 1.0], True),
        ([16, 32, 64, 128], True),
        ([0.1, 1.0, 10.0], True),
        ([-1e-3, 1e-2, 1e3], False),
        ([0.0, 1e-2, 1e3], False),
        ([1, 2, 3, 4, 5], False),
        ([10, 40, 70, 100], False),
        (LINEAR, False),  # spans three decades by its smallest value
        (LOG, True),  # spans two
        # an optimizer crowds at the lower end of a linear range, the upper end of a log one
        ([*np.linspace(0.05, 1.0, 40), *np.full(40, 0.051)], False),
        ([*LOG, *np.linspace(0.0099, 0.01, 60)], True),
    ],
)
def test_the_scale_is_that_on_which_values_spread_evenly(values, log):
    table = pd.DataFrame({"c": values, "loss": np.arange(len(values)) % 5})
    run = hx.from_frame(table, "loss")
    assert run.space["c"].log is log
    assert bool(noted(run.notes, "assumed to be on a logarithmic scale")) == log


def crowded(rng, log):
    """What an optimizer tried between 1e-4 and 10: ten values anywhere, then all near an end."""
    near = rng.choice([0.05, 0.95]) + rng.normal(0.0, 0.05, 30)
    line = np.append(rng.random(10), np.clip(np.abs(near), 0.0, 1.0))
    return 10 ** (5.0 * line - 4.0) if log else 1e-4 + 10.0 * line


@pytest.mark.parametrize("log", [True, False])
def test_an_optimizer_that_crowds_at_an_end_hides_no_scale(log):
    right, mistaken = 0, 0
    for seed in range(40):
        values = crowded(np.random.default_rng(seed), log)
        run = hx.from_frame(pd.DataFrame({"c": values, "loss": np.arange(40) % 7}), "loss")
        unclear = noted(run.notes, "do not tell whether its scale is linear or logarithmic")
        right += run.space["c"].log == log
        mistaken += run.space["c"].log != log and not unclear
    assert right >= 36
    assert mistaken <= 2


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ([64, 256, 128, 64, 256, 128, 64, 128, 256, 64], (64, 128, 256)),  # in many rows
        ([0.1, 0.3, 0.1, 0.1, 0.3, 0.3, 0.1, 0.3, 0.1, 0.3], (0.1, 0.3)),
        ([16, 512, 64, 256, 1024, 32, 128, 8, 2048, 4096], tuple(2**i for i in range(3, 13))),
        ([1, 2, 3, 2, 1, 3, 2, 1, 3, 2], None),  # all whole numbers of a range
        ([10, 30, 20, 50, 10, 20, 30, 50, 70, 60], None),  # some are in one row
        ([0.1, 0.3, 0.2, 0.6, 0.7, 0.9, 0.8, 0.4, 0.5, 0.25], None),
    ],
)
def test_of_numbers_of_a_list_only_those_are_proposed(column, values):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"c": column, "x": rng.random(10), "loss": rng.random(10)})
    run = hx.from_frame(table, "loss", hyperparameters=["c", "x"])
    assert run.space["c"].values == values
    assert bool(noted(run.notes, "c: only values that occur are proposed")) == (values is not None)
    assert run.config(3)["c"] == column[3]


def test_what_is_proposed_and_explained_of_a_list_are_its_values():
    rng = np.random.default_rng(0)
    width = np.tile([64, 128, 192, 512], 10)
    table = pd.DataFrame({"width": width, "x": rng.random(40)})
    table["loss"] = np.log(width / 150.0) ** 2 + table.x  # between 128 and 192
    run = hx.from_frame(table, "loss")
    assert run.space["width"].values == (64, 128, 192, 512)
    advice = hx.advise(run, n=4)
    for action in advice.actions:
        for config in action.configurations:
            assert config["width"] in run.space["width"].values
    assert hx.optimum(run).config["width"] in run.space["width"].values
    assert [*hx.partial_dependence(run, "width").axes[0]] == [64, 128, 192, 512]
    best_at_end = hx.from_frame(table.assign(loss=-np.log(width) + 4 * table.x), "loss")
    widened = [a.parameters for a in hx.advise(best_at_end).actions if a.kind == "widen"]
    assert "width" not in {p.name for parameters in widened for p in parameters}


def test_a_toss_up_between_scales_is_asked_for_and_single_columns_can_be_described():
    table = pd.DataFrame({"c": [1.0, 2.0, 4.0, 7.0, 12.0], "x": [1, 2, 1, 2, 3], "loss": range(5)})
    run = hx.from_frame(table, "loss")
    unclear = "do not tell whether its scale is linear or logarithmic"
    assert the_note(run.notes, unclear).names == ("c",)
    for log in (True, False):
        given = hx.FloatParameter("c", 0.5, 20.0, log=log)
        run = hx.from_frame(table, "loss", space=[given])
        assert run.space.parameters == (given, hx.IntParameter("x", 1, 3))
        assert not noted(run.notes, unclear)
        assert "c" not in run.ranges_from


@pytest.mark.parametrize(
    ("column", "choices"),
    [
        (["p", None, "q", "p"] * 3, ["p", "q", None]),
        ([True, None, False, True] * 3, [True, False, None]),
        (pd.Series(["p", None, "q", "p"] * 3, dtype="category"), ["p", "q", None]),
        ([5.0, None, 1.0, 9.0] * 3, [1, 5, 9, None]),
        (["None", None, "q", "p"] * 3, ["None", "q", "p", None]),
    ],
)
def test_an_empty_cell_that_nothing_explains_is_the_value_none(column, choices):
    rng = np.random.default_rng(0)
    x, loss = rng.permutation(12) / 12.0, rng.random(12)
    table = pd.DataFrame({"c": column, "x": x, "loss": loss})
    run = hx.from_frame(table, "loss")
    assert run.space["c"] == hx.CategoricalParameter("c", choices)
    assert run.config(1)["c"] is None
    assert the_note(run.notes, "no other hyperparameter explains are the value None").names == (
        "c",
    )
    assert not noted(run.notes, "mean inactive")


def svm_or_forest(rng, n):
    """A table of conditions that are nested, joint, and of a category and an integer."""
    rows = []
    for _ in range(n):
        row = {"model": rng.choice(["svm", "forest"]), "layers": int(rng.integers(1, 4))}
        for i in range(row["layers"]):
            row[f"units {i}"] = int(rng.integers(4, 65))
        if row["model"] == "svm":
            row["kernel"] = rng.choice(["rbf", "linear", "poly"])
            if row["kernel"] != "linear":
                row["gamma"] = rng.uniform(0.1, 0.9)
            if row["layers"] >= 2:
                row["both"] = rng.uniform(0.1, 0.9)
        rows.append({**row, "loss": rng.uniform()})
    return pd.DataFrame(rows)


@pytest.mark.parametrize("via_csv", [False, True])
def test_conditions_are_inferred_from_empty_cells(via_csv, tmp_path):
    table = svm_or_forest(np.random.default_rng(0), 80)
    # the columns of a table stand in no order that would tell parents from children
    table = table[sorted(table.columns, reverse=True)]
    if via_csv:
        table.to_csv(tmp_path / "trials.csv", index=False)
        table = pd.read_csv(tmp_path / "trials.csv")
    run = hx.from_frame(table, "loss")
    found = {p.name: p.active_when for p in run.space if p.active_when}
    assert found == {
        "units 1": {"layers": (2, 3)},
        "units 2": {"layers": (3,)},
        "kernel": {"model": ("svm",)},
        "gamma": {"kernel": run.space["gamma"].active_when["kernel"]},
        "both": {"model": ("svm",), "layers": (2, 3)},
    }
    assert set(found["gamma"]["kernel"]) == {"rbf", "poly"}
    assert all(parameter.optional == 1.0 for parameter in run.space)
    assert isinstance(run.space["units 2"], hx.IntParameter)
    assert run.config(0).keys() == set(table.columns[table.iloc[0].notna()]) - {"loss"}
    assert the_note(run.notes, "units 2: active when layers = 3, inferred")


def test_conditions_are_inferred_from_the_rows_that_count():
    table = pd.DataFrame({"c": ["a", "b"] * 6, "x": [0.5, None] * 6, "loss": 1.0})
    # a crash, of which the log is no configuration
    table.loc[3, ["x", "loss"]] = [0.7, np.nan]
    table["late"] = [0.1 if i == 3 else None for i in range(12)]
    run = hx.from_frame(table, "loss")
    assert run.space["x"] == hx.FloatParameter("x", 0.5, 0.7, active_when={"c": ["a"]})
    assert run.space.names == ("c", "x")
    assert the_note(run.notes, "only in trials that were left out").names == ("late",)


def test_a_space_of_ones_own_states_scales_and_conditions():
    rate = Float("rate", 0.0, 1.0, active_when={"booster": ["dart"]})
    choices = Choice("booster", ["gbtree", "dart"])
    space = hx.SearchSpace([choices, rate, Float("lr", 1e-5, 1.0, log=True)])
    table = pd.DataFrame(
        {
            "unused": ["x", "y", "z"],
            "lr": [0.1, 0.01, 1.0],
            "rate": [np.nan, 0.25, 0.5],
            "booster": ["gbtree", "dart", "dart"],
            "loss": [3.0, 2.0, 1.0],
        }
    )
    run = hx.from_frame(table, objective="loss", direction="minimize", space=space)
    assert run.space == space
    assert run.config(0) == pytest.approx({"booster": "gbtree", "lr": 0.1})
    assert run.config(1) == pytest.approx({"booster": "dart", "rate": 0.25, "lr": 0.01})


def test_what_is_called_as_an_identifier_is_asked_and_read_if_it_is_meant():
    ids = ["q1", "q2", "q3", "q4"]
    with pytest.raises(InputError, match="id called as an id is") as caught:
        read(id=ids)
    (option,) = caught.value.settled_by
    assert (option.name, option.value) == ("hyperparameters", [*NAMES])
    run = read({"hyperparameters": option.value}, id=ids)
    assert the_note(run.notes, f"columns: hyperparameters are {', '.join(NAMES)}; left out: id;")
    assert run.space.names == NAMES
    chosen = read({"hyperparameters": ["id"]}, id=ids)
    assert chosen.space.names == ("id",)
    assert not any(note.names == ("booster",) for note in run.notes)


DAYS = [date(2026, 1, 1), None, date(2026, 1, 3), date(2026, 1, 1)]


@pytest.mark.parametrize(
    "column",
    [
        DAYS,
        pd.to_datetime(pd.Series(DAYS)),
        pd.to_datetime(pd.Series(DAYS)).dt.tz_localize("UTC").astype(object),
        pd.to_timedelta(pd.Series([1, 2, 3, 4]), unit="s"),
        pd.Series([*map(timedelta, (1, 2, 2, 3))], dtype=object),
        [time(1), time(2), time(3), None],
    ],
)
def test_no_time_of_any_type_is_a_hyperparameter(column):
    run = read(when=column, nothing=[None] * 4)
    assert run.space.names == NAMES
    assert columns_left_out(run) == ["when", "nothing"]


@pytest.mark.parametrize(
    ("column", "is_noted"),
    [
        (["a", 1, "b", 2], True),
        (["a", "b", None, None], False),  # two of a kind are little evidence
        ([0.1, 0.2, 0.3, 0.4], False),
    ],
)
def test_other_values_that_differ_in_every_row_are_pointed_out(column, is_noted):
    run = read(c=column)
    assert "c" in run.space.names
    assert len(noted(run.notes, "c: a different value in every row;")) == is_noted


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["1", "2", "3", "2"], [1, 2, 3, 2]),
        (["0.5", "2", "1e-3", " 2 "], [0.5, 2.0, 1e-3, 2.0]),
        (["10", None, "30", "20"], [10, None, 30, 20]),
    ],
)
def test_numbers_written_as_text_are_numbers_in_a_frame_as_in_a_csv(texts, numbers):
    run, expected = read(c=texts), read(c=numbers)
    assert run.space == expected.space
    np.testing.assert_array_equal(run.X, expected.X)
    assert read(loss=EXPORT["loss"].map(str)).objective.tolist() == EXPORT["loss"].tolist()


@pytest.mark.parametrize(
    "texts",
    [
        ["sqrt", "0.5", "0.25", "log2"],
        ["64,32", "64,32,16", "8,8,8", "4x4"],
        [1, "1", True, 2],
        pd.Series(["1", "2", "1", "2"], dtype="category"),
    ],
)
def test_categories_that_hold_digits_are_no_numbers(texts):
    assert isinstance(read(c=texts).space["c"], Choice)


def optuna_study():
    """Eight trials: 2 was pruned, 3 failed, and 7 is still running."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))

    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        trial.suggest_categorical("kernel", ["rbf", "poly"])
        trial.report(x, 0)
        trial.set_user_attr("host", "a")
        if trial.number == 2:
            raise optuna.TrialPruned
        return math.nan if trial.number == 3 else x

    study.optimize(objective, n_trials=7)
    study.ask({"x": optuna.distributions.FloatDistribution(0.0, 1.0)})
    return study


@pytest.mark.parametrize("via_csv", [False, True])
def test_optunas_own_table_is_read_like_the_study(via_csv, tmp_path):
    study = optuna_study()
    table = study.trials_dataframe().sort_values("value")
    if via_csv:
        table.to_csv(tmp_path / "trials.csv", index=False)
        table = pd.read_csv(tmp_path / "trials.csv")
    run, of_study = (hx.from_frame(table, "value", "minimize"), hx.from_optuna(study))
    assert run.space.names == ("kernel", "x")
    assert run.trials.tolist() == of_study.trials.tolist() == [0, 1, 4, 5, 6]
    assert run.objective.tolist() == of_study.objective.tolist()
    left_out = {2: "pruned", 3: "failed", 7: "running"}
    assert {trial: why.kind for trial, why in run.excluded.items()} == left_out
    assert {"datetime_start", "duration", "user_attrs_host"} <= {*columns_left_out(run)}


def test_a_column_of_numbers_names_the_trials_and_orders_them():
    options = {"trial": "number", "initial": 1}
    run = read(options, number=[12, 10, 17, 11], loss=[0.9, 0.4, np.nan, 0.6])
    assert run.trials.tolist() == [10, 11, 12]
    assert run.objective.tolist() == [0.4, 0.6, 0.9]
    assert {t: str(why) for t, why in run.excluded.items()} == {17: "its loss is nan"}
    assert run.proposals == (11, 12)
    assert run.config(12)["layers"] == 1
    # what the others tried is part of the space all the same
    assert run.space["lr"].high == 0.1


@pytest.mark.parametrize(
    "times",
    [
        [40.0, 10.0, 30.0, 20.0],
        pd.to_datetime(["2026-01-04", "2026-01-01", "2026-01-03", "2026-01-02"]),
        ["2026-01-04", "2026-01-01", "2026-01-03", "2026-01-02"],
    ],
)
def test_a_time_orders_the_rows(times):
    run = read({"time": "when"}, when=times)
    assert run.objective.tolist() == [0.4, 0.6, 0.7, 0.9]
    assert run.trials.tolist() == [0, 1, 2, 3]
    assert run.config(0)["layers"] == 3
    assert the_note(run.notes, "trials: numbered in the order of when")


# ---------------------------------------------------------------------- instances


def crossed(n=6, folds=("a", "b", "c"), seed=0):
    """Every configuration on every fold, in random order."""
    rng = np.random.default_rng(seed)
    rows = [
        {"lr": lr, "kernel": kernel, "fold": fold, "loss": rng.uniform()}
        for lr, kernel in zip(rng.uniform(size=n), ["rbf", "poly"] * (n // 2), strict=True)
        for fold in folds
    ]
    return pd.DataFrame(rows).sample(frac=1.0, random_state=seed).reset_index(drop=True)


def test_a_row_per_instance_becomes_one_trial_with_the_mean_and_each_is_kept():
    table = crossed()
    run = hx.from_frame(table, "loss", instance="fold")
    expected = table.groupby(["lr", "kernel"], sort=False)["loss"].mean()
    np.testing.assert_allclose(run.objective, expected.to_numpy(), rtol=1e-12)
    assert [tuple(run.config(t).values()) for t in run.trials] == [
        (pytest.approx(lr), kernel) for lr, kernel in expected.index
    ]
    assert run.space.names == ("lr", "kernel")
    assert hx.from_frame(table, "loss", instance="fold", initial=0).proposals == tuple(range(6))
    assert the_note(run.notes, "the loss of a trial is its mean over 3 values of fold")
    assert hx.from_frame(table.drop(columns="fold"), "loss").instances is None
    kept = run.instances
    assert kept.names == tuple(dict.fromkeys(table["fold"]))
    read = pd.DataFrame(run.space.decode(kept.X))
    read["fold"], read["loss"] = ([kept.names[i] for i in kept.index], kept.objective)
    pd.testing.assert_frame_equal(read, table)


def test_a_trial_that_failed_on_one_instance_is_left_out_with_it():
    table = crossed(n=4)
    of_trial = hx.from_frame(table, "loss", instance="fold")
    lr = of_trial.config(2)["lr"]
    failed = np.isclose(table["lr"], lr) & (table["fold"] == "b")
    table.loc[failed, "loss"] = np.inf
    run = hx.from_frame(table, "loss", instance="fold")
    assert {t: str(why) for t, why in run.excluded.items()} == {
        2: "its loss is inf where fold is b"
    }
    assert run.trials.tolist() == [0, 1, 3]
    assert len(run.instances) == 9
    assert not np.isclose(run.space.decode(run.instances.X)[0]["lr"], lr)


def test_instances_that_are_missing_repeated_or_never_shared_are_noted():
    table = crossed(n=4)
    complete = hx.from_frame(table, "loss", instance="fold")
    (note,) = noted(complete.notes, "instances: ")
    assert "is its mean over" in str(note)
    missing = hx.from_frame(table.iloc[:-1], "loss", instance="fold")
    last = next(
        t for t in missing.trials if np.isclose(missing.config(t)["lr"], table["lr"].iloc[-1])
    )
    assert the_note(missing.notes, "instances: not evaluated on all of them").trials == (last,)
    # of a repeated fold the mean counts, so that every fold weighs the same
    again = table.iloc[[0]].assign(loss=table["loss"].iloc[0] + 0.5)
    twice = hx.from_frame(pd.concat([table, again]), "loss", instance="fold")
    assert the_note(twice.notes, "on the same instance again: 1; their mean counts")
    assert twice.objective[0] == pytest.approx(complete.objective[0] + 0.25 / 3)
    assert len(twice.instances) == 13
    alone = hx.from_frame(table.assign(drawn=np.sqrt(range(12))), "loss", instance="fold")
    assert the_note(alone.notes, "no configuration was evaluated on more than one")


def test_the_table_is_not_changed():
    table = pd.DataFrame({0: [0.1, 0.2, 0.3], "loss": [3.0, np.nan, 1.0]}, index=[5, 6, 7])
    copy = table.copy(deep=True)
    hx.from_frame(table, "loss")
    pd.testing.assert_frame_equal(table, copy)


CELLS = {
    "float": st.floats(1e-6, 1e6) | st.sampled_from([0.0, -1.0, 2.0]),
    "int": st.integers(-3, 3) | st.sampled_from([10, 10_000]),
    "text": st.sampled_from(["a", "b", "1", "True"]),
    "bool": st.booleans(),
    "mixed": st.sampled_from([1, "1", True, 2.5, "a"]),
    "list": st.sampled_from([[1], [1, 2], ("a",)]),
}


@st.composite
def tables(draw):
    """Trials on up to three folds, with cells that are empty for a reason, for none, or never."""
    n = draw(st.integers(1, 14))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns = {}
    for j in range(draw(st.integers(1, 5))):
        column = draw(st.lists(CELLS[draw(st.sampled_from(sorted(CELLS)))], min_size=n, max_size=n))
        reason = draw(st.sampled_from(["always", "always", "parent", "chance"]))
        active = rng.random(n) < 0.6
        if reason == "parent" and j:
            parent = columns[f"h{draw(st.integers(0, j - 1))}"]
            active = np.array([repr(cell) == repr(parent[0]) for cell in parent])
        if reason != "always" and active.any():
            column = [cell if there else None for cell, there in zip(column, active, strict=True)]
        columns[f"h{j}"] = column
    folds = draw(st.integers(1, 3))
    # 999 among small losses stands for a failure
    losses = st.floats(-900.0, 900.0) | st.sampled_from([math.nan, math.inf, None])
    rows = [{"n": i, **{name: column[i] for name, column in columns.items()}} for i in range(n)]
    rows = [{**row, "fold": fold, "loss": draw(losses)} for row in rows for fold in range(folds)]
    return pd.DataFrame(rows).sample(frac=1.0, random_state=1), list(columns)


def alike(value, cell):
    if isinstance(cell, (int, float)) and not isinstance(cell, bool):
        # a column of integers with an empty cell comes as floats
        return type(value) is not bool and math.isclose(value, cell, rel_tol=1e-9, abs_tol=1e-8)
    if isinstance(cell, str) and cell == "1" and not isinstance(value, str):
        # a column of nothing but numbers as text
        return type(value) is int and value == 1
    return value == cell and type(value) is type(cell)


@pytest.mark.merge
@given(tables())
def test_what_is_read_is_what_the_table_says_and_the_rest_is_accounted_for(case):
    table, names = case
    losses = table["loss"].astype(float)
    means = losses.groupby(table["n"]).mean()
    finite = np.isfinite(losses).groupby(table["n"]).all()
    kept = table[table["n"].isin(finite[finite].index)]
    if all(is_empty(cell) for name in names for cell in kept[name].tolist()):
        with pytest.raises(ValueError, match="frame has no"):
            hx.from_frame(
                table, "loss", hyperparameters=names, instance="fold", trial="n", bounds=(-1e3, 1e3)
            )
        return
    run = hx.from_frame(
        table,
        "loss",
        hyperparameters=names,
        instance="fold",
        trial="n",
        bounds=(-1e3, 1e3),  # none of them stands for a failure
    )
    assert run.space.is_valid(run.X).all()
    assert run.space.is_valid(run.space.sample(50, seed=0)).all()
    conditional = {name for name in run.space.names if run.space.is_conditional(name)}
    notes = noted(run.notes, "active when ") + noted(run.notes, "counts as active at its observed")
    assert sorted(name for note in notes for name in note.names) == sorted(conditional)
    assert run.trials.tolist() == finite[finite].index.tolist()
    assert sorted(run.excluded) == finite[~finite].index.tolist()
    np.testing.assert_allclose(run.objective, means[finite], rtol=1e-9, atol=1e-9)
    cells = table.drop_duplicates("n").set_index("n")[names].loc[run.trials]
    rows = zip(*(cells[name].tolist() for name in names), strict=True)
    for config, row in zip(run.space.decode(run.X), rows, strict=True):
        filled = {name: c for name, c in zip(names, row, strict=True) if not is_empty(c)}
        # what is empty was inactive, or None
        named = {n for n, v in config.items() if v is not None and n in names}
        assert named == filled.keys()
        assert all(alike(config[name], cell) for name, cell in filled.items())
    # without numbers, equal configurations are taken together
    unnumbered = None
    with suppress(ValueError):
        unnumbered = hx.from_frame(
            table, "loss", hyperparameters=names, instance="fold", bounds=(-1e3, 1e3)
        )
    if unnumbered is None:  # one empty cell leaves out all that are equal, perhaps everything
        assert not finite.all()
        return
    assert len(unnumbered) + len(unnumbered.excluded) <= len(run) + len(run.excluded)
    assert unnumbered.space.is_valid(unnumbered.X).all()


SPACE = hx.SearchSpace([Float("lr", 1e-3, 1e-1), Int("layers", 1, 5)])


WRONG = [
    ({}, {"objective": "los"}, ["objective must be a column, but 'los' is", "Did you mean 'loss'"]),
    ({}, {"objective": "booster"}, ["'booster'", "numeric", "'gbtree' in row 0"]),
    ({}, {"trial": ("p", "id")}, ["trial must be a column, but \"('p', 'id')\""]),
    ({}, {"time": ("a", "b", "c")}, ["time", "start and finish"]),
    ({}, {"hyperparameters": ["lr", "layer"]}, ["must be a column", "Did you mean 'layers'?"]),
    ({}, {"hyperparameters": "lr"}, ["hyperparameters", "['lr']"]),
    ({}, {"hyperparameters": 3}, ["hyperparameters must be a list", "was 3. Write [3]."]),
    ({}, {"space": {"lr": (0, 1)}}, ["space must be a SearchSpace", "'lr' only (0, 1)"]),
    ({}, {"hyperparameters": ["lr", "loss"]}, ["'loss'", "another role"]),
    ({}, {"hyperparameters": []}, ["no column left"]),
    ({}, {"hyperparameters": ["lr"], "space": SPACE}, ["Leave one out"]),
    ({"lr": [np.inf, 0.1, 0.2, 0.3]}, {}, ["value inf in row 0 of column 'lr'"]),
    ({"n": [0, 1, 1, 2]}, {"trial": "n"}, ["the number 1 for more than one", "instance="]),
    ({"n": [10**400, 1, 2, 3]}, {}, ["value inf in row 0 of column 'n'"]),
    (
        {"t": pd.to_timedelta([9, 1, 2, 7], unit="s")},
        {"time": "t"},
        ["time 't' must hold moments, but holds dur", "pandas.to_timedelta(frame['t'])"],
    ),
    (
        {"a": [0, 1, 2, 3], "b": [5, 6, 7, 9]},
        {"time": ("b", "a")},
        ["time must be (start, finish)", "trial 0 (row 0) finishes", "swap the columns"],
    ),
    (
        {"a": [0, 1, 2, 3], "b": [1, 2, 1.5, None]},
        {"time": ("a", "b")},
        ["trial 2 (row 2)", "'b' is 1.5. Correct the row"],
    ),
    ({"t": ["x"] * 4}, {"time": "t"}, ["'t'", "'x' in row 0", "pandas.to_datetime"]),
    ({"t": ["2026-01-31", None, "31.01.2026", "x"]}, {"time": "t"}, ["'31.01.2026' in row 2"]),
    ({}, {"trial": "loss"}, ["trial names 'loss', which objective does already"]),
    ({}, {"time": ("lr", "lr")}, ["time names 'lr', which time does already"]),
    ({"f": [1, 2, None, 1]}, {"instance": "f"}, ["instance 'f' is empty in row 2"]),
    (
        {"f": [1, 2, 1, 2], "n": [0, 0, 1, 1]},
        {"instance": "f", "trial": "n"},
        ["the number 0 for more than one configuration", "Leave trial= out"],
    ),
]


@pytest.mark.parametrize(("changed", "options", "words"), WRONG)
def test_what_is_wrong_with_a_table_is_told(changed, options, words):
    with pytest.raises(ValueError, match=re.escape(words[0])) as error:
        hx.from_frame(EXPORT.assign(**changed), **{"objective": "loss", **options})
    assert type(error.value) is InputError
    assert all(word in str(error.value) for word in words)


@pytest.mark.parametrize("numbers", [[0.5, 1, 2, 3], [0, 1, 2, np.nan], [0, 1, 2**63, 10**400]])
def test_what_is_no_number_of_a_trial_is_its_name(numbers):
    run = read({"trial": "n"}, n=numbers)
    assert run.trials.tolist() == [0, 1, 2, 3]
    assert the_note(run.notes, "n names them; they are numbered in the order of their rows")


def test_a_time_orders_trials_with_numbers_of_their_own():
    run = read({"trial": "n", "time": "t", "initial": 1}, n=[0, 1, 2, 3], t=[4, 3, 2, 1])
    assert run.proposals == (2, 1, 0)


def test_rows_outside_a_given_space_are_left_out():
    run = hx.from_frame(EXPORT, "loss", space=SPACE)
    outside = {*run.excluded}
    assert outside == {
        i for i, lr in enumerate(EXPORT["lr"]) if not SPACE["lr"].low <= lr <= SPACE["lr"].high
    }
    assert "lr = 0.0001 is outside its range" in str(run.excluded[0])


def test_of_equal_columns_with_one_name_one_is_read():
    table = pd.concat([EXPORT, EXPORT[["loss", "lr"]]], axis=1)
    run = hx.from_frame(table, "loss")
    assert run.space.names == NAMES
    assert run.objective.tolist() == EXPORT["loss"].tolist()


def test_a_table_without_its_columns_is_told():
    for table, options, said in (
        (EXPORT.drop(columns="layers"), {"space": SPACE}, "space must be a column, but 'layers'"),
        (pd.DataFrame([[1, 2, 3.0]], columns=["a", "a", "loss"]), {}, "column a more than once"),
        ([{"lr": 0.1}], {}, "must be a pandas.DataFrame, but was a list"),
        (EXPORT[["loss"]], {}, "no column left"),
    ):
        with pytest.raises(InputError, match=said):
            hx.from_frame(table, "loss", **options)


def test_a_table_without_a_trial_that_can_be_read_has_nothing_to_explain():
    for table, reason in (
        (EXPORT.iloc[:0], "frame has no row"),
        (EXPORT.assign(loss=np.nan), "of its 4 trials, 4 x its loss is nan"),
    ):
        with pytest.raises(NothingToExplain, match=reason):
            hx.from_frame(table, "loss")


def test_rows_without_a_result_keep_what_they_were_to_try():
    study = optuna_study()
    study.enqueue_trial({"x": 0.25})
    run, of_study = (
        hx.from_frame(study.trials_dataframe(), "value", "minimize"),
        hx.from_optuna(study),
    )
    states = {t: trial.state for t, trial in run.without_result.items()}
    assert states == {2: "pruned", 3: "failed", 7: "running", 8: "waiting"}
    assert run.pending == of_study.pending == (7, 8)
    for number in (2, 3, 7):
        assert run.config(number) == pytest.approx(of_study.config(number))
    assert run.without_result[7].not_chosen(run.space) == ("kernel",)
    assert run.origin(7).value == "unknown"
    of_table = partial(hx.from_frame, study.trials_dataframe(), "value", "minimize")
    told = of_table(optimizer="RandomSampler")
    found = hx.explain_proposal(told, "pending", background=20)
    assert (found.trial, found.not_chosen) == (7, ("kernel",))
    assert of_table(initial=4).origin(3).value == "initial"


@pytest.mark.parametrize(
    ("name", "direction"),
    [
        ("loss", "minimize"),
        ("val_acc", "maximize"),
        ("metrics.test-AUC", "maximize"),
        ("neg_mean_squared_error", "maximize"),
        ("error_rate", "minimize"),
        ("validation_0-rmse", "minimize"),
        ("macro_f1", "maximize"),
        ("y", None),
        ("score", None),
        ("value", None),
        ("1 - accuracy", None),
        ("accuracy_per_parameter", None),
    ],
)
def test_the_direction_is_that_of_a_known_metric_or_asked_for(name, direction):
    table = pd.DataFrame({"x": [0.1, 0.9, 0.5], name: [0.3, 0.2, 0.1]})
    if direction is None:
        with pytest.raises(InputError, match="Give direction='") as caught:
            hx.from_frame(table, name)
        assert caught.value.argument == "direction"
        return
    run = hx.from_frame(table, name)
    assert run.direction == direction
    (note,) = [note for note in run.notes if note.kind == "direction_by_name"]
    assert str(note).startswith(f"direction: {name} is {direction}d, as its name says")
    other = "minimize" if direction == "maximize" else "maximize"
    assert hx.from_frame(table, name, other).direction == other
