"""Asking a person about a proposal, and what they may answer.

A review is a function of an explanation. Whatever it does, the optimization goes on: where it
raises, takes too long, or answers what cannot be done, the proposal is accepted, which is logged.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

from hpo_explain.base.checks import check_count, check_number
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.progress import progress_of
from hpo_explain.explanations.proposal import ProposalExplanation

_logger = logging.getLogger("hpo_explain")

Answer: TypeAlias = Mapping[str, Any] | Literal["refuse"] | None
"""None accepts a proposal, a mapping gives other values for some hyperparameters."""

Review: TypeAlias = Callable[[ProposalExplanation], Answer]
"""What sees an explanation and answers."""

_ROUNDING = 1e-12

REFUSE: Literal["refuse"] = "refuse"


class Proposal(Protocol):
    """A configuration that an optimizer proposes."""

    @property
    def config(self) -> Mapping[str, Any]:
        """Its values, in the user's units."""
        ...

    def explanation(self) -> ProposalExplanation:
        """Return why it is proposed."""
        ...

    def fitting(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return other values for some hyperparameters as they are evaluated.

        Raises
        ------
        InputError
            If a hyperparameter is unknown, or a value is not among those it may have.
        """
        ...


P = TypeVar("P", bound=Proposal)


@dataclass(frozen=True, eq=False)
class Decision:
    """What became of a proposal.

    Attributes
    ----------
    kind : {"accepted", "changed", "kept", "unanswered"}
        "kept" is one that was refused, and is evaluated as no more may be; of one that is
        "unanswered" the review failed or took too long.
    proposed : mapping
        What the optimizer proposed at last.
    values : mapping
        What a person set in place of it.
    refused : tuple of mapping
        What was refused before.
    """

    kind: Literal["accepted", "changed", "kept", "unanswered"]
    proposed: Mapping[str, Any]
    values: Mapping[str, Any] = field(default_factory=dict)
    refused: tuple[Mapping[str, Any], ...] = ()

    @property
    def interferes(self) -> bool:
        """Whether something else is evaluated than the first proposal."""
        return bool(self.values or self.refused)

    def as_record(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "decision": self.kind,
            "proposed": dict(self.proposed),
            "set": dict(self.values),
            "refused": [dict(config) for config in self.refused],
        }


class Reviewer:
    """Asks a review about proposals, one at a time.

    Parameters
    ----------
    review : callable
        The review.
    max_refusals : int
        How many proposals in a row may be refused.
    timeout : float or None
        Seconds after which a review is not waited for; None waits. With a timeout it is called in
        a thread of its own; while one that took too long goes on, others are not asked.

    Raises
    ------
    InputError
        If an argument is not as described.
    """

    def __init__(self, review: Review, *, max_refusals: int, timeout: float | None) -> None:
        if not callable(review):
            raise InputError(
                "review",
                f"must be a function of an explanation, but was {review!r}",
                review,
                "Give one that returns None, a dict of other values, or 'refuse'.",
            )
        if timeout is not None and not check_number("timeout", timeout) > 0.0:
            raise InputError(
                "timeout", f"must be positive, but was {timeout!r}", timeout, "Or None to wait."
            )
        self.review = review
        self.max_refusals = check_count("max_refusals", max_refusals, minimum=0)
        self.timeout = timeout
        self._one_at_a_time = threading.Lock()
        self._late: threading.Thread | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_one_at_a_time": None, "_late": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._one_at_a_time = threading.Lock()

    def decide(self, propose: Callable[[], P], trial: int) -> tuple[P, Decision] | None:
        """Return the proposal to evaluate, and what was decided about it.

        None where there was nothing to review.

        Parameters
        ----------
        propose : callable
            Returns the optimizer's proposal, and another one at each further call.
        trial : int
            The trial's number, for the log.
        """
        refused: list[Mapping[str, Any]] = []
        last: P | None = None
        while True:
            try:
                proposal = propose()
                known = proposal.config in refused
                with progress_of("review", shown=False):  # a study shows its own
                    explanation = None if known else proposal.explanation()
            except Exception as error:
                if not isinstance(error, NothingToExplain):
                    _logger.exception("Trial %d is evaluated as proposed: not reviewed", trial)
                return None if last is None else (last, _kept(refused))
            last = proposal
            if explanation is None:
                _logger.warning("Trial %d: the optimizer proposes the same again", trial)
                return proposal, _kept([*refused, proposal.config])
            kind, values = self._asked(proposal, explanation, trial)
            if kind != "refused":
                return proposal, Decision(kind, proposal.config, values, tuple(refused))
            refused.append(proposal.config)
            if len(refused) > self.max_refusals:
                _logger.warning("Trial %d is evaluated: no more may be refused", trial)
                return proposal, _kept(refused)

    def _asked(
        self, proposal: Proposal, explanation: ProposalExplanation, trial: int
    ) -> tuple[Literal["accepted", "changed", "refused", "unanswered"], dict[str, Any]]:
        """Return what the review says to a proposal, and the values that it sets."""
        try:
            answer = self._answer(explanation)
            if answer is None:
                return "accepted", {}
            if isinstance(answer, str) and answer == REFUSE:
                return "refused", {}
            values = proposal.fitting(_values(answer))
        except Exception:
            _logger.exception("Trial %d is evaluated as proposed: its review failed", trial)
            return "unanswered", {}
        differ = {k: v for k, v in values.items() if not _same(v, proposal.config.get(k))}
        return ("changed", differ) if differ else ("accepted", {})

    def _answer(self, explanation: ProposalExplanation) -> Answer:
        with self._one_at_a_time:
            if self.timeout is None:
                return self.review(explanation)
            if self._late is not None and self._late.is_alive():
                raise TimeoutError("an earlier review, which took too long, goes on")
            answers: list[Answer] = []
            errors: list[Exception] = []

            def asked() -> None:
                try:
                    answers.append(self.review(explanation))
                except Exception as error:
                    errors.append(error)

            thread = threading.Thread(target=asked, name="hpo_explain review", daemon=True)
            thread.start()
            thread.join(self.timeout)
            if errors:
                raise errors[0]
            if not answers:
                self._late = thread
                raise TimeoutError(f"the review took longer than {self.timeout:g} s")
            return answers[0]


def _kept(refused: Sequence[Mapping[str, Any]]) -> Decision:
    """Return that the last of the refused proposals is evaluated nevertheless."""
    return Decision("kept", refused[-1], refused=tuple(refused[:-1]))


def _values(answer: object) -> Mapping[str, Any]:
    if isinstance(answer, Mapping):
        return answer
    raise InputError(
        "review",
        f"must answer None, a dict of other values, or 'refuse', but answered {answer!r}",
        answer,
        "Return one of these.",
    )


def _same(value: object, other: object) -> bool:
    if isinstance(value, float) and isinstance(other, float):
        return math.isclose(value, other, rel_tol=_ROUNDING)  # explanations decode positions
    return type(value) is type(other) and value == other
