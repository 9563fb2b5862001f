"""The plot of densities over a run: the ratio by trial and value, and the proposed values."""

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.plotting.density_path import plot_density_path
from tests.handmade import subject_of
from tests.plotting.test_densities import curve


@pytest.mark.parametrize("k", [0, 1, 2])
def test_a_path_shows_the_ratio_by_trial_and_the_proposed_values(k):
    one = curve("momentum", k)
    rng = np.random.default_rng(0)
    good, bad = rng.random((2, 5, len(one.values))) + 0.2
    proposed = (one.values[0], None, one.values[1], one.values[1], one.values[2])
    path = hx.DensityPath(
        subject=subject_of(["momentum"]), name="momentum", trials=(10, 11, 12, 13, 15),
        values=one.values, log=one.log, categorical=one.categorical, good=good, bad=bad,
        proposed=proposed,
    )  # fmt: skip
    ax = plot_density_path(path)
    ax.figure.figure.canvas.draw()
    (mesh,) = [c for c in ax.collections if c.get_array() is not None]
    np.testing.assert_allclose(
        np.asarray(mesh.get_array()).reshape(len(one.values), 5), path.log_ratio.T
    )
    low, high = mesh.get_clim()
    assert low == -high == -np.abs(path.log_ratio).max()
    (dots,) = ax.get_lines()
    assert list(dots.get_xdata()) == [10, 12, 13, 15]
    assert np.isfinite(np.asarray(dots.get_ydata(), dtype=float)).all()
