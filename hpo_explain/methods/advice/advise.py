"""Advice: the trial to keep and a handful of actions, each by a rule of its own from draws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hpo_explain.base import NothingToExplain, Result, Subject, check_count, fact
from hpo_explain.methods.advice._order import in_order
from hpo_explain.methods.advice.advise_result import Action, Advice, values_of
from hpo_explain.methods.advice.beware import beware
from hpo_explain.methods.advice.rules import attempt, keep, narrow, repeat, repeat_in_noise, widen
from hpo_explain.methods.advice.settle import settling
from hpo_explain.question import NONE_FEASIBLE, Question, explains
from hpo_explain.space import Parameter, SearchSpace, has_value, still_possible


@explains(of="surrogate", without=("kind",))
def advise(
    question: Question, *, most: int = 5, n: int = 1, settle: Result | str | None = None
) -> Advice:
    """Recommend which trial to keep and what to do next, the most promising action first.

    Parameters
    ----------
    most : int, default 5
        The largest number of actions.
    n : int, default 1
        Number of configurations to try next, for several workers. Each is chosen as if the ones
        before it had returned their expected results.
    settle : Result or str, optional
        Suggest configurations that make a result more certain, in place of those that improve the
        objective. Allowed are results of importance, an effect, changes, a prediction or local
        importance, for the same trials and seed. ``"importance"`` means that of all
        hyperparameters, the name of a hyperparameter its effect.

    Returns
    -------
    Advice
        The actions, each with its expected gain, its certainty, its evidence and code to paste.
        ``advice.apply(study)`` carries them out.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, none is feasible, or the result of `settle` is
        certain already or no trial is expected to make it more certain.

    References
    ----------
    .. [1] Neiswanger, W., Wang, K. A. and Ermon, S. (2021). Bayesian algorithm execution:
       estimating computable properties of black-box functions using mutual information. ICML.
       (The method of `settle`.)

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"x": rng.random(40), "y": rng.random(40)})
    >>> table["loss"] = (table.x - 0.2) ** 2 + 0.003 * rng.standard_normal(40)
    >>> advice = hx.advise(table, objective="loss", hyperparameters=["x", "y"])
    >>> advice.actions[0].title
    'Keep trial 15: x = 0.1757 and y = 0.1503'
    """
    run = question.run
    most, n = check_count("most", most), check_count("n", n)
    if not np.any(run.feasible):
        raise NothingToExplain(NONE_FEASIBLE)
    ordered = sorted(_actions(question, n, settle), key=_in_order)[:most]
    actions = tuple(replace(action, framework=run.framework, space=run.space) for action in ordered)
    changed = {p.name: p for action in actions for p in action.parameters}
    possible, _ = still_possible([changed.get(p.name, p) for p in run.space])
    return Advice(subject=Subject.of(run), actions=actions, space=SearchSpace(possible))


def _actions(question: Question, n: int, settle: Result | str | None) -> list[Action]:
    """Return all that is advised, in no order."""
    if settle is not None:
        return [settling(question, settle, n)]
    run, decision = question.run, question.decision
    if decision is not None and decision.too_few:
        return [Action("go_on", evidence=(fact(decision.too_few.removesuffix(".")),))]
    warned = beware(run)
    constant = not np.ptp(run.objective)
    if decision is None or constant:
        why = "the model has no joint posterior, so it does not tell what may be better"
        if constant:
            why = "all trials have the same objective: nothing tells which values are better"
        return [*warned, Action("go_on", evidence=(fact(why),))]
    part_of = {part.name: part for part in decision.box.parts}
    warned = [  # values are given up only where the box does, too
        action
        if all(_is_part(part_of[left.name], left) for left in action.parameters)
        else replace(action, parameters=())
        for action in warned
    ]
    wider = _known(widen(decision))
    changes = [a for a in (*warned, *wider) if a.parameters]
    named = {p.name for action in changes for p in action.parameters}
    smaller = _known(narrow(decision, named))
    again = repeat(decision, alone=False)
    tried = attempt(decision, [*changes, *smaller], n, in_order(question))
    names_one = tried.kind == "try"
    more = [*_known(again), tried] if names_one else _known(repeat(decision))
    others = [*warned, *wider, *smaller]
    in_noise = [] if others else _known(repeat_in_noise(decision))
    actions = in_noise or [*others, *more] or [tried]
    return [keep(decision), *actions]


def _is_part(part: Parameter, whole: Parameter) -> bool:
    """Return whether a hyperparameter has no other values than another one."""
    ends = values_of(part)
    values = ends if isinstance(ends, tuple) else (ends,)
    return all(has_value(whole, value) for value in values)


def _in_order(action: Action) -> tuple[bool, float]:
    """Order by gain after what to keep; what is known of failures, without one, comes first."""
    gain = -float("inf") if np.isnan(action.gain) else -action.gain
    return action.kind != "keep", gain


def _known(*actions: Action | None) -> list[Action]:
    return [action for action in actions if action is not None]
