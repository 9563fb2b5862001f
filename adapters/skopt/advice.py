"""scikit-optimize goes on where it was advised to: new dimensions, and the trials within them."""

from __future__ import annotations

from typing import Any

from hpo_explain.adapters.skopt._dimensions import (
    dimension_of,
    read_dimensions,
)
from hpo_explain.methods.advice.advise_result import Advice

_INITIAL = 10  # random points of gp_minimize, where nothing is known


def continued(advice: Advice, result: Any) -> dict[str, Any]:
    """Return the arguments by which an optimization goes on with the actions of an advice.

    Ranges, scales and categories are those advised. A trial outside of them cannot be told to
    scikit-optimize, and is left out.

    Parameters
    ----------
    advice : Advice
        The advice.
    result : scipy.optimize.OptimizeResult or skopt.Optimizer
        What is advised; it stays as it is.

    Returns
    -------
    dict
        ``dimensions``, ``x0``, ``y0`` and ``n_initial_points``, as ``skopt.gp_minimize`` takes
        them.

    Examples
    --------
    >>> import skopt
    >>> import hpo_explain as hx
    >>> from hpo_explain.base.subject import Subject
    >>> objective = lambda point: (point[0] - 0.3) ** 2
    >>> result = skopt.gp_minimize(objective, [(0.0, 1.0)], n_calls=10, random_state=0)
    >>> run = hx.from_skopt(result)
    >>> narrower = hx.methods.Action("narrow", parameters=(hx.FloatParameter("x0", 0.2, 0.4),))
    >>> advice = hx.methods.Advice(subject=Subject.of(run), actions=(narrower,), space=run.space)
    >>> found = advice.apply(result)
    >>> found["dimensions"], all(0.2 <= x <= 0.4 for x, in found["x0"])
    ([Real(low=0.2, high=0.4, prior='uniform', transform='identity')], True)
    """
    changed = {
        parameter.name: parameter
        for action in advice.actions
        for parameter in action.parameters
    }
    names = advice.subject.space.names
    dimensions = [
        dimension_of(changed[name]) if name in changed else own
        for name, own in zip(names, read_dimensions(result), strict=True)
    ]
    points = getattr(result, "x_iters", None)
    values = getattr(result, "func_vals", None)
    if points is None:  # an Optimizer
        points, values = result.Xi, result.yi
    inside = [
        (list(point), float(value))
        for point, value in zip(
            points, values if values is not None else (), strict=True
        )
        if all(
            x in dimension
            for x, dimension in zip(point, dimensions, strict=True)
        )
    ]
    return {
        "dimensions": dimensions,
        "x0": [point for point, _ in inside] or None,
        "y0": [value for _, value in inside] or None,
        "n_initial_points": max(_INITIAL - len(inside), 0),
    }
