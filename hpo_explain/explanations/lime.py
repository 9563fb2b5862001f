"""A model one can read around one configuration, and how far it agrees with the surrogate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpo_explain.diagnostics import Trust
from hpo_explain.explanations._format import NOTHING, format_value, join_words, plain_json
from hpo_explain.explanations._result import AboutConfiguration, AboutModel, Shown

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

LOW_FIDELITY = 0.5
_MAIN_COUNT = 3


@dataclass(frozen=True, eq=False)
class LimeStatement:
    """What the readable model says about one change, or about one of its leaves.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters it is about.
    text : str
        Of a linear model the change, as in "lr from 1e-05 to 0.1" or "booster = dart, not gbtree";
        of a tree the conditions of the leaf.
    effect : float
        How much it changes the prediction, in its units: of a number over its whole range; of a
        leaf compared with that of the configuration.
    std : float
        Standard deviation: of the coefficient, or of predictions within the leaf.
    weight : float
        Share of the sample's weight in which the change is made, or that is in the leaf.
    own : bool
        Whether it is the leaf of the configuration itself.
    conditions : tuple of str
        Of a leaf each condition; empty in a linear model.

    Examples
    --------
    >>> LimeStatement(("lr",), "lr from 0 to 1", 0.5, 0.1, 1.0).effect
    0.5
    """

    names: tuple[str, ...]
    text: str
    effect: float
    std: float
    weight: float
    own: bool = False
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class LimeExplanation(Shown, AboutConfiguration, AboutModel):
    """A sparse linear model or a small tree in place of the surrogate around a configuration.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters, in the order of the space.
    config : mapping
        The configuration, in the user's units; inactive hyperparameters are left out.
    model : {"linear", "tree"}
        The readable model.
    statements : tuple of LimeStatement
        What it says: its coefficients, the largest first; or its leaves, the configuration's own
        first. What is not named makes no difference to it.
    fidelity : float
        Weighted R² of the readable model against the surrogate; 1 is agreement.
    prediction, local_prediction : float
        What the surrogate and the readable model predict for the configuration.
    kernel_width : float
        Width of the kernel that weighs the sample.
    sampling : {"uniform", "local", "given"}
        Where the sample comes from.
    sample_size, effective_size : int and float
        Number of sampled configurations, and how many of equal weight would be worth as much.
    seed : int
        Seed of the sample.
    acquisition : str
        The acquisition that is explained; empty where it is the objective.
    surrogate : str
        The surrogate in words.
    objective_name, direction : str
        What the objective is called, and which way is better.
    trial : int or None
        The trial, if it is one.
    trust : Trust or None
        Whether the surrogate is good enough to be explained.
    notes : tuple of str
        What was assumed.

    References
    ----------
    .. [1] Ribeiro, M. T., Singh, S. and Guestrin, C. (2016). "Why should I trust you?" Explaining
       the predictions of any classifier. KDD. https://arxiv.org/abs/1602.04938

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> result = hx.lime(table, objective="loss")
    >>> result.model, bool(result.statements[0].effect > 0)
    ('linear', True)
    """

    names: tuple[str, ...]
    config: Mapping[str, Any]
    model: str
    statements: tuple[LimeStatement, ...]
    fidelity: float
    prediction: float
    local_prediction: float
    kernel_width: float
    sampling: str
    sample_size: int
    effective_size: float
    seed: int
    acquisition: str = ""
    surrogate: str = ""
    objective_name: str = "objective"
    direction: str = "minimize"
    trial: int | None = None
    trust: Trust | None = None
    notes: tuple[str, ...] = ()

    @property
    def caution(self) -> str:
        """A sentence of warning where the readable model agrees too little, else empty."""
        if self.fidelity >= LOW_FIDELITY:
            return ""
        other = "a tree" if self.model == "linear" else "more depth"
        return (
            f"The {self.model} model misses most of what the surrogate does here "
            f"(weighted R² = {self.fidelity:.2f}): do not read it. Try a smaller kernel_width, "
            f"sampling='local', or {other}."
        )

    @property
    def sentence(self) -> str:
        """One sentence that says what changes the prediction, and how far that can be read."""
        kind = "A linear model" if self.model == "linear" else "A small tree"
        start = f"{kind} around {self.subject} (weighted R² = {self.fidelity:.2f})"
        least = NOTHING * max((abs(s.effect) for s in self.statements), default=0.0)
        told = [s for s in self.statements if abs(s.effect) > least][:_MAIN_COUNT]
        if not told:
            text = (
                f"{start} finds no hyperparameter that changes the {self.explained}, which is "
                f"{format_value(self.prediction)}."
            )
        else:
            parts = [
                f"{'where ' if self.model == 'tree' else ''}{s.text} ({s.effect:+.4g})"
                for s in told
            ]
            text = f"{start} says what changes the {self.explained}: {join_words(parts)}."
        return f"{text} {self.caution}".rstrip()

    @property
    def _contributions(self) -> tuple[str, ...]:
        return ("effect",)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per statement: what, effect, std, weight, and whether it is its own."""
        import pandas as pd

        columns = ("effect", "std", "weight", "own")
        return pd.DataFrame(
            {name: [getattr(s, name) for s in self.statements] for name in columns},
            index=pd.Index([s.text for s in self.statements], name="statement"),
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the effects as bars, with the fidelity over them; return the axes."""
        from hpo_explain.plotting.lime import plot_lime

        return plot_lime(self, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that `json.dumps` accepts."""
        return {
            "trial": self.trial,
            "config": plain_json(dict(self.config)),
            "model": self.model,
            "statements": [
                {
                    "names": list(s.names),
                    "text": s.text,
                    "effect": plain_json(s.effect),
                    "std": plain_json(s.std),
                    "weight": plain_json(s.weight),
                    "own": s.own,
                }
                for s in self.statements
            ],
            "fidelity": plain_json(self.fidelity),
            "prediction": plain_json(self.prediction),
            "local_prediction": plain_json(self.local_prediction),
            "kernel_width": self.kernel_width,
            "sampling": self.sampling,
            "sample_size": self.sample_size,
            "effective_size": plain_json(self.effective_size),
            "seed": self.seed,
            "acquisition": self.acquisition,
            "surrogate": self.surrogate,
            "objective_name": self.objective_name,
            "direction": self.direction,
            "sentence": self.sentence,
            "trust": None if self.trust is None else self.trust.to_dict(),
            "notes": list(self.notes),
        }
