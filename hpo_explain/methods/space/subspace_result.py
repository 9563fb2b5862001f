"""The hyperparameters that capture most of what can be gained, and what can stay fixed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hpo_explain.base import (
    Claim,
    Result,
    Table,
    declared_fact,
    listed,
    percent_sd,
)
from hpo_explain.belief import Decision
from hpo_explain.space import Array, SearchSpace, fixed_at, still_possible

_NAMED = 3  # hyperparameters of a headline
_OF_A_FOREST = declared_fact(
    "shares_of_a_forest",
    "the spread over trees is not an interval of the share",
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Subspace(Result):
    """The smallest set of hyperparameters that explains a share of the variance.

    What a set explains is everything its members do alone and with each other: the variance of the
    forest's prediction averaged over all other hyperparameters. That says where the objective
    varies, not where it can still be improved: what can stay at the incumbent's values is judged
    apart, by draws of the objective.

    Attributes
    ----------
    names : tuple of str
        The set, in the order in which its members add most.
    share : float
        The share that was asked for.
    explained, std : ndarray of shape (len(names),)
        Share explained by the first, by the first two, and so on, with all their interactions:
        mean and standard deviation over the trees that are not constant.
    fixed : dict
        What can stay at the incumbent's values, all at once, in the user's units: no more is lost
        than `lose`. Ready for ``optuna.samplers.PartialFixedSampler``.
    exhaustive : bool
        Whether every smaller set is known to explain less; otherwise the set was grown greedily.
    loss : Decision, optional
        By how much the best that is left is worse with these values; None where it is not known:
        for a model without a joint posterior, in a part of the space, and without an incumbent.
    lose : float
        How much may be lost, in the objective's units.
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Section 4.4.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in "xyz"])
    >>> X = space.sample(200, seed=1)
    >>> run = hx.Run(space, X, X[:, 0] * X[:, 2], "minimize")
    >>> subspace = hx.methods.subspace(run, share=0.9, cap=None)
    >>> sorted(subspace.names), list(subspace.others)
    (['x', 'z'], ['y'])
    """

    table: ClassVar[Table] = Table(
        columns={
            "hyperparameter": "names",
            "explained": "explained",
            "std": "std",
        },
        held={
            "names": "names",
            "share": "share",
            "explained": "explained",
            "std_over_trees": "std",
            "fixed": "fixed",
            "exhaustive": "exhaustive",
            "others": "others",
            "lose": "lose",
        },
    )
    says: ClassVar[Mapping[str, str]] = {
        "constant": "The prediction is constant: no hyperparameter matters.",
        "set": "{names} explain{s} {share} over trees, of the variance{among}{together}.",
        "fixed": "{names} can stay at the incumbent's values: by that the best {objective} gets "
        "worse by {lose} at most.",
        "short": "{names} can stay fixed.",
        "short nothing": "Nothing can stay fixed for certain.",
        "unknown": "It is not known what can stay fixed.",
        "nothing": "No hyperparameter can stay fixed for all that the trials tell.",
    }
    names: tuple[str, ...]
    share: float
    explained: Array
    std: Array
    fixed: Mapping[str, Any]
    exhaustive: bool
    loss: Decision | None = None
    lose: float = math.nan

    @property
    def space(self) -> SearchSpace:
        """The space with one value of each hyperparameter that can stay fixed.

        What could only be active for other values is left out; all else keeps its range.
        ``optuna.Study.ask`` takes its ``to_optuna()``.

        Examples
        --------
        >>> import hpo_explain as hx
        >>> whole = hx.SearchSpace([hx.FloatParameter(name, 0.0, 1.0) for name in "xyz"])
        >>> X = whole.sample(60, seed=1)
        >>> run = hx.Run(whole, X, (X[:, 0] - 0.2) ** 2, "minimize")
        >>> subspace = hx.methods.subspace(run)
        >>> list(subspace.fixed), subspace.space["x"].size, subspace.space["y"].size
        (['y', 'z'], None, 1)
        """
        parameters = [
            fixed_at(p, self.fixed[p.name]) if p.name in self.fixed else p
            for p in self.subject.space
        ]
        return SearchSpace(still_possible(parameters)[0])

    @property
    def others(self) -> dict[str, Any]:
        """The incumbent's values of what is not in the set: what the paper keeps fixed."""
        incumbent = self.subject.incumbent
        return {
            name: value
            for name, value in incumbent.items()
            if name not in self.names
        }

    @property
    def headline(self) -> str:
        """What can stay fixed."""
        if not self.fixed:
            return self.briefly("short nothing")
        return self.briefly("short", names=listed([*self.fixed], _NAMED))

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What the set explains, and what can stay fixed."""
        because = (_OF_A_FOREST(),)
        if not self.names:
            return (
                self.claim(
                    "share",
                    self.subject.names,
                    0.0,
                    says="constant",
                    certain=False,
                    because=because,
                    side="below",
                ),
            )
        one, share = len(self.names) == 1, float(self.explained[-1])
        capped = any(
            n.kind in ("predictions_capped", "objectives_capped")
            for n in self.notes
        )
        explains = self.claim(
            "share",
            self.names,
            share,
            says="set",
            certain=False,
            because=because,
            s="s" if one else "",
            share=percent_sd(share, float(self.std[-1])),
            among=" among good predictions" if capped else "",
            together="" if one else ", interactions among them included",
        )
        if not self.fixed or self.loss is None:
            return (explains,)
        fixed = self.decided(
            "keep",
            tuple(self.fixed),
            self.loss,
            says="fixed",
            values=tuple(self.fixed.values()),
            lose=self.lose,
            objective=self.objective_name,
        )
        return explains, fixed

    @property
    def finding(self) -> str:
        """The set, what it explains, and what can stay fixed."""
        rest = "unknown" if self.loss is None else "nothing"
        shown = [
            super().finding,
            *([] if self.fixed or not self.names else [self.says[rest]]),
        ]
        return " ".join(shown)
