"""What local importance finds, and what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from hpo_explain.base import (
    SHARE_NOT_SETTLED,
    Claim,
    InputError,
    PosteriorDraws,
    Result,
    Table,
    check_name,
    leading,
    percent,
    percent_range,
    printable,
)
from hpo_explain.belief import MATTERS, STRETCH, decide
from hpo_explain.space import Array, Bools, Ints


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LocalImportance(Result):
    """Shares of the variance along each hyperparameter around a configuration (LPI).

    A share says how much the prediction changes when this hyperparameter alone takes its other
    values, not in which direction, and not what changes together with others.

    Attributes
    ----------
    config : mapping
        The configuration, in the user's units; inactive hyperparameters are left out.
    importance, std : ndarray of shape (d,)
        Shares of the variance, which add up to 1 (all 0 where nothing changes the prediction), and
        the standard deviation of each: means over the functions that the trials allow, or shares
        of the prediction with a standard deviation over trees (or NaN). Functions in which nothing
        changes more than noise does have no shares, so means add up to less by their number.
    variance : ndarray of shape (d,)
        Variance along each hyperparameter, in squared units of the prediction: the mean over the
        functions that the trials allow, as the shares are, or that of the prediction (Eq. 2).
    curves : tuple of (str, tuple, ndarray)
        Of each hyperparameter that can vary its values, in the user's units, and the predictions.
    draws : ndarray of shape (number of draws, d)
        The shares in each function that the trials allow.
    prediction : float
        The prediction for the configuration.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.methods.local_importance(table, objective="loss").share("x")
    1.0
    """

    table: ClassVar[Table] = Table(
        index=("hyperparameter", "names"),
        columns={
            "value": lambda result: np.array([*map(result.config.get, result.names)], dtype=object),
            "importance": "importance",
            "std": "std",
            "variance": "variance",
        },
        order="order",
        hidden=("curves", "draws"),
    )
    config: Mapping[str, Any]
    importance: Array
    variance: Array
    curves: tuple[tuple[str, tuple[Any, ...], Array], ...]
    std: Array
    draws: Array
    prediction: float = float("nan")

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def posterior(self) -> PosteriorDraws:
        """The shares of functions drawn from the posterior, by hyperparameter."""
        return self.drawn(self.names, self.draws)

    @property
    def active(self) -> Bools:
        """Whether each hyperparameter is active in the configuration, (d,)."""
        return np.array([name in self.config for name in self.names])

    def share(self, name: str) -> float:
        """Return the share of a hyperparameter."""
        return float(self.importance[self._index(name)])

    def curve(self, name: str) -> tuple[tuple[Any, ...], Array]:
        """Return a hyperparameter's values, in the user's units, and the predictions for them."""
        self._index(name)
        for hyperparameter, values, mean in self.curves:
            if hyperparameter == name:
                return values, mean
        raise InputError(
            "name",
            f"is {name!r}, which is inactive in this configuration, so nothing changes along it",
            name,
            "Choose a configuration in which it is active.",
        )

    def _index(self, name: str) -> int:
        return self.names.index(check_name("name", name, self.names, "hyperparameter"))

    def order(self) -> Ints:
        """Return the hyperparameters' positions, the largest share first."""
        return np.argsort(-self.importance, kind="stable")

    @property
    def headline(self) -> str:
        """What matters most here."""
        first = self.claims[0]
        if first.side == "below":
            return f"Around {self.where} no hyperparameter matters."
        return printable(f"Around {self.where} {first.hyperparameters[0]} matters most.")

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What matters around the configuration, up to three quarters of the variance.

        Certain where 95 % of the functions that the trials allow give it more than 2 %.
        """
        if not self.importance.any():
            whole = decide(self.draws.max(axis=1), MATTERS, side="below")
            text = f"Around {self.where} no hyperparameter alone changes the {self.what}."
            said = self.decided("share", self.names, whole, text=text)
            return (replace(said, side="below"),)
        return tuple(map(self._claim, leading(self.importance)))

    def _claim(self, j: int) -> Claim:
        decision = decide(self.draws[:, j], MATTERS, side="above", stretch=STRETCH["average"])
        low, high = decision.interval
        low, high = max(low, 0.0), min(high, 1.0)
        decision = replace(decision, interval=(low, high))
        unsettled = SHARE_NOT_SETTLED(
            label=self.names[j], threshold=MATTERS, probability=decision.probability
        )
        share = percent(float(self.importance[j]))
        if decision.known:
            share = percent_range(low, high)
        return self.decided(
            "share",
            (self.names[j],),
            decision,
            frame=f"Around {self.where} the {self.what} depends most on {{each}}.",
            text=f"{self.names[j]} ({share})",
            unsettled=unsettled,
            exact=bool(self.subject.acquisition),
        )
