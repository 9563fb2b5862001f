"""A sampler whose proposals a person sees, with their reasons, before they are evaluated."""

from __future__ import annotations

import copy
import logging
import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import optuna
from optuna import Study
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.trial import FrozenTrial, TrialState

from hpo_explain.adapters.optuna._sampler import REVIEW
from hpo_explain.adapters.optuna._space import distribution_of, order_of
from hpo_explain.adapters.optuna._trials import TargetLike
from hpo_explain.adapters.optuna.samplers import WrappingSampler, unwrapped
from hpo_explain.adapters.optuna.study import Reading, check_sampler, check_space
from hpo_explain.base.checks import check_count, check_name
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.phrases import join_words
from hpo_explain.base.progress import progress_of
from hpo_explain.methods.proposals.contributions_result import ProposalExplanation
from hpo_explain.methods.proposals.explain_proposal import ProposalExplainer
from hpo_explain.run import Run
from hpo_explain.space import SearchSpace, asked_as

_logger = logging.getLogger("hpo_explain")

_FINISHED = (TrialState.COMPLETE, TrialState.PRUNED)
_ROUNDING = 1e-12  # explanations decode positions
_NOT_FORESEEN = (
    "Trial %d was reviewed with another value of %s, as the objective asked for "
    "hyperparameters that the finished trials did not tell. Give space=."
)
_ONE_AT_A_TIME = threading.RLock()  # there is one person

