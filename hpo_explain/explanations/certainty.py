"""Whether it can be told what a hyperparameter's value does to the objective."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hpo_explain.diagnostics import Scope
from hpo_explain.explanations.subject import Subject
from hpo_explain.facts import Fact, fact
from hpo_explain.space import Array

NORMAL_95 = 1.959963984540054


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
    """

    phi: Array
    standard_error: Array
    model_std: Array


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
