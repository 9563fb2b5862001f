"""The profiler's picture at one configuration: a panel for each hyperparameter.

It is what stands in the page before a script moves it, and where none runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hpo_explain.base import format_in_range, format_level, format_value
from hpo_explain.base.figures import usual_ends
from hpo_explain.belief import STRETCH, Draws, interval
from hpo_explain.methods.advice.advise import advise
from hpo_explain.methods.effects.effects import partial_dependence
from hpo_explain.methods.importance.importance import importance
from hpo_explain.question import Question, RunDecision
from hpo_explain.run import Run
from hpo_explain.space import Array, Bools, Config, Parameter, Support

_POINTS = 25  # of a curve, where a hyperparameter has more values
_DOTS = 1000  # trials that are drawn
_WIDTH = 24  # columns of a category's name


@dataclass(frozen=True)
class Frame:
    """Where a panel draws, in pixels, and the objective at its lower and upper end."""

    low: float
    high: float
    left: float = 44.0
    right: float = 272.0
    top: float = 20.0
    bottom: float = 122.0

    def x(self, parameter: Parameter, positions: Any) -> Array:
        """Return where encoded positions stand; categories side by side."""
        share = np.asarray(positions, float)
        if parameter.is_category:
            share = (share + 0.5) / len(parameter.choices)
        return np.asarray(self.left + (self.right - self.left) * share)

    def y(self, objective: Any) -> Array:
        """Return where values of the objective stand; those beyond an end at that end."""
        inside = np.clip(np.asarray(objective, float), self.low, self.high)
        share = (inside - self.low) / (self.high - self.low)
        return np.asarray(self.bottom - (self.bottom - self.top) * share)


@dataclass(frozen=True)
class Mark:
    """A configuration that stands out: its kind, where it stands in a panel, and its name."""

    kind: str
    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Panel:
    """The picture of one hyperparameter: paths in pixels, and texts."""

    j: int
    name: str
    kind: str
    share: str
    range: str
    bar: tuple[float, float, float]
    why_inactive: str
    is_inactive: bool
    value: str
    at: float
    paths: dict[str, str]
    kept: list[tuple[float, float]]
    marks: list[Mark]
    labels: list[tuple[float, str, str]]


@dataclass(frozen=True, eq=False)
class Profile:
    """The objective along each hyperparameter, all others as in the trial to keep.

    Attributes
    ----------
    question : Question
        What is asked of the run.
    decision : RunDecision
        What is decided of it.
    draws : Draws
        The functions that the curves are of.
    """

    question: Question
    decision: RunDecision
    draws: Draws

    @property
    def run(self) -> Run:
        """The run."""
        return self.decision.run

    # ------------------------------------------------------------------ where it may start

    @cached_property
    def starts(self) -> dict[str, tuple[str, Array]]:
        """Configurations to start from by kind: what each is called, and its encoded row."""
        run, space, keep = self.run, self.run.space, self.decision.keep
        found = {
            "keep": (f"trial {keep}, to keep", self.decision.row_to_keep)
        }
        following = self._next
        if following is not None:
            found["next"] = ("try next", space.encode(following)[0])
        best = run.incumbent_trial
        if best != keep:
            row = run.X[run.row(best)]
            found["best"] = (f"trial {best}, best observed", row)
        if run.default is not None and self._is_configuration(run.default):
            found["default"] = ("the default", space.encode(run.default)[0])
        return found

    @property
    def _next(self) -> Config | None:
        """The configuration to try next, if trying one is advised."""
        advice = self.question.ask_if(advise)
        actions = () if advice is None else advice.actions
        tried = [a.configurations[0] for a in actions if a.kind == "try"]
        return tried[0] if tried else None

    def _is_configuration(self, config: Config) -> bool:
        try:
            self.run.space.encode(config)
        except ValueError:
            return False
        return True

    @cached_property
    def usual(self) -> Array:
        """A value of each hyperparameter: of the trial to keep, else of the best that has one."""
        run, space = self.run, self.run.space
        middle = space.from_latent(np.full((1, len(space)), 0.5))[0]
        cost = np.where(np.asarray(run.feasible), run.cost, np.inf)
        rows = run.X[np.argsort(cost, kind="stable")]
        usual = self.decision.row_to_keep.copy()
        for row in (*rows, middle):
            usual = np.where(np.isnan(usual), row, usual)
        return np.asarray(np.nan_to_num(usual))

    # ------------------------------------------------------------------ the curves

    @cached_property
    def order(self) -> list[int]:
        """The hyperparameters, the most important first."""
        explained = self.question.ask(importance)
        return [int(i) for i in explained.by_size()]

    @cached_property
    def positions(self) -> list[Array]:
        """The encoded positions of each curve: all values where there are few."""
        return [_positions(parameter) for parameter in self.run.space]

    @cached_property
    def supported(self) -> list[Bools]:
        """Which of these were tried, or values near them."""
        space = self.run.space
        support = Support(space, self.run.tried)
        return [
            support.at(p.name, p.decode(at))
            for p, at in zip(space, self.positions, strict=True)
        ]

    @cached_property
    def curves(self) -> list[Array]:
        """Mean, lower and upper end at these, (3, G) each; NaN where it is inactive."""
        row = self.usual
        return [self._curve(row, j) for j in range(len(row))]

    def _curve(self, row: Array, j: int) -> Array:
        rows = np.repeat(row[None], len(self.positions[j]), axis=0)
        rows[:, j] = self.positions[j]
        rows = self.run.space.project(rows)
        rows[:, self._unset] = np.nan
        draws = self.draws.at_one(self.draws.draws(rows))
        mean = draws.mean(axis=0)
        ends = [
            interval(column, stretch=STRETCH["average"]) for column in draws.T
        ]
        bounds = self.run.bounds or (-np.inf, np.inf)
        found = np.vstack([mean, np.clip(np.transpose(ends), *bounds)])
        found[:, np.isnan(rows[:, j])] = np.nan
        return found

    @property
    def _unset(self) -> Bools:
        """Which hyperparameters the trial to keep has not, though it might."""
        optional = [p.optional is not None for p in self.run.space]
        return np.isnan(self.decision.row_to_keep) & optional

    @cached_property
    def frame(self) -> Frame:
        """Where panels draw: the usual objectives, and the means of all curves."""
        run = self.run
        observed = run.objective[np.asarray(run.feasible)]
        usual = usual_ends(
            observed, lower_is_better=run.direction == "minimize"
        )
        low, high = (
            float(whole if end is None else end)
            for end, whole in zip(
                usual, (observed.min(), observed.max()), strict=True
            )
        )
        predicted = self.decision.predicted(self.decision.row_to_keep)
        means = np.concatenate([curve[0] for curve in self.curves])
        low = min(low, predicted.interval[0], np.nanmin(means))
        high = max(high, predicted.interval[1], np.nanmax(means))
        if low == high:
            low, high = low - 0.5, high + 0.5
        return Frame(low, high)

    @property
    def levels(self) -> tuple[float, float]:
        """The objective at the lower and the upper end of each panel."""
        return self.frame.low, self.frame.high

    @property
    def predicted_text(self) -> str:
        """What is predicted for the trial to keep, with what holds it in 95 %."""
        found = self.decision.predicted(self.decision.row_to_keep)
        low, high = found.interval
        number, *ends = (
            format_level(value, found.half, least=1)
            for value in (found.estimate, low, high)
        )
        return f"{number} ({ends[0]} to {ends[1]})"

    # ------------------------------------------------------------------ the panels

    @property
    def panels(self) -> Iterator[Panel]:
        """The panels, the most important first."""
        for j in self.order:
            yield self._panel(j)

    def _panel(self, j: int) -> Panel:
        frame, space = self.frame, self.run.space
        parameter, row = space.parameters[j], self.decision.row_to_keep
        explained = self.question.ask(importance)
        share = float(explained.estimate[j])
        low, high = explained.ends[j].tolist()
        known = not np.isnan([low, high]).any()
        range_of = f"{low:.0%} to {high:.0%}" if known else ""
        ends = (low, high) if known else (share, share)
        at = self.usual[j]
        return Panel(
            j=j,
            name=parameter.name,
            kind="along-names" if parameter.is_category else "along-numbers",
            share=f"{share:.0%}",
            range=range_of,
            bar=(100.0 * share, 100.0 * ends[0], 100.0 * (ends[1] - ends[0])),
            why_inactive=f"inactive: {space.condition_text(parameter.name)}",
            is_inactive=bool(np.isnan(row[j])),
            value=_text(parameter, parameter.decode([at])[0]),
            at=float(frame.x(parameter, at)),
            paths=self._paths(j),
            kept=self._kept(j),
            marks=self._marks(j),
            labels=_labels(frame, parameter),
        )

    def _paths(self, j: int) -> dict[str, str]:
        frame, run = self.frame, self.run
        parameter = run.space.parameters[j]
        x = frame.x(parameter, self.positions[j])
        mean, low, high = map(frame.y, self.curves[j])
        shape = _bars if parameter.is_category else _area
        line = _dots if parameter.is_category else _line
        observed = np.asarray(run.feasible)
        some = np.linspace(0, observed.sum() - 1, _DOTS).round()
        rows = np.flatnonzero(observed)[np.unique(some.astype(int))]
        failed = np.vstack(
            [
                run.X[~observed],
                *(one.x[None] for one in run.without_result.values()),
            ]
        )
        below = np.full(len(failed), frame.bottom + 4.0)
        return {
            "band": shape(x, low, high),
            "untried": "".join(
                shape(x[at], low[at], high[at]) for at in self.untried(j)
            ),
            "mean": line(x, mean),
            "average": self._average(j),
            "trials": _dots(
                frame.x(parameter, run.X[rows, j]),
                frame.y(run.objective[rows]),
            ),
            "failed": _crosses(frame.x(parameter, failed[:, j]), below),
        }

    def untried(self, j: int) -> list[list[int]]:
        """Return the stretches of a curve, as places, near which hardly anybody tried."""
        open_at = np.flatnonzero(~self.supported[j])
        if not len(open_at):
            return []
        breaks = np.flatnonzero(np.diff(open_at) > 1) + 1
        return [part.tolist() for part in np.split(open_at, breaks)]

    def _average(self, j: int) -> str:
        """Return the partial dependence where the function tells it: of what matters most."""
        parameter = self.run.space.parameters[j]
        for effect in self.question.ask(partial_dependence):
            if effect.names == (parameter.name,):
                x = self.frame.x(parameter, effect.positions[0])
                draw = _dots if parameter.is_category else _line
                return draw(x, self.frame.y(effect.mean))
        return ""

    def _kept(self, j: int) -> list[tuple[float, float]]:
        """Return where the recommended space is, if it is smaller: left ends and widths."""
        frame, whole = self.frame, self.run.space.parameters[j]
        part = self.decision.box.parts[j]
        if whole.is_category:
            kept = [c for c in whole.choices if c in part.choices]
            if len(kept) == len(whole.choices):
                return []
            middle = frame.x(whole, whole.encode(kept))
            width = (frame.right - frame.left) / len(whole.choices)
            return [(float(x - width / 2), width) for x in middle]
        if (part.low, part.high) == (whole.low, whole.high):
            return []
        low, high = frame.x(whole, whole.encode([part.low, part.high]))
        return [(float(low), float(high - low))]

    def _marks(self, j: int) -> list[Mark]:
        parameter, bounds = self.run.space.parameters[j], self.run.bounds
        found = []
        for kind, (text, row) in self.starts.items():
            if np.isnan(row[j]) or kind == "default":
                continue
            mean = self._predicted[kind]
            x, y = self.frame.x(parameter, row[j]), self.frame.y(mean)
            value = _text(parameter, parameter.decode([row[j]])[0])
            found.append(
                Mark(kind, float(x), float(y), f"{text}: {value}")
            )
        return found

    @cached_property
    def _predicted(self) -> dict[str, float]:
        """What is predicted for the configurations to start from."""
        return {
            kind: self.decision.predicted(row).estimate
            for kind, (_, row) in self.starts.items()
        }


def _positions(parameter: Parameter) -> Array:
    """Return the positions of a curve: all values where there are few, else some of them."""
    if parameter.size is not None and parameter.size <= _POINTS:
        grid = parameter.grid()
        if grid is not None:
            return np.asarray(grid[0], float)
    if parameter.is_category:
        return np.arange(len(parameter.choices), dtype=float)
    if parameter.low == parameter.high:
        return np.zeros(1)
    even = np.linspace(0.0, 1.0, _POINTS)
    return np.unique(parameter.nearest(even))


def _text(parameter: Parameter, value: Any) -> str:
    if parameter.is_category:
        return format_value(value, width=_WIDTH)
    return format_in_range(value, parameter.low, parameter.high)


def _labels(
    frame: Frame, parameter: Parameter
) -> list[tuple[float, str, str]]:
    """Return the texts along a panel: where, how they are anchored, and what."""
    if parameter.is_category:
        count = len(parameter.choices)
        room = int((frame.right - frame.left) / count / 6.5)
        if room < 3:
            return [
                (frame.left, "start", f"{count} categories"),
            ]
        x = frame.x(parameter, np.arange(count))
        names = [format_value(c, width=room) for c in parameter.choices]
        return [
            (float(at), "middle", name)
            for at, name in zip(x, names, strict=True)
        ]
    if parameter.low == parameter.high:
        return [(frame.left, "start", _text(parameter, parameter.low))]
    return [
        (frame.left, "start", _text(parameter, parameter.low)),
        (frame.right, "end", _text(parameter, parameter.high)),
    ]


def _line(x: Array, y: Array) -> str:
    there = ~np.isnan(y)
    points = zip(x[there].tolist(), y[there].tolist(), strict=True)
    text = "L".join(f"{a:.1f},{b:.1f}" for a, b in points)
    return f"M{text}" if text else ""


def _area(x: Array, low: Array, high: Array) -> str:
    around = _line(np.r_[x, x[::-1]], np.r_[low, high[::-1]])
    return f"{around}Z" if around else ""


def _each(template: str, *columns: Array) -> str:
    rows: Sequence[Sequence[float]] = np.transpose(columns).tolist()
    return "".join(
        template.format(*row) for row in rows if not np.isnan(row).any()
    )


def _bars(x: Array, low: Array, high: Array) -> str:
    return _each("M{:.1f},{:.1f}V{:.1f}", x, low, high)


def _dots(x: Array, y: Array) -> str:
    return _each("M{:.1f},{:.1f}h0", x, y)


def _crosses(x: Array, y: Array) -> str:
    return _each("M{:.1f},{:.1f}m-3,-3l6,6m0,-6l-6,6", x, y)
