"""Which model answers: the one that predicts held-out trials better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from hpo_explain.base.facts import Fact
from hpo_explain.base.options import Kind
from hpo_explain.base.text import declared_fact
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.models.protocols import SupportsHeldOut, Surrogate
from hpo_explain.run import Run
from hpo_explain.run.fits import choose_kind

_CHOSEN = declared_fact(
    "model_chosen", "{model} answers: R² on held-out trials is {own}, that of {other} is {others}",
    own=lambda told: _skill(told["r2"]), others=lambda told: _skill(told["other_r2"]),
)  # fmt: skip
_RIVAL = 1.5  # times the error with which another model's view still counts
_HOPELESS = 3.0  # times the error with which a forest is not tuned: leaves do not save so much


@dataclass(frozen=True, eq=False)
class Candidate:
    """A model that may answer.

    Attributes
    ----------
    kind : {"gp", "forest", "given"}
        What it is.
    surrogate : Surrogate
        The model.
    r2 : float
        R² on held-out trials; minus infinity where it is not known.
    """

    kind: Literal["gp", "forest", "given"]
    surrogate: Surrogate
    r2: float

    def rivals(self, chosen: Candidate) -> bool:
        """Return whether its view counts beside that of the model chosen."""
        return 1.0 - self.r2 <= _RIVAL * (1.0 - chosen.r2)


def candidates(run: Run, kind: Kind, *, n_trees: int, seed: int) -> list[Candidate]:
    """Return the models of a kind, the one that answers first.

    Parameters
    ----------
    run : Run
        The run.
    kind : {"auto", "gp", "forest"}
        "auto" is both, the better one first, unless the run is too large for a Gaussian process;
        a model of the user's answers alone.
    n_trees, seed
        As of :meth:`Run.surrogate`.
    """
    if run.model is not None and kind == "auto":
        return [Candidate("given", run.model, -np.inf)]
    kinds: list[Literal["gp", "forest"]] = ["gp", "forest"]
    if kind != "auto":
        kinds = [kind]
    elif not _suits_gp(run) or _is_constant(run):
        kinds = ["forest"]
    found: list[Candidate] = []
    for name in kinds:
        surrogate = run.surrogate(kind=name, n_trees=n_trees, seed=seed)
        # skill is only asked for where there is a choice
        r2 = _r2(surrogate) if len(kinds) > 1 else -np.inf
        hopeless = any(1.0 - r2 > _HOPELESS * (1.0 - other.r2) for other in found)
        if isinstance(surrogate, ForestSurrogate) and not hopeless:
            surrogate = surrogate.tuned()
            r2 = _r2(surrogate) if len(kinds) > 1 else r2
        found.append(Candidate(name, surrogate, r2))
    return sorted(found, key=lambda candidate: -candidate.r2)


def _suits_gp(run: Run) -> bool:
    return bool(choose_kind(len(run), run.space, measured=run.measured)["surrogate"] == "gp")


def _is_constant(run: Run) -> bool:
    return bool((run.objective == run.objective[:1]).all())


def choice(chosen: Candidate, other: Candidate) -> Fact:
    """Return which of two models answers, and how well both predict held-out trials."""
    return _CHOSEN(
        model=getattr(chosen.surrogate, "label", ""),
        r2=chosen.r2,
        other=getattr(other.surrogate, "label", ""),
        other_r2=other.r2,
    )


def _r2(surrogate: Surrogate) -> float:
    if not isinstance(surrogate, SupportsHeldOut):
        return -np.inf
    held_out = surrogate.held_out()
    observed = held_out.observed
    if not len(observed) or not np.ptp(observed) or not np.isfinite(held_out.mean).all():
        return -np.inf
    unit = float(np.ptp(observed))  # squares of what is tiny are 0
    spread = float(np.sum(((observed - observed.mean()) / unit) ** 2))
    return 1.0 - float(np.sum(((observed - held_out.mean) / unit) ** 2)) / spread


def _skill(r2: float) -> str:
    return f"{r2:.2f}" if np.isfinite(r2) else "not known"
