"""How a run's history is drawn: the objective by trial, and the best so far."""

from __future__ import annotations

from itertools import compress

import numpy as np

from hpo_explain.base import Origin, counted, format_value, number
from hpo_explain.base.figures import (
    Axis,
    Curves,
    Dots,
    Line,
    View,
    usual_ends,
)
from hpo_explain.methods._engines.trials import trials_in_words
from hpo_explain.methods.runs.history_result import History

_BY_HAND = (Origin.ENQUEUED, Origin.PERSON)
# kinds of trials that have a look
_WITHOUT = ("failed", "pruned", "running", "waiting")
_MOST = 120  # characters of the reasons for which trials were left out


def trials(history: History) -> Curves:
    """Draw the objective of every trial, and the incumbent so far as a step line.

    Trials of the initial design, proposals, and infeasible trials are told apart by their markers.
    Where a few trials are far worse than the others the axis ends before them. These, those that
    diverged and those without a result are marked at its end.
    """
    minimized = history.direction == "minimize"
    able, proposed, far = history.feasible, history.proposed, history.diverged
    hand = np.array(
        [origin in _BY_HAND for origin in history.origins], dtype=bool
    )
    looks = {
        "trial": able & ~proposed & ~hand & ~far,
        "enqueued": able & ~proposed & hand & ~far,
        "proposal": able & proposed & ~far,
        "infeasible": ~able & ~far,
        "diverged": far,
    }
    end = np.inf if minimized else -np.inf
    at, lines = history.trials.astype(float), []
    value = np.where(far, end, history.learned)
    texts = trials_in_words(
        history.subject,
        history.trials,
        history.objective,
        history.subject.tried,
    )
    dots = [
        Dots(at[rows], value[rows], look=look, told=[*compress(texts, rows)])
        for look, rows in looks.items()
    ]
    if history.tied:
        lines.append(
            Line(
                at[able],
                history.best_learned[able],
                look="incumbent",
                step=True,
            )
        )
        best = history.trials == history.tied[0]
        dots.append(
            Dots(
                at[best],
                history.learned[best],
                look="star",
                told=[*compress(texts, best)],
            )
        )
    groups = dict[str, list[int]]()
    for trial, why in history.left_out.items():
        groups.setdefault(
            why.kind if why.kind in _WITHOUT else "others", []
        ).append(trial)
    for look, numbers in groups.items():
        dots.append(
            Dots(
                np.array(numbers, float), np.full(len(numbers), end), look=look
            )
        )
    without = {
        look: f"{'left out' if look == 'others' else look} ({len(numbers)})"
        for look, numbers in groups.items()
    }
    every = [*history.trials.tolist(), *history.left_out]
    margin = 0.5 + 0.02 * (max(every) - min(every)) if every else 0.0
    return Curves(
        x=Axis(
            label="trial",
            whole=True,
            limits=(min(every) - margin, max(every) + margin)
            if every
            else (None, None),
        ),
        y=Axis(
            label=history.objective_name,
            limits=usual_ends(value, lower_is_better=minimized),
        ),
        lines=lines,
        dots=[marks for marks in dots if len(marks.x)],
        levels=[] if history.optimum is None else [(history.optimum, "goal")],
        empty="" if len(history) else "no finished trial",
        heading=f"Objective of {counted(len(history), 'trial')}",
        subtitle=_subtitle(history),
        footer=_left_out(history),
        means={
            "trial": "initial design" if history.proposes else "trials",
            "enqueued": "set by hand",
            "proposal": "proposals",
            "infeasible": "infeasible",
            "diverged": "diverged",
            "beyond": "beyond the axis",
            "incumbent": "incumbent so far",
            "star": f"best: trial {history.incumbent_trial}",
            "goal": f"optimum: {'' if history.optimum is None else number(history.optimum)}",
            **without,
        },
    )


def _subtitle(history: History) -> str:
    better = history.subject.better
    if not history.tied:
        return f"no feasible trial yet; {better} {history.objective_name} is better"
    value = format_value(float(history.best[-1]))
    return f"best {history.objective_name} {value} in trial {history.tied[0]}; {better} is better"


def _left_out(history: History) -> str:
    if not history.left_out:
        return ""
    reasons = "; ".join(
        sorted({str(reason) for reason in history.left_out.values()})
    )
    trials = counted(len(history.left_out), "trial")
    return f"{trials} left out: {format_value(reasons, width=_MOST)}"


VIEWS = {
    "": View(
        trials,
        "{found.objective_name} of every trial, in the order of their numbers.",
    )
}
