"""What each hyperparameter adds at one configuration: to an acquisition, or to a prediction."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base import (
    ROUNDING,
    Claim,
    Fact,
    PosteriorDraws,
    Result,
    Subject,
    Table,
    as_objects,
    attributes,
    between,
    check_fraction,
    fact,
    format_level,
    leading,
    number,
    printable,
    worth_naming,
)
from hpo_explain.belief import STRETCH, Decision, decide, std_of_draws
from hpo_explain.space import Array, value_text

if TYPE_CHECKING:
    import pandas as pd
    import shap

_WORTH_OPPOSING = 0.1  # of the payout
_AMONG = "than average among"
NEXT = ("given", "waiting")
"""States of configurations that are explained as the next one."""


def criterion(subject: Subject) -> str:
    """Return model and acquisition function: "a GP with LCB (κ = 1.96)"."""
    return f"{subject.model} with {subject.acquisition}" if subject.model else subject.acquisition


def value_in(subject: Subject, config: Mapping[str, Any], name: str) -> str:
    """Return the value of a hyperparameter in words, or why it has none."""
    if name not in config:
        return "inactive"
    return value_text(subject.space[name], config[name])


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
    draws : ndarray of shape (k, d)
        Contributions to the objective, in its units, for each function that the trials allow it to
        be; to the prediction alone, or NaN, where these are not known.
    """

    config: Mapping[str, Any]
    phi: Array
    draws: Array
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
    def half(self) -> Array:
        """Half the 95 % intervals of the totals by integration, (d,); NaN where not known."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """What the contributions are added to: the mean over the background."""

    @property
    def posterior(self) -> PosteriorDraws:
        """Contributions to the objective for each function that it may be; largest first.

        Whatever the criterion: what an acquisition says follows from what the trials were, and is
        not uncertain.
        """
        return self.drawn(self.names, self.draws, "farthest from 0")

    def objective(self, j: int) -> Decision:
        """Return whether a value raises or lowers the objective, by what the trials allow."""
        return decide(self.draws[:, j], stretch=STRETCH["average"])

    @property
    def active(self) -> npt.NDArray[np.bool_]:
        """Whether each hyperparameter is active in the configuration, (d,)."""
        return np.array([name in self.config for name in self.names])

    @property
    def values(self) -> npt.NDArray[Any]:
        """The value of each hyperparameter, None where it is inactive, (d,)."""
        return as_objects([*map(self.config.get, self.names)])

    def order(self) -> npt.NDArray[np.int64]:
        """Return the hyperparameters' positions, the largest contribution (by size) first."""
        return np.argsort(-np.abs(self.total), kind="stable")

    def value(self, j: int) -> str:
        """Return a hyperparameter's value in words, or why it has none."""
        return value_in(self.subject, self.config, self.names[j])

    def records(self) -> list[dict[str, Any]]:
        """Return the contributions as `to_dict` holds them."""
        half = self.half.tolist()
        judged = [self.objective(j) for j in range(len(self.names))]
        return [
            {
                "hyperparameter": name,
                "value": self.config.get(name),
                "active": bool(self.active[j]),
                **self._terms_at(j),
                "interval_95_half_width": half[j],
                "objective_95_interval": judged[j].interval if judged[j].known else None,
            }
            for j, name in enumerate(self.names)
        ]

    def _terms_at(self, j: int) -> dict[str, Any]:
        return {"contribution": float(self.total[j])}

    def to_shap(self) -> shap.Explanation:
        """Return the contributions as shap has them, for ``shap.plots.waterfall``.

        Inactive hyperparameters have no value, and contribute 0.

        Returns
        -------
        shap.Explanation
            Of one configuration. Its bounds are the 95 % intervals by integration over the
            background.
        """
        import shap

        half = self.half
        unknown = np.isnan(half).any()
        return shap.Explanation(
            values=self.total.copy(),
            base_values=self.mean,
            data=self.values,
            # shap would write None where a hyperparameter is inactive.
            display_data=np.array([self.value(j) for j in range(len(self.names))], dtype=object),
            feature_names=list(self.names),
            lower_bounds=None if unknown else self.total - half,
            upper_bounds=None if unknown else self.total + half,
        )


