"""The hyperparameters that capture most of what can be gained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from hpo_explain.diagnostics import Scope
from hpo_explain.explanations.claims import Claim, between
from hpo_explain.explanations.result import Result
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Subspace(Result):
    """The smallest set of hyperparameters that explains a share of the variance.

    What a set explains is everything its members do alone and with each other: the variance of the
    forest's prediction averaged over all other hyperparameters. Optimizing these only, with the
    others at the values of the incumbent, keeps most of what can still be gained.

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
        Values of all other hyperparameters, from the incumbent, in the user's units; ready for
        ``optuna.samplers.PartialFixedSampler``.
    exhaustive : bool
        Whether every smaller set is known to explain less; otherwise the set was grown greedily.
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
    >>> subspace = hx.subspace(run, share=0.9)
    >>> sorted(subspace.names), list(subspace.fixed)
    (['x', 'z'], ['y'])
    """

    scope: ClassVar[Scope] = "good_region"
    names: tuple[str, ...]
    share: float
    explained: Array
    std: Array
    fixed: Mapping[str, Any]
    exhaustive: bool

    @property
    def whole(self) -> bool:
        """Whether the set is all hyperparameters, so that no other one can stay fixed."""
        return len(self.names) == len(self.subject.names)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What the set explains, and what can stay fixed."""
        if not self.names:
            return (Claim("no_effect", self.subject.names, estimate=0.0),)
        share, std = float(self.explained[-1]), float(self.std[-1])
        explains = Claim("importance", self.names, estimate=share, interval=between(share, std))
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
            "whole": self.whole,
        }
