"""A model one can read around one configuration, and how far it agrees with the surrogate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from hpo_explain.base import (
    MOST_NAMED,
    NORMAL_95,
    NOTHING,
    Claim,
    Fact,
    PosteriorDraws,
    Result,
    Table,
    fact,
    format_value,
)
from hpo_explain.belief import STRETCH, decide
from hpo_explain.space import Array

LOW_FIDELITY = 0.5  # a higher one makes the signs of effects no more often right
_DRAWS = 192
_MODELS = {"linear": "linear model", "tree": "small tree"}


def whiskers(model: str, has_draws: bool) -> str:
    """Say what half an interval of an effect is, by the readable model, with or without draws."""
    fit = "sampling error and misfit of the linear model"
    if model == "tree":
        fit = "the spread of predictions within the leaf"
    of_objective = "and" if has_draws else "without"
    return f"1.96 standard deviations: {fit}, {of_objective} the uncertainty of the objective"


@dataclass(frozen=True)
class Presence:
    """A condition on whether a hyperparameter is present, for no reason but itself.

    Attributes
    ----------
    name : str
        The hyperparameter.
    present : bool
        Whether it is.

    Examples
    --------
    >>> str(Presence("warmup", True))
    'warmup present'
    """

    name: str
    present: bool

    def holds(self, config: Mapping[str, Any]) -> bool:
        """Return whether a configuration meets the condition."""
        return (self.name in config) == self.present

    def __str__(self) -> str:
        return f"{self.name} {'present' if self.present else 'absent'}"


@dataclass(frozen=True, eq=False)
class LimeStatement:
    """The effect of one change, or of one leaf, in the simple model.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters it is about.
    kind : {"range", "category", "presence", "leaf"}
        Of a linear model whether a number, a category or the presence of the hyperparameter
        changes; of a tree a leaf.
    values : tuple
        Of a change the value before and after: the ends of the range, two categories, or whether
        it is present. Of a leaf its conditions, each a `Condition` or a `Presence`.
    effect : float
        How much it changes the prediction, in its units: of a number over its whole range; of a
        leaf compared with that of the configuration.
    std : float
        Standard deviation of the fit: of the coefficient over samples, the readable model's misfit
        included, or of predictions within the leaf.
    weight : float
        Share of the sample's weight in which the change is made, or the leaf's conditions hold.
    own : bool
        Whether it is the leaf of the configuration itself.
    model_std : float
        Standard deviation of the effect over the functions that the trials allow; NaN of a single
        one.

    Examples
    --------
    >>> statement = LimeStatement(("lr",), "range", (0.0, 1.0), 0.5, 0.1, 1.0)
    >>> statement.text, statement.effect
    ('lr from 0 to 1', 0.5)
    """

    names: tuple[str, ...]
    kind: Literal["range", "category", "presence", "leaf"]
    values: tuple[Any, ...]
    effect: float
    std: float
    weight: float
    own: bool = False
    model_std: float = math.nan

    @property
    def half(self) -> float:
        """Half the width of the effect's 95 % interval, from both standard deviations."""
        return NORMAL_95 * float(np.hypot(self.std, np.nan_to_num(self.model_std)))

    def holds(self, config: Mapping[str, Any]) -> bool:
        """Return whether a configuration meets all conditions of a leaf."""
        return all(condition.holds(config) for condition in self.values)

    @property
    def conditional(self) -> bool:
        """Whether it is about where conditions hold, not about a change."""
        return self.kind == "leaf"

    @property
    def change(self) -> str:
        """The change without its hyperparameter, as in "from 0 to 1" or "= dart, not gbtree"."""
        was, becomes = self.values
        if self.kind == "presence":
            return "present" if becomes else "absent"
        if self.kind == "category":
            return f"= {format_value(becomes)}, not {format_value(was)}"
        return f"from {format_value(was)} to {format_value(becomes)}"

    @property
    def text(self) -> str:
        """The change, as in "booster = dart, not gbtree", or the conditions."""
        if self.conditional:
            return " and ".join(map(str, self.values)) or "everywhere"
        return f"{self.names[0]} {self.change}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LimeExplanation(Result):
    """A simple model of the surrogate around a configuration.

    Attributes
    ----------
    config : mapping
        The configuration, in the user's units; inactive hyperparameters are left out.
    model : {"linear", "tree"}
        The readable model.
    statements : tuple of LimeStatement
        What it says: its coefficients, the largest first; or its leaves, the configuration's own
        first. Hyperparameters that the sample does not vary are not named, nor those by which a
        tree does not split.
    draws : ndarray of shape (number of statements, draws)
        The effects in each function that the trials allow, with the same terms.
    fidelity : float
        Weighted R² of the readable model against the surrogate; 1 is agreement.
    held_out : float
        The same at fifths of the sample, each predicted from the other four.
    prediction, local_prediction : float
        What the surrogate and the readable model predict for the configuration.
    kernel_width : float
        Width of the kernel that weighs the sample.
    sampling : {"uniform", "local", "given"}
        Where the sample comes from.
    sample_size, effective_size : int and float
        Number of sampled configurations, and how many of equal weight would be worth as much.
    seed : int
        Seed of the sample.

    References
    ----------
    .. [1] Ribeiro, M. T., Singh, S. and Guestrin, C. (2016). "Why should I trust you?" Explaining
       the predictions of any classifier. KDD. https://arxiv.org/abs/1602.04938

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> result = hx.methods.lime(table, objective="loss")
    >>> result.model, bool(result.statements[0].effect > 0)
    ('linear', True)
    """

    table: ClassVar[Table] = Table(
        index=("statement", "texts"),
        columns={
            "effect": lambda result: [s.effect for s in result.statements],
            "std": lambda result: [s.std for s in result.statements],
            "model_std": lambda result: [s.model_std for s in result.statements],
            "weight": lambda result: [s.weight for s in result.statements],
            "own": lambda result: [s.own for s in result.statements],
        },
        contributions=("effect",),
        hidden=("statements", "draws"),
    )
    config: Mapping[str, Any]
    model: str
    statements: tuple[LimeStatement, ...]
    fidelity: float
    held_out: float
    prediction: float
    local_prediction: float
    kernel_width: float
    sampling: str
    sample_size: int
    effective_size: float
    seed: int
    draws: Array

    @property
    def posterior(self) -> PosteriorDraws:
        """The effects in each function that the trials allow, the largest first."""
        return self.drawn(tuple(self.texts), self.draws.T, "farthest from 0")

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def texts(self) -> list[str]:
        """The statements in words."""
        return [statement.text for statement in self.statements]

    @property
    def readable(self) -> str:
        """The readable model in words."""
        return _MODELS[self.model]

    @property
    def remarks(self) -> tuple[Fact, ...]:
        """Why the readable model should not be interpreted; empty where it agrees well enough."""
        if self.held_out >= LOW_FIDELITY:
            return ()
        other = "more depth" if self.model == "tree" else "a tree"
        return (
            fact(
                f"the {self.readable} misses most of what the surrogate does here (held-out R² = "
                f"{self.held_out:.2f}): do not interpret it. Try a smaller kernel_width, "
                f"sampling='local', or {other}",
                role="said",
            ),
        )

    @property
    def _places(self) -> list[int]:
        least = NOTHING * max((abs(s.effect) for s in self.statements), default=0.0)
        return [i for i, s in enumerate(self.statements) if abs(s.effect) > least][:MOST_NAMED]

    @property
    def leading(self) -> tuple[LimeStatement, ...]:
        """The first statements with an effect, at most three."""
        return tuple(self.statements[i] for i in self._places)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The leading effects.

        Certain are those whose sign 95 % of the functions that the trials allow agree on, the
        spread of the fit over samples included.
        """
        if not self.leading:
            text = (
                f"{self._model_here} no hyperparameter changes the {self.what}, which is "
                f"{format_value(self.prediction)}."
            )
            none = decide(np.zeros(1)).claim("difference", self.names, text=text)
            return (replace(none, side="below"),)
        return tuple(map(self._claim, self._places))

    @property
    def _model_here(self) -> str:
        return f"In a {self.readable} around {self.where} (held-out R² = {self.held_out:.2f})"

    def _claim(self, i: int) -> Claim:
        said, draws = self.statements[i], self.draws[i]
        if self.subject.acquisition:  # it is known, and its fit is not
            draws = np.full(_DRAWS, said.effect)
        fit = np.random.default_rng(self.seed).standard_normal(len(draws))
        draws = draws + said.std * (fit - fit.mean())
        decision = decide(draws, stretch=STRETCH["average"])
        bounded = decision.shown.least is not None
        sign = "+" if said.effect >= 0.0 and not bounded else ""
        where = "where" if said.conditional else "for"
        claim = decision.claim(
            "difference",
            said.names,
            frame=f"{self._model_here} the {self.what} changes {{each}}.",
            text=f"by {sign}{decision.shown} {where} {said.text}",
            because=self.remarks,
            values=said.values,
        )
        return replace(claim, side="above")  # an effect, whatever its sign
