"""Messages name the options of the command line, not the arguments of Python."""

import click
import optuna
import pandas as pd
import pytest
from hpo_explain.cli._wording import as_options

from hpo_explain.cli import main


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Choose one with target=: an index", "Choose one with --target: an index"),
        ('pruned (pruned="last" reads it)', "pruned (--pruned last reads it)"),
        ("columns (a, b); hyperparameters= chooses", "columns (a, b); --hyperparameter chooses"),
        ("name it in hyperparameters=.", "name it in --hyperparameter."),
        ("acquisition='lcb' says more", "--acquisition lcb says more"),
        ("Use acquisition='lcb'.", "Use --acquisition lcb."),
        ("give time=(start, finish).", "give --time-column start --time-column finish."),
        (
            "give time=('the end', 'start').",
            "give --time-column 'the end' --time-column start.",
        ),
        ("without trial= equal rows are", "without --trial-column equal rows are"),
        ("as given with sampler=; random", "as given with --sampler; random"),
        # what is no option here, no argument, or a call of Python
        ("unless space= states it", "unless space= states it"),
        ("estimator='kernel'", "estimator='kernel'"),
        ("Use f(x, target=1), or target=1", "Use f(x, target=1), or --target 1"),
        ("the category 'target=1' of my_target=2", "the category 'target=1' of my_target=2"),
        ("target = 1 and target == 1", "target = 1 and target == 1"),
        ("lr=0.1 was given", "lr=0.1 was given"),
    ],
)  # fmt: skip
def test_an_argument_becomes_the_option_that_the_command_has(text, expected):
    with click.Context(main.commands["proposal"]):
        assert as_options(text) == expected
    assert as_options(text) == text  # where there is no command line


def test_a_command_without_the_option_names_the_argument():
    with click.Context(main.commands["importance"]):
        assert as_options("acquisition='lcb'") == "acquisition='lcb'"


def test_notes_and_errors_name_options(folder, study, run):
    told = run("importance", "study.db", "--format", "csv").stderr
    assert "(--pruned last reads the last value it reported)" in told
    pd.DataFrame({"x": ["2026-01-01"], "loss": [1.0]}).to_csv("t.csv", index=False)
    refused = run("importance", "t.csv", "--objective", "loss")
    assert "Add one, or name it in --hyperparameter." in refused.stderr


def test_notes_beside_a_result_name_options(folder, run):
    study = optuna.create_study(
        storage="sqlite:///r.db", sampler=optuna.samplers.RandomSampler(seed=0)
    )
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=14)
    study._storage.remove_session()
    refused = run("proposal", "r.db", "--trial", "12", "--sampler", "RandomSampler")
    assert "sampler=" not in refused.output
    assert "RandomSampler, as given with --sampler" in refused.stderr
    unnamed = run("importance", "r.db")
    assert "sampler=" not in unnamed.output
