"""Optuna says less while its studies are tested."""

import optuna
import pytest

from hpo_explain.adapters import _updates


def pytest_collection_modifyitems(items):
    """Settings of Optuna's that are on their way in or out are no matter here."""
    for item in items:
        if item.path.name.startswith("test_optuna"):
            for category in ("optuna.exceptions.ExperimentalWarning", "FutureWarning"):
                item.add_marker(pytest.mark.filterwarnings(f"ignore::{category}"))


@pytest.fixture(autouse=True)
def quiet_studies():
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(verbosity)


@pytest.fixture(autouse=True)
def no_pages_of_their_own(monkeypatch):
    """Callbacks that no test has finished leave no page, neither soon nor when pytest ends."""
    monkeypatch.setattr(_updates, "_PAUSE", float("inf"))
    yield
    _updates._UNFINISHED.clear()
