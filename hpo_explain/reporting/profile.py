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
from hpo_explain.belief import STRETCH, Decision, Draws, interval
from hpo_explain.methods.advice.advise import advise
from hpo_explain.methods.around.tolerance import tolerance
from hpo_explain.methods.effects.effects import partial_dependence
from hpo_explain.methods.importance.importance import importance
from hpo_explain.question import Question, RunDecision
from hpo_explain.run import Run
from hpo_explain.space import Array, Bools, CategoricalParameter, Config, Parameter, Support

_POINTS = 21  # of a curve, where a hyperparameter has more values
_DOTS = 1000  # trials that are drawn
_WIDTH = 24  # columns of a category's name
_LETTER, _FEWEST = (6.5, 3)  # pixels; letters of a name that says something


@dataclass(frozen=True)
class Frame:
    """Where a panel draws, in pixels, and the objective at its lower and upper end."""

    low: float
    high: float
    left: float = 48.0
    right: float = 234.0
    top: float = 20.0
    bottom: float = 122.0

    def x(self, parameter: Parameter, positions: Any) -> Array:
        """Return where encoded positions stand; categories side by side."""
        share = np.asarray(positions, float)
        if parameter.is_category:
            share = (share + 0.5) / len(parameter.choices)
        return self.left + (self.right - self.left) * share

    def y(self, objective: Any) -> Array:
        """Return where values of the objective stand; those beyond an end at that end."""
        inside: Array = np.clip(np.asarray(objective, float), self.low, self.high)
        share: Array = (inside - self.low) / (self.high - self.low)
        return self.bottom - (self.bottom - self.top) * share


