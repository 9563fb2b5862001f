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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from hpo_explain.base import InputError, check_count
from hpo_explain.models._coalitions import (
    BACKGROUND,
    EXPLAINED,
    INACTIVE,
    Compositions,
    Sources,
    in_blocks,
)
from hpo_explain.models._threads import n_threads
from hpo_explain.models.acquisition.protocols import Acquisition, TermBlock
from hpo_explain.models.densities._coalitions import (
    coalition_log_density,
    walk_sources,
    walked_log_density,
)
from hpo_explain.models.densities.kernels import values_of
from hpo_explain.models.densities.mixture import ProductMixture
from hpo_explain.space import Array, Bools, Ints, Parameter, SearchSpace

_AT_ONCE = 500  # background rows
_SOURCES = (
    2_000_000  # places in walks of which is said where their values come from
)


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
    """An acquisition that compares the densities of good and of other trials."""

    @property
    def blocks(self) -> tuple[DensityBlock, ...]:
        """The densities of hyperparameters that are sampled together."""
        ...

    def marginal(self, j: int, positions: Array) -> tuple[Array, Array]:
        """Return the densities of good and of other trials at encoded values of one, (n,) each."""
        ...

    def of_active(self, active: Bools) -> Acquisition:
        """Return what the values of some hyperparameters are chosen by, (d,), once active."""
        ...


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

    def __init__(
        self, space: SearchSpace, blocks: Sequence[DensityBlock]
    ) -> None:
        self._space = space
        self._blocks = tuple(blocks)
        columns = [j for block in self._blocks for j in block.columns]
        if len(set(columns)) < len(columns) or not set(columns) <= set(
            range(len(space))
        ):
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
                    np.exp(
                        density.log_density(self._parameters(block), rows)
                        - by_chance
                    )
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
            self._space.where_active(active),
            [block for block in blocks if block.columns],
        )

    def relevant(self) -> Bools:
        """Return for each column whether it is in a block, (d,)."""
        columns = [j for block in self._blocks for j in block.columns]
        return np.isin(np.arange(len(self._space)), columns)

    def parts(self) -> tuple[DensityRatio, ...]:
        """Return the ratio of each block; their sum is the whole."""
        return tuple(
            DensityRatio(self._space, [block]) for block in self._blocks
        )

    def coalition_terms(
        self, x: Array, background: Array, players: Ints, coalitions: Bools
    ) -> Iterator[TermBlock]:
        """Return the terms in coalitions, block by block of background rows.

        Arguments are as in :meth:`SupportsCoalitions.predict_coalitions`. The log-densities of
        each kernel and hyperparameter are computed once and combined for every coalition.
        """
        composed = Compositions(self._space, x, players, coalitions)

        def terms_at(rows: slice) -> TermBlock:
            sources = composed.sources(background[rows])
            shape = (rows.stop - rows.start, len(coalitions))
            terms = {"good": np.zeros(shape), "bad": np.zeros(shape)}
            for block in self._blocks:
                columns = list(block.columns)
                parameters = self._parameters(block)
                here = sources[:, columns]
                at_x = x[None, columns]
                at_b = background[rows][:, columns]
                for name, density, sign in (
                    ("good", block.good, 1.0),
                    ("bad", block.bad, -1.0),
                ):
                    terms[name] += sign * _log_density(
                        density, parameters, at_x, at_b, here
                    )
            return TermBlock(rows, terms)

        n = len(background)
        if all(len(block.columns) == 1 for block in self._blocks):
            # faster than starting threads
            return iter([terms_at(slice(0, n))])
        return in_blocks(
            n, max(1, min(_AT_ONCE, -(-n // n_threads()))), terms_at
        )

    def walk_terms(
        self, x: Array, background: Array, orders: Ints
    ) -> dict[str, Array]:
        """Return the terms while players take the values of `x` one by one, (n, w, p + 1).

        Arguments are as in :meth:`SupportsWalks.predict_walks`. Each step exchanges one factor of
        each kernel.
        """
        n, walks, p = orders.shape
        terms = {name: np.zeros((n, walks, p + 1)) for name in self.term_names}

        def add_at(rows: slice) -> None:
            sources = walk_sources(
                self._space, x, background[rows], orders[rows]
            )
            for block in self._blocks:
                columns = list(block.columns)
                parameters = self._parameters(block)
                at_b = background[rows][:, columns]
                here = sources[:, :, :, columns]
                for name, density, sign in (
                    ("good", block.good, 1.0),
                    ("bad", block.bad, -1.0),
                ):
                    logs = walked_log_density(
                        density, parameters, x[columns], at_b, here
                    )
                    terms[name][rows] += sign * logs

        of_row = walks * (p + 1) * len(self._space)
        most = min(_AT_ONCE, -(-n // n_threads()), _SOURCES // of_row)
        for _ in in_blocks(n, max(1, most), add_at):
            pass
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


def _log_density(
    density: ProductMixture,
    parameters: list[Parameter],
    at_x: Array,
    at_b: Array,
    sources: Sources,
) -> Array:
    """Return the log-density in coalitions, (n, m): `at_x` (1, c) and `at_b` (n, c) are rows."""
    if len(parameters) == 1:
        # alone, a hyperparameter has one of two values, or none
        values = [
            density.log_density(parameters, rows)[:, None]
            for rows in (at_b, at_x)
        ]
        here = sources[:, 0]
        return np.where(
            here == BACKGROUND,
            values[0],
            np.where(here == EXPLAINED, values[1], 0.0),
        )
    if (sources == sources[:1]).all() and not (sources == INACTIVE).any():
        sources = sources[:1]  # the same for all rows
    return coalition_log_density(
        density.tables(parameters, at_x)[:, 0],
        density.tables(parameters, at_b),
        density.log_weights,
        sources,
    )
