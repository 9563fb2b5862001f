"""What stands in the way of rebuilding the model behind a trial with the sampler's own code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hpo_explain.base.facts import Fact, fact


class UnexpectedSamplerError(Exception):
    """The sampler does not answer as the versions that were checked do.

    Parameters
    ----------
    reason : Fact
        How it differs.
    """

    def __init__(self, reason: Fact) -> None:
        super().__init__(reason)
        self.reason = reason


class RandomPhaseError(Exception):
    """The sampler had too few finished trials to use its model."""


@contextmanager
def asking_sampler() -> Iterator[None]:
    """Turn whatever private code of a sampler raises into `UnexpectedSamplerError`."""
    try:
        yield
    except (AttributeError, TypeError, ValueError, LookupError, RuntimeError) as error:
        raised = fact("sampler_raised", error=type(error).__name__, text=str(error))
        raise UnexpectedSamplerError(raised) from error
