"""Advice: the claims that hold, turned into a handful of actions.

Each kind of action has a file of its own in `_advice`. What a change of the space gains is what 20
random trials are expected to bring with it, less what they are without it, under the posterior; of
a single trial it is the expected improvement. Actions are ordered by that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isnan
from typing import TypeVar

from hpo_explain.base.blas import one_blas_thread
from hpo_explain.base.checks import check_count, check_seed
from hpo_explain.base.errors import NothingToExplain, unless_nothing
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.explainers._advice.analyses import Analyses
from hpo_explain.explainers._advice.attempt import attempt
from hpo_explain.explainers._advice.beware import beware, failing
from hpo_explain.explainers._advice.branch import branch
from hpo_explain.explainers._advice.experiment import experiment
from hpo_explain.explainers._advice.explore import explore, promising
from hpo_explain.explainers._advice.finish import go_on, stop
from hpo_explain.explainers._advice.fix import fix
from hpo_explain.explainers._advice.improvement import Candidates
from hpo_explain.explainers._advice.narrow import narrow
from hpo_explain.explainers._advice.prospects import Prospects
from hpo_explain.explainers._advice.repeat import luck, repeat
from hpo_explain.explainers._advice.rescale import rescale
from hpo_explain.explainers._advice.wait import wait
from hpo_explain.explainers._advice.widen import widen
from hpo_explain.explainers.recommended_space import still_possible
from hpo_explain.explanations.advice import Action, Advice
from hpo_explain.space import SearchSpace

_T = TypeVar("_T")


class AdviceExplainer:
    """Advises what to do next.

    Parameters
    ----------
    analyses : object
        What the advice rests on: an object with the attributes `run`, `trust`,
        `recommended_space`, `subspace` and `experiments`, and the method `effect(name)`, each
        computed when it is asked for.
    most : int, default 5
        The largest number of actions.
    seed : int, default 0
        Seed of samples and draws.

    Raises
    ------
    InputError
        If `most` is not a positive whole number.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> from hpo_explain.facade.advice import Analysed
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=1)
    >>> run = hx.Run(space, X, (X[:, 0] - 0.2) ** 2, "minimize")
    >>> len(AdviceExplainer(Analysed(run), most=1).explain().actions)
    1
    """

    def __init__(self, analyses: Analyses, *, most: int = 5, seed: int = 0) -> None:
        self._analyses = analyses
        self._most = check_count("most", most)
        self._seed = check_seed(seed)

    @shows_progress
    def explain(self) -> Advice:
        """Return what to do next.

        Returns
        -------
        Advice
            The actions, what is expected to bring most first.
        """
        with one_blas_thread():  # last digits of a covariance decide which functions are drawn
            return self._explained()

    def _explained(self) -> Advice:
        run = self._analyses.run
        found = _Found(self._analyses, self._seed)
        ordered = sorted(found.actions(), key=_by_gain)[: self._most]
        actions = tuple(replace(action, framework=run.framework) for action in ordered)
        return Advice(
            subject=replace(Subject.of(run), trust=unless_nothing(lambda: self._analyses.trust)),
            notes=tuple(found.notes),
            actions=actions,
            space=_after(run.space, actions),
        )


def _by_gain(action: Action) -> tuple[bool, float]:
    """Order by gain; what is still to gain by going on is not what an action brings.

    To explore comes first: it is advised where hardly anything is expected of all else.
    """
    if action.kind == "explore":
        return False, -float("inf")
    return action.kind == "go_on", float("inf") if isnan(action.gain) else -action.gain


def _after(space: SearchSpace, actions: Sequence[Action]) -> SearchSpace:
    """Return the space to search on in after all actions."""
    changed = {p.name: p for action in actions for p in action.parameters}
    possible, _ = still_possible([changed.get(p.name, p) for p in space])
    return SearchSpace(possible)


class _Found:
    """The actions of a run, and the parts that could not be computed."""

    def __init__(self, analyses: Analyses, seed: int) -> None:
        self._analyses, self._seed = analyses, seed
        self.notes: list[Fact] = []

    def actions(self) -> list[Action]:
        """Return all actions that the claims support."""
        analyses = self._analyses
        run = analyses.run
        candidates = self._unless("try", lambda: Candidates.of(run))
        if candidates is None:
            warned = self._unless("beware", lambda: beware(run, None)) or []
            return [
                *warned,
                *self._several(self._unless("go_on", lambda: go_on(analyses, None, None))),
            ]
        prospects = Prospects(run, seed=self._seed)
        warned = self._unless("beware", lambda: beware(run, prospects)) or []
        hidden = self._unless("repeat", lambda: repeat(analyses, candidates))
        lucky = self._unless("repeat", lambda: luck(analyses)) if hidden is None else None
        self.notes += [] if lucky is None else [lucky]
        widened = self._unless("widen", lambda: widen(analyses, candidates))
        if widened is None and hidden is None:
            finished = self._unless("stop", lambda: stop(analyses, candidates, prospects))
            if finished is not None:
                return [finished, *warned]
        known = [*warned, *self._several(widened)]
        names = {parameter.name for action in known for parameter in action.parameters}
        rescaled = self._unless("rescale", lambda: rescale(run, names))
        changes = self._several(widened, rescaled)
        avoid = failing(run.space, warned)
        all_tried = far = None

        def attempted(most: int | None = None) -> Action | None:
            return self._unless(
                "try", lambda: attempt(analyses, candidates, prospects, changes, avoid, most)
            )

        # what was never tried is within the space, where the model has its scale
        if not changes and not self._unless("try", lambda: promising(prospects, candidates.rows)):
            all_tried = attempted()
            far = self._unless("explore", lambda: explore(analyses, prospects, all_tried, avoid))
        if far is None:
            smaller = [] if rescaled else self._smaller(prospects, candidates, names)
            changes += smaller
            tried = attempted() if smaller or all_tried is None else all_tried
        else:
            tried = all_tried and attempted(1)
        found = [*warned, *changes, *self._several(hidden, tried, far)]
        if not any(action.parameters for action in found):
            found += self._meanwhile(candidates, prospects)
        return found

    def _smaller(
        self, prospects: Prospects, candidates: Candidates, names: set[str]
    ) -> list[Action]:
        """Return the actions that give up a part of the space, none of hyperparameters named.

        Where nothing is expected of what is left, nothing is gained by them either: they are asked
        for where the model expects more.
        """
        analyses, names = self._analyses, set(names)
        found: list[Action] = []

        def add(actions: Sequence[Action]) -> None:
            found.extend(actions)
            names.update(p.name for action in actions for p in action.parameters)

        add(self._several(self._unless("fix", lambda: fix(analyses, prospects, names))))
        add(self._several(self._unless("narrow", lambda: narrow(analyses, prospects, names))))
        add(self._unless("branch", lambda: branch(analyses, prospects, candidates, names)) or [])
        return found

    def _meanwhile(self, candidates: Candidates, prospects: Prospects) -> list[Action]:
        """Return what to do while nothing can be changed."""
        analyses = self._analyses
        waiting, why_not = self._unless("wait", lambda: wait(analyses)) or (None, None)
        if waiting is None:
            because = [] if why_not is None else [why_not]
            return self._several(
                self._unless("go_on", lambda: go_on(analyses, candidates, prospects, because))
            )
        return self._several(waiting, self._unless("experiment", lambda: experiment(analyses)))

    def _several(self, *actions: Action | None) -> list[Action]:
        return [action for action in actions if action is not None]

    def _unless(self, part: str, compute: Callable[[], _T]) -> _T | None:
        """Return what a part finds; None where there is nothing, or it fails, which is noted."""
        try:
            return compute()
        except NothingToExplain:
            return None
        except Exception as error:  # one that fails must not cost the others
            self.notes.append(
                fact("advice_failed", part=part, error=f"{type(error).__name__}: {error}")
            )
            return None
