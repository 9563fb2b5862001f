"""The report, from the command line."""

import re
import warnings
from importlib import import_module

import optuna
import pytest

pytestmark = pytest.mark.usefixtures("brief_reports")


@pytest.mark.merge
def test_a_report_of_a_study(folder, study, run):
    outcome = run("report", "sqlite:///study.db", "--out", "mine.html", "--title", "My <study>")
    assert outcome.exit_code == 0, outcome.output
    assert "My &lt;study&gt;" in (folder / "mine.html").read_text(encoding="utf-8")
    assert outcome.stdout.splitlines()[-1] == "Report: mine.html"
    assert "reading" not in outcome.stdout
    assert "reading sqlite:///study.db" in outcome.stderr


@pytest.fixture
def two_objectives(folder):
    study = optuna.create_study(
        storage="sqlite:///two.db",
        directions=["minimize", "maximize"],
        sampler=optuna.samplers.RandomSampler(seed=0),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        study.set_metric_names(["loss", "speed"])
    study.optimize(lambda t: (t.suggest_float("x", 0, 1), 1 - t.params["x"]), n_trials=8)
    study._storage.remove_session()


@pytest.mark.merge
@pytest.mark.parametrize("command", ["report", "watch"])
def test_several_objectives_get_a_tab_each(folder, two_objectives, run, monkeypatch, command):
    monkeypatch.setattr(import_module("hpo_explain.reporting.watching"), "sleep", _interrupt)
    outcome = run(command, "two.db")
    assert outcome.exit_code == 0, outcome.output
    tabs = set(re.findall(r">\s*(loss|speed)\s*<", (folder / "report.html").read_text("utf-8")))
    assert tabs == {"loss", "speed"}
    if command == "report":
        headings = [line for line in outcome.stdout.splitlines() if line.endswith(":")]
        assert headings == ["loss:", "speed:"]
        assert re.search(r"^together: .* on the Pareto front", outcome.stdout, re.MULTILINE)


def _interrupt(seconds):
    raise KeyboardInterrupt


def test_one_of_several_objectives_is_reported_alone(folder, two_objectives, run):
    outcome = run("report", "two.db", "--target", "speed")
    assert outcome.exit_code == 0, outcome.output
    assert "speed:" not in outcome.stdout.splitlines()
    assert "speed (maximize)" in outcome.stderr
    assert "loss (minimize)" not in outcome.stderr


@pytest.mark.parametrize(
    ("out", "words"), [("no/folder/report.html", "no/folder"), (".", "is a folder")]
)
def test_a_place_that_cannot_be_written_is_noticed_before_anything_is_read(
    folder, study, run, out, words
):
    outcome = run("report", "sqlite:///study.db", "--out", out)
    assert outcome.exit_code == 1
    assert words in outcome.stderr
    assert "reading" not in outcome.stderr
    assert [path.name for path in folder.iterdir()] == ["study.db"]


def test_of_one_trial_a_plain_sentence_is_told(folder, run):
    (folder / "t.csv").write_text("lr,loss\n0.1,1.0\n")
    outcome = run("report", "t.csv", "--objective", "loss")
    assert outcome.exit_code == 0
    why = "run has 1 finished trial; a surrogate needs at least 2. Run more trials."
    assert why in outcome.stdout
    assert why in (folder / "report.html").read_text(encoding="utf-8")
