"""What a new user types first."""

import subprocess
import sys
from concurrent.futures import Future
from contextlib import suppress

import pytest

from hpo_explain import demo
from hpo_explain.adapters.optuna.storage import load_study
from tests.source_tree import ROOT

pytestmark = pytest.mark.merge

COMPILED = """
import sys
from hpo_explain.demo import explain_briefly

explain_briefly()
print(*(
    f"{module.__name__.rpartition('.')[2]}.{name}"
    for module in list(sys.modules.values())
    if module.__name__.startswith("hpo_explain.models.")
    for name, value in vars(module).items()
    if getattr(value, "signatures", None)
))
print("sklearn" in sys.modules, "matplotlib" in sys.modules)
"""


@pytest.fixture(autouse=True)
def no_second_process(monkeypatch):
    """Here everything is compiled, and a process that finds that out would take its time."""
    monkeypatch.setattr(demo, "cpu_count", lambda: 1)


def test_the_demo_tunes_and_writes_a_report(folder, run, brief_reports):
    outcome = run("demo", "--trials", "12")
    assert outcome.exit_code == 0, outcome.output
    page = (folder / "hpo-explain-demo" / "report.html").read_text(encoding="utf-8")
    assert "Why the latest proposal" in page
    lines = outcome.stdout.splitlines()
    assert lines[0].startswith("summary: Best log loss: ")
    assert lines[1].startswith("explain-proposal: Because of ")
    assert lines[2].startswith("trust: Reliability: ")
    assert all(len(line.split()) <= 10 for line in lines)
    assert lines[-1] == "Report: hpo-explain-demo/report.html"


@pytest.mark.thorough
def test_a_demo_that_is_too_short_for_a_proposal_explains_none_and_repeats(
    folder, run, brief_reports
):
    first, second = run("demo", "--trials", "3"), run("demo", "--trials", "3")
    assert first.exit_code == 0, first.output
    assert "explain-proposal" not in first.stdout
    assert (folder / "hpo-explain-demo" / "report.html").exists()
    assert first.stdout == second.stdout


def test_wrong_usage_is_exit_code_2(folder, run):
    assert run("demo", "--trials", "0").exit_code == 2


def test_a_demo_that_is_ended_leaves_the_trials_there_are(tmp_path, monkeypatch):
    losses = iter([3.0, 2.0, 1.0])

    def objective(config):
        for loss in losses:
            return loss
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "demo_objective", lambda: objective)
    with pytest.raises(KeyboardInterrupt):
        demo.run_demo(tmp_path, 5)
    study = load_study(f"sqlite:///{tmp_path}/study.db")
    assert [trial.value for trial in study.trials] == [3.0, 2.0, 1.0]


def test_a_brief_explanation_compiles_beliefs_and_loads_little():
    kernels, loaded = subprocess.run(
        [sys.executable, "-c", COMPILED], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert {*kernels.split()} >= {
        "_kernels.gather",
        "_kernels.sums_of_product",
        "_kernels.sums_of_part",
        "_kernels.compare",
    }
    assert loaded == "False False"


@pytest.mark.parametrize("error", [None, KeyboardInterrupt])
def test_the_second_process_is_waited_for_or_ended(monkeypatch, error):
    done = []

    class Stub:
        def __init__(self, count):
            assert count == 1

        def submit(self, work):
            assert work is demo.explain_briefly
            future = Future()
            future.set_exception(ValueError("which the report tells"))
            done.append("begun")
            return future

        def end(self):
            done.append("ended")

    monkeypatch.setattr(demo, "cpu_count", lambda: 2)
    monkeypatch.setattr(demo, "Workers", Stub)
    with suppress(KeyboardInterrupt), demo.compiling_meanwhile():
        assert done == ["begun"]
        if error is not None:
            raise error
    assert done == ["begun", "ended"]
