"""What a source is, found out without running anything that is in it."""

from __future__ import annotations

from pathlib import Path

STORAGE, TABLE, PICKLE = "an Optuna storage", "a table", "a pickled result"

_SQLITE = b"SQLite format 3\x00"
_JOURNAL = b'{"op_code"'  # every line of Optuna's journals starts with it
# Pickles since protocol 2, and what joblib and skopt.dump may compress them with: zlib, gzip,
# bz2, xz, lzma, lz4.
_PICKLES = (b"\x80", b"x\x01", b"x\x5e", b"x\x9c", b"x\xda", b"\x1f\x8b", b"BZ", b"\xfd7zXZ",
            b"]\x00\x00\x80", b"\x04\x22M\x18")  # fmt: skip
_TABLES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".csv.bz2", ".csv.xz")


def kind_of(place: str) -> tuple[str, str]:
    """Return what a source is, and its address or path.

    Parameters
    ----------
    place : str
        An address such as ``sqlite:///study.db``, or the path of a file.

    Returns
    -------
    kind : {STORAGE, TABLE, PICKLE}
        What it is.
    place : str
        The same, or the address of a file that is an SQLite database.

    Raises
    ------
    ValueError
        If there is no such file.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> kind_of("postgresql://host/trials")
    ('an Optuna storage', 'postgresql://host/trials')
    """
    if "://" in place:
        return STORAGE, place
    path = Path(place)
    if not path.is_file():
        raise ValueError(
            f"source {place!r} is neither a file nor an address such as sqlite:///study.db. "
            "Check the path."
        )
    with path.open("rb") as file:
        start = file.read(len(_SQLITE))
    if start == _SQLITE:
        return STORAGE, f"sqlite:///{path.as_posix()}"
    if start.startswith(_JOURNAL) or not start:  # a journal nobody has written to yet is empty
        return STORAGE, place
    if start.startswith(_PICKLES) and not path.name.lower().endswith(_TABLES):
        return PICKLE, place
    return TABLE, place
