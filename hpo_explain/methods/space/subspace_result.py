"""The hyperparameters that capture most of what can be gained, and what can stay fixed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from hpo_explain.base.claim import Claim
from hpo_explain.base.facts import Fact
from hpo_explain.base.numbers import percent
from hpo_explain.base.result import Result, Table
from hpo_explain.base.text import declared_fact, filled
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.space import Array

_OF_A_FOREST = declared_fact(
    "shares_of_a_forest", "the spread over trees is not an interval of the share"
)


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
    table: ClassVar[Table] = Table(
        columns={"hyperparameter": "names", "explained": "explained", "std": "std"},
        held={
            "names": "names",
            "share": "share",
            "explained": "explained",
            "std_over_trees": "std",
            "fixed": "fixed",
            "exhaustive": "exhaustive",
            "others": "others",
            "doubts": lambda found: [doubt.to_dict() for doubt in found.doubts],
        },
    )
    says: ClassVar[Mapping[str, str]] = {
        "constant": "The prediction is constant: no hyperparameter matters.",
        "set": "{names} explain{s} {share} (std over trees) of the variance{among}{together}.",
        "all": "All hyperparameters can stay at the incumbent's values: little is left to gain.",
        "fixed": "{names} can stay at the incumbent's values: most of what can still be gained is "
        "left.",
        "unknown": "What can stay fixed cannot be told: {doubts}.",
        "nothing": "No hyperparameter can certainly stay fixed.",
    }
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
        share, because = float(self.explained[-1]), (_OF_A_FOREST(),)
        explains = Claim("importance", self.names, (), share, certain=False, because=because)
        if not self.fixed:
            return (explains,)
        return explains, Claim("fix", tuple(self.fixed), tuple(self.fixed.values()))

    @property
    def finding(self) -> str:
        """The set, what it explains, and what can stay fixed."""
        if not self.names:
            return self.says["constant"]
        one = len(self.names) == 1
        capped = any(n.kind in ("predictions_capped", "objectives_capped") for n in self.notes)
        found = filled(
            self.says["set"],
            names=self.names,
            s="s" if one else "",
            share=percent(float(self.explained[-1]), float(self.std[-1])),
            among=" among good predictions" if capped else "",
            together="" if one else ", interactions among them included",
        )
        which = "fixed" if self.fixed else "unknown" if self.doubts else "nothing"
        if self.fixed and len(self.fixed) == len(self.subject.names):
            which = "all"
        doubts = [str(doubt) for doubt in self.doubts]
        return f"{found} {filled(self.says[which], names=[*self.fixed], doubts=doubts)}"

    @property
    def caution(self) -> str:
        """Nothing: the sentence tells what the share's spread is."""
        return ""
