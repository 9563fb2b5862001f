import numpy as np
import pytest

from hpo_explain.models.compared import Rows, Trials, compared
from hpo_explain.models.product_kernel import ROOT5


@pytest.mark.parametrize("length", [3.0, 0.3, 0.005])
def test_correlations_in_single_precision_are_the_formula_to_its_last_digits(length):
    rng = np.random.default_rng(0)
    at = rng.random((300, 1)).astype("f4")
    trials = rng.random((200, 1)).astype("f4")
    rate = np.array([1.0 / length], "f4")
    one, none = np.ones(1, "f4"), np.zeros(1, "f4")
    learned = Trials.of(trials, np.ones(1, bool))
    product, added = compared(Rows(at), learned, (rate, one, none))
    r = np.abs(at - trials.T).astype(float) * float(rate[0] * np.float32(ROOT5))
    formula = (1.0 + r + r**2 / 3.0) * np.exp(-r)
    normal = formula > 1e-29  # what is smaller is nothing
    off = np.abs(product[normal] / formula[normal] - 1.0)
    assert (off <= 4.0 * np.finfo("f4").eps * (1.0 + r[normal])).all()
    assert (product[~normal] < 1e-12).all()
    assert (product[~normal] >= 0.0).all()
    assert (added == 0.0).all()


def test_a_trial_without_the_value_differs_from_all_that_have_it():
    learned = Trials.of(np.array([[np.nan], [0.5]]), np.ones(1, bool))
    one = np.ones(1, "f4")
    rows = Rows(np.array([[0.5], [np.nan]], "f4"))
    product, _ = compared(rows, learned, (one, one, one))
    np.testing.assert_allclose(product, [[0.0, 1.0], [1.0, 0.0]], atol=1e-15)
