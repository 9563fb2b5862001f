"""Optuna says less while its studies are tested."""

import optuna
import pytest


@pytest.fixture(autouse=True)
def quiet_studies():
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(verbosity)
