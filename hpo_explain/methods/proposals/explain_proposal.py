"""Why the optimizer proposed a configuration: with what was known when it did.

Which trial is explained, by which acquisition function and compared with what; the numbers are
those of `shapley`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import check_seed
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact
from hpo_explain.base.options import Criterion, Estimator, WhichTrial
from hpo_explain.base.phrases import counted, spans
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.base.text import declared_fact
from hpo_explain.belief.drawn import Draws, as_draws
from hpo_explain.methods._engines.proposed import (
    HasNumber,
    Proposed,
    all_proposals,
    proposed,
)
from hpo_explain.methods.proposals.contributions_result import (
    ProposalExplanation,
)
from hpo_explain.methods.proposals.shapley import ShapleyExplainer
from hpo_explain.models.acquisition.protocols import Acquisition
from hpo_explain.models.own_model import as_surrogate
from hpo_explain.models.protocols import Surrogate
from hpo_explain.question.explained import (
    accepted_criterion,
    accepted_surrogate,
)
from hpo_explain.question.explains import Question, explains
from hpo_explain.question.given import learned_later
from hpo_explain.run import LARGEST, Run, winsorized
from hpo_explain.run.acquisitions import ChosenAcquisition
from hpo_explain.run.fits import doubts_of_model
from hpo_explain.space import Config

_LEAST_KNOWN = 2  # finished trials that a surrogate needs

_LEFT_OUT = {
    "too_little_known": "fewer than two trials were finished before",
    "constant_until_then": "the objective was constant until then",
    "too_large_to_learn": "the objective was too large to be learned until then",
    "changed_by_person": "a person changed what was proposed",
}


def _running_then(fact: Fact) -> str:
    count, at = counted(len(fact.trials), "trial"), fact["at"]
    when = "now" if at is None else f"when trial {at} was proposed"
    return f"{count} running {when}: {spans(fact.trials)}; no result known"


def _until_then(fact: Fact) -> str:
    """Return " before trial 3" where one is explained, and what to do."""
    return f" before trial {fact.trials[0]}" if fact.trials else ""


def _remedy(fact: Fact) -> str:
    return "Choose a later trial" if fact.trials else "Run more trials"


_INCUMBENT = declared_fact(
    "background_incumbent",
    "it is compared with trial {trials}, the best one by then",
)
_RUNNING = declared_fact("results_not_known", "{text}", text=_running_then)
_BEST_ELSEWHERE = declared_fact(
    "best_not_proposed",
    "trial {best} is the best of the proposals; the run's best trial, "
    "{of_all}, was not proposed by a model",
    best=lambda fact: str(fact.trials[0]),
    of_all=lambda fact: str(fact.trials[1]),
)
_REPEATS = declared_fact(
    "proposal_repeats",
    "it repeats {earlier}, known by then",
    earlier=lambda fact: (
        f"trial{'s' * (len(fact.trials) > 1)} {spans(fact.trials)}"
    ),
)
_TOO_LITTLE = declared_fact(
    "too_little_known",
    "{known} finished{then}, and a surrogate needs at least 2. {remedy}.",
    known=lambda fact: (
        "only one trial was" if fact["finished"] else "no trial was"
    ),
    then=_until_then,
    remedy=_remedy,
)
_CONSTANT = declared_fact(
    "constant_until_then",
    "the {objective} is constant ({value:.6g} in all {finished} trials "
    "finished{then}): no hyperparameter made a difference, so there is nothing to explain. "
    "{remedy}, or check the objective.",
    then=_until_then,
    remedy=_remedy,
)
_TOO_LARGE = declared_fact(
    "too_large_to_learn",
    "all {finished} known values of the {objective} are beyond ±1e150 and "
    "count as that, since their squares would overflow, so no hyperparameter makes a difference. "
    "Divide the objective by a constant, and read the run again.",
)
_NOT_EXPLAINED = declared_fact(
    "proposals_left_out",
    "left out: {which}: {reason}",
    which=lambda fact: spans(fact.trials),
    reason=lambda fact: _LEFT_OUT[fact["why"]],
)
_NONE_EXPLAINED = declared_fact(
    "no_explainable_proposal",
    "none of the run's proposals can be explained: {reasons}. Run more trials.",
    reasons=lambda fact: "; ".join(
        f"{spans(left.trials)}: {_LEFT_OUT[left['why']]}"
        for left in fact["left_out"]
    ),
)


@explains(without=("acquisition", "before", "kind", "surrogate"))
def explain_proposal(
    question: Question,
    trial: int | WhichTrial | Config | HasNumber = "latest",
    *,
    acquisition: Criterion | Acquisition = "auto",
    background: str | int | Config | npt.ArrayLike = "auto",
    surrogate: Any = None,
    estimator: Estimator = "auto",
    orders: int = 1000,
    precision: float = 0.01,
) -> ProposalExplanation:
    """Explain why the optimizer tried a configuration, or whether it would try one next.

    Parameters
    ----------
    trial : int, "latest", "best", "best-predicted", "pending", dict or trial of Optuna
        The proposal. "latest" is the latest finished one, "best" the best feasible one,
        "best-predicted" the one that the surrogate of all trials predicts to be best. "pending" is
        the latest one that runs: it has been asked for, and has no result yet. A trial that
        runs, failed or was pruned may be named by its number too, and one that waits, which is
        explained as the next one. So is a configuration (dict): why would the optimizer choose
        it, or not? With an `acquisition` other than "auto" any trial may be named, such as an
        enqueued one.
    acquisition : {"auto", "lcb", "ei", "pi", "logei", "mean", "se"} or Acquisition, default "auto"
        "auto" is the optimizer's own acquisition where it is known, else the confidence bound
        with κ = 1.96, as the notes say. The others use the surrogate of the trials finished when
        the proposal was made; "mean" and "se" are its mean and its standard deviation alone.
    background : str, int, dict or ndarray of shape (n, d), default "auto"
        What the proposal is compared with, as in :class:`ShapleyExplainer`: "global" (the same as
        "auto"), "local", "hybrid", "candidates" (what TPE itself compared it with), "thesis", a
        number of rows, one configuration such as a default, encoded rows; or "incumbent", the
        best configuration known by then.
    surrogate : Surrogate or object, optional
        Another model's view: the same criterion with this model, such as ``run.surrogate()`` or
        one of your own, as in :meth:`Run.explained_by`.
    estimator : {"auto", "exact", "kernel", "sampling"}, default "auto"
        As in :class:`ShapleyExplainer`.
    orders : int, default 1000
        Number of orders that the sampling estimator draws, each with a background row.
    precision : float, default 0.01
        How wide half a 95 % interval may be, relative to the largest contribution, where the
        background grows, as in :class:`ShapleyExplainer`; between 0 and 1.

    Returns
    -------
    ProposalExplanation
        Contributions of the hyperparameters, larger is more desirable.

    Raises
    ------
    NothingToExplain
        If no model chose the trial, or until then the objective was constant or fewer than two
        trials were finished.
    ValueError
        If the trial does not exist, or an option is not allowed.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Section 5.2; reference sets and other models: Section 8.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> explanation = hx.explain_proposal(table, 4, objective="loss", background=50)
    >>> round(abs(explanation.efficiency_gap["total"]), 9)
    0.0

    A trial that is asked for, before it is paid for:

    >>> import optuna
    >>> study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=12)
    >>> trial = study.ask({"x": optuna.distributions.FloatDistribution(0.0, 1.0)})
    >>> hx.explain_proposal(study, trial).trial, hx.explain_proposal(study, {"x": 0.9}).trial
    (12, None)
    """
    explainer = explainer_of(
        question,
        acquisition,
        background,
        surrogate,
        estimator,
        orders,
        precision,
    )
    return explainer.explain(question.run, trial, believed=True)


def explainer_of(
    question: Question,
    acquisition: Any,
    background: Any,
    surrogate: Any,
    *how: Any,
) -> ProposalExplainer:
    """Return what explains proposals as it was asked for."""
    model = (
        None
        if surrogate is None
        else as_surrogate(surrogate, question.run.space)
    )
    estimator, orders, precision = how
    return ProposalExplainer(
        acquisition,
        background,
        model,
        estimator,
        orders,
        precision,
        question.seed,
    )


@dataclass(frozen=True, eq=False)
class ProposalExplainer:
    """Explains proposals of a run, each with what was known when it was made.

    Parameters
    ----------
    acquisition : {"auto", "lcb", "ei", "pi", "logei", "mean", "se"} or Acquisition, default "auto"
        "auto" is the optimizer's own where it is known, else the confidence bound with κ = 1.96.
    background : optional
        As in :class:`ShapleyExplainer`, or "incumbent": the best configuration known by then.
    surrogate : Surrogate, optional
        Evaluate the criterion with this model in place of the one that made the proposal.
    estimator, orders, precision, seed : optional
        As in :class:`ShapleyExplainer`.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.4]], [1.0, 9.0, 4.0], "minimize")
    >>> ProposalExplainer(background=50).explain(run, 2).trial
    2
    """

    acquisition: Criterion | Acquisition = "auto"
    background: str | int | Config | npt.ArrayLike = "auto"
    surrogate: Surrogate | None = None
    estimator: Estimator = "auto"
    orders: int = 1000
    precision: float = 0.05
    seed: int = 0

    def __post_init__(self) -> None:
        accepted_criterion(self.acquisition)
        check_seed(self.seed)
        if self.surrogate is not None:
            accepted_surrogate(self.surrogate)

    @shows_progress
    def explain(
        self,
        run: Run,
        trial: int | WhichTrial | Config | HasNumber = "latest",
        *,
        believed: bool = False,
    ) -> ProposalExplanation:
        """Return the explanation of one proposal, or of any configuration as the next one.

        Parameters
        ----------
        run : Run
            The optimization run.
        trial : int, "latest", "best", "best-predicted", "pending", dict or trial of Optuna
            As in `proposed`; with an `acquisition` other than "auto" any trial.
        believed : bool, default False
            Whether to tell what the values do to the objective, too, by what the trials known
            then allow it to be. That takes a second or two.

        Raises
        ------
        NothingToExplain
            If no model chose the trial, or nothing was learned before it.
        ValueError
            If the trial does not exist, no feasible trial was known for "incumbent", or an option
            is not allowed.
        """
        asked = (
            isinstance(self.acquisition, str) and self.acquisition == "auto"
        )
        what = proposed(run, trial, seed=self.seed, any_trial=not asked)
        why_not = why_unexplained(run, what.before, self.acquisition)
        if why_not is not None:
            raise NothingToExplain(why_not)
        chosen = self._chosen(run, what.before)
        background, about = self._background(run, what)
        notes = [*about, *chosen.notes, *_running(run, what), *what.notes]
        if self.surrogate is not None:
            notes += doubts_of_model(self.surrogate, run.X, run.objective)
        if what.number is not None and (
            self.surrogate is not None or not isinstance(self.acquisition, str)
        ):
            model = getattr(chosen.acquisition, "surrogate", None)
            notes += learned_later(run, what.number, model)
        if (
            what.number is not None
            and isinstance(trial, str)
            and trial == "best"
        ):
            notes += _best_elsewhere(run, what.number)
        finished = run.known_before(what.before)
        notes += _repeats(run, what, finished)
        known = _compact(finished)
        subject = Subject.of(
            run,
            trial=what.number,
            state=what.state,
            assumed=chosen.assumed,
            notes=notes,
        )
        return ShapleyExplainer(
            chosen.acquisition,
            background=background,
            estimator=self.estimator,
            orders=self.orders,
            precision=self.precision,
            subject=replace(
                subject, tried=run.X[known], costs=run.cost[known]
            ),
            belief=self._belief(run, what.before) if believed else None,
            seed=self.seed,
        ).explain(
            run.space.decode(what.x[None, :])[0], not_chosen=what.not_chosen
        )

    def _belief(self, run: Run, before: int | None) -> Draws | None:
        """Return what the objective may be, by the model given or by the trials known then."""
        if self.surrogate is not None:
            return as_draws(self.surrogate, run.direction, seed=self.seed)
        few = len(run.known_before(before)) < _LEAST_KNOWN
        return None if few else run.belief(before, seed=self.seed)

    def _chosen(self, run: Run, before: int | None) -> ChosenAcquisition:
        chosen = run.chosen_acquisition(
            before, self.acquisition, seed=self.seed
        )
        if self.surrogate is None:
            return chosen
        return chosen.through(self.surrogate, run.direction)

    def _background(self, run: Run, what: Proposed) -> tuple[Any, list[Fact]]:
        """Return the background for one trial, and notes about it."""
        if (
            not isinstance(self.background, str)
            or self.background != "incumbent"
        ):
            return self.background, []
        known = run.known_before(what.before)
        known = known[np.asarray(run.feasible)[known]]
        if not len(known):
            raise InputError(
                "background",
                f"is 'incumbent', but no feasible trial was finished {_by_then(what)}",
                self.background,
                "Choose a later trial, or another background.",
            )
        incumbent = run.best(np.asarray(run.trials)[known].tolist())
        return run.config(incumbent), [_INCUMBENT(trials=[incumbent])]


def _compact(rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64] | slice:
    """Return the first rows as a slice: what it cuts off is no copy, and there are many of them."""
    return (
        slice(len(rows)) if len(rows) and rows[-1] == len(rows) - 1 else rows
    )


def _by_then(what: Proposed) -> str:
    return "by now" if what.before is None else f"before trial {what.before}"


def _running(run: Run, what: Proposed) -> list[Fact]:
    """Return a note on the trials that were running when another one was proposed."""
    running = [t for t in run.running_at(what.before) if t != what.number]
    return [_RUNNING(trials=running, at=what.before)] if running else []


def _best_elsewhere(run: Run, number: int) -> list[Fact]:
    """Return a note where the best of the proposals is not the best of the run."""
    if not np.any(run.feasible) or number == run.incumbent_trial:
        return []
    return [_BEST_ELSEWHERE(trials=[number, run.incumbent_trial])]


def _repeats(
    run: Run, what: Proposed, finished: npt.NDArray[np.int64]
) -> list[Fact]:
    """Return a note where the configuration had been evaluated before."""
    same = np.isclose(
        run.X[finished], what.x, rtol=0.0, atol=0.0, equal_nan=True
    ).all(axis=1)
    return (
        [_REPEATS(trials=np.asarray(run.trials)[finished][same])]
        if same.any()
        else []
    )


# ---------------------------------------------------------------------- which trials


def why_unexplained(
    run: Run, number: int | None, acquisition: Criterion | Acquisition = "auto"
) -> Fact | None:
    """Return why a trial, None for the next, cannot be explained by an acquisition function.

    None if it can.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.4]], [1.0, 9.0, 4.0], "minimize")
    >>> why_unexplained(run, 1).kind, why_unexplained(run, 2)
    ('too_little_known', None)
    """
    known, at = run.known_before(number), [] if number is None else [number]
    if len(known) < _LEAST_KNOWN:
        given = not isinstance(acquisition, str)
        if given or (
            acquisition == "auto" and run.own_acquisition(number) is not None
        ):
            return None
        return _TOO_LITTLE(trials=at, finished=len(known))
    if _witnesses(run, known) is not None:
        return None
    cost = run.cost[known]
    unknown = _CONSTANT if np.ptp(cost / 2.0) == 0.0 else _TOO_LARGE
    return unknown(
        trials=at,
        objective=run.objective_name,
        value=float(run.objective[known[0]]),
        finished=len(known),
    )


def _witnesses(
    run: Run, known: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64] | None:
    """Return two rows whose costs differ as a surrogate learns them, or None.

    Costs that count as diverged still count as worse than the best.
    """
    cost = winsorized(run.cost[known], LARGEST)
    rows = known[[int(np.argmin(cost)), int(np.argmax(cost))]]
    return rows if np.ptp(cost) > 0.0 else None


def _why_unexplained(
    run: Run, proposals: list[int], acquisition: Criterion | Acquisition
) -> dict[int, Fact | None]:
    """Return `why_unexplained` of several proposals: what two trials show once, they go on to."""
    why: dict[int, Fact | None] = {}
    shown: npt.NDArray[np.int64] | None = None
    for number in proposals:
        if shown is not None and run.knew(number, shown).all():
            why[number] = None
            continue
        why[number] = why_unexplained(run, number, acquisition)
        if (
            why[number] is None
            and len(known := run.known_before(number)) >= _LEAST_KNOWN
        ):
            shown = _witnesses(run, known)
    return why


def explainable(
    run: Run,
    acquisition: Criterion | Acquisition = "auto",
    *,
    pending: bool = False,
) -> tuple[list[int], tuple[Fact, ...]]:
    """Return the proposals that can be explained, and which of them cannot, and why.

    Parameters
    ----------
    run : Run
        The optimization run.
    acquisition : str or Acquisition, default "auto"
        By which acquisition function.
    pending : bool, default False
        Whether to return those that have no result as well.

    Returns
    -------
    numbers : list of int
        The proposals' trial numbers, in their order.
    left_out : tuple of Fact
        The others, one fact for each reason.

    Raises
    ------
    NothingToExplain
        If no proposal can be explained.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.5], [0.3]], [1.0, 9.0, 4.0, 2.0], "minimize")
    >>> numbers, (left_out,) = explainable(run)
    >>> numbers, left_out.trials, left_out["why"]
    ([2, 3], (0, 1), 'too_little_known')
    """
    proposals = all_proposals(run)
    if pending:
        others = [
            t for t, trial in run.without_result.items() if trial.explainable
        ]
        proposals = sorted([*proposals, *others])
    why = _why_unexplained(run, proposals, acquisition)
    changed = [
        number
        for number, decided in run.reviewed.items()
        if decided.set_by_person
    ]
    reasons: dict[str, list[int]] = (
        {"changed_by_person": changed} if changed else {}
    )
    for number, reason in why.items():
        if reason is not None:
            reasons.setdefault(reason.kind, []).append(number)
    left_out = tuple(
        _NOT_EXPLAINED(trials=numbers, why=kind)
        for kind, numbers in reasons.items()
    )
    numbers = [number for number in proposals if why[number] is None]
    if not numbers:
        raise NothingToExplain(_NONE_EXPLAINED(left_out=left_out))
    return numbers, left_out
