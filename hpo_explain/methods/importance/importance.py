"""What the objective depends on: shares of the variance, by the model that predicts best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from hpo_explain.asked.explains import Asked, explains
from hpo_explain.base.checks import check_count, check_number, check_option
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.base.numbers import r_squared
from hpo_explain.base.options import KINDS, Kind
from hpo_explain.base.subject import Subject
from hpo_explain.base.text import declared_fact
from hpo_explain.methods.importance.fanova import FanovaExplainer
from hpo_explain.methods.importance.fanova_result import FanovaImportance
from hpo_explain.models.anova import NODES
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.models.protocols import SupportsHeldOut, Surrogate
from hpo_explain.run import Run, average_instances
from hpo_explain.run.fits import choose_kind
from hpo_explain.space import Config, encode_one

Cap = float | str | Config | None
_TREES = 64
_REFITS = 12

_CHOSEN = declared_fact(
    "model_chosen", "{model} answers: R² on held-out trials is {own}, that of {other} is {others}",
    own=lambda told: _skill(told["r2"]), others=lambda told: _skill(told["other_r2"]),
)  # fmt: skip
_RIVAL = 1.5  # times the error with which another model's view still counts
_HOPELESS = 3.0  # times the error with which a forest is not tuned: leaves do not save so much
_CAPPED = declared_fact(
    "objectives_capped", "the forest has learned the trials' objectives capped in this way"
)


@explains(of="surrogate")
def importance(
    asked: Asked,
    order: int = 1,
    *,
    n_trees: int | None = None,
    cap: Cap = None,
    given: Mapping[str, Sequence[Any]] | None = None,
) -> FanovaImportance:
    """Say which hyperparameters matter, without the noise of the trials, and how sure that is.

    By default the model that predicts held-out trials better answers, and the result says where the
    other one disagrees; "gp" is functions drawn from the posterior of a Gaussian process, "forest"
    a random forest with leaves as large as held-out trials ask for, corrected for noise. A
    surrogate of your own is explained as it is: a forest exactly, without a correction for noise;
    one that is neither a forest nor a Gaussian process through a forest of `n_trees` that learns
    its predictions, which `cap` then clips.

    Parameters
    ----------
    order : int, default 1
        Size of the largest sets of hyperparameters: 2 adds all pairs.
    n_trees : int, optional
        Number of trees; given, it implies a forest. By default 64.
    cap : float, str or dict, optional
        Only the good region: the forest learns objectives worse than this as this. A number in
        the objective's units, a quantile of the observed trials from the best on (``"25%"``), or a
        configuration such as a default (its observed objective, else the predicted one). To clip
        the predictions of a forest that has learned the objectives as they are, call
        :meth:`FanovaExplainer.explain` with `cap`. It implies a forest.
    given : mapping of str to sequence, optional
        Sub-space, as in :meth:`FanovaExplainer.explain`. It implies a forest.

    Returns
    -------
    FanovaImportance
        Shares of the variance with 95 % intervals; ``result.subject.model`` names the model. Of a
        run with instances, after :func:`hpo_explain.run.average_instances`.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, `order` is larger than the number of
        hyperparameters, `cap` is outside the observed objective, `given` leaves nothing, or a
        Gaussian process is asked for what it cannot answer.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"x": rng.random(40), "y": rng.random(40)})
    >>> table["loss"] = table.x + 0.2 * rng.standard_normal(40)  # y does not matter
    >>> result = hx.importance(table, objective="loss", kind="gp")
    >>> result.subject.model, result.share("x") > 0.9
    ('a GP', True)
    >>> lower, upper = result.importance.loc["y", ["lower", "upper"]]
    >>> bool(lower < 0.01 and upper < 0.2)
    True
    """
    run = average_instances(asked.run, n_trees=n_trees or _TREES, seed=asked.seed)
    averaged = [note for note in run.notes if note not in asked.run.notes]
    about, seed = Subject.of(run, draws=asked.draws, notes=averaged), asked.seed
    kind = _kind(asked.kind, order, n_trees, cap, given)
    if run.model is not None and asked.kind == "auto":
        bound = None if cap is None else cap_of(run, run.model, cap)
        explainer = FanovaExplainer(run.model, subject=about, n_trees=n_trees or _TREES, seed=seed)
        return explainer.explain(order=order, cap=bound, given=given)
    run, about, bound = capped_at(run, about, n_trees or _TREES, seed, cap)
    models = candidates(run, kind, n_trees=n_trees or _TREES, seed=seed)
    chosen, *others = models

    def explained(model: Candidate, order: int) -> FanovaImportance:
        explainer = FanovaExplainer(model.surrogate, subject=about, seed=seed)
        if model.kind == "gp":
            return explainer.explain(order=order)
        return explainer.explain(order=order, cap=bound, given=given, refits=_REFITS)

    result = explained(chosen, order)
    if others:
        result = replace(result, notes=(choice(chosen, others[0]), *result.notes))
    for other in others:
        if other.rivals(chosen):
            result = result.compared(explained(other, 1))
    return result


def capped_at(
    run: Run, subject: Subject, n_trees: int, seed: int, cap: Cap
) -> tuple[Run, Subject, float | None]:
    """Return the run with its objective capped, and where.

    The forest learns the capped objective (Hutter et al. 2014, Section 3.3): one that has learned
    the objective as it is spends its splits on differences that the cap takes away.
    """
    if cap is None:
        return run, subject, None
    bound = cap_of(run, run.surrogate(kind="forest", n_trees=n_trees, seed=seed), cap)
    better = np.minimum if run.direction == "minimize" else np.maximum
    averaged = None if run.averaged is None else replace(run.averaged, cap=bound)
    capped = replace(run, objective=better(run.objective, bound), averaged=averaged)
    return capped, replace(subject, notes=(*subject.notes, _CAPPED())), bound


def _kind(
    kind: Kind,
    order: int,
    n_trees: int | None,
    cap: Cap,
    given: Mapping[str, Sequence[Any]] | None,
) -> Kind:
    """Return the kind of model that was asked for, by name or by what only a forest answers."""
    check_option("kind", kind, KINDS)
    if n_trees is not None:
        check_count("n_trees", n_trees)
    only = {
        "n_trees": n_trees is not None,
        "cap": cap is not None,
        "given": bool(given),
        "order": isinstance(order, int) and order > max(NODES),
    }
    asked = [name for name, is_asked in only.items() if is_asked]
    if asked and kind == "gp":
        problem = f"was 'gp', but {asked[0]} asks for a forest"
        raise InputError("kind", problem, kind, "Leave one of them out.")
    return "forest" if asked else kind


def cap_of(run: Run, model: Surrogate, cap: Cap) -> float:
    """Return the objective beyond which it is capped."""
    best, worst = float(run.cost.min()), float(run.cost.max())
    sign = 1.0 if run.direction == "minimize" else -1.0
    if isinstance(cap, Mapping):
        x = encode_one(run.space, cap, "cap")[None, :]
        same = np.flatnonzero((np.isclose(run.X, x, equal_nan=True)).all(axis=1))
        value = float(run.objective[same[0]] if len(same) else model.predict(x)[0][0])
    elif isinstance(cap, str):
        value = sign * float(np.quantile(run.cost, _quantile(cap)))
    else:
        value = check_number("cap", cap)
    if isinstance(cap, str) and sign * value <= best < worst:
        raise InputError(
            "cap",
            f"is {cap!r}, which is the best {run.objective_name} itself ({value:.6g}): as many "
            "trials reach it",
            cap,
            "Give a larger quantile, or a number.",
        )
    if not best < sign * value <= worst:
        raise InputError(
            "cap",
            f"must lie within the observed {run.objective_name}, beyond the best "
            f"({sign * best:.6g}) and up to the worst ({sign * worst:.6g}), but was {value:.6g}",
            cap,
        )
    return value


def _quantile(text: str) -> float:
    """Return a percentage as a fraction."""
    try:
        share = float(text.removesuffix("%")) / 100.0
    except ValueError:
        share = np.nan
    if not text.endswith("%") or not 0.0 < share <= 1.0:
        raise InputError(
            "cap",
            f"must be a number, a quantile such as '25%', or a configuration, but was {text!r}",
            text,
        )
    return share


# ---------------------------------------------------------------------- which model answers


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
    found = r_squared(held_out.observed, held_out.mean)
    return found if np.isfinite(found) else -np.inf


def _skill(r2: float) -> str:
    return f"{r2:.2f}" if np.isfinite(r2) else "not known"
