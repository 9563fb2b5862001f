"""What holds for all benchmarks."""

import pytest

from hpo_explain.question import answers
from hpo_explain.run import fits


@pytest.fixture(autouse=True)
def nothing_fitted():
    """No benchmark profits from what another one has fitted."""
    answers.forget()
    fits.forget()
