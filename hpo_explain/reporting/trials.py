"""Every trial of a run in the report: the history, and any trial's explanation."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from markupsafe import Markup

from hpo_explain.base.facts import Origin
from hpo_explain.base.figures import usual_ends
from hpo_explain.base.numbers import format_value, plus_minus, signed
from hpo_explain.base.options import BETTER
from hpo_explain.base.phrases import printable
from hpo_explain.methods.proposals.contributions_result import ProposalExplanation
from hpo_explain.methods.proposals.desirability_path import desirability_path
from hpo_explain.methods.proposals.desirability_path_result import DesirabilityPath, predicted_at
from hpo_explain.methods.runs.history import History
from hpo_explain.question import Question
from hpo_explain.reporting import _words as words
from hpo_explain.reporting._render import figure, render
from hpo_explain.run import Run, winsorized
from hpo_explain.space import Config

_LONG = 120
_DIGITS = 6  # of numbers that only a mark's place follows from
_MOST_MARKS = 2000
_MOST_ROWS = 12  # bars of an explanation
_MOST_VALUES = 30  # of a trial without one; the table of all trials holds the others
_KINDS = {Origin.MODEL: "proposal", Origin.INITIAL: "initial"}


def trials_body(history: History, question: Question) -> Markup:
    """Return every trial to choose from, with its explanation where a model chose it."""
    run = question.run
    path = question.ask_if(desirability_path) if run.proposes else None
    better = f"{BETTER[run.direction]} is better"
    caption = f"{run.objective_name} of every trial, in the order of their numbers; {better}."
    return render(
        "trials.html.j2",
        finding=history.sentence,
        history=figure(history, alt=history.sentence, caption=caption),
        data=as_json(_data(run, path)),
    )


def as_json(data: Any) -> Markup:
    """Return data as JSON that no text of it can end early in a page, nor turn around."""
    text = json.dumps(_shown(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _shown(data: Any) -> Any:
    """Return data in whose texts controls are shown."""
    if isinstance(data, dict):
        return {_shown(key): _shown(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_shown(value) for value in data]
    return printable(data) if isinstance(data, str) else data


def _data(run: Run, path: DesirabilityPath | None) -> dict[str, Any]:
    explained = {}
    if path is not None:
        observed = zip(path.trials.tolist(), path.explanations, path.observed.tolist(), strict=True)
        explained = {trial: _explanation(e, reached) for trial, e, reached in observed}
    trials = _trials(run, {*explained})
    best = run.incumbent_trial if np.any(run.feasible) else None
    last = trials[-1]["t"] if trials else None
    values = [trial["y"] for trial in trials if trial["y"] is not None]
    limits, shown = _limits(run, values)
    left = len(run.space) - _MOST_VALUES
    rest = [words.others(left)] if left > 0 else []  # whose values are not told
    return {
        "objective": run.objective_name,
        "limits": limits,
        "shown": shown,
        "marks": words.marks(
            {trial["kind"] for trial in trials},
            cut=limits is not None and any(not limits[0] <= y <= limits[1] for y in values),
            proposes=run.proposes,
        ),
        "names": words.TERMS,
        "hyperparameters": [*run.space.names[:_MOST_VALUES], *rest],
        "trials": trials,
        "explained": explained,
        "jumps": [(t, n) for t, n in (("Best", best), ("Latest", last)) if n is not None],
        "start": last if best is None else best,
    }


def _limits(run: Run, values: list[float]) -> tuple[list[float] | None, list[str]]:
    """Return the ends of the history's axis and their labels; the worst trials lie beyond it.

    Where a few are far worse than the rest, these would all lie on its other end.
    """
    if not values:
        return None, []
    minimized = run.direction == "minimize"
    best, worst = (min(values), max(values))[:: 1 if minimized else -1]
    reach = usual_ends(values, lower_is_better=minimized)[int(minimized)]
    mark = "≥ " if minimized else "≤ "
    ends = [(best, format_value(best)), (worst, format_value(worst))]
    if reach is not None:
        ends[1] = (reach, f"{mark}{format_value(reach)}")
    (low, first), (high, last) = sorted(ends)
    return [low, high], [first, last]


def _trials(run: Run, explained: set[int]) -> list[dict[str, Any]]:
    """Return what is shown of each trial, those left out included, by number."""
    sign = run.sign
    shown = sign * winsorized(run.cost, run.diverged_above())
    numbers, feasible = np.asarray(run.trials), np.asarray(run.feasible)
    so_far = np.full(len(run), np.nan)
    order = np.argsort(numbers, kind="stable")
    costs = np.where(feasible, sign * shown, np.inf)[order]
    so_far[order] = sign * np.minimum.accumulate(costs)
    chosen = _thinned(run, explained, so_far)
    configs = run.space.decode(run.X[chosen])
    rows = list[dict[str, Any]]()
    for i, config in zip(chosen, configs, strict=True):
        trial = int(numbers[i])
        row = {
            "t": trial,
            "y": _plain(shown[i]),
            "best": _plain(so_far[i]),
            "feasible": bool(feasible[i]),
            "kind": _KINDS.get(run.origin(trial), "other"),
            "text": words.trial_line(run, trial),
        }
        if trial not in explained:
            row |= {"why": words.why_no_explanation(run, trial), **_told(run, config)}
        rows.append(row)
    for trial in {**run.excluded, **run.without_result}:
        text = words.without_result_line(run, trial)
        row = {"t": trial, "y": None, "best": None, "kind": "left-out", "text": text}
        if trial not in explained:
            row["why"] = text
            row |= _told(run, run.config(trial)) if trial in run.without_result else {}
        rows.append(row)
    return sorted(rows, key=lambda row: row["t"])


def _thinned(run: Run, explained: set[int], so_far: np.ndarray) -> list[int]:
    """Return the rows that are drawn: all, or those explained, the incumbents and a spread."""
    n = len(run)
    if n <= _MOST_MARKS:
        return list(range(n))
    numbers = np.asarray(run.trials)
    improves = run.objective == so_far
    spread = np.zeros(n, dtype=bool)
    spread[np.linspace(0, n - 1, _MOST_MARKS).astype(int)] = True
    kept = spread | improves | np.isin(numbers, [*explained])
    return [int(i) for i in np.flatnonzero(kept)]


def _told(run: Run, config: Config) -> dict[str, Any]:
    """Return a trial's values in the order of the names, None for what is inactive."""
    names = run.space.names
    told = [
        format_value(config[name], width=_LONG) if name in config else None
        for name in names[:_MOST_VALUES]
    ]
    return {"config": [*told, *([""] if len(names) > _MOST_VALUES else [])]}


