"""How TPE's densities are drawn: at a proposal a panel per hyperparameter, over a run as cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpo_explain.base import format_value
from hpo_explain.base.figures import Axis, Cells, Curves, Dots, Line, Note, Panels, View
from hpo_explain.methods.proposals.densities import (
    DensityCurve,
    DensityPath,
    ProposalDensities,
)
from hpo_explain.space import CategoryIndex

_MEANS = {"0": "good trials (l)", "1": "other trials (g)", "proposed": "proposed value"}


def densities(result: ProposalDensities | DensityPath) -> Panels | Cells:
    """Draw how common values are among good and among other trials, and the proposed ones."""
    if isinstance(result, DensityPath):
        return _path(result)
    state = result.subject.state
    together = sum(len(group) for group in result.joint)
    when = f"Where good trials were when {result.where} was proposed"
    footer = "Every hyperparameter was sampled independently; the grey line is chance."
    if together:
        footer = (
            f"{together} hyperparameters were sampled together; each panel shows the marginal "
            "densities of one. The grey line is chance."
        )
    left_out = len(result.curves) - Panels.MOST
    if left_out > 0:
        footer = f"{footer} {left_out} more are not shown."
    return Panels(
        panels=[_panel(result, curve) for curve in result.curves[: Panels.MOST]],
        heading=f"Where good trials are, and {result.where}"
        if state in ("given", "waiting")
        else when,
        subtitle="how common a value is among good and among other trials, in multiples of "
        f"chance, as {result.subject.optimizer} saw them",
        footer=footer,
        same_y=False,
    )


def _panel(result: ProposalDensities, curve: DensityCurve) -> Curves:
    x, value = _axis(curve, ""), f"= {format_value(curve.proposed, width=12)}"
    if curve.proposed is None:
        value = "not chosen" if curve.name in result.not_chosen else "inactive"
    both = [(curve.bad, "1"), (curve.good, "0")]
    top = 1.08 * max(1.0, curve.good.max(), curve.bad.max())
    mark: Any = Dots if curve.categorical else Line
    marks = [mark(x.places, density, look=look) for density, look in both]
    return Curves(
        x=x,
        y=Axis(label="times as common as by chance", limits=(0.0, top)),
        lines=[] if curve.categorical else marks,
        dots=marks if curve.categorical else [],
        levels=[(1.0, "zero")],
        notes=[]
        if curve.proposed is None
        else [Note(_place(curve, x, curve.proposed), look="proposed")],
        heading=f"{curve.name} {value}",
        means=_MEANS,
        upright=True,
    )


def _path(path: DensityPath) -> Cells:
    reach = float(np.abs(path.log_ratio).max()) or 1.0
    y = _axis(path, path.name)
    with_value = [i for i, value in enumerate(path.proposed) if value is not None]
    trials = [float(path.trials[i]) for i in with_value]
    places = [_place(path, y, path.proposed[i]) for i in with_value]
    return Cells(
        x=Axis(label="trial", values=path.trials, whole=True),
        y=y,
        values=path.log_ratio,
        scale="log l − log g",
        low=-reach,
        high=reach,
        dots=[Dots(np.array(trials), np.array(places), look="tried")],
        heading=f"How the densities of {path.name} changed",
        subtitle="bright: more common among good trials than among others, as "
        f"{path.subject.optimizer} saw them",
        footer="Dots: proposed values.",
    )


def _axis(result: DensityCurve | DensityPath, label: str) -> Axis:
    names = [str(value) for value in result.values] if result.categorical else ()
    return Axis(label=label, values=result.values, log=result.log, names=names)


def _place(result: DensityCurve | DensityPath, axis: Axis, value: Any) -> float:
    """Return where a value stands along its axis: a category at its index."""
    if not result.categorical:
        return float(axis.at([value])[0])
    code = CategoryIndex(tuple(result.values))(value)
    return np.nan if code is None else float(code)


VIEWS = {"": View(densities, "How common values were among good and among other trials.")}
