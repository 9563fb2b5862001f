"""What each hyperparameter adds at one configuration: to an acquisition, or to a prediction."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import check_fraction
from hpo_explain.base.claim import Kind, between, worth_naming
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.numbers import (
    NORMAL_95,
    format_level,
    format_value,
    half_of_level,
    plus_minus,
)
from hpo_explain.base.posterior import PosteriorDraws
from hpo_explain.base.result import Claim, Result, Table
from hpo_explain.base.subject import Subject
from hpo_explain.base.text import declared_fact
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.methods._engines.certainty import (
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
NEXT = ("given", "waiting")
"""States of configurations that are explained as the next one."""

_WITHIN_ERROR = declared_fact(
    "within_integration_error",
    "the contribution of {names} is within the error of averaging over the background",
)
_PROMISE = ("a better {found.objective_name} is predicted", "a worse {found.objective_name} is "
            "predicted")  # fmt: skip
_UNSURE = ("the model is unsure there", "the model is already certain there")
_WHY: Mapping[str, tuple[str, str]] = {
    "mean": _PROMISE,
    "exploitation": _PROMISE,
    "uncertainty": _UNSURE,
    "exploration": _UNSURE,
    "noise": ("results scatter less there", "results scatter more there"),
    "good": ("common among good trials", "rare among good trials"),
    "bad": ("rare among the other trials", "common among the other trials"),
}
"""What it says that a contribution to a term is positive, or negative."""


def criterion(subject: Subject) -> str:
    """Return model and acquisition function: "a GP with LCB (κ = 1.96)"."""
    return f"{subject.model} with {subject.acquisition}" if subject.model else subject.acquisition


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Contributions(Result):
    """Shapley values at one configuration, compared with a background.

    Attributes
    ----------
    config : mapping
        The explained configuration, in the user's units, without inactive hyperparameters.
    background_size : int
        Number of background rows.
    estimator : Fact or None
        How coalitions were valued.
    """

    config: Mapping[str, Any]
    phi: Array
    background_size: int = 0
    estimator: Fact | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    @abstractmethod
    def total(self) -> Array:
        """The contribution of each hyperparameter to the whole, (d,)."""

    @property
    @abstractmethod
    def halves(self) -> tuple[Array | None, Array | None]:
        """Half the 95 % intervals of the totals, (d,): of integration, and of the model."""

    @property
    @abstractmethod
    def uncertain(self) -> ObjectiveContributions | None:
        """The contributions to the predicted objective, and how certain they are."""

    @property
    def posterior(self) -> PosteriorDraws:
        """Contributions to the objective for functions drawn from the posterior; largest first.

        Whatever the criterion: what an acquisition says follows from what the trials were, and is
        not uncertain. The kernel's parameters are those of the model.
        """
        found = self.uncertain
        if found is None or found.covariance is None:
            return super().posterior
        return PosteriorDraws.of_normal(
            self.names, found.phi, found.covariance, first="farthest from 0",
            draws=self.subject.draws,
        )  # fmt: skip

    @property
    def active(self) -> npt.NDArray[np.bool_]:
        """Whether each hyperparameter is active in the configuration, (d,)."""
        return np.array([name in self.config for name in self.names])

    @property
    def values(self) -> npt.NDArray[Any]:
        """The value of each hyperparameter, None where it is inactive, (d,)."""
        return np.array([*map(self.config.get, self.names), None], dtype=object)[:-1]

    def order(self) -> npt.NDArray[np.int64]:
        """Return the hyperparameters' positions, the largest contribution (by size) first."""
        return np.argsort(-np.abs(self.total), kind="stable")

    def value(self, j: int) -> str:
        """Return a hyperparameter's value in words, or why it has none."""
        name = self.names[j]
        return format_value(self.config[name]) if name in self.config else "inactive"

    def half(self, j: int) -> float | None:
        """Return half the 95 % interval of a total by integration and model; None if unknown."""
        known = [float(half[j]) for half in self.halves if half is not None]
        known = [half for half in known if np.isfinite(half)]
        return float(np.hypot.reduce(known)) if known else None

    def records(self) -> list[dict[str, Any]]:
        """Return the contributions as `to_dict` holds them."""
        half, model = ([None] * len(self.names) if h is None else h.tolist() for h in self.halves)
        return [
            {
                "hyperparameter": name,
                "value": self.config.get(name),
                "active": bool(self.active[j]),
                **self._terms_at(j),
                "interval_95_half_width": half[j],
                "model_95_half_width": model[j],
            }
            for j, name in enumerate(self.names)
        ]

    def _terms_at(self, j: int) -> dict[str, Any]:
        return {"contribution": float(self.total[j])}

    def _doubts_of_objective(self, j: int, effect: float, half: float) -> tuple[Fact, ...]:
        """Return why it cannot be told that a value has this effect on the objective."""
        return doubts_of_value(self.subject, self.scope, self.config, self.names[j], effect, half)


