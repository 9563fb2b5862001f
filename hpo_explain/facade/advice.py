"""What to do next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from hpo_explain import diagnostics
from hpo_explain.diagnostics import Trust
from hpo_explain.explainers.advice import AdviceExplainer
from hpo_explain.explanations import Advice, PartialDependence, Recommendation, Subspace
from hpo_explain.facade._asked import read
from hpo_explain.facade.effects import next_experiments, partial_dependence
from hpo_explain.facade.fanova import importance, subspace
from hpo_explain.facade.recommended_space import recommended_space
from hpo_explain.run import Run
from hpo_explain.surrogates import SupportsJoint

EXPERIMENTS: Mapping[str, Any] = {"n": 3, "sample": 100, "grid_size": 10, "candidates": 200}
"""How many experiments are asked for, and how they are searched."""
_EFFECT_ROWS, _EFFECT_GRID = 100, 15


class Analysed:
    """The analyses of a run that advice rests on, each computed once, when it is asked for.

    Parameters
    ----------
    run : Run
        The run.
    seed : int, default 0
        Seed of the analyses.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X = space.sample(20, seed=1)
    >>> Analysed(hx.Run(space, X, X[:, 0], "minimize")).trust.level
    'good'
    """

    def __init__(self, run: Run, *, seed: int = 0) -> None:
        self.run = run
        self._seed = seed

    @cached_property
    def trust(self) -> Trust:
        """Whether the surrogate of all trials is good enough to be explained."""
        return diagnostics.trust(self.run.surrogate(), self.run.direction)

    def effect(self, name: str) -> PartialDependence:
        """Return the partial dependence on a hyperparameter."""
        return partial_dependence(
            self.run,
            name,
            sample=_EFFECT_ROWS,
            grid_size=_EFFECT_GRID,
            attainable=False,
            seed=self._seed,
        )

    @cached_property
    def recommended_space(self) -> Recommendation:
        """A narrower space."""
        return recommended_space(self.run, seed=self._seed)

    @cached_property
    def subspace(self) -> Subspace:
        """What can stay fixed."""
        return subspace(self.run, seed=self._seed)

    @cached_property
    def experiments(self) -> Sequence[Mapping[str, Any]]:
        """The trials that would narrow the most important effect most; empty where unknown."""
        if not isinstance(self.run.surrogate(), SupportsJoint):
            return []
        found = importance(self.run, seed=self._seed)
        most = max(self.run.space.names, key=found.share)
        return next_experiments(self.run, most, seed=self._seed, **EXPERIMENTS)


def advise(
    run: Any, *, most: int = 5, surrogate: Any = None, seed: int = 0, **reading: Any
) -> Advice:
    """Say what to do next: a handful of actions, what is expected to bring most first.

    Parameters
    ----------
    run : optuna.Study, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    most : int, default 5
        The largest number of actions.
    surrogate : Surrogate or object, optional
        A model of your own, as in :meth:`Run.explained_by`.
    seed : int, default 0
        Seed of the models, samples and draws.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    Advice
        The actions, each with its expected gain, evidence, how sure it is, and code to paste.
        ``advice.apply(study)`` follows them.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, or none is feasible.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"x": rng.random(40), "y": rng.random(40)})
    >>> table["loss"] = (table.x - 0.2) ** 2
    >>> advice = hx.advise(table, objective="loss")
    >>> "x" in advice.actions[0].hyperparameters, len(advice.actions) <= 5
    (True, True)
    """
    analyses = Analysed(read(run, reading, surrogate), seed=seed)
    return AdviceExplainer(analyses, most=most, seed=seed).explain()
