"""Where values stand on a hyperparameter's own scale, from 0 to 1, and the labels along it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hpo_explain.plotting._text import plain
from hpo_explain.space import Array, CategoricalParameter, Parameter
from hpo_explain.wording.numbers import number


@dataclass(frozen=True)
class Labels:
    """Labels along a scale: where they stand, and what they say."""

    at: tuple[float, ...]
    texts: tuple[str, ...]

    def ends(self) -> Labels:
        """Return the first and the last one."""
        if len(self.at) < 3:
            return self
        return Labels((self.at[0], self.at[-1]), (self.texts[0], self.texts[-1]))


def along(parameter: Parameter, codes: Array) -> Array:
    """Return where encoded values stand, in [0, 1]: categories are spread evenly.

    One choice alone stands in the middle.
    """
    if not isinstance(parameter, CategoricalParameter):
        return np.asarray(codes, dtype=float)
    size = parameter.size
    return np.asarray(codes / (size - 1) if size > 1 else codes + 0.5, dtype=float)


def labels(parameter: Parameter) -> Labels:
    """Return the ends of a range, the middle of a logarithmic one, or all categories."""
    if isinstance(parameter, CategoricalParameter):
        at = along(parameter, np.arange(parameter.size, dtype=float))
        return Labels(tuple(at.tolist()), tuple(map(plain, parameter.choices)))
    places = (0.0, 0.5, 1.0) if parameter.log else (0.0, 1.0)
    values = parameter.decode(np.array(places))
    texts = [str(value) if isinstance(value, int) else number(value) for value in values]
    return Labels(places, tuple(texts))
