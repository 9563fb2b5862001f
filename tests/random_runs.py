"""Whole random optimization runs, as messy as real ones are: studies and tables.

Each strategy builds what a user would hand over, with everything at once that makes it hard to
read: trials in every state, constraints, several objectives, every kind of hyperparameter,
ranges that change, conditions, parallel workers, objectives from constant to diverged, and names
with strange characters. What is drawn is the structure, which shrinks; values follow a seed.
"""

from __future__ import annotations

import datetime as dt
import io
import math
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import optuna
import pandas as pd
from hypothesis import strategies as st
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial, TrialState

from tests.handmade import NASTY


@dataclass(frozen=True, eq=False)
class RandomRun:
    """Something that holds a run, and the options with which it is read."""

    source: Any
    options: dict[str, Any] = field(default_factory=dict)
    numbers: tuple[int, ...] = ()
    """The numbers of all of its trials, read or not."""

    def __repr__(self) -> str:
        if isinstance(self.source, optuna.Study):
            held = [
                (t.state.name, t.values, t.params, t.system_attrs, t.intermediate_values)
                for t in self.source.trials
            ]
        else:
            held = self.source.to_dict("list")
        return f"RandomRun({held!r}, {self.options!r})"


# ---------------------------------------------------------------------- hyperparameters

_NAMES = (
    *("lr", "n_layers", "units", "booster", "depth", "dropout", "momentum", "alpha", "x0", "seed"),
    *("total", "mean", "value", "number", "loss", "1", " ", "nan"),  # words of the package itself
    *NASTY,
)
names = st.sampled_from(_NAMES)

CHOICES = (
    ("adam", "sgd"),
    ("gbtree", "dart", "gblinear"),
    ("only",),
    (True, False),
    (True, 1, 0, False, 2),
    (None, "none", "None"),
    (None,),
    (1, "1", 2, "two"),
    (1, 2.5, 1e-9, -3),
    (math.nan, 1.0),
    ([32, 32], [64], []),
    ((1, 2), (3,), ((4, 5), 6)),
    ({"kind": "a"}, {"kind": "b", "deep": [1, None]}),
    ("a", "b", "a"),
    ("", " ", "\t"),
    NASTY,
    tuple(range(100)),
    tuple(f"model {i}" for i in range(100)),
)

ordinary_floats = st.one_of(
    st.builds(
        lambda low, width: FloatDistribution(low, low + width),
        st.sampled_from([-5.0, 0.0, 1e-3, 1e6]),
        st.sampled_from([0.0, 1e-6, 0.7, 1.0, 1e5]),
    ),
    st.builds(
        lambda low, factor: FloatDistribution(low, low * factor, log=True),
        st.sampled_from([1e-10, 1e-5, 0.3, 1.0]),
        st.sampled_from([1.0, 1.5, 1e3, 1e12]),
    ),
    st.builds(
        lambda low, step, count: FloatDistribution(low, round(low + step * count, 9), step=step),
        st.sampled_from([-1.0, 0.0, 0.1]),
        st.sampled_from([0.1, 0.25, 3.0]),
        st.sampled_from([0, 1, 7, 1000]),
    ),
)
extreme_floats = st.sampled_from(
    [
        FloatDistribution(-1e308, 1e308),
        FloatDistribution(0.0, 5e-324),
        FloatDistribution(1e-300, 1e300, log=True),
        FloatDistribution(1.0, 1.0 + 2e-16),
        FloatDistribution(0.0, 1e9, step=1e-3),
    ]
)
ordinary_ints = st.one_of(
    st.builds(
        lambda low, step, count: IntDistribution(low, low + step * count, step=step),
        st.sampled_from([-3, 0, 1, 100]),
        st.sampled_from([1, 2, 16]),
        st.sampled_from([0, 1, 3, 9, 500]),
    ),
    st.builds(
        lambda low, factor: IntDistribution(low, low * factor, log=True),
        st.sampled_from([1, 2, 16]),
        st.sampled_from([1, 3, 64, 10**6]),
    ),
)
extreme_ints = st.sampled_from(
    [IntDistribution(-(2**62), 2**62), IntDistribution(1, 2**40, log=True)]
)


@st.composite
def categories(draw) -> CategoricalDistribution:
    with warnings.catch_warnings():
        # Optuna warns of choices that are lists
        warnings.simplefilter("ignore")
        return CategoricalDistribution(draw(st.sampled_from(CHOICES)))


