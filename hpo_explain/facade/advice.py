"""What to do next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from hpo_explain.base.progress import shows_progress
from hpo_explain.diagnostics._trust import Trust
from hpo_explain.diagnostics._trust import trust as trust_in
from hpo_explain.explainers.advice import AdviceExplainer
from hpo_explain.explanations.advice import Advice
from hpo_explain.explanations.recommended_space import Recommendation
from hpo_explain.explanations.subspace import Subspace
from hpo_explain.facade._asked import read
from hpo_explain.facade.effects import next_experiments
from hpo_explain.facade.fanova import importance, subspace
from hpo_explain.facade.recommended_space import recommended_space
from hpo_explain.methods.effects.effect_result import PartialDependence
from hpo_explain.methods.effects.partial_dependence import partial_dependence
from hpo_explain.models.protocols import SupportsJoint
from hpo_explain.run import Run

_EXPERIMENTS: Mapping[str, Any] = {"n": 3, "sample": 100, "grid_size": 10, "candidates": 200}
_EFFECT_ROWS, _EFFECT_GRID = 100, 15

_T = TypeVar("_T")


class Analysed:
    """The analyses of a run that advice rests on, each computed once, when it is asked for.

    An analysis that there is nothing for raises `NothingToExplain`, whoever asks.

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

    effect_rows: ClassVar[int] = _EFFECT_ROWS

    def __init__(self, run: Run, *, seed: int = 0) -> None:
        self.run = run
        self._seed = seed
        self._found: dict[str, Any] = {}
        self._failed: dict[str, Exception] = {}

    def once(self, name: str, compute: Callable[[], _T]) -> _T:
        """Return what an analysis found; it is computed, or fails, once."""
        if name in self._failed:
            raise self._failed[name]
        if name not in self._found:
            try:
                self._found[name] = compute()
            except Exception as error:
                self._failed[name] = error
                raise
        found: _T = self._found[name]
        return found

    @property
    def trust(self) -> Trust:
        """Whether the surrogate of all trials is good enough to be explained."""
        return self.once("trust", lambda: trust_in(self.run.surrogate(), self.run.direction))

    @property
    def ranking(self) -> list[str]:
        """The hyperparameters by the variance that they explain alone, the largest first."""

        def ordered() -> list[str]:
            found = importance(self.run, seed=self._seed)
            return sorted(self.run.space.names, key=found.share, reverse=True)

        return self.once("ranking", ordered)

    def effect(self, name: str) -> PartialDependence:
        """Return the partial dependence on a hyperparameter."""
        rows, grid, seed = self.effect_rows, _EFFECT_GRID, self._seed
        return self.once(
            f"effect {name}",
            lambda: partial_dependence(
                self.run, name, sample=rows, grid_size=grid, attainable=False, seed=seed
            ),
        )

    @property
    def recommended_space(self) -> Recommendation:
        """A narrower space."""
        return self.once("recommended_space", lambda: recommended_space(self.run, seed=self._seed))

    @property
    def subspace(self) -> Subspace:
        """What can stay fixed."""
        return self.once("subspace", lambda: subspace(self.run, seed=self._seed))

    @property
    def experiments(self) -> Sequence[Mapping[str, Any]]:
        """The trials that would narrow the most important effect most; empty where unknown."""

        def found() -> list[dict[str, Any]]:
            if not isinstance(self.run.surrogate(), SupportsJoint):
                return []  # it does not tell which trials would narrow the band most
            return next_experiments(self.run, self.ranking[0], seed=self._seed, **_EXPERIMENTS)

        return self.once("experiments", found)


@shows_progress
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
    analyses = Analysed(read(advise, run, reading, surrogate), seed=seed)
    return AdviceExplainer(analyses, most=most, seed=seed).explain()
