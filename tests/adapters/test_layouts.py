"""Tables with the columns that frameworks write: only their hyperparameters are read as such."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV

import hpo_explain as hx
from hpo_explain.adapters import as_run
from hpo_explain.base.errors import MissingOptionError, NothingToExplain
from tests.adapters.test_sklearn import Known, X
from tests.noted import columns_left_out, noted, the_note

N = 40


def searched():
    """Settings that a random search drew, and what came of them: mostly lr, a little depth."""
    rng = np.random.default_rng(0)
    lr, depth = 10 ** rng.uniform(-4, -1, N), rng.integers(1, 9, N)
    loss = (np.log10(lr) + 2.5) ** 2 + 0.05 * depth
    return lr, depth, loss


# ---------------------------------------------------------------------- scikit-learn


def test_the_results_of_a_search_are_read_like_the_search():
    values = {"C": stats.loguniform(0.01, 100.0), "weight": [None, "balanced"]}
    search = RandomizedSearchCV(Known(), values, n_iter=20, cv=KFold(3), random_state=0).fit(X)
    run, own = as_run(pd.DataFrame(search.cv_results_)), as_run(search)
    assert run.space.names == own.space.names == ("C", "weight")
    assert {*run.space["weight"].choices} == {None, "balanced"}
    assert run.direction == own.direction == "maximize"
    assert run.objective.tolist() == own.objective.tolist()
    assert run.incumbent_trial == search.best_index_
    assert run.instances.objective.tolist() == own.instances.objective.tolist()
    assert run.proposals == ()
    Known().set_params(**run.incumbent)
    assert {"split1_test_score", "std_test_score", "mean_fit_time"} <= {*columns_left_out(run)}
    assert hx.importance(run).share("C") > 0.8  # the truth: log(C)² is 1.9 of 2.0 of the variance


@pytest.mark.parametrize("via_csv", [False, True])
def test_none_and_what_another_grid_lacks_are_told_apart(via_csv, tmp_path):
    grids = [
        {"kernel": ["linear"], "weight": [None, "balanced"], "C": [0.1, 1.0, 10.0]},
        {"kernel": ["rbf"], "weight": [None, "balanced"], "gamma": [0.1, 1.0, 2.0, 5.0]},
    ]
    search = GridSearchCV(Known(), grids, cv=KFold(2)).fit(X)
    table = pd.DataFrame(search.cv_results_)
    if via_csv:
        table.to_csv(tmp_path / "t.csv", index=False)
        table = pd.read_csv(tmp_path / "t.csv")
    run = as_run(table)
    for trial, params in enumerate(search.cv_results_["params"]):
        assert run.config(trial) == pytest.approx(params)
    assert dict(run.space["gamma"].active_when) == {"kernel": ("rbf",)}


# ---------------------------------------------------------------------- Ray Tune


def of_ray(**more):
    """The columns of ``ResultGrid.get_dataframe()``."""
    lr, depth, loss = searched()
    rng = np.random.default_rng(1)
    iterations = rng.integers(1, 10, N)
    ids = [f"a1b2c_{i:05d}" for i in range(N)]
    return pd.DataFrame(
        {
            "loss": loss,
            "accuracy": 1.0 / (1.0 + loss),
            "timestamp": 1_700_000_000 + np.arange(N) * 7,
            "checkpoint_dir_name": None,
            "done": True,
            "training_iteration": 10,
            "trial_id": ids,
            "date": [f"2026-01-01_10-{i:02d}-00" for i in range(N)],
            "time_this_iter_s": rng.uniform(1, 2, N),
            "time_total_s": 2.0 * iterations,
            "pid": 100 + np.arange(N),
            "hostname": "node",
            "node_ip": "127.0.0.1",
            "time_since_restore": rng.uniform(1, 2, N),
            "iterations_since_restore": iterations,
            "config/lr": lr,
            "config/depth": depth,
            "logdir": ids,
            **more,
        }
    )


def test_of_rays_table_only_the_config_is_read():
    run = as_run(of_ray(), objective="loss")
    assert run.space.names == ("lr", "depth")
    assert run.space["lr"].log
    assert hx.importance(run).share("lr") > 0.9
    assert run.excluded == {}


def test_trials_of_ray_that_were_stopped_early_do_not_count_unless_asked():
    iterations = np.where(np.arange(N) % 4 == 0, 81, 9)
    table = of_ray(training_iteration=iterations)
    run = as_run(table, objective="loss")
    assert run.trials.tolist() == np.flatnonzero(iterations == 81).tolist()
    assert {why.kind for why in run.excluded.values()} == {"another_fidelity"}
    assert len(as_run(table, objective="loss", level=9)) == (iterations == 9).sum()
    assert len(as_run(table, objective="loss", fidelity=False)) == N


# ---------------------------------------------------------------------- MLflow


def of_mlflow():
    """The columns of ``mlflow.search_runs()`` (tried with 3.17): the newest run first."""
    lr, depth, loss = searched()
    start = pd.Timestamp("2026-01-01", tz="UTC") + pd.to_timedelta(np.arange(N)[::-1], unit="min")
    return pd.DataFrame(
        {
            "run_id": [f"{i:032x}" for i in range(N)],
            "experiment_id": "1",
            "status": ["FAILED", "RUNNING", *["FINISHED"] * (N - 2)],
            "artifact_uri": [f"file:///runs/{i}" for i in range(N)],
            "start_time": start,
            "end_time": start + pd.Timedelta("50s"),
            "metrics.loss": [np.nan, np.nan, *loss[2:]],
            "metrics.acc": -loss,
            "params.lr": [repr(float(value)) for value in lr],
            "params.depth": [*map(str, depth)],
            "params.weight": np.where(np.arange(N) % 3 == 0, "None", "balanced"),
            "params.bias": np.where(np.arange(N) % 2 == 0, "True", "False"),
            "params.gamma": [repr(0.1 * i) if i % 2 == 0 else None for i in range(N)],
            "tags.mlflow.runName": [f"bedecked-calf-{i}" for i in range(N)],
        }
    )


def test_mlflows_table_is_read_in_the_order_of_its_times_with_its_text_as_values():
    table = of_mlflow()
    run = as_run(table, objective="loss")
    assert run.objective_name == "metrics.loss"
    # the last row was the first run
    assert run.trials.tolist() == list(range(N - 2))
    assert run.objective.tolist() == table["metrics.loss"].tolist()[:1:-1]
    assert {t: why.kind for t, why in run.excluded.items()} == {N - 1: "failed", N - 2: "running"}
    assert run.space["lr"].log
    assert isinstance(run.space["depth"], hx.IntParameter)
    assert {*run.space["weight"].choices} == {None, "balanced"}
    assert {*run.space["bias"].choices} == {True, False}
    assert dict(run.space["gamma"].active_when) == {"bias": (True,)}
    assert (np.diff(run.started) > 0).all()
    assert run.known_before(5).tolist() == [0, 1, 2, 3, 4]


# ---------------------------------------------------------------------- W&B


def of_wandb():
    """An export of W&B's page of runs."""
    lr, depth, loss = searched()
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "Name": [f"sunny-sweep-{i}" for i in range(N)],
            "State": ["finished"] * (N - 2) + ["crashed", "running"],
            "Notes": "-",
            "User": "me",
            "Tags": "",
            "Created": [f"2026-01-01T10:{i:02d}:00.000Z" for i in range(N)][::-1],
            "Runtime": rng.integers(100, 200, N),
            "Sweep": "abc",
            "depth": depth,
            "lr": lr,
            "_step": rng.integers(1, 100, N),
            "train_loss": 0.9 * loss + rng.normal(0, 0.05, N),
            "val_loss": loss,
        }
    )


