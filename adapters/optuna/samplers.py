"""Optuna's samplers by name, as on the command line."""

from __future__ import annotations

import inspect

import optuna
from optuna.samplers import BaseSampler

from hpo_explain.adapters.optuna._unwarned import made
from hpo_explain.base.checks import check_option


def sampler_names() -> list[str]:
    """Return the classes of Optuna's samplers that can be made without arguments.

    Examples
    --------
    >>> {"RandomSampler", "TPESampler"} <= {*sampler_names()}, "GridSampler" in sampler_names()
    (True, False)
    """
    found = {name: getattr(optuna.samplers, name) for name in optuna.samplers.__all__}
    return sorted(
        name
        for name, entry in found.items()
        if inspect.isclass(entry) and not inspect.isabstract(entry) and _needs_nothing(entry)
    )


def _needs_nothing(made: type) -> bool:
    parameters = inspect.signature(made).parameters.values()
    return all(p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
               for p in parameters)  # fmt: skip


def make_sampler(name: str) -> BaseSampler:
    """Return a sampler of a class with its defaults.

    Parameters
    ----------
    name : str
        One of :func:`sampler_names`.

    Raises
    ------
    InputError
        If there is no such one.

    Examples
    --------
    >>> type(make_sampler("RandomSampler")).__name__
    'RandomSampler'
    """
    check_option("sampler", name, sampler_names())
    sampler: BaseSampler = made(getattr(optuna.samplers, name))
    return sampler
