"""Contours: the partial dependence of each pair, and the trials by rank on them."""

import itertools

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base import NothingToExplain
from tests.methods.test_slices import run_of

pytestmark = pytest.mark.usefixtures("few_draws", "answers_stay")


@pytest.fixture(scope="module")
def run():
    return run_of()


@pytest.fixture(scope="module")
def found(run):
    return hx.methods.contours(run, ["lr", "optimizer", "layers"])


def test_colors_are_the_partial_dependence_of_each_pair_on_one_scale(run, found):
    figure = found.described()
    pairs = [*itertools.combinations(["lr", "optimizer", "layers"], 2)]
    assert [*found.effects.names] == pairs
    for panel, pair in zip(figure.panels, pairs, strict=True):
        effect = hx.partial_dependence(run, [pair, "lr"]).effects[0]
        np.testing.assert_array_equal(panel.values, effect.mean)
        np.testing.assert_array_equal(panel.dimmed, ~effect.shown & ~np.isnan(effect.mean))
    (ends,) = {panel.ends() for panel in figure.panels}
    every = [effect.mean for effect in found.effects]
    assert ends == (min(mean.min() for mean in every), max(mean.max() for mean in every))


def test_points_are_the_trials_by_rank_and_state(run, found):
    panel = found.described().panels[1]
    assert (panel.x.label, panel.y.label) == ("lr", "layers")
    marked = {}
    for dots in panel.dots:
        for x, y, told in zip(dots.x, dots.y, dots.told, strict=True):
            trial = int(told.split(":")[0].removeprefix("trial "))
            config = run.config(trial)
            assert x == pytest.approx(config["lr"])
            assert abs(y - config["layers"]) <= 0.3 + 1e-9
            marked.setdefault(dots.look, set()).add(trial)
    ranked = sorted(
        (t for t in np.asarray(run.trials).tolist() if run.feasible[run.row(t)]),
        key=lambda t: run.cost[run.row(t)],
    )
    assert marked["good"] == {*ranked[:3]}
    assert marked["tried"] == {*ranked[3:]}
    assert marked["star"] == {run.incumbent_trial}
    assert marked["pruned"] == {11}
    assert marked["failed"] == {2, 5}


def test_a_pair_that_is_never_active_together_is_left_out():
    space = hx.SearchSpace(
        [
            hx.CategoricalParameter("kind", ["a", "b"]),
            hx.FloatParameter("x", 0.0, 1.0, active_when={"kind": ["a"]}),
            hx.FloatParameter("y", 0.0, 1.0, active_when={"kind": ["b"]}),
        ]
    )
    X = space.sample(20, seed=0)
    run = hx.Run(space, X, np.nansum(X, axis=1), "minimize")
    assert hx.methods.contours(run).effects.names
    assert ("x", "y") not in hx.methods.contours(run).effects.names
    with pytest.raises(NothingToExplain, match="active together"):
        hx.methods.contours(run, ["x", "y"])
    for alone in ["x"], ["x", "x"], "x":
        with pytest.raises(ValueError, match=r"has 'x' only.* slices") as error:
            hx.methods.contours(run, alone)
        assert error.value.argument == "names"
