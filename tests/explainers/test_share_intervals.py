"""Intervals of shares of variance."""

import numpy as np
import pytest

from hpo_explain.explainers._share_intervals import corrected


def test_the_correction_takes_off_what_noise_adds():
    shares = np.array([0.6, 0.3, 0.1])
    noise = np.tile([0.5, 0.3, 0.2], (4, 1))
    found = corrected(shares, noise, np.tile(shares, (4, 1)), 2)
    np.testing.assert_allclose(found.importance, [0.7, 0.3, 0.0])
    assert found.mains[0] == pytest.approx(1.0)
    # nothing varies but the correction, with Student's t of 3 degrees of freedom
    assert found.lower[0] == pytest.approx(0.7 - 3.182446 * 0.1)
    assert found.lower[1] == found.upper[1] == pytest.approx(0.3)