def _plain(value: float) -> float | None:
    """Return a finite number with few digits."""
    return float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None


def _explanation(result: ProposalExplanation, observed: float) -> dict[str, Any]:
    scale = max(*map(abs, result.payout.values()), float(np.abs(result.phi).max(initial=0.0)))
    rows = [
        (name, format_value(result.config[name], width=_LONG), result.phi[j])
        for j in result.order().tolist()
        for name in [result.names[j]]
        if result.active[j]
    ]
    if rest := rows[_MOST_ROWS:]:
        together = np.sum([phi for *_, phi in rest], axis=0)
        rows = [*rows[:_MOST_ROWS], (words.others(len(rest)), "", together)]
    return {
        "sentence": result.sentence,
        "predicted": _predicted(result, observed),
        "terms": list(result.terms),
        "rows": [
            {
                "name": name,
                "value": value,
                "phi": [_plain(v) or 0.0 for v in phi],
                "shown": [signed(float(v), scale) for v in phi],
                "total": signed(float(phi.sum()), scale),
            }
            for name, value, phi in rows
        ],
        "notes": [f"Note: {note}." for note in result.notes],
    }


def _predicted(result: ProposalExplanation, observed: float) -> str:
    mean, std = predicted_at(result)
    if not np.isfinite(mean):
        return ""
    came = f" Observed: {format_value(observed)}." if np.isfinite(observed) else ""
    return f"Predicted {result.objective_name}: {plus_minus(mean, std)}.{came}"
