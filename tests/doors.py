"""Whether every door opens: ``python -m tests.doors`` prints a table.

A file or a folder of each kind is made by the framework itself, where it is installed, and is read
by ``hpo-explain PATH``: with nothing else, or with what the first error asks for.
"""

import gzip
import itertools
import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd

N = 12


@dataclass(frozen=True)
class Door:
    """A kind of file or folder.

    Attributes
    ----------
    kind : str
        What it is.
    needs : tuple of str
        The packages that make it.
    make : callable
        Makes it in a folder, and returns its path.
    tries : tuple of tuple of str
        The options that one error after the other asks for; none where the path is enough.
    told : str
        What is said of a kind that holds no run; empty for one that is read.
    """

    kind: str
    needs: tuple[str, ...]
    make: Callable[[Path], Path]
    tries: tuple[tuple[str, ...], ...] = ()
    told: str = ""


def trials() -> list[dict]:
    """Return configurations with their losses."""
    rng = np.random.default_rng(0)
    drawn = [{"x": float(rng.uniform(-5, 5)), "depth": int(rng.integers(1, 9))} for _ in range(N)]
    return [{**one, "loss": loss_of(one)} for one in drawn]


def loss_of(config) -> float:
    """Return the loss of a configuration."""
    return float((config["x"] - 1) ** 2 + 0.1 * config["depth"])


def suggested(trial) -> float:
    """Return the loss of a trial of Optuna."""
    x = trial.suggest_float("x", -5.0, 5.0)
    return loss_of({"x": x, "depth": trial.suggest_int("depth", 1, 8)})


# ---------------------------------------------------------------------- Optuna, scikit-*


def _sampler():
    import optuna

    return optuna.samplers.TPESampler(seed=0)


def optuna_database(folder):
    """Make an SQLite storage."""
    import optuna

    place = folder / "study.db"
    study = optuna.create_study(storage=f"sqlite:///{place}", sampler=_sampler())
    study.optimize(suggested, n_trials=N)
    return place


def optuna_journal(folder):
    """Make a journal."""
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    place = folder / "study.log"
    storage = JournalStorage(JournalFileBackend(str(place)))
    study = optuna.create_study(storage=storage, sampler=_sampler())
    study.optimize(suggested, n_trials=N)
    return place


def optuna_pickle(folder):
    """Pickle a study of two objectives."""
    import optuna

    study = optuna.create_study(directions=["minimize", "minimize"], sampler=_sampler())
    study.optimize(lambda t: (suggested(t), t.params["depth"]), n_trials=N)
    place = folder / "study.pkl"
    place.write_bytes(pickle.dumps(study))
    return place


def optuna_pickle_of_another_release(folder):
    """Pickle a study whose sampler has a class that is gone, and compress it."""
    import optuna

    gone = ModuleType("optuna.samplers._gone")
    gone.TPESampler = type("TPESampler", (), {"__module__": gone.__name__})
    study = optuna.create_study(sampler=_sampler())
    study.optimize(suggested, n_trials=N)
    study.sampler = gone.TPESampler()
    sys.modules[gone.__name__] = gone
    (folder / "study.pkl.gz").write_bytes(gzip.compress(pickle.dumps(study)))
    return folder / "study.pkl.gz"


def optuna_log(folder):
    """Keep what a study prints."""
    best = min(trials(), key=loss_of)
    lines = [
        f"[I 2026-01-01 10:00:00,000] Trial {i} finished with value: {trial.pop('loss')} and "
        f"parameters: {trial}. Best is trial 0 with value: {loss_of(best)}."
        for i, trial in enumerate(trials())
    ]
    (folder / "run.log").write_text("epoch 1\n" + "\n".join(lines))
    return folder / "run.log"


def optuna_table(folder):
    """Write the table of a study."""
    import optuna

    study = optuna.create_study(sampler=_sampler())
    study.optimize(suggested, n_trials=N)
    study.trials_dataframe().to_csv(folder / "study.csv")
    return folder / "study.csv"


def skopt_dump(folder):
    """Dump a result of scikit-optimize."""
    import skopt

    result = skopt.gp_minimize(
        lambda point: loss_of({"x": point[0], "depth": point[1]}),
        [(-5.0, 5.0), (1, 8)],
        n_calls=N,
        n_initial_points=N - 4,
        random_state=0,
    )
    skopt.dump(result, folder / "result.pkl", store_objective=False)
    return folder / "result.pkl"


