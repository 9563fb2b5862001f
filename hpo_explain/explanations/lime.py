"""A model one can read around one configuration, and how far it agrees with the surrogate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from hpo_explain._edge import words
from hpo_explain.diagnostics import Scope
from hpo_explain.explanations.claims import NOTHING, Claim, between
from hpo_explain.explanations.result import Result
from hpo_explain.facts import Fact, fact

if TYPE_CHECKING:
    import pandas as pd

LOW_FIDELITY = 0.5
_MAIN_COUNT = 3


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

    def __str__(self) -> str:
        return f"{self.name} {'present' if self.present else 'absent'}"


@dataclass(frozen=True, eq=False)
class LimeStatement:
    """What the readable model says about one change, or about one of its leaves.

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
        Standard deviation: of the coefficient, or of predictions within the leaf.
    weight : float
        Share of the sample's weight in which the change is made, or that is in the leaf.
    own : bool
        Whether it is the leaf of the configuration itself.

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

    @property
    def text(self) -> str:
        """The change or the leaf in words, as in "booster = dart, not gbtree"."""
        return str(words().lime.statement(self))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LimeExplanation(Result):
    """A sparse linear model or a small tree in place of the surrogate around a configuration.

    Attributes
    ----------
    config : mapping
        The configuration, in the user's units; inactive hyperparameters are left out.
    model : {"linear", "tree"}
        The readable model.
    statements : tuple of LimeStatement
        What it says: its coefficients, the largest first; or its leaves, the configuration's own
        first. Hyperparameters that are not named have no effect in it.
    fidelity : float
        Weighted R² of the readable model against the surrogate; 1 is agreement.
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
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Ribeiro, M. T., Singh, S. and Guestrin, C. (2016). "Why should I trust you?" Explaining
       the predictions of any classifier. KDD. https://arxiv.org/abs/1602.04938

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> result = hx.lime(table, objective="loss")
    >>> result.model, bool(result.statements[0].effect > 0)
    ('linear', True)
    """

    scope: ClassVar[Scope] = "good_region"
    config: Mapping[str, Any]
    model: str
    statements: tuple[LimeStatement, ...]
    fidelity: float
    prediction: float
    local_prediction: float
    kernel_width: float
    sampling: str
    sample_size: int
    effective_size: float
    seed: int

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def caution(self) -> Fact | None:
        """Why the readable model should not be interpreted; None where it agrees well enough."""
        if self.fidelity >= LOW_FIDELITY:
            return None
        return fact("low_fidelity", model=self.model, fidelity=self.fidelity)

    @property
    def leading(self) -> tuple[LimeStatement, ...]:
        """The first statements with an effect, at most three."""
        least = NOTHING * max((abs(s.effect) for s in self.statements), default=0.0)
        return tuple(s for s in self.statements if abs(s.effect) > least)[:_MAIN_COUNT]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The leading effects; certain where the readable model agrees well enough."""
        because = () if self.caution is None else (self.caution,)
        claims = [
            Claim("effect", s.names, s.values, s.effect, between(s.effect, s.std))
            for s in self.leading
        ] or [Claim("no_effect", self.names, estimate=0.0)]
        return tuple(replace(claim, certain=not because, because=because) for claim in claims)

    @property
    def contributions_in(self) -> tuple[str, ...]:
        """Columns of the table that hold effects: rounding is shown as 0."""
        return ("effect",)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per statement: what, effect, std, weight, and whether it is its own."""
        import pandas as pd

        columns = ("effect", "std", "weight", "own")
        return pd.DataFrame(
            {name: [getattr(s, name) for s in self.statements] for name in columns},
            index=pd.Index([s.text for s in self.statements], name="statement"),
        )

    def _numbers(self) -> dict[str, Any]:
        return {
            "config": self.config,
            "model": self.model,
            "statements": [
                {
                    "names": s.names,
                    "text": s.text,
                    "effect": s.effect,
                    "std": s.std,
                    "weight": s.weight,
                    "own": s.own,
                }
                for s in self.statements
            ],
            "fidelity": self.fidelity,
            "prediction": self.prediction,
            "local_prediction": self.local_prediction,
            "kernel_width": self.kernel_width,
            "sampling": self.sampling,
            "sample_size": self.sample_size,
            "effective_size": self.effective_size,
            "seed": self.seed,
            "surrogate": self.subject.model,
        }
