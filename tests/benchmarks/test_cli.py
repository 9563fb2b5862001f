"""How long the command line takes before it does anything: a whole process each time."""

import subprocess
import sys

import pytest


def run_python(benchmark, code):
    command = [sys.executable, "-c", code]
    benchmark.pedantic(
        subprocess.run,
        (command,),
        {"check": True, "capture_output": True},
        rounds=20,
        warmup_rounds=2,
    )


@pytest.mark.benchmark(group="command line")
@pytest.mark.parametrize("arguments", [["--help"], ["report", "--help"], ["--version"]])
def test_help(benchmark, arguments):
    run_python(benchmark, f"from hpo_explain.cli import main; main({arguments!r})")


@pytest.mark.benchmark(group="command line")
def test_importing_the_package(benchmark):
    run_python(benchmark, "import hpo_explain")


@pytest.mark.benchmark(group="command line")
def test_python_alone(benchmark):
    run_python(benchmark, "")
