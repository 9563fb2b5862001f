"""What is missing: a command to copy, which works."""

import shlex

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def table(folder):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((20, 2)), columns=["x", "y"])
    frame["trial"] = range(20)
    frame["quality"] = frame["x"] + 0.1 * frame["y"]
    frame["val_loss"] = 1.0 - frame["quality"]
    frame["test_auc"] = rng.random(20)
    frame["final size"] = (frame["x"] - 0.3) ** 2
    frame.to_csv(folder / "my trials.csv", index=False)
    return "my trials.csv"


def copied(outcome):
    """The arguments of the command that an error ends with."""
    _, _, line = outcome.stderr.rstrip().rpartition("\n")
    return shlex.split(line)[1:]


def test_the_command_of_an_error_works(table, run):
    first = run(table)
    assert first.exit_code == 2
    assert "Other objectives may be test_auc" in first.stderr
    assert copied(first) == [
        *(table, "--objective", "val_loss", "--direction", "minimize"),
        *("--hyperparameters", "x,y,quality,final size"),
    ]
    second = run(*copied(first))
    assert second.exit_code == 0
    assert "val_loss (minimize)" in second.stderr


def test_a_missing_direction_is_given_by_the_command_of_the_error(table, run):
    options = [*("--ignore", "val_loss"), *("--ignore", "final size")]
    first = run("importance", table, "--objective", "quality", *options)
    assert first.exit_code == 2
    settled = ["--direction", "minimize", "--hyperparameters", "x,y"]
    assert copied(first)[-4:] == settled
    assert "20 trials of 2 hyperparameters" in run(*copied(first)).stderr


def test_of_several_objectives_each_has_a_direction(table, run):
    both = ["--objective", "val_loss", "--objective", "final size"]
    first = run("pareto", table, *both, "--hyperparameters", "x,y")
    directions = ["--direction", "minimize"] * 2
    assert copied(first)[-4:] == directions
    second = run(*copied(first))
    assert "Pareto front of val_loss and final size" in second.stdout
    one = run("importance", *copied(first)[1:])
    assert one.exit_code == 1
    assert "names 2: val_loss, final size" in one.stderr


def test_scales_are_settled_by_options(table, run):
    options = ["--objective", "val_loss", "--log", "x", "--linear", "y"]
    kept = ["--hyperparameters", "x,y"]
    outcome = run("trust", table, *options, *kept)
    assert outcome.exit_code == 0
    assert "scale" not in outcome.stderr
    wrong = ["--objective", "val_loss", "--log", "z", *kept]
    wrong = run("trust", table, *wrong)
    assert "--log must be a hyperparameter" in wrong.stderr
