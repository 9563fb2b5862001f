"""What matters: the functional ANOVA of a forest.

The trees' boxes stay in the result as plain arrays, so that the marginal of any pair is an exact
integral whenever it is asked for; those of all pairs would take d²/2 tables of 1,600 numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hpo_explain._checks import check_name
from hpo_explain.diagnostics import Scope
from hpo_explain.errors import InputError, Option
from hpo_explain.explanations.claims import Claim, between, worth_naming
from hpo_explain.explanations.marginal import Marginal
from hpo_explain.explanations.result import Result
from hpo_explain.space import Array
from hpo_explain.surrogates import TreeBoxes
from hpo_explain.surrogates._never_together import excluded_pair
from hpo_explain.surrogates.box_sums import marginal_prediction, total_cost, total_shares

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

SEPARATOR = " × "
_MOST_NAMED = 3
_UNSTABLE = 0.25  # share of the trees that may see two neighbours the other way round


@dataclass(frozen=True, eq=False)
class Axis:
    """One hyperparameter as the analysis sees it.

    Attributes
    ----------
    grid : tuple
        Values in the user's units.
    latent : ndarray of shape (G,)
        Their latent values.
    activity : float
        Share of the space in which it is active.
    """

    grid: tuple[Any, ...]
    latent: Array
    activity: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FanovaImportance(Result):
    """Shares of the variance of a forest's prediction, for sets of hyperparameters.

    The share of a set is what it explains, over the search space's own measure, beyond its
    subsets. Standard deviations are over the forest's trees; they are not confidence intervals.

    Attributes
    ----------
    order : int
        Size of the largest sets.
    members : tuple of tuple of int
        The sets, as positions in `names`: first all of one, then all of two, and so on.
    shares : ndarray of shape (number of trees, number of sets)
        Share of each set in the variance of each tree that is not constant; 0 if all trees are.
    variances : ndarray of shape (number of trees,)
        Variance of each tree, in squared units of the objective.
    axes : tuple of Axis
        The hyperparameters' grids and activity.
    boxes : tuple of TreeBoxes
        The trees, as boxes over the latent values.
    cap : float or None
        The objective at which predictions were clipped on the worse side.
    given : mapping of str to list
        The sub-space to which the analysis is restricted; empty for the whole space.
    fidelity : float or None
        R² of the forest with the model it was distilled from; None for a forest itself.
    most_pairs : float
        Number of pairs of leaves up to which `totals` are computed.
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Eq. 4 to 7, Algorithm 2.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> result = hx.importance(table, objective="loss")
    >>> result.names, result.order, result.share("x")
    (('x',), 1, 1.0)
    """

    scope: ClassVar[Scope] = "everywhere"
    order: int
    members: tuple[tuple[int, ...], ...]
    shares: Array
    variances: Array
    axes: tuple[Axis, ...]
    boxes: tuple[TreeBoxes, ...]
    cap: float | None = None
    given: Mapping[str, list[Any]] = field(default_factory=dict)
    fidelity: float | None = None
    most_pairs: float = 1e8

    # ------------------------------------------------------------------ numbers

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def importance(self) -> pd.DataFrame:
        """All sets by their label: columns members, order, importance, std (over trees)."""
        import pandas as pd

        members = [self._named(u) for u in self.members]
        return pd.DataFrame(
            {
                "members": members,
                "order": [len(u) for u in self.members],
                "importance": self.shares.mean(axis=0),
                "std": self.shares.std(axis=0),
            },
            index=pd.Index(map(SEPARATOR.join, members), name="hyperparameters"),
        )

    def to_frame(self) -> pd.DataFrame:
        """Return `importance`, the largest first."""
        return self.importance.sort_values("importance", ascending=False, kind="stable")

    def share(self, *names: str) -> float:
        """Return the mean share of a set of hyperparameters, beyond its subsets.

        Raises
        ------
        ValueError
            If a name is unknown, or the set is larger than `order`.
        """
        wanted = tuple(sorted({self._index(name) for name in names}))
        if wanted not in self.members or len(wanted) < len(names):
            raise InputError(
                "names",
                f"must be 1 to {self.order} different hyperparameters, but were "
                f"{', '.join(map(repr, names)) or 'none'}",
                names,
                ("For larger sets pass a larger ", Option("order"), "."),
            )
        return float(self.shares[:, self.members.index(wanted)].mean())

    @cached_property
    def totals(self) -> Array | None:
        """Share of everything in which a hyperparameter takes part, (number of trees, d).

        Computed when it is first asked for, from every pair of leaves of a tree, some 20 ns each;
        None where there are more than `most_pairs`. The plot marks totals that are known.
        """
        if total_cost(self.boxes) > self.most_pairs:
            return None
        varying = [b for b, v in zip(self.boxes, self.variances, strict=True) if v > 0.0]
        return total_shares(varying or self.boxes)

    @property
    def known_totals(self) -> Array | None:
        """`totals`, if they were asked for before; drawing does not compute them."""
        return vars(self).get("totals")

    def total_effect(self, name: str) -> float:
        """Return the mean share of everything in which a hyperparameter takes part.

        Raises
        ------
        ValueError
            If the name is unknown, or there are more than `most_pairs` pairs of leaves.
        """
        j = self._index(name)
        if self.totals is None:
            pairs = f"{total_cost(self.boxes):.1e} pairs of leaves, more than {self.most_pairs:.1e}"
            raise InputError(
                "name",
                f"was {name!r}, but total effects need {pairs}",
                name,
                ("Pass a larger ", Option("most_pairs"), " to the explainer, or take fewer trees."),
            )
        return float(self.totals[:, j].mean())

    @property
    def total_variance(self) -> float:
        """The mean variance of the trees, in squared units of the objective."""
        return float(self.variances.mean())

    def marginal(self, *names: str) -> Marginal:
        """Return the exact marginal prediction of one or two hyperparameters.

        Raises
        ------
        ValueError
            If a name is unknown, there are not one or two different ones, or two are never active
            together.
        """
        members = [self._index(name) for name in names]
        if len(set(members)) != len(names) or len(names) not in (1, 2):
            problem = f"must be one or two different hyperparameters, but were {list(names)!r}"
            raise InputError("names", problem, names)
        never = excluded_pair(self.subject.space, *members) if len(members) == 2 else None
        if never is not None:
            problem = f"must be active together somewhere, but {never}"
            raise InputError("names", problem, names, "Ask for the marginal of one of them.")
        axes = [self.axes[j] for j in members]
        values = np.stack(
            [marginal_prediction(b, members, [axis.latent for axis in axes]) for b in self.boxes]
        )
        return Marginal(
            subject=self.subject,
            names=tuple(names),
            grid=tuple(axis.grid for axis in axes),
            mean=values.mean(axis=0),
            std=values.std(axis=0),
            activity=tuple(axis.activity for axis in axes),
            given=self.given,
            notes=self.subject.notes,
        )

    def unstable_neighbours(self) -> list[tuple[str, str]]:
        """Return neighbours in the ranking of single hyperparameters whose order is not stable.

        Not stable: more than a quarter of the trees see it the other way round.
        """
        d = len(self.names)
        mains = self.shares[:, :d]
        ranking = np.argsort(-mains.mean(axis=0), kind="stable")
        return [
            (self.names[a], self.names[b])
            for a, b in itertools.pairwise(ranking)
            if (mains[:, b] > mains[:, a]).mean() > _UNSTABLE
        ]

    def _index(self, name: str) -> int:
        return self.names.index(check_name("name", name, self.names, "hyperparameter"))

    def _named(self, members: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.names[j] for j in members)

    # ------------------------------------------------------------------ what it says

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What matters most, and how much single hyperparameters explain together."""
        if self.total_variance == 0.0:
            return (Claim("no_effect", self.names, estimate=0.0),)
        mean, std = self.shares.mean(axis=0), self.shares.std(axis=0)
        ranking = np.argsort(-mean, kind="stable")
        claims = [
            Claim(
                "importance" if len(self.members[i]) == 1 else "interaction",
                self._named(self.members[i]),
                estimate=float(mean[i]),
                interval=between(float(mean[i]), float(std[i])),
            )
            for i in worth_naming(ranking.tolist(), mean, _MOST_NAMED)
        ]
        if len(self.names) > 1:
            mains = self.shares[:, : len(self.names)].sum(axis=1)
            whole, spread = float(mains.mean()), float(mains.std())
            claims.append(
                Claim("mains", self.names, estimate=whole, interval=between(whole, spread))
            )
        return tuple(claims)

    def plot_interactions(self, ax: Axes | None = None, *, width: float | None = None) -> Axes:
        """Draw the shares of all pairs as a matrix of colors; return the axes.

        Parameters
        ----------
        ax, width
            As of :meth:`plot`.

        Raises
        ------
        ValueError
            If there are no pairs, because `order` is 1.
        """
        return self._drawn("interactions", ax, width)

    def _numbers(self) -> dict[str, Any]:
        return {
            "order": self.order,
            "importance": [
                {
                    "members": list(self._named(u)),
                    "importance": float(self.shares[:, i].mean()),
                    "std_over_trees": float(self.shares[:, i].std()),
                }
                for i, u in enumerate(self.members)
            ],
            "total_effects": None
            if self.totals is None
            else dict(zip(self.names, self.totals.mean(axis=0).tolist(), strict=True)),
            "activity": {
                name: axis.activity for name, axis in zip(self.names, self.axes, strict=True)
            },
            "total_variance": self.total_variance,
            "cap": self.cap,
            "given": self.given,
            "fidelity": self.fidelity,
        }
