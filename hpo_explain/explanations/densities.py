"""Where good and where other trials lie: the densities behind a proposal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hpo_explain.base.checks import unknown_name
from hpo_explain.base.claim import Claim
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.explanations.result import Result
from hpo_explain.methods._engines.certainty import BY_CHANCE, CLEAR, doubts_of_chance
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

_MAIN_COUNT = 3


@dataclass(frozen=True, eq=False)
class DensityCurve:
    """How common the values of one hyperparameter are among good trials and among others.

    Attributes
    ----------
    name : str
        The hyperparameter.
    values : tuple
        Values in the user's units.
    log, categorical : bool
        Its scale and kind.
    good, bad : ndarray of shape (G,)
        The densities l and g of the values, whatever the other hyperparameters are, as multiples
        of chance: 1 where a value is as common as under a uniform choice.
    proposed : object or None
        The proposed value; None where the hyperparameter was inactive.
    proposed_good, proposed_bad : float
        l and g at it; NaN where there is none.
    by_chance : float
        How probable it is by chance that trials near it are as often good.

    Examples
    --------
    >>> import numpy as np
    >>> l, g = np.array([1.6, 0.4]), np.array([0.8, 1.2])
    >>> DensityCurve("kernel", ("rbf", "poly"), False, True, l, g, "rbf", 1.6, 0.8).ratio
    2.0
    """

    name: str
    values: tuple[Any, ...]
    log: bool
    categorical: bool
    good: Array
    bad: Array
    proposed: Any = None
    proposed_good: float = np.nan
    proposed_bad: float = np.nan
    by_chance: float = 1.0

    @property
    def ratio(self) -> float:
        """How much more common the proposed value is among good trials than among others."""
        return float(self.proposed_good / self.proposed_bad)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ProposalDensities(Result):
    """The densities between which TPE chose a proposal, hyperparameter by hyperparameter.

    Of hyperparameters that were sampled together these are the marginal densities.

    Attributes
    ----------
    curves : tuple of DensityCurve
        One per hyperparameter, in the order of the space.
    config : mapping
        The proposal, in the user's units.
    joint : tuple of tuple of str
        Hyperparameters that were sampled together.
    not_chosen : tuple of str
        The hyperparameters that have no value yet, although they may be active.
    subject, notes
        As of every result.

    Examples
    --------
    >>> import optuna
    >>> import hpo_explain as hx
    >>> study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=12)
    >>> hx.proposal_densities(study, 11)["x"].proposed == study.trials[11].params["x"]
    True
    """

    scope: ClassVar[Scope] = "proposals"
    curves: tuple[DensityCurve, ...]
    config: Mapping[str, Any]
    joint: tuple[tuple[str, ...], ...] = ()
    not_chosen: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> DensityCurve:
        for curve in self.curves:
            if curve.name == name:
                return curve
        raise unknown_name("name", name, [c.name for c in self.curves], "hyperparameter")

    def order(self) -> list[int]:
        """Return the positions of the active hyperparameters, the largest ratio first."""
        active = [i for i, curve in enumerate(self.curves) if curve.proposed is not None]
        return sorted(active, key=lambda i: -abs(np.log(self.curves[i].ratio)))

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Which proposed values are clearly more common among good trials than among others.

        Certain where chance hardly makes trials near them as often good.
        """
        clear = [self.curves[i] for i in self.order() if self.curves[i].ratio >= CLEAR]
        found = tuple(
            Claim(
                "common",
                (curve.name,),
                (curve.proposed,),
                estimate=curve.ratio,
                certain=curve.by_chance <= BY_CHANCE,
                because=doubts_of_chance(curve.name, curve.by_chance),
            )
            for curve in clear[:_MAIN_COUNT]
        )
        return found or (Claim("indifferent", tuple(self.config)),)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per hyperparameter and value: good, bad, and the logarithm of l / g."""
        import pandas as pd

        return pd.DataFrame(
            [
                (curve.name, value, float(good), float(bad), float(np.log(good / bad)))
                for curve in self.curves
                for value, good, bad in zip(curve.values, curve.good, curve.bad, strict=True)
            ],
            columns=["hyperparameter", "value", "good", "bad", "log_ratio"],
        )

    def _numbers(self) -> dict[str, Any]:
        return {
            "config": dict(self.config),
            "joint": self.joint,
            "curves": [
                {
                    "hyperparameter": curve.name,
                    "values": curve.values,
                    "good": curve.good,
                    "bad": curve.bad,
                    "proposed": curve.proposed,
                    "proposed_good": curve.proposed_good,
                    "proposed_bad": curve.proposed_bad,
                    "by_chance": curve.by_chance,
                }
                for curve in self.curves
            ],
        }
