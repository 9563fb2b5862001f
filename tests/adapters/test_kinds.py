"""What each column of a table is taken for: everything that people's tables hold, both ways.

The same run of 48 trials in several designs; what came of it is known, so columns can be added of
which it is known what they are.
"""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.stats import qmc

import hpo_explain as hx
from tests.noted import the_note

N = 48


def objective_of(lr, depth, rng):
    """A loss that depends on both, and is noisy."""
    noise = rng.normal(0.0, 0.05, len(lr))
    return 0.3 + (np.log10(lr) + 2.0) ** 2 / 4 + 0.03 * depth + np.abs(noise)


def designed(design, rng):
    """Learning rates and depths, as a search of some kind tries them."""
    if design == "grid":
        pairs = [*itertools.product(np.logspace(-4, -1, 8), range(1, 7))]
        lr, depth = map(np.array, zip(*pairs, strict=True))
        return lr, depth
    points = rng.random((N, 2))
    if design == "sobol":
        points = qmc.Sobol(2, seed=0).random(64)[:N]
    if design == "converging":  # ever closer to the best
        away = np.geomspace(1.0, 0.02, N)[:, None]
        points = np.array([0.7, 0.4]) + away * (points - [0.7, 0.4])
    if design == "sorted":
        points = points[np.argsort(points[:, 1])]
    return 10 ** (-4 + 3 * points[:, 0]), 1 + (6 * points[:, 1]).astype(int)


def table_of(design="random", **more):
    """A table of a search; each further column is made from the table and a generator."""
    rng = np.random.default_rng(1)
    lr, depth = designed(design, rng)
    table = pd.DataFrame({"lr": lr, "depth": depth})
    table["loss"] = objective_of(lr, depth, rng)
    for name, make in more.items():
        table[name] = make(table, rng)
    return table


def taken(table, objective="loss", direction=None, **options):
    """The hyperparameters of a table, and the kinds and roles of its other columns."""
    run = hx.from_frame(table, objective, direction, **options)
    note = the_note(run.notes, "columns")
    kinds = dict(note["left_out"])
    kinds |= {column: role for role, column in note["roles"]}
    return run.space.names, kinds


