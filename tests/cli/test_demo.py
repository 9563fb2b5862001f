"""What a new user types first."""

import pytest

from hpo_explain import demo
from hpo_explain.adapters.optuna.storage import load_study


def test_the_demo_tunes_and_writes_a_report(folder, run, brief_reports):
    outcome = run("demo", "--trials", "12")
    assert outcome.exit_code == 0, outcome.output
    page = (folder / "hpo-explain-demo" / "report.html").read_text(
        encoding="utf-8"
    )
    assert "Why the latest proposal" in page
    lines = outcome.stdout.splitlines()
    assert lines[0].startswith("summary: Best log loss ")
    assert lines[1].startswith("trust: Trust is ")
    assert lines[2].startswith("explain-proposal: Because of ")
    assert all(len(line.split()) <= 10 for line in lines)
    assert lines[-1] == "Report: hpo-explain-demo/report.html"


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


def test_a_demo_that_is_ended_leaves_the_trials_there_are(
    tmp_path, monkeypatch
):
    losses = iter([3.0, 2.0, 1.0])

    def objective(config):
        for loss in losses:
            return loss
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "demo_objective", lambda: objective)
    with pytest.raises(KeyboardInterrupt):
        demo.run_demo(tmp_path, 5)
    study = load_study(f"sqlite:///{tmp_path}/study.db")
    assert [trial.value for trial in study.trials] == [3.0, 2.0, 1.0, None]
