"""What the objective depends on: shares of the variance, by what the trials allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hpo_explain.base import (
    PARETO_RANK,
    TRADE_OFF,
    InputError,
    Kind,
    Option,
    Subject,
    check_count,
    check_flag,
    check_number,
    fact,
)
from hpo_explain.belief import Dominated, Draws
from hpo_explain.methods.importance.fanova import DRAWN_ORDER, FanovaExplainer
from hpo_explain.methods.importance.trade_off import trade_off
from hpo_explain.models import Surrogate
from hpo_explain.question import Question, explains
from hpo_explain.run import Objectives, Run
from hpo_explain.space import Config

Cap = float | str | Config | None
_DOMINATED = fact(
    "the Pareto rank of a configuration is the share of the space that is as good in all "
    "objectives and better in one, by more than 1 % of the way from the median to the best"
)
_CAPPED = fact("the forest has learned the trials' objectives capped in this way")


@explains(of="surrogate", several="together")
def importance(
    question: Question,
    order: int = 1,
    *,
    top: float | None = None,
    within: float | None = None,
    n_trees: int | None = None,
    cap: Cap = None,
    given: Mapping[str, Sequence[Any]] | None = None,
    instances: bool = False,
) -> Any:
    """Measure which hyperparameters matter, with intervals.

    The default decomposes the variance of functions drawn from the posterior (`run.belief()`), and
    "gp" of functions drawn from a Gaussian process. "forest" is the exact decomposition of a random
    forest, as in the paper; the spread over its trees is not a confidence interval. Of your own
    model functions are drawn if it has a joint posterior; otherwise a forest of `n_trees` learns
    its predictions.

    With several objectives (of one run, or a dict of runs), ``target="pareto_rank"`` shows what
    decides which share of the space dominates a configuration, with `top` whether it is among the
    least dominated. With two, ``target="trade-off"`` shows how the shares change as weight moves
    from one objective to the other.

    Parameters
    ----------
    order : int, default 1
        Size of the largest sets of hyperparameters: 2 adds all pairs; more implies a forest.
    top : float, optional
        Measure what decides whether a configuration is among this best share of the space, such
        as 0.1. Bad regions, which often cause most of the variance, then count no more than
        mediocre ones. The shares are those of the variance of the indicator "among the best".
    within : float, optional
        With `top`, restrict the space to this better share of it, such as 0.5. Hyperparameters
        are not independent there, so two may share the same effect.
    n_trees : int, optional
        Number of trees, by default 64. It implies a forest.
    cap : float, str or dict, optional
        Focus on the good region: the forest learns worse objectives as this value. A number in the
        objective's units, a quantile counted from the best trial (``"25%"``), or a configuration
        such as a default (its observed or else predicted objective). It implies a forest. To clip
        predictions after the fit, use `FanovaExplainer.explain`.
    given : mapping of str to sequence, optional
        Sub-space, as in `FanovaExplainer.explain`. It implies a forest.
    instances : bool, default False
        Whether the instance (fold, data set) is a hyperparameter ``instance``, in place of
        averaging over instances. With `order` 2 the result shows what depends on it.

    Returns
    -------
    FanovaImportance or TradeOffImportance
        Shares of the variance, with 95 % intervals unless they come from a forest. For a run with
        instances they are those of the average over instances (Section 3.3 of [1]_), unless
        `instances` is True; between two objectives those of each weighted sum.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, `order` is larger than the number of
        hyperparameters, `cap` is outside the observed objective, `given` leaves nothing, the run
        has no instances for `instances`, or the model does not support an option.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML.
    .. [2] Watanabe, S., Bansal, A. and Hutter, F. (2023). PED-ANOVA: efficiently quantifying
       hyperparameter importance in arbitrary subspaces. IJCAI. (The idea of `top` and `within`.)
    .. [3] Theodorakopoulos, D., Stahl, F. and Lindauer, M. (2024). Hyperparameter importance
       analysis for multi-objective AutoML. ECAI. https://arxiv.org/abs/2405.07640

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"x": rng.random(40), "y": rng.random(40)})
    >>> table["loss"] = table.x + 0.2 * rng.standard_normal(40)  # y does not matter
    >>> result = hx.importance(table, objective="loss")
    >>> result.claims[0].hyperparameters, result.claims[0].certain
    (('x',), True)
    >>> result.share("x") > 0.9
    True
    >>> best = hx.importance(table, objective="loss", top=0.1)
    >>> best.importance.normalized.round(1).to_dict()
    {'x': 1.0, 'y': 0.0}
    """
    run = question.run
    of_one = {"cap": cap is not None, "instances": check_flag("instances", instances)}
    if question.target == TRADE_OFF:
        others = {
            "order": order != 1,
            "top": top is not None,
            "within": within is not None,
            "n_trees": n_trees is not None,
            "given": bool(given),
        }
        _refuse(question, "single hyperparameters in the whole space", {**others, **of_one})
        objectives, draws = _objectives(question)
        return trade_off(objectives, draws, seed=question.seed)
    if question.target == PARETO_RANK:
        _refuse(question, "all objectives as they are", of_one)
    elif of_one["instances"]:
        run = _evaluations(run)
    about, seed = Subject.of(run), question.seed
    kind, bound = _kind(question.kind, order, n_trees, cap, given), None
    trees = n_trees or 64
    if question.target == PARETO_RANK:
        model: Surrogate = Dominated([*_objectives(question)[1].values()])
        about = Subject(run.space, objective_name="Pareto rank", tried=run.X, notes=(_DOMINATED,))
    elif run.model is not None and question.kind == "auto":
        model = run.model
        bound = None if cap is None else cap_of(run, model, cap)
    elif kind == "auto":
        model = run.belief(seed=seed)
    else:
        run, about, bound = capped_at(run, about, trees, seed, cap)
        model = run.surrogate(kind=kind, n_trees=trees, seed=seed)
    explainer = FanovaExplainer(model, subject=about, n_trees=trees, seed=seed)
    return explainer.explain(order=order, top=top, within=within, cap=bound, given=given)


def _objectives(question: Question) -> tuple[Objectives, dict[str, Draws]]:
    """Return the objectives that are asked for together, and the functions each may be."""
    objectives = Objectives(question.runs)
    each = {name: replace(question, run=run, runs={}) for name, run in objectives.runs.items()}
    return objectives, {name: of_one.draws for name, of_one in each.items()}


def _refuse(question: Question, about: str, options: Mapping[str, bool]) -> None:
    """Raise InputError where an option is given that is not asked of objectives together."""
    names = [name for name, is_given in options.items() if is_given]
    if names:
        problem = f"is {question.target!r}, which is about {about}, but {names[0]} was given"
        raise InputError("target", problem, question.target, "Leave one of them out.")


def _evaluations(run: Run) -> Run:
    """Return a run of the evaluations on single instances, which are a hyperparameter."""
    if run.instances is None or run.model is not None:
        why = "the run has one result per trial" if run.model is None else "a model was given"
        remedy = ("Name the column of a table with ", Option("instance"), ", and give no model.")
        raise InputError("instances", f"was True, but {why}", True, remedy)
    space, rows = run.instances.as_hyperparameter(run.space)
    return Run(
        space,
        rows,
        run.instances.objective,
        run.direction,
        notes=run.notes,
        objective_name=run.objective_name,
    )


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
    capped = replace(run, objective=better(run.objective, bound), bounds=None)
    return capped, replace(subject, notes=(*subject.notes, _CAPPED)), bound


def _kind(
    kind: Kind, order: int, n_trees: int | None, cap: Cap, given: Mapping[str, Sequence[Any]] | None
) -> Kind:
    """Return the kind of model that was asked for, by name or by what only a forest answers."""
    if n_trees is not None:
        check_count("n_trees", n_trees)
    only = {
        "n_trees": n_trees is not None,
        "cap": cap is not None,
        "given": bool(given),
        "order": isinstance(order, int) and order > DRAWN_ORDER,
    }
    options = [name for name, is_asked in only.items() if is_asked]
    if options and kind == "gp":
        problem = f"was 'gp', but {options[0]} asks for a forest"
        raise InputError("kind", problem, kind, "Leave one of them out.")
    return "forest" if options else kind


def cap_of(run: Run, model: Surrogate, cap: Cap) -> float:
    """Return the objective beyond which it is capped."""
    best, worst = float(run.cost.min()), float(run.cost.max())
    sign = run.sign
    if isinstance(cap, Mapping):
        x = run.space.row(cap, "cap")[None, :]
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
