"""Tables that people keep: settings in one column, prefixes, folds, budgets, several objectives."""

import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.adapters._cells import texts_as_numbers
from hpo_explain.adapters.sources import as_run, as_runs
from hpo_explain.base.errors import InputError, MissingOptionError
from hpo_explain.reporting import Report
from hpo_explain.reporting.section import Status
from tests.adapters.searched import N, table_of
from tests.noted import columns_left_out, noted, the_note


def taken(table, objective="loss", **options):
    """The hyperparameters of a table, and what is left out of it."""
    run = hx.from_frame(table, objective, **options)
    return run.space.names, tuple(columns_left_out(run))


def proposed(table, objective="loss", **options):
    """The hyperparameters that are proposed for a table, of which others are suspicious."""
    with pytest.raises(MissingOptionError) as caught:
        hx.from_frame(table, objective, **options)
    (option,) = caught.value.settled_by
    assert option.name == "hyperparameters"
    run = hx.from_frame(table, objective, hyperparameters=option.value)
    assert {*run.space.names} <= {*option.value}
    return tuple(option.value)


EXTRACTS = Path(__file__).parents[3] / "shared" / "data" / "files"


# ---------------------------------------------------------------------- one column of settings


def mixed():
    """Settings of two models, each with some of its own, and what came of them."""
    rng = np.random.default_rng(0)
    rows = []
    for i in range(40):
        settings = {"C": float(10 ** rng.uniform(-2, 2)), "shrink": None}
        if i % 2:
            settings = {"depth": int(rng.integers(2, 9)), "bootstrap": True}
            settings["size"] = (8, int(rng.integers(1, 3)))
        rows.append((("svm", "forest")[i % 2], settings, rng.random()))
    return rows


def as_json(settings):
    return json.dumps(settings)


def as_numpy(settings):
    """As NumPy 2 writes its numbers inside a dictionary."""
    return (
        repr(settings).replace("'C': ", "'C': np.float64(", 1).replace(", 'shrink'", "), 'shrink'")
    )


def as_ordered(settings):
    return f"OrderedDict({[*settings.items()]!r})"


@pytest.mark.parametrize("write", [dict, repr, as_json, as_numpy, as_ordered])
@pytest.mark.parametrize("column", ["best_params", "config", "whatever"])
def test_a_column_of_settings_is_spread_out_and_settles_the_hyperparameters(write, column):
    table = pd.DataFrame(
        [
            {"Model": model, column: write(settings), "cv_score": score, "fit_time": 1.0 + score}
            for model, settings, score in mixed()
        ]
    )
    run = hx.from_frame(table, "cv_score", "maximize")
    assert {*run.space.names} >= {"C", "depth", "size"}
    assert "Model" in columns_left_out(run)
    named = ["Model", "C", "depth", "size"]
    run = hx.from_frame(table, "cv_score", "maximize", hyperparameters=named)
    assert dict(run.space["depth"].active_when) == {"Model": ("forest",)}
    assert dict(run.space["C"].active_when) == {"Model": ("svm",)}
    for trial, (_, settings, _) in enumerate(mixed()):
        config = run.config(trial)
        for name in {"C", "depth"} & {*settings}:
            assert config[name] == pytest.approx(settings[name])
        assert ("depth" in config) == ("depth" in settings)
    assert "fit_time" not in run.space.names


def test_settings_inside_settings_have_names_with_points():
    table = pd.DataFrame(
        {
            "params": [
                {"model": {"depth": i % 5}, "lr": {"value": 0.1 * (i % 7)}} for i in range(20)
            ],
            "loss": np.random.default_rng(0).random(20),
        }
    )
    assert taken(table)[0] == ("model.depth", "lr")


def test_what_stands_beside_settings_is_no_hyperparameter():
    rows = mixed()
    table = pd.DataFrame(
        {
            "id": range(40),
            "machine": [f"m{i % 3}" for i in range(40)],
            "workers": [i % 4 for i in range(40)],
            "params": [settings for _, settings, _ in rows],
            "result": [{"loss": score, "auc": 1 - score} for *_, score in rows],
        }
    )
    names, left_out = taken(table, "result.loss")
    assert {"C", "depth"} <= {*names} <= {"C", "depth", "size", "bootstrap"}
    assert {"machine", "workers", "id"} <= {*left_out}
    assert taken(table, "loss")[0] == names


