"""What matters: the functional ANOVA of a forest."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain._checks import unknown_name
from hpo_explain.diagnostics import Trust
from hpo_explain.explanations._format import (
    NOTHING,
    format_value,
    join_words,
    plain_json,
    worth_naming,
)
from hpo_explain.explanations._result import Shown
from hpo_explain.explanations.marginal import Marginal
from hpo_explain.explanations.recommendation import LatentSpace, Recommendation, recommend
from hpo_explain.explanations.subspace import Subspace, important_subspace
from hpo_explain.space import Array, Parameter
from hpo_explain.surrogates import TreeBoxes
from hpo_explain.surrogates._never_together import never_together
from hpo_explain.surrogates.box_sums import marginal_prediction, total_cost, total_shares

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

SEPARATOR = " × "
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
    log, categorical : bool
        Its scale and kind.
    activity : float
        Share of the space in which it is active.
    parameter : FloatParameter, IntParameter or CategoricalParameter
        The hyperparameter itself.
    tried_positions : ndarray of shape (n,)
        Its encoded value in each observed trial, NaN where it was inactive.
    """

    grid: tuple[Any, ...]
    latent: Array
    log: bool
    categorical: bool
    activity: float
    parameter: Parameter
    tried_positions: Array

    @property
    def tried_active(self) -> npt.NDArray[np.bool_]:
        """Whether it was active in each observed trial, (n,)."""
        return ~np.isnan(self.tried_positions)

    @property
    def tried(self) -> tuple[Any, ...]:
        """Its value in each observed trial, in the user's units; meaningless where inactive."""
        return tuple(self.parameter.decode(np.nan_to_num(self.tried_positions)))


