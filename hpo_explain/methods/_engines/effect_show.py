"""How an effect is drawn: a curve with a band, points with whiskers, or cells."""

from __future__ import annotations

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
)
from hpo_explain.methods._engines.effect_ranges import runs
from hpo_explain.methods._engines.effect_result import Effect
from hpo_explain.space import FEW, Array, CategoryIndex

MOST_CURVES = (
    40  # more of them are a grey area, and an SVG of 1,000 takes 300 kB
)
MOST_CATEGORIES = 40
UNTRIED = f"fewer than {FEW} trials near"
_MOST_POINTS = 20  # whole numbers up to which each is a point
_BESIDE = 0.22  # how far from its value a second point stands
_STD = {
    "trees": "std over the trees",
    "draws": "posterior std of the mean over all others",
}
_WHAT = {"accumulated": "effect on"}
_HEADINGS = {
    ("average", 1): "Effect of {names} on the {objective}",
    ("average", 2): "Effect of {names} on the {objective}",
    (
        "accumulated",
        1,
    ): "Effect of {names} on the {objective} along the trials",
    ("accumulated", 2): "What {names} do together to the {objective}",
    ("marginal", 1): "Predicted {objective} by {names}",
    ("marginal", 2): "Predicted {objective} by {names}",
}


def effect(
    found: Effect,
    *,
    most: int = MOST_CATEGORIES,
    upright: bool = False,
    compared: bool = True,
) -> Curves | Cells:
    """Draw a real-valued hyperparameter as a curve with a band, others as points, a pair as cells.

    Values that may be the best are green. Where hardly anything was tried the effect
    is dimmed (points are hollow). Of many categories the best are drawn, the `most` of them; they
    stand `upright` under the axes, or each in a row.
    """
    if len(found.names) == 2:
        return _cells(found)
    named = found.categorical[0]
    cost = found.mean if found.subject.lower_is_better else -found.mean
    kept = np.sort(np.argsort(cost)[:most]) if named else np.arange(cost.size)
    x = axis_of(found, 0, kept if named else None)
    points = as_points(found)
    at, mean, half = x.places, found.mean[kept], _half(found)[..., kept]
    second = _second(found)
    untried = _untried(found)[kept]
    best = (
        found.best[kept]
        if found.compared and compared
        else np.zeros(len(kept), dtype=bool)
    )
    groups = {
        "main": ~untried & ~best,
        "best": ~untried & best,
        "doubt": untried,
    }
    edges = x.edges()
    if not named:
        edges[[0, -1]] = max(edges[0], at[0]), min(edges[-1], at[-1])
    lines, dots = list[Line](), list[Dots]()
    if points:
        if second is not None:
            value, error = (
                None if v is None else v[..., kept] for v in second
            )
            dots.append(Dots(at + _BESIDE, np.asarray(value), error, "second"))
        dots += [
            Dots(at[g], mean[g], half[..., g], look)
            for look, g in groups.items()
            if g.any()
        ]
    else:
        lines += [] if second is None else [Line(at, *second, look="second")]
        lines.append(Line(at, mean, half))
    return Curves(
        x=x,
        y=Axis(label=_predicted(found)),
        lines=lines,
        dots=dots,
        thin=_thin(found, x, kept),
        dimmed=[]
        if points
        else [(edges[a], edges[b]) for a, b in runs(untried)],
        marked=[]
        if points
        else [(edges[a], edges[b]) for a, b in runs(groups["best"])],
        rug=np.empty(0) if named else _tried(found, 0, x),
        guide=place_of(found, 0, x),
        upright=upright,
        **_around(
            found,
            points=points,
            dimmed=bool(untried.any()),
            left_out=found.mean.size - len(kept),
        ),
    )


def _cells(found: Effect) -> Cells:
    x, y = axis_of(found, 0), axis_of(found, 1)
    places = [place_of(found, k, axis) for k, axis in enumerate((x, y))]
    dimmed = _untried(found)
    tried = Dots(
        _tried(found, 0, x), _tried(found, 1, y, shuffled=True), look="tried"
    )
    across, up = np.array(places, dtype=float)[:, None]
    stars = [] if None in places else [Dots(across, up, look="star")]
    return Cells(
        x=x,
        y=y,
        values=found.mean,
        scale=_predicted(found),
        dimmed=dimmed,
        dots=[tried, *stars],
        **_around(found, points=False, dimmed=bool(dimmed.any())),
    )


# ---------------------------------------------------------------------- what is where


def as_points(found: Effect) -> bool:
    """Return whether values are points with whiskers: categories, or a few whole numbers."""
    axis = found.axes[0]
    whole = all(isinstance(value, int) for value in axis)
    few = len(axis) == 1 or (whole and len(axis) <= _MOST_POINTS)
    return found.categorical[0] or few