@dataclass(frozen=True, eq=False)
class Hyperparameter:
    """A hyperparameter of a random run: one range per phase of it, and when it is active."""

    name: str
    kinds: tuple[BaseDistribution, ...]
    since: float
    """Share of the trials after which it was added."""
    until: float
    parents: dict[str, list[Any]]
    """Values of its parents with which it is active."""
    frequency: float
    """Share of the trials with those that have it all the same."""

    def kind(self, share: float) -> BaseDistribution:
        """Return the range that holds when this share of the trials is over."""
        return self.kinds[min(int(share * len(self.kinds)), len(self.kinds) - 1)]


@st.composite
def hyperparameters(draw, *, real: bool = False, most: int = 8) -> list[Hyperparameter]:
    """Plan hyperparameters: `real` ones are such that Optuna itself suggests them."""
    floats = ordinary_floats if real else st.one_of(ordinary_floats, extreme_floats)
    ints = ordinary_ints if real else st.one_of(ordinary_ints, extreme_ints)
    planned: list[Hyperparameter] = []
    size = min(most, draw(st.sampled_from([0, 1, 2, 2, 3, 3, 4, 5, 6, 8])))
    for name in draw(st.lists(names, unique=True, min_size=size, max_size=size)):
        of_kind = draw(st.sampled_from([floats, ints, categories()]))
        kinds = [draw(of_kind)]
        if not real and draw(st.integers(0, 5)) == 0:
            # by hand, anything can be added: now and then even another kind
            other = of_kind if draw(st.integers(0, 4)) else st.one_of(floats, ints, categories())
            kinds.append(draw(other))
        since = draw(st.sampled_from([0.0] * 8 + [0.3, 0.6]))
        until = draw(st.sampled_from([1.0] * 8 + [0.4, 0.7]))
        frequency = draw(st.sampled_from([1.0] * 8 + [0.5, 0.1]))
        parents = {}
        possible = [p for p in planned if values_of(p.kinds[0])]
        if possible and draw(st.integers(0, 2)) == 0:
            for parent in draw(st.lists(st.sampled_from(possible), max_size=2, unique=True)):
                values = values_of(parent.kinds[0])
                if isinstance(parent.kinds[0], IntDistribution):
                    values = values[draw(st.integers(0, len(values) - 1)) :]
                else:
                    values = draw(st.lists(st.sampled_from(values), min_size=1, max_size=3))
                parents[parent.name] = values
        planned.append(Hyperparameter(name, tuple(kinds), since, until, parents, frequency))
    return planned


def values_of(kind: BaseDistribution) -> list[Any]:
    """Return the values of what may be a parent: categories, and integers with few values."""
    if isinstance(kind, CategoricalDistribution):
        return list(kind.choices)
    if isinstance(kind, IntDistribution) and kind.high - kind.low <= 1000:
        return list(range(kind.low, kind.high + 1, kind.step))
    return []


def value_of(kind: BaseDistribution, rng: np.random.Generator) -> Any:
    """Return a random value, now and then an end of the range."""
    if isinstance(kind, CategoricalDistribution):
        return kind.choices[rng.integers(len(kind.choices))]
    if rng.random() < 0.1:
        return kind.low if rng.random() < 0.5 else kind.high
    u = rng.random()
    if kind.step is not None and not kind.log:
        count = round((kind.high - kind.low) / kind.step)
        value = kind.low + kind.step * int(rng.integers(min(count, 2**62) + 1))
    elif kind.log:
        value = math.exp((1 - u) * math.log(kind.low) + u * math.log(kind.high))
    else:
        value = (1 - u) * kind.low + u * kind.high
    value = min(max(value, kind.low), kind.high)
    if isinstance(kind, IntDistribution):
        return round(value)
    # far out on a fine grid a last digit is more than Optuna grants to the grid's own points
    return float(value) if kind._contains(float(value)) else kind.low


def configuration(
    planned: list[Hyperparameter], share: float, rng: np.random.Generator
) -> tuple[dict[str, Any], dict[str, BaseDistribution]]:
    """Return the values and ranges of a trial at a share of the run."""
    params: dict[str, Any] = {}
    kinds: dict[str, BaseDistribution] = {}
    for p in planned:
        if p.since <= share < p.until and rng.random() < p.frequency and _is_active(p, params):
            kinds[p.name] = p.kind(share)
            params[p.name] = value_of(kinds[p.name], rng)
    return params, kinds


