"""A model one can read around one configuration, and how far it agrees with the surrogate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from hpo_explain.base.claim import NOTHING, Claim, between
from hpo_explain.base.edge import words
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.posterior import PosteriorDraws
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.explanations.certainty import NORMAL_95
from hpo_explain.explanations.result import Result
from hpo_explain.space import Array
from hpo_explain.space.support import FEW

if TYPE_CHECKING:
    import pandas as pd

LOW_FIDELITY = 0.5  # a higher one makes the signs of effects no more often right
_MAIN_COUNT = 3
_TRIED_SHARE = 0.5  # of a number's values: a line is through most of what was tried


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
    """What the readable model says about one change, or about one of its leaves.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters it is about.
    kind : {"range", "category", "presence", "leaf", "rule"}
        Of a linear model whether a number, a category or the presence of the hyperparameter
        changes; of a tree a leaf; of rules a rule.
    values : tuple
        Of a change the value before and after: the ends of the range, two categories, or whether
        it is present. Of a leaf or a rule its conditions, each a `Condition` or a `Presence`.
    effect : float
        How much it changes the prediction, in its units: of a number over its whole range; of a
        leaf compared with that of the configuration; of a rule where it holds, which it does not
        for the configuration.
    std : float
        Standard deviation of the fit: of the coefficient over samples, the readable model's misfit
        included, or of predictions within the leaf.
    weight : float
        Share of the sample's weight in which the change is made, or the leaf's or rule's
        conditions hold.
    own : bool
        Whether it is the leaf of the configuration itself.
    model_std : float or None
        Standard deviation of the effect under the surrogate; None where that gives none.

    Examples
    --------
    >>> statement = LimeStatement(("lr",), "range", (0.0, 1.0), 0.5, 0.1, 1.0)
    >>> statement.text, statement.effect
    ('lr from 0 to 1', 0.5)
    """

    names: tuple[str, ...]
    kind: Literal["range", "category", "presence", "leaf", "rule"]
    values: tuple[Any, ...]
    effect: float
    std: float
    weight: float
    own: bool = False
    model_std: float | None = None

    @property
    def half(self) -> float:
        """Half the width of the effect's 95 % interval, from both standard deviations."""
        return NORMAL_95 * float(np.hypot(self.std, self.model_std or 0.0))

    def holds(self, config: Mapping[str, Any]) -> bool:
        """Return whether a configuration meets all conditions of a leaf or a rule."""
        return all(condition.holds(config) for condition in self.values)

    @property
    def text(self) -> str:
        """The change or the leaf in words, as in "booster = dart, not gbtree"."""
        return str(words().lime.statement(self))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LimeExplanation(Result):
    """A model one can read in place of the surrogate around a configuration.

    Attributes
    ----------
    config : mapping
        The configuration, in the user's units; inactive hyperparameters are left out.
    model : {"linear", "lasso", "tree", "rules"}
        The readable model.
    statements : tuple of LimeStatement
        What it says: its coefficients or rules, the largest first; or its leaves, the
        configuration's own first. Hyperparameters that are not named have no effect in it.
    std_kind : {"posterior", "trees", ""}
        Whether the effects' `model_std` is the posterior's (observation noise excluded), over
        trees, or not known.
    covariance : ndarray of shape (number of statements, number of statements) or None
        Posterior covariance of the effects; None without a joint posterior.
    fidelity : float
        Weighted R² of the readable model against the surrogate; 1 is agreement.
    held_out : float
        The same at fifths of the sample, each predicted from the other four.
    prediction, local_prediction : float
        What the surrogate and the readable model predict for the configuration.
    kernel_width : float
        Width of the kernel that weighs the sample.
    sampling : {"uniform", "local", "perturbed", "univariate", "grid", "given"}
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
    held_out: float
    prediction: float
    local_prediction: float
    kernel_width: float
    sampling: str
    sample_size: int
    effective_size: float
    seed: int
    std_kind: str = ""
    covariance: Array | None = None

    @property
    def posterior(self) -> PosteriorDraws:
        """The effects for functions drawn from the posterior, by statement; the largest first.

        The readable model has the same terms for each; the kernel's parameters are the model's.
        """
        if self.covariance is None:
            return super().posterior
        return PosteriorDraws.of_normal(
            [statement.text for statement in self.statements],
            np.array([statement.effect for statement in self.statements]),
            self.covariance,
            first="farthest from 0",
            draws=self.subject.draws,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def caution(self) -> Fact | None:
        """Why the readable model should not be interpreted; None where it agrees well enough."""
        if self.held_out >= LOW_FIDELITY:
            return None
        return fact("low_fidelity", model=self.model, fidelity=self.held_out)

    @property
    def leading(self) -> tuple[LimeStatement, ...]:
        """The first statements with an effect, at most three."""
        least = NOTHING * max((abs(s.effect) for s in self.statements), default=0.0)
        return tuple(s for s in self.statements if abs(s.effect) > least)[:_MAIN_COUNT]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The leading effects.

        Certain are those whose 95 % interval excludes 0, where the readable model agrees well
        enough with the surrogate, the surrogate is trusted and most of the values were tried.
        """
        if not self.leading:
            return (Claim("no_effect", self.names, estimate=0.0, certain=False),)
        return tuple(map(self._claim, self.leading))

    def _claim(self, said: LimeStatement) -> Claim:
        within = abs(said.effect) <= said.half
        because = (
            *([fact("effect_within_uncertainty", names=said.names)] if within else []),
            *self._doubts(),
            *([] if self.subject.acquisition else self._untried(said)),
        )
        interval = between(said.effect, said.half)
        return Claim("effect", said.names, said.values, said.effect, interval, not because, because)

    def _doubts(self) -> tuple[Fact, ...]:
        """Return why no effect is certain."""
        low = () if self.caution is None else (self.caution,)
        if self.subject.acquisition:  # its values are what they are
            return low
        unknown = () if self.std_kind else (fact("uncertainty_unknown"),)
        return (*low, *unknown, *self.subject.doubts(self.scope))

    def _untried(self, said: LimeStatement) -> tuple[Fact, ...]:
        """Return the hyperparameters of a statement if what it compares was hardly tried."""
        support, tried = self.subject.support, self.subject.tried
        if support is None or tried is None:
            return ()
        if said.kind == "rule":
            count = sum(map(said.holds, support.space.decode(tried)))
            enough = FEW <= count <= len(tried) - FEW
        elif said.kind == "leaf":
            configs = support.space.decode(tried)
            leaves = [s for s in self.statements if s is said or s.own]
            enough = all(sum(map(s.holds, configs)) >= FEW for s in leaves)
        elif said.kind == "presence":
            there = support.branch(said.names[0])
            enough = FEW <= there.sum() <= len(there) - FEW
        elif said.kind == "category":
            enough = bool(support.at(said.names[0], said.values).all())
        else:
            enough = support.share(said.names[0]) >= _TRIED_SHARE
        return () if enough else (fact("value_not_tried", names=said.names),)

    @property
    def contributions_in(self) -> tuple[str, ...]:
        """Columns of the table that hold effects: rounding is shown as 0."""
        return ("effect",)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per statement: what, effect, both stds, weight, whether it is its own."""
        import pandas as pd

        columns = ("effect", "std", "model_std", "weight", "own")
        return pd.DataFrame(
            {name: [getattr(s, name) for s in self.statements] for name in columns},
            index=pd.Index([s.text for s in self.statements], name="statement"),
        ).astype({"model_std": float})

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
                    "model_std": s.model_std,
                    "weight": s.weight,
                    "own": s.own,
                }
                for s in self.statements
            ],
            "std_kind": self.std_kind,
            "fidelity": self.fidelity,
            "held_out": self.held_out,
            "prediction": self.prediction,
            "local_prediction": self.local_prediction,
            "kernel_width": self.kernel_width,
            "sampling": self.sampling,
            "sample_size": self.sample_size,
            "effective_size": self.effective_size,
            "seed": self.seed,
            "surrogate": self.subject.model,
        }
