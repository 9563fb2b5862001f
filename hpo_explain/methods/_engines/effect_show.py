"""How an effect is drawn: a curve with a band, points with whiskers, or cells."""

from __future__ import annotations

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
_BESIDE = 0.22  # how far from its value a second point stands
_STD = {"trees": "std over the trees", "draws": "posterior std of the mean over all others"}
_WHAT = {"accumulated": "effect on"}
_HEADINGS = {
    ("average", 1): "Effect of {names} on the {objective}",
    ("average", 2): "Effect of {names} on the {objective}",
    ("accumulated", 1): "Effect of {names} on the {objective} along the trials",
    ("accumulated", 2): "What {names} do together to the {objective}",
    ("marginal", 1): "Predicted {objective} by {names}",
    ("marginal", 2): "Predicted {objective} by {names}",
}


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
        best = first.best[shown]
    groups = {"main": ~untried & ~best, "best": ~untried & best, "doubt": untried}
    edges = x.edges()
    if not named:
        edges[[0, -1]] = (max(edges[0], x.places[0]), min(edges[-1], x.places[-1]))
    lines, dots = list[Line](), list[Dots]()
    if points:
        dots += _points(result, first, x.places, shown, groups)
    else:
        lines += _lines(result, first, x.places)
    trials = _trials(result, x) if compared else None
    figure = Curves(
        x=x,
        y=Axis(label=_predicted(result)),
        lines=lines,
        dots=dots,
        thin=_thin(result, x, shown) if single else None,
        dimmed=[] if points else [(edges[a], edges[b]) for a, b in runs(untried)],
        marked=[] if points else [(edges[a], edges[b]) for a, b in runs(groups["best"])],
        rug=np.empty(0) if named or trials else _tried(result, 0, x),
        guide=place_of(result, 0, x),
        **_around(
            result,
            points=points,
            dimmed=bool(untried.any()),
            left_out=result.mean.size - len(shown),
            single=single,
        ),
    )
    return figure if trials is None else _before(figure, trials, result)


def _lines(result: Effect, first: Effect, at: Array) -> Iterator[Line]:
    """Yield the curves of a real-valued hyperparameter, what is second behind."""
    for second in _second(result):
        yield Line(at, *second, look="second")
    yield Line(at, first.mean, _half(first))


def _points(
    result: Effect, first: Effect, at: Array, shown: Any, groups: Mapping[str, Any]
) -> Iterator[Dots]:
    """Yield the points of categories or of a few whole numbers, what is second beside."""
    for mean, half in _second(result):
        half = None if half is None else half[..., shown]
        yield Dots(at + _BESIDE, mean[shown], half, "second")
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
    places = [place_of(result, k, axis) for k, axis in enumerate((x, y))]
    dimmed = _untried(result)
    tried = Dots(_tried(result, 0, x), _tried(result, 1, y, shuffled=True), look="tried")
    across, up = np.array(places, dtype=float)[:, None]
    stars = [] if None in places else [Dots(across, up, look="star")]
    return Cells(
        x=x,
        y=y,
        values=result.mean,
        scale=_predicted(result),
        dimmed=dimmed,
        dots=[tried, *stars],
        **_around(result, points=False, dimmed=bool(dimmed.any())),
    )


# ---------------------------------------------------------------------- what is where


def as_points(result: Effect) -> bool:
    """Return whether values are points with whiskers: categories, or a few whole numbers."""
    axis = result.axes[0]
    whole = all(isinstance(value, int) for value in axis)
    few = len(axis) == 1 or (whole and len(axis) <= _MOST_POINTS)
    return result.categorical[0] or few


def axis_of(result: Effect, k: int, places: Any = None) -> Axis:
    """Return the axis of one of its hyperparameters, of categories those that are kept."""
    label, values = shorten(result.names[k], 60), result.axes[k]
    if not result.categorical[k]:
        p: Any = result.subject.space[result.names[k]]
        limits = (p.low, p.high) if len(values) == 1 and p.low < p.high else (None, None)
        return Axis(label=label, values=values, log=result.log[k], limits=limits)
    names = [str(value) for value in values]
    if places is not None:
        names = [names[i] for i in places]
        if result.tried:
            counts = np.bincount(_codes(result, k, result.tried[k]), minlength=len(values))[places]
            names = [f"{name} ({n})" for name, n in zip(names, counts, strict=True)]
    return Axis(
        label=label,
        values=[values[i] for i in places] if places is not None else values,
        names=names,
    )


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
        broken(place + np.array([[-_BESIDE, _BESIDE]]), np.array([0.0, 0.0]) + curves[:, [k]])
        for place, k in zip(x.places, places, strict=True)
    ]
    across, up = (np.concatenate(part) for part in zip(*thinned, strict=True))
    return across, up


def _codes(result: Effect, k: int, values: Any) -> list[int]:
    index = CategoryIndex(result.axes[k])
    return [code for code in map(index, values) if code is not None]


