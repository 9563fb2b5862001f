"""Follow advice: an optimization that goes on with other ranges, and what was tried."""

from __future__ import annotations

from typing import Any

from hpo_explain.adapters.sources import is_a
from hpo_explain.base.errors import InputError
from hpo_explain.methods.advice.advise_result import Advice


def apply_advice(advice: Advice, source: Any, **options: Any) -> Any:
    """Return the optimization as it goes on with all actions; what is given stays as it is.

    Parameters
    ----------
    advice : Advice
        The advice.
    source : optuna.Study or skopt result
        The optimization that is advised.
    **options
        Options of the adapter.

    Returns
    -------
    optuna.Study or dict
        As of :meth:`Advice.apply`.

    Raises
    ------
    InputError
        If the source is neither.
    """
    if is_a(source, "optuna", "Study"):
        from hpo_explain.adapters.optuna.advice import continued

        return continued(advice, source, **options)
    if is_a(source, "scipy", "OptimizeResult") or is_a(source, "skopt", "Optimizer"):
        from hpo_explain.adapters.skopt.advice import continued as skopt_continued

        return skopt_continued(advice, source, **options)
    kind = f"{type(source).__module__}.{type(source).__qualname__}"
    raise InputError(
        "source",
        f"must be an optuna.Study, or a result or Optimizer of skopt, but was a {kind}",
        source,
        "Search advice.space, or paste the code of its actions.",
    )
