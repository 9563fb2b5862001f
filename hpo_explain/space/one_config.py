"""A single configuration that a user gave, as an encoded row."""

from __future__ import annotations

import numpy as np

from hpo_explain.base.errors import InputError
from hpo_explain.space._values import Array, Config
from hpo_explain.space.encoding import CONFIGS
from hpo_explain.space.search_space import SearchSpace


def encode_one(space: SearchSpace, config: Config, argument: str) -> Array:
    """Return a configuration as one encoded row, (d,).

    Raises
    ------
    InputError
        If it does not fit the space: about the `argument` that the caller was given.
    """
    try:
        return np.asarray(space.encode([config])[0])
    except InputError as error:
        whole = error.argument == CONFIGS
        what = "" if whole else f"does not fit the search space: {error.argument} "
        raise error.inside(argument, what, config) from None
