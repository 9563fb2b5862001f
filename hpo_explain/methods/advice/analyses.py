"""What advice rests on: the analyses of a run, each computed when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from hpo_explain.belief.trust import Trust
from hpo_explain.belief.trust import trust as trust_in
from hpo_explain.methods.advice.next_experiments import next_experiments
from hpo_explain.methods.effects.effect_result import Effect
from hpo_explain.methods.effects.partial_dependence import partial_dependence
from hpo_explain.methods.importance.importance import importance
from hpo_explain.methods.space.recommended_space import recommended_space
from hpo_explain.methods.space.recommended_space_result import Recommendation
from hpo_explain.methods.space.subspace import subspace
from hpo_explain.methods.space.subspace_result import Subspace
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
        """How well the objective is known by all trials."""
        return self.once("trust", lambda: trust_in(self.run.belief(seed=self._seed)))

    @property
    def believed(self) -> bool:
        """Whether the objective is known at all."""
        return self.trust.level != "poor"

    @property
    def ranking(self) -> list[str]:
        """The hyperparameters by the variance that they explain alone, the largest first."""

        def ordered() -> list[str]:
            found = importance(self.run, seed=self._seed)
            return sorted(self.run.space.names, key=found.share, reverse=True)

        return self.once("ranking", ordered)

    def effect(self, name: str) -> Effect:
        """Return the partial dependence on a hyperparameter."""
        options = {"sample": self.effect_rows, "grid_size": _EFFECT_GRID, "attainable": False}
        return self.once(
            f"effect {name}",
            lambda: partial_dependence(self.run, name, seed=self._seed, **options),
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
            most = self.ranking[0]
            return next_experiments(self.run, most, seed=self._seed, **_EXPERIMENTS)

        return self.once("experiments", found)
