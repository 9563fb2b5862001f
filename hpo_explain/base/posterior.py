"""What a result would be, were the function one of those that the trials allow."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from hpo_explain.base.checks import check_fraction, unknown_name
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

_EVEN = 1e-9  # of a sum of cubes: means are as far apart on either side
DRAWS = 1000
"""Functions drawn by default, where they are cheap."""

Order = Literal["largest", "smallest", "farthest from 0"]


@dataclass(frozen=True, eq=False)
class PosteriorDraws:
    """A result's numbers for functions drawn from the posterior of a Gaussian process.

    Each row is about one function as a whole, so that numbers of one row may be compared: what two
    of them have in common does not count as uncertainty of their difference.

    How many functions are drawn is what `draws` says in every function that has this option, such
    as ``hx.importance(run, kind="gp", draws=2000)``, or :attr:`Subject.draws` for an explainer: an
    even number, at least 4. By default it is 1000 where sums of values of the function are drawn,
    and 100 to 400 where whole functions have to be. A probability of n draws has a standard error
    of up to ``0.5 / √n``. Trees are no draws: with a forest the option makes no difference.

    Attributes
    ----------
    names : tuple
        What each column is about: hyperparameters, values of one, or steps of a path.
    values : ndarray of shape (number of draws, number of names)
        The numbers, in the units of the result.
    first : {"largest", "smallest", "farthest from 0"}
        Which of several numbers comes first.

    Examples
    --------
    >>> found = PosteriorDraws(("lr", "depth"), np.array([[0.6, 0.4], [0.3, 0.7], [0.8, 0.2]]))
    >>> round(found.probability("lr", "depth"), 2), len(found)
    (0.67, 3)
    """

    names: tuple[Hashable, ...]
    values: Array
    first: Order = "largest"

    @classmethod
    def of_normal(
        cls,
        names: Sequence[Hashable],
        mean: Array,
        covariance: Array,
        *,
        first: Order = "largest",
        draws: int | None = None,
    ) -> PosteriorDraws:
        """Return draws of normal numbers (K,) with a covariance (K, K), by default a thousand."""
        values = normal_draws(mean, covariance, DRAWS if draws is None else draws, seed=0)
        return cls(tuple(names), values.T, first)

    def __len__(self) -> int:
        return len(self.values)

    def _index(self, argument: str, name: Hashable) -> int:
        if name not in self.names:
            raise unknown_name(argument, name, self.names, "name")
        return self.names.index(name)

    def probability(self, first: Hashable, second: Hashable | None = None) -> float:
        """Return how probable it is that one comes before another, or before all others.

        The share of the draws in which it does; where several are equal, each as often.

        Parameters
        ----------
        first : name
            What comes first: the more important hyperparameter, the better value, the step that
            gains more.
        second : name, optional
            What it is compared with; by default all others.

        Raises
        ------
        InputError
            If there is no such name.
        """
        ahead = self.values
        if self.first != "largest":
            ahead = -ahead if self.first == "smallest" else np.abs(ahead)
        i = self._index("first", first)
        if second is not None:
            other = ahead[:, self._index("second", second)]
            return float(((ahead[:, i] > other) + 0.5 * (ahead[:, i] == other)).mean())
        leads = ahead == ahead.max(axis=1, keepdims=True)
        return float((leads[:, i] / leads.sum(axis=1)).mean())

    def interval(self, name: Hashable, level: float = 0.95) -> tuple[float, float]:
        """Return between which numbers so much of the draws lies, in the middle.

        Raises
        ------
        InputError
            If there is no such name, or `level` is not between 0 and 1.
        """
        tail = (1.0 - check_fraction("level", level)) / 2.0
        low, high = np.quantile(self.values[:, self._index("name", name)], [tail, 1.0 - tail])
        return float(low), float(high)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per draw and a column per name."""
        import pandas as pd

        index = pd.RangeIndex(len(self), name="draw")
        return pd.DataFrame(self.values, columns=pd.Index(self.names), index=index)


def normal_draws(mean: Array, covariance: Array, n: int, seed: int) -> Array:
    """Return draws of a function's values at some points, (points, n).

    Which points are listed first changes none of them, and draws of the negated function are the
    negated draws: the noise goes to the points by the rank of their means, counted from the side
    on which they are further from each other. The root of the covariance is the symmetric one; of
    its eigenvalues rounding makes some negative, which count as 0.
    """
    noise = np.random.default_rng(seed).standard_normal((len(mean), n))
    side = _side(mean, np.diag(covariance))
    own = np.empty_like(noise)
    own[np.argsort(side * mean, kind="stable")] = side * noise
    eigenvalues, vectors = np.linalg.eigh((covariance + covariance.T) / 2.0)
    deviations = vectors @ (np.sqrt(np.maximum(eigenvalues, 0.0))[:, None] * (vectors.T @ own))
    return np.asarray(mean[:, None] + deviations)


def _side(mean: Array, variance: Array) -> float:
    """Return 1 where the larger means are further apart, or else more uncertain; -1 otherwise."""
    spread, largest = np.ptp(mean) if len(mean) else 0.0, np.max(variance, initial=0.0)
    if not spread or not largest:
        return 1.0
    apart = (mean - mean.min()) / spread
    apart -= apart.mean()
    found = float(np.sum(apart**3))
    if abs(found) < _EVEN:
        found = float(np.sum(apart * (variance / largest)))
    return -1.0 if found < 0.0 else 1.0
