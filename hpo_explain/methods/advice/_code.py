"""Actions as Python to paste, in the words of the framework that the run came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hpo_explain.base import range_around
from hpo_explain.space import FloatParameter, Parameter

if TYPE_CHECKING:
    from hpo_explain.methods.advice.advise_result import Action

_TARGETS = {"optuna": "value", "skopt": "dimension", "": "parameter"}


def code_of(action: Action) -> str:
    """Return the lines that follow an action; empty where there is nothing to write."""
    framework = action.framework if action.framework in _TARGETS else ""
    if action.parameters:
        return "\n".join(
            f"{p.name if p.name.isidentifier() else _TARGETS[framework]} = "
            + (
                _dimension(p)
                if framework == "skopt"
                else _declared(p, framework)
            )
            for p in action.parameters
        )
    if action.sampler:
        return f"study.sampler = optuna.samplers.{action.sampler}()"
    return _evaluated(action, framework) if action.configurations else ""


def _rounded(parameter: Any) -> tuple[Any, Any]:
    """Return both ends of a range, easier to read where it has no steps."""
    low, high = parameter.low, parameter.high
    if (
        not isinstance(parameter, FloatParameter)
        or parameter.step is not None
        or low == high
    ):
        return low, high
    return range_around(low, high)


def _declared(parameter: Parameter, framework: str) -> str:
    """Return a hyperparameter as Optuna suggests it, or as this package declares it."""
    name = parameter.name
    kind = type(parameter).__name__.removesuffix("Parameter")
    made = (
        f"trial.suggest_{kind.lower()}"
        if framework
        else f"hpo_explain.{kind}Parameter"
    )
    if parameter.is_category:
        return f"{made}({name!r}, {[*parameter.choices]!r})"
    low, high = _rounded(parameter)
    options = ", log=True" if parameter.log else ""
    if parameter.step not in (None, 1):
        options += f", step={parameter.step!r}"
    return f"{made}({name!r}, {low!r}, {high!r}{options})"


def _dimension(parameter: Parameter) -> str:
    """Return a hyperparameter as a dimension of scikit-optimize."""
    name, choices = parameter.name, list(getattr(parameter, "choices", ()))
    if not parameter.is_category:
        low, high = _rounded(parameter)
        if low < high:
            kind = (
                "Real" if isinstance(parameter, FloatParameter) else "Integer"
            )
            prior = ", prior='log-uniform'" if parameter.log else ""
            return (
                f"skopt.space.{kind}({low!r}, {high!r}{prior}, name={name!r})"
            )
        choices = [low]
    return f"skopt.space.Categorical({choices!r}, name={name!r})"


def _evaluated(action: Action, framework: str) -> str:
    """Return lines that have configurations evaluated."""
    configs = [dict(config) for config in action.configurations]
    if framework == "optuna":
        lines = [f"study.enqueue_trial({config!r})" for config in configs]
        if action.times > 1:
            lines = [
                f"for _ in range({action.times}):",
                *(f"    {line}" for line in lines),
            ]
        return "\n".join(lines)
    names = list(dict.fromkeys(name for config in configs for name in config))
    what, comment, shown = "config", "", [*configs]
    if framework == "skopt":
        what, comment = "x", f"  # {', '.join(names)}"
        shown = [[config.get(name) for name in names] for config in configs]  # type: ignore[misc]
    shown = shown * action.times
    if len(shown) == 1:
        return f"{what} = {shown[0]!r}{comment}"
    return f"{what}s = {shown!r}{comment}"
