"""Addresses of databases as they may be shown: nothing in them that may be a secret."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r"[\w+.-]*:(//|[^\s'\"]*@)[^\s'\"]*")
_SHOWN = frozenset(
    (
        "charset",
        "connect_timeout",
        "host",
        "immutable",
        "mode",
        "nolock",
        "port",
        "sslmode",
        "timeout",
        "unix_socket",
        "uri",
        "vfs",
    )
)
"""Options of drivers that are shown with their values; any other one may be a password."""


def shown_address(place: str) -> str:
    """Return a place as it may be shown: an address without its password and unknown options.

    What SQLAlchemy cannot parse, or parses in a way that tears a password apart, is hidden as a
    whole.

    Parameters
    ----------
    place : str
        An address, or the path of a file, which is shown as it is.

    Examples
    --------
    >>> shown_address("mysql://me:secret@host/trials?password=secret")
    'mysql://me:***@host/trials?password=***'
    >>> shown_address("postgresql://me:a@secret@host/trials")
    'postgresql://***'
    """
    if "://" not in place:  # or one of which a slash was forgotten
        return re.sub(r":.*@", ":***@", place)
    scheme, _, rest = place.strip().partition("://")
    hidden = f"{re.sub(r'[^a-zA-Z0-9+]', '', scheme)}://{rest and '***'}"
    try:
        from sqlalchemy.engine import make_url

        url = make_url(place.strip())
    except (ImportError, ValueError, TypeError):
        return hidden
    except Exception as error:  # of SQLAlchemy, which may not be installed
        if type(error).__module__.startswith("sqlalchemy."):
            return hidden
        raise
    parts = (url.username, url.host, url.database)
    with_server = url.username or url.password or url.host
    if with_server and any("@" in part for part in parts if part):
        return hidden
    if url.password is None and {*url.query} <= _SHOWN:
        return place.strip()
    shown = url.set(query={}).render_as_string(hide_password=True)
    options = "&".join(
        f"{name}={value if name in _SHOWN else '***'}" for name, value in url.query.items()
    )
    return f"{shown}?{options}" if options else shown


def without_secrets(text: str, place: str = "") -> str:
    """Return a text, such as a driver's error, in which addresses are as they may be shown.

    Parameters
    ----------
    text : str
        The text.
    place : str, optional
        An address that the text is about, of which it may quote a part.

    Examples
    --------
    >>> without_secrets("cannot open mysql://me:secret@host/trials")
    'cannot open mysql://me:***@host/trials'
    """
    text = _ADDRESS.sub(lambda found: shown_address(found[0]), text)
    quoted = (part for part in _parts(place) if len(part) > 1)
    for part in sorted(quoted, key=len, reverse=True):
        text = text.replace(part, "***")
    return text


def _parts(place: str) -> set[str]:
    """Return the parts of an address that are not shown of it."""
    if "://" not in place:
        return set()
    separators = r"[:/@?&=\s]"
    shown = set(re.split(separators, shown_address(place)))
    return {*re.split(separators, place)} - shown
