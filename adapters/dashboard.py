"""Figures, the summary and the report of a study in Optuna's dashboard."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import optuna

from hpo_explain.adapters._published import REPORT, figures_of, text_of, written
from hpo_explain.adapters.sources import as_runs
from hpo_explain.base.errors import InputError

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
    _note(study, text_of(runs))
    done.append("note")
    if artifact_store is not None:
        with written(runs, sections) as path:
            _replace(study, artifact_store, str(path))
        done.append(REPORT)
    return tuple(done)


def _note(study: optuna.Study, text: str) -> None:
    """Write the study's note between marks, under what a person has written."""
    from optuna_dashboard import get_note, save_note

    before, begun, rest = get_note(study).partition(_MARKS[0])
    after = rest.partition(_MARKS[1])[2] if begun else ""
    ours = f"{_MARKS[0]}\n\n{text}\n\n{_MARKS[1]}"
    parts = before.rstrip("\n"), ours, after.strip("\n")
    save_note(study, "\n\n".join(part for part in parts if part))


def _replace(study: optuna.Study, store: Any, path: str) -> None:
    """Upload the report, and remove what was uploaded before."""
    attributes = study._storage.get_study_system_attrs(study._study_id)
    uploaded = optuna.artifacts.upload_artifact(
        artifact_store=store, file_path=path, study_or_trial=study
    )
    for key, value in attributes.items():
        held = json.loads(value) if key.startswith(_ARTIFACT) else None
        if held and held["filename"] == REPORT and held["artifact_id"] != uploaded:
            store.remove(held["artifact_id"])
            study._storage.set_study_system_attr(study._study_id, key, json.dumps(None))
