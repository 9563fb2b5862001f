"""What a result of skopt says about how it was made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hpo_explain.adapters.skopt._criterion import Criterion, read_criterion

_MINIMIZERS = {
    "DUMMY": "dummy_minimize",
    "GP": "gp_minimize",
    "GAUSSIANPROCESSREGRESSOR": "gp_minimize",
    "ET": "forest_minimize",
    "RF": "forest_minimize",
    "EXTRATREESREGRESSOR": "forest_minimize",
    "RANDOMFORESTREGRESSOR": "forest_minimize",
    "GBRT": "gbrt_minimize",
    "GRADIENTBOOSTINGQUANTILEREGRESSOR": "gbrt_minimize",
}


@dataclass(frozen=True)
class Specs:
    """The specification of a result.

    Attributes
    ----------
    optimizer : str
        What made it, as in "skopt's gp_minimize".
    criterion : Criterion
        The acquisition function.
    random : bool
        Whether the search was random: a dummy search, or initial points only.
    initial : int or None
        Number of initial points, those given included; None where it is not recorded.
    given : int
        Number of points given by the user, which come first.
    told : bool
        Whether they were given with their objective.
    queue_size : int or None
        How many models were kept at most; None for all.
    """

    optimizer: str
    criterion: Criterion
    random: bool
    initial: int | None
    given: int
    told: bool
    queue_size: int | None


def read_specs(result: Any) -> Specs:
    """Return the specification of a result; one that it lost says nothing."""
    specs = getattr(result, "specs", None) or {}
    arguments = specs.get("args", {})
    base = arguments.get("base_estimator", "")
    kind = (base if isinstance(base, str) else type(base).__name__).upper()
    if specs.get("function") == "Optimizer":
        optimizer = "skopt's Optimizer"
    else:  # every minimizer records the function that all of them call
        minimizer = _MINIMIZERS.get(kind)
        optimizer = f"skopt's {minimizer}" if minimizer else "scikit-optimize"
    asked = arguments.get("n_random_starts")  # the older name, which wins where it is given
    asked = arguments.get("n_initial_points") if asked is None else asked
    given, told = _given(arguments.get("x0")), arguments.get("y0") is not None
    calls = arguments.get("n_calls")  # an Optimizer has no such number
    only_initial = (
        asked is not None and calls is not None and asked + (0 if told else given) >= calls
    )
    return Specs(
        optimizer,
        read_criterion(arguments),
        random=kind == "DUMMY" or only_initial,
        initial=None if asked is None else int(asked) + given,
        given=given,
        told=told,
        queue_size=arguments.get("model_queue_size"),
    )


def _given(x0: Any) -> int:
    """Return how many points were given at the start: none, one, or a list of them."""
    if x0 is None or len(x0) == 0:
        return 0
    return len(x0) if isinstance(x0[0], (list, tuple)) else 1
