"""The tables about a run that `hpo-explain export` writes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from hpo_explain.run import Run


@dataclass(frozen=True)
class Exported:
    """One table: as rows for CSV, and as plain values for JSON."""

    frame: pd.DataFrame
    plain: Any


def _trials(run: Run, seed: int) -> Exported:
    """Every finished trial: its configuration, its objective, and what is known about it."""
    import pandas as pd

    from hpo_explain.base.plain import plain_json

    configs = run.space.decode(run.X)
    unknown = [nan] * len(run)
    proposals = set(run.proposals or ())
    about = {
        run.objective_name: run.objective.tolist(),
        "feasible": [bool(met) for met in run.feasible] if run.feasible is not None else unknown,
        "proposal": [trial in proposals for trial in run.trials],
        "started": unknown if run.started is None else run.started.tolist(),
        "finished": unknown if run.finished is None else run.finished.tolist(),
    }
    columns = {_free("trial", run.space.names): [int(trial) for trial in run.trials]}
    columns |= {name: [config.get(name, nan) for config in configs] for name in run.space.names}
    for name, values in about.items():
        columns[_free(name, columns)] = values
    frame = pd.DataFrame({name: pd.Series(v, dtype=object) for name, v in columns.items()})
    rows = [
        {"trial": int(trial), "config": config, **{name: about[name][i] for name in about}}
        for i, (trial, config) in enumerate(zip(run.trials, configs, strict=True))
    ]
    return Exported(frame, plain_json(rows))


def _free(name: str, taken: Collection[str]) -> str:
    """Return a name that no hyperparameter has."""
    while name in taken:
        name += "_"
    return name


def _excluded(run: Run, seed: int) -> Exported:
    """Trials that were left out, and why."""
    import pandas as pd

    frame = pd.DataFrame(
        {"trial": list(run.excluded), "reason": list(map(str, run.excluded.values()))}
    )
    return _of_rows(frame)


def _trust(run: Run, seed: int) -> Exported:
    """Whether the model is good enough to be explained."""
    import pandas as pd

    from hpo_explain.diagnostics._trust import SCOPES
    from hpo_explain.facade.overview import trust

    verdict = trust(run).to_dict()
    levels: dict[str, Any] = {scope: verdict[scope]["level"] for scope in SCOPES}
    text = " ".join(reason["text"] for reason in verdict["reasons"])
    row = {**verdict, **levels, "reasons": text}
    return Exported(pd.DataFrame([row]), verdict)


def _importance(run: Run, seed: int) -> Exported:
    """Shares of single hyperparameters."""
    from hpo_explain.facade.fanova import importance

    result = importance(run, seed=seed)
    return Exported(result.to_frame().drop(columns="members").reset_index(), result.to_dict())


def _interactions(run: Run, seed: int) -> Exported:
    """Shares of pairs."""
    from hpo_explain.base.errors import NothingToExplain
    from hpo_explain.base.facts import fact
    from hpo_explain.facade.fanova import importance

    if len(run.space) < 2:
        raise NothingToExplain(fact("single_hyperparameter"))
    result = importance(run, 2, seed=seed)
    frame = result.to_frame()
    pairs = frame[frame["order"] == 2]
    both = {f"hyperparameter {i + 1}": [m[i] for m in pairs["members"]] for i in range(2)}
    kept = pairs.drop(columns=["members", "order"]).reset_index(drop=True)
    for i, (name, values) in enumerate(both.items()):
        kept.insert(i, name, values)
    plain = result.to_dict()
    plain["importance"] = [entry for entry in plain["importance"] if len(entry["members"]) == 2]
    return Exported(kept, plain)


def _effects(run: Run, seed: int) -> Exported:
    """Every hyperparameter's partial dependence with its band."""
    from hpo_explain.facade.effects import partial_dependences

    result = partial_dependences(run, run.space.names, sample=1000, seed=seed)
    return Exported(result.to_frame(), [effect.to_dict() for effect in result])


def _proposal(run: Run, seed: int) -> Exported:
    """Why the latest of the proposals was made."""
    from hpo_explain.cli._contributions import contributions_table
    from hpo_explain.facade.proposals import explain_proposal

    result = explain_proposal(run, seed=seed)
    return Exported(contributions_table(result), result.to_dict())


def _path(run: Run, seed: int) -> Exported:
    """Why each of the proposals was made."""
    from hpo_explain.facade.proposals import desirability_path

    result = desirability_path(run, seed=seed)
    return Exported(result.to_frame(), result.to_dict())


TABLES: dict[str, Callable[[Run, int], Exported]] = {
    "trials": _trials,
    "excluded": _excluded,
    "trust": _trust,
    "importance": _importance,
    "interactions": _interactions,
    "effects": _effects,
    "proposal": _proposal,
    "path": _path,
}


def _of_rows(frame: pd.DataFrame) -> Exported:
    from hpo_explain.base.plain import plain_json

    return Exported(frame, plain_json(frame.to_dict(orient="records")))
