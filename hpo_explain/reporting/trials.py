"""Every trial of a run in the report: the history, the table, and any trial's explanation."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from hpo_explain.base.facts import Origin
from hpo_explain.base.figures import usual_ends
from hpo_explain.base.numbers import format_value, plus_minus, signed
from hpo_explain.base.phrases import printable, printable_lines, shorten
from hpo_explain.methods.proposals.contributions_result import ProposalExplanation
from hpo_explain.methods.proposals.desirability_path import desirability_path
from hpo_explain.methods.proposals.desirability_path_result import predicted_at
from hpo_explain.methods.runs.history import History
from hpo_explain.question import Question
from hpo_explain.reporting import _words as words
from hpo_explain.reporting._render import packed, render
from hpo_explain.run import Run, winsorized
from hpo_explain.space import Array, IntParameter, Parameter

_LONG = 120
_DIGITS = 6  # of numbers of the table
_MOST_MARKS = 2000
_MOST_COLUMNS, _MOST_NUMBERS = (60, 200_000)  # of the table
_MOST_ROWS = 12  # bars of an explanation
_KINDS = {Origin.MODEL: "proposal", Origin.INITIAL: "initial"}
# pixels of the history, and of a letter and a mark in it
_WIDTH, _TOP, _BOTTOM, _FLOOR = (360.0, 22.0, 160.0, 176.0)
_LETTER, _MARK = (7.7, 3.5)
_WIDEST = 40  # letters of the objective
_FEWEST_STEPS = 3  # between the numbers of an axis


def trials_body(history: History, question: Question) -> Markup:
    """Return every trial to choose from, with its explanation where a model chose it."""
    run = question.run
    path = question.ask_if(desirability_path) if run.proposes else None
    explained = dict[int, dict[str, Any]]()
    if path is not None:
        observed = zip(path.trials.tolist(), path.explanations, path.observed.tolist(), strict=True)
        explained = {trial: _explanation(e, reached) for trial, e, reached in observed}
    table = {**_table(run, {*explained}), "explained": explained, "names": words.TERMS}
    return render(
        "trials.html.j2",
        alt=printable_lines(history.sentence),
        drawn=_history(run, {*explained}),
        data=packed(as_json(table).encode()),
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


# ---------------------------------------------------------------------- the history


@dataclass(frozen=True)
class Drawn:
    """The history as it is drawn, in pixels.

    Attributes
    ----------
    objective, caption : str
        What the axis shows, and what marks mean.
    x, y : list of (float, str)
        Where the axes have a number, and which.
    left, best : float, str
        Where the axis is, and the path of the best so far.
    marks : list of (int, str, str)
        Trials, the looks of their marks and their paths.
    """

    objective: str
    caption: str
    x: list[tuple[float, str]]
    y: list[tuple[float, str]]
    left: float
    best: str
    marks: list[tuple[int, str, str]]


def _history(run: Run, explained: set[int]) -> Drawn:
    """Return the history; the worst trials lie beyond its axis where they are far worse."""
    numbers, feasible = np.asarray(run.trials), np.asarray(run.feasible)
    shown = run.sign * winsorized(run.cost, run.diverged_above())
    order = np.argsort(numbers, kind="stable")
    costs = np.where(feasible, run.sign * shown, np.inf)[order]
    so_far = np.full(len(run), np.nan)
    so_far[order] = run.sign * np.minimum.accumulate(costs)
    low, high = _limits(run, shown)
    without = sorted({**run.excluded, **run.without_result})
    last = max([1, *numbers.tolist(), *without])
    levels = _ticks(low, high)
    texts = [f"{level:g}" for level in levels]
    left = 8.0 + _LETTER * max(map(len, texts))

    def x(trial: Any) -> Any:
        return left + _MARK + (_WIDTH - left - 3.0 * _MARK) * np.asarray(trial) / last

    def y(value: Any) -> Any:
        share = (np.clip(value, low, high) - low) / ((high - low) or 1.0)
        return _BOTTOM - (_BOTTOM - _TOP) * share

    marks = []
    for i in _thinned(run, explained, so_far):
        trial, beyond = int(numbers[i]), not low <= shown[i] <= high
        path = (_TRIANGLE if beyond else _CIRCLE).format(float(x(trial)), float(y(shown[i])))
        marks.append((trial, _KINDS.get(run.origin(trial), "other"), path))
    for trial in without[:_MOST_MARKS]:
        marks.append((trial, "left-out", _CROSS.format(float(x(trial)), _FLOOR - 5.0)))
    known = [i for i in order if np.isfinite(so_far[i])]
    steps = "".join(f"H{x(numbers[i]):.1f}V{y(so_far[i]):.1f}" for i in known[1:])
    start = [f"M{x(numbers[i]):.1f},{y(so_far[i]):.1f}" for i in known[:1]]
    return Drawn(
        objective=shorten(run.objective_name, _WIDEST),
        caption=words.marks(
            {kind for _, kind, _ in marks},
            cut=bool(((shown < low) | (shown > high)).any()),
            proposes=run.proposes,
        ),
        x=[(float(x(trial)), f"{trial:.0f}") for trial in _ticks(0.0, last) if trial % 1 == 0],
        y=[(float(y(level)), text) for level, text in zip(levels, texts, strict=True)],
        left=left,
        best="".join([*start, steps]),
        marks=marks,
    )


_CIRCLE = "M{:.1f},{:.1f}m-3.5,0a3.5,3.5 0 1 0 7,0a3.5,3.5 0 1 0-7,0"
_TRIANGLE = "M{:.1f},{:.1f}m-4,-4h8l-4,8z"
_CROSS = "M{:.1f},{:.1f}m-3,-3l6,6m0,-6l-6,6"


def _limits(run: Run, shown: Array) -> tuple[float, float]:
    """Return the ends of the history's axis.

    Where a few trials are far worse than the rest, these would all lie on its other end.
    """
    if not shown.size:
        return 0.0, 1.0
    usual = usual_ends(shown, lower_is_better=run.direction == "minimize")
    ends = zip(usual, (shown.min(), shown.max()), strict=True)
    low, high = (float(whole if end is None else end) for end, whole in ends)
    return low, high


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers between two ends.

    Examples
    --------
    >>> _ticks(0.0, 30.0)
    [0.0, 10.0, 20.0, 30.0]
    """
    if not high > low:
        return [low]
    most = (high - low) / _FEWEST_STEPS * (1.0 + 1e-9)
    size = 10.0 ** np.floor(np.log10(most))
    step = max(size * k for k in (1, 2, 5) if size * k <= most)
    first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    return [float(f"{k * step + 0.0:.12g}") for k in np.arange(first, last + 1.0)]


