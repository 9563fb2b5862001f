"""A model of the noise: how much results of one configuration scatter, over the search space.

Whether a quantity depends on hyperparameters: a test by permutations, exact whatever its noise.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
r_i         the quantity at configuration i, standardized; exchangeable if nothing matters
K_j         similarity of two configurations in hyperparameter j; K_0 in all together
Q_j         ``rᵀ K_j r``: large where similar configurations have similar r
S_j         Q_j, standardized by its mean and standard deviation over permutations of r
==========  ============================================================================

The p-value of j is the share of permutations in which the largest of all S is at least S_j: with
95 % probability no hyperparameter at all is named that does not matter [1]_, [2]_.

References
----------
.. [1] Westfall, P. H. and Young, S. S. (1993). Resampling-based multiple testing. Wiley. (maxT)
.. [2] Gretton, A. et al. (2007). A kernel statistical test of independence. NeurIPS.

A model of the noise: how much results of one configuration scatter, over the search space.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
z_i         estimate of the logarithm of the noise's variance at configuration i
e_i         its known error, the root of ψ'(ν_i/2) (`repeats`)
z̄           mean of all z_i, weighted with 1/e_i²
r_i         ``(z_i - z̄) / e_i``: the same distribution everywhere if the noise is
ρ           correlation of z_i, weighted so too, with predictions by models that have not seen them
==========  ============================================================================

That the noise varies over the space is taken for known only if permutations of r say so (p < 0.05,
`_depends`), and the model predicts held-out configurations (ρ > 0). Otherwise it is constant. R² on
held-out configurations would not do: most of the variance of z is its error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import squareform

from hpo_explain.base.numbers import ROUNDED_95
from hpo_explain.base.options import Kind
from hpo_explain.base.text import declared_fact
from hpo_explain.models._squares import squares_by_column
from hpo_explain.models.columns import KernelColumns
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.models.gaussian_process import GaussianProcessSurrogate
from hpo_explain.models.protocols import CoalitionBlock, HeldOut
from hpo_explain.run.fits import choose_kind
from hpo_explain.run.repeats import Repeats
from hpo_explain.space import Array, Bools, Ints, SearchSpace

_PERMUTATIONS = 999
_MOST = 500  # configurations, drawn at random of more: similarities are of all pairs
_WIDTH = 0.4  # of the similarity, as a share of a hyperparameter's range


def p_values(space: SearchSpace, X: Array, r: Array, *, seed: int = 0) -> tuple[float, Array]:
    """Return how probable it is by chance that r depends so much on anything, and on each.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (n, d)
        Encoded configurations, each once.
    r : ndarray of shape (n,)
        The quantity, with the same error everywhere.
    seed : int, default 0
        Seed of the permutations, and of the configurations drawn of more than 500.

    Returns
    -------
    tuple of (float, ndarray of shape (d,))
        p-value of the whole space, and of each hyperparameter, adjusted for testing all.

    Examples
    --------
    >>> from hpo_explain import FloatParameter
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0), FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(30, seed=0)
    >>> p_values(space, X, X[:, 1])[1].round(1).tolist()
    [1.0, 0.0]
    """
    rng = np.random.default_rng(seed)
    if len(X) > _MOST:
        some = np.sort(rng.permutation(len(X))[:_MOST])
        X, r = X[some], r[some]
    columns = KernelColumns(space)
    squares = squares_by_column(columns(X), columns.amid)
    squares = np.vstack([squares.sum(axis=0) / len(squares), squares])
    drawn = rng.permuted(np.tile(r - r.mean(), (_PERMUTATIONS, 1)), axis=1)
    drawn = np.vstack([r - r.mean(), drawn])
    scores = np.zeros((len(squares), len(drawn)))
    for j, square in enumerate(squares):
        K = squareform(np.exp(-square / (2.0 * _WIDTH**2)))
        Q = np.einsum("bi,bi->b", drawn @ K, drawn)
        if np.ptp(square) > 0.0 and (spread := float(Q.std())) > 0.0:
            scores[j] = (Q - Q.mean()) / spread
    found = np.mean(scores.max(axis=0) >= scores[:, :1], axis=1)
    each = np.ones(len(space))
    for p, members in zip(found[1:], columns.members, strict=True):
        each[list(members)] = np.minimum(each[list(members)], p)
    return float(found.min()), each


_FEWEST = 8  # configurations with fewer of which nothing is held out
LEVEL = 0.05  # of the test


Model = GaussianProcessSurrogate | ForestSurrogate


NO_REPEATS = declared_fact(
    "no_repeats",
    "{was} evaluated several times, so nothing is known of the noise of the {objective}. Repeat "
    "some trials, spread over the space, with other seeds, or read the results of single folds as "
    "instances.",
    was=lambda fact: "only one configuration was" if fact["repeated"] else "no configuration was",
)
NO_NOISE = declared_fact(
    "no_noise", "repeated evaluations have the same {objective} each time: there is no noise"
)


@dataclass(frozen=True, eq=False)
class NoiseModel:
    """The standard deviation of the noise of one evaluation, as a surrogate of it.

    Attributes
    ----------
    space : SearchSpace
        The search space.
    repeats : Repeats
        What it was learned from.
    log_variance : Surrogate or None
        The model of the logarithm of the noise's variance; None where the noise is the same
        everywhere, as far as can be told.
    p_value : float
        How probable it is by chance that the variances depend so much on the configuration; 1 of
        too few configurations.
    p_values : ndarray of shape (d,)
        The same of each hyperparameter, adjusted for testing all.
    agreement : float
        Correlation of predictions with held-out configurations; 0 where that was not asked.

    References
    ----------
    .. [1] Rodemann, J., Croppi, F. et al. (2024). Explaining Bayesian optimization by Shapley
       values facilitates human-AI collaboration. https://arxiv.org/abs/2403.04629
    .. [2] Ankenman, B., Nelson, B. L. and Staum, J. (2010). Stochastic kriging for simulation
       metamodeling. Operations Research 58(2), 371-382.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain import FloatParameter, Run, SearchSpace
    >>> rng = np.random.default_rng(0)
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> X = np.repeat(np.linspace(0.0, 1.0, 30), 4)[:, None]  # each configuration four times
    >>> noise = np.exp(3.0 * X[:, 0] - 3.0) * rng.standard_normal(120)
    >>> model = Run(space, X, X[:, 0] + noise, "minimize").noise()
    >>> mean, std = model.predict(np.array([[1.0]]))
    >>> model.varies, bool(0.6 < mean[0] < 1.6)
    (True, True)
    """

    space: SearchSpace
    repeats: Repeats
    log_variance: Model | None = None
    p_value: float = 1.0
    p_values: Array = field(default_factory=lambda: np.ones(0))
    agreement: float = 0.0

    @classmethod
    def fit(
        cls, space: SearchSpace, repeats: Repeats, *, kind: Kind = "auto", seed: int = 0
    ) -> NoiseModel:
        """Fit the model to sample variances.

        Parameters
        ----------
        space : SearchSpace
            The search space.
        repeats : Repeats
            Sample variances of at least two configurations.
        kind : {"auto", "gp", "forest"}, default "auto"
            As of :meth:`Run.surrogate`.
        seed : int, default 0
            Seed of the fit.

        Returns
        -------
        NoiseModel
            The fitted model.
        """
        z, errors = repeats.log_variance, repeats.error
        if len(z) < _FEWEST or not np.ptp(z):
            return cls(space, repeats, p_values=np.ones(len(space)))
        r = (z - np.average(z, weights=errors**-2.0)) / errors
        p, each = p_values(space, repeats.X, r, seed=seed)
        if p >= LEVEL:
            return cls(space, repeats, None, p, each)
        model = _fitted(space, repeats, kind, seed)
        agreement = _agreement(model.held_out(), repeats)
        return cls(space, repeats, model if agreement > 0.0 else None, p, each, agreement)

    @property
    def varies(self) -> bool:
        """Whether the trials say that the noise is not the same everywhere."""
        return self.log_variance is not None

    @property
    def label(self) -> str:
        """What the model is, as in "a GP"; empty where the noise is the same everywhere."""
        return "" if self.log_variance is None else self.log_variance.label

    def predict(self, X: npt.ArrayLike) -> tuple[Array, Array]:
        """Return the standard deviation of the noise and how uncertain it is, each (n,).

        Parameters
        ----------
        X : ndarray of shape (n, d)
            Encoded configurations.

        Returns
        -------
        tuple of ndarray
            In the objective's units: σ, the root of the variance whose logarithm is the predicted
            one, and its standard deviation, σ/2 times that of the logarithm.
        """
        rows = self.space.check_rows("X", X)
        if self.log_variance is not None:
            return _of_log(*self.log_variance.predict(rows))
        pooled, lower, upper = self.repeats.pooled()
        return np.full(len(rows), pooled), np.full(len(rows), (upper - lower) / (2.0 * ROUNDED_95))

    def relevant(self) -> Bools:
        """Return for each column whether the prediction can depend on it, (d,)."""
        if self.log_variance is None:
            return np.zeros(len(self.space), dtype=bool)
        return np.asarray(self.log_variance.relevant(), dtype=bool)

    def predict_coalitions(
        self, x: Array, background: Array, players: Ints, coalitions: Bools
    ) -> Iterator[CoalitionBlock] | None:
        """Return predictions in coalitions of players, block by block of background rows.

        As :meth:`hpo_explain.GaussianProcessSurrogate.predict_coalitions` does.
        """
        if self.log_variance is None:
            return None
        blocks = self.log_variance.predict_coalitions(x, background, players, coalitions)
        if blocks is None:
            return None
        return (_block(block) for block in blocks)


def _fitted(space: SearchSpace, repeats: Repeats, kind: Kind, seed: int) -> Model:
    """Return a model of the logarithm of the variance."""
    X, z = repeats.X, repeats.log_variance
    if kind == "auto":
        kind = choose_kind(len(X), space)["surrogate"]
    if kind == "gp":
        error = float(np.sqrt(np.mean(repeats.error**2)))
        return GaussianProcessSurrogate.fit(space, X, z, least_noise=error, seed=seed)
    return ForestSurrogate.fit(space, X, z, seed=seed).tuned()


def _of_log(mean: Array, std: Array) -> tuple[Array, Array]:
    """Return σ and its standard deviation from those of log σ²."""
    sigma = np.exp(mean / 2.0)
    return sigma, sigma * std / 2.0


def _block(block: CoalitionBlock) -> CoalitionBlock:
    mean, std = _of_log(block.mean, block.std)
    return replace(block, mean=mean, std=std)


def _agreement(held_out: HeldOut, repeats: Repeats) -> float:
    """Return the weighted correlation of held-out predictions with what was observed."""
    both = np.cov(held_out.observed, held_out.mean, aweights=repeats.error**-2.0)
    if not both[1, 1] > 0.0:
        return 0.0
    return float(both[0, 1] / np.sqrt(both[0, 0] * both[1, 1]))
