"""What is published about runs: figures, the summary as text, importance as metrics, a report."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hpo_explain.base.errors import unless_nothing
from hpo_explain.base.phrases import printable
from hpo_explain.methods.advice.summary import summary
from hpo_explain.methods.effects.effects import partial_dependence
from hpo_explain.methods.importance.importance import importance
from hpo_explain.methods.runs.history import history
from hpo_explain.methods.space.recommended_space import recommended_space

if TYPE_CHECKING:
    from hpo_explain.reporting import Section
    from hpo_explain.run import Run

REPORT = "hpo_explain.html"


def text_of(runs: Mapping[str, Run]) -> str:
    """Return the five lines of each run as Markdown, in which names are text."""
    parts = []
    for name, run in runs.items():
        heading = [f"**{_escaped(name)}**", ""] if len(runs) > 1 else []
        lines = [*summary(run).lines, f"Trials that count: {len(run.X)}."]
        parts += [
            *heading,
            *(f"- {_escaped(printable(line))}" for line in lines),
            "",
        ]
    return "\n".join(parts).strip()


def figures_of(run: Run) -> Iterator[tuple[str, Any]]:
    """Yield figures about a run as those of plotly, by name."""
    for function in (
        history,
        importance,
        partial_dependence,
        recommended_space,
    ):
        found = unless_nothing(partial(function, run))
        if found is not None:
            yield function.__name__.replace("_", "-"), found.to_plotly()


@contextmanager
def written(
    runs: Mapping[str, Run], sections: Sequence[str | Section] | None
) -> Iterator[Path]:
    """Return a context in which there is a report about runs."""
    from hpo_explain.reporting import report

    with TemporaryDirectory() as folder:
        yield report(
            dict(runs),
            Path(folder) / REPORT,
            sections=sections,
            n_jobs=1,
            progress=False,
        )


def shares_of(runs: Mapping[str, Run]) -> dict[str, float]:
    """Return the importance of every hyperparameter as metrics, by names that MLflow takes."""
    metrics: dict[str, float] = {}
    for objective, run in runs.items():
        found = unless_nothing(partial(importance, run))
        if found is None:
            continue
        for name, share in found.importance["importance"].items():
            of = f"{objective}/{name}" if len(runs) > 1 else str(name)
            key = (
                "importance/" + re.sub(r"[^\w.\- :]|(?<=/)\.+", "_", of)[:200]
            )
            while key in metrics:
                key += "_"
            metrics[key] = float(share)
    return metrics


def _escaped(text: str) -> str:
    """Return a text in which Markdown finds neither marks nor tags."""
    return re.sub(r"([\\`*_{}\[\]<>#|~$])", r"\\\1", text)