def _thinned(run: Run, explained: set[int], so_far: Array) -> list[int]:
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


# ---------------------------------------------------------------------- the table


def _table(run: Run, explained: set[int]) -> dict[str, Any]:
    """Return the columns of all trials, and why each was tried; texts stand once."""
    parameters = run.space.parameters[:_MOST_COLUMNS]
    rows = [*_rows(run, explained)]
    most = max(_MOST_NUMBERS // (len(parameters) + 5), 1)
    if len(rows) > most:  # the best and the latest are what is looked for
        cost = dict(zip(run.trials.tolist(), run.cost.tolist(), strict=True))
        latest = {trial for trial, *_ in rows[-most // 2 :]}
        ranked = sorted(rows, key=lambda row: (row[0] not in latest, cost.get(row[0], np.inf)))
        rows = sorted(ranked[:most], key=lambda row: row[0])
    trials, states, objective, durations, why, X = zip(*rows, strict=True) if rows else ([],) * 6
    values = np.array(X).reshape(len(rows), len(run.space))
    timed = any(duration is not None for duration in durations)
    columns = [
        {"name": "trial", "whole": True, "values": trials},
        _texts("state", states),
        {"name": run.objective_name, "values": objective},
        *([{"name": "seconds", "values": durations}] if timed else []),
        *(_column(one, values[:, j]) for j, one in enumerate(parameters)),
    ]
    return {"columns": columns, "why": _texts("why", why)}


def _rows(run: Run, explained: set[int]) -> Iterator[tuple[int, str, Any, Any, str, Array]]:
    """Yield number, state, objective, duration, why it was tried, and encoded values, by number."""
    clock = zip(*(column.tolist() for column in run.clock()), strict=True)
    took = {trial: _plain(end - start) for trial, start, end in clock}
    took |= {
        trial: _plain(seconds)
        for trial, seconds in zip(run.trials.tolist(), run.durations.tolist(), strict=True)
        if np.isfinite(seconds)
    }
    nothing = np.full(len(run.space), np.nan)
    for trial in sorted({*run.trials.tolist(), *run.excluded, *run.without_result}):
        why = words.why_tried(run, trial, explained=trial in explained)
        if trial in run.without_result:
            one = run.without_result[trial]
            yield trial, one.state, None, took.get(trial), why, one.x
        elif trial in run.excluded:
            yield trial, str(run.excluded[trial]), None, took.get(trial), why, nothing
        else:
            i = run.row(trial)
            state = "finished" if run.feasible[i] else "not feasible"
            value = _plain(float(run.objective[i]))
            yield trial, state, value, took.get(trial), why, run.X[i]


def _texts(name: str, values: Sequence[str]) -> dict[str, Any]:
    """Return a column of texts, of which each stands once."""
    labels = {text: k for k, text in enumerate(dict.fromkeys(values))}
    return {"name": name, "labels": [*labels], "values": [labels[text] for text in values]}


def _column(parameter: Parameter, at: Array) -> dict[str, Any]:
    """Return a hyperparameter's values, None for what is inactive."""
    known = ~np.isnan(at)
    column: dict[str, Any] = {"name": parameter.name}
    values = np.full(len(at), None, dtype=object)
    if parameter.is_category:
        column["labels"] = [format_value(one, width=_LONG) for one in parameter.choices]
        values[known] = at[known].astype(int).tolist()
    else:
        column["whole"] = isinstance(parameter, IntParameter)
        values[known] = [_plain(float(value)) for value in parameter.decode(at[known])]
    return {**column, "values": values.tolist()}


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
