"""How a run's history is drawn: the objective by trial, and the best so far."""

from __future__ import annotations

import numpy as np

from hpo_explain.base import Origin, counted, format_value, number
from hpo_explain.base.figures import Axis, Curves, Dots, Line, View
from hpo_explain.methods.runs.history_result import History

_BY_HAND = (Origin.ENQUEUED, Origin.PERSON)
# kinds of trials that have a look
_WITHOUT = ("failed", "pruned", "running", "waiting")
_LONG = 60  # characters of a value of a configuration
_MANY = 20_000  # values of configurations, up to which they are told
_MOST = 120  # characters of the reasons for which trials were left out


def trials(found: History) -> Curves:
    """Draw the objective of every trial, and the incumbent so far as a step line.

    Trials of the initial design, proposals, and infeasible trials are told apart by their markers.
    Diverged trials are drawn at the bound at which they count for fitting, and trials without a
    result along the end of the axes that is worse.
    """
    minimized = found.direction == "minimize"
    able, proposed, far = found.feasible, found.proposed, found.diverged
    hand = np.array(
        [origin in _BY_HAND for origin in found.origins], dtype=bool
    )
    looks = {
        "trial": able & ~proposed & ~hand & ~far,
        "enqueued": able & ~proposed & hand & ~far,
        "proposal": able & proposed & ~far,
        "infeasible": ~able & ~far,
        "diverged": far,
    }
    at, lines = found.trials.astype(float), []
    told = np.array(_told(found), dtype=object)
    dots = [
        Dots(at[rows], found.learned[rows], look=look, told=told[rows])
        for look, rows in looks.items()
    ]
    if found.tied:
        lines.append(
            Line(
                at[able], found.best_learned[able], look="incumbent", step=True
            )
        )
        best = found.trials == found.tied[0]
        dots.append(
            Dots(at[best], found.learned[best], look="star", told=told[best])
        )
    end, groups = np.inf if minimized else -np.inf, dict[str, list[int]]()
    for trial, why in found.left_out.items():
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
    every = [*found.trials.tolist(), *found.left_out]
    margin = 0.5 + 0.02 * (max(every) - min(every)) if every else 0.0
    return Curves(
        x=Axis(
            label="trial",
            whole=True,
            limits=(min(every) - margin, max(every) + margin)
            if every
            else (None, None),
        ),
        y=Axis(label=found.objective_name),
        lines=lines,
        dots=[marks for marks in dots if len(marks.x)],
        levels=[] if found.optimum is None else [(found.optimum, "goal")],
        empty="" if len(found) else "no finished trial",
        heading=f"Objective of {counted(len(found), 'trial')}",
        subtitle=_subtitle(found),
        footer=_left_out(found),
        means={
            "trial": "initial design" if found.proposes else "trials",
            "enqueued": "set by hand",
            "proposal": "proposals",
            "infeasible": "infeasible",
            "diverged": f"diverged, shown at {number(found.bound)}",
            "incumbent": "incumbent so far",
            "star": f"best: trial {found.incumbent_trial}",
            "goal": f"optimum: {'' if found.optimum is None else number(found.optimum)}",
            **without,
        },
    )


def _told(found: History) -> list[str]:
    """Return what is told of each trial: its number, what it reached, its configuration."""
    X = found.subject.tried
    configs = (
        found.subject.space.decode(X) if X.size <= _MANY else [{}] * len(found)
    )
    return [
        "\n".join(
            [
                f"trial {trial}: {found.objective_name} {number(value)}",
                *(
                    f"{name} = {format_value(held, width=_LONG)}"
                    for name, held in config.items()
                ),
            ]
        )
        for trial, value, config in zip(
            found.trials.tolist(), found.objective, configs, strict=True
        )
    ]


def _subtitle(found: History) -> str:
    better = "lower" if found.direction == "minimize" else "higher"
    if not found.tied:
        return (
            f"no feasible trial yet; {better} {found.objective_name} is better"
        )
    value = format_value(float(found.best[-1]))
    return f"best {found.objective_name} {value} in trial {found.tied[0]}; {better} is better"


def _left_out(found: History) -> str:
    if not found.left_out:
        return ""
    reasons = "; ".join(
        sorted({str(reason) for reason in found.left_out.values()})
    )
    return f"{counted(len(found.left_out), 'trial')} left out: {format_value(reasons, width=_MOST)}"


VIEWS = {
    "": View(
        trials,
        "{found.objective_name} of every trial, in the order of their numbers.",
    )
}