_HELD: dict[str, Any] = attributes(
    "config",
    "prediction",
    "baseline",
    "efficiency_gap",
    "background_size",
    "estimator",
    contributions=lambda result: result.records(),
)


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
        What the contributions are divided into. Of a criterion of mean and standard deviation
        these are "mean" and "uncertainty": each gain is shared between the change of the predicted
        mean and that of the standard deviation, averaged over which changes first. Of any other
        acquisition they are its terms.
    phi : ndarray of shape (d, number of terms)
        The contribution of each hyperparameter to each term; 0 where it is inactive.
    standard_error : ndarray of shape (d, number of terms + 1)
        Standard error of `phi` and, in the last column, of their sum, from integrating over the
        background; NaN where the background was given as an array.
    difference_error : ndarray of shape (number of terms + 1, d, d)
        Standard error of the difference of any two contributions, which go together; the terms as
        in `standard_error`.
    degrees_of_freedom : int
        Of the t-intervals: independent hypercubes, or orders, minus 1; 0 without.
    prediction, baseline, payout, efficiency_gap : dict of str to float
        By term of the criterion, plus "total": the acquisition at the configuration; its mean over
        the background; their difference; and the part of it that the contributions miss. The
        payout is divided into mean and uncertainty as well.
    objective_prediction, objective_baseline : dict of str to float, or None
        Mean and std that the surrogate predicts for the configuration, and their averages over
        the background, in the objective's units; None without a surrogate.
    orders : int or None
        Number of orders of the sampling estimator; None where coalitions were valued.
    kappa : float or None
        The weight κ of the standard deviation in the confidence bound; None without one.
    own : mapping of str to ndarray of shape (d,)
        Contributions to the criterion's own terms where these are not `terms`, such as
        exploitation and exploration of the expected improvement.
    moves, moves_error : ndarray of shape (d, 2) or None
        Contributions to the predicted mean and standard deviation themselves, where the criterion
        is not linear in these, and their standard errors.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Section 5.2, Eq. 8 (here with the sign turned: larger is more desirable).

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> explanation = hx.explain_proposal(table, 4, objective="loss", background=50)
    >>> list(explanation.contributions.columns)
    ['value', 'total', 'mean', 'uncertainty']
    """

    table: ClassVar[Table] = Table(
        index=("hyperparameter", "names"),
        columns={},
        order="order",
        held=_HELD
        | attributes(
            "not_chosen", "payout", "objective_prediction", "objective_baseline", "orders"
        ),
    )
    terms: tuple[str, ...]
    standard_error: Array
    difference_error: Array
    degrees_of_freedom: int
    prediction: dict[str, float]
    baseline: dict[str, float]
    payout: dict[str, float]
    efficiency_gap: dict[str, float]
    objective_prediction: dict[str, float] | None = None
    objective_baseline: dict[str, float] | None = None
    orders: int | None = None
    kappa: float | None = None
    own: Mapping[str, Array] = field(default_factory=dict)
    moves: Array | None = None
    moves_error: Array | None = None
    not_chosen: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[Fact, ...]:
        """That the best proposal is explained where the best trial is no proposal."""
        return tuple(n for n in self.notes if n.kind == "best_not_proposed")

    @property
    def total(self) -> Array:
        """The contribution of each hyperparameter to the whole acquisition, (d,)."""
        return self.phi.sum(axis=1)

    @property
    def half(self) -> Array:
        """Half the 95 % intervals of the totals by integration, (d,); NaN where not known."""
        return self.half_width()[:, -1]

    @property
    def mean(self) -> float:
        """The mean of the acquisition over the background."""
        return self.baseline["total"]

    @property
    def by_term(self) -> dict[str, Array]:
        """The contributions to each term, and to the whole ("total"), each (d,)."""
        shares = dict(zip(self.terms, self.phi.T, strict=True))
        return {**shares, "total": self.total}

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of the table: value, total, and one per term."""
        return {"value": self.values, "total": self.total, **self.by_term}

    @property
    def contributions(self) -> pd.DataFrame:
        """Contributions by hyperparameter: columns value, total, and one per term."""
        return self._by_name(self.columns)

    @property
    def own_terms(self) -> tuple[str, ...]:
        """The terms of the criterion itself."""
        return tuple(self.own) or self.terms

    @property
    def criterion_terms(self) -> pd.DataFrame:
        """Contributions to the criterion's own terms, by hyperparameter."""
        of_all = self.own or self.by_term
        return self._by_name({term: of_all[term] for term in self.own_terms})

    def _by_name(self, columns: Mapping[Any, Any]) -> pd.DataFrame:
        import pandas as pd

        rows = pd.Index(self.names, name="hyperparameter")
        return pd.DataFrame(columns, index=rows)

    @property
    def contributions_in(self) -> tuple[str, ...]:
        """Columns of the table that hold contributions."""
        return ("total", *self.terms)

    def half_width(self, level: float = 0.95) -> Array:
        """Return half the t-interval per hyperparameter: columns as in `standard_error`."""
        check_fraction("level", level)
        return self._half_of(self.standard_error, level)

    def _half_of(self, error: Array, level: float) -> Array:
        from scipy.special import stdtrit

        quantile = float(stdtrit(self.degrees_of_freedom, 0.5 + level / 2.0))
        return quantile * error

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
        half = self.half_width(level)
        columns = {}
        for t, term in [(-1, "total"), *enumerate(self.terms)]:
            phi = self.by_term[term]
            columns[(term, "lower")] = phi - half[:, t]
            columns[(term, "upper")] = phi + half[:, t]
        return self._by_name(columns)

    def _terms_at(self, j: int) -> dict[str, Any]:
        terms = dict(zip(self.terms, self.phi[j].tolist(), strict=True))
        contributions = {"total": float(self.total[j]), "terms": terms}
        if self.own:
            own = {term: float(phi[j]) for term, phi in self.own.items()}
            contributions["criterion_terms"] = own
        return contributions

    # ------------------------------------------------------------------ what it says

    @property
    def where(self) -> str:
        """The configuration that it is about, in words."""
        changed = self.subject.state == "changed"
        return f"the proposal for {super().where}" if changed else super().where

    @property
    def seen(self) -> str:
        """Who looks at the configuration, and when."""
        about, later = self.subject, self.subject.state in NEXT
        so_far = ", as far as it is chosen," if self.not_chosen else ""
        if about.assumed:
            would = "would be" if later else "would have been"
            return f"{criterion(about)}, {self.where}{so_far} {would}"
        does = "would be" if later else "was"
        looks = f"{about.optimizer} ({criterion(about)})"
        return f"{looks}, {self.where}{so_far} {does}"

    @property
    def judged(self) -> str:
        """By how much the configuration is more desirable than the background, or less."""
        payout = self.payout["total"]
        side = "more" if payout >= 0.0 else "less"
        return f"{number(abs(payout), 2)} {side} desirable than"

    @property
    def compared(self) -> str:
        """What it is compared with."""
        if self.background_size == 1:
            return "the configuration it is compared with"
        return "an average configuration"

    def value(self, j: int) -> str:
        """Return a hyperparameter's value in words, or why it has none."""
        return "not chosen" if self.names[j] in self.not_chosen else super().value(j)

    @property
    def answer(self) -> str:
        """The first reason."""
        first = self.claims[0]
        if first.side == "below":
            return super().answer
        (name,) = first.hyperparameters
        return printable(f"Because of {self._setting(self.names.index(name))}.")

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The main reasons for the payout's sign, the largest one against it, and their effects.

        What the acquisition says of itself is certain but for the error of integrating; what the
        values do to the objective where the trials known then tell.
        """
        payout = self.payout["total"]
        scale = max(np.abs(list(self.prediction.values())).max(), np.abs(self.phi).max(initial=0.0))
        largest = max(abs(payout), np.abs(self.total).max(initial=0.0))
        if largest <= ROUNDING * scale:
            text = f"For {self.seen} no better and no worse than {self.compared}."
            return (Claim("contribution", self.names, payout, text=text, side="below"),)
        sign = 1.0 if payout >= 0 else -1.0
        reasons = leading(sign * self.total)
        opposing = _WORTH_OPPOSING * abs(payout)
        against = [j for j in leading(-sign * self.total)[:1] if abs(self.total[j]) >= opposing]
        named = [*reasons, *against] if len(self.draws) > 1 else []
        effects = [self._effect(j) for j in named]
        because = f"For {self.seen} {self.judged} {self.compared} because of {{each}}."
        but = "Against it: {each}." if payout >= 0.0 else "For it: {each}."
        return (
            *(self._claim(because, j) for j in reasons),
            *(self._claim(but, j) for j in against),
            *sorted(effects, key=lambda claim: not claim.certain),
        )

    def _setting(self, j: int) -> str:
        return f"{self.names[j]} = {self.value(j)}"

    def _effect(self, j: int) -> Claim:
        """Return what a value does to the objective."""
        decision, text = self.objective(j), self._setting(j)
        lowers = decision.side == "below"
        then = "" if self.subject.state in NEXT else " at that time"
        frame = f"Unclear effect on the {self.objective_name}{then}: {{each}}."
        if decision.certain:
            frame = f"According to the trials{then}, {{each}}."
            does = "improves" if lowers == (self.direction == "minimize") else "worsens"
            text = f"{text} {does} the {self.objective_name} by {abs(decision.shown)}"
        claim = decision.claim(
            "contribution",
            (self.names[j],),
            values=(self.config.get(self.names[j]),),
            frame=frame,
            text=text,
        )
        return replace(claim, term="objective", because=(), side="above")

    def _claim(self, frame: str, j: int) -> Claim:
        name, total = self.names[j], float(self.total[j])
        half = self.half_width()
        t = int(np.argmax(np.sign(total) * self.phi[j]))
        # a sign that is told is within the error of averaging
        sizes = [abs(total) - half[j, -1], abs(self.phi[j, t]) - half[j, t]]
        if self.moves is not None and self.moves_error is not None:
            of_moves = self._half_of(self.moves_error, 0.95)
            sizes.append(abs(self.moves[j, t]) - of_moves[j, t])
        within = bool(min(sizes) <= 0.0)
        error = "is within the error of averaging over the background"
        doubt = fact(f"the contribution of {name} {error}", names=[name])
        return Claim(
            "contribution",
            (name,),
            total,
            between(total, float(half[j, -1])),
            frame=frame,
            text=f"{self._setting(j)} ({self._why(j, t)})",
            certain=not within,
            because=(doubt,) * within,
            term=self.terms[t],
            values=(self.config[name],) if name in self.config else (),
        )

    def _why(self, j: int, t: int) -> str:
        """Return why a value contributes to a term: what it does to what is predicted."""
        term, objective, contributes = self.terms[t], self.objective_name, self.phi[j, t]
        moved = contributes  # the terms are linear in what is predicted
        if self.moves is not None:
            moved = (-self.subject.sign if term == "mean" else 1.0) * self.moves[j, t]
        if contributes * moved <= 0.0:  # the prediction does not move that way
            return (
                f"by the predicted {objective}" if term == "mean" else "by the model's uncertainty"
            )
        raises, lowers = {
            "mean": (f"a better {objective} is predicted", f"a worse {objective} is predicted"),
            "uncertainty": ("the model is unsure there", "the model is already certain there"),
            "good": (f"likelier {_AMONG} good trials", f"unlikelier {_AMONG} good trials"),
            "bad": (f"unlikelier {_AMONG} the other trials", f"likelier {_AMONG} the other trials"),
        }.get(term, (f"raises the {term}", f"lowers the {term}"))
        return raises if contributes > 0.0 else lowers


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PredictionExplanation(Contributions):
    """Shapley values of the predicted objective at one configuration.

    Contributions are in the objective's units and add up to the difference between the prediction
    and its average over the background; where the objective is minimized, negative ones are good.

    Attributes
    ----------
    phi : ndarray of shape (d,)
        The contribution of each hyperparameter; 0 where it is inactive.
    half_width : ndarray of shape (d,)
        Half the 95 % interval of each, from integrating over the background; NaN where that was
        given as an array.
    prediction, baseline, efficiency_gap : float
        The prediction, its mean over the background, and what the contributions miss of their
        difference.
    interval : tuple of (float, float)
        What holds the prediction with 95 %; NaN where the model does not know.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> found = hx.explain_prediction(table, objective="loss", background=50)
    >>> found.config, bool(found.phi[0] < 0)
    ({'x': 0.1}, True)
    """

    table: ClassVar[Table] = Table(
        index=("hyperparameter", "names"),
        columns={
            "value": "values",
            "contribution": "phi",
            "half_width": "half_width",
            "model_std": "model_std",
        },
        held={
            **_HELD,
            "interval": lambda result: None if math.isnan(result.interval[0]) else result.interval,
        },
        order="order",
        contributions=("contribution",),
    )
    half_width: Array
    prediction: float
    baseline: float
    efficiency_gap: float
    interval: tuple[float, float]

    @property
    def total(self) -> Array:
        """The contribution of each hyperparameter, (d,)."""
        return self.phi

    @property
    def half(self) -> Array:
        """Half the 95 % intervals by integration, (d,); NaN where not known."""
        return self.half_width

    @property
    def mean(self) -> float:
        """The mean of the predictions over the background."""
        return self.baseline

    @property
    def model_std(self) -> Array:
        """Standard deviation of each over what the trials allow, (d,); NaN where not known."""
        return std_of_draws(self.draws)

    @property
    def model_half_width(self) -> Array:
        """Half the 95 % interval of each by what the trials allow, (d,); NaN where not known."""
        return np.array([self.objective(j).half for j in range(len(self.names))])

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The largest contributions; positive ones raise the predicted objective."""
        sizes = np.abs(self.phi)
        claims = tuple(
            self.claim_of(j)
            for j in worth_naming(self.order().tolist(), sizes, sizes.sum())
            if self.active[j]
        )
        text = f"{self._predicted}, the average: no hyperparameter changes it."
        return claims or (Claim("contribution", self.names, 0.0, text=text, side="below"),)

    def claim_of(self, j: int) -> Claim:
        """Return what is said of the contribution of a hyperparameter, by its position."""
        name, decision = self.names[j], self.objective(j)
        does = "raises" if self.phi[j] >= 0.0 else "lowers"
        mean = format_level(self.baseline, self.prediction - self.baseline)
        claim = decision.claim(
            "contribution",
            (name,),
            frame=f"{self._predicted}, on average {mean}, mainly because of {{each}}.",
            text=f"{name} = {self.value(j)} ({does} it by {abs(decision.shown)})",
            values=(self.config.get(name),),
        )
        return replace(claim, side="above")

    @property
    def _predicted(self) -> str:
        # with enough digits to tell it from the average
        here = format_level(self.prediction, self.prediction - self.baseline)
        return f"The {self.objective_name} predicted for {self.where} is {here}"
