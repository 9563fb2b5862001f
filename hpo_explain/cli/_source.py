"""The run that a command is about: the argument SOURCE, its options, and how it is read."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from hpo_explain.adapters.file_kind import PICKLE, STORAGE, TABLE, kind_of
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.options import MEASURED, Direction
from hpo_explain.base.phrases import printable
from hpo_explain.cli._errors import SourceError, debuggable, errors, name_reading_option

if TYPE_CHECKING:
    from hpo_explain.run import Run

_FOR = {
    "study_name": STORAGE,
    "pruned": STORAGE,
    "sampler": STORAGE,
    "objective": TABLE,
    "direction": TABLE,
    "hyperparameter": TABLE,
    "trial_column": TABLE,
    "time_column": TABLE,
    "instance_column": TABLE,
    "initial": TABLE,
    "proposed_column": TABLE,
    "optimizer": TABLE,
    "fidelity_column": TABLE,
    "duration_column": TABLE,
    "status_column": TABLE,
    "level": TABLE,
    "trust_pickle": PICKLE,
}
_STUDY = click.option("--study-name", help="Storage: the study, if there are several.")
_STUDIES = click.option(
    "--study-name", multiple=True,
    help="Storage: the study, if there are several; given again for each source, or for each study "
    "of one source.",
)  # fmt: skip


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


_TRIALS = click.option("--trials", type=Trials(), help="Read these trials only: 50: or 3,5,8.")
_OPTIONS = (
    click.option("--target", help="Explain what trials took (duration), which failed (failed), or "
                 "failed or broke a constraint (infeasible); of a storage also one of several "
                 "objectives, by index or name."),
    click.option("--bounds", type=float, nargs=2, metavar="LOW HIGH",
                 help="The objective's natural range, such as 0 1; by default known by its name."),
    click.option("--pruned", type=click.Choice(["drop", "last"]),
                 help="Storage: leave pruned trials out (the default), or read the last value "
                 "that they reported."),
    click.option("--sampler", metavar="NAME",
                 help="Storage: the class of Optuna's sampler that chose the trials, such as "
                 "RandomSampler, with its defaults; a storage does not record it."),
    click.option("--objective", help="Table: the column of the objective."),
    click.option("--direction", type=click.Choice(["minimize", "maximize"]),
                 help="Table: which way is better; by default as the objective's name says."),
    click.option("--hyperparameter", multiple=True, metavar="COLUMN",
                 help="Table: a column to read, may be repeated; by default every other one."),
    click.option("--trial-column", metavar="COLUMN", help="Table: the trials' numbers."),
    click.option("--time-column", multiple=True, metavar="COLUMN",
                 help="Table: a time that orders the rows, or twice: start and finish."),
    click.option("--instance-column", metavar="COLUMN",
                 help="Table: the fold or data set, if a trial has a row for each."),
    click.option("--initial", type=click.IntRange(min=0),
                 help="Table: how many trials came first and were chosen by no model."),
    click.option("--proposed-column", metavar="COLUMN",
                 help="Table: says which trials a model chose; without it, --initial and "
                 "--optimizer none counts as a proposal."),
    click.option("--optimizer", metavar="NAME",
                 help="Table: what ran the optimization and chose the trials."),
    click.option("--fidelity-column", metavar="COLUMN",
                 help="Table: the epochs, samples or other budget; the highest counts."),
    click.option("--duration-column", metavar="COLUMN",
                 help="Table: how long a trial took, in seconds."),
    click.option("--status-column", metavar="COLUMN",
                 help="Table: whether a trial finished, failed or was pruned."),
    click.option("--level", type=float, help="Table: the fidelity that counts in its place."),
    click.option("--trust-pickle", is_flag=True,
                 help="Unpickle the file, which runs whatever code is in it."),
)  # fmt: skip


@dataclass(frozen=True)
class Source:
    """Where a run is, and how it is to be read; the fields are the command line's options."""

    source: str
    study_name: str | None = None
    target: str | None = None
    bounds: tuple[float, float] | None = None
    trials: slice | list[int] | None = None
    pruned: str | None = None
    sampler: str | None = None
    objective: str | None = None
    direction: Direction | None = None
    hyperparameter: tuple[str, ...] = ()
    trial_column: str | None = None
    time_column: tuple[str, ...] = ()
    instance_column: str | None = None
    initial: int | None = None
    proposed_column: str | None = None
    optimizer: str | None = None
    fidelity_column: str | None = None
    duration_column: str | None = None
    status_column: str | None = None
    level: float | None = None
    trust_pickle: bool = False

    @property
    def label(self) -> str:
        """The source as it may be shown: without the password of an address."""
        return printable(re.sub(r"(://[^:@/]*:).*@", r"\1***@", self.source))

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

        kind = self._checked_kind()
        with self._reading():
            return as_run(self.source, **self._given(kind))

    def read_all(self) -> dict[str, Run]:
        """Return a run per objective by its name, as they are now; raises as `read`."""
        from hpo_explain.adapters.sources import as_runs

        kind = self._checked_kind()
        with self._reading():
            return as_runs(self.source, **self._given(kind))

    def is_still_empty(self) -> bool:
        """Say whether it is a study without a complete trial: one that has just begun.

        Raises
        ------
        TimeoutError
            If a storage stays locked by another process.
        ValueError or OSError
            If it cannot be opened.
        """
        if kind_of(self.source) != STORAGE:
            return False
        from hpo_explain.adapters.optuna.storage import has_finished_trials

        return not has_finished_trials(self.source, self.study_name)

    def _checked_kind(self) -> str:
        from hpo_explain.adapters.files import check_filled, check_trusted

        kind = kind_of(self.source)
        check_filled(self.source, self.objective)
        self._check_options(kind)
        self._check_columns()
        if kind == PICKLE:
            try:
                check_trusted(self.source, trust_pickle=self.trust_pickle)
            except InputError as error:
                raise click.UsageError(error.told(name_reading_option)) from error
        return kind

    def _check_options(self, kind: str) -> None:
        for name, meant in _FOR.items():
            # a count of 0 is given, an empty text and an unset flag are not
            if getattr(self, name) in (None, (), False) and getattr(self, name) != 0:
                continue
            if getattr(self, name) is not False and meant != kind:
                option = f"--{name.replace('_', '-')}"
                raise click.UsageError(f"{option} is for {meant}, but {self.label} is {kind}.")
        if self.target not in (None, *MEASURED) and kind != STORAGE:
            raise click.UsageError(f"--target is for {STORAGE}, but {self.label} is {kind}.")

    def _check_columns(self) -> None:
        """Raise UsageError where the command line gives one column two roles."""
        roles: dict[str, str] = {}
        for field in ("objective", "hyperparameter", "trial_column", "time_column",
                      "instance_column", "proposed_column", "fidelity_column", "duration_column",
                      "status_column"):  # fmt: skip
            value = getattr(self, field)
            option = f"--{field.replace('_', '-')}"
            for name in value if isinstance(value, tuple) else filter(None, [value]):
                if name in roles:
                    both = " and ".join(dict.fromkeys([roles[name], option]))
                    raise click.UsageError(f"{both} gave the column {name!r} twice. Name it once.")
                roles[name] = option

    def _given(self, kind: str) -> dict[str, Any]:
        """Return the options as those of reading in Python, without those that were not given."""
        options = {STORAGE: self._of_storage, TABLE: self._of_table}.get(kind, self._of_pickle)()
        options |= {"bounds": self.bounds, "trials": self.trials}
        return {name: value for name, value in options.items() if value is not None}

    def _of_storage(self) -> dict[str, Any]:
        target: str | int | None = self.target
        if self.target is not None and self.target.isdecimal():
            target = int(self.target)
        return {
            "study_name": self.study_name,
            "target": target,
            "pruned": self.pruned,
            "sampler": self._sampler(),
        }

    def _sampler(self) -> Any:
        if self.sampler is None:
            return None
        from hpo_explain.adapters.optuna.samplers import make_sampler

        try:
            return make_sampler(self.sampler)
        except InputError as error:
            raise click.UsageError(error.told(name_reading_option)) from error

    def _of_table(self) -> dict[str, Any]:
        return {
            "objective": self.objective,
            "direction": self.direction,
            "hyperparameters": self.hyperparameter or None,
            "initial": self.initial,
            "proposed": self.proposed_column,
            "optimizer": self.optimizer,
            "trial": self.trial_column,
            "time": self._time(),
            "instance": self.instance_column,
            "fidelity": self.fidelity_column,
            "level": self.level,
            "duration": self.duration_column,
            "status": self.status_column,
            "target": self.target,
        }

    def _of_pickle(self) -> dict[str, Any]:
        return {"trust_pickle": self.trust_pickle, "target": self.target}

    def _time(self) -> str | tuple[str, str] | None:
        if len(self.time_column) > 2:
            raise click.UsageError("--time-column may be given twice: for start and finish.")
        if len(self.time_column) == 2:
            return self.time_column[0], self.time_column[1]
        return self.time_column[0] if self.time_column else None

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Have errors name the options by which a source is read."""
        try:
            yield
        except InputError as error:
            needed = {"objective": self.objective, "direction": self.direction}
            if needed.get(error.argument, "") is None:
                raise click.UsageError(error.told(name_reading_option)) from error
            raise SourceError(error) from error
        except NothingToExplain as error:
            raise SourceError(error) from error


def takes_source(command: Callable[..., None], own: Collection[str] = ()) -> Callable[..., None]:
    """Give a command the argument SOURCE and its options, as one `Source`; catch its errors.

    One that has options of its `own` of the same name has those.
    """

    @functools.wraps(command)
    def with_source(*, source: str, debug: bool, **given: Any) -> None:
        found = Source(source, **_taken_out(given))
        with errors(debug=debug):
            command(found, **given)

    if "trials" not in own:
        with_source = _TRIALS(with_source)
    return click.argument("source")(_with_options(_STUDY, with_source))


def takes_sources(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command several SOURCE and their options, as `Source` by label; catch its errors."""

    @functools.wraps(command)
    def with_sources(*, sources: tuple[str, ...], debug: bool, **given: Any) -> None:
        options = _taken_out(given)
        places = _places(sources, options.pop("study_name"))
        found = [Source(place, study_name=study, **options) for place, study in places]
        with errors(debug=debug):
            command(_by_label(found), **given)

    several = click.argument("sources", nargs=-1, required=True, metavar="SOURCE SOURCE...")
    return several(_with_options(_STUDIES, _TRIALS(with_sources)))