def _search():
    from scipy.stats import loguniform
    from sklearn.model_selection import RandomizedSearchCV
    from sklearn.tree import DecisionTreeClassifier

    X = np.random.default_rng(0).normal(size=(60, 3))
    space = {"max_depth": [1, 2, 3, 4], "ccp_alpha": loguniform(1e-4, 0.1)}
    search = RandomizedSearchCV(
        DecisionTreeClassifier(random_state=0), space, n_iter=N, random_state=0
    )
    return search.fit(X, X[:, 0] > 0)


def sklearn_table(folder):
    """Write the results of a search."""
    pd.DataFrame(_search().cv_results_).to_csv(folder / "search.csv")
    return folder / "search.csv"


def sklearn_joblib(folder):
    """Dump a search."""
    import joblib

    joblib.dump(_search(), folder / "search.joblib")
    return folder / "search.joblib"


# ---------------------------------------------------------------------- tables


def csv(folder):
    """Write a table of separated values."""
    pd.DataFrame(trials()).to_csv(folder / "trials.csv", index=False)
    return folder / "trials.csv"


def parquet(folder):
    """Write a file of parquet."""
    pd.DataFrame(trials()).to_parquet(folder / "trials.parquet")
    return folder / "trials.parquet"


def feather(folder):
    """Write a file of feather."""
    pd.DataFrame(trials()).to_feather(folder / "trials.feather")
    return folder / "trials.feather"


def excel(folder):
    """Write a workbook of Excel."""
    pd.DataFrame(trials()).to_excel(folder / "trials.xlsx", index=False)
    return folder / "trials.xlsx"


def json_lines(folder):
    """Write an object of JSON a line."""
    lines = "\n".join(map(json.dumps, trials()))
    (folder / "trials.jsonl").write_text(lines)
    return folder / "trials.jsonl"


def json_under_a_key(folder):
    """Write objects of JSON under a key, and the best of them."""
    found = {"results": trials(), "best": trials()[0]}
    (folder / "grid.json").write_text(json.dumps(found))
    return folder / "grid.json"


def json_by_name(folder):
    """Write an object of JSON for each name of a trial."""
    found = {f"trial_{i}": trial for i, trial in enumerate(trials())}
    (folder / "trials.json").write_text(json.dumps(found))
    return folder / "trials.json"


def pickled_rows(folder):
    """Pickle a list of dicts."""
    (folder / "runs.pkl").write_bytes(pickle.dumps(trials()))
    return folder / "runs.pkl"


def pickled_documents(folder):
    """Pickle the documents of Hyperopt's trials."""
    documents = [
        {
            "tid": i,
            "result": {"loss": trial.pop("loss"), "status": "ok"},
            "misc": {"vals": {name: [value] for name, value in trial.items()}},
        }
        for i, trial in enumerate(trials())
    ]
    (folder / "trials.pkl").write_bytes(pickle.dumps(documents))
    return folder / "trials.pkl"


def spaces(folder):
    """Write a table separated by spaces."""
    pd.DataFrame(trials()).to_csv(folder / "trials.dat", index=False, sep=" ")
    return folder / "trials.dat"


def no_names(folder):
    """Write a table without a row of names."""
    pd.DataFrame(trials()).to_csv(folder / "trials.csv", index=False, header=False)
    return folder / "trials.csv"


def a_grid_with_measures(folder):
    """Write a grid with a counter and what was measured beside the objective."""
    rows = [
        {"run_no": 7 * i, "fast": fast, "slow": slow, "cagr": fast / slow, "sharpe": slow - fast}
        for i, (fast, slow) in enumerate(itertools.product((5, 10, 20), (50, 100, 150, 200)))
    ]
    pd.DataFrame(rows).to_csv(folder / "backtests.csv", index=False)
    return folder / "backtests.csv"


def a_text(folder):
    """Write what is no table."""
    (folder / "notes.log").write_text("[INFO] started\n[INFO] done\n")
    return folder / "notes.log"


# ---------------------------------------------------------------------- tables of frameworks


def deephyper(folder):
    """Write results of DeepHyper, of which one failed."""
    rows = [
        {"p:x": t["x"], "p:depth": t["depth"], "objective": -t["loss"], "job_id": i}
        for i, t in enumerate(trials())
    ]
    table = pd.DataFrame(rows).astype({"objective": object})
    table.loc[3, "objective"] = "F_nan"
    table.to_csv(folder / "results.csv", index=False)
    return folder / "results.csv"


