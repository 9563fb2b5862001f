"""A folder to work in, and a study in it."""

import shutil

import optuna
import pytest
from click.testing import CliRunner

from hpo_explain import reporting
from hpo_explain.cli import main
from hpo_explain.reporting import page


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def tune(study, n_trials):
    """Minimize (x - 0.3)² plus 1 where the kernel is "rbf"; y is there for "poly" only."""

    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        kernel = trial.suggest_categorical("kernel", ["rbf", "poly", None])
        y = trial.suggest_int("y", 1, 5) if kernel == "poly" else 0
        if trial.number == 3:
            raise optuna.TrialPruned
        return (x - 0.3) ** 2 + (kernel == "rbf") + 0.1 * y

    study.optimize(objective, n_trials=n_trials)


@pytest.fixture(scope="session")
def tuned(tmp_path_factory):
    """A storage file with one study of 16 trials, made once."""
    path = tmp_path_factory.mktemp("tuned") / "study.db"
    storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
    study = optuna.create_study(
        storage=storage, study_name="first", sampler=optuna.samplers.TPESampler(seed=0)
    )
    tune(study, 16)
    storage.remove_session()
    storage.engine.dispose()
    return path


@pytest.fixture
def study(folder, tuned):
    """A copy of the study in the folder, at sqlite:///study.db."""
    shutil.copy(tuned, folder / "study.db")
    return folder / "study.db"


@pytest.fixture
def brief_reports(request, monkeypatch):
    """Reports of few sections: what they hold is tested elsewhere, and takes long."""
    names = getattr(request.module, "SECTIONS", reporting.BRIEF)
    brief = tuple(part for part in page.SECTIONS if part.name in names)
    monkeypatch.setattr(page, "SECTIONS", brief)


@pytest.fixture(autouse=True, scope="module")
def quick_answers(empty_figures, few_draws):
    """No command changes what figures show, or how much is drawn."""


@pytest.fixture
def run():
    """Run a command line; Python's own errors come through."""

    def invoke(*arguments, **options):
        outcome = CliRunner().invoke(main, arguments, **options)
        if outcome.exception is not None and not isinstance(outcome.exception, SystemExit):
            raise outcome.exception
        return outcome

    return invoke