def test_of_a_table_of_wandb_metrics_and_names_are_left_out():
    with pytest.raises(MissingOptionError, match="train_loss") as caught:
        as_run(of_wandb(), objective="val_loss")
    (option,) = caught.value.settled_by
    assert option.value == ["depth", "lr"]
    table = of_wandb().rename(columns={"train_loss": "another"})
    # what stands after a second alphabet came out
    run = as_run(table, objective="val_loss")
    assert run.space.names == ("depth", "lr")
    assert {"another", "Name", "_step", "Runtime"} <= {*columns_left_out(run)}
    # the newest comes first in it
    assert {t: why.kind for t, why in run.excluded.items()} == {0: "running", 1: "failed"}
    assert hx.importance(run).share("lr") > 0.9


def test_the_dictionaries_of_wandbs_runs_are_read():
    lr, depth, loss = searched()
    table = pd.DataFrame(
        {
            "summary": [{"val_loss": y, "acc": -y, "_step": 3} for y in loss],
            "config": [
                {"lr": a, "depth": int(b)} | ({"drop": None} if b > 4 else {})
                for a, b in zip(lr, depth, strict=True)
            ],
            "name": [f"sunny-sweep-{i}" for i in range(N)],
        }
    )
    run = as_run(table, objective="val_loss")
    assert run.space.names[:2] == ("lr", "depth")
    assert run.objective.tolist() == loss.tolist()