@dataclass(frozen=True)
class Mark:
    """A configuration that stands out: its kind, where it stands in a panel, and its name."""

    kind: str
    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Panel:
    """The picture of one hyperparameter.

    Attributes
    ----------
    j, name, kind : int, str, str
        Its column, its name, and whether its points stand apart or are joined.
    share, range : str
        Of the variance what it takes part in, and the interval.
    bar : tuple of str
        Paths of both, of a width of 100.
    inactive : str
        Why it is inactive, where it is.
    is_inactive : bool
        Whether it is.
    value, at : str, float
        Where it is set, and where that stands.
    paths : dict of str to str
        What is drawn, from the back to the front, in pixels.
    marks : list of Mark
        The configurations that stand out.
    texts : list of tuple
        Where texts stand, how they are anchored, and what they say.
    """

    j: int
    name: str
    kind: str
    share: str
    range: str
    bar: tuple[str, str]
    inactive: str
    is_inactive: bool
    value: str
    at: float
    paths: dict[str, str]
    marks: list[Mark]
    texts: list[tuple[float, float, str, str]]


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
        found = {"keep": (f"trial {keep}, to keep", self.decision.row_to_keep)}
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
        return np.nan_to_num(usual)

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
            support.at(p.name, p.decode(at)) for p, at in zip(space, self.positions, strict=True)
        ]

    @cached_property
    def curves(self) -> list[Array]:
        """Mean, lower and upper end at these, (3, G) each; NaN where it is inactive."""
        counts = [len(at) for at in self.positions]
        moved = np.repeat(np.arange(len(counts)), counts)
        places = np.arange(len(moved))
        rows = np.repeat(self.usual[None], len(moved), axis=0)
        rows[places, moved] = np.concatenate(self.positions)
        rows = self.run.space.project(rows)
        rows[:, self._unset] = np.nan
        draws = self.draws.at_one(self.draws.draws(rows))
        ends = [interval(column, stretch=STRETCH["average"]) for column in draws.T]
        bounds = self.run.bounds or (-np.inf, np.inf)
        found = np.vstack([draws.mean(axis=0), np.clip(np.transpose(ends), *bounds)])
        found[:, np.isnan(rows[places, moved])] = np.nan
        return np.split(found, np.cumsum(counts)[:-1], axis=1)

    @property
    def _unset(self) -> Bools:
        """Which hyperparameters the trial to keep has not, though it might."""
        optional = [p.optional < 1.0 for p in self.run.space]
        return np.isnan(self.decision.row_to_keep) & optional

    @cached_property
    def frame(self) -> Frame:
        """Where panels draw: the usual objectives, and the means of all curves."""
        run = self.run
        observed = run.objective[np.asarray(run.feasible)]
        usual = usual_ends(observed, lower_is_better=run.direction == "minimize")
        low, high = (
            float(whole if end is None else end)
            for end, whole in zip(usual, (observed.min(), observed.max()), strict=True)
        )
        predicted = self._predicted["keep"]
        means = np.concatenate([curve[0] for curve in self.curves])
        low = min(low, predicted.interval[0], np.nanmin(means))
        high = max(high, predicted.interval[1], np.nanmax(means))
        if low == high:
            low, high = low - 0.5, high + 0.5
        return Frame(low, high)

    @property
    def legend(self) -> list[tuple[str, str, str]]:
        """What marks look like, and what they mean."""
        started = [
            (f"mark {kind}", _DOT.format(0, 0), text)
            for kind, (text, _) in self.starts.items()
            if kind != "default"
        ]
        failed = not np.all(self.run.feasible) or self.run.without_result
        narrowed = not all(kept.all() for kept in self.decision.box.levels)
        return [
            *started,
            ("others", _DOT.format(0, 0), "trial"),
            ("near", _DOT.format(0, 0), "trial near this setting"),
            *([("failed", _CROSS.format(0, 0), "no result")] if failed else []),
            ("average", "M-8,0H8", "average over all others"),
            *([("kept", "M-8,-6H8V6H-8Z", "recommended space")] if narrowed else []),
            *([("tolerated", "M-7,-2v4H7v-4", self._tolerated_text)] if self._may_move else []),
            ("untried", "M-6,-6V6M0,-6V6M6,-6V6", "fewer than 3 trials nearby"),
        ]

    @property
    def predicted_text(self) -> str:
        """What is predicted for the trial to keep, with what holds it in 95 %."""
        found = self._predicted["keep"]
        low, high = found.interval
        number, *ends = (
            format_level(value, found.half, least=1) for value in (found.estimate, low, high)
        )
        return f"{number} ({ends[0]} to {ends[1]})"

    @property
    def _tolerated_text(self) -> str:
        found = self.question.ask(tolerance)
        sure = "by the model" if found.doubts else "95 % sure"
        return f"loses at most {found.epsilon:.2g} ({sure})"

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
        share = float(explained.sizes[j])
        low, high = explained.ends_with[j].tolist()
        known = not np.isnan([low, high]).any()
        range_of = f"{low:.0%} to {high:.0%}" if known else ""
        ends = (low, high) if known else (share, share)
        at = self.usual[j]
        return Panel(
            j=j,
            name=parameter.name,
            kind="apart" if _is_apart(parameter) else "joined",
            share=f"{share:.0%}",
            range=range_of,
            bar=(f"M0,2h{100.0 * share:.1f}", f"M{100.0 * ends[0]:.1f},2H{100.0 * ends[1]:.1f}"),
            inactive=f"Inactive: {space.condition_text(parameter.name)}.",
            is_inactive=bool(np.isnan(row[j])),
            value=_text(parameter, parameter.decode(np.array([at]))[0]),
            at=float(frame.x(parameter, at)),
            paths=self._paths(j),
            marks=self._marks(j),
            texts=_texts(frame, parameter),
        )

    def _paths(self, j: int) -> dict[str, str]:
        frame, run = self.frame, self.run
        parameter = run.space.parameters[j]
        x = frame.x(parameter, self.positions[j])
        mean, low, high = map(frame.y, self.curves[j])
        line = _dots if _is_apart(parameter) else _line
        band = _bars if _is_apart(parameter) else _area
        open_at = ~self.supported[j]
        observed = np.asarray(run.feasible)
        some = np.linspace(0, observed.sum() - 1, _DOTS).round()
        rows = np.flatnonzero(observed)[np.unique(some.astype(int))]
        without = [one.x[None] for one in run.without_result.values()]
        failed = np.vstack([run.X[~observed], *without])[:, j]
        return {
            "kept": self._kept(j),
            "axis": f"M{frame.left},{frame.top}V{frame.bottom}H{frame.right}"
            + _each(f"M{{:.1f}},{frame.bottom}v5", _levels(frame, parameter)),
            "band": band(x, low, high),
            "untried": _bars(x[open_at], low[open_at], high[open_at]),
            "average": self._average(j),
            "others": _dots(frame.x(parameter, run.X[rows, j]), frame.y(run.objective[rows])),
            "near": "",
            "failed": _crosses(
                frame.x(parameter, failed), np.full(len(failed), frame.bottom + 4.0)
            ),
            "tolerated": self._tolerated(j),
            **dict.fromkeys(["first", "second", "third"], ""),
            "mean": line(x, mean),
        }

    def _average(self, j: int) -> str:
        """Return the partial dependence where the function tells it: of what matters most."""
        parameter = self.run.space.parameters[j]
        for effect in self.question.ask(partial_dependence):
            if effect.names == (parameter.name,):
                x = self.frame.x(parameter, effect.positions[0])
                draw = _dots if _is_apart(parameter) else _line
                return draw(x, self.frame.y(effect.mean))
        return ""

    def _kept(self, j: int) -> str:
        """Return where the recommended space is, if it is smaller."""
        frame, whole = self.frame, self.run.space.parameters[j]
        box = self.decision.box
        if box.levels[j].all():
            return ""
        part = box.parts[j]
        values = part.choices if isinstance(part, CategoricalParameter) else (part.low, part.high)
        area = f"M{{:.1f}},{frame.top}V{frame.bottom}H{{:.1f}}V{frame.top}Z"
        return _each(area, *_spans(frame, whole, values))

    def _tolerated(self, j: int) -> str:
        """Return how far the trial to keep may move before more is lost than counts."""
        parameter = self.run.space.parameters[j]
        if parameter.name not in self._may_move:
            return ""
        bracket = f"M{{:.1f}},{self.frame.bottom + 7.0}v4H{{:.1f}}v-4"
        return _each(bracket, *_spans(self.frame, parameter, self._may_move[parameter.name]))

    @cached_property
    def _may_move(self) -> dict[str, tuple[Any, ...]]:
        """The values that lose no more than counts, of what has others than its own."""
        found = self.question.ask(tolerance)
        each = zip(found.names, found.alone, strict=True)
        return {name: one.values for name, one in each if len({*one.values}) > 1}

    def _marks(self, j: int) -> list[Mark]:
        parameter = self.run.space.parameters[j]
        found = []
        for kind, (text, row) in self.starts.items():
            if np.isnan(row[j]) or kind == "default":
                continue
            mean = self._predicted[kind].estimate
            x, y = self.frame.x(parameter, row[j]), self.frame.y(mean)
            value = _text(parameter, parameter.decode(row[j : j + 1])[0])
            found.append(Mark(kind, float(x), float(y), f"{text}: {value}"))
        return found

    @cached_property
    def _predicted(self) -> dict[str, Decision]:
        """What is predicted for the configurations to start from."""
        rows = np.array([row for _, row in self.starts.values()])
        return dict(zip(self.starts, self.decision.predictions(rows), strict=True))


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