def sherpa(folder):
    """Write results of Sherpa: a row for each step, and one for the end."""
    rows = [
        {
            "Trial-ID": i,
            "Status": status,
            "Iteration": step,
            "x": trial["x"],
            "depth": trial["depth"],
            "Objective": trial["loss"] / step,
        }
        for i, trial in enumerate(trials(), start=1)
        for status, step in (("INTERMEDIATE", 1), ("INTERMEDIATE", 2), ("COMPLETED", 2))
    ]
    pd.DataFrame(rows).to_csv(folder / "results.csv", index=False)
    return folder / "results.csv"


def syne_tune(folder):
    """Write results of Syne Tune."""
    rows = [
        {"trial_id": i, "config_x": t["x"], "config_depth": t["depth"], "loss": t["loss"]}
        | {"st_tuner_time": 2.0 * i}
        for i, t in enumerate(trials())
    ]
    pd.DataFrame(rows).to_csv(folder / "results.csv", index=False)
    return folder / "results.csv"


def nevergrad(folder):
    """Write a log of parameters of Nevergrad."""
    rows = [{"#loss": t.pop("loss"), "#num-tell": i, **t} for i, t in enumerate(trials())]
    (folder / "log.json").write_text("\n".join(map(json.dumps, rows)))
    return folder / "log.json"


def wandb_runs(folder):
    """Write the table of runs of W&B."""
    rows = [
        {"Name": f"sun-{i}", "State": "finished", "Created": f"2026-01-01T10:{i:02d}:00"}
        | {"depth": t["depth"], "x": t["x"], "loss": t["loss"]}
        for i, t in enumerate(trials())
    ]
    pd.DataFrame(rows).to_csv(folder / "runs.csv", index=False)
    return folder / "runs.csv"


def wandb_chart(folder):
    """Write the export of a chart of W&B."""
    table = {f"sun-1 - loss{end}": range(N) for end in ("", "__MIN", "__MAX")}
    pd.DataFrame({"Step": range(N), **table}).to_csv(folder / "chart.csv", index=False)
    return folder / "chart.csv"


def h2o_leaderboard(folder):
    """Write a leaderboard of H2O."""
    table = {"model_id": [f"GBM_{i}" for i in range(N)], "auc": range(N), "logloss": range(N)}
    pd.DataFrame(table).to_csv(folder / "leaderboard.csv", index=False)
    return folder / "leaderboard.csv"


def smac_of_old(folder):
    """Write the run history of SMAC 0."""
    status = {"__enum__": "StatusType.SUCCESS"}
    history = {
        "data": [
            [[i, None, 5], [t["loss"], 0.1, status, {}]] for i, t in enumerate(trials(), start=1)
        ],
        "configs": {
            str(i): {"x": t["x"], "depth": t["depth"]} for i, t in enumerate(trials(), start=1)
        },
    }
    (folder / "runhistory.json").write_text(json.dumps(history))
    return folder


# ---------------------------------------------------------------------- other frameworks


def _log_to_mlflow(address):
    mlflow = import_module("mlflow")
    mlflow.set_tracking_uri(address)
    mlflow.set_experiment("tuning")
    for trial in trials():
        with mlflow.start_run():
            mlflow.log_metric("loss", trial.pop("loss"))
            mlflow.log_params(trial)


def mlflow_database(folder):
    """Log into a database of MLflow."""
    _log_to_mlflow(f"sqlite:///{folder / 'mlflow.db'}")
    return folder / "mlflow.db"


def mlflow_folder(folder):
    """Log into a folder of MLflow."""
    # releases since 3.7 ask whether the folder is meant
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    _log_to_mlflow((folder / "mlruns").as_uri())
    return folder


def keras_tuner(folder):
    """Search with a loop of layers."""
    os.environ.setdefault("KERAS_BACKEND", "jax")
    import keras_tuner as kt

    class Tuner(kt.RandomSearch):
        def run_trial(self, trial, *args, **kwargs):
            hp = trial.hyperparameters
            layers = range(hp.Int("layers", 1, 3))
            units = [hp.Int(f"units_{i}", 8, 64) for i in layers]
            return hp.Float("x", -5.0, 5.0) ** 2 + sum(units) / 100

    objective = kt.Objective("default_objective", "min")
    tuner = Tuner(objective=objective, max_trials=N, seed=0, directory=folder)
    tuner.search(verbose=0)
    return folder


