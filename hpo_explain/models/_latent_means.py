"""Means of a kernel over latent hyperparameters, and effects of pairs.

Means of a kernel over the latent measure of a space, with some hyperparameters held.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
U           the hyperparameters that are held, each on nodes of a quadrature
c_i         the centres of a sum of kernels, ``f(z) = Σ_i β_i k(z, c_i)``
m(r)        the Matérn-5/2 profile; ``m(r) ≈ Σ_q w_q exp(-s_q r²)`` to 1e-7
==========  ============================================================================

Each summand of the profile is a product over hyperparameters, and so is its mean, because the
measure is a product. Hyperparameters with conditions belong to their parents: together they are a
*component*, and given the parents' values its other members are independent.

Our own, because sampling instead takes 50 times as long for the same error (a mean over 1,000 rows
for each of the nodes of each pair).

References
----------
.. [1] Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine Learning,
   Section 4.2.1: a Matérn kernel is a mixture of squared exponential ones.

Interaction effects of pairs of hyperparameters of a sum of kernels, in few coefficients each.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
T_iq        weight of a centre i and a summand q of the kernel's profile
H_j         factor of hyperparameter j at its nodes, relative to its mean, less 1
f_jk        ``Σ_iq β_i T_iq H_j[i, ·, q] H_k[i, ·, q]``, for hyperparameters of different
            components; parts of single hyperparameters take no part in it
==========  ============================================================================

As functions of a hyperparameter's value the H_j are smooth, and few directions span them all: f_jk
is found in an orthonormal basis of each, of 5 to 9 directions instead of 17 nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product

import numpy as np
from scipy.special import gammaln

from hpo_explain.models._anova_kernels import AnovaKernel
from hpo_explain.models._kernel import matern
from hpo_explain.models._squares import squared_distances
from hpo_explain.models.columns import KernelColumns
from hpo_explain.space import Array, CategoricalParameter, Ints, Parameter, SearchSpace

MOST_STATES = 512
"""Joint values of the parents of a component, beyond which its means take too long."""
MOST_CATEGORIES = 256
"""Categories of a hyperparameter whose means are taken; one more stands for those never tried."""
_MANY = 33  # nodes of a quadrature of which every other one is enough for a pair
_NU = 2.5
_STEP = 0.4  # of the logarithm of the mixture's variable


def _mixture() -> tuple[Array, Array]:
    """Return w_q and s_q: the trapezoidal rule in the logarithm of a gamma variable."""
    log = np.arange(-6.0, 4.0, _STEP)
    weight = np.exp(_NU * log - np.exp(log) - gammaln(_NU)) * _STEP
    rate = _NU / (2.0 * np.exp(log))
    return weight[weight > 1e-12], rate[weight > 1e-12]


@dataclass(frozen=True, eq=False)
class Nodes:
    """A quadrature over the measure of a hyperparameter.

    Attributes
    ----------
    positions : ndarray of shape (G,)
        Encoded values; NaN where the hyperparameter is optional and absent.
    weights : ndarray of shape (G,)
        Their measure, which sums to 1.
    """

    positions: Array
    weights: Array


def nodes_of(parameter: Parameter, most: int) -> Nodes:
    """Return a quadrature with at most so many nodes, or all categories."""
    few = isinstance(parameter, CategoricalParameter) or (parameter.size or 0) <= most
    grid = parameter.grid() if few else None
    if grid is not None:
        positions, weights = grid
    elif parameter.size is not None:
        positions = parameter.from_latent((np.arange(most) + 0.5) / most)
        weights = np.full(most, 1.0 / most)
    else:
        u, weights = _clenshaw_curtis(most)
        positions = parameter.from_latent(u)
    if parameter.optional is not None:
        positions = np.append(positions, np.nan)
        weights = np.append(parameter.optional * weights, 1.0 - parameter.optional)
    return Nodes(np.asarray(positions, dtype=float), np.asarray(weights, dtype=float))


def of_many_categories(space: SearchSpace) -> list[int]:
    """Return the hyperparameters of so many categories that few are nodes."""
    parents = {parent for rules in space.conditions for parent, _ in rules}
    return [
        j
        for j, parameter in enumerate(space.parameters)
        if isinstance(parameter, CategoricalParameter)
        and parameter.size > MOST_CATEGORIES
        and j not in parents
    ]


def many_categories(columns: KernelColumns) -> dict[int, int]:
    """Return these hyperparameters with their columns, which stand before those of indicators."""
    owners = columns.owners.tolist()
    return {j: owners.index(j) for j in of_many_categories(columns.space)}


def among_categories(nodes: Nodes, tried: Array) -> Nodes:
    """Return a quadrature over many categories: those tried, and one that stands for all others.

    The others are all as far from what was tried, so that one of them has the weight of all. Of
    more than `MOST_CATEGORIES` tried so many are taken, evenly over their numbers, with the weight
    of all that were: shares are then estimates.

    Parameters
    ----------
    nodes : Nodes
        All categories, and NaN where the hyperparameter is optional.
    tried : ndarray
        Encoded values at the centres; negative where inactive.
    """
    active = ~np.isnan(nodes.positions)
    codes = np.unique(tried[tried >= 0.0])
    others = np.setdiff1d(nodes.positions[active], codes)
    taken = codes
    if len(codes) > MOST_CATEGORIES:
        taken = codes[np.arange(MOST_CATEGORIES) * len(codes) // MOST_CATEGORIES]
    each = nodes.weights[active][0]
    weights = np.full(len(taken), each * len(codes) / max(len(taken), 1))
    return Nodes(
        np.concatenate([taken, others[:1], nodes.positions[~active]]),
        np.concatenate([weights, [each * len(others)][: len(others)], nodes.weights[~active]]),
    )


def _clenshaw_curtis(n: int) -> tuple[Array, Array]:
    """Return nodes in [0, 1], both ends included, and weights that are exact to degree n - 1."""
    angle = np.pi * np.arange(n) / (n - 1)
    degrees = np.arange(n)
    moments = np.array([0.0 if k % 2 else 2.0 / (1.0 - k**2) for k in degrees])
    weights = np.linalg.solve(np.cos(np.outer(degrees, angle)), moments)
    return (1.0 - np.cos(angle)) / 2.0, weights / 2.0


class Components:
    """Hyperparameters that depend on each other by conditions, and their parents' joint values.

    Parameters
    ----------
    space : SearchSpace
        The space.

    Attributes
    ----------
    members : tuple of tuple of int
        The hyperparameters of each component.
    of : ndarray of int, shape (d,)
        The component of each hyperparameter.
    """

    def __init__(self, space: SearchSpace) -> None:
        self._space = space
        of = np.arange(len(space))
        for child, rules in enumerate(space.conditions):
            for parent, _ in rules:
                of[of == of[child]] = of[parent]
        _, self.of = np.unique(of, return_inverse=True)
        self.members = tuple(
            tuple(np.flatnonzero(self.of == c).tolist()) for c in range(self.of.max() + 1)
        )
        parents = {parent for rules in space.conditions for parent, _ in rules}
        self.parents = tuple(tuple(j for j in m if j in parents) for m in self.members)

    def states(self, nodes: Mapping[int, Nodes], c: int) -> list[tuple[dict[int, int], Array]]:
        """Return the parents' joint nodes, and which members are active then, (d,)."""
        parents = self.parents[c]
        row = self._space.from_latent(np.zeros((1, len(self._space))))[0]
        found = []
        for state in product(*(range(len(nodes[j].positions)) for j in parents)):
            at = dict(zip(parents, state, strict=True))
            for j, place in at.items():
                row[j] = nodes[j].positions[place]
            found.append((at, ~np.isnan(self._space.project(row[None])[0])))
        return found

    def few_states(self, most: int) -> bool:
        """Return whether no component has more joint values of parents than `MOST_STATES`."""
        counts = [
            np.prod([len(nodes_of(self._space.parameters[j], most).positions) for j in parents])
            for parents in self.parents
        ]
        return bool(max(counts) <= MOST_STATES)


