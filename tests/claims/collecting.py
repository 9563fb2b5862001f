"""All results of a run whose claims are scored."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

import hpo_explain as hx
from hpo_explain.base.result import Result


@dataclass
class Collected:
    """What the explainers made of a run.

    Attributes
    ----------
    results : list of (str, Result)
        Each with the name of its method.
    trust : Trust or None
        The verdict on the run.
    refused : list of str
        Methods that had nothing to explain.
    errors : list of (str, str)
        Methods that failed, and the traceback: bugs.
    late : list of str
        Methods that were left out because the time was over.
    """

    results: list[tuple[str, Result]] = field(default_factory=list)
    trust: Any = None
    refused: list[str] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)
    late: list[str] = field(default_factory=list)


def collect(
    run: hx.Run,
    *,
    paths: bool = False,
    only: Collection[str] = (),
    without: Collection[str] = (),
    seconds: float = 60.0,
) -> Collected:
    """Explain a run by every method, or some only; with `paths` over all proposals, too."""
    found = Collected()
    until = time.monotonic() + seconds
    for method, explain in _methods(run, paths):
        if method in without or (only and method not in only):
            continue
        if time.monotonic() > until:
            found.late.append(method)
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = explain()
        except hx.NothingToExplain:
            found.refused.append(method)
        except Exception:
            found.errors.append((method, traceback.format_exc(limit=-4)))
        else:
            if method == "trust":
                found.trust = result
            else:
                found.results.append((method, result))
    return found


def _methods(run: hx.Run, paths: bool) -> Iterator[tuple[str, Callable[[], Any]]]:
    yield "trust", lambda: hx.trust(run)
    yield "importance", lambda: hx.importance(run, order=2)
    for name in run.space.names:
        yield "partial_dependence", lambda name=name: hx.partial_dependence(run, name)
    yield "recommended_space", lambda: hx.recommended_space(run)
    yield "subspace", lambda: hx.subspace(run)
    yield "advise", lambda: hx.advise(run)
    yield "ablation", lambda: hx.ablation(run)
    yield "local_importance", lambda: hx.local_importance(run)
    yield "lime", lambda: hx.lime(run)
    proposals = list(run.proposals)
    for i in sorted({len(proposals) // 4, len(proposals) // 2, len(proposals) - 1}):
        if proposals:
            trial = int(proposals[i])
            yield "explain_proposal", lambda trial=trial: hx.explain_proposal(run, trial)
            if "TPE" in run.optimizer:
                yield "proposal_densities", lambda t=trial: hx.proposal_densities(run, t)
    yield "h_statistic", lambda: hx.h_statistic(run)
    first = run.space.names[0]
    yield (
        "regional_partial_dependence",
        lambda: hx.regional_partial_dependence(run, first),
    )
    if paths:
        yield "desirability_path", lambda: hx.desirability_path(run, progress=False)
