"""Draws of the functional ANOVA of a Gaussian process: shares of variance without the noise.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
f           the function without its noise, drawn from the posterior
a_U         f averaged over all hyperparameters but those in U
f_U         what a_U adds to those of U's subsets; V_U its variance, V that of f
==========  ============================================================================

f is drawn at the points of a design, jointly, and elsewhere it is the mean given these values and
the trials: a sum of kernels, whose means over the space have closed forms (`_latent_means`). What
the design leaves open of f is variance of interactions, and is added to V.

References
----------
.. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
   hyperparameter importance. ICML. Eq. 4 to 7.
.. [2] Marrel, A., Iooss, B., Laurent, B. and Roustant, O. (2009). Calculations of Sobol indices for
   the Gaussian process metamodel. Reliability Engineering & System Safety 94(3), 742-751.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.stats import qmc

from hpo_explain.base.blas import one_blas_thread
from hpo_explain.base.progress import steps
from hpo_explain.models._anova_kernels import AnovaKernel, allowed_kernels
from hpo_explain.models._gp_fit import searched
from hpo_explain.models._latent_means import (
    MOST_CATEGORIES,
    Components,
    LatentMeans,
    Nodes,
    many_categories,
    nodes_of,
    pair_effects,
)
from hpo_explain.models._squares import matern_5_2
from hpo_explain.models.columns import KernelColumns
from hpo_explain.space import Array, SearchSpace

NODES = {1: 33, 2: 15, 3: 9}
"""Nodes of a quadrature by the size of the sets."""
N_DRAWS = 128
"""Functions drawn by default, an even number."""
_FOR_EACH = 16  # kernel: so many functions
_DESIGN = 200
_POINTS = 512  # at which the variance is measured
_PAIRS = 128  # of points that differ in one hyperparameter, for total effects
_JITTER = 1e-6  # of the prior variance


def can_draw(space: SearchSpace, order: int) -> bool:
    """Return whether sets of this size can be drawn in a space that has something to vary."""
    varies = any(p.size != 1 or space.is_conditional(p.name) for p in space.parameters)
    return varies and order in NODES and Components(space).few_states(NODES[1])


@dataclass(frozen=True, eq=False)
class Curve:
    """The marginal prediction of one or two hyperparameters at nodes.

    Attributes
    ----------
    positions : tuple of ndarray
        For each hyperparameter its encoded values.
    drawn : ndarray of shape (G, number of draws) or (G1, G2, number of draws)
        That of each function drawn, in the objective's units.
    """

    positions: tuple[Array, ...]
    drawn: Array

    @property
    def mean(self) -> Array:
        """Posterior mean, (G,) or (G1, G2)."""
        return np.asarray(self.drawn.mean(axis=-1))

    @property
    def std(self) -> Array:
        """Posterior standard deviation, (G,) or (G1, G2)."""
        return np.asarray(self.drawn.std(axis=-1))


@dataclass(frozen=True, eq=False)
class KernelSums:
    """Functions drawn from the posteriors of several kernels, as sums of kernels.

    Attributes
    ----------
    columns : KernelColumns
        The model's columns, which know the space.
    parts : tuple of (AnovaKernel, ndarray, ndarray)
        A kernel, its centres (m, p), and the coefficients of its functions (m, draws).
    offset, scale : float
        What makes an objective of what the functions return.
    """

    columns: KernelColumns
    parts: tuple[tuple[AnovaKernel, Array, Array], ...]
    offset: float = 0.0
    scale: float = 1.0

    @property
    def kernels(self) -> int:
        """Number of kernels that they are from."""
        return len(self.parts)

    def marginal(self, members: tuple[int, ...]) -> Curve:
        """Return the marginal prediction of one or two hyperparameters, in ascending order."""
        space, components = self.columns.space, Components(self.columns.space)
        many = many_categories(self.columns)
        parts = [self._nodes_in_parts(j, many) for j in members]
        with one_blas_thread():
            rows = [
                [self._at(members, components, (first, *second)) for first in parts[0]]
                for second in ([()] if len(members) == 1 else [(part,) for part in parts[1]])
            ]
        marginal = np.concatenate([np.concatenate(row) for row in rows], axis=len(members) - 1)
        positions = []
        for axis, j in enumerate(members):
            if j in many:  # what was never tried is predicted alike
                codes = np.concatenate([part for part in parts[axis] if part is not None])
                of = np.full(space.parameters[j].size or 0, len(codes) - 1)
                of[codes.astype(int)] = np.arange(len(codes))
                marginal = marginal.take(of, axis=axis)
                positions.append(np.arange(len(of), dtype=float))
            else:
                at = nodes_of(space.parameters[j], NODES[len(members)]).positions
                marginal = marginal.compress(~np.isnan(at), axis=axis)
                positions.append(at[~np.isnan(at)])
        return Curve(tuple(positions), self.offset + self.scale * marginal)

    def _nodes_in_parts(self, j: int, many: dict[int, int]) -> list[Array | None]:
        """Return some categories after the other, one that was never tried at last, or None."""
        if j not in many:
            return [None]
        tried = np.unique(np.concatenate([part[1][:, many[j]] for part in self.parts]))
        every = np.arange(self.columns.space.parameters[j].size or 0, dtype=float)
        codes = np.append(tried[tried >= 0.0], np.setdiff1d(every, tried)[:1])
        return list(np.array_split(codes, -(-len(codes) // MOST_CATEGORIES)))

    def _at(
        self, members: tuple[int, ...], components: Components, given: Sequence[Array | None]
    ) -> Array:
        """Return the functions' means at nodes, (nodes of each member, draws)."""
        codes = {j: some for j, some in zip(members, given, strict=True) if some is not None}
        values = []
        for kernel, centres, coefficients in self.parts:
            mean = LatentMeans(
                self.columns.space,
                self.columns,
                kernel,
                centres,
                NODES[len(members)],
                components,
                codes=codes,
            )
            values.append(mean(members).T @ coefficients)
        sizes = [len(mean.nodes[j].positions) for j in members]
        return np.hstack(values).reshape(*sizes, -1)


