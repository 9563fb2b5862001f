"""The report's first sections: the answer in short, the run, and how far to believe the model."""

from __future__ import annotations

from datetime import datetime, timezone

import numpy as np
import pandas as pd

from hpo_explain.base.facts import by_reason
from hpo_explain.base.numbers import format_value
from hpo_explain.base.phrases import counted, spans
from hpo_explain.reporting._render import estimates, figure, render
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section, line
from hpo_explain.run import Run
from hpo_explain.run import description as words

_MOST_ACTIONS = 3


def _short(context: Context) -> Content:
    found = context.summary
    shown = figure(found, alt=found.lines[1], caption="")
    lines = list(zip(found.questions, found.lines, strict=True))
    return Content(
        found.lines[0], render("short.html.j2", lines=lines, plot=shown)
    )


SHORT = Section(
    "short",
    "In short",
    "One better: than the trial to keep, which need not be the best observed one, by more than "
    "what counts: the noise of one evaluation, or 1% of the way from the median to the best. A bar "
    "is the share of the variance of the objective, over the whole space, that a hyperparameter "
    "explains; its whisker holds it with 95%.",
    _short,
)


def _next(context: Context) -> Content:
    found = context.advice
    body = render("next.html.j2", actions=found.actions[:_MOST_ACTIONS])
    return Content(
        found.finding,
        body,
        {"advice": estimates(found.to_frame())},
        line(found),
    )


NEXT = Section(
    "next",
    "What to do next?",
    "After the trial to keep, what is expected to bring most stands first. A gain is by how much "
    "the best is expected to get better, over functions that the trials allow.",
    _next,
)


_TITLE = "Overview"
_LONG = 300


def _content(context: Context) -> Content:
    run = context.run
    finding = context.history.best_so_far
    body = render(
        "overview.html.j2",
        facts=_facts(run),
        best=_best(run),
        history=context.figure_once(
            "history",
            _TITLE,
            lambda: figure(
                context.history,
                alt=finding,
                caption=f"{run.objective_name} of every trial, in the order of their numbers. "
                f"{_better(run).capitalize()} is better.",
            ),
        ),
        left_out=_left_out(run),
        notes=run.notes,
    )
    brief = ""
    if len(run) and _has_incumbent(run):
        best = run.incumbent_trial
        brief = f"The best of {counted(len(run), 'trial')} is trial {best}, at {_value(run, best)}."
    return Content(
        finding, body, {"trials": _table(run)} if len(run) else {}, brief
    )


def _table(run: Run) -> pd.DataFrame:
    """Return one row per trial: its values, and what it reached."""
    frame = pd.DataFrame(run.space.decode(run.X), columns=[*run.space.names])
    frame.index = pd.Index(run.trials, name="trial")
    result = pd.DataFrame(
        {run.objective_name: run.objective}, index=frame.index
    )
    if not np.all(run.feasible):
        result["feasible"] = run.feasible
    return pd.concat([frame, result], axis=1)


def _better(run: Run) -> str:
    return "lower" if run.direction == "minimize" else "higher"


def _has_incumbent(run: Run) -> bool:
    return bool(np.any(run.feasible))


def _value(run: Run, trial: int) -> str:
    return format_value(float(run.objective[run.row(trial)]))


def _facts(run: Run) -> list[tuple[str, str]]:
    facts = [
        ("Objective", f"{run.objective_name}; {_better(run)} is better"),
        ("Finished trials", str(len(run))),
        ("Hyperparameters", str(len(run.space))),
        ("Optimizer", run.optimizer),
        ("Proposals", words.proposals(run)),
    ]
    infeasible = np.asarray(run.trials)[~np.asarray(run.feasible)]
    if len(infeasible):
        facts.append(
            ("Infeasible", f"{len(infeasible)} ({spans(infeasible)})")
        )
    if run.excluded:
        facts.append(("Left out", str(len(run.excluded))))
    if run.finished is not None and np.isfinite(run.finished).any():
        last = datetime.fromtimestamp(
            float(np.nanmax(run.finished)), tz=timezone.utc
        )
        facts.append(("Last trial finished", f"{last:%Y-%m-%d %H:%M} UTC"))
    return facts


def _best(run: Run) -> dict[str, object] | None:
    if not _has_incumbent(run):
        return None
    incumbent = run.incumbent
    return {
        "trial": run.incumbent_trial,
        "objective": _value(run, run.incumbent_trial),
        "rows": [
            (
                name,
                format_value(incumbent[name], width=_LONG)
                if name in incumbent
                else None,
            )
            for name in run.space.names
        ],
    }


def _left_out(run: Run) -> list[tuple[str, int, str]]:
    reasons = by_reason(run.excluded).items()
    return [
        (str(reason), len(numbers), spans(numbers))
        for reason, numbers in reasons
    ]


OVERVIEW = Section(
    "overview",
    _TITLE,
    "Every mark is one trial: a configuration that was tried, and the objective it reached. The "
    "line is the best objective so far; where it is flat, trials brought nothing better.",
    _content,
    folded=True,
)
