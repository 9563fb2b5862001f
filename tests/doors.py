"""Whether every door opens: ``python -m tests.doors`` prints a table.

A file or a folder of each kind is made by the framework itself, where it is installed, and is read
by ``hpo-explain PATH``: with nothing else, or with what the first error asks for.
"""

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
    """

    kind: str
    needs: tuple[str, ...]
    make: Callable[[Path], Path]
    tries: tuple[tuple[str, ...], ...] = ()


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
    Door("scikit-optimize: dump", ("skopt",), skopt_dump, (TRUST,)),
    Door("scikit-learn: cv_results_ as CSV", ("sklearn",), sklearn_table),
    Door("scikit-learn: joblib", ("sklearn",), sklearn_joblib, (TRUST,)),
    Door("CSV", (), csv, LOSS),
    Door("parquet", ("pyarrow",), parquet, LOSS),
    Door("feather", ("pyarrow",), feather, LOSS),
    Door("Excel", ("openpyxl",), excel, LOSS),
    Door("JSON lines", (), json_lines, LOSS),
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
                    else opened(door.make(Path(folder)), door.tries)
                )
            except Exception as error:  # a door that does not open
                failed += 1
                how = f"FAILED: {error}"
        print(f"| {door.kind:40} | {how} |", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