def _is_active(p: Hyperparameter, params: dict[str, Any]) -> bool:
    return all(
        parent in params and any(params[parent] is v or params[parent] == v for v in values)
        for parent, values in p.parents.items()
    )


# ---------------------------------------------------------------------- objectives


@dataclass(frozen=True, eq=False)
class Objective:
    """A random objective: a bowl over the numbers, a level per category, and what went wrong."""

    shape: str
    scale: float
    offset: float
    worse: float
    """1 where it is minimized, -1 where it is maximized: where diverged trials are."""
    seed: int

    def __call__(self, params: dict[str, Any], rng: np.random.Generator) -> float:
        if self.shape == "constant":
            return self.offset
        if self.shape == "diverged" and rng.random() < 0.15:
            return self.worse * float(rng.choice([1e6, 1e12, 1e300]))
        total = 0.0
        for name, value in params.items():
            own = np.random.default_rng([self.seed, *name.encode()])
            weight, centre = own.random(2) * own.integers(0, 2)
            if isinstance(value, (bool, str, list, tuple, dict)) or value is None:
                total += weight * (sum(repr(value).encode()) % 7)
            elif math.isfinite(value):
                total += weight * (math.tanh(value / 3.0) - centre) ** 2
        if self.shape == "noisy":
            total += rng.standard_normal()
        if self.shape == "tied":
            total = float(round(total))
        return self.offset + self.scale * total


@st.composite
def objectives(draw, direction: str = "minimize") -> Objective:
    return Objective(
        draw(st.sampled_from(["smooth", "smooth", "noisy", "tied", "constant", "diverged"])),
        draw(st.sampled_from([1.0, 1.0, 1.0, -1.0, 1e-12, 1e8, 1e-200, 1e200])),
        draw(st.sampled_from([0.0, 0.0, 0.0, 1.0, -1e6, 1e-9])),
        1.0 if direction == "minimize" else -1.0,
        draw(st.integers(0, 2**16)),
    )


# ---------------------------------------------------------------------- Optuna

directions = st.sampled_from(["minimize", "maximize"])
counts = st.sampled_from([0, 1, 2, 3, 4, 6, 8, 11, 12, 13, 15, 18, 22, 30, 40, 60])
samplers = st.one_of(
    st.just(optuna.samplers.RandomSampler(seed=0)),
    st.builds(
        lambda n: optuna.samplers.TPESampler(n_startup_trials=n, seed=0), st.sampled_from([1, 10])
    ),
    st.just(optuna.samplers.NSGAIISampler(seed=0)),
)
_MARKS = ({}, {}, {"tpe:relative_params:0": "{}"}, {"gp:relative_params:0": "{}"}, {"grid_id": 1})
_MESS = {"tidy": 0.0, "some": 0.15, "much": 0.5}
_CLOCKS = ("sequential", "parallel", "coarse", "instant")


def duration(trial: FrozenTrial) -> float | None:
    """How long a trial took, in seconds."""
    return None if trial.duration is None else trial.duration.total_seconds()


def first_reported(trial: FrozenTrial) -> float | None:
    """What a trial reported first, None if it did not."""
    return next(iter(trial.intermediate_values.values()), None)


