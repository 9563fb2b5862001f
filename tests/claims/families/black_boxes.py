"""BBOB and pseudo-Boolean functions of `ioh` [1]_: they judge, and nothing was chosen by them.

References
----------
.. [1] de Nobel, J. et al. (2024). IOHexperimenter. Evolutionary Computation 32(3), 205-210.
.. [2] Hansen, N. et al. (2009). Real-parameter black-box optimization benchmarking 2009: noiseless
   functions definitions. INRIA report 6829.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from typing import Any

import numpy as np

from hpo_explain import CategoricalParameter, SearchSpace
from tests.claims.families.smooth import cube
from tests.claims.problem import Closed, Problem, Rows

INSTANCE = 7  # another one than is looked at first
NOISES = (0.0, 0.1)
SMOOTH = {1: (3, 10), 8: (2, 5), 10: (3, 8)}
RUGGED = {3: (2, 5), 15: (4, 10), 16: (2, 5), 17: (5,), 18: (3,), 21: (2, 5), 22: (3,), 23: (2, 4)}
"""Numbers of BBOB's functions, and of how many hyperparameters each is."""
BITS = 9
PSEUDO_BOOLEAN = (1, 2, 18, 19, 25)
"""OneMax, LeadingOnes, LABS, Ising's ring and an NK landscape."""


@cache  # made where it is asked: it cannot be stored
def _function(kind: str, number: int, d: int, instance: int = INSTANCE) -> Any:
    import ioh

    of_kind = getattr(ioh.ProblemClass, kind)
    return ioh.get_problem(number, instance=instance, dimension=d, problem_class=of_kind)


@dataclass(frozen=True, eq=False)
class Rugged(Problem):
    """A function that goes up and down between the levels of any table."""

    @property
    def has_table(self) -> bool:
        """Whether levels stand for what is between them: never."""
        return False

    @cached_property
    def _closed(self) -> Closed:
        return self._pick_freeze()


def bbob(number: int, d: int, instance: int = INSTANCE) -> Problem:
    """Return one of BBOB's functions on [-5, 5]^d, whose optimum is known."""
    name = _function("BBOB", number, d, instance).meta_data.name
    optimum = np.asarray(_function("BBOB", number, d, instance).optimum.x)

    def cost(X: Rows) -> np.ndarray:
        return np.asarray(_function("BBOB", number, d, instance)(10.0 * X - 5.0))

    kind, family = (Problem, "bbob, smooth") if number in SMOOTH else (Rugged, "bbob, rugged")
    return kind(
        f"bbob {number} {name} of {d}",
        cube(d),
        cost,
        family=family,
        noises=NOISES,
        judges=True,
        optimum=(optimum[None] + 5.0) / 10.0,
    )


def pseudo_boolean(number: int) -> Problem:
    """Return a function of bits that is to be maximized; all strings are in its table."""
    name = _function("PBO", number, BITS).meta_data.name
    strings = np.array([*product((0, 1), repeat=BITS)])
    values = np.asarray(_function("PBO", number, BITS)(strings), float)
    place = 2 ** np.arange(BITS)[::-1]
    space = SearchSpace([CategoricalParameter(f"bit {j}", [False, True]) for j in range(BITS)])
    return Problem(
        f"pseudo-boolean {name}",
        space,
        lambda X: -values[np.rint(X).astype(int) @ place],
        family="pseudo-boolean",
        noises=(0.0,),
        judges=True,
        maximize=True,
    )


def every() -> list[Problem]:
    """Return all of them.

    Raises
    ------
    ModuleNotFoundError
        If `ioh` is not installed.
    """
    chosen = (SMOOTH | RUGGED).items()
    return [
        *(bbob(number, d) for number, sizes in chosen for d in sizes),
        *map(pseudo_boolean, PSEUDO_BOOLEAN),
    ]