def test_text_that_only_looks_like_settings_stays_text():
    for cells in (["{a", "{b"], ["{1, 2}", "{3}"], ["{'a': f(1)}", "{}"]):
        table = table_of(choice=lambda t, g, c=cells: c * (N // 2))
        assert taken(table)[0] == ("lr", "depth", "choice")


# ---------------------------------------------------------------------- prefixes


@pytest.mark.parametrize(
    "prefix", ["config.", "config/", "config:", "params_", "param_", "hp.", "params."]
)
def test_columns_with_a_prefix_are_the_hyperparameters_without_it(prefix):
    table = table_of().rename(columns={n: f"{prefix}{n}" for n in ("lr", "depth")})
    rng = np.random.default_rng(2)
    table["metrics.other"] = rng.random(N)
    table["workers"] = rng.integers(1, 9, N)
    table["trial"] = range(N)
    names, left_out = taken(table)
    assert names == ("lr", "depth")
    assert {"workers", "trial", "metrics.other"} == {*left_out}


def test_one_name_with_a_prefix_of_letters_is_no_prefix():
    table = table_of(param_count=lambda t, g: g.integers(1, 9, N))
    assert taken(table)[0] == ("lr", "depth", "param_count")


def test_of_an_export_of_wandb_what_follows_the_second_alphabet_came_out():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "Name": [f"sweep-{i}" for i in range(N)],
            "State": "finished",
            "batch": rng.choice([16, 32], N),
            "dropout": rng.random(N),
            "workers": 4,
            "bits": rng.random(N),
            "loss": rng.random(N),
            "size": rng.random(N),
        }
    )
    names, left_out = taken(table)
    assert names == ("batch", "dropout")
    assert {"bits", "workers", "size"} <= {*left_out}
    # not in alphabetical order, so nothing tells
    assert "bits" in taken(table[[*table.columns[::-1]]])[0]


# ---------------------------------------------------------------------- folds, seeds, budgets


def repeated(name, values, seed=0):
    """Twelve configurations, each evaluated once for every value."""
    rng = np.random.default_rng(seed)
    rows = [
        {"lr": lr, "depth": depth, name: value, "loss": rng.random()}
        for lr, depth in zip(10 ** rng.uniform(-4, -1, 12), rng.integers(1, 9, 12), strict=True)
        for value in values
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("fold", range(5)),
        ("seed", [1, 7, 42]),
        ("random_state", [0, 1, 2]),
        ("dataset", ["iris", "wine"]),
        ("repeat", [0, 1]),
        ("cv_split", range(3)),
    ],
)
def test_what_configurations_were_repeated_on_is_asked_for(name, values):
    table = repeated(name, values)
    assert proposed(table) == ("lr", "depth")
    run = hx.from_frame(table, "loss", instance=name)
    means = table.groupby("lr", sort=False)["loss"].mean()
    assert run.space.names == ("lr", "depth")
    assert run.objective.tolist() == pytest.approx(means.tolist())
    assert run.instances.names == tuple(values)
    kept = hx.from_frame(table, "loss", ignore=[name])
    assert len(kept) == len(table)


@pytest.mark.parametrize("name", ["seed", "fold", None])
def test_settings_that_are_repeated_together_are_not_told_by_each_other(name):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"lr": 10 ** rng.uniform(-4, -1, 20), "wd": rng.random(20)})
    table["units"] = rng.choice(np.arange(8, 512), 20, replace=False)
    table = table.loc[np.repeat(np.arange(20), 3)].reset_index(drop=True)
    if name:
        table[name] = np.tile([0, 1, 2], 20)
    table["loss"] = rng.random(60)
    read = proposed if name else lambda t: taken(t)[0]
    assert read(table) == ("lr", "wd", "units")
    often = pd.concat([table, table.iloc[[3] * 20]])
    assert read(often) == ("lr", "wd", "units")