@st.composite
def studies(draw) -> RandomRun:
    """Build a study of Optuna and the options of `from_optuna`."""
    ways = draw(st.lists(directions, min_size=1, max_size=3))
    if draw(st.booleans()):
        ways = ways[:1]
    metrics = None
    if draw(st.integers(0, 2)) == 0:
        metrics = draw(st.lists(names, min_size=len(ways), max_size=len(ways), unique=True))
    study = optuna.create_study(
        study_name=draw(st.sampled_from([None, "my study", *NASTY])),
        directions=ways,
        sampler=draw(samplers),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what Optuna calls experimental
        if metrics:
            study.set_metric_names(metrics)
        draw(st.sampled_from([_fill, _fill, _fill, _optimize]))(draw, study, ways)
    target: Any = draw(st.sampled_from([None, *range(len(ways)), *(metrics or ())]))
    if len(ways) > 1 and target is None and draw(st.integers(0, 4)):
        target = 0  # without a target such a study cannot be read
    options: dict[str, Any] = {
        "target": draw(st.sampled_from([target, target, target, duration, first_reported])),
        "pruned": draw(st.sampled_from(["drop", "last"])),
        "infeasible": draw(st.sampled_from(["drop", "keep"])),
    }
    if callable(options["target"]):
        options["direction"] = draw(st.sampled_from([None, "minimize", "maximize"]))
    if draw(st.integers(0, 3)) == 0:
        options["sampler"] = draw(samplers)
    return RandomRun(study, options, tuple(range(len(study.trials))))


def _fill(draw: Any, study: optuna.Study, ways: list[str]) -> None:
    """Add finished and unfinished trials by hand, as from another program's log."""
    planned = draw(hyperparameters())
    wanted = [draw(objectives(way)) for way in ways]
    mess = _MESS[draw(st.sampled_from(list(_MESS)))]
    forms = draw(st.sampled_from([(), (), ("list",), ("named",), ("list", "named", "none")]))
    marks = draw(st.sampled_from(_MARKS))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(counts)
    clock = _Clock(draw(st.sampled_from(_CLOCKS)), rng)
    earlier: list[tuple[dict[str, Any], dict[str, BaseDistribution]]] = []
    for i in range(n):
        params, kinds = configuration(planned, i / n, rng)
        if earlier and rng.random() < mess / 3:
            params, kinds = earlier[rng.integers(len(earlier))]  # a duplicate
        earlier.append((params, kinds))
        if rng.random() < mess / 5:  # added by hand, in another order of hyperparameters
            order = rng.permutation(list(params)).tolist()
            params, kinds = ({k: params[k] for k in order}, {k: kinds[k] for k in order})
        state = TrialState.COMPLETE
        if rng.random() < mess:
            state = TrialState(int(rng.choice([s.value for s in TrialState])))
        values = None
        if state == TrialState.COMPLETE or (state == TrialState.PRUNED and rng.random() < 0.2):
            values = [objective(params, rng) for objective in wanted]
            if rng.random() < mess / 3:
                values[rng.integers(len(values))] = float(rng.choice([math.inf, -math.inf]))
        steps = range(int(rng.integers(0, 4)) if mess else 0)
        started, completed = clock.next(state)
        study.add_trial(
            FrozenTrial(
                number=-1,
                trial_id=-1,
                state=state,
                value=None,
                values=values,
                datetime_start=started,
                datetime_complete=completed,
                params=params,
                distributions=kinds,
                user_attrs={"note": "by hand"} if rng.random() < mess else {},
                system_attrs={
                    **(marks if i > 5 else {}),
                    **_constraints(forms, rng),
                    **_origin(params, mess, rng),
                },
                intermediate_values={
                    int(s): float(rng.choice([s, 0.5, math.nan, math.inf, -1e6])) for s in steps
                },
            )
        )


class _Clock:
    """Starts and ends of trials: one after the other, on several workers, or at one instant."""

    def __init__(self, mode: str, rng: np.random.Generator) -> None:
        self.mode, self.rng = mode, rng
        self.free = [0.0] * (int(rng.integers(2, 5)) if mode in ("parallel", "coarse") else 1)

    def next(self, state: TrialState) -> tuple[dt.datetime | None, dt.datetime | None]:
        worker = int(np.argmin(self.free))
        start = self.free[worker]
        took = 0.0 if self.mode == "instant" else float(self.rng.exponential(2.0))
        self.free[worker] = start + took
        if state == TrialState.WAITING:
            return None, None
        ends = [start, start + took]
        if self.mode == "coarse":
            ends = [math.floor(end) for end in ends]
        day = dt.datetime(2024, 5, 17, 12, 0, 0, 0 if self.mode == "coarse" else 500)
        begun, done = (day + dt.timedelta(seconds=end) for end in ends)
        return begun, done if state.is_finished() else None


def _constraints(forms: tuple[str, ...], rng: np.random.Generator) -> dict[str, Any]:
    if not forms:
        return {}
    bounds = [round(float(b), 2) for b in rng.normal(-1.0, 1.0, size=rng.integers(1, 3))]
    form = forms[rng.integers(len(forms))]
    if form == "list":  # as samplers with constraints_func store them
        return {"constraints": bounds}
    return {f"constraints:{k}": b for k, b in enumerate(bounds)} if form == "named" else {}


def _origin(params: dict[str, Any], mess: float, rng: np.random.Generator) -> dict[str, Any]:
    kind = int(rng.integers(0, 3)) if params and rng.random() < mess / 3 else 2
    enqueued = dict(list(params.items())[:1])
    return ({"fixed_params": enqueued}, {"failed_trial": 0, "fixed_params": enqueued}, {})[kind]


def _optimize(draw: Any, study: optuna.Study, ways: list[str]) -> None:
    """Let Optuna itself run a define-by-run objective that fails, prunes and returns NaN."""
    planned = draw(hyperparameters(real=True, most=5))
    wanted = [draw(objectives(way)) for way in ways]
    mess = _MESS[draw(st.sampled_from(list(_MESS)))]
    n = min(draw(counts), 25)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))

    def objective(trial: optuna.Trial) -> Any:
        params: dict[str, Any] = {}
        for p in planned:
            if rng.random() < p.frequency and _is_active(p, params):
                params[p.name] = _suggest(trial, p.name, p.kinds[0])
        if len(ways) == 1 and rng.random() < mess:
            for step in range(rng.integers(0, 3)):
                trial.report(float(rng.choice([step, math.nan, 1.0])), step)
            raise optuna.TrialPruned
        if rng.random() < mess / 2:
            raise RuntimeError
        values = [one(params, rng) for one in wanted]
        if rng.random() < mess / 2:
            values[0] = float(rng.choice([math.nan, math.inf]))
        return values

    if planned and n and draw(st.booleans()):
        first = planned[0]
        study.enqueue_trial({first.name: value_of(first.kinds[0], rng)})
    study.optimize(objective, n_trials=n, catch=(RuntimeError,))
    if mess:
        study.enqueue_trial({})
        study.ask()


