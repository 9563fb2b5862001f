"""From encoded rows to the vectors that SMAC's models are trained on."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.space import Array, CategoricalParameter, SearchSpace


class VectorColumns:
    """ConfigSpace's vectors of encoded rows; a forest's without the NaN of what is inactive.

    Parameters
    ----------
    space : SearchSpace
        The space that was read from the configuration space.
    configspace : ConfigSpace.ConfigurationSpace
        The configuration space.
    imputed : bool, default True
        Whether inactive values are replaced as SMAC's forests do: below every number, above every
        category.

    Attributes
    ----------
    owners : ndarray of int
        For each column the column of the encoded row that it comes from.
    """

    def __init__(self, space: SearchSpace, configspace: Any, *, imputed: bool = True) -> None:
        self._space = space
        self._given = [configspace[name] for name in space.names]
        self._inactive = [_inactive(given) if imputed else np.nan for given in self._given]
        self.owners: npt.NDArray[np.int64] = np.arange(len(space))

    def __call__(self, X: Array) -> Array:
        """Return the vectors (n, d) of encoded rows (n, d)."""
        found = np.empty(X.shape)
        for j, (parameter, given) in enumerate(zip(self._space, self._given, strict=True)):
            active = ~np.isnan(X[:, j])
            found[~active, j] = self._inactive[j]
            if isinstance(parameter, CategoricalParameter):
                table = np.array([given.to_vector(choice) for choice in parameter.choices])
                found[active, j] = table[np.round(X[active, j]).astype(np.int64)]
            elif active.any():
                values = np.asarray(parameter.decode(X[active, j]))
                found[active, j] = given.to_vector(values)
        return found


def _inactive(given: Any) -> float:
    """Return what SMAC's forests take in place of an inactive value."""
    choices = getattr(given, "choices", getattr(given, "sequence", None))
    if choices is not None:
        return float(len(choices))
    return 1.0 if hasattr(given, "value") else -1.0