def ray_tune(folder):
    """Run an experiment of Ray Tune."""
    import ray
    from ray import tune

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    tune.Tuner(
        lambda config: {"loss": loss_of(config)},
        param_space={"x": tune.uniform(-5, 5), "depth": tune.randint(1, 9)},
        tune_config=tune.TuneConfig(metric="loss", mode="min", num_samples=N),
        run_config=tune.RunConfig(storage_path=str(folder), verbose=0),
    ).fit()
    ray.shutdown()
    return folder


def smac(folder):
    """Optimize with SMAC."""
    from ConfigSpace import ConfigurationSpace
    from smac import HyperparameterOptimizationFacade, Scenario

    space = ConfigurationSpace({"x": (-5.0, 5.0), "depth": (1, 8)}, seed=0)
    scenario = Scenario(space, n_trials=N, deterministic=True, output_directory=folder)
    HyperparameterOptimizationFacade(
        scenario, lambda config, seed: loss_of(config), overwrite=True, logging_level=50
    ).optimize()
    return folder


def ax_client(folder):
    """Save a Client of Ax."""
    ax = import_module("ax")
    client = ax.Client(random_seed=0)
    ranges = [("x", (-5.0, 5.0), "float"), ("depth", (1, 8), "int")]
    client.configure_experiment(
        parameters=[
            ax.RangeParameterConfig(name=n, bounds=b, parameter_type=kind) for n, b, kind in ranges
        ]
    )
    client.configure_optimization(objective="-loss")
    for trial in trials():
        loss = trial.pop("loss")
        i = client.attach_trial(trial)
        client.complete_trial(i, raw_data={"loss": loss})
    client.save_to_json_file(str(folder / "client.json"))
    return folder / "client.json"


def ax_service(folder):
    """Save an AxClient."""
    service = import_module("ax.service.ax_client")
    client = service.AxClient(random_seed=0, verbose_logging=False)
    client.create_experiment(
        parameters=[
            {"name": "x", "type": "range", "bounds": [-5.0, 5.0]},
            {"name": "depth", "type": "range", "bounds": [1, 8]},
        ],
        objectives={"loss": service.ObjectiveProperties(minimize=True)},
    )
    for trial in trials():
        loss = trial.pop("loss")
        _, i = client.attach_trial(trial)
        client.complete_trial(i, raw_data=loss)
    client.save_to_json_file(str(folder / "ax_client.json"))
    return folder / "ax_client.json"


def hyperopt_table(folder):
    """Write the documents of Hyperopt's trials."""
    hyperopt = import_module("hyperopt")
    hp = hyperopt.hp
    found = hyperopt.Trials()
    hyperopt.fmin(
        loss_of,
        {"x": hp.uniform("x", -5, 5), "depth": hp.randint("depth", 1, 9)},
        algo=hyperopt.tpe.suggest,
        max_evals=N,
        trials=found,
        rstate=np.random.default_rng(0),
        verbose=False,
    )
    place = folder / "trials.csv"
    pd.json_normalize(found.trials).to_csv(place)
    return place


def hand_made(folder):
    """Write a table as people do: semicolons, percentages, a word for a failure."""
    rows = [f"{t['x']:.3f};{t['depth']};{100 * t['loss']:.2f}%" for t in trials()]
    rows[3] = rows[3].rpartition(";")[0] + ";OOM"
    place = folder / "results.txt"
    place.write_text("x;depth;val loss ↓\n" + "\n".join(rows), encoding="utf-8")
    return place


