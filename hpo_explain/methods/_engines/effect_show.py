"""How an effect is drawn: a curve with a band, points with whiskers, or cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.base import counted, join_words, number, percent, shorten
from hpo_explain.base.figures import (
    Axis,
    Cells,
    Curves,
    Dots,
    Line,
    View,
    broken,
    side_by_side,
    usual_ends,
)
from hpo_explain.methods._engines.effect_kinds import (
    AccumulatedEffect,
    AverageEffect,
    MarginalEffect,
)
from hpo_explain.methods._engines.effect_ranges import runs
from hpo_explain.methods._engines.effect_result import Effect
from hpo_explain.space import FEW, Array, CategoryIndex

MOST_CURVES = 40  # more of them are a grey area, and an SVG of 1,000 takes 300 kB
MOST_CATEGORIES = 40
REACHABLE = "reachable, the others at their best"
AVERAGE = "average over the others"
UNTRIED = f"fewer than {FEW} trials near"
_MOST_POINTS = 20  # whole numbers up to which each is a point
BESIDE = 0.22  # how far from its value a second point stands
_STD = {"trees": "std over the trees", "draws": "posterior std of the mean over all others"}


def effect(
    result: Effect, *, most: int = MOST_CATEGORIES, compared: bool = True, single: bool = True
) -> Curves | Cells:
    """Draw a real-valued hyperparameter as a curve with a band, others as points, a pair as cells.

    Where it is known what is reachable with the others at their best, that comes first, and the
    average second. Values that may be the best are green. Where hardly anything was tried the
    effect is dimmed (points are hollow). The trials stand behind, where they are in its units. Of
    many categories the best are drawn, the `most` of them, each in a row. Behind an average stand
    `single` configurations.
    """
    if len(result.names) == 2:
        return _cells(result)
    first = result.first
    named = result.categorical[0]
    cost = result.subject.value_sign * first.mean
    shown = np.sort(np.argsort(cost)[:most]) if named else np.arange(cost.size)
    x = axis_of(result, 0, shown if named else None)
    points, untried = as_points(result), _untried(result)[shown]
    best = np.zeros(len(shown), dtype=bool)
    if result.compared and compared:
        best = ~untried & first.best[shown]
    marks: dict[str, Any] = {}
    if points:
        groups = {"main": ~untried & ~best, "best": best, "doubt": untried}
        marks["dots"] = [*_points(result, first, x.places, shown, groups)]
    else:
        edges, places = x.edges(), x.places
        edges[[0, -1]] = (max(edges[0], places[0]), min(edges[-1], places[-1]))
        marks["lines"] = [Line(places, *second, look="second") for second in _second(result)]
        marks["lines"].append(Line(places, first.mean, _half(first)))
        marks["dimmed"] = [(edges[a], edges[b]) for a, b in runs(untried)]
        marks["marked"] = [(edges[a], edges[b]) for a, b in runs(best)]
    trials = _trials(result, x) if compared else None
    if result.tried and not (named or trials):
        marks["rug"] = apart(x, along(x, result.tried[0]))
    figure = Curves(
        x=x,
        y=Axis(label=_predicted(result)),
        thin=_thin(result, x, shown) if single else None,
        guide=place_of(result, 0, x),
        **marks,
        **_around(result, points, bool(untried.any()), result.mean.size - len(shown)),
    )
    return figure if trials is None else _before(figure, trials, result)


def _points(
    result: Effect, first: Effect, at: Array, shown: Any, groups: Mapping[str, Any]
) -> Iterator[Dots]:
    """Yield the points of categories or of a few whole numbers, what is second beside."""
    for mean, half in _second(result):
        half = None if half is None else half[..., shown]
        yield Dots(at + BESIDE, mean[shown], half, "second")
    mean, half = first.mean[shown], _half(first)[..., shown]
    for look, group in groups.items():
        if group.any():
            yield Dots(at[group], mean[group], half[..., group], look)


def _before(figure: Curves, trials: Dots, result: Effect) -> Curves:
    """Return a figure with the trials behind; its axis ends where most of them are."""
    low, high = figure.limits()
    ends = usual_ends([*trials.y, low, high], lower_is_better=result.subject.lower_is_better)
    if ends[0] is not None:
        ends = (min(ends[0], low), None)
    if ends[1] is not None:
        ends = (None, max(ends[1], high))
    return replace(figure, dots=[trials, *figure.dots], y=replace(figure.y, limits=ends))


def _cells(result: Effect) -> Cells:
    x, y = axis_of(result, 0), axis_of(result, 1)
    dimmed = _untried(result)
    dots = _tried(result, x, y)
    star = [place_of(result, k, axis) for k, axis in enumerate((x, y))]
    if None not in star:
        across, up = np.array(star, dtype=float)[:, None]
        dots.append(Dots(across, up, look="star"))
    return Cells(
        x=x,
        y=y,
        values=result.mean,
        scale=_predicted(result),
        dimmed=dimmed,
        dots=dots,
        **_around(result, False, bool(dimmed.any())),
    )


# ---------------------------------------------------------------------- what is where


def as_points(result: Effect) -> bool:
    """Return whether values are points with whiskers: categories, or a few whole numbers."""
    axis = result.axes[0]
    whole = all(isinstance(value, int) for value in axis)
    few = len(axis) == 1 or (whole and len(axis) <= _MOST_POINTS)
    return result.categorical[0] or few


def axis_of(result: Effect, k: int, places: Any = None) -> Axis:
    """Return the axis of one of its hyperparameters, of categories those that are shown."""
    label, values = shorten(result.names[k], 60), result.axes[k]
    if not result.categorical[k]:
        p: Any = result.subject.space[result.names[k]]
        limits = (p.low, p.high) if len(values) == 1 and p.low < p.high else (None, None)
        return Axis(label=label, values=values, log=result.log[k], limits=limits)
    names = [str(value) for value in values]
    if places is None:
        return Axis(label=label, values=values, names=names)
    shown = [names[i] for i in places]
    if result.tried:
        counts = Counter(map(CategoryIndex(values), result.tried[k]))
        shown = [f"{names[i]} ({counts[i]})" for i in places]
    return Axis(label=label, values=[values[i] for i in places], names=shown)


def _half(result: Effect) -> Array:
    if isinstance(result, MarginalEffect):
        return np.nan_to_num(result.std)
    lower, upper = result.band()
    return np.nan_to_num(
        [np.maximum(result.mean - lower, 0.0), np.maximum(upper - result.mean, 0.0)]
    )


def _second(result: Effect) -> Iterator[tuple[Array, Array | None]]:
    """Yield what is drawn second, and half of its band: the average, where more is reachable."""
    if isinstance(result, AccumulatedEffect) and result.partial is not None:
        yield result.partial, None
    elif result.first is not result:
        yield result.mean, _half(result)


def _untried(result: Effect) -> Any:
    return ~result.shown & ~np.isnan(result.mean)


def _thin(result: Effect, x: Axis, places: Any) -> tuple[Array, Array] | None:
    if not isinstance(result, AverageEffect):
        return None
    curves = result.ice_mean[:MOST_CURVES]
    if not x.names:
        return broken(x.places, curves)
    thinned = [
        broken(place + np.array([[-BESIDE, BESIDE]]), np.array([0.0, 0.0]) + curves[:, [k]])
        for place, k in zip(x.places, places, strict=True)
    ]
    across, up = (np.concatenate(part) for part in zip(*thinned, strict=True))
    return across, up


def along(x: Axis, values: Sequence[Any]) -> Array:
    """Return where values stand along an axis; NaN for categories that are not on it."""
    if not x.names:
        return x.at(values)
    codes = map(CategoryIndex(tuple(x.values)), values)
    return np.array([np.nan if code is None else code for code in codes], dtype=float)


def apart(x: Axis, at: Array, *, shuffled: bool = False) -> Array:
    """Return places with those side by side that fall together: categories, few whole numbers."""
    few = x.names or (x.integers and not x.log and len(x.values) <= _MOST_POINTS)
    return side_by_side(at, shuffled=shuffled) if few else at


def place_of(result: Effect, k: int, x: Axis) -> float | None:
    """Return where the incumbent stands along an axis, if it is drawn."""
    if result.incumbent is None or result.kind == "marginal":
        return None
    (at,) = along(x, [result.incumbent[k]]).tolist()
    return None if np.isnan(at) else float(at)


def _trials(result: Effect, x: Axis) -> Dots | None:
    """Return the trials as points, where they are in the units of what is drawn."""
    subject = result.subject
    relative = result.kind in {"accumulated", "marginal"}
    if relative or subject.acquisition or result.given or len(subject.costs) != len(subject.tried):
        return None
    j = subject.space.index(result.names[0])
    there = ~np.isnan(subject.tried[:, j]) & np.isfinite(subject.costs)
    at = along(x, subject.space.parameters[j].decode(subject.tried[there, j]))
    y, shown = subject.value_sign * subject.costs[there], ~np.isnan(at)
    return Dots(apart(x, at[shown]), y[shown], look="behind") if shown.any() else None


def _tried(result: Effect, x: Axis, y: Axis) -> list[Dots]:
    """Return the values tried of a pair as points."""
    if not result.tried:
        return []
    at, up = (along(axis, values) for axis, values in zip((x, y), result.tried, strict=True))
    shown = ~np.isnan(at + up)
    return [Dots(apart(x, at[shown]), apart(y, up[shown], shuffled=True), look="tried")]


# ---------------------------------------------------------------------- what is written around


def _predicted(result: Effect) -> str:
    what = "effect on" if result.kind == "accumulated" else "predicted"
    return f"{what} {shorten(result.objective_name, 40)}"


def _heading(result: Effect) -> str:
    names = join_words([shorten(name, 60) for name in result.names])
    objective = shorten(result.objective_name, 40)
    if result.kind == "marginal":
        return f"Predicted {objective} by {names}"
    along_trials = " along the trials" if result.kind == "accumulated" else ""
    return f"Effect of {names} on the {objective}{along_trials}"


def _around(result: Effect, points: bool, dimmed: bool, left_out: int = 0) -> dict[str, Any]:
    words = {
        "heading": _heading(result),
        "subtitle": subtitle(result),
        "footer": _footer(result, points, dimmed, left_out),
    }
    if result.kind == "marginal":
        return {**words, "caution": "", "means": {}}
    means = _means(result)
    if dimmed:
        means["doubt" if points else "dimmed"] = " or ".join(_why(result))
    return {**words, "caution": result.caution, "means": means}


def _means(result: Effect) -> dict[str, str]:
    """Return what marks mean, whichever of them are drawn."""
    is_second = result.first is not result
    means = {
        "main": REACHABLE if is_second else AVERAGE,
        "best": "may be the best",
        "marked": "may be the best",
        "band": "95 % band",
        "second": AVERAGE,
        "thin": "single configurations (ICE)",
        "guide": "incumbent",
        "star": "incumbent",
        "behind": "trials",
        "beyond": "beyond the axis",
        "rug": "tried",
        "tried": "tried",
    }
    if isinstance(result, AccumulatedEffect):
        means["second"] = "partial dependence, centred"
    if len(result.names) == 2 or np.isnan(result.std).all():
        del means["band"]
    return means


def subtitle(result: Effect) -> str:
    """Say what the values are, and which are better."""
    better = f"{result.subject.better} is better"
    where = f"given {_sub_space(result)}, " if result.given else ""
    if isinstance(result, AccumulatedEffect):
        return f"{where}accumulated local effects; {better}"
    if result.first is not result:
        return f"{where}what a value can reach, and what it gives on average; {better}"
    if not isinstance(result, MarginalEffect):
        return f"{where}partial dependence: averaged over all other hyperparameters; {better}"
    active = [
        f"{name} is active in {percent(share)} of the {'sub-space' if where else 'space'} and "
        "makes no difference elsewhere"
        for name, share in zip(result.names, result.activity, strict=True)
        if share < 1.0
    ]
    return "\n".join([f"{where}averaged over all other hyperparameters; {better}", *active])


def _sub_space(result: Effect) -> str:
    return shorten(result.subject.sub_space(result.given), 200)


def _footer(result: Effect, points: bool, dimmed: bool, left_out: int) -> str:
    pair, has_std = len(result.names) == 2, not np.isnan(result.std).all()
    texts = [band_caption(result, points)]
    if pair and has_std and result.kind != "marginal":
        ends = (number(float(end), 2) for end in (np.nanmin(result.std), np.nanmax(result.std)))
        texts.append(f"The standard deviation is between {' and '.join(ends)}.")
    if pair and np.isnan(result.mean).any():
        texts.append("Empty: no valid configuration.")
    if result.tried and result.kind == "marginal":
        if pair:
            texts.append("Dots: tried values.")
        elif not result.categorical[0]:
            texts.append("Marks along the axis: tried values.")
    if result.tried and not pair and result.categorical[0]:
        texts.append("In brackets: number of trials.")
    if left_out:
        worse = "worse category is" if left_out == 1 else "worse categories are"
        texts.append(f"{left_out} {worse} not shown.")
    texts.append(dimmed_caption(result, points=points) if dimmed else "")
    return " ".join(filter(None, texts))


def band_caption(result: Effect, points: bool = False) -> str:
    """Say what the band is of, and what it leaves out."""
    if isinstance(result, MarginalEffect):
        if len(result.names) == 2:
            mean, most = result.std.mean(), result.std.max()
            return f"The {_STD[result.rows]} is {mean:.2g} on average, at most {most:.2g}."
        return f"{'Whiskers' if points else 'Band'}: {_STD[result.rows]}."
    if isinstance(result, AccumulatedEffect):
        text = f"Relative to the average of {counted(result.sample_size, 'configuration')}."
        if np.isnan(result.std).all():
            return f"{text} The model gives no intervals for differences."
        return f"{text} The 95 % band is the uncertainty about this average, without noise."
    if result.first is not result:
        return "Bands: 95 % intervals, without observation noise."
    if np.isnan(result.std).all():
        return "No band: the model has no uncertainty."
    band = next(str(note) for note in result.notes if note.kind == "effect_band")
    return f"{band.replace('the band', 'The 95 % band')}."


def dimmed_caption(result: Effect, *, points: bool) -> str:
    """Say what is dimmed; empty where nothing is."""
    why = _why(result)
    if not why:
        return ""
    return f"{'Hollow' if points else 'Dimmed'}: {' or '.join(why)}."


def _why(result: Effect) -> list[str]:
    there = ~np.isnan(result.mean)
    why = []
    if (~result.supported & there).any():
        why.append(UNTRIED)
    if (result.supported & ~result.shown & there).any():
        why.append("probably infeasible")
    return why


VIEWS = {"": View(effect, "What {names} {found.what}.")}
