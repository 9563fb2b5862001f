"""All problems whose truth is known, by family: functions, and the exact tables."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache

from tests.claims.families import black_boxes, real, tabulated
from tests.claims.families.branches import (
    categorical,
    conditional,
    layers,
    three_categories,
    threshold,
)
from tests.claims.families.failing import (
    corner,
    disk,
    dying_nodes,
    half_plane,
    rare,
    smooth_border,
    steep_lr,
)
from tests.claims.families.noisy import (
    drifting,
    heavy_tails,
    noise_of_one,
    noisy_plateau,
    noisy_where_bad,
    noisy_where_good,
    pure_noise,
)
from tests.claims.families.smooth import (
    additive,
    bowl,
    branin_idle,
    fading,
    friedman,
    hyper_ellipsoid,
    irrelevant,
    ishigami,
    partly_tried,
    product,
    quadratic,
    rosenbrock,
    twelve,
)
from tests.claims.families.uneven import (
    ackley,
    coarse,
    diverging,
    narrow_optimum,
    plateau,
    rastrigin,
    rounded,
    valley,
    wide_plateau,
)
from tests.claims.problem import Problem

FUNCTIONS: tuple[Callable[[], Problem], ...] = (
    quadratic,
    bowl,
    branin_idle,
    rosenbrock,
    friedman,
    additive,
    hyper_ellipsoid,
    product,
    ishigami,
    irrelevant,
    fading,
    twelve,
    partly_tried,
    ackley,
    rastrigin,
    diverging,
    plateau,
    wide_plateau,
    valley,
    narrow_optimum,
    rounded,
    coarse,
    conditional,
    layers,
    threshold,
    categorical,
    three_categories,
    steep_lr,
    smooth_border,
    corner,
    dying_nodes,
    half_plane,
    disk,
    rare,
    drifting,
    heavy_tails,
    noisy_where_bad,
    noisy_where_good,
    pure_noise,
    noise_of_one,
    noisy_plateau,
)


@cache
def functions() -> dict[str, Problem]:
    """All functions by name; the truth of each is computed once."""
    return {problem.name: problem for problem in (make() for make in FUNCTIONS)}


@cache
def problems() -> dict[str, Problem]:
    """All problems by name: functions, and the exact tables where they are at hand."""
    return functions() | {problem.name: problem for problem in tabulated.every()}


@cache
def judges() -> dict[str, Problem]:
    """All problems that only judge, by name: nothing was chosen by them.

    What needs a package that is missing is left out, by name.
    """
    found = [*real.every()]
    try:
        found += black_boxes.every()
    except ModuleNotFoundError as error:
        print(f"skipped: {black_boxes.__name__}: {error}", file=sys.stderr)
    return {problem.name: problem for problem in found}


def named(name: str) -> Problem:
    """Return one problem, without the other tables.

    Raises
    ------
    ModuleNotFoundError
        If it is a table, and the tables are not at hand.
    """
    known = functions()
    return known[name] if name in known else tabulated.load(name)
