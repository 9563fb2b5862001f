"""The hyperparameters that capture most of what can be gained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from hpo_explain.base.claim import Claim
from hpo_explain.base.facts import Fact, fact
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.explanations.result import Result
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Subspace(Result):
    """The smallest set of hyperparameters that explains a share of the variance.

    What a set explains is everything its members do alone and with each other: the variance of the
    forest's prediction averaged over all other hyperparameters. That says where the objective
    varies, not where it can still be improved: what can stay at the incumbent's values is judged
    apart, by the joint posterior of a model.

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
        What can certainly stay at the incumbent's values, all at once, in the user's units: most
        of what can still be gained is left. Ready for ``optuna.samplers.PartialFixedSampler``.
    exhaustive : bool
        Whether every smaller set is known to explain less; otherwise the set was grown greedily.
    doubts : tuple of Fact
        Why it cannot be told what can stay fixed; empty where it can.
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
    >>> subspace = hx.subspace(run, share=0.9, cap=None)
    >>> sorted(subspace.names), list(subspace.others)
    (['x', 'z'], ['y'])
    """

    scope: ClassVar[Scope] = "good_region"
    names: tuple[str, ...]
    share: float
    explained: Array
    std: Array
    fixed: Mapping[str, Any]
    exhaustive: bool
    doubts: tuple[Fact, ...] = ()

    @property
    def others(self) -> dict[str, Any]:
        """The incumbent's values of what is not in the set: what the paper keeps fixed."""
        incumbent = self.subject.incumbent
        return {name: value for name, value in incumbent.items() if name not in self.names}

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What the set explains, and what can certainly stay fixed."""
        if not self.names:
            return (Claim("no_effect", self.subject.names, estimate=0.0, certain=False),)
        explains = Claim(
            "importance",
            self.names,
            estimate=float(self.explained[-1]),
            certain=False,
            because=(fact("shares_of_a_forest"),),
        )
        if not self.fixed:
            return (explains,)
        return explains, Claim("fix", tuple(self.fixed), tuple(self.fixed.values()))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per step: hyperparameter, share explained so far, its std over trees."""
        import pandas as pd

        return pd.DataFrame(
            {"hyperparameter": self.names, "explained": self.explained, "std": self.std}
        )

    def _numbers(self) -> dict[str, Any]:
        return {
            "names": self.names,
            "share": self.share,
            "explained": self.explained,
            "std_over_trees": self.std,
            "fixed": self.fixed,
            "exhaustive": self.exhaustive,
            "others": self.others,
            "doubts": [doubt.to_dict() for doubt in self.doubts],
        }
