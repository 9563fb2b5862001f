"""What a server may open: what it was started with, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpo_explain.adapters.addresses import shown_address
from hpo_explain.adapters.formats import PICKLE, STORAGE, TABLE, Place, place_of, runs_in
from hpo_explain.base.errors import InputError
from hpo_explain.base.phrases import abridged, printable
from hpo_explain.mcp.limits import LONGEST_NAME, quoted

_MOST_LISTED = 200  # runs, and studies of a storage


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
            If one is neither a folder, a file nor an address, or would run code where it is read.
        """
        folders = tuple(Path(text).resolve() for text in given if Path(text).is_dir())
        others = [text for text in given if not Path(text).is_dir()]
        for address in others:
            shown, is_path = shown_address(address), "://" not in address
            if is_path and not Path(address).is_file():
                problem = f"{shown!r} is neither a folder, a file nor an address"
                remedy = f"Paths start from {str(Path.cwd())!r}."
                raise InputError("place", problem, shown, remedy)
            if is_path and place_of(address).format is PICKLE:
                problem = f"{shown!r} is a pickle, which would run the code in it"
                remedy = "Use the command line, where --trust-pickle allows that."
                raise InputError("place", problem, shown, remedy)
        return cls(folders, {shown_address(address): address for address in others})

    def _addresses_by_name(self, name: str | None = None) -> dict[str, str]:
        """Return the addresses of all that can be asked for, or of what has a name."""
        addresses = {**self.addresses}
        for folder in self.folders:
            for run, path in _runs_in(folder, name).items():
                addresses.setdefault(run, path)
        return addresses

    def listed(self) -> list[dict[str, Any]]:
        """Return the names of what can be asked for, and of the studies that a storage holds."""
        addresses = [*self._addresses_by_name().items()]
        entries = [self._entry(*named) for named in addresses[:_MOST_LISTED]]
        # an empty log may be a journal that nobody has written to
        entries = [entry for entry in entries if entry.get("study_names") != []]
        more = len(addresses) - _MOST_LISTED
        if more > 0:
            entries.append({"left_out": more})
        return entries

    def _entry(self, name: str, address: str) -> dict[str, Any]:
        entry: dict[str, Any] = {"study": printable(name)}
        try:
            if place_of(address).format is STORAGE:
                from hpo_explain.adapters.optuna.storage import study_names

                names = study_names(address)
                listed = [study[:LONGEST_NAME] for study in names[:_MOST_LISTED]]
                entry["study_names"] = [*map(printable, listed)]
                if len(names) > _MOST_LISTED:
                    entry["left_out"] = len(names) - _MOST_LISTED
        except Exception as error:  # one damaged file hides no other
            problem = self.named(str(error))
            entry["unreadable"] = printable(problem[:LONGEST_NAME])
        return entry

    def opened(self, name: str) -> str:
        """Return the address of what is asked for.

        Raises
        ------
        InputError
            If the server was not started with it.
        """
        for run in (name, name.removeprefix("sqlite:///")):
            addresses = self._addresses_by_name(run)
            if run in addresses:
                return addresses[run]
        shown = {printable(run): address for run, address in self._addresses_by_name().items()}
        if name in shown:  # as it is listed
            return shown[name]
        problem = f"was {quoted(name)}, which this server was not started with"
        names = abridged([*map(quoted, shown)], 30)
        remedy = (
            f"It reads: {names or 'nothing'}. To read more, start it with their folder or address."
        )
        raise InputError("study", problem, name, remedy)

    def named(self, text: str) -> str:
        """Return a text in which files are called by their names in a folder."""
        for folder in self.folders:
            text = text.replace(f"{folder}{os.sep}", "")
        return text


def _runs_in(folder: Path, name: str | None) -> dict[str, str]:
    """Return the paths of runs in a folder by their names in it: what is listed and opened.

    Nothing hidden, no pickle, no text that is no table, and nothing that leads out of the folder.
    """
    leading_to = None if name is None else folder / name
    return {
        Path(run.path).relative_to(folder).as_posix(): run.path
        for run in runs_in(folder, leading_to)
        if run.format is not PICKLE
        and not _may_be_prose(run)
        and all(file.resolve().is_relative_to(folder) for file in _files_of(Path(run.path)))
    }


def _may_be_prose(run: Place) -> bool:
    """Say whether a text is called as notes and passwords are, too."""
    return run.format is TABLE and run.path.lower().endswith(".txt")


def _files_of(path: Path) -> Iterator[Path]:
    """Yield a file, or a folder that is a run and all that is in it."""
    yield path
    if path.is_dir():
        yield from path.rglob("*")
