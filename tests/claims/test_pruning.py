"""The chance that a pruned trial would have been the best is as often true as it says."""

import numpy as np
import pytest

from tests.claims.pruning import JUDGE, asked_of, curves_of

pytestmark = pytest.mark.thorough


def test_on_real_learning_curves_it_is_calibrated():
    cheap = {name: JUDGE[name] for name in JUDGE if name.endswith("linear")}
    rows = [*asked_of(cheap, 8, 0)]
    assert len(rows) > 200
    told, true = np.array([(p, y) for *_, p, y in rows], dtype=float).T
    # problems differ in which trial is the best, and a problem's runs share it
    of_problem = {name: [y for n, _, _, y in rows if n == name] for name in cheap}
    error = np.std([np.mean(y) for y in of_problem.values()]) / np.sqrt(len(cheap))
    assert abs(told.mean() - true.mean()) < 2.0 * error + 0.02
    assert np.mean((told - true) ** 2) < np.mean((true - true.mean()) ** 2) + 0.01


def test_curves_are_those_of_different_models():
    curves = curves_of(JUDGE["moons 1, linear"], n=10)
    assert curves.shape == (10, 15)
    assert len(np.unique(curves[:, -1])) > 3