DESIGNS = ("random", "grid", "sobol", "converging", "sorted")
# what is no hyperparameter: its name, how it is made, what it is
OTHERS = {
    "from 0": ("trial_number", lambda t, g: range(N), "trial"),
    "from 1": ("Trial", lambda t, g: range(1, N + 1), "trial"),
    "without a name": ("Unnamed: 0", lambda t, g: range(N), "trial"),
    "downward": ("run_id", lambda t, g: range(N)[::-1], "trial"),
    "sorted by result": (
        "trial",
        lambda t, g: t["loss"].rank().astype(int),
        "trial",
    ),
    "with gaps": (
        "index",
        lambda t, g: np.sort(g.choice(2 * N, N, replace=False)),
        "trial",
    ),
    "by tens": ("iteration", lambda t, g: 10 * np.arange(N), "trial"),
    "of four runs": ("eval_count", lambda t, g: [*range(12)] * 4, "number"),
    "states": (
        "status",
        lambda t, g: ["COMPLETED", "RUNNING", "FAILED"] + ["COMPLETED"] * 45,
        "status",
    ),
    "states by another name": (
        "outcome",
        lambda t, g: ["finished"] * 47 + ["crashed"],
        "status",
    ),
    "success": ("success", lambda t, g: [True] * 47 + [False], "status"),
    "epoch seconds": (
        "start",
        lambda t, g: 1_700_000_000 + np.arange(N) * 60.5,
        "time",
    ),
    "epoch milliseconds": (
        "timestamp",
        lambda t, g: 1_700_000_000_000 + g.integers(0, 10**8, N),
        "time",
    ),
    "a date in its own way": (
        "begin",
        lambda t, g: [
            f"12/{1 + i % 28:02d}/2024 10:{i:02d}" for i in range(N)
        ],
        "time",
    ),
    "compact date": (
        "date",
        lambda t, g: [f"20240812_1200{i:02d}" for i in range(N)],
        "time",
    ),
    "duration": (
        "train_time_s",
        lambda t, g: g.gamma(2.0, 9.0, N),
        "duration",
    ),
    "whole duration": (
        "Runtime",
        lambda t, g: g.integers(60, 900, N),
        "duration",
    ),
    "duration as text": (
        "elapsed",
        lambda t, g: [f"0 days 00:00:{i:02d}" for i in range(N)],
        "time",
    ),
    "uuid": (
        "uuid",
        lambda t, g: [f"{g.integers(16**8):08x}-{i}" for i in range(N)],
        "id",
    ),
    "names of runs": (
        "run",
        lambda t, g: [f"sunny-sweep-{i % 46}" for i in range(N)],
        "id",
    ),
    "job numbers": (
        "slurm_id",
        lambda t, g: g.choice(10**6, N, replace=False),
        "id",
    ),
    "a host": ("hostname", lambda t, g: g.choice(["gpu1", "gpu2"], N), "id"),
    "seed per trial": (
        "random_seed",
        lambda t, g: g.choice(2**31, N, replace=False),
        "seed",
    ),
    "counted seeds": ("seed", lambda t, g: 42 + np.arange(N), "seed"),
    "another metric": (
        "val_accuracy",
        lambda t, g: np.exp(-t["loss"]) + g.normal(0.0, 0.02, N),
        "metric",
    ),
    "rounded metric": (
        "accuracy",
        lambda t, g: np.exp(-t["loss"]).round(2),
        "metric",
    ),
    "whole percent": (
        "acc",
        lambda t, g: (100 * np.exp(-t["loss"])).round().astype(int),
        "metric",
    ),
    "metric of another thing": (
        "quant_test_loss",
        lambda t, g: 1.4 * t["loss"] + g.normal(0.0, 0.1, N),
        "metric",
    ),
    "metric without a name": (
        "final",
        lambda t, g: t["loss"] + g.normal(0.0, 0.01, N),
        "metric",
    ),
    "metric with nothing but a letter": (
        "r",
        lambda t, g: t["loss"] * 1.02 + g.normal(0.0, 0.01, N),
        "metric",
    ),
    "metric of a fold": (
        "split0_test_score",
        lambda t, g: g.random(N),
        "metric",
    ),
    "standard deviation": (
        "std_test_score",
        lambda t, g: g.random(N),
        "metric",
    ),
    "rank": (
        "rank_test_score",
        lambda t, g: t["loss"].rank().astype(int),
        "metric",
    ),
    "a metric by its prefix": (
        "metrics.foo",
        lambda t, g: g.random(N),
        "metric",
    ),
    "whole metric": ("flops", lambda t, g: g.integers(1, 10**6, N), "metric"),
    "the best epoch": (
        "best_epoch",
        lambda t, g: g.integers(1, 90, N),
        "metric",
    ),
    "size": ("n_params", lambda t, g: g.integers(1, 10**6, N), "metric"),
    "metric with a sign": (
        "val acc (%)",
        lambda t, g: [f"{100 * v:.2f}%" for v in np.exp(-t["loss"])],
        "metric",
    ),
    "metric with its deviation": (
        "cv score",
        lambda t, g: [f"{v:.4f} ± 0.02" for v in np.exp(-t["loss"])],
        "metric",
    ),
    "MLflow's duration": (
        "Duration",
        lambda t, g: [f"{v:.1f}min" for v in g.uniform(1, 9, N)],
        "time",
    ),
    "numero": ("S.No.", lambda t, g: range(1, N + 1), "trial"),
    "ratio": ("sortino", lambda t, g: g.normal(1.0, 0.5, N), "metric"),
    "the objective in percent": (
        "percent",
        lambda t, g: 100.0 * t["loss"],
        "copy",
    ),
    "the objective negated": ("utility", lambda t, g: -t["loss"], "copy"),
    "its logarithm": ("log_lr", lambda t, g: np.log10(t["lr"]), "derived"),
    "its units": ("nodes", lambda t, g: 2 ** t["depth"], "derived"),
    "one value": ("device", lambda t, g: ["cuda"] * N, "constant"),
    "nothing": ("notes", lambda t, g: [None] * N, "empty"),
}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("case", OTHERS)
def test_what_is_no_hyperparameter_is_told_by_what_it_is(case, design):
    name, make, kind = OTHERS[case]
    names, kinds = taken(table_of(design, **{name: make}))
    assert names == ("lr", "depth")
    assert kinds == {name: kind}