_HELD: Mapping[str, Any] = {
    "config": lambda found: dict(found.config),
    "contributions": lambda found: found.records(),
    "prediction": "prediction",
    "baseline": "baseline",
    "efficiency_gap": "efficiency_gap",
    "background_size": "background_size",
    "estimator": lambda found: None if found.estimator is None else str(found.estimator),
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ProposalExplanation(Contributions):
    """Shapley values of an acquisition function at one configuration, term by term.

    Contributions are in units of the acquisition and *larger is more desirable*, whether the
    objective is minimized or maximized. They add up to the payout: how much more desirable the
    configuration is than the background is on average.

    Attributes
    ----------
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
    table: ClassVar[Table] = Table(
        columns={},
        held={
            **_HELD,
            "not_chosen": lambda found: list(found.not_chosen),
            "payout": "payout",
            "objective_prediction": "objective_prediction",
            "objective_baseline": "objective_baseline",
            "orders": "orders",
        },
    )
    says: ClassVar[Mapping[str, str]] = {
        "reason": "{found.seen} {found.judged} because of {each}. | {setting} ({why})",
        "counter_reason": "{found.against}: {each}. | {setting} ({why})",
        "indifferent": "{found.seen} no better and no worse than an average configuration.",
    }

    terms: tuple[str, ...]
    standard_error: Array | None
    difference_error: Array | None
    degrees_of_freedom: int
    prediction: dict[str, float]
    baseline: dict[str, float]
    payout: dict[str, float]
    efficiency_gap: dict[str, float]
    objective_prediction: dict[str, float] | None = None
    objective_baseline: dict[str, float] | None = None
    orders: int | None = None
    model_std: Array | None = None
    objective: ObjectiveContributions | None = None
    commonness: Commonness | None = None
    kappa: float | None = None
    not_chosen: tuple[str, ...] = ()

    @property
    def total(self) -> Array:
        """The contribution of each hyperparameter to the whole acquisition, (d,)."""
        return np.asarray(self.phi.sum(axis=1))

    @property
    def halves(self) -> tuple[Array | None, Array | None]:
        """Half the 95 % intervals of the totals, (d,): of integration, and of the model."""
        half, model = self.half_width(), self.model_half_width()
        return (None if half is None else half[:, -1]), (None if model is None else model[:, -1])

    @property
    def uncertain(self) -> ObjectiveContributions | None:
        """The contributions to the predicted objective, and how certain they are."""
        return self.objective

    @property
    def contributions(self) -> pd.DataFrame:
        """Contributions by hyperparameter: columns value, total, and one per term."""
        import pandas as pd

        columns = {"value": self.values, "total": self.total}
        columns |= {term: self.phi[:, t] for t, term in enumerate(self.terms)}
        return pd.DataFrame(columns, index=pd.Index(self.names, name="hyperparameter"))

    @property
    def contributions_in(self) -> tuple[str, ...]:
        """Columns of the table that hold contributions."""
        return ("total", *self.terms)

    def to_frame(self) -> pd.DataFrame:
        """Return `contributions`, the largest first."""
        return self.contributions.iloc[self.order()]

    def half_width(self, level: float = 0.95) -> Array | None:
        """Return half the t-interval per hyperparameter: columns as in `standard_error`."""
        check_fraction("level", level)
        if self.standard_error is None:
            return None
        from scipy.stats import t

        return float(t.ppf(0.5 + level / 2.0, self.degrees_of_freedom)) * self.standard_error

    def model_half_width(self, level: float = 0.95) -> Array | None:
        """Return half the model's interval per hyperparameter: columns as in `model_std`."""
        check_fraction("level", level)
        if self.model_std is None:
            return None
        return half_of_level(level) * self.model_std

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
        return self._within(self.half_width(level))

    def model_interval(self, level: float = 0.95) -> pd.DataFrame:
        """Return the interval of each contribution by what the model does not know of it.

        It is *not* the error of integrating over the background, which stands beside it. As of
        `interval`; NaN where the model does not know.
        """
        return self._within(self.model_half_width(level))

    def _within(self, half: Array | None) -> pd.DataFrame:
        """Return contributions minus and plus something, by hyperparameter and term."""
        import pandas as pd

        centre = np.column_stack([self.phi, self.total])
        half = np.full_like(centre, np.nan) if half is None else half
        columns = {}
        for t, term in [(len(self.terms), "total"), *enumerate(self.terms)]:
            columns[(term, "lower")] = centre[:, t] - half[:, t]
            columns[(term, "upper")] = centre[:, t] + half[:, t]
        return pd.DataFrame(columns, index=pd.Index(self.names, name="hyperparameter"))

    def _terms_at(self, j: int) -> dict[str, Any]:
        terms = dict(zip(self.terms, self.phi[j].tolist(), strict=True))
        return {"total": float(self.total[j]), "terms": terms}

    # ------------------------------------------------------------------ what it says

    @property
    def where(self) -> str:
        """The configuration that it is about, in words."""
        return f"the proposal for {super().where}" if self.subject.state == "changed" else (
            super().where
        )  # fmt: skip

    @property
    def seen(self) -> str:
        """Whose acquisition function found the configuration so, or would as the next one."""
        about = self.subject
        found = f"{self.where}{', as far as it is chosen,' * bool(self.not_chosen)}"
        looked = criterion(about)
        if about.assumed:
            would = "would find" if about.state in NEXT else "would have found"
            return f"{looked[0].upper()}{looked[1:]} {would} {found}"
        finds = "would now find" if about.state in NEXT else "found"
        return f"{about.optimizer} ({looked}) {finds} {found}"

    @property
    def judged(self) -> str:
        """Whether the configuration is more desirable than the background."""
        return "attractive" if self.payout["total"] >= 0.0 else "unattractive"

    @property
    def against(self) -> str:
        """What the largest contribution of the other sign speaks for."""
        return "Against it" if self.payout["total"] >= 0.0 else "For it"

    def value(self, j: int) -> str:
        """Return a hyperparameter's value in words, or why it has none."""
        return "not chosen" if self.names[j] in self.not_chosen else super().value(j)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The main reasons for the payout's sign, and the largest one against it."""
        payout = self.payout["total"]
        scale = max(np.abs(list(self.prediction.values())).max(), np.abs(self.phi).max(initial=0.0))
        if max(abs(payout), np.abs(self.total).max(initial=0.0)) <= _ROUNDING * scale:
            return (
                self.told("indifferent", self.names, payout, says="indifferent", certain=True,
                          because=()),
            )  # fmt: skip
        sign = 1.0 if payout >= 0 else -1.0
        against = self._leading(-sign)[:1]
        return (
            *(self._claim("reason", j) for j in self._leading(sign)),
            *(
                self._claim("counter_reason", j)
                for j in against
                if abs(self.total[j]) >= _WORTH_OPPOSING * abs(payout)
            ),
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
        term, doubts = self.terms[t], self._doubts(j, t)
        raises, lowers = _WHY.get(term, (f"raises the {term}", f"lowers the {term}"))
        return self.told(
            kind, (name,), total, between(total, self.half(j)), says=kind, certain=not doubts,
            because=doubts, term=term, values=(self.config[name],) if name in self.config else (),
            setting=f"{name} = {self.value(j)}",
            why=(raises if total > 0.0 else lowers).format(found=self),
        )  # fmt: skip

    def _doubts(self, j: int, t: int) -> tuple[Fact, ...]:
        """Return why it cannot be told that a term contributes as it seems to."""
        name, half = self.names[j], self.half_width()
        found: list[Fact] = []
        if half is not None and (
            abs(self.total[j]) <= half[j, -1] or abs(self.phi[j, t]) <= half[j, t]
        ):
            found.append(_WITHIN_ERROR(names=[name]))
        term, raises = self.terms[t], bool(self.total[j] > 0.0)
        if term in OF_OBJECTIVE and self.objective is None:
            found.append(fact("uncertainty_unknown"))
        elif term in OF_OBJECTIVE and self.objective is not None:
            effect = float(np.sign(self.total[j]) * self.objective.phi[j])
            errors = self.objective.standard_error[j], self.objective.model_std[j]
            effect = -effect if self.direction == "minimize" else effect
            found += self._doubts_of_objective(j, effect, NORMAL_95 * float(np.hypot(*errors)))
        elif self.commonness is not None:
            found += self.commonness.doubts(j, name, term, raises=raises)
            if self.trust is not None and term == "good":
                found += self.subject.doubts(self.scope)
        return tuple(found)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PredictionExplanation(Contributions):
    """Shapley values of the predicted objective at one configuration.

    Contributions are in the objective's units and add up to the difference between the prediction
    and its average over the background; where the objective is minimized, negative ones are good.

    Attributes
    ----------
    phi : ndarray of shape (d,)
        The contribution of each hyperparameter; 0 where it is inactive.
    half_width : ndarray of shape (d,) or None
        Half the 95 % interval of each, from integrating over the background; None where that was
        given as an array.
    prediction, baseline, efficiency_gap : float
        The prediction, its mean over the background, and what the contributions miss of their
        difference.
    model_std : ndarray of shape (d,) or None
        Standard deviation of each under the model: the posterior's for a Gaussian process, that
        over the trees for a forest; None where the model does not know.
    covariance : ndarray of shape (d, d) or None
        Posterior covariance of the contributions; None without a joint posterior.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> found = hx.explain_prediction(table, objective="loss", background=50)
    >>> found.config, bool(found.phi[0] < 0)
    ({'x': 0.1}, True)
    """

    scope: ClassVar[Scope] = "everywhere"
    table: ClassVar[Table] = Table(
        index=("hyperparameter", "names"),
        columns={
            "value": "values",
            "contribution": "phi",
            "half_width": "half_width",
            "model_std": "model_std",
        },
        held=_HELD,
        order="order",
        contributions=("contribution",),
    )
    says: ClassVar[Mapping[str, str]] = {
        "reason": "The {found.objective_name} predicted for {found.where} is {here}, on average "
        "{mean}, mainly because of {each}. | {setting} ({by})",
        "nothing": "The {found.objective_name} predicted for {found.where} is {here}, as on "
        "average: no hyperparameter moves it.",
    }

    half_width: Array | None
    prediction: float
    baseline: float
    efficiency_gap: float
    model_std: Array | None = None
    covariance: Array | None = None

    @property
    def total(self) -> Array:
        """The contribution of each hyperparameter, (d,)."""
        return self.phi

    @property
    def model_half_width(self) -> Array | None:
        """Half the 95 % interval of each under the model, (d,)."""
        return None if self.model_std is None else NORMAL_95 * self.model_std

    @property
    def halves(self) -> tuple[Array | None, Array | None]:
        """Half the 95 % intervals, (d,): of integration, and of the model."""
        return self.half_width, self.model_half_width

    @property
    def uncertain(self) -> ObjectiveContributions | None:
        """The contributions, and how certain they are."""
        if self.model_std is None:
            return None
        return ObjectiveContributions(self.phi, 0.0 * self.phi, self.model_std, self.covariance)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The largest contributions; positive ones raise the predicted objective."""
        sizes = np.abs(self.phi)
        found = tuple(
            self.claim_of(j)
            for j in worth_naming(self.order().tolist(), sizes, _MAIN_COUNT, sizes.sum())
            if self.active[j]
        )
        return found or (
            self.told("no_effect", self.names, 0.0, says="nothing", certain=True, because=(),
                      **self._levels),
        )  # fmt: skip

    def claim_of(self, j: int) -> Claim:
        """Return what is said of the contribution of a hyperparameter, by its position."""
        name, phi, half = self.names[j], float(self.phi[j]), self.half(j)
        doubts: Sequence[Fact] = (fact("uncertainty_unknown"),)
        if self.model_std is not None:
            doubts = self._doubts_of_objective(j, abs(phi), half or 0.0)
        return self.told(
            "reason", (name,), phi, between(phi, half), says="reason", certain=not doubts,
            because=tuple(doubts), values=(self.config.get(name),), **self._levels,
            setting=f"{name} = {self.value(j)}", by=f"{'+' * (phi >= 0.0)}{plus_minus(phi, half)}",
        )  # fmt: skip

    @property
    def _levels(self) -> dict[str, Any]:
        """The prediction and the average, with enough digits to tell them apart."""
        gap = self.prediction - self.baseline
        return {"here": format_level(self.prediction, gap),
                "mean": format_level(self.baseline, gap)}  # fmt: skip
