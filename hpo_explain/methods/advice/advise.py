"""Advice: the claims that hold, turned into a handful of actions.

Each kind of action is a function, a rule, of what `Analysed` knows of the run: those that change
the space (`changing`), those that name configurations (`trying`), and those that tell what to know
(`telling`). What a change of the space gains is what 20 random trials are expected to bring with
it, less what they are without it, under the posterior; of a single trial it is the expected
improvement. Actions are ordered by that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import isnan
from typing import TypeVar

from hpo_explain.asked.explains import Asked, explains
from hpo_explain.base.blas import one_blas_thread
from hpo_explain.base.checks import check_count, check_seed
from hpo_explain.base.errors import NothingToExplain, unless_nothing
from hpo_explain.base.facts import Fact
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.base.text import declared_fact
from hpo_explain.belief.trust import trust as trust_in
from hpo_explain.methods.advice.advise_result import Action, Advice
from hpo_explain.methods.advice.analyses import Analysed
from hpo_explain.methods.advice.changing import branch, fix, narrow, rescale, widen
from hpo_explain.methods.advice.prospects import Candidates, Prospects
from hpo_explain.methods.advice.telling import beware, failing, go_on, luck, repeat, stop, wait
from hpo_explain.methods.advice.trying import attempt, experiment, explore, promising
from hpo_explain.methods.space.recommended_space import still_possible
from hpo_explain.space import SearchSpace

_FAILED = declared_fact("advice_failed", "{part}: failed ({error})")

_T = TypeVar("_T")


@explains(of="surrogate", without=("kind", "draws"))
def advise(asked: Asked, *, most: int = 5) -> Advice:
    """Say what to do next: a handful of actions, what is expected to bring most first.

    Parameters
    ----------
    most : int, default 5
        The largest number of actions.

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
    analyses = Analysed(asked.run, seed=asked.seed)
    return AdviceExplainer(analyses, most=most, seed=asked.seed).explain()


class AdviceExplainer:
    """Advises what to do next.

    Parameters
    ----------
    analyses : Analysed
        What the advice rests on: the analyses of a run, each computed when it is asked for.
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
    >>> from hpo_explain.methods.advice.analyses import Analysed
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=1)
    >>> run = hx.Run(space, X, (X[:, 0] - 0.2) ** 2, "minimize")
    >>> len(AdviceExplainer(Analysed(run), most=1).explain().actions)
    1
    """

    def __init__(self, analyses: Analysed, *, most: int = 5, seed: int = 0) -> None:
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
        run = self._analyses.run
        found = _Found(self._analyses, self._seed)
        with one_blas_thread():  # last digits of a covariance decide which functions are drawn
            ordered = sorted(found.actions(), key=_by_gain)[: self._most]
            trust = unless_nothing(lambda: trust_in(run.belief()))
            subject = replace(Subject.of(run), trust=trust)
        actions = tuple(replace(action, framework=run.framework) for action in ordered)
        changed = {p.name: p for action in actions for p in action.parameters}
        possible, _ = still_possible([changed.get(p.name, p) for p in run.space])
        space = SearchSpace(possible)
        return Advice(subject=subject, notes=tuple(found.notes), actions=actions, space=space)


def _by_gain(action: Action) -> tuple[bool, float]:
    """Order by gain; what is still to gain by going on is not what an action brings.

    To explore comes first: it is advised where hardly anything is expected of all else.
    """
    if action.kind == "explore":
        return False, -float("inf")
    return action.kind == "go_on", float("inf") if isnan(action.gain) else -action.gain


class _Found:
    """The actions of a run, and the parts that could not be computed."""

    def __init__(self, analyses: Analysed, seed: int) -> None:
        self._analyses, self._seed = analyses, seed
        self.notes: list[Fact] = []

    def actions(self) -> list[Action]:
        """Return all actions that the claims support."""
        analyses, run, find = self._analyses, self._analyses.run, self._unless
        candidates = find("try", lambda: Candidates.of(run))
        if candidates is None:
            warned = find("beware", lambda: beware(run, None)) or []
            return [*warned, *_known(find("go_on", lambda: go_on(analyses, None, None)))]
        prospects = Prospects(run, seed=self._seed)
        warned = find("beware", lambda: beware(run, prospects)) or []
        hidden = find("repeat", lambda: repeat(analyses, candidates))
        lucky = find("repeat", lambda: luck(analyses)) if hidden is None else None
        self.notes += [] if lucky is None else [lucky]
        widened = find("widen", lambda: widen(analyses, candidates))
        if widened is None and hidden is None:
            finished = find("stop", lambda: stop(analyses, candidates, prospects))
            if finished is not None:
                return [finished, *warned]
        names = {p.name for action in _known(*warned, widened) for p in action.parameters}
        rescaled = find("rescale", lambda: rescale(run, names))
        changes = _known(widened, rescaled)
        avoid = failing(run.space, warned)
        tried = far = None

        def attempted(**most: int) -> Action | None:
            return find(
                "try", lambda: attempt(analyses, candidates, prospects, changes, avoid, **most)
            )

        # what was never tried is within the space, where the model has its scale
        if not changes and not find("try", lambda: promising(prospects, candidates.rows)):
            tried = attempted()
            far = find("explore", lambda: explore(analyses, prospects, tried, avoid))
        if far is not None:
            tried = tried and attempted(most=1)
        else:
            smaller = [] if rescaled else self._smaller(prospects, candidates, names)
            changes += smaller
            tried = attempted() if smaller or tried is None else tried
        found = [*warned, *changes, *_known(hidden, tried, far)]
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
        analyses, taken = self._analyses, set(names)
        rules: dict[str, Callable[[], Sequence[Action]]] = {
            "fix": lambda: _known(fix(analyses, prospects, taken)),
            "narrow": lambda: _known(narrow(analyses, prospects, taken)),
            "branch": lambda: branch(analyses, prospects, candidates, taken),
        }
        found: list[Action] = []
        for part, rule in rules.items():
            found += self._unless(part, rule) or []
            taken.update(p.name for action in found for p in action.parameters)
        return found

    def _meanwhile(self, candidates: Candidates, prospects: Prospects) -> list[Action]:
        """Return what to do while nothing can be changed."""
        analyses, find = self._analyses, self._unless
        waiting, why_not = find("wait", lambda: wait(analyses)) or (None, None)
        if waiting is not None:
            return _known(waiting, find("experiment", lambda: experiment(analyses)))
        because = [] if why_not is None else [why_not]
        return _known(find("go_on", lambda: go_on(analyses, candidates, prospects, because)))

    def _unless(self, part: str, compute: Callable[[], _T]) -> _T | None:
        """Return what a part finds, if anything; that it fails is noted."""
        try:
            return compute()
        except NothingToExplain:
            return None
        except Exception as error:  # one that fails must not cost the others
            self.notes.append(_FAILED(part=part, error=f"{type(error).__name__}: {error}"))
            return None


def _known(*actions: Action | None) -> list[Action]:
    return [action for action in actions if action is not None]