class LatentMeans:
    """Means of a kernel's values at centres.

    Parameters
    ----------
    space : SearchSpace
        The space.
    columns : KernelColumns
        The model's columns.
    kernel : AnovaKernel
        The kernel.
    centres : ndarray of shape (m, p)
        Columns of the centres.
    most : int
        Nodes of a hyperparameter that is held.
    components : Components
        Those of the space.
    codes : dict of int to ndarray, optional
        For some categorical hyperparameters those categories at which means are wanted.
    """

    def __init__(
        self,
        space: SearchSpace,
        columns: KernelColumns,
        kernel: AnovaKernel,
        centres: Array,
        most: int,
        components: Components,
        *,
        codes: Mapping[int, Array] | None = None,
    ) -> None:
        self._space, self._columns, self._kernel = space, columns, kernel
        self._centres, self._components = centres, components
        self.nodes = {j: nodes_of(p, most) for j, p in enumerate(space.parameters)}
        for owner, column in many_categories(columns).items():
            self.nodes[owner] = among_categories(self.nodes[owner], centres[:, column])
        for owner, some in (codes or {}).items():
            self.nodes[owner] = Nodes(some, np.full(len(some), 1.0 / len(some)))
        self._weight, self._rate = _mixture()
        self._parts: dict[tuple[int, tuple[int, ...]], Array] = {}
        self._held: dict[tuple[int, int], Array] = {}
        # a column's part depends on the hyperparameter that owns it
        self._owner = columns.owners.tolist()

    def __call__(self, U: Sequence[int]) -> Array:
        """Return the mean kernel at the nodes of U with each centre, (m, product of nodes)."""
        held: dict[int, list[int]] = {}
        for j in U:
            held.setdefault(int(self._components.of[j]), []).append(j)
        common = self._weight * np.prod(
            [self._averaged[c] for c in range(len(self._averaged)) if c not in held], axis=0
        )
        first, *others = [self._factor(c, js, len(U)) for c, js in held.items()]
        first = first * np.broadcast_to(common, (len(self._centres), len(self._weight)))[:, None]
        for other in others[:-1]:
            both = first[:, :, None, :] * other[:, None, :, :]
            first = both.reshape(len(first), -1, both.shape[-1])
        mean = first @ others[-1].transpose(0, 2, 1) if others else first.sum(axis=2)
        order = [j for js in held.values() for j in js]
        sizes = [len(self.nodes[j].positions) for j in order]
        shaped = self._kernel.joint * mean.reshape(len(mean), *sizes)
        rest = self._alone_together.copy()
        for column, owner in enumerate(self._owner):
            c = int(self._components.of[owner])
            if c not in held:
                continue
            rest -= self._kernel.alone[column] * self._part(column, [])
            own = [
                len(self.nodes[j].positions) if self._components.of[j] == c else 1 for j in order
            ]
            part = self._part(column, held[c]).reshape(len(mean), *own)
            shaped += self._kernel.alone[column] * part
        shaped += rest.reshape(len(mean), *[1 for _ in order])
        axes = [1 + order.index(j) for j in U]
        return np.asarray(shaped.transpose(0, *axes).reshape(len(mean), -1))

    def apart(self, j: int, k: int) -> bool:
        """Return whether two hyperparameters are in different components."""
        return bool(self._components.of[j] != self._components.of[k])

    @cached_property
    def weight(self) -> Array:
        """What each centre and summand weighs in the mean of the joint part, (m, Q)."""
        averaged = np.prod(self._averaged, axis=0)
        return np.asarray(self._kernel.joint * self._weight * averaged)

    def relative(self, j: int) -> tuple[Array, Array]:
        """Return the factor of a hyperparameter by its mean, centred, (m, G, Q), and the measure.

        Of many nodes every other one, which is a quadrature, too.
        """
        c = int(self._components.of[j])
        averaged = self._averaged[c][:, None]
        parameter, measure = self._space.parameters[j], self.nodes[j].weights
        if self._components.members[c] != (j,) or parameter.optional is not None:
            factor = self._component(c, [j], self._joint)
        else:
            factor = self._joint[j][:, :-1] if j in self._joint else np.ones((1, len(measure), 1))
            if parameter.size is None and len(measure) >= _MANY:
                factor, measure = factor[:, ::2], _clenshaw_curtis(len(measure) // 2 + 1)[1]
        # where the mean is 0, so is the factor everywhere
        ratio = np.zeros(np.broadcast_shapes(factor.shape, averaged.shape))
        np.divide(factor, averaged, out=ratio, where=averaged > 0.0)
        ratio -= (measure @ ratio)[:, None]
        return ratio, measure

    def _factor(self, c: int, js: Sequence[int], size: int) -> Array:
        """Return the factor of a component in the joint part, (m, product of nodes, Q)."""
        if len(js) > 1 or size == 1:
            return self._component(c, js, self._joint)
        if (c, js[0]) not in self._held:  # every pair with it needs it again
            self._held[c, js[0]] = self._component(c, js, self._joint)
        return self._held[c, js[0]]

    @cached_property
    def _alone_together(self) -> Array:
        """The parts of all columns where nothing is held, (m, 1)."""
        parts = [k * self._part(column, []) for column, k in enumerate(self._kernel.alone)]
        return np.asarray(np.sum(parts, axis=0))

    def _part(self, column: int, held: Sequence[int]) -> Array:
        """Return the mean of a column's part at the nodes held in its component, (m, nodes)."""
        key = (column, tuple(held))
        if key not in self._parts:
            c = int(self._components.of[self._owner[column]])
            self._parts[key] = self._component(c, held, self._alone[column])[:, :, 0]
        return self._parts[key]

    @cached_property
    def _joint(self) -> dict[int, Array]:
        """For each hyperparameter the factors of the joint part, (m, G + 1, Q), inactive last."""
        tables = {}
        for j in range(len(self._space)):
            mine = np.flatnonzero(self._columns.owners == j)
            if len(mine):
                squares = self._squares(j, mine)
                tables[j] = np.exp(-squares[:, :, None] * self._rate)
        return tables

    @cached_property
    def _alone(self) -> list[dict[int, Array]]:
        """For each column the values of its part, (m, G + 1, 1), of the one that owns it."""
        tables = []
        for column, owner in enumerate(self._owner):
            squares = self._squares(owner, np.array([column]))
            tables.append({owner: matern(np.sqrt(squares))[0][:, :, None]})
        return tables

    @cached_property
    def _averaged(self) -> list[Array]:
        """For each component the mean of its factor, (m, Q)."""
        everything = range(len(self._components.members))
        return [self._component(c, (), self._joint)[:, 0] for c in everything]

    def _squares(self, j: int, mine: Ints) -> Array:
        """Return squared distances to the centres in some columns of j, (m, G + 1)."""
        positions = np.append(self.nodes[j].positions, np.nan)
        rows = np.repeat(
            self._space.from_latent(np.zeros((1, len(self._space)))), len(positions), 0
        )
        rows[:, j] = positions
        weight = 1.0 / self._kernel.scales[mine]
        at = self._columns(rows)[:, mine]
        return squared_distances(self._centres[:, mine], at, weight, self._kernel.amid[mine])

    def _component(self, c: int, held: Sequence[int], tables: Mapping[int, Array]) -> Array:
        """Return the mean of a component's factor at the nodes held, (m, product of nodes, Q)."""
        members, parents = self._components.members[c], self._components.parents[c]
        own = {j: tables[j] for j in members if j in tables}
        width = next(iter(own.values())).shape[2] if own else len(self._weight)
        sizes = [len(self.nodes[j].positions) for j in held]
        out = np.zeros((len(self._centres), *sizes, width))
        averaged = {j: self.nodes[j].weights @ table[:, :-1] for j, table in own.items()}
        for at, active in self._components.states(self.nodes, c):
            factor = np.full((len(self._centres), width), self._chance(at, held))
            along = []
            for j in members:
                if j not in own:
                    continue
                if j in parents:
                    factor = factor * own[j][:, at[j] if active[j] else -1]
                elif j in held:
                    along.append(j)
                else:
                    factor = factor * (averaged[j] if active[j] else own[j][:, -1])
            place = tuple(at[j] if j in at else slice(None) for j in held)
            shaped = factor.reshape(len(factor), *[1 for j in held if j not in at], width)
            for j in along:
                table = own[j][:, :-1] if active[j] else own[j][:, -1:]
                shape = [table.shape[1] if k == j else 1 for k in held if k not in at]
                shaped = shaped * table.reshape(len(factor), *shape, width)
            out[(slice(None), *place)] += shaped
        return out.reshape(len(out), -1, width)

    def _chance(self, at: Mapping[int, int], held: Sequence[int]) -> float:
        """Return the measure of the parents' nodes that are not held."""
        return float(np.prod([self.nodes[j].weights[k] for j, k in at.items() if j not in held]))


_NEGLIGIBLE = 1e-12  # of the square sum of all directions


def pair_effects(means: LatentMeans, coefficients: Array) -> dict[tuple[int, ...], Array]:
    """Return the interaction effects of all pairs of hyperparameters in different components.

    Parameters
    ----------
    means : LatentMeans
        Means of the kernel.
    coefficients : ndarray of shape (m, draws)
        Coefficients β of each function.

    Returns
    -------
    dict
        For each pair, in ascending order, the effect's coefficients in an orthonormal basis,
        (size of the basis, draws): sums of their products are means over the space.
    """
    weight = means.weight
    bases = [_in_basis(*means.relative(j), weight) for j in range(len(means.nodes))]
    edges = np.cumsum([0, *(basis.shape[1] for basis in bases)])
    together = np.concatenate(bases, axis=1).transpose(0, 2, 1)
    found: dict[tuple[int, ...], Array] = {}
    for j, basis in enumerate(bases[:-1]):
        both = (basis * weight[:, None]) @ together[:, :, edges[j + 1] :]
        effects = np.tensordot(both, coefficients, axes=(0, 0))
        for k, (start, end) in enumerate(pairwise(edges[j + 1 :] - edges[j + 1]), start=j + 1):
            if means.apart(j, k):
                found[j, k] = effects[:, start:end].reshape(-1, coefficients.shape[1])
    return found


def _in_basis(factor: Array, measure: Array, weight: Array) -> Array:
    """Return a factor (m, G, Q) in an orthonormal basis of its nodes, (m, at most G, Q)."""
    scaled = np.sqrt(measure)[:, None] * factor
    rows = (scaled * weight[:, None]).transpose(1, 0, 2).reshape(len(measure), -1)
    squares, directions = np.linalg.eigh(rows @ rows.T)
    kept = squares > _NEGLIGIBLE * squares.sum()
    return np.asarray(directions[:, kept].T @ scaled)
