"""Whether it can be told what a hyperparameter's value does to the objective."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.subject import Subject
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.space import Array

NORMAL_95 = 1.959963984540054
BY_CHANCE = 0.01  # a value is common among good trials if chance does it more rarely
CLEAR = 1.1  # times as common: less is not told


@dataclass(frozen=True, eq=False)
class ObjectiveContributions:
    """What each hyperparameter does to the predicted objective, and how sure the model is.

    Attributes
    ----------
    phi : ndarray of shape (d,)
        Contributions, in the objective's units; where it is minimized, negative ones are good.
    standard_error : ndarray of shape (d,)
        Standard error of integrating over the background.
    model_std : ndarray of shape (d,)
        Their standard deviation under the model: the posterior's for a Gaussian process, that
        over the trees for a forest.
    covariance : ndarray of shape (d, d) or None
        Their posterior covariance; None of a forest.
    """

    phi: Array
    standard_error: Array
    model_std: Array
    covariance: Array | None = None


@dataclass(frozen=True, eq=False)
class Commonness:
    """How common the values of a configuration are among good and among other trials.

    Attributes
    ----------
    good, bad : ndarray of shape (d,)
        Their densities as multiples of chance, whatever the other values are; NaN where inactive.
    near : ndarray of shape (d, 2)
        Both, as means over values within a tenth of the hyperparameter's scale.
    by_chance : ndarray of shape (d, 2)
        How probable it is by chance that trials near the value are as often good, or as rarely.
    """

    good: Array
    bad: Array
    near: Array
    by_chance: Array

    def doubts(self, j: int, name: str, term: str, *, raises: bool) -> tuple[Fact, ...]:
        """Return why it cannot be told that a value is as common as a term suggests.

        Parameters
        ----------
        j : int
            The hyperparameter.
        name : str
            Its name.
        term : {"good", "bad"}
            The term that leads its contribution.
        raises : bool
            Whether the value raises the term: it is common among good trials, or rare among the
            others.
        """
        common = raises if term == "good" else not raises
        times = float((self.good if term == "good" else self.bad)[j])
        around = float(self.near[j, 0 if term == "good" else 1])
        # contributions compare with an average configuration, words with chance, as the densities
        clear = min(times, around) >= CLEAR if common else max(times, around) <= 1.0 / CLEAR
        if not clear:
            return (fact("not_by_itself", names=[name], times=times),)
        if term == "good":
            return doubts_of_chance(name, float(self.by_chance[j, 0 if raises else 1]))
        return ()


def doubts_of_chance(name: str, by_chance: float) -> tuple[Fact, ...]:
    """Return a fact where chance alone may have made trials with a value good, or bad."""
    return (fact("may_be_chance", names=[name]),) if by_chance > BY_CHANCE else ()


def doubts_of_value(
    subject: Subject,
    scope: Scope,
    config: Mapping[str, Any],
    name: str,
    effect: float,
    half: float,
) -> tuple[Fact, ...]:
    """Return why it cannot be told that a value does something to the objective.

    Parameters
    ----------
    subject : Subject
        The model and the trials that it knew.
    scope : {"everywhere", "good_region", "proposals"}
        Which verdict of trust the statement needs.
    config : mapping
        The configuration.
    name : str
        The hyperparameter.
    effect : float
        How much it does what is said of it; negative where it does the opposite.
    half : float
        Half the 95 % interval of that, under the model.

    Returns
    -------
    tuple of Fact
        Empty where it can be told.
    """
    sign = () if effect > half else (fact("sign_not_known", names=[name]),)
    tried = {name: [config[name]]} if name in config else {}
    return (*sign, *subject.doubts(scope), *subject.untried(tried))
