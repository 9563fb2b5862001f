"""The run that a command is about: the argument SOURCE, its options, and how it is read."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hpo_explain.adapters.addresses import shown_address
from hpo_explain.adapters.formats import PICKLE, STORAGE, TABLE, Format, place_of
from hpo_explain.base.errors import InputError, MissingOptionError, NothingToExplain
from hpo_explain.base.options import MEASURED, TOGETHER
from hpo_explain.base.phrases import printable
from hpo_explain.cli._errors import (
    LISTED,
    READ_AS,
    SourceError,
    command_with,
    debuggable,
    errors,
    from_list,
    name_reading_option,
)

if TYPE_CHECKING:
    from hpo_explain.run import Run


_T = TypeVar("_T")


class Trials(click.ParamType):  # type: ignore[type-arg]
    """Trials by their numbers: a slice, as in Python, or a list.

    Examples
    --------
    >>> [Trials().convert(text, None, None) for text in ("50:", "-20:", "3,5")]
    [slice(50, None, None), slice(-20, None, None), [3, 5]]
    """

    name = "from:to|list"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return a slice or a list of numbers."""
        try:
            if ":" in value:
                return slice(*[int(part) if part else None for part in value.split(":")])
            return [int(part) for part in value.split(",")]
        except (TypeError, ValueError):
            self.fail(f"must be as 50: or 3,5, but was {value!r}.", param, ctx)


_COLUMN: dict[str, Any] = {"metavar": "COLUMN"}
_COLUMNS: dict[str, Any] = {**_COLUMN, "multiple": True}
_READS: dict[str, tuple[Format | None, str, dict[str, Any]]] = {
    "--study-name": (STORAGE, "the study, if there are several.", {}),
    "--trials": (None, "Use only these trials, such as 50: or 3,5,8.", {"type": Trials()}),
    "--target": (
        None,
        "Explain duration, failed, or infeasible (failed, or violated a constraint); for "
        "a storage also one of several objectives, by index or name; for importance also trade-off "
        "(between two objectives) and pareto_rank (all together).",
        {},
    ),
    "--bounds": (
        None,
        "The objective's natural range, such as 0 1; by default derived from its name.",
        {"type": float, "nargs": 2, "metavar": "LOW HIGH"},
    ),
    "--epsilon": (
        None,
        "The smallest improvement that counts; by default the metric's resolution, or its noise.",
        {"type": float, "metavar": "AMOUNT"},
    ),
    "--pruned": (
        STORAGE,
        "exclude pruned trials (the default), or use their last value.",
        {"type": click.Choice(["drop", "last"])},
    ),
    "--sampler": (
        STORAGE,
        "Optuna's sampler that chose the trials, such as RandomSampler, with "
        "its defaults; a storage does not record it.",
        {"metavar": "NAME"},
    ),
    "--objective": (
        TABLE,
        "the objective; may be repeated for pareto and report; '?' lists all columns.",
        _COLUMNS,
    ),
    "--direction": (
        TABLE,
        "the direction of each objective; by default derived from its name.",
        {"type": click.Choice(["minimize", "maximize"]), "multiple": True},
    ),
    "--hyperparameters": (
        TABLE,
        "the columns of hyperparameters, such as a,b,c.",
        {"metavar": "COLUMNS"},
    ),
    "--ignore": (TABLE, "a column to ignore; may be repeated.", _COLUMNS),
    "--log": (TABLE, "a hyperparameter on a logarithmic scale; may be repeated.", _COLUMNS),
    "--linear": (TABLE, "a hyperparameter on a linear scale; may be repeated.", _COLUMNS),
    "--trial-column": (TABLE, "the trial numbers.", _COLUMN),
    "--time-column": (
        TABLE,
        "a time that orders the rows; if given twice, start and finish.",
        _COLUMNS,
    ),
    "--instance-column": (TABLE, "the fold or data set, if a trial has a row for each.", _COLUMN),
    "--initial": (
        TABLE,
        "the number of initial trials that no model chose.",
        {"type": click.IntRange(min=0)},
    ),
    "--proposed-column": (
        TABLE,
        "the trials that a model chose; without it, --initial and "
        "--optimizer, no trial counts as a proposal.",
        _COLUMN,
    ),
    "--optimizer": (TABLE, "the optimizer that chose the trials.", {"metavar": "NAME"}),
    "--fidelity-column": (TABLE, "epochs, samples or another budget; the highest counts.", _COLUMN),
    "--duration-column": (TABLE, "the duration of a trial, in seconds.", _COLUMN),
    "--status-column": (TABLE, "whether a trial finished, failed or was pruned.", _COLUMN),
    "--level": (TABLE, "the budget to use in place of the highest.", {"type": float}),
    "--trust-pickle": (
        PICKLE,
        "Unpickle the file, which runs any code in it.",
        {"is_flag": True},
    ),
}
"""The options of reading: what format each is for above all, its help, and what click is told."""
_ARGUMENTS = {  # of reading, in Python
    flag: argument for argument, flag in READ_AS.items() if argument != "directions"
}
_SECTIONS: dict[Format | None, str] = {
    None: "Reading",
    PICKLE: "Reading",
    STORAGE: "Reading a storage of Optuna",
    TABLE: "Reading a table",
}
_OF_ANY_SOURCE = ("--trials", "--bounds", "--epsilon")
_SEVERAL = "the study, if there are several; once for each source, or for each study of one source."


