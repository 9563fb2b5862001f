"""A sampler whose proposals a person sees, with their reasons, before they are evaluated."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import optuna
from optuna import Study
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.trial import FrozenTrial, TrialState

from hpo_explain.adapters._reviewing import Review, Reviewer
from hpo_explain.adapters.optuna._expected import Expected, order_of
from hpo_explain.adapters.optuna._reviews import RECORD
from hpo_explain.adapters.optuna._space import distribution_of
from hpo_explain.adapters.optuna._target import TargetLike
from hpo_explain.adapters.optuna._wrapping import WrappingSampler, unwrapped
from hpo_explain.adapters.optuna.study import check_sampler, check_space, read_trials
from hpo_explain.base.checks import check_name
from hpo_explain.base.errors import InputError
from hpo_explain.base.phrases import join_words
from hpo_explain.explainers.proposal import ProposalExplainer
from hpo_explain.explanations.proposal import ProposalExplanation
from hpo_explain.run import Run
from hpo_explain.space import SearchSpace

_logger = logging.getLogger("hpo_explain")

_FINISHED = (TrialState.COMPLETE, TrialState.PRUNED)


class ReviewedSampler(WrappingSampler):
    """Lets a person, or a rule, see why a trial is proposed before it is evaluated.

    The review is called with the explanation of each trial that a model chose, or that an assumed
    acquisition function can explain, when the objective suggests its first hyperparameter. A study
    whose review accepts every proposal is the same, trial by trial, as one without it. So where
    the objective asks for hyperparameters that could not be foreseen, what follows them is chosen
    anew, and a warning names what was reviewed with another value: give `space`.

    Trials that were enqueued are not reviewed. What was decided is in the system attribute
    ``hpo_explain:review`` of the trial and in :attr:`Run.reviewed`: a trial that a person changed
    has the origin `Origin.PERSON`, and :func:`explain_proposal` explains what was proposed for it.

    Parameters
    ----------
    sampler : BaseSampler
        Any sampler of Optuna.
    review : callable
        Function of a `ProposalExplanation`. It returns None to accept it, a dict with other values
        for some hyperparameters, or "refuse", upon which the sampler proposes again. Where it
        raises, takes too long, or answers what cannot be done, the proposal is accepted, and that
        is logged to the logger ``hpo_explain``.
    space : SearchSpace, optional
        The search space of a define-by-run objective, with its conditions, in the order in which
        the objective suggests its hyperparameters. By default it is inferred from the finished
        trials.
    target : int, str or callable, optional
        The objective to be explained, where the study has several, as in :func:`from_optuna`.
    max_refusals : int, default 3
        How many proposals in a row may be refused; the next one is evaluated. A sampler that
        maximizes its criterion, such as `GPSampler`, proposes nearly the same again.
    timeout : float, optional
        Seconds after which the review is not waited for, and the proposal accepted. By default it
        is waited for.
    explainer : ProposalExplainer, optional
        How proposals are explained; by default as by :func:`explain_proposal`.

    Raises
    ------
    InputError
        If an argument is not as described.

    References
    ----------
    .. [1] Rodemann, J., Croppi, F., Arens, P., Sale, Y., Herbinger, J., Bischl, B., Hüllermeier,
       E., Augustin, T., Walsh, C. J., Casalicchio, G. (2024). Explaining Bayesian optimization by
       Shapley values facilitates human-AI collaboration. arXiv:2403.04629.

    Examples
    --------
    >>> import optuna
    >>> from hpo_explain.adapters.optuna import ReviewedSampler
    >>> def review(explanation):
    ...     return {"lr": 0.01} if explanation.config["lr"] > 0.01 else None
    >>> sampler = ReviewedSampler(optuna.samplers.TPESampler(seed=0), review)
    >>> study = optuna.create_study(sampler=sampler)
    >>> study.optimize(lambda trial: trial.suggest_float("lr", 1e-4, 1.0, log=True), n_trials=12)
    >>> max(trial.params["lr"] for trial in study.trials[10:]) <= 0.01
    True
    """

    def __init__(
        self,
        sampler: BaseSampler,
        review: Review,
        *,
        space: SearchSpace | None = None,
        target: TargetLike = None,
        max_refusals: int = 3,
        timeout: float | None = None,
        explainer: ProposalExplainer | None = None,
    ) -> None:
        check_sampler(sampler)
        check_space(space)
        super().__init__(sampler)
        self._reviewer = Reviewer(review, max_refusals=max_refusals, timeout=timeout)
        self._space = space
        self._target = target
        self._explainer = ProposalExplainer(precision=0.01) if explainer is None else explainer
        # what is handed out when the objective asks for it, by the trial's id
        self._decided: dict[int, dict[str, tuple[BaseDistribution, Any]]] = {}
        self._accepted: dict[int, Mapping[str, Any]] = {}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return the values that are chosen together, once the whole proposal was reviewed."""
        relative = self.sampler.sample_relative(study, trial, search_space)
        if trial.system_attrs.get("fixed_params"):
            return relative
        tries = _Tries(
            self.sampler,
            study,
            trial,
            search_space,
            lambda: self._expected(study),
            lambda asking: self._explained(study, asking),
            relative,
        )
        decided = self._reviewer.decide(tries.next, trial.number)
        if decided is None:
            return relative
        proposal, decision = decided
        record = decision.as_record()
        study._storage.set_trial_system_attr(trial._trial_id, RECORD, record)
        given: dict[str, Any] = {}
        if decision.interferes:
            given = {**proposal.independent, **decision.values}
        else:
            self._accepted[trial._trial_id] = proposal.config
        self._decided[trial._trial_id] = {
            name: (proposal.distributions[name], value)
            for name, value in given.items()
            if name not in proposal.relative
        }
        return {name: decision.values.get(name, value) for name, value in proposal.relative.items()}

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Return what the sampler chooses, or what was decided in place of it."""
        value = super().sample_independent(study, trial, param_name, param_distribution)
        decided = self._decided.get(trial._trial_id, {})
        distribution, instead = decided.get(param_name, (None, None))
        return instead if distribution == param_distribution else value

    def after_trial(
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Tell the sampler that a trial ends."""
        self._decided.pop(trial._trial_id, None)
        accepted = self._accepted.pop(trial._trial_id, {})
        others = [n for n in accepted if trial.params.get(n, accepted[n]) != accepted[n]]
        if others:
            _logger.warning(
                "Trial %d was reviewed with another value of %s, as the objective asked for "
                "hyperparameters that the finished trials did not tell. Give space=.",
                trial.number,
                join_words(others),
            )
        super().after_trial(study, trial, state, values)

    def _expected(self, study: Study) -> Expected:
        """Return what the next trial will ask for."""
        trials = [t for t in study.get_trials(deepcopy=False, states=_FINISHED) if t.params]
        space = self._space
        if space is None:
            space = self._read(study, trials).space
            order = order_of(trials, space.names)
        else:
            order = tuple(space.names[j] for j in _declared(space))
        latest: dict[str, BaseDistribution] = {}
        for trial in trials[::-1]:
            latest = {**trial.distributions, **latest}
            if latest.keys() >= {*order}:
                break
        return Expected(
            space,
            order,
            {n: latest[n] if n in latest else distribution_of(space[n]) for n in order},
        )

    def _explained(self, study: Study, asking: FrozenTrial) -> ProposalExplanation:
        """Explain a trial that runs, with values that the storage does not have yet."""
        whole = study.get_trials(deepcopy=False)
        trials = [asking if t.number == asking.number else t for t in whole]
        return self._explainer.explain(self._read(study, trials), asking.number)

    def _read(self, study: Study, trials: Sequence[FrozenTrial]) -> Run:
        # a pruner's view of a study has some of its trials, and few of its attributes
        whole: Study = getattr(study, "_study", study)
        return read_trials(whole, trials, target=self._target, space=self._space)


