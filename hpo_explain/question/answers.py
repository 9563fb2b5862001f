"""What was answered about the same trials, so that nothing is computed twice."""

from __future__ import annotations

import hashlib
import marshal
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from threading import RLock
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

from hpo_explain.base import NothingToExplain
from hpo_explain.run import Run
from hpo_explain.space import SearchSpace

_MOST = 100  # answers about the same trials
_MOST_RUNS = 3  # whose answers are kept although nobody holds the run
_BESIDE = ("record", "model")  # objects of a framework or of the user
_PLAIN = (bool, int, float, str, bytes)
_WITHOUT_REFERENCES = 2  # version of marshal: equal values, equal bytes
_LOCK = RLock()


class Answers:
    """Results by what was asked, the latest ones; that there is nothing to explain is one, too."""

    def __init__(self) -> None:
        self._found: OrderedDict[Hashable, Any] = OrderedDict()

    def once(self, key: Hashable, answer: Callable[[], Any]) -> Any:
        """Return the answer with a key, which is computed when it is first asked for."""
        with _LOCK:
            answered = key in self._found
            if answered:
                self._found.move_to_end(key)
                result = self._found[key]
        if not answered:
            try:
                result = answer()
            except NothingToExplain as nothing:
                # its frames would hold what was computed
                result = nothing.with_traceback(None)
            with _LOCK:
                self._found[key] = result
                while len(self._found) > _MOST:
                    self._found.popitem(last=False)
        if isinstance(result, NothingToExplain):
            raise result
        return result


_OF_RUNS: WeakKeyDictionary[Run, Answers] = WeakKeyDictionary()
_SHARED: WeakKeyDictionary[Run, Answers] = WeakKeyDictionary()
_OF_TRIALS: WeakValueDictionary[bytes, Answers] = WeakValueDictionary()
_LATEST: deque[Answers] = deque(maxlen=_MOST_RUNS)


def answers_about(run: Run) -> Answers:
    """Return what was answered about this run, of which an optimizer's own model is a part."""
    with _LOCK:
        return _OF_RUNS.setdefault(run, Answers())


def answers_about_trials(run: Run) -> Answers:
    """Return what was answered by the trials alone: a study that is read anew has the same ones.

    A model of the user's may be fitted anew at any time, so that its answers are the run's own.
    """
    if run.model is not None:
        return answers_about(run)
    with _LOCK:
        if run not in _SHARED:
            read = _content(run)
            answers = Answers() if read is None else _OF_TRIALS.get(read)
            _SHARED[run] = answers = Answers() if answers is None else answers
            if read is not None:
                _OF_TRIALS[read] = answers
        answers = _SHARED[run]
        if answers in _LATEST:
            _LATEST.remove(answers)
        _LATEST.append(answers)
        return answers


def forget() -> None:
    """Have everything be answered again; fits stay."""
    with _LOCK:
        for memory in (_OF_RUNS, _SHARED, _OF_TRIALS, _LATEST):
            memory.clear()


def _content(run: Run) -> bytes | None:
    """Return a digest of all that was read; None where it holds something that may change."""
    read = [getattr(run, one.name) for one in fields(run) if one.init and one.name not in _BESIDE]
    try:
        key = key_of(read)
    except TypeError:
        return None
    return hashlib.sha256(marshal.dumps(key, _WITHOUT_REFERENCES)).digest()


def key_of(value: Any) -> Any:
    """Return what tells a value from others, of plain values only.

    Raises
    ------
    TypeError
        If it is an object, which may be another one in a moment.

    Examples
    --------
    >>> key_of({"x": [1, 2]}) == key_of({"x": [1, 2]}), key_of(True) == key_of(1)
    (True, False)
    """
    if isinstance(value, np.ndarray) and value.dtype != object:
        return ("array", value.shape, value.dtype.str, value.tobytes())
    if isinstance(value, Mapping):
        items = value.items()
        return ("mapping", *((key_of(k), key_of(held)) for k, held in items))
    if isinstance(value, (list, tuple)):
        return ("sequence", *(key_of(held) for held in value))
    if isinstance(value, SearchSpace):
        return ("space", key_of(value.parameters), key_of(value.order_key))
    if is_dataclass(value):
        held = [getattr(value, one.name) for one in fields(value)]
        return (type(value).__name__, *(key_of(one) for one in held))
    if isinstance(value, (Enum, np.generic)):
        plain = value.value if isinstance(value, Enum) else value.item()
        return (type(value).__name__, plain)
    if value is None or isinstance(value, _PLAIN):
        return (type(value).__name__, value)
    raise TypeError(f"a {type(value).__name__} may change")
