"""The folder that a run of SMAC3 leaves: runhistory.json, configspace.json and scenario.json.

SMAC writes the same in three ways: an evaluation is a pair of two lists (0 and 1), one list, or an
object with names. ConfigSpace writes its hyperparameters alike since 0.4. Neither package is needed
to read them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hpo_explain.adapters._domain import Domain, number
from hpo_explain.adapters._json import json_of
from hpo_explain.adapters.configspace import Condition, space_of
from hpo_explain.adapters.formats import Opened
from hpo_explain.adapters.smac._history import Configuration, History, Result
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.space import SearchSpace

_STATUSES = ("RUNNING", "SUCCESS", "CRASHED", "TIMEOUT", "MEMORYOUT")
_SUCCEEDED = ("SUCCESS", "DONOTADVANCE")  # the second is a result, too
_KEY = ("config_id", "instance", "seed", "budget")
_VALUE = ("cost", "time", "status", "starttime", "endtime", "additional_info")
_WITH_CPU = (*_VALUE[:2], "cpu_time", *_VALUE[2:])
_OF_SMAC_0 = 4  # values of an evaluation
_CONDITIONS = {
    "AND": "and",
    "OR": "or",
    "IN": "in",
    "EQ": "in",
    "NEQ": "not",
    "LT": "less",
    "GT": "greater",
}
_OFTEN = 0.5  # what cannot be stated counts as active half of the time


@contextmanager
def opened(path: str, options: Mapping[str, Any]) -> Iterator[Opened]:
    """Open the folder of a run of SMAC3.

    Raises
    ------
    InputError
        If a file is broken, or holds a kind of hyperparameter that is not known.
    """
    folder = Path(path)
    content = json_of(folder / "runhistory.json")
    scenario = json_of(folder / "scenario.json", {})
    saved = json_of(folder / "configspace.json", {})
    space, notes = _space(saved, path) if saved else (None, [])
    yield Opened(
        History(
            _configurations(content),
            _objectives(scenario),
            space,
            notes,
            _default(saved),
            _facade(scenario),
        )
    )


def _objectives(scenario: Mapping[str, Any]) -> list[str]:
    given = scenario.get("objectives", [])
    return [given] if isinstance(given, str) else [*map(str, given)]


def _facade(scenario: Mapping[str, Any]) -> str:
    about = scenario.get("_meta", {}).get("facade", {})
    return str(about.get("name", ""))


# ---------------------------------------------------------------------- evaluations


def _configurations(content: Mapping[str, Any]) -> dict[int, Configuration]:
    """Return the configurations by the number of their trial, with their evaluations."""
    origins = content.get("config_origins") or {}
    found = {
        int(i) - 1: Configuration(config, origins.get(i) or "")
        for i, config in content["configs"].items()
    }
    for entry in content["data"]:
        row = _row(entry)
        costs = row["cost"] if isinstance(row["cost"], list) else [row["cost"]]
        budget = number(row["budget"])
        found[int(row["config_id"]) - 1].results.append(
            Result(
                row["instance"],
                row["seed"],
                budget,
                tuple(map(number, costs)),
                _status(row["status"]),
                number(row["starttime"]),
                number(row["endtime"]),
            )
        )
    return {t: c for t, c in sorted(found.items()) if c.results}


def _row(entry: Any) -> Mapping[str, Any]:
    """Return an evaluation by names."""
    if isinstance(entry, Mapping):
        return entry
    if isinstance(entry[0], list):
        key, value = entry
        row = dict.fromkeys((*_KEY, *_VALUE)) | dict(zip(_KEY, key, strict=False))
        # SMAC 0 has neither budgets nor times
        row |= dict(zip(_VALUE if len(value) > _OF_SMAC_0 else _VALUE[:3], value, strict=False))
        # without budgets SMAC 1 writes 0
        return {**row, "budget": row["budget"] or None}
    names = _VALUE if len(entry) == len(_KEY) + len(_VALUE) else _WITH_CPU
    return dict(zip((*_KEY, *names), entry, strict=False))


def _status(status: Any) -> str:
    if isinstance(status, Mapping):  # {"__enum__": "StatusType.SUCCESS"}
        name = str(status["__enum__"]).rpartition(".")[2]
    else:
        name = _STATUSES[int(status)]
    return "SUCCESS" if name in _SUCCEEDED else name


# ---------------------------------------------------------------------- the space


def _space(saved: Mapping[str, Any], path: str) -> tuple[SearchSpace, list[Fact]]:
    domains = {str(entry["name"]): _domain(entry, path) for entry in saved["hyperparameters"]}
    return space_of(
        domains,
        [_condition(entry) for entry in saved.get("conditions") or ()],
        [_clause(entry) for entry in saved.get("forbiddens") or ()],
        lambda names: dict.fromkeys(names, _OFTEN),
    )


def _domain(entry: Mapping[str, Any], path: str) -> Domain:
    kind = str(entry["type"])
    if kind in ("constant", "unparametrized"):
        return Domain(choices=[entry["value"]])
    if kind == "ordinal":
        return Domain(choices=entry["sequence"], ordered=True)
    if kind == "categorical":
        weights = entry.get("weights") or entry.get("probabilities") or ()
        return Domain(choices=entry["choices"], weighed=len({*weights}) > 1)
    law, _, what = kind.partition("_")
    if what not in ("float", "int") or "lower" not in entry:
        raise InputError(
            "run",
            f"{path!r} has {entry['name']!r} in its space, which is a {kind} without bounds",
            path,
            "Give the run as an object, with the search space.",
        )
    return Domain(
        entry["lower"],
        entry["upper"],
        bool(entry.get("log")),
        what == "int",
        law="" if law == "uniform" else law,
    )


def _condition(entry: Mapping[str, Any]) -> Condition:
    kind = _CONDITIONS[entry["type"]]
    child = str(entry["child"])
    if kind in ("and", "or"):
        components = tuple(map(_condition, entry["conditions"]))
        return Condition(kind, child, components=components)
    given = entry["values"] if "values" in entry else [entry["value"]]
    return Condition(kind, child, str(entry["parent"]), tuple(given))


def _clause(entry: Mapping[str, Any]) -> str:
    """Return what a clause forbids."""
    if "clauses" in entry:
        return " and ".join(map(_clause, entry["clauses"]))
    if "values" in entry:
        return f"{entry['name']} in {entry['values']!r}"
    if "value" in entry:
        return f"{entry['name']} == {entry['value']!r}"
    return str(entry)


def _default(saved: Mapping[str, Any]) -> dict[str, Any]:
    """Return the default values, under the name of either version of ConfigSpace."""
    found = {}
    for entry in saved.get("hyperparameters", ()):
        for key in ("default_value", "default", "value"):
            if key in entry:
                found[str(entry["name"])] = entry[key]
                break
    return found