@dataclass(frozen=True, eq=False, repr=False)
class FanovaImportance(Shown):
    """Shares of the variance of a forest's prediction, for sets of hyperparameters.

    The share of a set is what it explains, over the search space's own measure, beyond its
    subsets. Standard deviations are over the forest's trees; they are no confidence intervals.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters, in the order of the space.
    order : int
        The largest sets that were looked at.
    members : tuple of tuple of int
        The sets, as positions in `names`: first all of one, then all of two, and so on.
    shares : ndarray of shape (number of trees, number of sets)
        Share of each set in the variance of each tree that is not constant; if all are, 0.
    variances : ndarray of shape (number of trees,)
        Variance of each tree, in squared units of the objective.
    axes : tuple of Axis
        The hyperparameters' grids, activity and tried values.
    boxes : tuple of TreeBoxes
        The trees, as boxes over the latent values.
    latent : LatentSpace
        The space, and where its values lie on the latent axes of `boxes`.
    incumbent : dict
        The best observed configuration, in the user's units; empty if none is known.
    objective_name, direction : str
        What the objective is called, and which way is better.
    cap : float or None
        The objective at which predictions were clipped on the worse side.
    given : dict of str to list
        The sub-space to which the analysis is restricted.
    fidelity : float or None
        R² of the forest with the model it was distilled from; None for a forest itself.
    most_pairs : float
        Number of pairs of leaves up to which `totals` are worked out.
    trust : Trust or None
        Whether the model is good enough to be explained.
    notes : tuple of str
        What was assumed.

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

    names: tuple[str, ...]
    order: int
    members: tuple[tuple[int, ...], ...]
    shares: Array
    variances: Array
    axes: tuple[Axis, ...]
    boxes: tuple[TreeBoxes, ...]
    latent: LatentSpace
    incumbent: dict[str, Any]
    objective_name: str = "objective"
    direction: str = "minimize"
    cap: float | None = None
    given: dict[str, list[Any]] | None = None
    fidelity: float | None = None
    most_pairs: float = 1e8
    trust: Trust | None = None
    notes: tuple[str, ...] = ()

    # ------------------------------------------------------------------ numbers

    @property
    def importance(self) -> pd.DataFrame:
        """All sets by their label: columns members, order, importance, std (over trees)."""
        import pandas as pd

        labels = [SEPARATOR.join(self.names[j] for j in u) for u in self.members]
        return pd.DataFrame(
            {
                "members": [tuple(self.names[j] for j in u) for u in self.members],
                "order": [len(u) for u in self.members],
                "importance": self.shares.mean(axis=0),
                "std": self.shares.std(axis=0),
            },
            index=pd.Index(labels, name="hyperparameters"),
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
        return float(self.shares[:, self._set(names)].mean())

    def _set(self, names: Sequence[str]) -> int:
        wanted = tuple(sorted({self._index(name) for name in names}))
        if wanted not in self.members or len(wanted) < len(names):
            raise ValueError(
                f"names must be 1 to {self.order} different hyperparameters, but were "
                f"{', '.join(map(repr, names)) or 'none'}. For larger sets ask for a higher order."
            )
        return self.members.index(wanted)

    def _index(self, name: str) -> int:
        if name not in self.names:
            raise unknown_name("name", name, self.names, "hyperparameter")
        return self.names.index(name)

    @cached_property
    def totals(self) -> Array | None:
        """Share of everything in which a hyperparameter takes part, as `shares`.

        Worked out when first asked for, from every pair of leaves of a tree: some 20 ns for each
        on one core. None where that is more than `most_pairs`.
        """
        if total_cost(self.boxes) > self.most_pairs:
            return None
        varying = [b for b, v in zip(self.boxes, self.variances, strict=True) if v > 0.0]
        return total_shares(varying or self.boxes)

    def total_effect(self, name: str) -> float:
        """Return the mean share of everything in which a hyperparameter takes part.

        Raises
        ------
        ValueError
            If the name is unknown, or total effects cost too much (the notes say so).
        """
        j = self._index(name)
        if self.totals is None:
            raise ValueError(
                f"total effects need {total_cost(self.boxes):.1e} pairs of leaves, more than "
                f"{self.most_pairs:.1e}. Ask for them with explain(most_pairs=float('inf')), or "
                "take fewer trees."
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
            raise ValueError(
                f"names must be one or two different hyperparameters, but were {list(names)!r}."
            )
        never = never_together(self.latent.space, *members) if len(members) == 2 else ""
        if never:
            raise ValueError(f"{never}: ask for the marginal of one of them.")
        axes = [self.axes[j] for j in members]
        values = np.stack(
            [marginal_prediction(b, members, [axis.latent for axis in axes]) for b in self.boxes]
        )
        return Marginal(
            names=tuple(names),
            grid=tuple(axis.grid for axis in axes),
            mean=values.mean(axis=0),
            std=values.std(axis=0),
            log=tuple(axis.log for axis in axes),
            categorical=tuple(axis.categorical for axis in axes),
            tried=_together(axes),
            activity=tuple(axis.activity for axis in axes),
            objective_name=self.objective_name,
            direction=self.direction,
            where=self.where,
        )

    # ------------------------------------------------------------------ where to search on

    def subspace(self, share: float = 0.9) -> Subspace:
        """Return the smallest set of hyperparameters that explains a share of the variance.

        Parameters
        ----------
        share : float, default 0.9
            Share of the variance, in (0, 1], that the set explains alone: its main effects and all
            interactions among its members.

        Returns
        -------
        Subspace
            The set, and the incumbent's values of all others.

        Raises
        ------
        ValueError
            If `share` is not in (0, 1].
        """
        return important_subspace(self.latent.space, self.boxes, self.incumbent, share)

    def recommended_space(self) -> Recommendation:
        """Return the space with narrower ranges and without dominated categories.

        A value of a numeric hyperparameter is given up where the forest sees next to nothing to
        gain with it; a category where it is never the best one. The rule, its thresholds and the
        evidence are those of :class:`Recommendation`.

        Returns
        -------
        Recommendation
            A valid search space, and the evidence for each change.
        """
        return recommend(
            self.latent,
            self.boxes,
            grids=[(axis.grid, axis.latent) for axis in self.axes],
            tried=[tuple(itertools.compress(a.tried, a.tried_active)) for a in self.axes],
            incumbent=self.incumbent,
            cap=self.cap,
            given=self.given,
            direction=self.direction,
            objective_name=self.objective_name,
        )

    # ------------------------------------------------------------------ in words

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

    @property
    def where(self) -> str:
        """The sub-space in words; empty for the whole space."""
        return join_words([self._values(name, kept) for name, kept in (self.given or {}).items()])

    def _values(self, name: str, kept: list[Any]) -> str:
        axis = self.axes[self._index(name)]
        if not axis.categorical and all(isinstance(value, float) for value in axis.grid):
            return f"{name} between {join_words([format_value(value) for value in kept])}"
        return f"{name} in {{{', '.join(map(format_value, kept))}}}"

    @property
    def sentence(self) -> str:
        """One sentence that says what matters most, and how much is left to interactions."""
        frame = self.to_frame()
        if self.total_variance == 0.0:
            return f"The predicted {self.objective_name} is constant: no hyperparameter matters."
        named = worth_naming(range(len(frame)), frame["importance"].to_numpy(), most=3)
        top = frame.iloc[named]
        parts = [
            f"{label} ({row.importance:.0%} ± {row.std:.0%})"
            for label, row in zip(top.index, top.itertuples(), strict=True)
        ]
        mains = float(self.shares[:, : len(self.names)].sum(axis=1).mean())
        where = f" given {self.where}" if self.given else ""
        subject = f"What the {self.objective_name} depends on most{where}"
        most = f"{subject}: {join_words(parts)} of its variance"
        if len(self.names) == 1:
            return f"{most}."
        if mains > 1.0 - NOTHING:
            return f"{most}; interactions explain next to nothing."
        return (
            f"{most}; single hyperparameters explain {mains:.0%} together, interactions the rest."
        )

    # ------------------------------------------------------------------ elsewhere

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the shares as bars with their std over trees; return the axes."""
        from hpo_explain.plotting.importance import plot_importance

        return plot_importance(self, ax=ax)

    def plot_interactions(self, ax: Axes | None = None) -> Axes:
        """Draw the shares of all pairs as a matrix of colors; return the axes.

        Raises
        ------
        ValueError
            If there are no pairs, because `order` is 1.
        """
        from hpo_explain.plotting.interactions import plot_interactions

        return plot_interactions(self, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that `json.dumps` accepts."""
        return {
            "objective_name": self.objective_name,
            "direction": self.direction,
            "order": self.order,
            "importance": [
                {
                    "members": [self.names[j] for j in u],
                    "importance": float(self.shares[:, i].mean()),
                    "std_over_trees": float(self.shares[:, i].std()),
                }
                for i, u in enumerate(self.members)
            ],
            "total_effects": None
            if self.totals is None
            else {name: float(self.totals[:, j].mean()) for j, name in enumerate(self.names)},
            "activity": {name: self.axes[j].activity for j, name in enumerate(self.names)},
            "total_variance": self.total_variance,
            "cap": self.cap,
            "given": plain_json(self.given),
            "fidelity": plain_json(self.fidelity),
            "trust": None if self.trust is None else self.trust.to_dict(),
            "sentence": self.sentence,
            "notes": list(self.notes),
        }


def _together(axes: Sequence[Axis]) -> tuple[tuple[Any, ...], ...]:
    """Return the values of the trials in which every axis is active."""
    both = np.logical_and.reduce([axis.tried_active for axis in axes])
    return tuple(tuple(axis.tried[i] for i in np.flatnonzero(both)) for axis in axes)
