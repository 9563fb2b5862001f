"""Integrals over boxes: against a tree by hand, and brute force over the grid of split points."""

from itertools import combinations

import numpy as np
import pytest

from hpo_explain.models.box_sums import (
    clip_worse,
    main_steps,
    marginal_prediction,
    mean_and_variance,
    pair_variances,
    restrict,
    squeeze,
    subset_variances,
    total_variances,
)
from tests.models.forests import SPACES, fitted, fitted_with_missing
from tests.models.test_tree_boxes import five_nodes
from tests.split_grid import cells_of, marginal, predict_cells, tree_variances

KINDS = {"ordered columns": fitted, "missing values": fitted_with_missing}


def forests():
    return [
        pytest.param(space, kind, id=f"{name}, {label}")
        for name, space in SPACES.items()
        for label, kind in KINDS.items()
    ]


def test_a_tree_of_five_nodes_has_the_variances_worked_out_by_hand():
    # 0 on half of the square, 10 on an eighth, 20 on three eighths
    (boxes,) = five_nodes().boxes()
    mean, variance = mean_and_variance(boxes)
    assert (mean, variance) == (8.75, 85.9375)
    heights, mains = main_steps(boxes)
    # a_x is 0 below 1/2 and 17.5 above; a_y is 5 below 1/4 and 10 above
    np.testing.assert_allclose(heights[boxes.first[0] :][:2], [-8.75, 8.75], rtol=1e-14)
    np.testing.assert_allclose(heights[boxes.first[1] :][:2], [-3.75, 1.25], rtol=1e-14)
    np.testing.assert_allclose(mains, [76.5625, 4.6875], rtol=1e-14)
    np.testing.assert_allclose(pair_variances(boxes), [[0.0, 4.6875], [0.0, 0.0]], rtol=1e-14)
    np.testing.assert_allclose(total_variances(boxes), [81.25, 9.375], rtol=1e-14)
    np.testing.assert_allclose(marginal_prediction(boxes, [0], [np.array([0.2, 0.7])]), [0, 17.5])
    np.testing.assert_allclose(marginal_prediction(boxes, [1], [np.array([0.2, 0.7])]), [5, 10])
    grid = [np.array([0.2, 0.7]), np.array([0.2, 0.7])]
    np.testing.assert_allclose(marginal_prediction(boxes, [0, 1], grid), [[0, 0], [10, 20]])


@pytest.mark.parametrize(("space", "kind"), forests())
def test_all_variances_are_those_of_brute_force_over_the_split_points(space, kind):
    surrogate, columns, trees = kind(space)
    d = len(space)
    for boxes, tree in zip(surrogate.boxes(), trees, strict=True):
        whole, expected = tree_variances(space, tree, columns)
        close = {"rtol": 1e-10, "atol": 1e-10 * whole}
        np.testing.assert_allclose(mean_and_variance(boxes)[1], whole, **close)
        np.testing.assert_allclose(
            main_steps(boxes)[1], [expected[(j,)] for j in range(d)], **close
        )
        pairs = pair_variances(boxes)
        for j, k in combinations(range(d), 2):
            np.testing.assert_allclose(pairs[j, k], expected[j, k], **close)
        for size in (1, 2, 3):
            found = subset_variances(boxes, size)
            for members in combinations(range(d), size):
                np.testing.assert_allclose(found.get(members, 0.0), expected[members], **close)
        np.testing.assert_allclose(
            total_variances(boxes),
            [sum(v for u, v in expected.items() if j in u) for j in range(d)],
            **close,
        )
        np.testing.assert_allclose(sum(expected.values()), whole, rtol=1e-9)


@pytest.mark.parametrize(("space", "kind"), forests())
def test_marginal_predictions_are_those_of_brute_force(space, kind):
    surrogate, columns, trees = kind(space)
    for boxes, tree in zip(surrogate.boxes(), trees, strict=True):
        cells = cells_of(space, tree)
        values = predict_cells(space, tree, cells, columns)
        latent = [
            latent_of(surrogate, parameter, j, cells[j][0]) for j, parameter in enumerate(space)
        ]
        for size in (1, 2):
            for members in combinations(range(len(space)), size):
                expected = marginal(values, cells, members).squeeze(
                    tuple(j for j in range(len(space)) if j not in members)
                )
                found = marginal_prediction(boxes, members, [latent[j] for j in members])
                np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


def latent_of(surrogate, parameter, j, positions):
    """Latent values in the middle of cells; the absent cell of an optional one is the last."""
    share = parameter.optional
    present = positions[~np.isnan(positions)]
    if parameter.size is None:
        latent = present
    else:
        weights = parameter.grid()[1]
        middle = np.cumsum(weights) - weights / 2.0
        ranks = surrogate.category_ranks().get(j, np.arange(parameter.size))
        latent = middle[ranks.astype(int)]
    latent = share * latent
    return latent if len(present) == len(positions) else np.append(latent, (share + 1.0) / 2.0)


# ---------------------------------------------------------------------- sub-spaces and caps


def test_what_lies_below_within_kept_intervals_is_counted_once():
    kept = [(0.2, 0.4), (0.8, 1.0)]
    found = squeeze(np.array([0.0, 0.2, 0.3, 0.4, 0.6, 0.8, 0.9, 1.0]), kept)
    np.testing.assert_allclose(found, [0.0, 0.0, 0.25, 0.5, 0.5, 0.5, 0.75, 1.0], atol=1e-15)


def test_a_restricted_tree_of_five_nodes_is_the_one_worked_out_by_hand():
    (boxes,) = five_nodes().boxes()
    # x above 1/4: 0 on a third of it; y below 1/2: half 10 and half 20 where x is above 1/2
    part = restrict(boxes, {0: [(0.25, 1.0)], 1: [(0.0, 0.5)]})
    assert sorted(part.value) == [0.0, 10.0, 20.0]
    np.testing.assert_allclose(part.volume[np.argsort(part.value)], [1 / 3, 1 / 3, 1 / 3])
    # x above 1/2 alone: the box of 0 is gone
    part = restrict(boxes, {0: [(0.5, 1.0)]})
    np.testing.assert_allclose(main_steps(part)[1], [0.0, 0.25 * 0.75 * 100.0])
    assert sorted(part.value) == [10.0, 20.0]


@pytest.mark.parametrize(
    ("direction", "clip"), [("minimize", np.minimum), ("maximize", np.maximum)]
)
def test_a_cap_clips_the_worse_side(direction, clip):
    surrogate, columns, trees = fitted(SPACES["mixed"])
    for boxes, tree in zip(surrogate.boxes(), trees, strict=True):
        cap = float(np.median(boxes.value))
        whole, expected = tree_variances(
            SPACES["mixed"], tree, columns, clip=lambda values, cap=cap: clip(values, cap)
        )
        capped = clip_worse(boxes, cap, direction)
        np.testing.assert_allclose(mean_and_variance(capped)[1], whole, rtol=1e-10)
        np.testing.assert_allclose(
            main_steps(capped)[1],
            [expected[(j,)] for j in range(3)],
            rtol=1e-10,
            atol=1e-10 * whole,
        )