def _taken_out(given: dict[str, Any]) -> dict[str, Any]:
    """Take the options of a source out of those given, and return them."""
    return {field.name: given.pop(field.name) for field in fields(Source) if field.name in given}


def _places(sources: Sequence[str], studies: Sequence[str]) -> list[tuple[str, str | None]]:
    """Return each source with its study; raise UsageError where it is open which is whose."""
    if not studies:
        return [(source, None) for source in sources]
    if len(sources) == 1:
        return [(sources[0], study) for study in studies]
    if len(studies) not in (1, len(sources)):
        raise click.UsageError(
            f"--study-name was given {len(studies)} times for {len(sources)} sources. Give it "
            "once for all, or once for each source in their order."
        )
    named = studies if len(studies) > 1 else list(studies) * len(sources)
    return list(zip(sources, named, strict=True))


def _by_label(found: Sequence[Source]) -> dict[str, Source]:
    """Return sources by a label that tells them apart; raise UsageError if one is there twice."""
    places = [source.label for source in found]
    studies = [printable(source.study_name or source.label) for source in found]
    both = [f"{place}: {study}" for place, study in zip(places, studies, strict=True)]
    for labels in (places, studies, both):
        if len(set(labels)) == len(labels):
            return dict(zip(labels, found, strict=True))
    twice = next(source for source in found if found.count(source) > 1)
    raise click.UsageError(f"{twice.label} was given twice. Give each run once.")


def _with_options(study: Callable[..., Any], command: Callable[..., None]) -> Callable[..., None]:
    decorated: Callable[..., None] = debuggable(command)
    for option in reversed((study, *_OPTIONS)):
        decorated = option(decorated)
    return decorated