@dataclass(eq=False)
class _Tries:
    """A sampler's proposals for one trial, one after the other.

    What it would choose hyperparameter by hyperparameter is found out with a copy, as the trial
    may ask for others than expected. Only a refusal makes the sampler itself go on.
    """

    sampler: BaseSampler
    study: Study
    trial: FrozenTrial
    search_space: dict[str, BaseDistribution]
    expect: Callable[[], Expected]
    explain: Callable[[FrozenTrial], ProposalExplanation]
    relative: dict[str, Any]
    expected: Expected | None = None

    def next(self) -> _Proposal:
        """Return the next proposal."""
        if self.expected is None:
            expected = self.expected = self.expect()
        else:
            expected = self.expected
            self._through(expected, lambda: self.sampler)
            self.relative = self.sampler.sample_relative(self.study, self.trial, self.search_space)
        asking, independent = self._through(expected, lambda: copy.deepcopy(self.sampler))
        return _Proposal(
            dict(asking.params),
            self.relative,
            independent,
            expected.distributions,
            lambda: self.explain(asking),
        )

    def _through(
        self, expected: Expected, sampler_of: Callable[[], BaseSampler]
    ) -> tuple[FrozenTrial, dict[str, Any]]:
        """Ask a sampler for a whole trial, as the objective would."""
        sampler: BaseSampler | None = None
        asking = copy.copy(self.trial)
        # samplers mark a trial for which they chose something together
        asking.system_attrs = self.study._storage.get_trial_system_attrs(self.trial._trial_id)
        given, asking.params = self.trial.params, {}
        asking.distributions = dict(self.trial.distributions)
        independent: dict[str, Any] = {}
        _, fixed = unwrapped(self.study.sampler)
        for name in expected.active(asking.params):
            distribution = expected.distributions[name]
            if name in given:
                value = given[name]
            elif distribution.single():
                value = optuna.distributions._get_single_value(distribution)
            elif name in fixed:
                value = fixed[name]
            elif name in self.relative and _contains(distribution, self.relative[name]):
                value = self.relative[name]
            else:
                sampler = sampler_of() if sampler is None else sampler
                value = sampler.sample_independent(self.study, asking, name, distribution)
                independent[name] = value
            asking.params[name] = value
            asking.distributions[name] = distribution
        return asking, independent


