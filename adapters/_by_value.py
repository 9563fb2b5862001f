"""Pickling what a user defined in a script or a notebook, which another process cannot import."""

from __future__ import annotations

import pickle
from typing import Any


def by_value(thing: Any) -> Any:
    """Return a stand-in for an object, which pickles, and is the object when unpickled.

    Functions and classes of the main program are pickled with their code.

    Examples
    --------
    >>> import pickle
    >>> pickle.loads(pickle.dumps(by_value(lambda n: n + 1)))(2)
    3
    """
    import joblib

    return joblib.wrap_non_picklable_objects(thing, keep_wrapper=False)


def dumped(thing: Any) -> bytes:
    """Return an object pickled by value.

    Raises
    ------
    Exception
        Of whatever kind, if it holds what cannot be pickled: a lock, an open file, a connection.
    """
    return pickle.dumps(by_value(thing))