def _suggest(trial: optuna.Trial, name: str, kind: BaseDistribution) -> Any:
    if isinstance(kind, CategoricalDistribution):
        return trial.suggest_categorical(name, kind.choices)
    if isinstance(kind, IntDistribution):
        return trial.suggest_int(name, kind.low, kind.high, step=kind.step, log=kind.log)
    return trial.suggest_float(name, kind.low, kind.high, step=kind.step, log=kind.log)


# ---------------------------------------------------------------------- tables


@st.composite
def tables(draw) -> RandomRun:
    """Build a table of trials and the options of `from_frame`."""
    planned = draw(hyperparameters())
    direction = draw(directions)
    objective = draw(objectives(direction))
    mess = _MESS[draw(st.sampled_from(list(_MESS)))]
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(counts)
    rows = [configuration(planned, i / n, rng)[0] for i in range(n)]
    columns: dict[str, Any] = {
        p.name: [row.get(p.name, draw_empty) for row in rows]
        for p in planned
        for draw_empty in [draw(st.sampled_from([None, math.nan]))]
    }
    values = [objective(row, rng) for row in rows]
    for i in range(n):
        if rng.random() < mess / 3:
            values[i] = float(rng.choice([math.nan, math.inf, -math.inf]))
    measure = draw(st.sampled_from(["auc", "val/loss", *NASTY]))
    columns[measure] = values
    options: dict[str, Any] = {"objective": measure, "direction": direction}
    if draw(st.integers(0, 2)) == 0:
        columns["trial id"] = rng.permutation(3 * n)[:n]
        options["trial"] = "trial id"
    if draw(st.integers(0, 2)) == 0:
        start = rng.exponential(1.0, n).cumsum()
        stamps = pd.Timestamp("2024-05-17", tz="UTC") + pd.to_timedelta(start, unit="s")
        columns["started"] = draw(st.sampled_from([start, stamps]))
        columns["finished"] = columns["started"] + (
            rng.exponential(2.0, n)
            if columns["started"] is start
            else pd.to_timedelta(rng.exponential(2.0, n), unit="s")
        )
        options["time"] = ("started", "finished")
        if "trial" not in options and draw(st.booleans()):
            options["time"] = "started"
    if draw(st.integers(0, 2)) == 0:
        columns["run name"] = [f"run {i}" for i in range(n)]
        columns["empty"] = [None] * n
    frame = pd.DataFrame(columns, index=rng.permutation(n) if draw(st.booleans()) else None)
    frame = draw(st.sampled_from([_as_is, _as_is, _as_objects, _as_nullable, _as_csv]))(frame)
    if draw(st.booleans()):
        options["hyperparameters"] = [p.name for p in planned]
    if draw(st.booleans()):
        options["initial"] = draw(st.sampled_from([0, 1, 5]))
    if n and "trial" in options:
        numbers = tuple(int(number) for number in columns["trial id"])
    else:
        numbers = tuple(range(n))
    return RandomRun(frame, options, numbers)


def _as_is(frame: pd.DataFrame) -> pd.DataFrame:
    return frame


def _as_objects(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.astype(object)


def _as_nullable(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.convert_dtypes()


def _as_csv(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(frame.to_csv(index=False))) if len(frame.columns) else frame