def test_of_trials_with_a_row_for_each_fold_both_can_be_named():
    table = repeated("fold", range(3))
    table["trial"] = np.repeat(np.arange(12) * 10, 3)
    run = hx.from_frame(table, "loss", instance="fold", trial="trial")
    assert run.trials.tolist() == (np.arange(12) * 10).tolist()
    assert run.space.names == ("lr", "depth")


def halved():
    """A halving search: 16 configurations at 1 epoch, 8 at 3, 4 at 9, 2 at 27."""
    rng = np.random.default_rng(0)
    lr, rows = 10 ** rng.uniform(-4, -1, 16), []
    for rung, epochs in enumerate((1, 3, 9, 27)):
        for i in range(16 >> rung):
            rows.append({"lr": lr[i], "epochs": epochs, "loss": rng.random()})
    return pd.DataFrame(rows)


@pytest.mark.parametrize("name", ["epochs", "budget", "training_iteration"])
def test_of_a_budget_the_highest_level_counts(name):
    table = halved().rename(columns={"epochs": name})
    run = hx.from_frame(table, "loss", fidelity=name)
    assert run.space.names == ("lr",)
    assert run.objective.tolist() == table["loss"].tolist()[-2:]
    assert the_note(run.notes, f"fidelity: only results at {name} = ")


def test_a_learning_curve_of_each_trial_is_read():
    rng = np.random.default_rng(0)
    rows = [
        {"trial_id": f"t{i}", "lr": lr, "epoch": epoch, "loss": lr + 1 / epoch}
        for i, lr in enumerate(rng.random(6))
        for epoch in range(1, 10)
    ]
    table = pd.DataFrame(rows)
    run = hx.from_frame(table, "loss", trial="trial_id", fidelity="epoch")
    assert run.space.names == ("lr",)
    assert len(run) == 6
    assert run.objective.tolist() == [r["loss"] for r in rows[8::9]]
    assert len(run.curves) == 6


def test_a_grid_that_was_enumerated_is_told_as_such():
    pairs = itertools.product(range(1, 7), [0.1, 0.2, 0.3, 0.4], ["a", "b"])
    table = pd.DataFrame(pairs, columns=["depth", "lr", "kind"])
    table["loss"] = np.random.default_rng(0).random(48)
    run = hx.from_frame(table, "loss")
    assert str(the_note(run.notes, "grid: ")) == (
        "grid: 48 of 48 combinations tried: nothing untried is left"
    )
    part = hx.from_frame(table.iloc[:-2], "loss")
    assert str(the_note(part.notes, "grid: ")) == ("grid: 46 of 48 combinations tried: 2 are left")
    drawn = hx.from_frame(table.sample(24, random_state=0), "loss")
    assert not noted(drawn.notes, "grid: ")


# ---------------------------------------------------------------------- what the user settles


def test_what_was_taken_for_what_is_one_note_and_can_be_settled():
    table = table_of(
        trial=lambda t, g: range(N),
        acc=lambda t, g: np.exp(-t["loss"]),
        host=lambda t, g: g.choice(["a", "b"], N),
        batch=lambda t, g: g.choice([8, 16], N),
    )
    assert proposed(table) == ("lr", "depth", "batch")
    run = hx.from_frame(table, "loss", ignore=["trial", "acc", "host"])
    assert str(the_note(run.notes, "columns: ")) == (
        "columns: hyperparameters are lr, depth, batch; hyperparameters= and ignore= change them"
    )
    chosen = ["acc", "trial", "host"]
    assert taken(table, hyperparameters=chosen)[0] == ("trial", "acc", "host")
    with pytest.raises(InputError, match=r"ignore .*'bach'.* 'batch'"):
        hx.from_frame(table, "loss", ignore=["bach"])


def test_the_scale_of_a_hyperparameter_can_be_settled():
    table = pd.DataFrame({"c": [1.0, 2.0, 4.0, 7.0, 12.0], "x": [1, 2, 1, 2, 3], "loss": range(5)})
    unclear = "c: spans 1.1 decades, and its values do not tell whether its scale is linear or log"
    note = the_note(hx.from_frame(table, "loss").notes, unclear)
    assert "linear=['c']" in str(note) or "log=['c']" in str(note)
    for log in (True, False):
        option = {"log" if log else "linear": ["c"]}
        run = hx.from_frame(table, "loss", **option)
        assert run.space["c"].log is log
        assert not noted(run.notes, "decades")
    for wrong, said in (
        ({"log": ["d"]}, "log must be a hyperparameter"),
        ({"log": "c"}, r"Write \['c'\]"),
    ):
        with pytest.raises(InputError, match=said):
            hx.from_frame(table, "loss", **wrong)
    zero = table.assign(c=[0.0, 1.0, 2.0, 3.0, 4.0])
    with pytest.raises(InputError, match="log names 'c', which has the value 0"):
        hx.from_frame(zero, "loss", log=["c"])


