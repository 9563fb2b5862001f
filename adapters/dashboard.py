"""Figures, the summary and the report of a study in Optuna's dashboard."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import optuna
from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances
from optuna.trial import TrialState

from hpo_explain.adapters._published import PAGES, escaped, figures_of, text_of, written
from hpo_explain.adapters.sources import as_runs
from hpo_explain.base.errors import InputError, unless_nothing
from hpo_explain.base.numbers import percent, percent_range
from hpo_explain.methods.importance.importance import importance
from hpo_explain.space import asked_as

if TYPE_CHECKING:
    from hpo_explain.reporting import Section
    from hpo_explain.run import Run

# Markdown shows neither
_MARKS = ("[//]: # (hpo_explain begins)", "[//]: # (hpo_explain ends)")
_ARTIFACT = "artifacts:"


def to_dashboard(
    study: Any, artifact_store: Any, sections: Sequence[str | Section] | None, **reading: Any
) -> tuple[str, ...]:
    """Publish what was found about a study in Optuna's dashboard, as `publish` says."""
    if not isinstance(study, optuna.Study):
        problem = f"must be a study of Optuna, whose dashboard shows it, but was {study!r}"
        raise InputError("study", problem, study, "Give to=, a run of MLflow or W&B.")
    runs = as_runs(study, **{"sampler": study.sampler, **reading})
    return put(study, runs, artifact_store, sections)


def put(
    study: optuna.Study,
    runs: dict[str, Run],
    artifact_store: Any = None,
    sections: Sequence[str | Section] | None = None,
) -> tuple[str, ...]:
    """Write what was found about the runs of a study into its storage; return what by name."""
    missing = [name for name in ("optuna_dashboard", "plotly") if find_spec(name) is None]
    if missing:
        raise ImportError(
            f"Publishing needs {' and '.join(missing)}: pip install optuna-dashboard plotly"
        )
    from optuna_dashboard import save_plotly_graph_object

    done = []
    for i, run in enumerate(runs.values()):
        for name, figure in figures_of(run):
            key = f"hpo_explain-{name}" + (f"-{i}" if i else "")
            done.append(save_plotly_graph_object(study, figure, graph_object_id=key))
    told = filter(None, [_why_importance_differs(study, runs), text_of(runs)])
    _note(study, "\n\n".join(told))
    done.append("note")
    if artifact_store is not None:
        with written(runs, sections) as pages:
            for page in pages:
                _replace(study, artifact_store, page)
        done += PAGES
    return tuple(done)


def _why_importance_differs(study: optuna.Study, runs: Mapping[str, Run]) -> str:
    """Return why importance is not what the dashboard itself shows; nothing where it shows none."""
    trials, run = study.get_trials(deepcopy=False), next(iter(runs.values()))
    ours = unless_nothing(partial(importance, run))
    objectives = zip(*(trials[number].values or () for number in run.trials), strict=False)
    is_shown = any(np.array_equal(values, run.objective) for values in objectives)
    completed = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    if ours is None or not is_shown or len(completed) < 2:
        return ""
    numbers = ""
    most = ours.claims[0]
    if most.certain and len(study.directions) == 1:
        theirs = get_param_importances(study, evaluator=PedAnovaImportanceEvaluator())
        first = ours.names.index(most.hyperparameters[0])
        name = asked_as(run.space.parameters[first])
        if name in theirs:
            here = percent_range(*ours.ends_with[first])
            numbers = f": {name} has {here} here and {percent(theirs[name])} there"
    return escaped(
        "Importance here is the share of the variance over the whole search space, with "
        "interactions; the dashboard's own (PED-ANOVA) compares the best 10% of the trials with "
        f"all trials{numbers}."
    )


def _note(study: optuna.Study, text: str) -> None:
    """Write the study's note between marks, under what a person has written."""
    from optuna_dashboard import get_note, save_note

    before, begun, rest = get_note(study).partition(_MARKS[0])
    after = rest.partition(_MARKS[1])[2] if begun else ""
    ours = f"{_MARKS[0]}\n\n{text}\n\n{_MARKS[1]}"
    parts = before.rstrip("\n"), ours, after.strip("\n")
    save_note(study, "\n\n".join(part for part in parts if part))


def _replace(study: optuna.Study, store: Any, page: Path) -> None:
    """Upload a page, and remove what was uploaded before."""
    attributes = study._storage.get_study_system_attrs(study._study_id)
    uploaded = optuna.artifacts.upload_artifact(
        artifact_store=store, file_path=str(page), study_or_trial=study
    )
    for key, value in attributes.items():
        held = json.loads(value) if key.startswith(_ARTIFACT) else None
        if held and held["filename"] == page.name and held["artifact_id"] != uploaded:
            store.remove(held["artifact_id"])
            study._storage.set_study_system_attr(study._study_id, key, json.dumps(None))