def _name(flag: str) -> str:
    return flag[2:].replace("-", "_")


@dataclass(frozen=True)
class Source:
    """Where a run is, and the options of reading it that were given, by their flags."""

    source: str
    given: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, source: str, options: Mapping[str, Any]) -> Source:
        """Return a source with those options of a command that say how it is read."""
        by_flag = {flag: options.get(_name(flag)) for flag in _READS}
        given = {f: v for f, v in by_flag.items() if v is not None and v is not False and v != ()}
        return cls(source, given)

    @property
    def label(self) -> str:
        """The source as it may be shown: without the password of an address."""
        return printable(shown_address(self.source))

    @property
    def study_name(self) -> str | None:
        """The study that was asked for."""
        return self.given.get("--study-name")

    @property
    def target(self) -> str | None:
        """What is asked about in place of the objective."""
        return self.given.get("--target")

    def read(self) -> Run:
        """Return the run as it is now.

        Raises
        ------
        click.UsageError
            If an option is missing, or is for another kind of source.
        TimeoutError
            If a storage stays locked by another process.
        ValueError or OSError
            If it cannot be read.
        """
        from hpo_explain.adapters.sources import as_run

        return self._read(as_run)

    def read_all(self) -> dict[str, Run]:
        """Return a run per objective by its name, as they are now; raises as `read`."""
        from hpo_explain.adapters.sources import as_runs

        return self._read(as_runs)

    def _read(self, reader: Callable[..., _T]) -> _T:
        """Return what a reader returns; errors name the options by which a source is read.

        That an option is missing ends with a command to copy.
        """
        options = self._options()
        try:
            return reader(self.source, **options)
        except MissingOptionError as error:
            problem = error.text(name_reading_option)
            command = command_with(error.settled_by)
            raise click.UsageError(f"{problem} To copy:\n  {command}") from error
        except (InputError, NothingToExplain) as error:
            raise SourceError(error) from error

    def _options(self) -> dict[str, Any]:
        """Return the options as those of reading in Python; raise UsageError if they are not."""
        file = place_of(self.source)
        self._check_options(file.format)
        given: dict[str, Any] = {}
        try:
            if file.format is PICKLE:
                from hpo_explain.adapters.pickled import check_trusted

                given["trust_pickle"] = "--trust-pickle" in self.given
                check_trusted(file.path, trust_pickle=given["trust_pickle"])
            for flag, value in self.given.items():
                given[_argument(flag)] = _as_in_python(flag, value)
            if isinstance(given.get("direction"), list):
                given["directions"] = given.pop("direction")
        except InputError as error:
            raise click.UsageError(error.text(name_reading_option)) from error
        return given

    def _check_options(self, form: Format) -> None:
        """Raise UsageError where an option is for sources of other formats."""
        for flag, value in self.given.items():
            if flag in _OF_ANY_SOURCE or (flag == "--target" and value in (*MEASURED, *TOGETHER)):
                continue
            if not form.takes(_argument(flag)):
                meant = (_READS[flag][0] or STORAGE).kind
                raise click.UsageError(f"{flag} is for {meant}, but {self.label} is {form.kind}.")


