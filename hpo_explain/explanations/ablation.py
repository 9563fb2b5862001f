"""What makes the difference between two configurations: the greedy path, and the fair shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.diagnostics import Trust
from hpo_explain.explanations._format import format_level, format_value, join_words, plain_json
from hpo_explain.explanations._result import AboutModel, Shown
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MAIN_SHARE = 0.75  # so much of the gains is told as the main ones
_MAIN_COUNT = 3
_UNFAIR = 0.1  # of the whole gain: so far apart, path and Shapley values are told to differ
_ROUNDED = 1e-12  # of the values that a gain is the difference of
_DOUBT = 2.0  # standard deviations: what is within them is no finding


@dataclass(frozen=True, eq=False, repr=False)
class Ablation(Shown, AboutModel):
    """The greedy path from one configuration to another, and the Shapley values of its steps.

    A gain is positive where the step is an improvement, whether the objective is minimized or
    maximized. Gains add up to the whole, and so do the Shapley values.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters, in the order of the space.
    source, target : mapping
        The two configurations, in the user's units; inactive hyperparameters are left out.
    steps : tuple of tuple of str
        What is flipped in each of the k steps: one hyperparameter, or several that must change at
        once.
    along : tuple of tuple of str
        What follows each step because it becomes active or inactive.
    values : ndarray of shape (k + 1,)
        Predicted objective (or acquisition) along the path, source and target included.
    gains : ndarray of shape (k,)
        Improvement in each step, in the same units.
    rounds : tuple of mapping
        In each round the gain of everything that could be flipped next, by name; the first round
        says what each change is worth alone.
    shapley : ndarray of shape (k,)
        Baseline Shapley values of the steps: their average gain over all orders.
    std : ndarray of shape (k,) or None
        Standard deviation of each gain.
    total_std : float or None
        Standard deviation of the whole gain.
    std_kind : {"posterior", "trees", ""}
        Whether it is the posterior's (observation noise excluded), over trees, or not known.
    acquisition : str
        The acquisition that is explained; empty where it is the objective.
    model : str
        The surrogate in words.
    objective_name, direction : str
        What the objective is called, and which way is better.
    trust : Trust or None
        Whether the surrogate is good enough to be explained.
    notes : tuple of str
        What was assumed.
    source_trial, target_trial : int or None
        The numbers of the trials that the two are, None for other configurations.

    References
    ----------
    .. [1] Fawcett, C. and Hoos, H. H. (2016). Analysing differences between algorithm
       configurations through ablation. J. Heuristics 22, 431-458.
       https://doi.org/10.1007/s10732-014-9275-9
    .. [2] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Section 3, Table 2.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> ablation = hx.ablation(table, {"x": 0.9}, objective="loss")
    >>> ablation.steps, bool(ablation.total_gain > 0)
    ((('x',),), True)
    """

    names: tuple[str, ...]
    source: Mapping[str, Any]
    target: Mapping[str, Any]
    steps: tuple[tuple[str, ...], ...]
    along: tuple[tuple[str, ...], ...]
    values: Array
    gains: Array
    rounds: tuple[Mapping[str, float], ...]
    shapley: Array
    std: Array | None = None
    total_std: float | None = None
    std_kind: str = ""
    acquisition: str = ""
    model: str = ""
    objective_name: str = "objective"
    direction: str = "minimize"
    trust: Trust | None = None
    notes: tuple[str, ...] = ()
    source_trial: int | None = None
    target_trial: int | None = None

    @property
    def ends(self) -> str:
        """Where the path leads, in words: "trial 0 to trial 26" or "source to target"."""
        source = "source" if self.source_trial is None else f"trial {self.source_trial}"
        target = "target" if self.target_trial is None else f"trial {self.target_trial}"
        return f"{source} to {target}"

    @property
    def _contributions(self) -> tuple[str, ...]:
        return ("gain", "alone", "shapley")

    @property
    def labels(self) -> tuple[str, ...]:
        """The steps in words: what is flipped."""
        return tuple(" + ".join(step) for step in self.steps)

    @property
    def total_gain(self) -> float:
        """The improvement from source to target."""
        return float(self.gains.sum())

    @property
    def first_round(self) -> Array:
        """What each step gains alone, from the source; NaN where it cannot be made alone. (k,)."""
        return np.array([self.rounds[0].get(label, np.nan) for label in self.labels])

    def change(self, i: int) -> str:
        """Return what a step changes, as in "lr = 0.01 (was 0.1)"."""
        return " and ".join(
            f"{name} = {_value(self.target, name)} (was {_value(self.source, name)})"
            for name in self.steps[i]
        )

    @property
    def sentence(self) -> str:
        """One sentence that says how far apart the two are, and which steps make up for it."""
        first, last = self.values[0], self.values[-1]
        start = f"From {self.ends} the {self.explained} goes"
        rounding = _ROUNDED * float(np.abs(self.values).max())
        if np.abs(self.gains).max() <= rounding:
            return f"{start} nowhere: it is {format_value(float(first))} all along the path."
        total = self.total_gain
        if not self._differ:
            return (
                f"{start} from {format_value(float(first))} to {format_value(float(last))}: the "
                "model cannot tell the two apart, nor any step between them."
            )
        sign = 1.0 if total >= 0.0 else -1.0
        kind = "an improvement" if total >= 0.0 else "a loss"
        whole = f"{format_value(abs(total))}{_plus_minus(self.total_std)}"
        leading: list[int] = []
        aligned = sign * self.gains
        for i in np.argsort(-aligned, kind="stable").tolist():
            enough = aligned[leading].sum() >= _MAIN_SHARE * aligned[aligned > 0].sum()
            if aligned[i] <= rounding or len(leading) == _MAIN_COUNT or (leading and enough):
                break
            leading.append(i)
        parts = [
            f"{self.change(i)} with {format_value(float(self.gains[i]))}"
            f"{_plus_minus(None if self.std is None else self.std[i])}"
            for i in leading
        ]
        mainly = f", mainly through {join_words(parts)}" if parts else ""
        return (
            f"{start} from {format_level(first, total)} to {format_level(last, total)}, "
            f"{kind} of {whole}{mainly}.{self._unfair()}"
        )

    @property
    def order_matters(self) -> bool:
        """Whether a step's gain differs from its Shapley value by more than 10 % of the whole.

        Where the model tells nothing on the path apart, no order matters.
        """
        if not self._differ:
            return False
        gap = float(np.abs(self.gains - self.shapley).max())
        return gap > _UNFAIR * max(abs(self.total_gain), float(np.abs(self.shapley).max()))

    @property
    def _differ(self) -> bool:
        """Whether anything on the path is larger than the model's own doubt of it."""
        if self.std is None or self.total_std is None:
            return True
        doubt = _DOUBT * np.append(self.std, self.total_std)
        return bool((np.abs(np.append(self.gains, self.total_gain)) > doubt).any())

    def _unfair(self) -> str:
        """Say which step's share depends most on the order, if that is much."""
        if not self.order_matters:
            return ""
        i = int(np.argmax(np.abs(self.gains - self.shapley)))
        return (
            f" The steps act together: whatever their order, {self.labels[i]} gains "
            f"{format_value(float(self.shapley[i]))} on average (Shapley value), not "
            f"{format_value(float(self.gains[i]))}."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per step: what changes, value after it, gain, std, alone, shapley."""
        import pandas as pd

        k = len(self.steps)
        return pd.DataFrame(
            {
                "source": [_values(self.source, step) for step in self.steps],
                "target": [_values(self.target, step) for step in self.steps],
                "along": [", ".join(names) for names in self.along],
                "value": self.values[1:],
                "gain": self.gains,
                "std": np.full(k, np.nan) if self.std is None else self.std,
                "alone": self.first_round,
                "shapley": self.shapley,
            },
            index=pd.Index(self.labels, name="step"),
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the path as a staircase from source to target; return the axes."""
        from hpo_explain.plotting.ablation import plot_ablation

        return plot_ablation(self, ax=ax)

    def plot_shares(self, ax: Axes | None = None) -> Axes:
        """Draw gains and Shapley values side by side, relative to the whole; return the axes."""
        from hpo_explain.plotting.ablation_shares import plot_ablation_shares

        return plot_ablation_shares(self, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that `json.dumps` accepts."""
        return {
            "source": plain_json(dict(self.source)),
            "target": plain_json(dict(self.target)),
            "source_trial": self.source_trial,
            "target_trial": self.target_trial,
            "steps": [
                {
                    "flipped": list(step),
                    "along": list(along),
                    "value": plain_json(self.values[i + 1]),
                    "gain": plain_json(self.gains[i]),
                    "std": None if self.std is None else plain_json(self.std[i]),
                    "alone": plain_json(self.first_round[i]),
                    "shapley": plain_json(self.shapley[i]),
                }
                for i, (step, along) in enumerate(zip(self.steps, self.along, strict=True))
            ],
            "rounds": [plain_json(dict(gains)) for gains in self.rounds],
            "start": plain_json(self.values[0]),
            "total_gain": self.total_gain,
            "total_std": plain_json(self.total_std),
            "std_kind": self.std_kind,
            "acquisition": self.acquisition,
            "model": self.model,
            "objective_name": self.objective_name,
            "direction": self.direction,
            "sentence": self.sentence,
            "trust": None if self.trust is None else self.trust.to_dict(),
            "notes": list(self.notes),
        }


def _value(config: Mapping[str, Any], name: str) -> str:
    return format_value(config[name]) if name in config else "inactive"


def _values(config: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """Return the value of one hyperparameter as it is, of several in words; None if inactive."""
    if len(names) == 1:
        return config.get(names[0])
    return ", ".join(_value(config, name) for name in names)


def _plus_minus(std: float | None) -> str:
    return "" if std is None else f" ± {format_value(float(std))}"
