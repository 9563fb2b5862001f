"""How importance changes as weight moves from one objective to another.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
f, g       the cost of a draw of either objective, over the range of its trials' costs
w          the weight of the second objective, from 0 to 1
S_j(w)     share of the variance of ``(1 - w) f + w g`` that hyperparameter j has alone
=========  ============================================================================

Each objective has a belief of its own, and the functions of both are independent. At either end
the shares are those of one objective.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hpo_explain.base import InputError, Subject, declared_fact
from hpo_explain.belief import MATTERS, Weighted, as_draws
from hpo_explain.methods.importance.trade_off_result import TradeOffImportance
from hpo_explain.models import Surrogate
from hpo_explain.run import Objectives
from hpo_explain.space import Array

_WEIGHTS = 11

_WEIGHTED = declared_fact(
    "objectives_weighted",
    "objectives are weighted in units of the range of their trials, with {draws} functions of each "
    "that the trials allow",
)


def trade_off(
    objectives: Objectives, surrogates: Mapping[str, Surrogate], *, seed: int = 0
) -> TradeOffImportance:
    """Return the importance for sums of two objectives, each with its model.

    Raises
    ------
    InputError
        If there are not two objectives, or a model does not know how its predictions vary together.

    References
    ----------
    .. [1] Theodorakopoulos, D., Stahl, F. and Lindauer, M. (2024). Hyperparameter importance
       analysis for multi-objective AutoML. ECAI. https://arxiv.org/abs/2405.07640

    Examples
    --------
    >>> import hpo_explain as hx
    >>> from hpo_explain.run import Objectives
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(30)
    >>> loss = hx.Run(space, X, X[:, 0], "minimize", objective_name="loss")
    >>> size = hx.Run(space, X, X[:, 1], "minimize", objective_name="size")
    >>> both = Objectives.of({"loss": loss, "size": size})
    >>> found = trade_off(both, {name: run.belief() for name, run in both.runs.items()})
    >>> found.estimate[[0, 5, 10]].round(1).tolist()
    [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]
    """
    names = objectives.names
    if len(names) != 2:
        problem = f"is 'trade-off', which is between two objectives, but there are {len(names)}"
        remedy = "Give two runs by objective, such as {'loss': ..., 'size': ...}."
        raise InputError("target", problem, "trade-off", remedy)
    of_each = []
    for name, run in objectives.runs.items():
        draws = as_draws(surrogates[name], run.direction, seed=seed)
        if not draws.joint:
            problem = "is 'trade-off', but the model has no functions that the trials allow"
            raise InputError("target", problem, "trade-off")
        of_each.append(draws)
    units = 1.0 / objectives.spreads
    weights = np.linspace(0.0, 1.0, _WEIGHTS)
    shares = [
        _shares(Weighted(of_each, [(1.0 - w) * units[0], w * units[1]])) for w in weights.tolist()
    ]
    subject = Subject.of(objectives.first)
    return TradeOffImportance(
        subject=subject,
        objectives=names,
        weights=weights,
        shares=np.stack(shares),
        notes=(_WEIGHTED(draws=len(shares[0])), *subject.notes),
    )


def _shares(draws: Weighted) -> Array:
    """Return the share that each hyperparameter has alone in each draw, (k, d)."""
    anova = draws.anova
    # of a function that hardly varies beside the noise nobody can tell what decides it
    there = (anova.of_evaluations > MATTERS)[:, None]
    return np.where(there, anova.mains, 0.0)
