"""What a report says about one run: every analysis, computed once, when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from markupsafe import Markup

from hpo_explain import methods
from hpo_explain.base.checks import check_jobs
from hpo_explain.base.errors import NothingToExplain, unless_nothing
from hpo_explain.base.facts import Fact
from hpo_explain.base.options import WhichTrial
from hpo_explain.base.text import declared_fact
from hpo_explain.methods._engines.effect_result import Effect
from hpo_explain.methods._engines.explainable import (
    explainable,
    why_unexplained,
)
from hpo_explain.methods.advice.advise_result import Advice
from hpo_explain.methods.advice.optimum_result import Optimum
from hpo_explain.methods.advice.summary import BEST, summarized
from hpo_explain.methods.advice.summary_result import Summary
from hpo_explain.methods.effects.regional_partial_dependence_result import (
    RegionalPartialDependence,
)
from hpo_explain.methods.importance.fanova_result import FanovaImportance
from hpo_explain.methods.importance.h_statistic_result import (
    InteractionStrength,
)
from hpo_explain.methods.importance.importance import importance
from hpo_explain.methods.proposals.contributions_result import (
    ProposalExplanation,
)
from hpo_explain.methods.proposals.densities_result import ProposalDensities
from hpo_explain.methods.proposals.desirability_path_result import (
    LATEST,
    DesirabilityPath,
)
from hpo_explain.methods.runs.history_result import History
from hpo_explain.methods.runs.learning_curves_result import LearningCurves
from hpo_explain.methods.runs.sampling_bias import SamplingBias, sampling_bias
from hpo_explain.methods.runs.trust_result import RunTrust
from hpo_explain.methods.space.recommended_space_result import Recommendation
from hpo_explain.methods.space.subspace_result import Subspace
from hpo_explain.reporting._ahead import Ahead, Pool
from hpo_explain.run import Run

_MOST_FOR_PAIRS = (
    100  # hyperparameters: the number of pairs grows with their square
)
_EFFECTS = 6
_WORTH_AN_EFFECT = 0.02  # of the variance, alone
_PAIRS, _PAIR_ROWS, _PAIR_GRID = 2, 100, 10
_EFFECT_ROWS, _EFFECT_GRID = 300, 15
_REGIONS_DEPTH = 2
_ALONG = 2  # effects that are also asked for along the trials
_DIFFERS = "partial_dependence_differs"
_H_ROWS = 50
_PRECISION = 0.05  # of contributions, relative to the largest
_OF_PATHS: dict[str, Any] = {"precision": _PRECISION}
_WORTH_WORKERS = (
    30  # proposals: fewer are explained before a worker has started
)
_MOST_PROPOSALS, _OF_MANY = 100, 30  # each with a model of its own
_MOST_CONTRIBUTIONS = (
    5000  # of all proposals together; at least ten are explained
)

_PREDICTS_ONE = declared_fact(
    "constant_prediction",
    "the predicted {names} is constant: no hyperparameter matters",
)
_SINGLE = declared_fact(
    "single_hyperparameter",
    "there is a single hyperparameter, so nothing can interact",
)
_TOO_SHORT = declared_fact(
    "path_too_short",
    "only trial {trial} can be explained so far; a path needs two proposals",
    trial=lambda fact: str(fact.trials[0]),
)
_THINNED = declared_fact(
    "path_thinned",
    "{shown} of {explainable} proposals are shown: the best, the last {last}, and others spread "
    "evenly; hpo_explain.methods.desirability_path explains all",
)
_T = TypeVar("_T")


class Context:
    """The analyses of a run that the sections of a report share.

    An analysis that there is nothing for raises `NothingToExplain`, whoever asks.

    Parameters
    ----------
    run : Run
        The run.
    n_jobs : int or None, default 1
        Number of processes, this one included, where the run has many proposals; None has
        joblib's workers explain the proposals, as `joblib.parallel_config` says.
    """

    def __init__(self, run: Run, *, n_jobs: int | None = 1) -> None:
        self.run = run
        self._found: dict[str, Any] = {}
        self._failed: dict[str, Exception] = {}
        self._n_jobs = check_jobs(n_jobs)
        self._ahead: Ahead | None = None
        self._drawn: dict[str, str] = {}

    def once(self, name: str, compute: Callable[[], _T]) -> _T:
        """Return what an analysis found; it is computed, or fails, once."""
        if name in self._failed:
            raise self._failed[name]
        if name not in self._found:
            try:
                self._found[name] = compute()
            except Exception as error:
                self._failed[name] = error
                raise
        found: _T = self._found[name]
        return found

    def figure_once(
        self, what: str, section: str, draw: Callable[[], Markup]
    ) -> Markup:
        """Return a figure, or where another section of the report has drawn it, where it is."""
        where = self._drawn.get(what, section)
        if where != section:
            return Markup(
                '<p class="about">The figure is drawn under “{}”.</p>'
            ).format(where)
        drawn = draw()
        self._drawn[what] = section
        return drawn

    def result_of(self, method: str) -> Any:
        """Return what a method of the catalog finds, as the report asks it."""
        if hasattr(type(self), method):
            return getattr(self, method)
        return self.once(
            method, lambda: self._around(getattr(methods, method))
        )

    # ------------------------------------------------------------------ the trials

    @property
    def history(self) -> History:
        """What every trial reached, and the best so far."""
        return self.once("history", lambda: methods.history(self.run))

    @property
    def learning_curves(self) -> LearningCurves:
        """What trials reported on the way, compared with what came of them."""
        return self.once(
            "learning_curves",
            lambda: methods.learning_curves(self.run),
        )

    # ------------------------------------------------------------------ the model

    @property
    def trust(self) -> RunTrust:
        """How well the objective is known."""
        return self.once("trust", lambda: methods.trust(self.run))

    @property
    def sampling_bias(self) -> SamplingBias:
        """Where the trials crowd."""
        return self.once("sampling_bias", lambda: sampling_bias(self.run))

    # ------------------------------------------------------------------ the whole space

    @property
    def importance(self) -> FanovaImportance:
        """The functional ANOVA, with pairs where there are not too many."""
        return self.once("importance", self._importance)

    def _importance(self) -> FanovaImportance:
        self.run.check_differences()
        pairs = 2 <= len(self.run.space) <= _MOST_FOR_PAIRS
        found = importance(self.run, order=2 if pairs else 1)
        if found.total_variance == 0.0:
            raise NothingToExplain(
                _PREDICTS_ONE(names=[self.run.objective_name])
            )
        return found

    @property
    def ranking(self) -> list[str]:
        """The hyperparameters by the variance that they explain alone, the largest first."""
        found = self.importance
        alone = found.estimate[: len(found.names)]
        return [found.names[j] for j in np.argsort(-alone, kind="stable")]

    @property
    def effects(self) -> list[Effect]:
        """The partial dependence on each of the most important hyperparameters."""
        return self.once("effects", self._effects)

    def _effects(self) -> list[Effect]:
        names = [(name,) for name in self._worth_an_effect()]
        rows, grid = _EFFECT_ROWS, _EFFECT_GRID
        return [
            *methods.partial_dependence(
                self.run, names, sample=rows, grid_size=grid
            )
        ]

    def effect(self, name: str) -> Effect:
        """Return the partial dependence on a hyperparameter, be it important or not."""
        known = [effect for effect in self.effects if effect.names == (name,)]
        if known:
            return known[0]
        options = {
            "sample": _EFFECT_ROWS,
            "grid_size": _EFFECT_GRID,
            "attainable": False,
        }
        found: Effect = self.once(
            f"effect {name}",
            lambda: methods.partial_dependence(self.run, name, **options),
        )
        return found

    def _worth_an_effect(self) -> list[str]:
        """Return the hyperparameters that matter most, at least one."""
        worth = [
            n
            for n in self.ranking
            if self.importance.share(n) >= _WORTH_AN_EFFECT
        ]
        return worth[:_EFFECTS] or self.ranking[:1]

    @property
    def pair_effects(self) -> list[Effect]:
        """The effects of the pairs that act together for certain, the strongest first."""
        return self.once("pair_effects", self._pair_effects)

    def _pair_effects(self) -> list[Effect]:
        pairs = [
            claim.hyperparameters
            for claim in self.importance.interactions
            if claim.certain and len(claim.hyperparameters) == 2
        ]
        return [
            methods.partial_dependence(
                self.run, pair, sample=_PAIR_ROWS, grid_size=_PAIR_GRID
            )
            for pair in pairs[:_PAIRS]
        ]

    def along_trials(self, name: str) -> Effect | None:
        """Return what changes along the trials, where a drawn effect says something else for sure.

        Where the trials are spread evenly, or the hyperparameter acts with no other one, both are
        the same but for a constant, and there is nothing to return.
        """
        found = self.once(f"along {name}", lambda: self._along_trials(name))
        told = found is not None and any(
            n.kind == _DIFFERS for n in found.notes
        )
        return found if told else None

    def _along_trials(self, name: str) -> Effect | None:
        together = {
            member
            for claim in self.importance.interactions
            for member in claim.hyperparameters
        }
        first = [
            effect.names[0]
            for effect in self.effects
            if effect.names[0] in together
        ]
        if name not in first[:_ALONG] or not self.sampling_bias.concentrated:
            return None
        return unless_nothing(
            lambda: methods.partial_dependence(
                self.run, name, kind="accumulated", grid_size=_EFFECT_GRID
            )
        )

    @property
    def regions(self) -> RegionalPartialDependence:
        """The partial dependence on the most important hyperparameter, by region."""
        return self.once("regions", self._regions)

    def _regions(self) -> RegionalPartialDependence:
        found: RegionalPartialDependence = methods.partial_dependence(
            self.run,
            self.ranking[0],
            regions=True,
            sample=_EFFECT_ROWS,
            grid_size=_EFFECT_GRID,
            max_depth=_REGIONS_DEPTH,
        )
        return found

    @property
    def h_statistic(self) -> InteractionStrength:
        """The interactions of the most important hyperparameter with every other one."""
        return self.once("h_statistic", self._h_statistic)

    def _h_statistic(self) -> InteractionStrength:
        if len(self.run.space) < 2:
            raise NothingToExplain(_SINGLE())
        return methods.h_statistic(self.run, self.ranking[0], sample=_H_ROWS)

    # ------------------------------------------------------------------ around the incumbent

    def _around(self, explain: Callable[[Run], _T]) -> _T:
        self.run.check_differences()
        return explain(self.run)

    # ------------------------------------------------------------------ proposals

    def proposal(self, trial: int | WhichTrial) -> ProposalExplanation:
        """Return why a trial was proposed, and what its values do to the objective."""

        def here() -> ProposalExplanation:
            return self._explained(trial)

        ahead = self._ahead
        explained = (
            here if ahead is None else lambda: ahead.proposal(trial, here)
        )
        return self.once(f"proposal {trial}", explained)

    def against_candidates(self, trial: int) -> ProposalExplanation:
        """Return why a trial was proposed, compared with the sampler's own candidates."""
        return self.once(
            f"candidates {trial}",
            lambda: self._explained(trial, background="candidates"),
        )

    def _explained(
        self, trial: int | WhichTrial, **options: Any
    ) -> ProposalExplanation:
        # among many, as precise as those of the path
        return methods.explain_proposal(
            self.run, trial, precision=_PRECISION, **options
        )

    def densities(self, trial: int) -> ProposalDensities:
        """Return the sampler's densities when a trial was proposed."""
        return self.once(
            f"densities {trial}",
            lambda: methods.proposal_densities(self.run, trial),
        )

    def begin(self, pool: Pool) -> None:
        """Have workers begin what takes longest while other analyses are made here."""
        found = unless_nothing(lambda: explainable(self.run, pending=True))
        if found is not None and len(found[0]) >= _WORTH_WORKERS:
            shown = [best_proposal(self.run), latest_proposal(self.run)]
            explain = {
                trial: {"trial": trial, "precision": _PRECISION}
                for trial in shown
            }
            self._ahead = Ahead(
                self.run,
                _thinned(self.run, found[0]),
                _OF_PATHS,
                explain,
                pool,
            )

    @property
    def path(self) -> DesirabilityPath:
        """The explanations of proposals spread evenly over the run, the last ones included."""
        return self.once(
            "path", self._path if self._ahead is None else self._ahead.path
        )

    def _path(self) -> DesirabilityPath:
        proposals, _ = explainable(self.run, pending=True)
        if len(proposals) < 2:
            raise NothingToExplain(_TOO_SHORT(trials=proposals))
        n_jobs = self._n_jobs if len(proposals) >= _WORTH_WORKERS else 1
        thinned = _thinned(self.run, proposals)
        return methods.desirability_path(
            self.run, thinned, n_jobs=n_jobs, **_OF_PATHS
        )

    @property
    def path_notes(self) -> list[Fact]:
        """Which proposals the path leaves out."""
        proposals, notes = explainable(self.run, pending=True)
        shown = len(_thinned(self.run, proposals))
        if shown == len(proposals):
            return list(notes)
        thinned = _THINNED(
            shown=shown, explainable=len(proposals), last=LATEST
        )
        return [*notes, thinned]

    # ------------------------------------------------------------------ what next

    @property
    def recommended_space(self) -> Recommendation:
        """A narrower space."""
        return self.once(
            "recommended_space",
            lambda: self._around(methods.recommended_space),
        )

    @property
    def subspace(self) -> Subspace:
        """What can stay fixed."""
        return self.once("subspace", lambda: self._around(methods.subspace))

    @property
    def advice(self) -> Advice:
        """What to do next, from the other analyses."""
        return self.once("advice", lambda: methods.advise(self.run))

    @property
    def optimum(self) -> Optimum:
        """Where the best is."""
        return self.once("optimum", lambda: self._around(methods.optimum))

    @property
    def among_best(self) -> FanovaImportance:
        """What decides whether a configuration is among the best."""
        return self.once(
            "among_best",
            lambda: self._around(lambda r: importance(r, top=BEST)),
        )

    @property
    def summary(self) -> Summary:
        """The five lines."""
        return self.once("summary", lambda: summarized(self))