Review: TypeAlias = Callable[[ProposalExplanation], Mapping[str, Any] | Literal["refuse"] | None]


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
        raises, or answers what cannot be done, the proposal is accepted, and that is logged to
        the logger ``hpo_explain``. Reviews come one at a time.
    space : SearchSpace, optional
        The search space of a define-by-run objective, with its conditions, in the order in which
        the objective suggests its hyperparameters. By default it is inferred from the finished
        trials.
    target : int, str or callable, optional
        The objective to be explained, where the study has several, as in :func:`from_optuna`.
    max_refusals : int, default 3
        How many proposals in a row may be refused; the next one is evaluated. A sampler that
        maximizes its criterion, such as `GPSampler`, proposes nearly the same again.
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
        explainer: ProposalExplainer | None = None,
    ) -> None:
        check_sampler(sampler)
        check_space(space)
        if not callable(review):
            problem = f"must be a function of an explanation, but was {review!r}"
            remedy = "Give one that returns None, a dict of other values, or 'refuse'."
            raise InputError("review", problem, review, remedy)
        super().__init__(sampler)
        self._review = review
        self._space = space
        self._target = target
        self._max_refusals = check_count("max_refusals", max_refusals, minimum=0)
        self._explainer = explainer or ProposalExplainer(precision=0.01)
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
        decided = self._decide(_Asked(self.sampler, study, trial, search_space, relative))
        if not decided:
            return relative
        proposal, kind, values, refused = decided
        record: dict[str, Any] = {
            "decision": kind,
            "proposed": proposal.config,
            "set": values,
            "refused": refused,
        }
        study._storage.set_trial_system_attr(trial._trial_id, REVIEW, record)
        own = not (values or refused)
        self._accepted[trial._trial_id] = proposal.config if own else {}
        given = {} if own else {**proposal.independent, **values}
        self._decided[trial._trial_id] = {
            name: (proposal.distributions[name], value)
            for name, value in given.items()
            if name not in proposal.relative
        }
        return {name: values.get(name, value) for name, value in proposal.relative.items()}

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
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Tell the sampler that a trial ends."""
        self._decided.pop(trial._trial_id, None)
        accepted = self._accepted.pop(trial._trial_id, {})
        others = [n for n in accepted if trial.params.get(n, accepted[n]) != accepted[n]]
        if others:
            _logger.warning(_NOT_FORESEEN, trial.number, join_words(others))
        super().after_trial(study, trial, state, values)

    def _decide(
        self, asked: _Asked
    ) -> tuple[_Proposal, str, dict[str, Any], list[dict[str, Any]]] | None:
        """Return the proposal to evaluate, what was decided, the values set, and those refused.

        None where there was nothing to review.
        """
        number = asked.trial.number
        refused: list[dict[str, Any]] = []
        last: _Proposal | None = None
        while True:
            try:
                expected = last.expected if last else self._expected(asked.study)
                proposal = asked.proposal(expected, last)
                known = proposal.config in refused
                with progress_of("review", shown=False):  # a study shows its own
                    explanation = None if known else self._explained(asked.study, proposal.asking)
            except Exception as error:
                if not isinstance(error, NothingToExplain):
                    _logger.exception("Trial %d is evaluated as proposed: not reviewed", number)
                return (last, "kept", {}, refused[:-1]) if last else None
            last = proposal
            if not explanation:
                _logger.warning("Trial %d: the sampler proposes the same again", number)
                return proposal, "kept", {}, refused
            try:
                with _ONE_AT_A_TIME:
                    answer = self._review(explanation)
                values = {} if answer in (None, "refuse") else proposal.fitting(answer)
            except Exception:
                _logger.exception("Trial %d is evaluated as proposed: its review failed", number)
                return proposal, "unanswered", {}, refused
            if answer != "refuse":
                return (proposal, "changed" if values else "accepted", values, refused)
            if len(refused) >= self._max_refusals:
                _logger.warning("Trial %d is evaluated: no more may be refused", number)
                return proposal, "kept", {}, refused
            refused.append(proposal.config)

    def _expected(self, study: Study) -> _Expected:
        """Return what the next trial will ask for."""
        trials = [t for t in study.get_trials(deepcopy=False, states=_FINISHED) if t.params]
        space = self._space
        if space is None:
            space = self._read(study, trials).space
            asked = order_of(trials, [*map(asked_as, space)])
            order = tuple(p.name for name in asked for p in space if asked_as(p) == name)
        else:
            order = space.names
        latest: dict[str, BaseDistribution] = {}
        for trial in trials:
            latest |= trial.distributions
        of_space = {n: latest[n] if n in latest else distribution_of(space[n]) for n in order}
        return _Expected(space, order, of_space)

    def _explained(self, study: Study, asking: FrozenTrial) -> ProposalExplanation:
        """Explain a trial that runs, with values that the storage does not have yet."""
        whole = study.get_trials(deepcopy=False)
        trials = [asking if t.number == asking.number else t for t in whole]
        return self._explainer.explain(self._read(study, trials), asking.number)

    def _read(self, study: Study, trials: Sequence[FrozenTrial]) -> Run:
        # a pruner's view of a study has some of its trials, and few of its attributes
        whole: Study = getattr(study, "_study", study)
        return Reading(self._target, space=self._space).run(whole, trials)


@dataclass(frozen=True, eq=False)
class _Expected:
    """The hyperparameters of the next trial, in the order in which the objective asks for them."""

    space: SearchSpace
    order: tuple[str, ...]
    distributions: dict[str, BaseDistribution]

    def active(self, config: Mapping[str, Any]) -> Iterator[str]:
        """Yield the hyperparameters that are active, while their values are added to `config`.

        They are added by the names by which the objective asks. One that is active by the
        objective's own choice is not known before.
        """
        row = np.full((1, len(self.space)), np.nan)
        for name in self.order:
            j, parameter = self.space.index(name), self.space[name]
            if parameter.optional == 1.0 and self.space.allowed(row, j)[0]:
                yield name
                row[0, j] = parameter.encode([config[asked_as(parameter)]])[0]


@dataclass(frozen=True, eq=False)
class _Proposal:
    """A trial as the sampler proposes it: what it chose together, and one after the other."""

    asking: FrozenTrial
    relative: Mapping[str, Any]
    independent: Mapping[str, Any]
    expected: _Expected

    @property
    def config(self) -> dict[str, Any]:
        """Its values."""
        return dict(self.asking.params)

    @property
    def distributions(self) -> dict[str, BaseDistribution]:
        """Those asked for, and those that other values may switch on, by every name."""
        expected = self.expected.distributions
        asked = {asked_as(self.expected.space[name]): one for name, one in expected.items()}
        return asked | expected | self.asking.distributions

    def fitting(self, answer: Any) -> dict[str, Any]:
        """Return the values of an answer that are other ones, as Optuna hands them out."""
        if not isinstance(answer, Mapping):
            problem = f"must answer None, a dict of other values, or 'refuse', but was {answer!r}"
            raise InputError("review", problem, answer)
        found = {}
        known = self.distributions
        for given, value in answer.items():
            check_name("review", given, known, "hyperparameter")
            name, distribution = given, known[given]
            if given in self.expected.space.names:
                name = asked_as(self.expected.space[given])
            if not _contains(distribution, value):
                problem = f"answered {name} = {value!r}, which is not in {distribution}"
                raise InputError("review", problem, value, "Answer a value of its range.")
            internal, own = (distribution.to_internal_repr(value), self.config.get(name))
            if name not in self.config or not math.isclose(
                internal, distribution.to_internal_repr(own), rel_tol=_ROUNDING
            ):
                found[name] = distribution.to_external_repr(internal)
        return found


@dataclass(frozen=True, eq=False)
class _Asked:
    """What a sampler is asked for a trial.

    What it would choose hyperparameter by hyperparameter is found out with a copy, as the trial
    may ask for others than expected. Only a refusal makes the sampler itself go on.
    """

    sampler: BaseSampler
    study: Study
    trial: FrozenTrial
    search_space: dict[str, BaseDistribution]
    relative: dict[str, Any]

    def proposal(self, expected: _Expected, refused: _Proposal | None = None) -> _Proposal:
        """Return the first proposal, or another one in place of one that was refused."""
        relative = self.relative
        if refused:
            self._through(expected, refused.relative, lambda: self.sampler)
            relative = self.sampler.sample_relative(self.study, self.trial, self.search_space)
        return self._through(expected, relative, lambda: copy.deepcopy(self.sampler))

    def _through(
        self,
        expected: _Expected,
        relative: Mapping[str, Any],
        sampler_of: Callable[[], BaseSampler],
    ) -> _Proposal:
        """Ask a sampler for a whole trial, as the objective would."""
        sampler, independent = None, dict[str, Any]()
        asking = copy.copy(self.trial)
        # samplers mark a trial for which they chose something together
        asking.system_attrs = self.study._storage.get_trial_system_attrs(self.trial._trial_id)
        given, asking.params = self.trial.params, {}
        asking.distributions = dict(self.trial.distributions)
        _, fixed = unwrapped(self.study.sampler)
        for of_space in expected.active(asking.params):
            name = asked_as(expected.space[of_space])
            distribution = expected.distributions[of_space]
            if name in given:
                value = given[name]
            elif distribution.single():
                value = optuna.distributions._get_single_value(distribution)
            elif name in fixed:
                value = fixed[name]
            elif name in relative and _contains(distribution, relative[name]):
                value = relative[name]
            else:
                sampler = sampler or sampler_of()
                value = sampler.sample_independent(self.study, asking, name, distribution)
                independent[name] = value
            asking.params[name] = value
            asking.distributions[name] = distribution
        return _Proposal(asking, relative, independent, expected)


def _contains(distribution: BaseDistribution, value: Any) -> bool:
    try:
        return bool(distribution._contains(distribution.to_internal_repr(value)))
    except (ValueError, TypeError):
        return False