# what is a hyperparameter, whatever it is called
SEARCHED = {
    "epochs": lambda t, g: g.integers(5, 100, N),
    "seed": lambda t, g: g.integers(0, 5, N),
    "random_state": lambda t, g: g.integers(0, 100, N),
    "batch_size": lambda t, g: g.choice([16, 32, 64, 128], N),
    "n_estimators": lambda t, g: g.choice(np.arange(50, 1000), N, False),
    "max_iter": lambda t, g: g.choice(np.arange(100, 1000), N, False),
    "iterations": lambda t, g: g.choice(np.arange(100, 1000), N, False),
    "rank": lambda t, g: g.choice([4, 8, 16, 32], N),
    "order": lambda t, g: g.integers(1, 5, N),
    "step": lambda t, g: g.choice([0.1, 0.2, 0.5], N),
    "trial": lambda t, g: g.random(N),
    "index": lambda t, g: g.integers(0, 9, N),
    "objective": lambda t, g: g.choice(["mse", "mae", "huber"], N),
    "state": lambda t, g: g.choice(["CA", "NY"], N),
    "value": lambda t, g: g.random(N),
    "number": lambda t, g: g.integers(0, 300, N),
    "loss_weight": lambda t, g: g.random(N),
    "test_size": lambda t, g: g.random(N),
    "time_limit": lambda t, g: g.integers(10, 600, N),
    "time_steps": lambda t, g: g.integers(1, 40, N),
    "timeout": lambda t, g: g.integers(10, 100, N),
    "error_tol": lambda t, g: 10 ** g.uniform(-6, -2, N),
    "precision": lambda t, g: g.choice([16, 32], N),
    "score_threshold": lambda t, g: g.random(N),
    "criterion": lambda t, g: g.choice(["gini", "entropy"], N),
    "early_stopping": lambda t, g: g.choice([True, False], N),
    "width": lambda t, g: g.permutation(N),
    "budget_ratio": lambda t, g: g.random(N),
    "dropout": lambda t, g: g.uniform(0.0, 0.9, N),
    "gamma": lambda t, g: g.random(N),
    "path_length": lambda t, g: g.integers(1, 99, N),
    "optimizer": lambda t, g: g.choice(["adam", "sgd"], N),
    "hidden": lambda t, g: g.choice(["64,32", "64", "128,64,32"], N),
    "freq_hz": lambda t, g: g.choice([1.8e9, 2.4e9, 5e9], N),
    "folds": lambda t, g: g.integers(3, 10, N),
    "dataset": lambda t, g: g.choice(["clean", "augmented"], N),
    "steps": lambda t, g: g.integers(1, 20, N) * 100,
    "model": lambda t, g: g.choice(["cnn", "mlp"], N),
    "min_samples_split": lambda t, g: g.integers(2, 20, N),
    "metric": lambda t, g: g.choice(["cosine", "euclidean"], N),
    "start_lr": lambda t, g: np.sort(10 ** g.uniform(-5, -2, N)),
}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("name", SEARCHED)
def test_what_was_searched_is_kept_whatever_it_is_called(name, design):
    names, kinds = taken(table_of(design, **{name: SEARCHED[name]}))
    assert names == ("lr", "depth", name)
    assert kinds == {}


@pytest.mark.parametrize(
    "columns",
    [
        {"n_estimators": range(10, 250, 10)},
        {"k": range(1, 25), "weights": ["uniform", "distance"] * 12},
        {"depth": np.repeat(range(1, 5), 6), "units": [8, 16, 32] * 8},
        {"x": np.linspace(0.0, 1.0, 24), "y": np.tile([0.0, 0.5, 1.0], 8)},
        {"trial": range(24)},
    ],
)
def test_a_design_that_is_sorted_by_a_hyperparameter_keeps_it(columns):
    table = pd.DataFrame(columns)
    first = np.asarray(table.iloc[:, 0], dtype=float)
    table["loss"] = (first - first.mean()) ** 2
    assert taken(table) == (tuple(columns), {})


def test_a_full_grid_has_no_instances_and_no_budgets():
    pairs = itertools.product([16, 32, 64], [10, 20, 50], [0.1, 0.2, 0.3])
    table = pd.DataFrame(pairs, columns=["batch_size", "epochs", "dropout"])
    table["loss"] = np.random.default_rng(0).random(len(table))
    assert taken(table) == (("batch_size", "epochs", "dropout"), {})