def best_proposal(run: Run) -> int | None:
    """Return the best proposal that can be explained (feasible ones first), None without any."""
    left = {*(run.proposals or ())}
    while left:
        best = run.best(sorted(left))
        if why_unexplained(run, best) is None:
            return best
        left.remove(best)
    return (
        run.best(run.proposals) if run.proposals else None
    )  # whose explanation says why not


def latest_proposal(run: Run) -> int | None:
    """Return the latest proposal: one that runs before any other; None without any."""
    running = [t for t in run.pending if run.without_result[t].explainable]
    return max(running or run.proposals or (), default=None)


def _thinned(run: Run, proposals: list[int]) -> list[int]:
    """Return all proposals, or of many the last few, the best, and some spread evenly."""
    most = min(
        _MOST_PROPOSALS, max(_MOST_CONTRIBUTIONS // len(run.space), 2 * LATEST)
    )
    if len(proposals) <= most:
        return proposals
    earlier, latest = proposals[:-LATEST], proposals[-LATEST:]
    some = min(_OF_MANY, most) - LATEST - 1
    places = np.linspace(0, len(earlier) - 1, some).round().astype(int)
    finished = {*np.asarray(run.trials).tolist()} & {*proposals}
    best = [run.best(sorted(finished))] if finished else []
    return sorted({*best, *(earlier[i] for i in places.tolist()), *latest})
