"""A short formula for the effect of a few hyperparameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from hpo_explain.base.claim import Claim
from hpo_explain.base.edge import words
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.posterior import PosteriorDraws
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.explanations.result import Result
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

Function = Literal[
    "identity", "square", "cube", "root", "inverse", "log", "log_square", "log_cube", "is"
]
"""What is done to the value of a hyperparameter; "is" is 1 where it has a category, else 0."""

_SHOWN: dict[str, str] = {
    "identity": "{}",
    "square": "{}²",
    "cube": "{}³",
    "root": "√{}",
    "inverse": "1/{}",
    "log": "log10({})",
    "log_square": "log10({})²",
    "log_cube": "log10({})³",
}
_FAIR = 0.5  # R² with the true effect: a formula with less is not certain
_POWERS = {"identity": 1.0, "square": 2.0, "cube": 3.0, "root": 0.5, "inverse": -1.0}
_LOGS = {"log": 1, "log_square": 2, "log_cube": 3}


@dataclass(frozen=True)
class Factor:
    """A function of one hyperparameter.

    Attributes
    ----------
    name : str
        The hyperparameter.
    function : str
        What is done to its value.
    category : object
        The category, of the function "is".

    Examples
    --------
    >>> lr = Factor("lr", "log_square")
    >>> lr.label, lr.of([0.01, 0.1]).tolist()
    ('log10(lr)²', [4.0, 1.0])
    """

    name: str
    function: Function
    category: Any = None

    @property
    def label(self) -> str:
        """How it is written."""
        if self.function == "is":
            return f"[{self.name} = {self.category}]"
        return _SHOWN[self.function].format(self.name)

    def of(self, values: Iterable[Any]) -> Array:
        """Return it of some values, in the user's units, (n,)."""
        if self.function == "is":
            return np.array([float(value == self.category) for value in values])
        x = np.array([float(value) for value in values])
        if self.function in _LOGS:
            return np.asarray(np.log10(x) ** _LOGS[self.function])
        with np.errstate(over="ignore"):  # infinite where a number cannot hold it
            return np.asarray(x ** _POWERS[self.function])


