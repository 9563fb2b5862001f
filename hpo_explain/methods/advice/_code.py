"""Python to paste, in the words of the framework that the run came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hpo_explain.base import range_around
from hpo_explain.space import FloatParameter, Parameter, asked_as, condition_text

_TARGETS = {"optuna": "value", "skopt": "dimension"}


def declarations(parameters: Sequence[Parameter], framework: str) -> str:
    """Return lines that declare hyperparameters as a framework does."""
    lines = []
    for parameter in parameters:
        target = asked_as(parameter)
        if not target.isidentifier():
            target = _TARGETS.get(framework, "parameter")
        if framework == "skopt":
            declared = _dimension(parameter)
        else:
            declared = _declared(parameter, framework)
        when = ""
        if target != parameter.name:
            when = f"  # {condition_text(parameter)}"
        lines.append(f"{target} = {declared}{when}")
    return "\n".join(lines)


def _rounded(parameter: Any) -> tuple[Any, Any]:
    """Return both ends of a range, easier to read where it has no steps."""
    low, high = parameter.low, parameter.high
    if not isinstance(parameter, FloatParameter) or parameter.step is not None or low == high:
        return low, high
    return range_around(low, high)


def _declared(parameter: Parameter, framework: str) -> str:
    """Return a hyperparameter as Optuna suggests it, or as this package declares it."""
    name = asked_as(parameter) if framework == "optuna" else parameter.name
    kind = type(parameter).__name__.removesuffix("Parameter")
    made = (
        f"trial.suggest_{kind.lower()}" if framework == "optuna" else f"hpo_explain.{kind}Parameter"
    )
    if parameter.is_category:
        return f"{made}({name!r}, {[*parameter.choices]!r})"
    if parameter.values and framework == "optuna":
        return f"trial.suggest_categorical({name!r}, {[*parameter.values]!r})"
    low, high = _rounded(parameter)
    options = ", log=True" if parameter.log else ""
    if parameter.step not in (None, 1):
        options += f", step={parameter.step!r}"
    if parameter.values and low < high:
        options += f", values={[*parameter.values]!r}"
    return f"{made}({name!r}, {low!r}, {high!r}{options})"


def _dimension(parameter: Parameter) -> str:
    """Return a hyperparameter as a dimension of scikit-optimize."""
    name, choices = parameter.name, list(getattr(parameter, "choices", ()))
    if not parameter.is_category:
        low, high = _rounded(parameter)
        if low < high:
            kind = "Real" if isinstance(parameter, FloatParameter) else "Integer"
            prior = ", prior='log-uniform'" if parameter.log else ""
            return f"skopt.space.{kind}({low!r}, {high!r}{prior}, name={name!r})"
        choices = [low]
    return f"skopt.space.Categorical({choices!r}, name={name!r})"


def evaluations(configurations: Sequence[Mapping[str, Any]], times: int, framework: str) -> str:
    """Return lines that have configurations evaluated so many times each; none for none."""
    if not configurations:
        return ""
    configs = [dict(config) for config in configurations]
    if framework == "optuna":
        lines = [f"study.enqueue_trial({config!r})" for config in configs]
        if times > 1:
            lines = [f"for _ in range({times}):", *(f"    {line}" for line in lines)]
        return "\n".join(lines)
    names = list(dict.fromkeys(name for config in configs for name in config))
    what, comment, shown = "config", "", [*configs]
    if framework == "skopt":
        what, comment = "x", f"  # {', '.join(names)}"
        shown = [[config.get(name) for name in names] for config in configs]  # type: ignore[misc]
    shown = shown * times
    if len(shown) == 1:
        return f"{what} = {shown[0]!r}{comment}"
    return f"{what}s = {shown!r}{comment}"
