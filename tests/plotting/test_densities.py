"""Plots of densities: what stands in which panel, and nothing that is too long or hidden."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import hpo_explain as hx
from hpo_explain.plotting.densities import plot_densities
from tests.handmade import subject_of


def curve(name, k, *, proposed=True):
    rng = np.random.default_rng(k)
    if k % 3 == 0:
        values, log, categorical = tuple(np.geomspace(1e-4, 1.0, 30).tolist()), True, False
    elif k % 3 == 1:
        values, log, categorical = tuple(range(1, 8)), False, False
    else:
        values, log, categorical = (
            ("adam", "sgd", "a name that is longer than its place"),
            False,
            True,
        )
    good, bad = rng.random((2, len(values))) + 0.2
    given = (values[1], good[1], bad[1]) if proposed else (None, np.nan, np.nan)
    return hx.DensityCurve(name, values, log, categorical, good, bad, *given)


def densities(d, name="x"):
    curves = tuple(curve(f"{name}{k}", k, proposed=k != 4) for k in range(d))
    config = {c.name: c.proposed for c in curves if c.proposed is not None}
    subject = subject_of([c.name for c in curves], trial=42)
    return hx.ProposalDensities(
        subject=subject, curves=curves, config=config, joint=(("x0", "x1"),)
    )


@pytest.mark.parametrize("d", [1, 3, 10, 30])
def test_each_hyperparameter_has_a_panel_with_both_densities_and_the_proposal(d):
    result = densities(d, name="a_name_that_is_rather_long_for_a_panel_")
    ax = plot_densities(result)
    figure = ax.figure.figure
    panels = [axes for part in figure.subfigs for axes in part.axes]
    assert len(panels) == d
    for panel, shown in zip(panels, result.curves, strict=True):
        drawn = [np.asarray(line.get_ydata(), dtype=float) for line in panel.get_lines()]
        assert any(np.array_equal(y, shown.good) for y in drawn)
        assert any(np.array_equal(y, shown.bad) for y in drawn)
        assert len(drawn) == (3 if shown.proposed is None else 4)
        assert panel.get_xscale() == ("log" if shown.log else "linear")
    figure.canvas.draw()
    titles = [panel.get_title(loc="left") for panel in panels]
    assert all(title.endswith("inactive") or " = " in title for title in titles)


def test_densities_take_the_place_of_given_axes():
    figure = Figure(layout="constrained")
    axes = figure.subplots(1, 2)
    first = densities(3).plot(axes[0])
    assert first.figure.figure is figure
    assert axes[1] in figure.axes
