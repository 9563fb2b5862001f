"""Sobol points are those of scipy."""

import numpy as np
import pytest
from scipy.stats import qmc

from hpo_explain.space.sobol import sobol


@pytest.mark.parametrize("d", [1, 2, 8, 20, 21])
@pytest.mark.parametrize(("n", "seed"), [(1, 0), (256, 0), (4096, 3)])
def test_points_are_those_of_scipy_to_the_last_bit(d, n, seed):
    assert np.array_equal(sobol(d, n, seed), qmc.Sobol(d, seed=seed).random(n))


def test_every_dimension_has_one_point_in_each_interval():
    points = np.sort(np.floor(sobol(20, 512, seed=5) * 512), axis=0)
    assert np.array_equal(points, np.tile(np.arange(512.0)[:, None], 20))