def axis_of(found: Effect, k: int, kept: Any = None) -> Axis:
    """Return the axis of one of its hyperparameters, of categories those that are kept."""
    label, values = shorten(found.names[k], 60), found.axes[k]
    if not found.categorical[k]:
        p: Any = found.subject.space[found.names[k]]
        limits = (
            (p.low, p.high)
            if len(values) == 1 and p.low < p.high
            else (None, None)
        )
        return Axis(
            label=label, values=values, log=found.log[k], limits=limits
        )
    names = [str(value) for value in values]
    if kept is not None:
        names = [names[i] for i in kept]
        if found.tried:
            counts = np.bincount(
                _codes(found, k, found.tried[k]), minlength=len(values)
            )[kept]
            names = [
                f"{name} ({n})" for name, n in zip(names, counts, strict=True)
            ]
    return Axis(
        label=label,
        values=[values[i] for i in kept] if kept is not None else values,
        names=names,
    )


def _half(found: Effect) -> Array:
    if found.kind == "marginal":
        return np.nan_to_num(found.std)
    lower, upper = found.band()
    return np.nan_to_num(
        [
            np.maximum(found.mean - lower, 0.0),
            np.maximum(upper - found.mean, 0.0),
        ]
    )


def _second(found: Effect) -> tuple[Array, Array | None] | None:
    if found.partial is not None:
        return found.partial, None
    reached = found.reached
    return None if reached is None else (reached.mean, _half(reached))


def _untried(found: Effect) -> Any:
    return ~found.shown & ~np.isnan(found.mean)


def _thin(found: Effect, x: Axis, kept: Any) -> tuple[Array, Array] | None:
    if found.ice_mean is None:
        return None
    curves = found.ice_mean[:MOST_CURVES]
    if not x.names:
        return broken(x.places, curves)
    parts = [
        broken(
            place + np.array([[-_BESIDE, _BESIDE]]),
            np.array([0.0, 0.0]) + curves[:, [k]],
        )
        for place, k in zip(x.places, kept, strict=True)
    ]
    across, up = (np.concatenate(part) for part in zip(*parts, strict=True))
    return across, up


def _codes(found: Effect, k: int, values: Any) -> list[int]:
    index = CategoryIndex(found.axes[k])
    return [code for code in map(index, values) if code is not None]


def place_of(found: Effect, k: int, x: Axis) -> float | None:
    """Return where the incumbent stands along an axis, if it is drawn."""
    if found.incumbent is None or found.kind == "marginal":
        return None
    if not found.categorical[k]:
        return float(x.at([found.incumbent[k]])[0])
    here = CategoryIndex(tuple(x.values))(found.incumbent[k])
    return None if here is None else float(here)


def _tried(found: Effect, k: int, x: Axis, *, shuffled: bool = False) -> Array:
    """Return where the tried values stand along an axis, those that fall together side by side."""
    if not found.tried:
        return np.empty(0)
    shown = np.ones(len(found.tried[0]), dtype=bool)
    for axis, values, named in zip(
        found.axes, found.tried, found.categorical, strict=True
    ):
        if named:
            index = CategoryIndex(axis)
            shown &= [index(value) is not None for value in values]
    own = [found.tried[k][i] for i in np.flatnonzero(shown)]
    if found.categorical[k]:
        return side_by_side(_codes(found, k, own), shuffled=shuffled)
    few = len(x.values) <= _MOST_POINTS and x.integers and not x.log
    return side_by_side(x.at(own), shuffled=shuffled) if few else x.at(own)


# ---------------------------------------------------------------------- what is written around


def _predicted(found: Effect) -> str:
    return f"{_WHAT.get(found.kind, 'predicted')} {shorten(found.subject.objective_name, 40)}"


def _around(
    found: Effect, *, points: bool, dimmed: bool, left_out: int = 0
) -> dict[str, Any]:
    names = join_words([shorten(name, 60) for name in found.names])
    heading = _HEADINGS[found.kind, len(found.names)].format(
        names=names, objective=shorten(found.subject.objective_name, 40)
    )
    words = {
        "heading": heading,
        "subtitle": subtitle(found),
        "footer": _footer(found, points, dimmed, left_out),
    }
    if found.kind == "marginal":
        return {**words, "caution": "", "means": {}}
    means = _means_of_pair(found)
    if len(found.names) == 1:
        means = _means_of_curve(found, points=points)
    if dimmed:
        means["doubt" if points else "dimmed"] = " or ".join(_why(found))
    return {**words, "caution": found.caution, "means": means}