def place_of(result: Effect, k: int, x: Axis) -> float | None:
    """Return where the incumbent stands along an axis, if it is drawn."""
    if result.incumbent is None or result.kind == "marginal":
        return None
    if not result.categorical[k]:
        return float(x.at([result.incumbent[k]])[0])
    here = CategoryIndex(tuple(x.values))(result.incumbent[k])
    return None if here is None else float(here)


def _trials(result: Effect, x: Axis) -> Dots | None:
    """Return the trials as points, where they are in the units of what is drawn."""
    subject = result.subject
    relative = result.kind in {"accumulated", "marginal"}
    if relative or subject.acquisition or result.given or len(subject.costs) != len(subject.tried):
        return None
    j = subject.space.index(result.names[0])
    there = ~np.isnan(subject.tried[:, j]) & np.isfinite(subject.costs)
    values = [config[result.names[0]] for config in subject.space.decode(subject.tried[there])]
    y = subject.value_sign * subject.costs[there]
    if not result.categorical[0]:
        at = _beside(x, values)
    else:
        index = CategoryIndex(tuple(x.values))
        codes = [index(value) for value in values]
        has_place = np.array([code is not None for code in codes], dtype=bool)
        y = y[has_place]
        at = side_by_side([code for code in codes if code is not None])
    return Dots(at, y, look="behind") if len(y) else None


def _tried(result: Effect, k: int, x: Axis, *, shuffled: bool = False) -> Array:
    """Return where the tried values stand along an axis, those that fall together side by side."""
    if not result.tried:
        return np.empty(0)
    shown = np.ones(len(result.tried[0]), dtype=bool)
    for axis, values, named in zip(result.axes, result.tried, result.categorical, strict=True):
        if named:
            index = CategoryIndex(axis)
            shown &= [index(value) is not None for value in values]
    own = [result.tried[k][i] for i in np.flatnonzero(shown)]
    if result.categorical[k]:
        return side_by_side(_codes(result, k, own), shuffled=shuffled)
    return _beside(x, own, shuffled=shuffled)


def _beside(x: Axis, values: Sequence[Any], *, shuffled: bool = False) -> Array:
    """Return where values of a number stand, of few whole numbers equal ones side by side."""
    few = len(x.values) <= _MOST_POINTS and x.integers and not x.log
    at = x.at(values)
    return side_by_side(at, shuffled=shuffled) if few else at


# ---------------------------------------------------------------------- what is written around


def _predicted(result: Effect) -> str:
    return f"{_WHAT.get(result.kind, 'predicted')} {shorten(result.subject.objective_name, 40)}"


def _around(
    result: Effect, *, points: bool, dimmed: bool, left_out: int = 0, single: bool = True
) -> dict[str, Any]:
    names = join_words([shorten(name, 60) for name in result.names])
    heading = _HEADINGS[result.kind, len(result.names)].format(
        names=names, objective=shorten(result.subject.objective_name, 40)
    )
    words = {
        "heading": heading,
        "subtitle": subtitle(result),
        "footer": _footer(result, points, dimmed, left_out),
    }
    if result.kind == "marginal":
        return {**words, "caution": "", "means": {}}
    means = _means_of_pair(result)
    if len(result.names) == 1:
        means = _means_of_curve(result, points=points, single=single)
    if dimmed:
        means["doubt" if points else "dimmed"] = " or ".join(_why(result))
    return {**words, "caution": result.caution, "means": means}


def _means_of_pair(result: Effect) -> dict[str, str]:
    """Return what the marks over a surface mean."""
    means = {"best": "may be the best", "marked": "may be the best"}
    if result.incumbent is not None:
        means["star"] = "incumbent"
    if result.tried:
        means["tried"] = "tried"
    return means


def _means_of_curve(result: Effect, *, points: bool, single: bool) -> dict[str, str]:
    """Return what the marks along a curve mean, or of points where its values are few."""
    is_second = result.first is not result
    main = REACHABLE if is_second else AVERAGE
    means = {"main": main, "best": "may be the best"}
    if not points:
        means["marked"] = "may be the best"
    if not np.isnan(result.std).all():
        means["band"] = "95 % band"
    if isinstance(result, AccumulatedEffect):
        means["second"] = "partial dependence, centred"
    elif is_second:
        means["second"] = AVERAGE
    if isinstance(result, AverageEffect) and single:
        means["thin"] = "single configurations (ICE)"
    if result.incumbent is not None:
        means["guide"] = "incumbent"
    means["behind"] = "trials"
    means["beyond"] = "beyond the axis"
    if result.tried and not result.categorical[0]:
        means["rug"] = "tried"
    return means


def subtitle(result: Effect) -> str:
    """Say what the values are, and which are better."""
    better = f"{result.subject.better} is better"
    where = f"given {_sub_space(result)}, " if result.given else ""
    if isinstance(result, AccumulatedEffect):
        what = "accumulated local effects"
        if len(result.names) == 2:
            what += ", beyond the sum of both"
        return f"{where}{what}; {better}"
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
        texts.append(f"The std is between {' and '.join(ends)}.")
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
            return f"{text} The model does not say how uncertain it is of differences."
        return f"{text} The 95 % band is the uncertainty about this average, without noise."
    if result.first is not result:
        return "Bands: 95 % of what the trials allow, without observation noise."
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
