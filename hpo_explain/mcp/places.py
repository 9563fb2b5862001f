"""What a server may open: what it was started with, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from hpo_explain.adapters.addresses import shown_address
from hpo_explain.adapters.formats import PICKLE, Place, place_of, runs_in
from hpo_explain.base.errors import InputError

_MOST = 50  # that are listed
_LONGEST = 200  # characters of a name in an error


@dataclass(frozen=True)
class Places:
    """Folders, and addresses by the text that is shown of them: without a password."""

    folders: tuple[Path, ...]
    addresses: Mapping[str, str]

    @classmethod
    def of(cls, given: Sequence[str]) -> Places:
        """Return the places that a server is started with.

        Raises
        ------
        InputError
            If one is neither a folder, a file nor an address.
        """
        folders = tuple(
            Path(one).resolve() for one in given if Path(one).is_dir()
        )
        others = [one for one in given if not Path(one).is_dir()]
        for one in others:
            if "://" not in one and not Path(one).is_file():
                shown = shown_address(one)
                problem = (
                    f"{shown!r} is neither a folder, a file nor an address"
                )
                remedy = f"Paths start from {str(Path.cwd())!r}."
                raise InputError("place", problem, shown, remedy)
        return cls(folders, {shown_address(one): one for one in others})

    def names(self) -> list[str]:
        """Return what can be asked for: files by their paths in a folder, and addresses."""
        found = list(self.addresses)
        for folder in self.folders:
            runs = _runs_by_name(folder).items()
            found += [name for name, run in runs if run.format is not PICKLE]
        return found

    def opened(self, name: object) -> str:
        """Return the address of what is asked for.

        Raises
        ------
        InputError
            If the server was not started with it, or reading it would run code.
        """
        found = self.addresses.get(name) if isinstance(name, str) else None
        for folder in self.folders if isinstance(name, str) else ():
            run = _runs_by_name(folder).get(
                str(name).removeprefix("sqlite:///")
            )
            if found is None and run is not None:
                _check_is_data(name, run)
                found = run.path
        if found is None:
            shown = abridged_name(name)
            problem = f"was {shown}, which this server was not started with"
            listed = (
                ", ".join(map(repr, islice(self.names(), _MOST))) or "nothing"
            )
            remedy = f"It reads: {listed}. To read more, start it with their folder or address."
            raise InputError("study", problem, shown, remedy)
        if "://" not in found:
            _check_is_data(name, place_of(found))
        return found


def abridged_name(name: object) -> str:
    """Return a name as an error quotes it: an assistant may send megabytes."""
    text = repr(name)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _check_is_data(name: object, run: Place) -> None:
    """Raise InputError where reading a file would run the code that is in it."""
    if run.format is PICKLE:
        problem = (
            f"is {name!r}, a pickle, which would run the code that is in it"
        )
        remedy = "Use the command line, where --trust-pickle allows that."
        raise InputError("study", problem, name, remedy)


def _runs_by_name(folder: Path) -> dict[str, Place]:
    """Return the runs in a folder by their paths in it, without what leads out of it.

    What is listed and what is opened are these: nothing hidden, and no text that is no table.
    """
    return {
        Path(run.path).relative_to(folder).as_posix(): run
        for run in runs_in(folder)
        if Path(run.path).resolve().is_relative_to(folder)
    }