LOSS = (("--objective", "loss"),)
TRUST = ("--trust-pickle",)
DOORS = (
    Door("Optuna: SQLite storage", ("optuna",), optuna_database),
    Door("Optuna: journal", ("optuna",), optuna_journal),
    Door("Optuna: trials_dataframe", ("optuna",), optuna_table, (("--direction", "minimize"),)),
    Door(
        "Optuna: pickled study, two objectives",
        ("optuna",),
        optuna_pickle,
        (TRUST, ("--target", "0")),
    ),
    Door(
        "Optuna: pickled by another release",
        ("optuna",),
        optuna_pickle_of_another_release,
        (TRUST,),
    ),
    Door("Optuna: what it printed", (), optuna_log),
    Door("scikit-optimize: dump", ("skopt",), skopt_dump, (TRUST,)),
    Door("scikit-learn: cv_results_ as CSV", ("sklearn",), sklearn_table),
    Door("scikit-learn: joblib", ("sklearn",), sklearn_joblib, (TRUST,)),
    Door("CSV", (), csv, LOSS),
    Door("parquet", ("pyarrow",), parquet, LOSS),
    Door("feather", ("pyarrow",), feather, LOSS),
    Door("Excel", ("openpyxl",), excel, LOSS),
    Door("JSON lines", (), json_lines, LOSS),
    Door("JSON under a key", (), json_under_a_key, LOSS),
    Door("JSON by the names of trials", (), json_by_name, LOSS),
    Door("a pickled list of dicts", (), pickled_rows, (TRUST, *LOSS)),
    Door("Hyperopt: pickled documents", (), pickled_documents, (TRUST,)),
    Door("spaces between columns", (), spaces, LOSS),
    Door("no row of names", (), no_names, told="has no row of names"),
    Door("text that is no table", (), a_text, told="is text without a row of names"),
    Door(
        "a grid with what was measured",
        (),
        a_grid_with_measures,
        (
            (
                "--objective",
                "sharpe",
                "--direction",
                "maximize",
                "--hyperparameters",
                "fast,slow",
            ),
        ),
    ),
    Door("DeepHyper: results", (), deephyper),
    Door("Sherpa: results", (), sherpa, (("--direction", "minimize"),)),
    Door("Syne Tune: results", (), syne_tune, LOSS),
    Door("Nevergrad: log of parameters", (), nevergrad),
    Door("W&B: table of runs", (), wandb_runs, LOSS),
    Door("W&B: chart", (), wandb_chart, told="Export the table of runs"),
    Door("H2O: leaderboard", (), h2o_leaderboard, told="has no hyperparameters"),
    Door("SMAC 0: run history", (), smac_of_old),
    Door("a table as people write it", (), hand_made, (("--objective", "val loss ↓"),)),
    Door("Hyperopt: trials as CSV", ("hyperopt",), hyperopt_table),
    Door("MLflow: database", ("mlflow", "sqlalchemy"), mlflow_database),
    Door("MLflow: mlruns", ("mlflow",), mlflow_folder),
    Door("KerasTuner: project", ("keras_tuner", "jax"), keras_tuner),
    Door("Ray Tune: experiment", ("ray",), ray_tune),
    Door("SMAC3: run", ("smac",), smac),
    Door("Ax: Client", ("ax",), ax_client),
    Door("Ax: AxClient", ("ax",), ax_service),
)


def missing(door: Door) -> list[str]:
    """Return the packages that are not installed."""
    return [n for n in door.needs if find_spec(n) is None]


def of_door(door: Door, path: Path) -> str:
    """Return how a path is read, or what is said of it; raise AssertionError for anything else."""
    if not door.told:
        return opened(path, door.tries)
    done = hpo_explain(path, [])
    assert done.returncode == 1, done.stdout
    assert door.told in done.stderr, done.stderr
    return f"told: {done.stderr.strip().splitlines()[-1]}"


def opened(path: Path, tries: tuple[tuple[str, ...], ...]) -> str:
    """Return at which try a path is read; raise AssertionError if it never is."""
    given: list[str] = []
    for i, more in enumerate((*tries, ())):
        done = hpo_explain(path, given)
        if done.returncode == 0:
            assert done.stdout.strip(), "nothing was printed"
            return f"try {i + 1}" + f": {' '.join(given)}" * bool(given)
        assert more, done.stderr.strip().splitlines()[-1]
        assert more[0] in done.stderr, done.stderr
        given += more
    raise AssertionError("it cannot be read")


def hpo_explain(path: Path, options: list[str]) -> subprocess.CompletedProcess:
    """Run the command about a path."""
    code = "from hpo_explain.cli import main; main()"
    command = [sys.executable, "-W", "ignore", "-c", code, str(path), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main(names: list[str]) -> int:
    """Print a row for each door, or for those whose names hold one of some words."""
    failed = 0
    print(f"| {'kind':40} | read at |\n| {'-' * 40} | ------- |")
    for door in DOORS:
        if names and not any(n.lower() in door.kind.lower() for n in names):
            continue
        lacks = missing(door)
        with tempfile.TemporaryDirectory() as folder:
            try:
                how = (
                    f"not installed: {', '.join(lacks)}"
                    if lacks
                    else of_door(door, door.make(Path(folder)))
                )
            except Exception as error:  # a door that does not open
                failed += 1
                how = f"FAILED: {error}"
        print(f"| {door.kind:40} | {how} |", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