def _means_of_pair(found: Effect) -> dict[str, str]:
    """Return what the marks over a surface mean."""
    means = {"best": "may be the best", "marked": "may be the best"}
    if found.incumbent is not None:
        means["star"] = "incumbent"
    if found.tried:
        means["tried"] = "tried"
    return means


def _means_of_curve(found: Effect, *, points: bool) -> dict[str, str]:
    """Return what the marks along a curve mean, or of points where its values are few."""
    means = {"main": "mean", "best": "may be the best"}
    if not points:
        means["marked"] = "may be the best"
    if not np.isnan(found.std).all():
        if points:
            means["main"] = "mean with 95 % band"
        else:
            means["band"] = "95 % band"
    if found.partial is not None:
        means["second"] = "partial dependence, centred"
    elif found.attainable is not None:
        means["second"] = "attainable: the others at their best"
    if found.ice_mean is not None:
        means["thin"] = "single configurations (ICE)"
    if found.incumbent is not None:
        means["guide"] = "incumbent"
    if found.tried and not found.categorical[0]:
        means["rug"] = "tried"
    return means


def subtitle(found: Effect) -> str:
    """Say what the values are, and which are better."""
    better = (
        f"{'lower' if found.subject.lower_is_better else 'higher'} is better"
    )
    where = f"given {_sub_space(found)}, " if found.given else ""
    if found.kind == "accumulated":
        what = "accumulated local effects"
        if len(found.names) == 2:
            what += ", beyond the sum of both"
        return f"{where}{what}; {better}"
    if found.kind == "average":
        return f"{where}partial dependence: averaged over all other hyperparameters; {better}"
    active = [
        f"{name} is active in {percent(share)} of the {'sub-space' if where else 'space'} and "
        "makes no difference elsewhere"
        for name, share in zip(found.names, found.activity, strict=True)
        if share < 1.0
    ]
    return "\n".join(
        [f"{where}averaged over all other hyperparameters; {better}", *active]
    )


def _sub_space(found: Effect) -> str:
    return shorten(found.subject.sub_space(found.given), 200)


def _footer(found: Effect, points: bool, dimmed: bool, left_out: int) -> str:
    pair, known = len(found.names) == 2, not np.isnan(found.std).all()
    parts = [band_caption(found, points)]
    if pair and known and found.kind != "marginal":
        ends = (
            number(float(end), 2)
            for end in (np.nanmin(found.std), np.nanmax(found.std))
        )
        parts.append(f"The std is between {' and '.join(ends)}.")
    if pair and np.isnan(found.mean).any():
        parts.append("Empty: no valid configuration.")
    if found.tried and found.kind == "marginal":
        if pair:
            parts.append("Dots: tried values.")
        elif not found.categorical[0]:
            parts.append("Marks along the axis: tried values.")
    if found.tried and not pair and found.categorical[0]:
        parts.append("In brackets: number of trials.")
    if left_out:
        worse = (
            "worse category is" if left_out == 1 else "worse categories are"
        )
        parts.append(f"{left_out} {worse} not shown.")
    parts.append(dimmed_caption(found, points=points) if dimmed else "")
    return " ".join(filter(None, parts))


def band_caption(found: Effect, points: bool = False) -> str:
    """Say what the band is of, and what it leaves out."""
    if found.kind == "marginal":
        if len(found.names) == 2:
            mean, most = found.std.mean(), found.std.max()
            return f"The {_STD[found.rows]} is {mean:.2g} on average, at most {most:.2g}."
        return f"{'Whiskers' if points else 'Band'}: {_STD[found.rows]}."
    if found.kind == "accumulated":
        text = f"Relative to the average of {counted(found.sample_size, 'configuration')}."
        if np.isnan(found.std).all():
            return f"{text} The model does not say how uncertain it is of differences."
        return f"{text} The 95 % band is the uncertainty about this average, without noise."
    band = next(
        str(note) for note in found.notes if note.kind == "effect_band"
    )
    return f"{band.replace('the band', 'The 95 % band')}, without observation noise."


def dimmed_caption(found: Effect, *, points: bool) -> str:
    """Say what is dimmed; empty where nothing is."""
    why = _why(found)
    if not why:
        return ""
    return f"{'Hollow' if points else 'Dimmed'}: {' or '.join(why)}."


def _why(found: Effect) -> list[str]:
    there = ~np.isnan(found.mean)
    why = []
    if (~found.supported & there).any():
        why.append(UNTRIED)
    if (found.supported & ~found.shown & there).any():
        why.append("probably infeasible")
    return why


VIEWS = {"": View(effect, "What {found.names} {found.what}.")}
