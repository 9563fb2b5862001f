"""The ratio of two densities as an acquisition function: what TPE maximizes.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
l          density of the configurations of good trials
g          density of those of all other trials
B          a block: hyperparameters that are sampled together, independently of all others
=========  ============================================================================

The utility is ``Σ_B log l_B(x_B) - log g_B(x_B)``, which ranks configurations as the expected
improvement does that TPE is derived from.

References
----------
.. [1] Bergstra, J., Bardenet, R., Bengio, Y. and Kégl, B. (2011). Algorithms for hyper-parameter
   optimization. NeurIPS. Section 4, Eq. 2.
.. [2] Watanabe, S. (2023). Tree-structured Parzen estimator: understanding its algorithm
   components and their roles for better empirical performance. https://arxiv.org/abs/2304.11127
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from hpo_explain.base import InputError, check_count
from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.models.densities._coalitions import coalition_log_density
from hpo_explain.models.densities.kernels import values_of
from hpo_explain.models.densities.mixture import ProductMixture
from hpo_explain.space import Array, Bools, Ints, Parameter, SearchSpace


@dataclass(frozen=True, eq=False)
class DensityBlock:
    """The two densities of hyperparameters that are sampled together.

    Attributes
    ----------
    columns : tuple of int
        The hyperparameters, by their columns.
    good, bad : ProductMixture
        The densities l and g over them.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain.models.densities.kernels import CategoryKernels
    >>> from hpo_explain.models.densities.mixture import ProductMixture
    >>> even = ProductMixture(np.array([1.0]), (CategoryKernels(np.array([[0.5, 0.5]])),))
    >>> DensityBlock((0,), good=even, bad=even).columns
    (0,)
    """

    columns: tuple[int, ...]
    good: ProductMixture
    bad: ProductMixture

    def of(self, active: Bools) -> DensityBlock:
        """Return the densities of those of the columns that are among some (d,)."""
        places = [i for i, j in enumerate(self.columns) if active[j]]
        return DensityBlock(
            tuple(self.columns[i] for i in places),
            good=self.good.of(places),
            bad=self.bad.of(places),
        )


@runtime_checkable
class SupportsDensities(Acquisition, Protocol):
    """An acquisition that compares the densities of good and of other trials.

    It is a sum of parts, each of a few hyperparameters; an optimizer draws candidates from it.
    """

    @property
    def blocks(self) -> tuple[DensityBlock, ...]:
        """The densities of hyperparameters that are sampled together."""

    def marginal(self, j: int, positions: Array) -> tuple[Array, Array]:
        """Return the densities of good and of other trials at encoded values of one, (n,) each."""

    def of_active(self, active: Bools) -> Acquisition:
        """Return what the values of some hyperparameters are chosen by, (d,), once active."""

    def parts(self) -> tuple[Acquisition, ...]:
        """Return the parts, over the same space, whose Shapley values add up to those of all."""

    def candidates(self, n: int, *, seed: int = 0) -> Array:
        """Return latent rows drawn as the optimizer draws them, (n, d)."""

    def coalition_terms(
        self, x: Array, background: Array, players: Ints, coalitions: Bools
    ) -> dict[str, Array] | None:
        """Return the terms, each (n, m), or None where they have to be composed.

        `x` is the explained row (d,), `background` holds latent rows (n, d), `players` are the
        columns that take part, `coalitions` says which of them have the value of `x`, (m, number of
        players).
        """


class DensityRatio:
    """The utility of TPE: how much likelier a configuration is among good trials than among others.

    Its terms are ``good`` = log l, large where good trials are, and ``bad`` = -log g, large where
    other trials are not; both are natural logarithms. Each is a sum over blocks of hyperparameters
    that are sampled together. A hyperparameter in no block is sampled uniformly and adds nothing.
    Inactive hyperparameters are integrated out.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    blocks : sequence of DensityBlock
        The densities; no hyperparameter is in two of them.

    Raises
    ------
    ValueError
        If a hyperparameter is in two blocks, or a block names one that does not exist.

    References
    ----------
    .. [1] Bergstra, J. et al. (2011). Algorithms for hyper-parameter optimization. NeurIPS. Eq. 2.

    Examples
    --------
    >>> import numpy as np
    >>> import hpo_explain as hx
    >>> from hpo_explain.models.densities.kernels import CategoryKernels
    >>> from hpo_explain.models.densities.mixture import ProductMixture
    >>> space = hx.SearchSpace([hx.CategoricalParameter("kernel", ["rbf", "poly"])])
    >>> good = ProductMixture(np.array([1.0]), (CategoryKernels(np.array([[0.8, 0.2]])),))
    >>> bad = ProductMixture(np.array([1.0]), (CategoryKernels(np.array([[0.5, 0.5]])),))
    >>> ratio = DensityRatio(space, [DensityBlock((0,), good, bad)])
    >>> terms = ratio.terms(space.encode({"kernel": "rbf"}))
    >>> float((terms["good"] + terms["bad"])[0])  # log(0.8 / 0.5)
    0.47
    """

    term_names = ("good", "bad")
    label = "log l − log g"

    def __init__(self, space: SearchSpace, blocks: Sequence[DensityBlock]) -> None:
        self._space = space
        self._blocks = tuple(blocks)
        columns = [j for block in self._blocks for j in block.columns]
        if len(set(columns)) < len(columns) or not set(columns) <= set(range(len(space))):
            given = [block.columns for block in self._blocks]
            raise InputError(
                "blocks",
                f"must name different columns of the space, from 0 to {len(space) - 1}, but were "
                f"{given}",
                given,
                "Name every column once.",
            )

    @property
    def space(self) -> SearchSpace:
        """The search space whose encoded rows the terms receive."""
        return self._space

    @property
    def blocks(self) -> tuple[DensityBlock, ...]:
        """The densities, block by block."""
        return self._blocks

    def terms(self, X: Array) -> dict[str, Array]:
        """Return ``good`` and ``bad``, each (n,), at encoded rows (n, d)."""
        X = self._space.check_rows("X", X)
        good = np.zeros(len(X))
        bad = np.zeros(len(X))
        for block in self._blocks:
            rows = X[:, block.columns]
            parameters = self._parameters(block)
            good += block.good.log_density(parameters, rows)
            bad -= block.bad.log_density(parameters, rows)
        return {"good": good, "bad": bad}

    def _parameters(self, block: DensityBlock) -> list[Parameter]:
        return [self._space.parameters[j] for j in block.columns]

    def marginal(self, j: int, positions: Array) -> tuple[Array, Array]:
        """Return how common values of one hyperparameter are, over all values of the others.

        Parameters
        ----------
        j : int
            The hyperparameter, by its column.
        positions : ndarray of shape (n,)
            Its positions.

        Returns
        -------
        tuple of ndarray of shape (n,)
            Under l and under g, relative to a uniform density: 1 is as common as by chance. Both
            are 1 where the hyperparameter is in no block.
        """
        for block in self._blocks:
            if j in block.columns:
                place = block.columns.index(j)
                rows = np.full((len(positions), len(block.columns)), np.nan)
                rows[:, place] = positions
                values = values_of(self._space.parameters[j], positions)
                by_chance = block.good.kernels[place].log_uniform(values)
                good, bad = (
                    np.exp(density.log_density(self._parameters(block), rows) - by_chance)
                    for density in (block.good, block.bad)
                )
                return good, bad
        return np.ones(len(positions)), np.ones(len(positions))

    def of_active(self, active: Bools) -> DensityRatio:
        """Return the ratio by which TPE chooses values of hyperparameters once they are active.

        It chooses the value of a parent by the parent's densities alone, whatever becomes active:
        those of a child say nothing about its parent. So the space has no conditions, in it all
        that is active has a value everywhere, and the densities of the others are left out.

        Parameters
        ----------
        active : ndarray of bool, shape (d,)
            The hyperparameters that are active.

        Returns
        -------
        DensityRatio
            The ratio on a space with the same columns.
        """
        blocks = [block.of(active) for block in self._blocks]
        return DensityRatio(
            self._space.where_active(active), [block for block in blocks if block.columns]
        )

    def relevant(self) -> Bools:
        """Return for each column whether it is in a block, (d,)."""
        columns = [j for block in self._blocks for j in block.columns]
        return np.isin(np.arange(len(self._space)), columns)

    def parts(self) -> tuple[DensityRatio, ...]:
        """Return the ratio of each block; their sum is the whole."""
        return tuple(DensityRatio(self._space, [block]) for block in self._blocks)

    def coalition_terms(
        self, x: Array, background: Array, players: Ints, coalitions: Bools
    ) -> dict[str, Array] | None:
        """Return the terms in coalitions of players without composed rows, each (n, m).

        Parameters
        ----------
        x : ndarray of shape (d,)
            The explained row, encoded.
        background : ndarray of shape (n, d)
            Latent background rows.
        players : ndarray of int
            The columns of the hyperparameters that take part.
        coalitions : ndarray of bool, shape (m, number of players)
            Which players have the value of `x`.

        Returns
        -------
        dict of str to ndarray, or None
            None where hyperparameters are conditional: what is active depends on the coalition.
        """
        if any(self._space.conditions):
            return None
        chosen = np.zeros((len(self._space), len(coalitions)), bool)
        chosen[players] = coalitions.T
        shape = (len(background), len(coalitions))
        terms = {name: np.zeros(shape) for name in self.term_names}
        for block in self._blocks:
            columns, parameters = list(block.columns), self._parameters(block)
            for name, density, sign in (("good", block.good, 1.0), ("bad", block.bad, -1.0)):
                terms[name] += sign * coalition_log_density(
                    density.tables(parameters, x[None, columns])[:, 0],
                    density.tables(parameters, background[:, columns]),
                    density.log_weights,
                    chosen[columns],
                )
        return terms

    def candidates(self, n: int, *, seed: int = 0) -> Array:
        """Draw latent rows from l, as TPE draws the candidates among which it chooses.

        Parameters
        ----------
        n : int
            Number of rows.
        seed : int, default 0
            Seed of the draw.

        Returns
        -------
        ndarray of shape (n, d)
            Latent rows; hyperparameters in no block are drawn from the space's measure.
        """
        of_rest, of_blocks = np.random.SeedSequence(seed).spawn(2)
        rows = self._space.sample(
            check_count("n", n),
            seed=int(of_rest.generate_state(1, np.uint64)[0]),
            method="uniform",
            latent=True,
        )
        rng = np.random.default_rng(of_blocks)
        for block in self._blocks:
            sample = block.good.sample(self._parameters(block), n, rng)
            # an optional one may be left out
            absent = np.isnan(rows[:, block.columns])
            rows[:, block.columns] = np.where(absent, np.nan, sample)
        return rows