@pytest.mark.merge
@pytest.mark.usefixtures("few_draws_here")
def test_hyperparameters_with_the_names_of_roles_work_everywhere(tmp_path):
    rng = np.random.default_rng(0)
    names = ["trial", "index", "objective", "state", "value"]
    table = pd.DataFrame({name: rng.random(12) for name in names})
    table["loss"] = table["trial"] + table["index"] * table["value"]
    run = hx.from_frame(table, "loss", hyperparameters=names)
    assert run.space.names == tuple(names)
    for function in (hx.summary, hx.importance, hx.optimum, hx.methods.history):
        found = function(run)
        assert str(found)
        assert not found.to_frame().empty
    report = Report.of({"loss": run})
    report.write(tmp_path / "report.html")
    (tab,) = report.tabs
    assert Status.FAILED not in {card.status for card in tab.cards}


# ---------------------------------------------------------------------- objectives


def settled(table, *given, **options):
    """What would settle all that has to be said of a table."""
    with pytest.raises(MissingOptionError) as caught:
        hx.from_frame(table, *given, **options)
    found = {option.name: option.value for option in caught.value.settled_by}
    options = {"objective": given[0]} if given else {}
    hx.from_frame(table, **options, **found)
    return found


def test_one_question_asks_for_all_that_is_missing():
    table = table_of(
        train_acc=lambda t, g: g.random(N),
        val_acc=lambda t, g: g.random(N),
        val_mae=lambda t, g: g.random(N),
        fit_time=lambda t, g: g.random(N),
    ).drop(columns="loss")
    assert settled(table) == {
        "objective": "val_mae",
        "direction": "minimize",
        "hyperparameters": ["lr", "depth"],
    }
    with pytest.raises(MissingOptionError, match="may be val_acc, train_acc"):
        hx.from_frame(table)
    unnamed = table[["lr", "depth"]].assign(zzz=table["val_acc"])
    assert settled(unnamed) == {"objective": "zzz", "direction": "minimize"}


@pytest.mark.parametrize(
    ("columns", "objective", "direction"),
    [
        (("train_loss", "val_loss"), "val_loss", "minimize"),
        (("test_loss", "val_loss"), "val_loss", "minimize"),
        (("val_loss", "loss_std"), "val_loss", "minimize"),
        (("auc", "flops"), "auc", "maximize"),
        (("Return (%)", "Average Win ($)"), "Return (%)", "maximize"),
        (("score", "runtime"), "score", "maximize"),
        (("few_rmse", "rmse"), "rmse", "minimize"),
    ],
)
def test_of_several_columns_the_likeliest_is_proposed(columns, objective, direction):
    rng = np.random.default_rng(3)
    made = {name: rng.random(N) for name in columns}
    if "few_rmse" in made:
        made["few_rmse"][3:] = np.nan
    table = table_of().drop(columns="loss").assign(**made)
    found = settled(table)
    assert found["objective"] == objective
    assert found["direction"] == direction
    assert found["hyperparameters"] == ["lr", "depth"]


def test_percentages_are_maximized_and_money_lost_is_no_loss():
    table = table_of().rename(columns={"loss": "results"})
    written = [f"{50 + 10 * value:.2f}%" for value in table["results"]]
    found = settled(table.assign(results=written))
    assert found == {"objective": "results", "direction": "maximize"}
    trades = table.assign(**{"Average Loss ($)": -table["results"]})
    assert settled(trades)["objective"] == "results"


