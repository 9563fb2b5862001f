"""The plot of the map: what is drawn are the result's numbers."""

import numpy as np
import pytest

from hpo_explain import footprint
from tests.handmade import tuning_run

pytestmark = pytest.mark.usefixtures("empty_figures")


def test_every_point_stands_at_its_place_and_colors_are_the_surface():
    found = footprint(tuning_run(30))
    ax = found.plot()
    drawn = {tuple(point) for line in ax.get_lines() for point in line.get_xydata().tolist()}
    assert drawn == {tuple(point) for point in found.xy.tolist()}
    (mesh,) = [mesh for mesh in ax.collections if mesh.get_array() is not None]
    np.testing.assert_allclose(
        np.ma.filled(mesh.get_array(), np.nan).ravel(), found.surface.ravel()
    )
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels[-1] == "incumbent"
