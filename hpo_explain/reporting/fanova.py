"""The report's section on importance: which hyperparameters the objective depends on."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from hpo_explain.base.claim import NOTHING
from hpo_explain.base.errors import unless_nothing
from hpo_explain.base.phrases import counted, listed
from hpo_explain.explanations.fanova import FanovaImportance
from hpo_explain.reporting._render import estimates, figure, render
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section
from hpo_explain.wording.contents import line
from hpo_explain.wording.trust import caution

_MARGINALS = 3
_WORTH_A_MARGINAL = 0.01  # of the variance: below, a curve shows nothing
_MOST_ROWS = 30
_MOST_CONDITIONAL = 12


def _content(context: Context) -> Content:
    result = context.importance
    body = render(
        "fanova.html.j2",
        caution=caution(result),
        sentence=result.sentence,
        plot=_bars(result),
        conditional=_conditional(result),
        marginals=_marginals(context),
        objective=result.subject.objective_name,
        has_totals=result.totals is not None,
        rows=_rows(result),
        what=result.rows,
        left_out=counted(len(result.members) - _shown(result), "smaller one"),
        cut=len(result.members) > _shown(result),
        notes=result.notes,
    )
    return Content(
        result.sentence, body, {"importance": estimates(result.to_frame())}, line(result)
    )


def _bars(result: FanovaImportance) -> Markup:
    caption = (
        f"Share of the variance of the predicted {result.subject.objective_name} that each "
        "hyperparameter and each interaction explains."
    )
    return figure(result.plot, alt=result.sentence, caption=caption)


def _conditional(result: FanovaImportance) -> str:
    """Name the hyperparameters that are not always active, the least active first."""
    partly = [(axis.activity, name) for name, axis in zip(result.names, result.axes, strict=True)]
    partly = sorted(entry for entry in partly if entry[0] < 1.0)
    return listed([f"{name} in {share:.0%} of it" for share, name in partly], _MOST_CONDITIONAL)


def _marginals(context: Context) -> list[Markup]:
    """Return the marginals where they are not the effects: those of a model that disagrees."""
    result = context.importance
    effects = unless_nothing(lambda: context.effects)
    differ = any(claim.kind == "models_differ" for claim in result.claims)
    if effects and effects[0].subject.model == result.subject.model and not differ:
        return []
    shares = result.estimate[: len(result.names)]
    largest = np.argsort(-shares, kind="stable")[:_MARGINALS]
    return [_marginal(result, j) for j in largest if shares[j] >= _WORTH_A_MARGINAL]


def _marginal(result: FanovaImportance, j: int) -> Markup:
    name = result.names[j]
    marginal = result.marginal(name)
    caption = (
        f"Predicted {result.subject.objective_name} by {name}, which explains "
        f"{result.share(name):.0%} of the variance alone."
    )
    return figure(marginal.plot, alt=caption, caption=caption)


def _shown(result: FanovaImportance) -> int:
    """Return how many rows the table has: those that would not read 0 %, at least one."""
    worth = int((result.estimate > NOTHING).sum())
    return min(max(worth, 1), _MOST_ROWS)


def _rows(result: FanovaImportance) -> list[dict[str, str]]:
    shares, spread = result.estimate, result.shares.std(axis=0)
    rows = []
    for i in np.argsort(-shares, kind="stable")[: _shown(result)]:
        bounds = result.bounds(i)
        members = result.members[i]
        alone = len(members) == 1
        total = ""
        if alone and result.totals is not None:
            total = _percent(float(result.estimated_totals(result.totals)[members[0]]))
        rows.append(
            {
                "names": " × ".join(result.names[j] for j in members),
                "kind": "alone" if alone else "interaction",
                "share": _percent(float(shares[i])),
                "interval": "" if bounds is None else f"{bounds[0]:.1%} to {bounds[1]:.1%}",
                "std": _percent(float(spread[i])),
                "total": total,
                "active": f"{result.axes[members[0]].activity:.0%}" if alone else "",
            }
        )
    return rows


def _percent(share: float) -> str:
    return f"{share:.1%}"


IMPORTANCE = Section(
    "importance",
    "What matters?",
    "A bar is the share of the variance of the predicted objective, over the whole search space, "
    "that a hyperparameter explains alone, without the noise of the trials. Its whisker is a 95% "
    "interval: over functions drawn from the posterior of a Gaussian process, or over forests "
    "refitted to redrawn trials and noise. A hatched bar is an interaction: what hyperparameters "
    "explain together, beyond what each of them explains alone.",
    _content,
    folded=True,
)
