"""The hyperparameters on which an acquisition function can depend."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hpo_explain.models.acquisition.protocols import Acquisition, SurrogateBased
from hpo_explain.models.protocols import SupportsRelevance


def relevant(acquisition: Acquisition) -> npt.NDArray[np.bool_]:
    """Return for each column whether an acquisition can depend on it, (d,).

    As it says itself, else as its surrogate does; not on a hyperparameter of a single value, but on
    the parents of one that matters, as they switch it on and off.
    """
    space = acquisition.space
    matters = np.array([p.size != 1 or p.optional is not None for p in space.parameters])
    if isinstance(acquisition, SupportsRelevance):
        matters &= acquisition.relevant()
    elif isinstance(acquisition, SurrogateBased):
        surrogate = acquisition.surrogate
        if isinstance(surrogate, SupportsRelevance):
            matters &= surrogate.relevant()
    for j in reversed(space.parents_first):
        if matters[j]:
            matters[[parent for parent, _ in space.conditions[j]]] = True
    return matters