@dataclass(frozen=True, eq=False)
class _Proposal:
    """A trial's values as the sampler chose them: together, and one after the other."""

    config: Mapping[str, Any]
    relative: Mapping[str, Any]
    independent: Mapping[str, Any]
    distributions: Mapping[str, BaseDistribution]
    explain: Callable[[], ProposalExplanation]

    def explanation(self) -> ProposalExplanation:
        """Return why it is proposed."""
        return self.explain()

    def fitting(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return other values as Optuna hands them out."""
        found = {}
        for name, value in values.items():
            check_name("review", name, self.distributions, "hyperparameter")
            distribution = self.distributions[name]
            if not _contains(distribution, value):
                raise InputError(
                    "review",
                    f"answered {name} = {value!r}, which is not in {distribution}",
                    value,
                    "Answer a value of its range.",
                )
            internal = distribution.to_internal_repr(value)
            found[name] = distribution.to_external_repr(internal)
        return found


def _contains(distribution: BaseDistribution, value: Any) -> bool:
    try:
        return bool(distribution._contains(distribution.to_internal_repr(value)))
    except (ValueError, TypeError):
        return False


def _declared(space: SearchSpace) -> list[int]:
    """Return the columns as they were declared, but parents before their children."""
    found: dict[int, None] = {}

    def add(j: int) -> None:
        if j not in found:
            for parent, _ in space.conditions[j]:
                add(parent)
            found[j] = None

    for j in range(len(space)):
        add(j)
    return list(found)