@pytest.mark.parametrize(
    ("name", "direction"), [("score", "maximize"), ("fitness", "maximize"), ("zzz", "minimize")]
)
def test_a_direction_that_no_name_says_is_proposed_and_not_assumed(name, direction):
    table = table_of().rename(columns={"loss": name})
    assert settled(table, name) == {"direction": direction}
    assert settled(table) == {"objective": name, "direction": direction}


# ---------------------------------------------------------------------- what people write


def written_as(table, **columns):
    """A table in which columns are written in other ways, and the run that it is read as."""
    return hx.from_frame(table.assign(**columns), "loss")


def test_percentages_and_thousands_are_numbers():
    table = table_of()
    rates = table["lr"].round(4)
    plain = written_as(table, lr=rates)
    run = written_as(table, lr=[f"{lr:.4f}%" for lr in rates])
    assert run.space["lr"] == plain.space["lr"]
    np.testing.assert_array_equal(run.X, plain.X)
    sizes = [256, 1024, 2048, 512] * 12
    plain = written_as(table, size=sizes)
    commas = written_as(table, size=[f"{size:,}" for size in sizes])
    assert commas.space["size"] == plain.space["size"]
    texts = ["64,32", "128,64"]  # which may be two numbers
    assert texts_as_numbers(pd.Series(texts)).tolist() == texts


@pytest.mark.parametrize("word", ["OOM", "-", "N/A", "diverged", " "])
def test_a_word_in_place_of_a_result_is_a_trial_without_one(word):
    table = table_of()
    losses = table["loss"].astype(object)
    losses[[3, 7]] = word
    run = hx.from_frame(table.assign(loss=losses.astype(str)), "loss")
    assert sorted(run.excluded) == [3, 7]
    # a category that is called so stays one
    depth = ["a", word] * 24
    run = hx.from_frame(table.assign(depth=depth), "loss")
    assert run.space["depth"].choices == ("a", word)


def test_of_a_dump_of_hyperopt_only_the_values_are_read():
    plain = table_of()
    dumped = [
        {
            "state": 2,
            "tid": i,
            "result": {"loss": row["loss"], "status": "ok"},
            "misc": {
                "tid": i,
                "idxs": {"lr": [i], "depth": [i]},
                "vals": {
                    "model": [i % 2],
                    "lr": [row["lr"]],
                    "depth": [int(row["depth"])] if i % 2 else [],
                },
            },
        }
        for i, row in enumerate(plain.to_dict("records"))
    ]
    for table in (pd.DataFrame(dumped), pd.json_normalize(dumped)):
        for cells in (table, table.astype(str)):
            run = hx.from_frame(cells)
            assert run.space.names == ("model", "lr", "depth")
            assert (run.objective_name, run.direction) == ("result.loss", "minimize")
            is_active = run.X[:, 0] == 1
            np.testing.assert_array_equal(np.isnan(run.X[:, 2]), ~is_active)


def test_a_log_of_bayesian_optimization_is_maximized():
    lines = [
        {
            "target": -row["loss"],
            "params": {"lr": row["lr"], "depth": row["depth"]},
            "datetime": {
                "datetime": f"2024-01-01 00:00:{i:02d}",
                "elapsed": float(i),
                "delta": 1.0,
            },
        }
        for i, row in enumerate(table_of().to_dict("records"))
    ]
    run = hx.from_frame(pd.DataFrame(lines))
    assert (run.objective_name, run.direction) == ("target", "maximize")
    assert run.space.names == ("lr", "depth")


def two_objectives():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.random((30, 2)), columns=["x", "y"])
    table["acc"] = 1.0 - (table["x"] - 0.8) ** 2
    table["size"] = 10.0 * table["x"] + table["y"]
    return table