def _argument(flag: str) -> str:
    """Return what an option of reading is called in Python."""
    return _ARGUMENTS.get(flag, _name(flag))


def _as_in_python(flag: str, value: Any) -> Any:
    """Return the value of an option of reading as Python takes it."""
    if flag == "--target" and value.isdecimal():
        return int(value)
    if flag in ("--objective", "--direction") and len(value) == 1:
        return value[0]
    if flag in ("--objective", "--direction", "--ignore", "--log", "--linear"):
        return [*value]
    if flag == LISTED:
        return from_list(value)
    if flag == "--sampler":
        from hpo_explain.adapters.optuna.samplers import make_sampler

        return make_sampler(value)
    if flag == "--time-column":
        if len(value) > 2:
            raise click.UsageError("--time-column may be given twice: for start and finish.")
        return value if len(value) == 2 else value[0]
    return value


OWN = "own_"
"""Before the names of a method's own arguments: some mean how a run is read, elsewhere."""


class SourceCommand(click.Command):
    """A command that reads a source: its help has its own options first."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options: those of reading below the others, by what they are for."""
        sections: dict[str, list[tuple[str, str]]] = {"Options": []}
        sections |= {title: [] for title in _SECTIONS.values()}
        for parameter in sorted(self.get_params(ctx), key=lambda one: OWN not in str(one.name)):
            record = parameter.get_help_record(ctx)
            if isinstance(parameter, click.Option) and record is not None:
                of_reading = _READS.get(parameter.opts[0])
                title = "Options" if of_reading is None else _SECTIONS[of_reading[0]]
                sections[title].append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def takes_source(
    command: Callable[..., None], option_names: Collection[str] = (), *, several: bool = False
) -> Callable[..., None]:
    """Give a command the argument SOURCE and its options, as one `Source`; catch its errors.

    One that has options of its `own` of the same name has those. One of `several` runs gets a dict
    of a `Source` by its label.
    """

    @functools.wraps(command)
    def with_source(*, source: Any, debug: bool, **given: Any) -> None:
        read_from: Any = Source.of(source, given)
        if several:
            places = _places(source, given["study_name"])
            read_from = _by_label(
                [Source.of(address, {**given, "study_name": name}) for address, name in places]
            )
        reading = {_name(flag) for flag in _READS}
        with errors(debug=debug):
            command(read_from, **{name: given[name] for name in given if name not in reading})

    made: Callable[..., None] = debuggable(with_source)
    for flag, (_, description, options) in reversed(_READS.items()):
        if flag == "--study-name" and several:
            options, description = {"multiple": True}, _SEVERAL
        if _name(flag) not in option_names:
            said = f"{description[:1].upper()}{description[1:]}"
            made = click.option(flag, help=said, **options)(made)
    count, shown = (-1, "SOURCE SOURCE...") if several else (1, "SOURCE")
    return click.argument("source", nargs=count, required=True, metavar=shown, type=click.Path())(
        made
    )


def _places(sources: Sequence[str], studies: Sequence[str]) -> list[tuple[str, str | None]]:
    """Return each source with its study; raise UsageError where it is open which is whose."""
    if not studies:
        return [(source, None) for source in sources]
    if len(sources) == 1:
        return [(sources[0], study) for study in studies]
    if len(studies) not in (1, len(sources)):
        problem = f"--study-name was given {len(studies)} times for {len(sources)} sources"
        raise click.UsageError(f"{problem}. Give it once for all, or once for each in their order.")
    named = studies if len(studies) > 1 else list(studies) * len(sources)
    return list(zip(sources, named, strict=True))


def _by_label(sources: Sequence[Source]) -> dict[str, Source]:
    """Return sources by a label that tells them apart; raise UsageError if one is there twice."""
    places = [source.label for source in sources]
    studies = [printable(source.study_name or source.label) for source in sources]
    both = [f"{address}: {study}" for address, study in zip(places, studies, strict=True)]
    for labels in (places, studies, both):
        if len(set(labels)) == len(labels):
            return dict(zip(labels, sources, strict=True))
    twice = next((one for one in sources if sources.count(one) > 1), None)
    if twice is None:  # what differs is not shown
        return {f"{i + 1}: {both[i]}": sources[i] for i in range(len(sources))}
    raise click.UsageError(f"{twice.label} was given twice. Give each run once.")
