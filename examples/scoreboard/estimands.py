"""What methods estimate, of the true function: by enumeration of a grid, or Sobol sequences.

Each estimand is a function from a problem to a number per hyperparameter; scores divide them by
their sum. All are over the search space's own measure. `f` is the true cost, without noise.

References
----------
.. [1] Watanabe, S., Bansal, A. and Hutter, F. (2023). PED-ANOVA. IJCAI. Eq. 16; with conditions as
   in Baba, K., Ozaki, Y. and Watanabe, S. (2026), Theorem 4.2.
.. [2] Saltelli, A. et al. (2010). Variance based sensitivity analysis of model output. Computer
   Physics Communications 181. Jansen's estimator of totals, Table 2 (f).
.. [3] Song, E., Nelson, B. L. and Staum, J. (2016). Shapley effects for global sensitivity
   analysis: theory and computation. SIAM/ASA J. Uncertainty Quantification 4, Algorithm 1.
.. [4] Sutera, A. et al. (2021). From global to local MDI variable importances for random forests
   and when they are Shapley values. NeurIPS, Theorem 6.
.. [5] Wever, M. et al. (2025). HyperSHAP. arXiv:2502.01276. The game of tunability.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb

import numpy as np
from scipy.stats import qmc

from tests.claims.problem import Problem, Rows

BINS = 128  # of a range of reals
LOG2_ROWS, LOG2_WALKS, LOG2_SHAP = 19, 16, 9
WALKS_OF_EACH = 128  # configuration whose Shapley values are averaged
TOP = 0.1


def rows_of(problem: Problem, latents: np.ndarray) -> Rows:
    """Return the encoded rows of uniform values, whose columns are those of the space."""
    space = problem.space
    return space.project(space.from_latent(latents[:, space.order]))


def sampled(problem: Problem) -> tuple[np.ndarray, Rows]:
    """Return uniform values spread over the space, and their rows; of a grid every cell once."""
    if problem.is_finite:
        levels = [(np.arange(n) + 0.5) / n for n in problem.sizes]
        latents = np.stack(np.meshgrid(*levels, indexing="ij"), axis=-1).reshape(-1, len(levels))
    else:
        latents = qmc.Sobol(len(problem.space), seed=1).random_base2(LOG2_ROWS)
    return latents, rows_of(problem, latents)


def _bins(problem: Problem, latents: np.ndarray, j: int) -> np.ndarray:
    return np.floor(latents[:, j] * (problem.sizes[j] or BINS)).astype(int)


def _means(values: np.ndarray, bins: np.ndarray) -> np.ndarray:
    """Return the mean of each row's bin."""
    return (np.bincount(bins, values) / np.maximum(np.bincount(bins), 1))[bins]


def alone(problem: Problem) -> np.ndarray:
    """Var E[f | x_j] / Var f: what each explains alone."""
    latents, rows = sampled(problem)
    return _alone(problem, latents, problem.cost(rows))


def alone_among_best(problem: Problem) -> np.ndarray:
    """Return the same of the indicator of being among the best 10 %."""
    latents, rows = sampled(problem)
    return _alone(problem, latents, _is_best(problem.cost(rows)))


def _is_best(costs: np.ndarray) -> np.ndarray:
    return (costs <= np.quantile(costs, TOP)).astype(float)


def _alone(problem: Problem, latents: np.ndarray, values: np.ndarray) -> np.ndarray:
    each = range(len(problem.space))
    found = [_means(values, _bins(problem, latents, j)).var() for j in each]
    return np.array(found) / values.var()


def divergence(problem: Problem) -> np.ndarray:
    """Pearson divergence between the best 10 % and all, where it is active [1]_."""
    latents, rows = sampled(problem)
    best = _is_best(problem.cost(rows))
    found = []
    for j in range(len(problem.space)):
        active = ~np.isnan(rows[:, j])
        of_best, of_all = best[active].sum() / best.sum(), active.mean()
        ratio = _means(best[active], _bins(problem, latents[active], j))
        apart = ((ratio / best[active].mean() - 1.0) ** 2).mean() if of_best else 0.0
        found.append(best.mean() ** 2 * of_best**2 / of_all * apart)
    return np.array(found)


