"""What an explainer is given to explain: checked once, before anything rests on it."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpo_explain.base.checks import check_array, check_option
from hpo_explain.base.errors import InputError
from hpo_explain.base.options import CRITERIA
from hpo_explain.models.acquisition.protocols import Acquisition, SurrogateBased
from hpo_explain.models.protocols import Surrogate
from hpo_explain.space import SearchSpace

_PROBES = 3  # configurations at which it is asked
_HOW = "return finite mean and standard deviation, arrays of shape (n,), from predict(X)"
_PARTS = ("mean", "standard deviation")


def accepted_surrogate(given: Any, argument: str = "surrogate") -> Surrogate:
    """Return a surrogate that has a space, and predicts as one.

    Raises
    ------
    ValueError
        If it does not; the text says what is wrong.
    """
    space = _space(given, argument, "a surrogate", "predict")
    found = given.predict(space.sample(_PROBES, seed=0))
    wrong = _wrong(found)
    if wrong:
        raise InputError(argument, f"must {_HOW}, but {wrong}", given)
    return given  # type: ignore[no-any-return]


def accepted_criterion(given: Any) -> None:
    """Raise InputError unless an acquisition function is given, or the name of one."""
    if isinstance(given, str):
        check_option("acquisition", given, CRITERIA)
    else:
        accepted_acquisition(given)


def accepted_acquisition(given: Any, argument: str = "acquisition") -> Acquisition:
    """Return an acquisition function that has a space and terms, on a surrogate that predicts.

    Raises
    ------
    ValueError
        If it does not; the text says what is wrong.
    """
    _space(given, argument, "an acquisition function", "terms", "term_names")
    if isinstance(given, SurrogateBased):
        accepted_surrogate(given.surrogate, f"surrogate of {argument}")
    return given  # type: ignore[no-any-return]


def _wrong(found: Any) -> str:
    """Say what is wrong with predictions; empty if nothing is."""
    if not isinstance(found, (tuple, list, np.ndarray)) or len(found) != len(_PARTS):
        return f"it returned {found!r} instead of the two"
    for name, part in zip(_PARTS, found, strict=True):
        values = check_array(f"the {name} that a surrogate predicts", part)
        if values.shape != (_PROBES,):
            return f"the {name} has shape {values.shape} for n = {_PROBES}"
        if not np.isfinite(values).all():
            return f"the {name} is {values[~np.isfinite(values)][0]} somewhere"
        if name == _PARTS[1] and (values < 0.0).any():
            return f"the {name} is negative somewhere"
    return ""


def _space(given: Any, argument: str, what: str, *members: str) -> SearchSpace:
    """Return the space of what was given, which must have other members too."""
    missing = [name for name in ("space", *members) if not hasattr(given, name)]
    space = getattr(given, "space", None)
    if missing or not isinstance(space, SearchSpace):
        lacks = f"has no {' and no '.join(missing)}" if missing else f"has {space!r} as its space"
        raise InputError(
            argument,
            f"must be {what}, with a SearchSpace as its `space`, but was {given!r}, which {lacks}",
            given,
            "run.surrogate() gives a surrogate, and hpo_explain.LowerConfidenceBound(surrogate) an "
            "acquisition function.",
        )
    return space
