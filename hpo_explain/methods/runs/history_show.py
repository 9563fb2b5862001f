"""How a run's history is drawn: the objective by trial, and the best so far."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hpo_explain.base import Origin, counted, format_value
from hpo_explain.base.figures import Axis, Curves, Dots, Line, View, usual_ends
from hpo_explain.methods._engines.trials import trials_in_words
from hpo_explain.methods.runs.history import History
from hpo_explain.space import Array

_MOST = 120  # characters of the reasons for which trials were left out


def trials(history: History) -> Curves:
    """Draw the objective of every trial, and the incumbent so far as a step line.

    Trials of the initial design, proposals, and infeasible trials are told apart by their markers.
    Where a few trials are far worse than the others the axis ends before them. These, those that
    diverged and those without a result are marked at its end.
    """
    minimized = history.direction == "minimize"
    worst = np.inf if minimized else -np.inf
    values = np.where(history.diverged, worst, history.learned)
    without = _without_result(history, worst)
    feasible = history.feasible
    numbers = [*history.trials.tolist(), *history.left_out]
    limits: tuple[float | None, float | None] = (None, None)
    if numbers:
        margin = 0.5 + 0.02 * (max(numbers) - min(numbers))
        limits = min(numbers) - margin, max(numbers) + margin
    name = history.objective_name
    subtitle = f"no feasible trial yet; {history.subject.better} {name} is better"
    if history.tied:
        value = format_value(float(history.best[-1]))
        best = f"best {name} {value} in trial {history.tied[0]}"
        subtitle = f"{best}; {history.subject.better} is better"
    reasons = "; ".join(sorted({str(reason) for reason in history.left_out.values()}))
    trials = counted(len(history.left_out), "trial")
    left_out = f"{trials} left out: {format_value(reasons, width=_MOST)}"
    steps = Line(
        history.trials[feasible].astype(float),
        history.best_learned[feasible],
        look="incumbent",
        step=True,
    )
    return Curves(
        x=Axis(label="trial", whole=True, limits=limits),
        y=Axis(label=history.objective_name, limits=usual_ends(values, lower_is_better=minimized)),
        lines=[steps] if history.tied else [],
        dots=[*_with_result(history, values), *without.values()],
        empty="" if len(history) else "no finished trial",
        heading=f"Objective of {counted(len(history), 'trial')}",
        subtitle=subtitle,
        footer=left_out if history.left_out else "",
        means={
            "trial": "initial design" if history.proposes else "trials",
            "enqueued": "set by hand",
            "proposal": "proposals",
            "infeasible": "infeasible",
            "diverged": "diverged",
            "beyond": "beyond the axis",
            "incumbent": "incumbent so far",
            "star": f"best: trial {history.incumbent_trial}",
            **{dots.look: f"{kind} ({len(dots.x)})" for kind, dots in without.items()},
        },
    )


def _with_result(history: History, values: Array) -> list[Dots]:
    """Return the trials with a result, each as the first kind that it is of, and the best one."""
    configs = history.subject.tried
    texts = trials_in_words(history.subject, history.trials, history.objective, configs)
    by_hand = [origin in (Origin.ENQUEUED, Origin.PERSON) for origin in history.origins]
    kinds = {
        "diverged": history.diverged,
        "infeasible": ~history.feasible,
        "proposal": history.proposed,
        "enqueued": np.array(by_hand, dtype=bool),
    }
    looks = np.select([*kinds.values()], [*kinds], "trial")
    every = Dots(history.trials.astype(float), values, told=texts)
    dots = [replace(every.some(looks == look), look=look) for look in ("trial", *reversed(kinds))]
    is_best = np.isin(history.trials, history.tied[:1])
    observed = replace(every, y=history.learned, look="star")
    dots.append(observed.some(is_best))
    return [marks for marks in dots if len(marks.x)]


def _without_result(history: History, worst: float) -> dict[str, Dots]:
    """Return the trials without a result by what became of them, at the end of the axis."""
    numbers: dict[str, list[int]] = {}
    for trial, why in history.left_out.items():
        is_kind = why.kind in ("failed", "pruned", "running", "waiting")
        kind = why.kind if is_kind else "left out"
        numbers.setdefault(kind, []).append(trial)
    return {
        kind: Dots(
            np.array(of_kind, dtype=float),
            np.full(len(of_kind), worst),
            look="others" if kind == "left out" else kind,
        )
        for kind, of_kind in numbers.items()
    }


VIEWS = {"": View(trials, "{found.objective_name} of every trial, in the order of their numbers.")}
