"""Proposals that a person reviewed before they were evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.run._frozen import frozen, refreeze
from hpo_explain.space import Array


@dataclass(frozen=True, eq=False)
class Reviewed:
    """What a person decided about the proposal for a trial.

    Attributes
    ----------
    proposed : ndarray of shape (d,)
        What the optimizer proposed at last, encoded.
    set_by_person : tuple of str
        The hyperparameters that a person set in place of the optimizer; empty if none.
    refused : ndarray of shape (n, d)
        Proposals that were refused before, encoded.

    Examples
    --------
    >>> import numpy as np
    >>> Reviewed(np.array([0.5, 0.1]), ("lr",)).refused.shape
    (0, 2)
    """

    proposed: Array
    set_by_person: Sequence[str] = ()
    refused: npt.ArrayLike = ()

    def __post_init__(self) -> None:
        proposed = np.array(self.proposed, dtype=float)
        refused = np.array(self.refused, dtype=float).reshape(-1, len(proposed))
        object.__setattr__(self, "proposed", frozen(proposed))
        object.__setattr__(self, "refused", frozen(refused))
        object.__setattr__(self, "set_by_person", tuple(self.set_by_person))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        refreeze(state)
