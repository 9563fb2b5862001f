"""What holds for all benchmarks."""

import pytest

from hpo_explain.run import _fitted


@pytest.fixture(autouse=True)
def nothing_fitted():
    """No benchmark profits from what another one has fitted."""
    _fitted.forget()
