"""Aggregates over runs: means and standard deviations by hand, and what cannot be put together."""

import json
import pickle

import numpy as np
import pytest

import hpo_explain as hx
from tests.handmade import compared, explanation
from tests.methods.paths import random_path
from tests.methods.test_desirability_path import path_of, run_of


def test_mean_and_standard_deviation_over_runs_of_paths():
    runs = [run_of(proposals=[6, 9, 13], seed=s) for s in range(3)]
    paths = [path_of(run) for run in runs]
    found = compared(paths)
    phi = np.array([np.dstack([path.phi, path.total]) for path in paths])
    np.testing.assert_allclose(found.mean, phi.mean(axis=0))
    np.testing.assert_allclose(found.std, phi.std(axis=0, ddof=1))
    np.testing.assert_allclose(
        found.mean[..., :2].sum(axis=-1), found.mean[..., 2]
    )
    objective = np.array([run.objective[[6, 9, 13]] for run in runs])
    np.testing.assert_allclose(found.objective, objective.mean(axis=0))
    np.testing.assert_allclose(
        found.objective_std, objective.std(axis=0, ddof=1)
    )
    assert found.runs == 3
    frame = found.to_frame()
    assert len(frame) == 3 * 3 * 3
    one = frame[
        (frame.proposal == 2)
        & (frame.hyperparameter == "x3")
        & (frame.term == "total")
    ]
    assert one.contribution.item() == pytest.approx(found.mean[1, 2, 2])
    assert one["std"].item() == pytest.approx(found.std[1, 2, 2])


def test_paths_of_different_length_end_with_the_shortest_and_say_so():
    found = compared(
        [path_of(run_of(proposals=p)) for p in ([6, 9, 13], [6, 9])]
    )
    assert len(found) == 2
    assert [(note.kind, note["proposals"]) for note in found.notes] == [
        ("longer_runs_cut", 2)
    ]


def test_single_explanations_are_one_proposal():
    explanations = [
        hx.explain_proposal(run_of(proposals=[9], seed=s), 9, background=50)
        for s in range(4)
    ]
    found = compared(explanations)
    total = np.array([e.total for e in explanations])
    np.testing.assert_allclose(found.mean[0, :, -1], total.mean(axis=0))
    np.testing.assert_allclose(found.std[0, :, -1], total.std(axis=0, ddof=1))
    json.dumps(found.to_dict(), allow_nan=False)
    assert pickle.loads(pickle.dumps(found)).runs == 4
    assert found.trial is None


# ---------------------------------------------------------------------- the figure


def test_means_and_bands_of_one_standard_deviation_by_proposal():
    paths = [random_path(5, 2, seed=seed) for seed in range(3)]
    found = compared(paths)
    figure = found.described()
    for panel in figure.panels:
        j = int(panel.heading[1:])
        by_run = np.array(
            [np.column_stack([p.total[:, j], p.phi[:, j]]) for p in paths]
        )
        for k, line in enumerate(panel.lines):
            np.testing.assert_array_equal(line.x, [1, 2, 3, 4, 5])
            np.testing.assert_allclose(line.y, by_run.mean(axis=0)[:, k])
            np.testing.assert_allclose(
                line.half, by_run.std(axis=0, ddof=1)[:, k]
            )
    assert figure.heading == "Mean contributions to LCB (κ = 1.96) over 3 runs"
    assert found.sentence.startswith("On average over 3 runs, x")
    both = compared([random_path(5, 2), random_path(3, 2)])
    assert "Left out: what came after proposal 3" in both.described().footer
    assert len(both.plot()) == 2


def test_single_proposals_of_several_runs_are_bars_with_whiskers():
    phis = np.random.default_rng(1).normal(size=(4, 30, 2))
    figure = compared([explanation(phi) for phi in phis]).described()
    order = np.argsort(-np.abs(phis.mean(axis=0).sum(axis=1)))[:20]
    assert figure.labels == [(f"x{j}",) for j in order]
    np.testing.assert_allclose(
        [bar.end for bar in figure.bars], phis.mean(axis=0)[order].ravel()
    )
    np.testing.assert_allclose(
        [bar.half for bar in figure.bars],
        phis.std(axis=0, ddof=1)[order].ravel(),
    )
    total = phis.sum(axis=2)
    np.testing.assert_allclose(figure.dots[0].x, total.mean(axis=0)[order])
    np.testing.assert_allclose(
        figure.dots[0].half, total.std(axis=0, ddof=1)[order]
    )
    assert "and 2 more." in figure.footer