@dataclass(frozen=True, eq=False)
class AnovaDraws:
    """Variances of functions drawn from a posterior.

    Attributes
    ----------
    members : tuple of tuple of int
        The sets: first all of one, then all of two, and so on.
    shares : ndarray of shape (number of draws, number of sets)
        V_U / V of each draw.
    products : ndarray of shape (number of draws, number of sets)
        Mean product of f_U of two draws, as a share of √(V V'): on average what
        both have in common, and 0 where nothing is known of f_U.
    rest : ndarray of shape (number of draws,)
        The same for all that single hyperparameters leave.
    totals : ndarray of shape (number of draws, d)
        Share of everything in which a hyperparameter takes part.
    variances : ndarray of shape (number of draws,)
        V, in squared units of the objective.
    functions : KernelSums
        The functions drawn, for their marginal predictions.
    """

    members: tuple[tuple[int, ...], ...]
    shares: Array
    products: Array
    rest: Array
    totals: Array
    variances: Array
    functions: KernelSums


def draw_anova(
    columns: KernelColumns,
    Z: Array,
    y: Array,
    scales: Array,
    *,
    offset: float = 0.0,
    scale: float = 1.0,
    order: int,
    draws: int = N_DRAWS,
    seed: int,
) -> AnovaDraws:
    """Draw the functional ANOVA of the function behind trials.

    Parameters
    ----------
    columns : KernelColumns
        The model's columns, which know the space.
    Z : ndarray of shape (n, p)
        Columns of the trials.
    y : ndarray of shape (n,)
        Their objective, standardized.
    scales : ndarray of shape (p,)
        Length-scales from which the search for kernels starts.
    offset, scale : float
        What makes an objective of the standardized one.
    order : int
        Size of the largest sets, at most 3.
    draws : int, default 128
        Number of functions, even and at least 4.
    seed : int
        Seed of the kernels and of the functions drawn.
    """
    space = columns.space
    n = max(1, draws // _FOR_EACH)
    seeds = np.random.default_rng(seed).integers(2**31, size=n + 1)
    components = Components(space)
    with one_blas_thread():
        kernels = allowed_kernels(columns.amid, Z, searched(y), scales, n=n, seed=int(seeds[-1]))
        pairs = [len(some) for some in np.array_split(np.arange(draws // 2), n)]
        drawn = [
            _Draws(columns, kernel, Z, y, some, int(own))
            for kernel, some, own in zip(kernels, pairs, seeds[:-1], strict=True)
        ]
        parts = [_decomposed(d, components, order) for d in steps(drawn, "kernels")]
    members = parts[0].members
    return AnovaDraws(
        members=members,
        shares=np.vstack([part.shares for part in parts]),
        products=np.vstack([part.products for part in parts]),
        rest=np.concatenate([part.rest for part in parts]),
        totals=np.vstack([part.totals for part in parts]),
        variances=scale**2 * np.concatenate([part.variances for part in parts]),
        functions=KernelSums(
            columns, tuple((d.kernel, d.centres, d.coefficients) for d in drawn), offset, scale
        ),
    )


class _Draws:
    """Functions drawn from the posterior of one kernel, as sums of kernels."""

    def __init__(
        self, columns: KernelColumns, kernel: AnovaKernel, Z: Array, y: Array, pairs: int, seed: int
    ) -> None:
        self.columns, self.kernel = columns, kernel
        design = columns(columns.space.sample(_DESIGN, seed=seed))
        self._n = len(Z)
        jitter = _JITTER * kernel.variance
        trained = kernel(Z, Z) + (kernel.noise + jitter) * np.eye(len(Z))
        self._L = cholesky(trained, lower=True)
        between = kernel(Z, design)
        self._V = solve_triangular(self._L, between, lower=True)
        open_ = kernel(design, design) - self._V.T @ self._V
        self._open = cholesky(open_ + jitter * np.eye(_DESIGN), lower=True)
        half = np.random.default_rng(seed).standard_normal((_DESIGN, pairs))
        # each with its mirror image, so that the negated objective has the same shares
        normal = np.hstack([half, -half])
        at_design = solve_triangular(self._open.T, normal, lower=False)
        at_trials = cho_solve((self._L, True), y[:, None] - between @ at_design)
        self.centres = np.vstack([Z, design])
        self.coefficients = np.vstack([at_trials, at_design])

    def left_open(self, cross: Array) -> float:
        """Return the mean variance that design and trials leave at rows with these covariances."""
        v = solve_triangular(self._L, cross[:, : self._n].T, lower=True)
        rest = solve_triangular(self._open, cross[:, self._n :].T - self._V.T @ v, lower=True)
        known = np.einsum("ij,ij->j", v, v) + np.einsum("ij,ij->j", rest, rest)
        return float(np.maximum(self.kernel.variance - known, 0.0).mean())


@dataclass(frozen=True, eq=False)
class _Part:
    """The decomposition of the functions drawn from one kernel; see `AnovaDraws`."""

    members: tuple[tuple[int, ...], ...]
    shares: Array
    products: Array
    rest: Array
    totals: Array
    variances: Array


def _decomposed(draws: _Draws, components: Components, order: int) -> _Part:
    """Return the decomposition of the functions drawn from one kernel."""
    space, columns = draws.columns.space, draws.columns
    d = len(space)
    points = space.from_latent(qmc.Sobol(d, seed=0).random(_POINTS))
    cross = draws.kernel(columns(space.project(points)), draws.centres)
    values = cross @ draws.coefficients
    values -= values.mean(axis=0)
    open_ = draws.left_open(cross)
    members: list[tuple[int, ...]] = []
    parts, products = [], []
    means = {
        size: LatentMeans(space, columns, draws.kernel, draws.centres, NODES[size], components)
        for size in range(1, order + 1)
    }
    pairs = pair_effects(means[1], draws.coefficients) if order > 1 else {}
    for size, mean in means.items():
        for u in combinations(range(d), size):
            members.append(u)
            if (found := pairs.get(u)) is not None:
                parts.append((found**2).sum(axis=0))
                products.append((found * np.roll(found, 1, axis=1)).sum(axis=0))
                continue
            held = [mean.nodes[j] for j in u]
            shape = [len(n.positions) for n in held]
            marginal = (mean(u).T @ draws.coefficients).reshape(*shape, -1)
            own, weight = _own_effect(marginal, held)
            parts.append(weight @ own**2)
            products.append(weight @ (own * np.roll(own, 1, axis=1)))
    variances = np.array(parts).T
    whole = variances.sum(axis=1)
    if order < d:  # rounding: the parts never exceed the whole
        whole = np.maximum(values.var(axis=0) + open_, whole)
    whole = np.where(whole > 0.0, whole, 1.0)
    scale = np.sqrt(whole * np.roll(whole, 1))
    common = np.array(products).T / scale[:, None]
    together = (values * np.roll(values, 1, axis=1)).mean(axis=0) / scale
    shares = variances / whole[:, None]
    return _Part(
        members=tuple(members),
        shares=shares,
        products=common,
        rest=together - common[:, :d].sum(axis=1),
        totals=np.clip(_totals(draws) / whole[:, None], shares[:, :d], 1.0),
        variances=whole,
    )


def _own_effect(marginal: Array, nodes: Sequence[Nodes]) -> tuple[Array, Array]:
    """Return f_U at the nodes, (product of nodes, draws), and the nodes' measure."""
    own, weight = marginal, np.ones(1)
    for axis, n in enumerate(nodes):
        own = own - np.expand_dims(np.tensordot(n.weights, own, axes=(0, axis)), axis)
        weight = np.multiply.outer(weight, n.weights).ravel()
    return own.reshape(len(weight), -1), weight


def _totals(draws: _Draws) -> Array:
    """Return the variance of everything each hyperparameter takes part in, (draws, d).

    Half the mean square of the difference that another value of the hyperparameter makes
    (Jansen 1999).
    """
    space = draws.columns.space
    both = qmc.Sobol(2 * len(space), seed=1).random(_PAIRS)
    first, second = (space.from_latent(half) for half in np.split(both, 2, axis=1))

    kernel, centres, coefficients = draws.kernel, draws.centres, draws.coefficients
    rows = draws.columns(space.project(first))
    squares = [kernel.squares(rows, centres, g) for g in range(len(kernel.alone))]
    norm = np.sum(squares, axis=0)
    here, totals = _profile(norm), []
    for j in range(len(space)):
        latent = first.copy()
        latent[:, j] = second[:, j]
        moved = draws.columns(space.project(latent))
        changed = np.zeros_like(norm)
        away = norm.copy()
        # only the parts of the columns that it belongs to change, and that of all together
        for g in np.flatnonzero((moved != rows).any(axis=0)).tolist():
            now = kernel.squares(moved, centres, g)
            away += now - squares[g]
            changed += kernel.alone[g] * (_profile(now) - _profile(squares[g]))
        changed += kernel.joint * (_profile(np.maximum(away, 0.0)) - here)
        totals.append(0.5 * ((changed @ coefficients) ** 2).mean(axis=0))
    return np.array(totals).T


def _profile(squares: Array) -> Array:
    """Return the kernel's profile of squared distances, as `AnovaKernel.squares` returns them."""
    profile = squares.copy()
    matern_5_2(profile.reshape(-1))
    return profile
