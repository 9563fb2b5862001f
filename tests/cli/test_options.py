"""Messages name the options of the command line, not the arguments of Python."""

import functools
import importlib

import click
import optuna
import pandas as pd
import pytest
from click.testing import CliRunner

from hpo_explain.base.facts import Option
from hpo_explain.catalog.methods import EXPLAIN_PROPOSAL
from hpo_explain.cli import main
from hpo_explain.cli._commands import command_of
from hpo_explain.cli._errors import name_option, name_reading_option
from hpo_explain.reporting import page


@pytest.mark.parametrize(
    ("name", "option", "expected"),
    [
        (name_option, Option("acquisition", "lcb"), "--acquisition lcb"),
        (name_option, Option("background", "two words"), "--background 'two words'"),
        (name_option, Option("space"), "space="),  # which is no option
        (name_option, Option("pieces", "kernel"), "pieces='kernel'"),
        (name_reading_option, Option("hyperparameters"), "--hyperparameters"),
        (name_reading_option, Option("trial"), "--trial-column"),
        (
            name_reading_option,
            Option("time", ("the end", "at")),
            "--time-column 'the end' --time-column at",
        ),
    ],
)
def test_an_argument_becomes_the_option_that_the_command_has(name, option, expected):
    with click.Context(command_of(EXPLAIN_PROPOSAL)):
        assert name(option) == expected
    assert name_option(option) == str(option)  # where there is no command line


def test_notes_and_errors_name_options(folder, study, run):
    told = run("importance", "study.db", "--csv").stderr
    assert "(--pruned last reads the last value it reported)" in told
    pd.DataFrame({"id": [1, 2], "x": [1, 2], "loss": [1.0, 2.0]}).to_csv("t.csv", index=False)
    refused = run("importance", "t.csv", "--objective", "loss")
    assert "--hyperparameter" in refused.stderr


def test_notes_beside_a_result_name_options(folder, run):
    study = optuna.create_study(
        storage="sqlite:///r.db", sampler=optuna.samplers.RandomSampler(seed=0)
    )
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=14)
    study._storage.remove_session()
    refused = run("explain-proposal", "r.db", "--trial", "12", "--sampler", "RandomSampler")
    assert "sampler=" not in refused.output
    assert "--sampler" in refused.stderr
    unnamed = run("importance", "r.db")
    assert "sampler=" not in unnamed.output


def test_debug_shows_the_traceback_of_what_goes_wrong(folder, study, run):
    with pytest.raises(ValueError, match="must be a hyperparameter"):
        run("partial-dependence", "study.db", "z", "--debug")


def test_a_defect_is_one_line_and_with_debug_a_traceback(folder, study, run, monkeypatch):
    module = importlib.import_module("hpo_explain.methods.runs.trust")

    @functools.wraps(module.trust)
    def broken(*_, **__):
        raise KeyError("shapes")

    monkeypatch.setattr(module, "trust", broken)
    outcome = run("trust", "study.db")
    assert outcome.exit_code == 1
    assert "KeyError: 'shapes'. This is a defect" in outcome.stderr
    assert "Traceback" not in outcome.output
    with pytest.raises(KeyError):
        run("trust", "study.db", "--debug")


@pytest.mark.parametrize("debug", [True, False])
def test_a_failed_section_is_one_line_and_with_debug_a_traceback(study, run, monkeypatch, debug):
    def broken(*_, **__):
        raise ValueError("shapes do not match")

    module = importlib.import_module("hpo_explain.methods.around.changes")
    monkeypatch.setattr(module.AblationExplainer, "explain", broken)
    parts = tuple(part for part in page.SECTIONS if part.name in ("history", "changes"))
    monkeypatch.setattr(page, "SECTIONS", parts)
    outcome = run("report", "study.db", *["--debug"] * debug)
    assert outcome.exit_code == 0
    assert ("Traceback" in outcome.stderr) == ("shapes do not match" in outcome.stderr) == debug
    assert "ValueError: shapes do not match" in outcome.stdout


def test_help_has_the_commands_own_options_first_and_those_of_reading_by_what_they_read():
    text = CliRunner().invoke(main, ["importance", "--help"]).output
    places = [text.index(said) for said in ("--order", "--json", "Reading a table:", "--objective")]
    assert places == sorted(places)
    assert text.index("Reading a storage of Optuna:") < text.index("--sampler NAME")


def test_a_source_before_its_command_is_told_the_order(tmp_path):
    (tmp_path / "t.csv").write_text("x,loss\n1,2\n")
    ran = CliRunner().invoke(main, [str(tmp_path / "t.csv"), "importance"])
    assert ran.exit_code == 2
    assert "the command comes first: " in ran.output
    assert f"importance {tmp_path / 't.csv'}" in ran.output.replace("\n", " ")