@pytest.mark.merge
def test_several_objectives_of_a_table_are_a_run_each(tmp_path):
    table = two_objectives()
    options = {
        "objective": ["acc", "size"],
        "directions": ["maximize", "minimize"],
        "hyperparameters": ["x", "y"],
    }
    for source in (table, tmp_path / "t.csv"):
        table.to_csv(tmp_path / "t.csv", index=False)
        runs = as_runs(source, **options)
        assert [*runs] == ["acc", "size"]
        for name, run in runs.items():
            assert run.space.names == ("x", "y")
            assert run.objective.tolist() == pytest.approx(table[name].tolist())
        assert runs["size"].direction == "minimize"
    front = hx.methods.pareto(table, **options)
    first = table["acc"].to_numpy()
    dominated = [
        bool(((first > a) & (table["size"].to_numpy() < s)).any())
        for a, s in zip(first, table["size"], strict=True)
    ]
    on_front = np.flatnonzero(~np.array(dominated)).tolist()
    assert sorted(front.to_frame().reset_index()["trial"]) == on_front
    with pytest.raises(MissingOptionError, match="'size' is better") as caught:
        as_runs(table, objective=["acc", "size"])
    assert caught.value.settled_by[0].value == ["maximize", "minimize"]
    with pytest.raises(InputError, match="names 2: acc, size"):
        hx.importance(table, **options)


def test_all_objectives_of_optunas_table_are_read():
    table = two_objectives().rename(columns={"x": "params_x", "y": "params_y", "acc": "values_acc"})
    table = table.rename(columns={"size": "values_size"})
    table = table.assign(number=range(30), state="COMPLETE")
    runs = as_runs(table, directions=["maximize", "minimize"])
    assert [*runs] == ["values_acc", "values_size"]
    short = as_runs(
        table, objective=["acc", "size"], directions={"acc": "maximize", "size": "minimize"}
    )
    assert [*short] == ["values_acc", "values_size"]


# ---------------------------------------------------------------------- extracts of real files


@pytest.mark.skipif(not EXTRACTS.is_dir(), reason="the extracts are not here")
@pytest.mark.parametrize(
    ("file", "objective", "names"),
    [
        (
            "trial_number_as_hyperparameter.csv",
            "loss",
            "lrate wdecay optimizer clip layers unfrozen batch_size",
        ),
        ("wandb_summary_metrics_as_hyperparameters.csv", "quant_test_acc", "act_bits weight_bits"),
        ("rounded_accuracy_made_up.csv", "loss", "lr depth"),
        (
            "configurations_in_a_dict_column.csv",
            "losses",
            "n_estimators max_depth min_samples_leaf min_samples_split max_features",
        ),
        (
            "nothing_left_out_yet_narrower.csv",
            "score",
            "episodes tasks augmentation epochs learning_rate optimizer",
        ),
        ("repeat_a_bad_trial.csv", "score", "Kd Ki Kp radius"),
        ("one_hyperparameter_noise.csv", "loss", "particles"),
    ],
)
def test_the_hyperparameters_of_peoples_tables_are_read(file, objective, names):
    table = pd.read_csv(EXTRACTS / file)
    try:
        run = hx.from_frame(table, objective, "minimize")
    except MissingOptionError as error:
        (option,) = error.settled_by
        given = {"hyperparameters": option.value}
        run = hx.from_frame(table, objective, "minimize", **given)
    assert run.space.names == tuple(names.split())


def test_a_table_of_an_ablation_has_marks_and_nothing_as_choices():
    table = pd.DataFrame(
        {
            "aug": [None, "x", None, "x", "x", "x"],
            "pretrained": [None, None, None, None, "x", "x"],
            "loss": [3.0, 2.5, 3.1, 2.4, 1.0, 1.1],
        }
    )
    space = hx.from_frame(table, "loss").space
    assert [p.choices for p in space] == [("x", None), ("x", None)]
    assert not any(p.active_when or p.optional < 1.0 for p in space)


def test_blanks_are_told_apart_and_from_nothing(tmp_path):
    table = table_of(tag=lambda t, g: ["", " ", "a", None] * 12)
    run = hx.from_frame(table, "loss")
    assert run.space["tag"].choices == ("", " ", "a", None)
    words = hx.optimum(run).sentence + str(hx.methods.importance(run))
    assert "tag" in words
    table.to_csv(tmp_path / "t.csv", index=False)
    read = as_run(tmp_path / "t.csv", objective="loss")
    assert read.space["tag"].choices == (" ", "a", None)


def test_scales_of_the_same_length_are_one_note():
    table = table_of()
    table = table.assign(wd=table["lr"][::-1].to_numpy())
    notes = hx.from_frame(table, "loss").notes
    assert the_note(notes, "lr and wd: spread evenly over ").names == ("lr", "wd")