# ---------------------------------------------------------------------- Ax


def test_the_table_of_ax_says_who_proposed_what():
    lr, depth, loss = searched()
    table = pd.DataFrame(
        {
            "trial_index": np.arange(N),
            "arm_name": [f"{i}_0" for i in range(N)],
            "trial_status": ["COMPLETED"] * (N - 1) + ["FAILED"],
            "generation_node": ["Sobol"] * 5 + ["MBM"] * (N - 5),
            "loss": loss,
            "lr": lr,
            "depth": depth,
        }
    )
    run = as_run(table, objective="loss")
    assert run.space.names == ("lr", "depth")
    assert run.proposals == tuple(range(5, N - 1))
    assert run.origin(0) is hx.base.Origin.INITIAL
    assert run.excluded[N - 1].kind == "failed"
    assert run.optimizer == "Ax"


# ---------------------------------------------------------------------- leaks elsewhere


def table_of(**more):
    lr, depth, loss = searched()
    return pd.DataFrame({"lr": lr, "depth": depth, "loss": loss, **more})


@pytest.mark.alike
@pytest.mark.parametrize("seed", range(2))
def test_a_hyperparameter_that_decides_the_objective_is_kept(seed):
    """Alone, by a monotone function: its order is that of the objective, but it was chosen."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"x": rng.random(N), "y": rng.random(N), "z": rng.integers(0, 5, N)})
    table["loss"] = table["x"] ** 3 + 1e-6 * table["y"]
    with pytest.raises(MissingOptionError, match="x orders") as caught:
        as_run(table, objective="loss")
    (option,) = caught.value.settled_by
    assert option.value == ["x", "y", "z"]
    run = as_run(table, objective="loss", hyperparameters=option.value)
    assert hx.importance(run).share("x") > 0.9


# ---------------------------------------------------------------------- order, names, proposals


def test_names_of_trials_are_no_numbers_and_no_error():
    table = table_of(name=[f"trial {i % 20}" for i in range(N)])
    run = as_run(table, objective="loss", trial="name")
    assert run.trials.tolist() == list(range(N))
    assert run.space.names == ("lr", "depth")
    folds = table_of(name=[f"t{i % 20}" for i in range(N)], fold=np.arange(N) // 20)
    folds[["lr", "depth"]] = folds[["lr", "depth"]].to_numpy()[np.arange(N) % 20]
    run = as_run(folds, objective="loss", trial="name", instance="fold")
    assert run.trials.tolist() == list(range(20))
    assert run.objective[3] == pytest.approx(folds["loss"][[3, 23]].mean())


def test_a_learning_curve_per_trial_counts_with_its_last_point():
    rows = [
        {"id": i, "lr": 0.1 * (i + 1), "epoch": epoch, "loss": 10.0 * i - epoch}
        for i in range(6)
        for epoch in range(1, 10 if i % 2 else 4)
    ]
    run = as_run(pd.DataFrame(rows), objective="loss", trial="id", fidelity="epoch")
    assert run.trials.tolist() == [1, 3, 5]
    assert run.objective.tolist() == [10.0 - 9, 30.0 - 9, 50.0 - 9]
    assert sorted(run.excluded) == [0, 2, 4]
    early = as_run(pd.DataFrame(rows), objective="loss", trial="id", fidelity="epoch", level=3)
    assert early.objective.tolist() == [10.0 * i - 3 for i in range(6)]


@pytest.mark.parametrize(
    ("options", "proposals"),
    [
        ({}, ()),
        ({"optimizer": "Ax"}, tuple(range(N))),
        ({"initial": 38}, (38, 39)),
        ({"initial": 50}, ()),
        ({"proposed": "by model"}, (0, 10, 20, 30)),
        ({"optimizer": "Ax", "initial": 39}, (39,)),
    ],
)
def test_who_proposed_the_rows_of_a_table_is_told_or_nobody_did(options, proposals):
    table = table_of(**{"by model": np.arange(N) % 10 == 0})
    if options.get("proposed") != "by model":
        table = table.drop(columns="by model")
    run = as_run(table, objective="loss", **options)
    assert run.proposals == proposals
    assert run.optimizer == options.get("optimizer", "the optimizer")
    unknown = "a table does not say who chose its trials"
    assert bool(noted(run.notes, unknown)) == (not options)
    if not options:
        assert run.origin(3) is hx.base.Origin.UNKNOWN
        named = hx.explain_proposal(run, 30, background=20)
        assert the_note(named.notes, "it is explained as if one had").trials == (30,)


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
def test_runs_of_mlflow_are_read_as_the_table_of_them(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    client = mlflow.MlflowClient(tracking_uri=tmp_path.as_uri())
    experiment = client.create_experiment("e")
    for i in range(6):
        run_id = client.create_run(experiment, start_time=1000 * (i + 1)).info.run_id
        client.log_param(run_id, "lr", 0.1 * (i + 1))
        client.log_param(run_id, "booster", None if i % 2 else "dart")
        client.log_metric(run_id, "loss", (i - 3.0) ** 2)
        status = "FAILED" if i == 2 else "FINISHED"
        client.set_terminated(run_id, status, end_time=1000 * (i + 1) + 500)
    run = as_run(client.search_runs([experiment]), objective="loss")
    assert run.objective.tolist() == [9.0, 4.0, 0.0, 1.0, 4.0]
    assert [*run.excluded] == [2]
    assert [run.config(t)["booster"] for t in (0, 1)] == ["dart", None]
    assert run.started.tolist() == [1.0, 2.0, 4.0, 5.0, 6.0]


def test_a_column_of_one_number_and_empty_cells_has_no_order():
    frame = pd.DataFrame({"x": np.arange(30.0), "k": [1.0, None] * 15})
    frame["loss"] = (frame.x - 10.0) ** 2
    run = hx.from_frame(frame, "loss", hyperparameters=["x", "k"])
    assert run.space.names == ("x", "k")


# ---------------------------------------------------------------------- others that are exact


def test_what_deephyper_writes_for_a_failure_is_one():
    lr, depth, loss = searched()
    table = pd.DataFrame({"p:lr": lr, "p:depth": depth})
    table["objective"] = [f"{-y:.6f}" for y in loss[:-2]] + ["F", "F_nan"]
    table["job_id"] = range(N)
    table["m:timestamp_gather"] = np.arange(N) * 5.0
    run = as_run(table)
    assert run.space.names == ("lr", "depth")
    assert (run.objective_name, run.direction) == ("objective", "maximize")
    assert sorted(run.excluded) == [N - 2, N - 1]


def test_of_sherpas_rows_of_steps_the_last_counts():
    rows = []
    for trial in range(1, 7):
        steps = range(1, 3 if trial == 6 else 4)
        about = {"Trial-ID": trial, "lr": trial / 10, "units": trial % 3}
        for step in steps:
            row = {"Status": "INTERMEDIATE", "Iteration": step}
            rows.append(about | row | {"Objective": trial / step})
        end = "STOPPED" if trial == 6 else "COMPLETED"
        rows.append({**rows[-1], "Status": end})
    run = as_run(pd.DataFrame(rows), direction="minimize")
    assert run.space.names == ("lr", "units")
    assert run.trials.tolist() == [1, 2, 3, 4, 5]
    assert run.objective.tolist() == [t / 3 for t in range(1, 6)]
    assert {t: w.kind for t, w in run.excluded.items()} == {6: "pruned"}
    assert run.curves.values.shape == (6, 3)


@pytest.mark.parametrize(
    ("columns", "objective", "direction"),
    [
        (("config_lr", "trial_id", "st_worker_time", "acc"), "acc", "maximize"),
        (("lr", "#loss", "#num-tell", "#session"), None, "minimize"),
        (("param_lr", "mean_test_score", "rank_test_score"), None, "maximize"),
        (("params.lr", "run_id", "metrics.auc", "status"), None, "maximize"),
    ],
)
def test_a_prefix_or_marks_of_a_framework_settle_the_hyperparameters(columns, objective, direction):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({name: rng.random(N) for name in columns})
    if "status" in columns:
        table["status"] = "FINISHED"
    run = as_run(table, **({"objective": objective} if objective else {}))
    assert run.space.names == ("lr",)
    assert run.direction == direction


@pytest.mark.parametrize(
    ("columns", "source"),
    [
        (("model", "score_val", "pred_time_val", "fit_time"), "AutoGluon"),
        (("model_id", "auc", "logloss", "rmse"), "H2O"),
        (("Step", "a - loss", "a - loss__MIN", "a - loss__MAX"), "chart of W&B"),
    ],
)
def test_what_has_no_hyperparameters_is_one_sentence(columns, source):
    table = pd.DataFrame({name: np.arange(12.0) for name in columns})
    with pytest.raises(NothingToExplain, match=f"{source}.*, which has no"):
        as_run(table, objective=columns[1])
