"""What an explainer is given to explain: checked once, before anything rests on it."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpo_explain.acquisition import Acquisition, SurrogateBased
from hpo_explain.space import SearchSpace
from hpo_explain.surrogates import Surrogate

_PROBES = 3  # configurations at which it is asked
_HOW = "predict(X) must return finite mean and standard deviation, arrays of shape (n,)"


def accepted_surrogate(given: Any, argument: str = "surrogate") -> Surrogate:
    """Return a surrogate that has a space, and predicts as one.

    Raises
    ------
    ValueError
        If it does not; the text says what is wrong.
    """
    space = _space(given, argument, "a surrogate", "predict")
    rows = space.sample(_PROBES, seed=0)
    try:
        mean, std = (np.asarray(part, dtype=float) for part in given.predict(rows))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{argument}: {_HOW}, but: {error}.") from error
    for name, part in (("mean", mean), ("standard deviation", std)):
        if part.shape != (_PROBES,):
            raise ValueError(
                f"{argument}: {_HOW}, but the {name} has shape {part.shape} for n = 3."
            )
        if not np.isfinite(part).all():
            wrong = part[~np.isfinite(part)][0]
            raise ValueError(f"{argument}: {_HOW}, but the {name} is {wrong} somewhere.")
    if (std < 0.0).any():
        raise ValueError(f"{argument}: {_HOW}, but a standard deviation is negative.")
    return given  # type: ignore[no-any-return]


def accepted_acquisition(given: Any, argument: str = "acquisition") -> Acquisition:
    """Return an acquisition function that has a space and terms, on a surrogate that predicts.

    Raises
    ------
    ValueError
        If it does not; the text says what is wrong.
    """
    _space(given, argument, "an acquisition function", "terms", "term_names")
    if isinstance(given, SurrogateBased):
        accepted_surrogate(given.surrogate, f"the surrogate of {argument}")
    return given  # type: ignore[no-any-return]


def _space(given: Any, argument: str, what: str, *members: str) -> SearchSpace:
    """Return the space of what was given, which must have other members too."""
    missing = [name for name in ("space", *members) if not hasattr(given, name)]
    space = getattr(given, "space", None)
    if missing or not isinstance(space, SearchSpace):
        lacks = f"has no {' and no '.join(missing)}" if missing else f"its space is {space!r}"
        raise ValueError(
            f"{argument} must be {what}, with a SearchSpace as its `space`, but was {given!r}, "
            f"which {lacks}. run.surrogate() gives a surrogate, and "
            "hpo_explain.LowerConfidenceBound(surrogate) an acquisition function."
        )
    return space
