"""What is known of TPE's densities at a proposal and over a run, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hpo_explain.base import Claim, Result, Table, chained, format_value, trial_number, unknown_name
from hpo_explain.space import Array

_MAIN_COUNT = 3
_CLEAR = 1.1  # times as common: less is not told
_OF_CURVE = ("values", "good", "bad", "proposed", "proposed_good", "proposed_bad")


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

    Examples
    --------
    >>> import optuna
    >>> import hpo_explain as hx
    >>> study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=12)
    >>> hx.methods.proposal_densities(study, 11)["x"].proposed == study.trials[11].params["x"]
    True
    """

    table: ClassVar[Table] = Table(
        columns={
            "hyperparameter": lambda result: [c.name for c in result.curves for _ in c.values],
            "value": lambda result: [value for c in result.curves for value in c.values],
            "good": lambda result: np.concatenate([c.good for c in result.curves]),
            "bad": lambda result: np.concatenate([c.bad for c in result.curves]),
            "log_ratio": lambda result: np.concatenate(
                [np.log(c.good / c.bad) for c in result.curves]
            ),
        },
        held={
            "config": lambda result: dict(result.config),
            "joint": "joint",
            "curves": lambda result: [
                {"hyperparameter": c.name, **{name: getattr(c, name) for name in _OF_CURVE}}
                for c in result.curves
            ],
        },
    )
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
        """Which proposed values are clearly more common among good trials than among others."""
        clear = [self.curves[i] for i in self.order() if self.curves[i].ratio >= _CLEAR]
        text = (
            f"At {self.where} no value is clearly more common among good trials than among others."
        )
        return tuple(map(self._claim, clear[:_MAIN_COUNT])) or (
            self.claim("tried", tuple(self.config), text=text, side="below"),
        )

    def _claim(self, curve: DensityCurve) -> Claim:
        value = format_value(curve.proposed, width=200)
        return self.claim(
            "tried",
            (curve.name,),
            curve.ratio,
            values=(curve.proposed,),
            frame=f"At {self.where} {{each}} among good trials as among the others.",
            text=f"{curve.name} = {value} is {curve.ratio:.2g} times as common",
        )


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

    Examples
    --------
    >>> import optuna
    >>> import hpo_explain as hx
    >>> study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=14)
    >>> hx.methods.density_path(study, "x").good.shape
    (4, 121)
    """

    table: ClassVar[Table] = Table(
        columns={
            "trial": lambda result: np.repeat(result.trials, len(result.values)),
            "value": lambda result: list(result.values) * len(result.trials),
            "good": lambda result: result.good.ravel(),
            "bad": lambda result: result.bad.ravel(),
            "log_ratio": lambda result: result.log_ratio.ravel(),
        },
        held={key: key for key in ("name", "trials", "values", "good", "bad", "proposed")},
    )
    name: str
    trials: tuple[int, ...]
    values: tuple[Any, ...]
    log: bool
    categorical: bool
    good: Array
    bad: Array
    proposed: tuple[Any, ...]

    @property
    def log_ratio(self) -> Array:
        """Logarithm of l / g, (T, G)."""
        return np.asarray(np.log(self.good) - np.log(self.bad))

    @property
    def preferred(self) -> int:
        """The position of the value that the latest densities prefer."""
        return int(np.argmax(self.log_ratio[-1]))

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Which value the latest densities prefer."""
        best, times = (self.values[self.preferred], float(np.exp(self.log_ratio[-1].max())))
        common = f"{times:.2g} times as common as among the others by trial "
        prefer = f"Good trials came to prefer {self.name} = {format_value(best, width=200)}"
        text = chained([f"{prefer}: {common}", trial_number(self.trials[-1]), "."])
        return (self.claim("tried", (self.name,), times, values=(best,), text=text),)
