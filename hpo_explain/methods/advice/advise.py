"""Advice: the trial to keep and a handful of actions, each by a rule of its own from draws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hpo_explain.base.checks import check_count, check_seed
from hpo_explain.base.errors import NothingToExplain
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.base.text import declared_fact
from hpo_explain.belief.drawn import as_draws
from hpo_explain.belief.improvement import keeps_up
from hpo_explain.methods._engines.chances import Chances
from hpo_explain.methods.advice.advise_result import Action, Advice
from hpo_explain.methods.advice.beware import beware
from hpo_explain.methods.advice.rules import (
    attempt,
    hand_over,
    keep,
    narrow,
    repeat,
    widen,
)
from hpo_explain.methods.space.recommended_space import (
    RecommendedSpaceExplainer,
    still_possible,
)
from hpo_explain.question.explained import accepted_surrogate
from hpo_explain.question.explains import Question, explains
from hpo_explain.question.given import surrogate_of
from hpo_explain.run import Run
from hpo_explain.space import SearchSpace

_NONE_FEASIBLE = declared_fact("none_feasible", "no trial is feasible")
_UNKNOWN = declared_fact(
    "nothing_to_change",
    "{why}",
    why=lambda about: (
        "all trials have the same objective: nothing tells which values are better"
        if about["constant"]
        else "the model has no joint posterior, so it does not tell what may be better"
    ),
)


@explains(of="surrogate", without=("kind",))
def advise(question: Question, *, most: int = 5, n: int = 1) -> Advice:
    """Say which trial to keep, and what to do next: what is expected to bring most first.

    Parameters
    ----------
    most : int, default 5
        The largest number of actions.
    n : int, default 1
        How many configurations to try next. Each after the first is chosen as if those before it
        had the results that are expected of them: for several workers.

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
    >>> table["loss"] = (table.x - 0.2) ** 2 + 0.003 * rng.standard_normal(40)
    >>> advice = hx.advise(table, objective="loss")
    >>> advice.actions[0].title
    'Keep trial 15: x = 0.1757 and y = 0.1503'
    """
    return AdviceExplainer(
        question.run, most=most, n=n, seed=question.seed
    ).explain()


class AdviceExplainer:
    """Advises what to do next.

    Parameters
    ----------
    run : Run
        The run.
    most : int, default 5
        The largest number of actions.
    n : int, default 1
        How many configurations to try next.
    seed : int, default 0
        Seed of samples and draws.

    Raises
    ------
    InputError
        If `most` or `n` is not a positive whole number.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=1)
    >>> run = hx.Run(space, X, (X[:, 0] - 0.2) ** 2, "minimize")
    >>> len(AdviceExplainer(run, most=1).explain().actions)
    1
    """

    def __init__(
        self, run: Run, *, most: int = 5, n: int = 1, seed: int = 0
    ) -> None:
        self._run = run
        self._most = check_count("most", most)
        self._n = check_count("n", n)
        self._seed = check_seed(seed)

    @shows_progress
    def explain(self) -> Advice:
        """Return what to do next.

        Returns
        -------
        Advice
            The actions, what is expected to bring most first.
        """
        run = self._run
        if not np.any(run.feasible):
            raise NothingToExplain(_NONE_FEASIBLE())
        ordered = sorted(self._actions(), key=_in_order)[: self._most]
        actions = tuple(
            replace(action, framework=run.framework) for action in ordered
        )
        changed = {p.name: p for action in actions for p in action.parameters}
        possible, _ = still_possible(
            [changed.get(p.name, p) for p in run.space]
        )
        return Advice(
            subject=Subject.of(run),
            actions=actions,
            space=SearchSpace(possible),
        )

    def _actions(self) -> list[Action]:
        run, seed = self._run, self._seed
        warned = beware(run)
        model, _ = surrogate_of(run, None, "auto", seed)
        feasibility = run.feasibility(seed=seed)
        draws = as_draws(
            accepted_surrogate(model),
            run.direction,
            feasibility=feasibility,
            seed=seed,
        )
        constant = not np.ptp(run.objective)
        if draws is None or constant:
            return [
                *warned,
                Action("go_on", evidence=(_UNKNOWN(constant=constant),)),
            ]
        chances = Chances(run, draws.at_best)
        wider = _known(widen(chances))
        space = RecommendedSpaceExplainer(
            draws,
            lose=chances.worth,
            fix=False,
            subject=Subject.of(run),
            feasibility=feasibility,
            keep=chances.kept,
            tried=run.tried,
            seed=seed,
        ).explain()
        changes = [a for a in (*warned, *wider) if a.parameters]
        smaller = _known(
            narrow(
                chances, space, {p.name for a in changes for p in a.parameters}
            )
        )
        again = repeat(chances, alone=False)
        tried = attempt(chances, [*changes, *smaller], self._n)
        if (
            tried is not None
            and run.framework == "optuna"
            and not keeps_up(run.space)
        ):
            tried = hand_over(chances)
        more = _known(repeat(chances) if tried is None else again, tried)
        return [keep(chances), *warned, *wider, *smaller, *more]


def _in_order(action: Action) -> tuple[bool, float]:
    """Order by gain after what to keep; what is known of failures, without one, comes first."""
    gain = -float("inf") if np.isnan(action.gain) else -action.gain
    return action.kind != "keep", gain


def _known(*actions: Action | None) -> list[Action]:
    return [action for action in actions if action is not None]
