"""How the densities between which TPE chooses moved over a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hpo_explain.base.claim import Claim
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.explanations.result import Result
from hpo_explain.methods._engines.certainty import BY_CHANCE, doubts_of_chance
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DensityPath(Result):
    """How the densities of one hyperparameter moved over a run.

    Attributes
    ----------
    name : str
        The hyperparameter.
    trials : tuple of int
        The proposals.
    values : tuple
        Values in the user's units.
    log, categorical : bool
        Its scale and kind.
    good, bad : ndarray of shape (T, G)
        The densities l and g when each of them was proposed, as multiples of chance.
    proposed : tuple
        The proposed values; None where the hyperparameter was inactive.
    by_chance : float
        How probable it is by chance that trials near the value that the latest densities prefer
        are as often good.
    subject, notes
        As of every result.

    Examples
    --------
    >>> import optuna
    >>> import hpo_explain as hx
    >>> study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=14)
    >>> hx.density_path(study, "x").good.shape
    (4, 121)
    """

    scope: ClassVar[Scope] = "proposals"
    name: str
    trials: tuple[int, ...]
    values: tuple[Any, ...]
    log: bool
    categorical: bool
    good: Array
    bad: Array
    proposed: tuple[Any, ...]
    by_chance: float = 1.0

    @property
    def log_ratio(self) -> Array:
        """Logarithm of l / g, (T, G)."""
        return np.asarray(np.log(self.good) - np.log(self.bad))

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Which value the latest densities prefer; certain where it is hardly chance."""
        best = self.preferred
        return (
            Claim(
                "common",
                (self.name,),
                (self.values[best],),
                estimate=float(np.exp(self.log_ratio[-1, best])),
                certain=self.by_chance <= BY_CHANCE,
                because=doubts_of_chance(self.name, self.by_chance),
            ),
        )

    @property
    def preferred(self) -> int:
        """The position of the value that the latest densities prefer."""
        return int(np.argmax(self.log_ratio[-1]))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per trial and value: good, bad, and the logarithm of l / g."""
        import pandas as pd

        t, g = self.good.shape
        return pd.DataFrame(
            {
                "trial": np.repeat(self.trials, g),
                "value": pd.Series(list(self.values) * t, dtype=None),
                "good": self.good.ravel(),
                "bad": self.bad.ravel(),
                "log_ratio": self.log_ratio.ravel(),
            }
        )

    def _numbers(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "trials": self.trials,
            "values": self.values,
            "good": self.good,
            "bad": self.bad,
            "proposed": self.proposed,
        }
