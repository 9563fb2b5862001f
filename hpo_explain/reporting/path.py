"""The report's section on the path: how the reasons changed, and what drove the last proposals."""

from __future__ import annotations

from hpo_explain.base.errors import NothingToExplain
from hpo_explain.explanations.path import LATEST, DesirabilityPath
from hpo_explain.reporting._render import estimates, figure, render
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section
from hpo_explain.wording import report as words
from hpo_explain.wording.contents import line
from hpo_explain.wording.numbers import number

_CAPTION = "Contributions of each hyperparameter to the proposals' desirability, by trial."


def _content(context: Context) -> Content:
    path = context.path
    body = render(
        "path.html.j2",
        sentence=path.sentence,
        meanings=words.meanings(path.explanations[-1]),
        plot=figure(path.plot, alt=path.sentence, caption=_CAPTION),
        balance=words.balance(path, LATEST),
        turns=[(name, words.turn(turn)) for name, turn in path.turns.items()],
        last=[(e.trial, e.sentence) for e in path.explanations[-LATEST:][::-1]],
        contributions=_mean_contributions(path),
        notes=[*context.path_notes, *path.notes],
    )
    tables = {"path": estimates(path.to_frame()), "predictions": path.predictions()}
    return Content(path.sentence, body, tables, line(path))


def _mean_contributions(path: DesirabilityPath) -> list[tuple[str, str, str, int]]:
    """Return name, mean absolute contribution of the mean, its share and how often active."""
    try:
        table = path.mean_contributions()
    except NothingToExplain:  # the criterion has no such term
        return []
    return [
        (
            str(name),
            number(row["mean absolute contribution"], 3),
            f"{row['share']:.0%}",
            int(row["proposals"]),
        )
        for name, row in table.iterrows()
    ]


PATH = Section(
    "path",
    "How did the reasons change?",
    "Each panel follows one hyperparameter from proposal to proposal: above zero its proposed "
    "value made the configuration more desirable than an average one, below zero less. The black "
    "line is the whole contribution, the colored ones are its parts. Where a part is uncertainty "
    "and leads, the optimizer explores that hyperparameter; where the predicted objective leads, "
    "it exploits what it knows.",
    _content,
    concerns=lambda run: run.proposes,
)
