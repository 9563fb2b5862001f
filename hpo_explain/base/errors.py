"""Errors that carry their argument, value and remedy, so that every caller can name its options.

All of them are ``ValueError``. ``str(error)`` names Python's arguments; the command line writes the
same error with the names of its own options, see `InputError.text`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hpo_explain.base.facts import Fact, NameOption, Option, Text, write
from hpo_explain.base.phrases import printable

_T = TypeVar("_T")


class InputError(ValueError):
    """An argument that cannot be used: which one, what it was, what is wrong, and the remedy.

    Parameters
    ----------
    argument : str
        The argument's name in Python.
    problem : str or tuple of str, Option, Fact and Quote
        What is wrong with it, without its name and a full stop: "must be positive, but was -1".
    value : object, optional
        What it was.
    remedy : str or tuple of str, Option, Fact and Quote, optional
        What to do, as a sentence.

    Examples
    --------
    >>> error = InputError("sample", "must be at least 1, but was 0", 0, "Give more rows.")
    >>> str(error)
    'sample must be at least 1, but was 0. Give more rows.'
    >>> error.argument, error.value, error.remedy
    ('sample', 0, 'Give more rows.')
    """

    def __init__(self, argument: str, problem: Text, value: Any = None, remedy: Text = "") -> None:
        # as pickle gives them back
        super().__init__(argument, problem, value, remedy)
        self.argument = argument
        self.value = value
        self._texts = (problem, remedy)

    @property
    def problem(self) -> str:
        """What is wrong with the argument."""
        return write(self._texts[0])

    @property
    def remedy(self) -> str:
        """What to do, as a sentence; empty where that is plain."""
        return write(self._texts[1])

    def inside(self, argument: str, what: str, value: Any) -> InputError:
        """Return the error as one about an argument, of which a part is wrong.

        Parameters
        ----------
        argument : str
            The argument's name in Python.
        what : str
            What comes before the problem of the part, such as "has a trial that ".
        value : object
            What the argument was.

        Examples
        --------
        >>> error = InputError("trial", "7 does not exist")
        >>> str(error.inside("trials", "has an entry that is none: trial ", [7]))
        'trials has an entry that is none: trial 7 does not exist.'
        """
        problem, remedy = self._texts
        texts = (problem,) if isinstance(problem, str) else problem
        return InputError(argument, (what, *texts), value, remedy)

    def text(self, name_option: NameOption = str, *, quoting: bool = True) -> str:
        """Return the error as text in which arguments are named in one way.

        Parameters
        ----------
        name_option : callable, default str
            How arguments are named.
        quoting : bool, default True
            Whether data of others is quoted.
        """
        problem, remedy = (write(text, name_option, quoting=quoting) for text in self._texts)
        text = f"{name_option(Option(self.argument)).rstrip('=')} {problem}."
        return printable(f"{text} {remedy}" if remedy else text)

    def __str__(self) -> str:
        return self.text()


class MissingOptionError(InputError):
    """An option that has to be given, and what would do.

    Parameters
    ----------
    argument, problem, value, remedy
        As in `InputError`.
    settled_by : sequence of Option, default ()
        Options with values, which would do together.

    Examples
    --------
    >>> way = Option("direction", "minimize")
    >>> MissingOptionError("direction", "was not given", settled_by=[way]).settled_by
    (Option(name='direction', value='minimize'),)
    """

    def __init__(
        self,
        argument: str,
        problem: Text,
        value: Any = None,
        remedy: Text = "",
        settled_by: Sequence[Option] = (),
    ) -> None:
        super().__init__(argument, problem, value, remedy)
        self.settled_by = tuple(settled_by)


class UnknownOptionError(InputError):
    """An option that what was called does not have.

    Parameters
    ----------
    argument, problem, value, remedy
        As in `InputError`.
    known : sequence of str, default ()
        The options that there are.
    """

    def __init__(
        self,
        argument: str,
        problem: Text,
        value: Any = None,
        remedy: Text = "",
        known: Sequence[str] = (),
    ) -> None:
        super().__init__(argument, problem, value, remedy)
        self.known = tuple(known)


class NothingToExplain(ValueError):  # noqa: N818 (nothing went wrong)
    """There is nothing to explain; a report says why in place of the explanation.

    Parameters
    ----------
    reason : Fact
        Why.

    Examples
    --------
    >>> from hpo_explain.base.facts import fact
    >>> raise NothingToExplain(fact("the objective is constant"))
    Traceback (most recent call last):
        ...
    hpo_explain.base.errors.NothingToExplain: the objective is constant
    """

    def __init__(self, reason: Fact) -> None:
        super().__init__(reason)
        self.reason = reason

    def text(self, name_option: NameOption = str) -> str:
        """Return the reason as text in which arguments are named in one way."""
        return self.reason.text(name_option)

    def __str__(self) -> str:
        return self.text()


def unless_nothing(compute: Callable[[], _T]) -> _T | None:
    """Return what an analysis finds, if there is something to explain.

    Examples
    --------
    >>> unless_nothing(lambda: 1)
    1
    """
    try:
        return compute()
    except NothingToExplain:
        return None
