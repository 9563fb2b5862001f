"""Actions as Python to paste, in the words of the framework that the run came from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hpo_explain.explanations.advice import Action, values_of
from hpo_explain.space import CategoricalParameter, FloatParameter, Parameter


def action_code(action: Action) -> str:
    """Return the lines that follow an action; empty where there is nothing to write."""
    search, fix, evaluate = _WRITERS.get(action.framework, _WRITERS[""])
    if action.kind == "fix":
        return fix(action.parameters)
    if action.parameters:
        return search(action.parameters)
    return evaluate(action) if action.configurations else ""


def _rounded(parameter: Parameter) -> tuple[Any, Any]:
    """Return both ends of a range, to four digits where it has no steps."""
    ends: Any = values_of(parameter)
    low, high = ends if isinstance(ends, tuple) else (ends, ends)
    if not isinstance(parameter, FloatParameter) or parameter.step is not None or low == high:
        return low, high
    return float(f"{low:.4g}"), float(f"{high:.4g}")


# ---------------------------------------------------------------------- Optuna


def _suggestions(parameters: Sequence[Parameter]) -> str:
    return "\n".join(map(_suggestion, parameters))


def _suggestion(parameter: Parameter) -> str:
    name = parameter.name
    target = name if name.isidentifier() else "value"
    if isinstance(parameter, CategoricalParameter):
        return f"{target} = trial.suggest_categorical({name!r}, {[*parameter.choices]!r})"
    kind = "float" if isinstance(parameter, FloatParameter) else "int"
    low, high = _rounded(parameter)
    options = ", log=True" if parameter.log else ""
    if parameter.step not in (None, 1):
        options += f", step={parameter.step!r}"
    return f"{target} = trial.suggest_{kind}({name!r}, {low!r}, {high!r}{options})"


def _partly_fixed(parameters: Sequence[Parameter]) -> str:
    values = {parameter.name: values_of(parameter) for parameter in parameters}
    return f"study.sampler = optuna.samplers.PartialFixedSampler({values!r}, study.sampler)"


def _enqueued(action: Action) -> str:
    lines = [f"study.enqueue_trial({dict(config)!r})" for config in action.configurations]
    if action.times == 1:
        return "\n".join(lines)
    return "\n".join([f"for _ in range({action.times}):", *(f"    {line}" for line in lines)])


# ---------------------------------------------------------------------- scikit-optimize


def _dimensions(parameters: Sequence[Parameter]) -> str:
    return "\n".join(
        f"{p.name if p.name.isidentifier() else 'dimension'} = {_dimension(p)}" for p in parameters
    )


def _dimension(parameter: Parameter) -> str:
    name = parameter.name
    if isinstance(parameter, CategoricalParameter):
        return f"skopt.space.Categorical({[*parameter.choices]!r}, name={name!r})"
    low, high = _rounded(parameter)
    if low == high:
        return f"skopt.space.Categorical({[low]!r}, name={name!r})"
    kind = "Real" if isinstance(parameter, FloatParameter) else "Integer"
    prior = ", prior='log-uniform'" if parameter.log else ""
    return f"skopt.space.{kind}({low!r}, {high!r}{prior}, name={name!r})"


# ---------------------------------------------------------------------- anything else


def _declared(parameters: Sequence[Parameter]) -> str:
    return "\n".join(
        f"{p.name if p.name.isidentifier() else 'parameter'} = {_declaration(p)}"
        for p in parameters
    )


def _declaration(parameter: Parameter) -> str:
    name, kind = parameter.name, type(parameter).__name__
    if isinstance(parameter, CategoricalParameter):
        return f"hpo_explain.{kind}({name!r}, {[*parameter.choices]!r})"
    low, high = _rounded(parameter)
    options = ", log=True" if parameter.log else ""
    if parameter.step not in (None, 1):
        options += f", step={parameter.step!r}"
    return f"hpo_explain.{kind}({name!r}, {low!r}, {high!r}{options})"


def _values(parameters: Sequence[Parameter]) -> str:
    return f"fixed = { ({p.name: values_of(p) for p in parameters})!r}"


def _points(action: Action) -> str:
    names = list(dict.fromkeys(name for config in action.configurations for name in config))
    shown = [[config.get(name) for name in names] for config in action.configurations]
    return _one_or_many("x", shown * action.times, f"  # {', '.join(names)}")


def _configs(action: Action) -> str:
    return _one_or_many("config", [dict(c) for c in action.configurations] * action.times, "")


def _one_or_many(name: str, values: Sequence[Any], comment: str) -> str:
    if len(values) == 1:
        return f"{name} = {values[0]!r}{comment}"
    return f"{name}s = {list(values)!r}{comment}"


_Search = Callable[[Sequence[Parameter]], str]
_Evaluate = Callable[[Action], str]

_WRITERS: dict[str, tuple[_Search, _Search, _Evaluate]] = {
    "optuna": (_suggestions, _partly_fixed, _enqueued),
    "skopt": (_dimensions, _dimensions, _points),
    "": (_declared, _values, _configs),
}
"""How a framework searches hyperparameters, keeps some fixed, and evaluates configurations."""
