"""What was found about a study, where people have it open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_explain.adapters._published import PAGES, shares_of, text_of, written
from hpo_explain.adapters.sources import as_runs
from hpo_explain.base.errors import InputError
from hpo_explain.base.progress import shows_progress

if TYPE_CHECKING:
    from hpo_explain.reporting import Section

_TEXT = "hpo_explain.md"


@shows_progress
def publish(
    study: Any,
    *,
    to: Any = None,
    artifact_store: Any = None,
    sections: Sequence[str | Section] | None = None,
    **reading: Any,
) -> tuple[str, ...]:
    """Publish figures, a summary, a report and the profiler where the study is open.

    Into Optuna's dashboard, for any storage that it reads: interactive figures, and the summary as
    the study's note, which first says why its importance differs from the dashboard's. What a
    person has written in the note is kept. With an `artifact_store`, the report and the profiler
    are artifacts of the study. Or to a run of MLflow or W&B: both as artifacts, the summary as
    text, importance as metrics. What an earlier call has published is replaced.

    Parameters
    ----------
    study : optuna.Study, or anything that is read
        The optimization run; for the dashboard a study.
    to : mlflow.entities.Run or wandb.Run, optional
        The run of MLflow or W&B to publish to, in place of the dashboard.
    artifact_store : optuna.artifacts store, optional
        Where the dashboard keeps artifacts.
    sections : sequence of str or Section, optional
        The parts of the report, as of :func:`report`.
    **reading
        Options of the adapter, such as ``target=`` for one of several objectives.

    Returns
    -------
    tuple of str
        What was published, by name.

    Raises
    ------
    InputError
        If the study cannot be read, or `to` is no run of MLflow or W&B.
    ImportError
        If optuna-dashboard or plotly is not installed.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> hx.publish("study.csv", to="mlflow")
    Traceback (most recent call last):
        ...
    hpo_explain.base.errors.InputError: to must be a run of MLflow or W&B, but was 'mlflow'. ...
    """
    if to is None:
        from hpo_explain.adapters.dashboard import to_dashboard

        return to_dashboard(study, artifact_store, sections, **reading)
    module = type(to).__module__.partition(".")[0]
    if module not in ("mlflow", "wandb"):
        problem = f"must be a run of MLflow or W&B, but was {to!r}"
        raise InputError("to", problem, to, "Give that of mlflow.start_run() or wandb.init().")
    runs = as_runs(study, **reading)
    text, metrics = text_of(runs), shares_of(runs)
    with written(runs, sections) as pages:
        (_to_mlflow if module == "mlflow" else _to_wandb)(to, pages, text, metrics)
    return (*PAGES, _TEXT, *metrics)


def _to_mlflow(run: Any, pages: Iterable[Path], text: str, metrics: Mapping[str, float]) -> None:
    from mlflow import MlflowClient

    client, key = MlflowClient(), run.info.run_id
    for page in pages:
        client.log_artifact(key, str(page))
    client.log_text(key, text, _TEXT)
    for name, value in metrics.items():
        client.log_metric(key, name, value)


def _to_wandb(run: Any, pages: Iterable[Path], text: str, metrics: Mapping[str, float]) -> None:
    from wandb import Artifact

    artifact = Artifact(f"hpo_explain-{run.id}", type="report")
    for page in pages:
        artifact.add_file(str(page))
    run.log_artifact(artifact)
    run.summary.update({**metrics, "hpo_explain": text})
