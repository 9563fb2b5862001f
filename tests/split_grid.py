"""The functional ANOVA of a tree by brute force: its prediction in every cell of its split points.

Nothing here knows boxes. A cell is one value per hyperparameter with its weight: between two split
points of a continuous one, each value of a counted one, and the absence of an optional one.
"""

from itertools import combinations

import numpy as np

from hpo_explain import FloatParameter


def cells_of(space, tree, given=None):
    """Positions and weights of each hyperparameter's cells, for one scikit-learn tree."""
    cells = []
    for j, parameter in enumerate(space):
        wanted = (given or {}).get(parameter.name)
        if parameter.size is None:
            edges = tree.threshold[tree.feature == j]
            edges = np.concatenate([edges, thresholds_on(space, parameter)])
            low, high = 0.0, 1.0
            if wanted is not None:
                low, high = parameter.encode(wanted)
            inside = edges[(low < edges) & (edges < high)]
            edges = np.concatenate([[low], np.unique(inside), [high]])
            positions, weights = ((edges[1:] + edges[:-1]) / 2.0, np.diff(edges) / (high - low))
        else:
            positions, weights = parameter.grid()
            if wanted is not None:
                kept = parameter.encode(wanted)
                if isinstance(parameter, FloatParameter):
                    inside = (kept[0] - 1e-9 <= positions) & (positions <= kept[1] + 1e-9)
                else:
                    inside = np.isclose(positions[:, None], kept).any(axis=1)
                positions, weights = (positions[inside], weights[inside] / weights[inside].sum())
        if parameter.optional < 1.0 and wanted is None:
            positions = np.append(positions, np.nan)
            weights = np.append(weights * parameter.optional, 1.0 - parameter.optional)
        cells.append((positions, weights))
    return cells


def thresholds_on(space, parent):
    """Positions of a number at which other hyperparameters become active or inactive."""
    ranges = [p.active_when[parent.name] for p in space if parent.name in p.active_when]
    ends = [end for r in ranges for end in (r.low, r.high)]
    return parent.encode([end for end in ends if np.isfinite(end)])


def predict_cells(space, tree, cells, columns=None):
    """The tree's prediction in every cell, an array with one axis per hyperparameter."""
    grid = np.stack(np.meshgrid(*[positions for positions, _ in cells], indexing="ij"), axis=-1)
    rows = space.project(grid.reshape(-1, len(cells)))
    seen = (rows if columns is None else columns(rows)).astype(np.float32)
    return tree.predict(seen).ravel().reshape(grid.shape[:-1])


def mean_over(values, cells, axes):
    """The average over some hyperparameters, whose axes are kept with length 1."""
    for j in axes:
        weights = cells[j][1].reshape([-1 if k == j else 1 for k in range(values.ndim)])
        values = (values * weights).sum(axis=j, keepdims=True)
    return values


def marginal(values, cells, members):
    """a_U of Hutter et al. (2014): the average over all others, axes kept."""
    return mean_over(values, cells, [j for j in range(values.ndim) if j not in members])


def variances(values, cells):
    """V, and V_U of every set of hyperparameters: Equations 4 to 7, one set after the other."""
    d = values.ndim
    component = {(): mean_over(values, cells, range(d))}
    found = {}
    for size in range(1, d + 1):
        for members in combinations(range(d), size):
            below = [u for s in range(size) for u in combinations(members, s)]
            f = marginal(values, cells, members) - sum(component[u] for u in below)
            component[members] = f
            found[members] = float(mean_over(f**2, cells, range(d)).squeeze())
    whole = mean_over((values - component[()]) ** 2, cells, range(d))
    return float(whole.squeeze()), found


def tree_variances(space, tree, columns=None, given=None, clip=None):
    """V and V_U of one tree; `clip` is applied to its predictions."""
    cells = cells_of(space, tree, given)
    values = predict_cells(space, tree, cells, columns)
    return variances(values if clip is None else clip(values), cells)