@dataclass(frozen=True)
class Term:
    """A product of functions of single hyperparameters, with its coefficient.

    Attributes
    ----------
    factors : tuple of Factor
        The factors.
    coefficient : float
        What it is multiplied by, in the objective's units.
    r2_without : float
        R² of the best sum of the other terms.
    """

    factors: tuple[Factor, ...]
    coefficient: float
    r2_without: float

    @property
    def label(self) -> str:
        """How it is written, without the coefficient."""
        return " · ".join(factor.label for factor in self.factors)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SymbolicEffect(Result):
    """A sum of a few terms for the partial dependence on at most three hyperparameters.

    The terms are powers, logarithms and products of the hyperparameters' values, chosen by the
    error at points that their coefficients were not fitted to.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters.
    intercept : float
        What is added to the terms.
    terms : tuple of Term
        The terms.
    points : tuple of dict
        The points of the effect, in the user's units.
    mean, fitted : ndarray of shape (K,)
        The partial dependence there, and the formula's value.
    held_out : ndarray of bool, shape (K,)
        Which points took no part in the choice.
    r2 : float
        R² of the formula with the partial dependence at the points held out.
    r2_interval : tuple of float or None
        R² with the effects that the trials allow: 95 % of the functions drawn from the posterior,
        or of a forest's trees; None for a model that does not say how uncertain it is.
    known : float
        R² of the partial dependence itself with those effects, at its lower end: the trials tell
        the effect from none where it is above 0. NaN where it is not known.
    least : float
        The R² from which on the formula counts as one.
    drawn : ndarray of shape (number of draws, number of terms) or None
        The coefficients for functions drawn from the posterior; None without one.
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Segel, S. et al. (2023). Symbolic explanations for hyperparameter optimization. AutoML.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"lr": 10.0 ** rng.uniform(-5, -1, 60), "depth": rng.random(60)})
    >>> table["loss"] = 0.2 * (np.log10(table.lr) + 3.0) ** 2
    >>> hx.symbolic(table, "lr", objective="loss").formula
    'loss ≈ 1.8 + 1.2 · log10(lr) + 0.2 · log10(lr)²'
    """

    scope: ClassVar[Scope] = "everywhere"
    names: tuple[str, ...]
    intercept: float
    terms: tuple[Term, ...]
    points: tuple[Mapping[str, Any], ...]
    mean: Array
    fitted: Array
    held_out: npt.NDArray[np.bool_]
    r2: float
    r2_interval: tuple[float, float] | None
    known: float
    least: float
    drawn: Array | None = None

    @property
    def posterior(self) -> PosteriorDraws:
        """How far each term moves the effect of each function drawn, by label; the farthest first.

        The coefficient times the standard deviation of the term over the points, in the objective's
        units, so that terms in other units may be compared; `to_frame` has intervals of the
        coefficients. Which terms there are is the same for all functions.
        """
        if self.drawn is None:
            return super().posterior
        return PosteriorDraws(
            tuple(term.label for term in self.terms),
            self.drawn * np.array([self._spread(term) for term in self.terms]),
            "farthest from 0",
        )

    def _spread(self, term: Term) -> float:
        columns = [f.of([point[f.name] for point in self.points]) for f in term.factors]
        return float(np.std(np.prod(columns, axis=0)))

    @property
    def fits(self) -> bool:
        """Whether the formula describes what the model predicts as well as asked for."""
        return bool(self.terms) and self.r2 >= self.least

    @property
    def told(self) -> bool:
        """Whether the trials tell the effect from none."""
        return self.known > 0.0

    @property
    def formula(self) -> str:
        """The formula; empty where it does not fit, or the effect is not told from none."""
        return str(words().symbolic.formula(self)) if self.fits and self.told else ""

    def predict(self, config: Mapping[str, Any]) -> float:
        """Return the value of the formula at a configuration, in the objective's units.

        Parameters
        ----------
        config : mapping
            Values of the formula's hyperparameters, in the user's units; others are passed over.

        Raises
        ------
        InputError
            If one is missing.
        """
        missing = [name for name in self.names if name not in config]
        if missing:
            problem = f"must have {', '.join(self.names)}, but lacks {missing[0]}"
            raise InputError("config", problem, dict(config), "Add it.")
        total = self.intercept
        for term in self.terms:
            total += term.coefficient * float(
                np.prod([factor.of([config[factor.name]])[0] for factor in term.factors])
            )
        return total

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The formula, or that there is none."""
        if self.r2_interval is None or not self.told:
            known = self.r2_interval is not None
            why = fact("effect_not_told") if known else fact("uncertainty_unknown")
            return (Claim("no_formula", self.names, certain=False, because=(why,)),)
        doubts: tuple[Fact, ...] = self.subject.doubts(self.scope)
        low, high = self.r2_interval
        if self.fits:
            doubts = (*doubts, *self.subject.partly_tried(self.names))
            if low < _FAIR:
                doubts = (*doubts, fact("formula_may_not_fit", low=low))
        elif high >= self.least:
            doubts = (*doubts, fact("formula_may_fit", high=high))
        return (
            Claim(
                "formula" if self.fits else "no_formula",
                self.names,
                (self.formula,) if self.fits else (),
                estimate=self.r2,
                interval=self.r2_interval,
                certain=not doubts,
                because=doubts,
            ),
        )

    def to_frame(self) -> pd.DataFrame:
        """Return a row per term: its coefficient, and R² of the best sum of the others.

        Columns lower and upper are the 95 % interval of the coefficient under the model.
        """
        import pandas as pd

        ends = np.full((2, len(self.terms)), np.nan)
        if self.drawn is not None:
            ends = np.quantile(self.drawn, [0.025, 0.975], axis=0)
        return pd.DataFrame(
            {
                "term": ["1", *(term.label for term in self.terms)],
                "coefficient": [self.intercept, *(term.coefficient for term in self.terms)],
                "lower": [np.nan, *ends[0]],
                "upper": [np.nan, *ends[1]],
                "r2_without": [np.nan, *(term.r2_without for term in self.terms)],
            }
        )

    def _numbers(self) -> dict[str, Any]:
        return {
            "names": self.names,
            "formula": self.formula,
            "terms": self.to_frame().to_dict(orient="list"),
            "r2": self.r2,
            "r2_interval": self.r2_interval,
            "known": self.known,
            "least": self.least,
            "points": [dict(point) for point in self.points],
            "mean": self.mean,
            "fitted": self.fitted,
            "held_out": self.held_out,
        }
