"""The run that a command is about: the argument SOURCE, its options, and how it is read."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hpo_explain.cli._csv import read_csv
from hpo_explain.cli._errors import SourceError, debuggable, errors
from hpo_explain.cli._kind import PICKLE, STORAGE, TABLE, kind_of
from hpo_explain.cli._options import name_reading_option
from hpo_explain.errors import InputError, NothingToExplain
from hpo_explain.options import Direction

if TYPE_CHECKING:
    import pandas as pd

    from hpo_explain.run import Run

_FOR = {
    "study_name": STORAGE,
    "target": STORAGE,
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
    "level": TABLE,
    "trust_pickle": PICKLE,
}
_OPTIONS = (
    click.option("--study-name", help="Storage: the study, if there are several."),
    click.option("--target", help="Storage: one of several objectives, by index or name."),
    click.option("--pruned", type=click.Choice(["drop", "last"]),
                 help="Storage: leave pruned trials out (the default), or read the last value "
                 "that they reported."),
    click.option("--sampler", metavar="NAME",
                 help="Storage: the class of Optuna's sampler that chose the trials, such as "
                 "RandomSampler, with its defaults; a storage does not record it."),
    click.option("--objective", help="Table: the column of the objective."),
    click.option("--direction", type=click.Choice(["minimize", "maximize"]),
                 help="Table: which way is better; by default minimize."),
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
    level: float | None = None
    trust_pickle: bool = False

    @property
    def label(self) -> str:
        """The source as it may be shown: without the password of an address."""
        return re.sub(r"(://[^:@/]*:).*@", r"\1***@", self.source)

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
        return self._read(self._checked_kind())

    def read_all(self) -> dict[str, Run]:
        """Return a run per objective by its name, as they are now; raises as `read`."""
        kind = self._checked_kind()
        if kind != STORAGE:
            run = self._read(kind)
            return {run.objective_name: run}
        from hpo_explain.adapters.optuna.storage import read_objectives

        with _reading():
            return read_objectives(self.source, self.study_name, **self._storage_options())

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

    def _read(self, kind: str) -> Run:
        with _reading():
            return {STORAGE: self._storage, TABLE: self._table, PICKLE: self._pickle}[kind]()

    def _checked_kind(self) -> str:
        kind = kind_of(self.source)
        self._check_filled()
        self._check_options(kind)
        self._check_columns()
        return kind

    def _check_filled(self) -> None:
        """Raise ValueError where a table is meant, and the file is empty; a journal may be."""
        path = Path(self.source)
        meant = self.objective is not None or path.name.lower().endswith((".csv", ".tsv"))
        if meant and path.is_file() and path.stat().st_size == 0:
            raise InputError(
                "source",
                f"{self.source!r} is empty",
                self.source,
                "Give a file with a row of names and a row for each trial.",
            )

    def _check_options(self, kind: str) -> None:
        for name, meant in _FOR.items():
            # a count of 0 is given, an empty text and an unset flag are not
            if getattr(self, name) in (None, (), False) and getattr(self, name) != 0:
                continue
            if getattr(self, name) is not False and meant != kind:
                option = f"--{name.replace('_', '-')}"
                raise click.UsageError(f"{option} is for {meant}, but {self.label} is {kind}.")

    def _check_columns(self) -> None:
        """Raise UsageError where the command line gives one column two roles."""
        roles: dict[str, str] = {}
        for field in ("objective", "hyperparameter", "trial_column", "time_column",
                      "instance_column", "proposed_column", "fidelity_column"):  # fmt: skip
            value = getattr(self, field)
            option = f"--{field.replace('_', '-')}"
            for name in value if isinstance(value, tuple) else filter(None, [value]):
                if name in roles:
                    both = " and ".join(dict.fromkeys([roles[name], option]))
                    raise click.UsageError(f"{both} gave the column {name!r} twice. Name it once.")
                roles[name] = option

    def _storage(self) -> Run:
        from hpo_explain.adapters.optuna.storage import read_storage

        return read_storage(self.source, self.study_name, **self._storage_options())

    def _storage_options(self) -> dict[str, Any]:
        options: dict[str, Any] = {}
        if self.target is not None:
            options["target"] = int(self.target) if self.target.isdecimal() else self.target
        if self.pruned is not None:
            options["pruned"] = self.pruned
        if self.sampler is not None:
            from hpo_explain.adapters.optuna.samplers import make_sampler

            try:
                options["sampler"] = make_sampler(self.sampler)
            except InputError as error:
                raise click.UsageError(error.told(name_reading_option)) from error
        return options

    def _table(self) -> Run:
        given = (self.objective, self.trial_column, self.instance_column, self.proposed_column,
                 self.fidelity_column)  # fmt: skip
        named = {name for name in given if name is not None}
        named |= {*self.hyperparameter, *self.time_column}
        frame, read_as = read_csv(self.source, named)
        try:
            run = self._framed(frame)
        except InputError as error:
            if self.objective is None and error.argument == "objective":
                raise click.UsageError(error.told(name_reading_option)) from error
            raise
        return replace(run, notes=[*read_as, *run.notes])

    def _framed(self, frame: pd.DataFrame) -> Run:
        from hpo_explain.adapters import from_frame

        return from_frame(
            frame,
            objective=self.objective,
            direction=self.direction,
            hyperparameters=self.hyperparameter or None,
            initial=self.initial,
            proposed=self.proposed_column,
            optimizer=self.optimizer,
            trial=self.trial_column,
            time=self._time(),
            instance=self.instance_column,
            fidelity=self.fidelity_column,
            level=self.level,
        )

    def _time(self) -> str | tuple[str, str] | None:
        if len(self.time_column) > 2:
            raise click.UsageError("--time-column may be given twice: for start and finish.")
        if len(self.time_column) == 2:
            return self.time_column[0], self.time_column[1]
        return self.time_column[0] if self.time_column else None

    def _pickle(self) -> Run:
        if not self.trust_pickle:
            raise click.UsageError(
                f"{self.source} is {PICKLE}. Unpickling runs whatever code is in the file: add "
                "--trust-pickle only if you trust whoever made it."
            )
        import joblib

        from hpo_explain.adapters import as_run

        try:
            result = joblib.load(self.source)
        except Exception as error:  # any may be raised by what is in the file
            raise InputError(
                "source",
                f"{self.source!r} cannot be unpickled: {type(error).__name__}: {error}",
                self.source,
                "Make it with skopt.dump(result, path, store_objective=False), which leaves out "
                "your own code, and read it where the same packages are installed.",
            ) from error
        return as_run(result)


@contextmanager
def _reading() -> Iterator[None]:
    """Have errors name the options by which a source is read."""
    try:
        yield
    except (InputError, NothingToExplain) as error:
        raise SourceError(error) from error


def takes_source(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the argument SOURCE and its options, as one `Source`; catch its errors."""

    @functools.wraps(command)
    def with_source(*, debug: bool, **given: Any) -> None:
        names = [field.name for field in fields(Source)]
        source = Source(**{name: given.pop(name) for name in names})
        with errors(debug=debug):
            command(source, **given)

    decorated: Callable[..., None] = debuggable(with_source)
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return click.argument("source")(decorated)
