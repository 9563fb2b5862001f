"""Why the optimizer tried a configuration: Shapley values of its acquisition function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import check_fraction
from hpo_explain.base.claim import Claim, Kind, between
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.posterior import PosteriorDraws
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.explanations.result import Result
from hpo_explain.methods._engines.certainty import (
    NORMAL_95,
    Commonness,
    ObjectiveContributions,
    doubts_of_value,
)
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

_MAIN_SHARE = 0.75  # of the contributions of one sign: the main reasons
_MAIN_COUNT = 3
_WORTH_OPPOSING = 0.1  # of the payout
_ROUNDING = 1e-12  # of the values that were subtracted
OF_OBJECTIVE = ("mean", "exploitation")
"""Terms that promise an objective; the others say what the model itself is like."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ProposalExplanation(Result):
    """Shapley values of an acquisition function at one configuration, term by term.

    Contributions are in units of the acquisition and *larger is more desirable*, whether the
    objective is minimized or maximized. They add up to the payout: how much more desirable the
    configuration is than the background is on average.

    Attributes
    ----------
    config : mapping
        The explained configuration, in the user's units, without inactive hyperparameters.
    not_chosen : tuple of str
        The hyperparameters that have no value yet, although they may be active; their
        contribution is 0.
    terms : tuple of str
        The additive terms of the acquisition.
    phi : ndarray of shape (d, number of terms)
        The contribution of each hyperparameter to each term; 0 where it is inactive.
    standard_error : ndarray of shape (d, number of terms + 1) or None
        Standard error of `phi` and, in the last column, of their sum, from integrating over the
        background; None where the background was given as an array.
    difference_error : ndarray of shape (number of terms + 1, d, d) or None
        Standard error of the difference of any two contributions, which go together; the terms as
        in `standard_error`.
    degrees_of_freedom : int
        Of the t-intervals: independent hypercubes, or orders, minus 1; 0 without.
    prediction, baseline, payout, efficiency_gap : dict of str to float
        By term, plus "total": the acquisition at the configuration; its mean over the
        background; their difference; and the part of it that the contributions miss.
    objective_prediction, objective_baseline : dict of str to float, or None
        Mean and std that the surrogate predicts for the configuration, and their averages over
        the background, in the objective's units; None without a surrogate.
    background_size : int
        Number of background rows.
    estimator : Fact or None
        How coalitions were valued.
    orders : int or None
        Number of orders of the sampling estimator; None where coalitions were valued.
    model_std : ndarray of shape (d, number of terms + 1) or None
        How far the contributions would differ if the model knew the objective: a standard
        deviation, its columns as in `standard_error`. It is the posterior's for a Gaussian
        process and that over trees for a forest, where a term is linear in the prediction, and
        that over bootstraps of the trials for densities; 0 where
        a term says what the model itself is like (its uncertainty); None where it is not known.
    objective : ObjectiveContributions or None
        Contributions to the predicted objective, whatever the criterion; None where the model
        does not know how certain they are, or there is none.
    commonness : Commonness or None
        How common the values are among good and among other trials, where densities proposed.
    kappa : float or None
        The weight κ of the standard deviation in the term "uncertainty"; None without such a term.
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Section 5.2 (here with the sign turned: larger is more desirable).

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> explanation = hx.explain_proposal(table, 4, objective="loss", background=50)
    >>> list(explanation.contributions.columns)
    ['value', 'total', 'mean', 'uncertainty']
    """

    scope: ClassVar[Scope] = "proposals"
    config: Mapping[str, Any]
    terms: tuple[str, ...]
    phi: Array
    standard_error: Array | None
    difference_error: Array | None
    degrees_of_freedom: int
    prediction: dict[str, float]
    baseline: dict[str, float]
    payout: dict[str, float]
    efficiency_gap: dict[str, float]
    objective_prediction: dict[str, float] | None = None
    objective_baseline: dict[str, float] | None = None
    background_size: int = 0
    estimator: Fact | None = None
    orders: int | None = None
    model_std: Array | None = None
    objective: ObjectiveContributions | None = None
    commonness: Commonness | None = None
    kappa: float | None = None
    not_chosen: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def posterior(self) -> PosteriorDraws:
        """Contributions to the objective for functions drawn from the posterior; largest first.

        These are `objective`, whatever the criterion: what an acquisition says follows from what
        the trials were, and is not uncertain. The kernel's parameters are those of the model.
        """
        if self.objective is None or self.objective.covariance is None:
            return super().posterior
        return PosteriorDraws.of_normal(
            self.names,
            self.objective.phi,
            self.objective.covariance,
            first="farthest from 0",
            draws=self.subject.draws,
        )

    @property
    def total(self) -> Array:
        """The contribution of each hyperparameter to the whole acquisition, (d,)."""
        return np.asarray(self.phi.sum(axis=1))

    @property
    def active(self) -> npt.NDArray[np.bool_]:
        """Whether each hyperparameter is active in the configuration, (d,)."""
        return np.array([name in self.config for name in self.names])

    @property
    def contributions(self) -> pd.DataFrame:
        """Contributions by hyperparameter: columns value, total, and one per term."""
        import pandas as pd

        values = pd.Series([self.config.get(name) for name in self.names], dtype=object)
        frame = pd.DataFrame({"value": values.to_numpy(), "total": self.total})
        for t, term in enumerate(self.terms):
            frame[term] = self.phi[:, t]
        frame.index = pd.Index(self.names, name="hyperparameter")
        return frame

    @property
    def contributions_in(self) -> tuple[str, ...]:
        """Columns of the table that hold contributions."""
        return ("total", *self.terms)

    def to_frame(self) -> pd.DataFrame:
        """Return `contributions`, the largest first."""
        return self.contributions.iloc[self.order()]

    def order(self) -> npt.NDArray[np.int64]:
        """Return the hyperparameters' positions, the largest contribution (by size) first."""
        return np.argsort(-np.abs(self.total), kind="stable")

    def half_width(self, level: float = 0.95) -> Array | None:
        """Return half the t-interval per hyperparameter: columns as in `standard_error`."""
        check_fraction("level", level)
        if self.standard_error is None:
            return None
        from scipy.stats import t

        quantile = float(t.ppf(0.5 + level / 2.0, self.degrees_of_freedom))
        return quantile * self.standard_error

    def interval(self, level: float = 0.95) -> pd.DataFrame:
        """Return the interval of each contribution: the error of integrating over the background.

        It is *not* the model's uncertainty. With the sampling estimator it is that of the orders
        drawn; else NaN where the background was given as an array.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level.

        Returns
        -------
        pandas.DataFrame
            Index hyperparameter; columns (term or "total", "lower" or "upper").

        Raises
        ------
        ValueError
            If `level` does not lie between 0 and 1.
        """
        return self._frame(self.half_width(level))

    def model_half_width(self, level: float = 0.95) -> Array | None:
        """Return half the model's interval per hyperparameter: columns as in `model_std`."""
        check_fraction("level", level)
        if self.model_std is None:
            return None
        from scipy.stats import norm

        return float(norm.ppf(0.5 + level / 2.0)) * self.model_std

    def model_interval(self, level: float = 0.95) -> pd.DataFrame:
        """Return the interval of each contribution by what the model does not know of it.

        It is *not* the error of integrating over the background, which stands beside it.

        Parameters
        ----------
        level : float, default 0.95
            Credible level.

        Returns
        -------
        pandas.DataFrame
            As of `interval`; NaN where the model does not know.

        Raises
        ------
        ValueError
            If `level` does not lie between 0 and 1.
        """
        return self._frame(self.model_half_width(level))

    def _frame(self, half: Array | None) -> pd.DataFrame:
        """Return contributions minus and plus something, by hyperparameter and term."""
        import pandas as pd

        centre = np.column_stack([self.phi, self.total])
        half = np.full_like(centre, np.nan) if half is None else half
        columns = {}
        for t, term in [(len(self.terms), "total"), *enumerate(self.terms)]:
            columns[(term, "lower")] = centre[:, t] - half[:, t]
            columns[(term, "upper")] = centre[:, t] + half[:, t]
        return pd.DataFrame(columns, index=pd.Index(self.names, name="hyperparameter"))

    # ------------------------------------------------------------------ what it says

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The main reasons for the payout's sign, and the largest one against it."""
        payout = self.payout["total"]
        scale = max(np.abs(list(self.prediction.values())).max(), np.abs(self.phi).max(initial=0.0))
        if max(abs(payout), np.abs(self.total).max(initial=0.0)) <= _ROUNDING * scale:
            return (Claim("indifferent", self.names, estimate=payout),)
        sign = 1.0 if payout >= 0 else -1.0
        against = [
            j
            for j in self._leading(-sign)[:1]
            if abs(self.total[j]) >= _WORTH_OPPOSING * abs(payout)
        ]
        return (
            *(self._claim("reason", j) for j in self._leading(sign)),
            *(self._claim("counter_reason", j) for j in against),
        )

    def _leading(self, sign: float) -> list[int]:
        """Return the few hyperparameters that make up most of the contributions of one sign."""
        signed = sign * self.total
        whole = signed[signed > 0].sum()
        chosen: list[int] = []
        for j in self.order():
            if signed[j] <= 0 or len(chosen) == _MAIN_COUNT:
                continue
            if chosen and signed[chosen].sum() >= _MAIN_SHARE * whole:
                break
            chosen.append(int(j))
        return chosen

    def _claim(self, kind: Kind, j: int) -> Claim:
        name, total = self.names[j], float(self.total[j])
        t = int(np.argmax(np.sign(total) * self.phi[j]))
        doubts = self._doubts(j, t)
        return Claim(
            kind,
            (name,),
            (self.config[name],) if name in self.config else (),
            estimate=total,
            interval=between(total, self._combined(j)),
            certain=not doubts,
            because=doubts,
            term=self.terms[t],
        )

    def _combined(self, j: int) -> float | None:
        """Return half the 95 % interval of a total by integration and model; None if unknown."""
        known = [
            float(half[j, -1])
            for half in (self.half_width(), self.model_half_width())
            if half is not None and np.isfinite(half[j, -1])
        ]
        return float(np.hypot.reduce(known)) if known else None

    def _doubts(self, j: int, t: int) -> tuple[Fact, ...]:
        """Return why it cannot be told that a term contributes as it seems to."""
        name, half = self.names[j], self.half_width()
        found: list[Fact] = []
        if half is not None and (
            abs(self.total[j]) <= half[j, -1] or abs(self.phi[j, t]) <= half[j, t]
        ):
            found.append(fact("within_integration_error", names=[name]))
        if self.terms[t] in OF_OBJECTIVE:
            found += self._doubts_of_objective(j)
        elif self.commonness is not None:
            found += self.commonness.doubts(
                j, name, self.terms[t], raises=bool(self.total[j] > 0.0)
            )
            if self.trust is not None and self.terms[t] == "good":
                found += self.subject.doubts(self.scope)
        return tuple(found)

    def _doubts_of_objective(self, j: int) -> tuple[Fact, ...]:
        if self.objective is None:
            return (fact("uncertainty_unknown"),)
        effect = float(np.sign(self.total[j]) * self.objective.phi[j])
        if self.direction == "minimize":
            effect = -effect
        errors = self.objective.standard_error[j], self.objective.model_std[j]
        half = NORMAL_95 * float(np.hypot(*errors))
        return doubts_of_value(self.subject, self.scope, self.config, self.names[j], effect, half)

    def _numbers(self) -> dict[str, Any]:
        half, model = self.half_width(), self.model_half_width()
        return {
            "config": dict(self.config),
            "not_chosen": list(self.not_chosen),
            "contributions": [
                {
                    "hyperparameter": name,
                    "value": self.config.get(name),
                    "active": bool(self.active[j]),
                    "total": float(self.total[j]),
                    "terms": {term: float(self.phi[j, t]) for t, term in enumerate(self.terms)},
                    "interval_95_half_width": None if half is None else float(half[j, -1]),
                    "model_95_half_width": None if model is None else float(model[j, -1]),
                }
                for j, name in enumerate(self.names)
            ],
            "prediction": self.prediction,
            "baseline": self.baseline,
            "payout": self.payout,
            "efficiency_gap": self.efficiency_gap,
            "objective_prediction": self.objective_prediction,
            "objective_baseline": self.objective_baseline,
            "background_size": self.background_size,
            "estimator": None if self.estimator is None else str(self.estimator),
            "orders": self.orders,
        }
