"""Help comes at once, and says what is there."""

import subprocess
import sys

import click
import pytest

from hpo_explain.cli import main
from hpo_explain.cli._commands import MethodCommand, command_of

COMMANDS = ["ablation", "advise", "ale", "compare", "demo", "export", "footprint",
            "history", "importance", "interactions", "learning-curves", "lime", "local-importance", "mistunability", "optimizer-bias",
            "pareto", "pdp", "proposal", "report", "sensitivity", "symbolic", "tunability", "watch"]  # fmt: skip
# Everything outside the standard library that the package depends on, but for click.
HEAVY = ["jinja2", "joblib", "matplotlib", "numba", "numpy", "optuna", "pandas", "scipy", "shap",
         "skopt", "sklearn", "sqlalchemy", "tqdm"]  # fmt: skip


def test_the_commands_are_those_of_the_manual():
    assert sorted(main.commands) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_says_what_it_does(command):
    found = main.commands[command]
    made = command_of(found.method) if isinstance(found, MethodCommand) else found
    for parameter in made.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name


@pytest.mark.parametrize("command", COMMANDS)
def test_the_list_of_commands_shows_whole_sentences(run, command):
    (line,) = [
        line for line in run("--help").stdout.splitlines() if line.startswith(f"  {command}")
    ]
    assert line.endswith(".") or isinstance(main.commands[command], MethodCommand)
    assert not line.endswith("...")
    assert run(command, "-h").exit_code == 0


@pytest.mark.parametrize("arguments", [["--help"], ["watch", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(arguments):
    code = (
        "import sys; from hpo_explain.cli import main;"
        f"main({arguments!r}, standalone_mode=False);"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_an_unknown_command_is_wrong_usage(run):
    assert run("reprot").exit_code == 2
