"""The plot of accumulated local effects: what is drawn is what was computed, beside the PDP."""

import numpy as np
import pytest
from matplotlib.collections import PolyCollection, QuadMesh

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from tests.analytic import AnalyticSurrogate


def plot_accumulated_local_effects(effect, *, ax=None, width=None):
    return effect.plot(ax, width=width)


SPACE = hx.SearchSpace(
    [
        hx.FloatParameter("lr", 1e-4, 1e-1, log=True),
        hx.IntParameter("layers", 1, 4),
        hx.CategoricalParameter("booster", ["gbtree", "dart"]),
    ]
)


def effect(names, *, model=None):
    X = SPACE.sample(60, seed=0)
    if model is None:
        model = hx.GaussianProcessSurrogate.fit(SPACE, X, X[:, 0] + X[:, 1] * (1 + X[:, 2]))
    subject = Subject(SPACE, tried=X, incumbent=SPACE.decode(X[:1])[0], objective_name="loss")
    return hx.AccumulatedLocalEffectsExplainer(model, subject=subject).explain(names)


def texts(ax):
    return " ".join(t.get_text() for t in ax.figure.findobj(match=lambda a: hasattr(a, "get_text")))


def test_the_curve_and_the_partial_dependence_are_those_computed():
    result = effect("lr")
    ax = plot_accumulated_local_effects(result)
    drawn = [line.get_ydata() for line in ax.lines if len(line.get_ydata()) == len(result.grid)]
    assert any(np.allclose(y, result.mean) for y in drawn)
    assert any(np.allclose(y, result.partial) for y in drawn)
    lower, upper = result.band()
    band = ax.findobj(PolyCollection)[0].get_paths()[0].vertices
    assert band[:, 1].min() == pytest.approx(lower.min())
    assert band[:, 1].max() == pytest.approx(upper.max())
    assert ax.get_xscale() == "log"
    assert ax.get_ylabel() == "effect on loss"
    assert "partial dependence, centred" in texts(ax)


def test_a_pair_is_a_heatmap_of_what_both_do_together():
    result = effect(("layers", "booster"))
    ax = plot_accumulated_local_effects(result)
    (mesh,) = ax.findobj(QuadMesh)
    np.testing.assert_allclose(np.ravel(mesh.get_array()), result.mean.T.ravel())
    assert "beyond the sum of both" in texts(ax)
    assert "partial dependence" not in texts(ax)


def test_without_a_known_uncertainty_no_band_is_promised():
    ax = effect("booster", model=AnalyticSurrogate(SPACE, lambda X: X[:, 2])).plot()
    assert "The model does not say how uncertain it is of differences." in texts(ax)
    assert "95 % band" not in texts(ax)
