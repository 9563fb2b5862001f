"""What a page holds and how it is laid out does not depend on how much is drawn."""

import pytest


@pytest.fixture(autouse=True, scope="module")
def quick_answers(few_draws):
    """A section shows what its function answers, of however many draws."""