def total(problem: Problem) -> np.ndarray:
    """E Var[f | all but x_j] / Var f: all that each takes part in [2]_."""
    d = len(problem.space)
    first, second = np.hsplit(qmc.Sobol(2 * d, seed=2).random_base2(LOG2_WALKS), 2)
    costs, found = problem.cost(rows_of(problem, first)), []
    for j in range(d):
        moved = first.copy()
        moved[:, j] = second[:, j]
        found.append(((problem.cost(rows_of(problem, moved)) - costs) ** 2).mean() / 2.0)
    return np.array(found) / costs.var()


def shapley_effect(problem: Problem) -> np.ndarray:
    """Explained variance, interactions divided equally [3]_: the limit of MDI [4]_."""
    d = len(problem.space)
    first, second = np.hsplit(qmc.Sobol(2 * d, seed=3).random_base2(LOG2_WALKS), 2)
    order, costs = _walk(problem, first, second)
    gained = np.diff((costs - costs[:, :1]) ** 2 / 2.0, axis=1)
    return np.array([gained[order == j].mean() for j in range(d)]) / costs[:, 0].var()


def mean_abs_shap(problem: Problem) -> np.ndarray:
    """E |phi_j(x)|: the Shapley values of f at x against the whole space."""
    d = len(problem.space)
    points = qmc.Sobol(d, seed=4).random_base2(LOG2_SHAP)
    explained = np.repeat(points, WALKS_OF_EACH, axis=0)
    others = np.random.default_rng(4).random(explained.shape)
    order, costs = _walk(problem, others, explained)
    gained = np.empty(explained.shape)
    np.put_along_axis(gained, order, np.diff(costs, axis=1), axis=1)
    values = gained.reshape(len(points), WALKS_OF_EACH, d).mean(axis=1)
    return np.abs(values).mean(axis=0)


def _walk(problem: Problem, start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return random orders (n, d), and costs (n, d + 1) while values change in them."""
    n, d = start.shape
    order = np.random.default_rng(5).permuted(np.tile(np.arange(d), (n, 1)), axis=1)
    at, every = start.copy(), np.arange(n)
    costs = [problem.cost(rows_of(problem, at))]
    for k in range(d):
        at[every, order[:, k]] = end[every, order[:, k]]
        costs.append(problem.cost(rows_of(problem, at)))
    return order, np.column_stack(costs)


def correlation(problem: Problem) -> np.ndarray:
    """|r| of the hyperparameter's value, in its units, with f, where it is active."""
    _, rows = sampled(problem)
    costs, found = problem.cost(rows), []
    for j, p in enumerate(problem.space.parameters):
        active = ~np.isnan(rows[:, j])
        kinds = getattr(p, "choices", None)
        values = rows[active, j] if kinds else np.array(p.decode(rows[active, j]), float)
        found.append(abs(np.corrcoef(values, costs[active])[0, 1]))
    return np.array(found)


def tunability(problem: Problem) -> np.ndarray:
    """Shapley values of the best gain over the default of tuning a set alone [5]_."""
    d = len(problem.space)
    default = np.full(d, 0.5)
    latents = qmc.Sobol(d, seed=6).random_base2(LOG2_WALKS)
    sets = [members for k in range(d + 1) for members in combinations(range(d), k)]
    best = {}
    for members in sets:
        tuned = np.tile(default, (len(latents), 1))
        tuned[1:, members] = latents[1:, members]  # the first stays the default
        best[members] = problem.cost(rows_of(problem, tuned)).min()
    found = np.zeros(d)
    for members in sets:
        for j in set(range(d)) - {*members}:
            weight = 1.0 / (d * comb(d - 1, len(members)))
            found[j] += weight * (best[members] - best[tuple(sorted((*members, j)))])
    return found


ESTIMANDS: dict[str, Callable[[Problem], np.ndarray]] = {
    "variance explained alone": alone,
    "variance explained with interactions": total,
    "variance explained, interactions divided": shapley_effect,
    "best 10 %: variance explained alone": alone_among_best,
    "best 10 %: Pearson divergence": divergence,
    "mean absolute Shapley value": mean_abs_shap,
    "absolute correlation": correlation,
    "Shapley value of tunability": tunability,
}
