"""What a server may open: what it was started with, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from hpo_explain.adapters.addresses import shown_address
from hpo_explain.adapters.formats import PICKLE, place_of, runs_in
from hpo_explain.base.errors import InputError

_MOST = 50  # that are listed


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
            found += [
                path.relative_to(folder).as_posix()
                for path in _may_read(folder)
            ]
        return found

    def opened(self, name: object) -> str:
        """Return the address of what is asked for.

        Raises
        ------
        InputError
            If the server was not started with it, or reading it would run code.
        """
        found = self.addresses.get(name) if isinstance(name, str) else None
        for folder in (
            self.folders if found is None and isinstance(name, str) else ()
        ):
            path = folder / str(name).removeprefix("sqlite:///")
            if path.exists() and path.resolve().is_relative_to(folder):
                found = str(path.resolve())
                break
        if found is None:
            problem = f"was {name!r}, which this server was not started with"
            listed = (
                ", ".join(map(repr, islice(self.names(), _MOST))) or "nothing"
            )
            remedy = f"It reads: {listed}. To read more, start it with their folder or address."
            raise InputError("study", problem, name, remedy)
        if "://" not in found and place_of(found).format is PICKLE:
            problem = f"is {name!r}, a pickle, which would run the code that is in it"
            remedy = "Use the command line, where --trust-pickle allows that."
            raise InputError("study", problem, name, remedy)
        return found


def _may_read(folder: Path) -> list[Path]:
    """Return the runs in a folder, without what runs code or leads out of it."""
    places = [place for place in runs_in(folder) if place.format is not PICKLE]
    paths = [Path(place.path) for place in places]
    return [path for path in paths if path.resolve().is_relative_to(folder)]