def _spans(frame: Frame, whole: Parameter, values: Sequence[Any]) -> tuple[Array, Array]:
    """Return where the columns of categories begin and end, or a range."""
    x = frame.x(whole, whole.encode(values))
    if not whole.is_category:
        return x[:1], x[1:]
    half = (frame.right - frame.left) / len(whole.choices) / 2.0
    return x - half, x + half


def _is_apart(parameter: Parameter) -> bool:
    """Say whether there is nothing between its values: categories, and values of a list."""
    return parameter.is_category or bool(parameter.values)


def _levels(frame: Frame, parameter: Parameter) -> Array:
    """Return where the values of a list stand; none of another hyperparameter."""
    if parameter.is_category or not parameter.values:
        return np.empty(0)
    return frame.x(parameter, parameter.encode(parameter.values))


def _text(parameter: Parameter, value: Any) -> str:
    if parameter.is_category:
        return format_value(value, width=_WIDTH)
    return format_in_range(value, parameter.low, parameter.high)


def _texts(frame: Frame, parameter: Parameter) -> list[tuple[float, float, str, str]]:
    """Return the texts around a panel: where they stand, how they are anchored, and what."""
    beside, apart = frame.left - 4.0, frame.high - frame.low
    texts = [
        (beside, frame.bottom, "end", f"{float(format_level(frame.low, apart, least=2)):g}"),
        (beside, frame.top + 8, "end", f"{float(format_level(frame.high, apart, least=2)):g}"),
    ]
    below = frame.bottom + 22.0
    if not parameter.is_category:
        low, high = (_text(parameter, end) for end in (parameter.low, parameter.high))
        texts.append((frame.left, below, "start", low))
        if parameter.low < parameter.high:
            texts.append((frame.right, below, "end", high))
        free = frame.left + _LETTER * (len(low) + 1)
        for at, value in zip(_levels(frame, parameter), parameter.values or (), strict=True):
            text = _text(parameter, value)
            half = _LETTER * len(text) / 2.0
            if free <= at - half and at + half <= frame.right - _LETTER * (len(high) + 1):
                texts.append((float(at), below, "middle", text))
                free = at + half + _LETTER
        return texts
    count = len(parameter.choices)
    columns = int((frame.right - frame.left) / count / _LETTER) - 1
    if columns < _FEWEST:
        return [*texts, (frame.left, below, "start", f"{count} categories")]
    x = frame.x(parameter, np.arange(count)).tolist()
    for at, choice in zip(x, parameter.choices, strict=True):
        texts.append((at, below, "middle", format_value(choice, width=columns)))
    return texts


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
    return "".join(template.format(*row) for row in rows if not np.isnan(row).any())


_DOT, _CROSS = "M{:.1f},{:.1f}h0", "M{:.1f},{:.1f}m-3,-3l6,6m0,-6l-6,6"


def _bars(x: Array, low: Array, high: Array) -> str:
    return _each("M{:.1f},{:.1f}V{:.1f}", x, low, high)


def _dots(x: Array, y: Array) -> str:
    return _each(_DOT, x, y)


def _crosses(x: Array, y: Array) -> str:
    return _each(_CROSS, x, y)
