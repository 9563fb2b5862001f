"""Every method has a command of its name, which prints what its function returns."""

import csv
import inspect
import io
import json
import shutil
import subprocess
import sys
import warnings

import click
import numpy as np
import optuna
import pandas as pd
import pytest
from click.testing import CliRunner

import hpo_explain as hx
from hpo_explain.adapters.sources import as_run
from hpo_explain.catalog.methods import METHODS
from hpo_explain.cli import main
from hpo_explain.cli._commands import MethodCommand, command_of

SHOWN = [method for method in METHODS if method.called]
# so that it takes not so long
LESS = {"background": 20, "order": 1, "grid_size": 5, "sample": 30}

pytestmark = pytest.mark.usefixtures("answers_stay")


@pytest.mark.merge
def test_the_module_is_the_command():
    """Where scripts are not on the path."""
    ran = subprocess.run(
        [sys.executable, "-m", "hpo_explain", "history", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.startswith("Usage: python -m hpo_explain history")


@pytest.fixture(scope="module")
def tuned_run(tuned):
    """The run of the study, held so that what is computed of it stays."""
    return as_run(f"sqlite:///{tuned}")


@pytest.fixture
def read(study, tuned_run):
    return tuned_run


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


# ---------------------------------------------------------------------- all of them


def test_the_commands_are_the_methods_and_six_more():
    names = {method.name.replace("_", "-") for method in SHOWN}
    assert {*main.commands} == names | {"demo", "mcp", "publish", "report", "watch", "what-if"}


@pytest.mark.merge
@pytest.mark.parametrize("method", SHOWN, ids=lambda method: method.name)
def test_every_command_prints_what_its_function_returns(run, read, method):
    function = method.function
    first, *others = inspect.signature(function).parameters.values()
    named = [p.name for p in others if p.default is p.empty and p.kind is not p.VAR_KEYWORD]
    less = {p.name: LESS[p.name] for p in others if p.name in LESS and p.default != "auto"}
    sources, given = ["study.db"], read
    if first.name == "runs":
        shutil.copy("study.db", "other.db")
        sources, given = (["study.db", "other.db"], {"study.db": read, "other.db": read})
    arguments = [*sources, *["x"] * len(named)]
    options = [f"--{name.replace('_', '-')}={value}" for name, value in less.items()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = function(given, *["x"] * len(named), **less)
        except ValueError as error:
            found = error
    if isinstance(found, ValueError):
        outcome = run(method.called, *arguments, *options)
        assert (outcome.exit_code, str(found)[:20] in outcome.stderr) == (1, True)
        return
    outcome = run(method.called, *arguments, *options, "--json")
    assert outcome.exit_code == 0, outcome.output
    assert json.loads(outcome.stdout) == json.loads(json.dumps(found.to_dict()))
    if not hasattr(found, "to_frame"):
        return
    shown = run(method.called, *arguments, *options)
    assert found.said in shown.stdout
    alone = run(method.called, *arguments, *options, "--csv")
    assert len(rows(alone.stdout)) == len(found.to_frame())
    assert all(None not in row and None not in row.values() for row in rows(alone.stdout))
    assert found.said in alone.stderr


def test_every_option_says_what_it_does_and_every_command_has_a_whole_line():
    lines = CliRunner().invoke(main, ["--help"]).stdout.splitlines()
    for name, found in main.commands.items():
        made = command_of(found.method) if isinstance(found, MethodCommand) else found
        for parameter in made.params:
            # the name of an argument says it
            said = parameter.help if isinstance(parameter, click.Option) else name
            assert said, (name, parameter)
            assert not any(sign in said for sign in ("``", ":func:", ":meth:", ":class:")), said
        (line,) = [one for one in lines if one.split()[:1] == [name]]
        assert not line.endswith("...")


def test_a_source_without_a_command_is_summarized(run, read):
    found = hx.summary(read)
    for source in ("study.db", "sqlite:///study.db"):
        assert run(source).stdout.splitlines() == [*found.lines]
    told = run("study.db", "--json")
    assert json.loads(told.stdout)["lines"] == [*found.lines]
    assert rows(run("study.db", "--csv").stdout)[0]["answer"] == found.lines[0]


@pytest.mark.parametrize(
    ("word", "code", "told"),
    [
        ("nope.db", 1, "Check the path"),
        ("nope/study", 1, "There is no folder 'nope'"),
        ("importanc", 2, "No such command 'importanc'"),
    ],
)
def test_what_is_neither_a_command_nor_a_source_is_told(folder, run, word, code, told):
    outcome = run(word)
    assert (outcome.exit_code, outcome.stdout) == (code, "")
    assert told in outcome.stderr


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["impor"], "importance"),
        (["importance", "study.db", "--to"], "--top"),
        (["importance", ""], "file"),
    ],
)
def test_a_shell_completes_commands_options_and_files(words, found):
    """As bash does: the words so far, and which of them is to be completed."""
    given = {
        "COMP_WORDS": " ".join(["hpo-explain", *words]),
        "COMP_CWORD": str(len(words)),
        "_HPO_EXPLAIN_COMPLETE": "bash_complete",
    }
    told = CliRunner().invoke(main, env=given, prog_name="hpo-explain").stdout
    assert any(found in line.split(",") for line in told.splitlines())


