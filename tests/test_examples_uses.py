"""The short examples, one per use, run and say what they promise."""

import pandas as pd
import pytest

from hpo_explain import reporting
from hpo_explain.reporting import page
from tests.adapters.drawn import drawn_here
from tests.source_tree import ROOT

pytestmark = [pytest.mark.merge, pytest.mark.usefixtures("few_draws", "quiet_optuna")]


def test_a_callback_keeps_a_report_up_to_date(output, monkeypatch, tmp_path):
    # whole reports are looked at elsewhere
    brief = tuple(part for part in page.SECTIONS if part.name in reporting.BRIEF)
    monkeypatch.setattr(page, "SECTIONS", brief)
    drawn_here(monkeypatch)
    out = tmp_path / "report.html"
    printed = output("callback.py", "--trials", 8, "--out", out)
    assert f"last report: {out}" in printed
    assert "8 trials · " in out.read_text(encoding="utf-8")


def test_a_study_is_explained_afterwards(output, tmp_path):
    import optuna

    storage = f"sqlite:///{tmp_path}/study.db"
    sampler = optuna.samplers.TPESampler(seed=0)
    study = optuna.create_study(study_name="tuning", storage=storage, sampler=sampler)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1) ** 2, n_trials=15)
    printed = output("post_hoc_optuna.py", "--storage", storage, "--study-name", "tuning")
    assert "15 trials of 1 hyperparameter, " in printed
    assert "TPESampler" in printed
    assert "Over " in printed


@pytest.mark.thorough
def test_a_result_of_skopt_is_explained_afterwards(output):
    printed = output("post_hoc_skopt.py", "--calls", 12)
    assert "skopt" in printed
    assert "percentile of mean" in printed


def test_a_table_from_elsewhere_is_explained(output, tmp_path):
    assert "learning_rate" in output("table_from_elsewhere.py")
    file = tmp_path / "trials.csv"
    pd.DataFrame({"x": [0.1, 0.5, 0.9, 0.3], "score": [1.0, 5.0, 9.0, 3.0]}).to_csv(
        file, index=False
    )
    printed = output(
        "table_from_elsewhere.py", file, "--objective", "score", "--direction", "maximize"
    )
    assert "score (maximize)" in printed


def test_a_model_of_ones_own_is_explained(output):
    printed = output("own_surrogate.py")
    assert "learning_rate" in printed
    assert "LCB (κ = 1.96)" in printed


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("script", "option", "said"),
    [
        ("why_this_proposal.py", "--trials", "TPESampler"),
        ("what_matters.py", "--trials", "C matters most for the objective value"),
        ("around_the_best.py", "--calls", "From trial 0 to trial"),
    ],
)
def test_the_tours_run(output, monkeypatch, tmp_path, script, option, said):
    monkeypatch.chdir(tmp_path)
    assert said in output(script, option, 16)


def test_the_noise_of_folds_is_found(output):
    printed = output("noisy_results.py", "--configurations", 30)
    assert "How much results scatter depends on the configuration" in printed


@pytest.mark.thorough
def test_both_importances_are_asked_of_the_same_studies(output):
    printed = output("beside_optuna.py", *("--seeds", 1, "--trials", 12, "--uniform", 24))
    assert "First in truth: " in printed
    assert "Its rank by hx.importance: " in printed
    assert "Its rank by Optuna's default: " in printed


def test_true_shares_are_those_of_a_closed_form(monkeypatch):
    import numpy as np

    monkeypatch.syspath_prepend(ROOT / "examples")
    from beside_optuna import share_alone

    # six groups of a uniform value leave a 36th of its variance within
    even = (np.arange(600) + 0.5) / 600
    assert share_alone(even, even) == pytest.approx(35 / 36, abs=1e-3)
    labels = ["a", "b"] * 300
    steps = np.tile([0.0, 1.0], 300)
    assert share_alone(labels, steps) == pytest.approx(1.0)
    chance = np.random.default_rng(0).normal(size=(200, 60))
    shares = [share_alone(even[:60], one) for one in chance]
    assert np.mean(shares) == pytest.approx(0.0, abs=0.02)