# ---------------------------------------------------------------------- arguments of some


@pytest.mark.merge
def test_studies_of_one_storage_are_compared_by_their_names(run, read):
    optuna.copy_study(
        from_study_name="first",
        from_storage="sqlite:///study.db",
        to_study_name="second",
        to_storage="sqlite:///study.db",
    )
    both = "--study-name", "first", "--study-name", "second"
    outcome = run("compare", "study.db", *both, "--csv")
    assert outcome.exit_code == 0, outcome.output
    assert {"share in first", "share in second"} <= set(rows(outcome.stdout)[0])
    shutil.copy("study.db", "other.db")
    outcome = run("compare", "study.db", "other.db", *both, "--csv")
    assert {"share in study.db", "share in other.db"} <= set(rows(outcome.stdout)[0])
    wrong = run("compare", "study.db", "other.db", "third.db", *both)
    assert wrong.exit_code == 2
    assert "2 times for 3 sources. Give it once for all" in wrong.stderr
    alone = run("compare", "study.db", "--study-name", "first")
    assert "must hold at least two runs" in alone.stderr


def test_a_good_region_and_a_sub_space(run, read):
    given = '{"kernel": ["poly", null], "x": [0.1, 0.6]}'
    outcome = run("importance", "study.db", "--cap", "50%", "--given", given, "--json")
    found = hx.importance(read, cap="50%", given=json.loads(given))
    assert json.loads(outcome.stdout) == json.loads(json.dumps(found.to_dict()))


def test_some_trials_are_read_on_the_command_line(run, read):
    outcome = run("history", "study.db", "--trials", "5:", "--json")
    found = hx.history(read, trials=slice(5, None))
    assert json.loads(outcome.stdout) == json.loads(json.dumps(found.to_dict()))
    assert "not one of the trials that were chosen" in outcome.stderr
    assert run("history", "study.db", "--trials", "a:b").exit_code == 2
    told = run("desirability-path", "--help").stdout  # it has trials of its own
    assert told.count("--trials") == 1


def test_the_pending_trial_is_the_one_that_runs(study, run):
    running = optuna.load_study(study_name="first", storage="sqlite:///study.db").ask()
    running.suggest_float("x", 0.0, 1.0)
    outcome = run(
        "explain-proposal", "study.db", "--trial", "pending", "--background", "50", "--json"
    )
    assert outcome.exit_code == 0, outcome.output
    found = json.loads(outcome.stdout)
    assert (found["trial"], found["state"]) == (running.number, "running")
    running.study.tell(running, 1.0)
    outcome = run("explain-proposal", "study.db", "--trial", "pending")
    assert (outcome.exit_code, "no trial of the run is running" in outcome.stderr) == (1, True)


# ---------------------------------------------------------------------- what is shown


@pytest.mark.parametrize(("command", "name"), [("importance", "a.png"), ("changes", "a.SVG")])
def test_a_plot_is_drawn_beside_the_table(folder, study, run, command, name):
    outcome = run(command, "study.db", "--plot", name, "--csv")
    assert outcome.exit_code == 0, outcome.output
    start = (folder / name).read_bytes()[:100]
    assert start.startswith(b"\x89PNG") if name.endswith("png") else b"<?xml" in start
    assert f"plot: {name}" in outcome.stderr


@pytest.mark.parametrize(("no_color", "colored"), [("1", False), ("", True), (None, True)])
def test_colors_are_left_out_where_they_are_not_wanted(run, study, no_color, colored):
    outcome = run("importance", "study.db", color=True, env={"NO_COLOR": no_color})
    assert ("\x1b[" in outcome.stdout) == colored


def test_what_a_terminal_cannot_show_does_not_end_the_program(study):
    arguments = ["explain-proposal", "study.db", "--acquisition", "lcb", "--background", "50"]
    outcome = CliRunner(charset="latin-1").invoke(main, arguments)
    assert outcome.exit_code == 0
    assert "LCB (? = 1.96)" in outcome.stdout


def test_importance_between_two_objectives_is_asked_by_the_target(run, folder):
    table = pd.DataFrame(np.random.default_rng(0).random((20, 2)))
    table.columns = ["x", "y"]
    table.assign(loss=table.x, size=table.y).to_csv("both.csv", index=False)
    both = ["--objective", "loss", "--objective", "size"]
    both += ["--hyperparameters", "x,y"]
    ways = ["--direction", "minimize"] * 2
    shown = run(
        "importance", "both.csv", *both, *ways, "--hyperparameters", "x,y", "--target", "trade-off"
    )
    assert "x matters less (100% to 0% alone)" in shown.stdout
