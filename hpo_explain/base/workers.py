"""Interpreters that make calls beside this one, and end when what they work for is interrupted."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import current_process
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, RLock, Thread
from threading import current_thread as this_thread
from typing import Any, TypeVar

from hpo_explain.base.garbage import seldom_searched

_T = TypeVar("_T")
_LOOK = 0.5  # seconds between two looks at whether the parent is there
_PATIENCE = 5.0  # seconds until who ended an interpreter goes on without it
_WAIT = 0.2  # seconds for which Ctrl-C is not heeded on Windows
_LISTENS = b"hpo-explain listens\n"
_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMBA", "NUMEXPR", "VECLIB_MAXIMUM")
_STARTING = RLock()  # what a fork keeps open of an interpreter that starts holds this one up
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_STARTING.acquire,
        after_in_parent=_STARTING.release,
        after_in_child=_STARTING.release,
    )
SIDE_BY_SIDE = {f"{library}_NUM_THREADS": "1" for library in _LIBRARIES}
"""Environment of interpreters that share the cores."""


# ---------------------------------------------------------------------- one interpreter


class LostError(ChildProcessError):
    """An interpreter ended before it answered."""


class ElsewhereError(Exception):
    """What another interpreter raised, with its traceback, as the cause of what is raised here."""


class Interpreter:
    """Another interpreter, which makes calls: the only place where any is started.

    It looks for modules where this one does, from its first import on. ``python -m`` and ``-c``
    would look into the working directory first, and run a ``pickle.py`` that somebody left there;
    for what nobody else has it is looked at last, if this one looks there. It does not hear Ctrl-C
    of the terminal, and ends with this process.

    Parameters
    ----------
    environment : mapping of str to str
        Variables that differ from this process's.

    Raises
    ------
    OSError
        If it cannot be started.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        here = [""]
        with suppress(OSError):  # where it was removed
            here.append(str(Path.cwd()))
        places = [place for place in sys.path if isinstance(place, str)]
        places.sort(key=lambda place: place in here)
        code = (
            f"import sys; sys.path[:] = {places!r}; "
            f"from hpo_explain.base.workers import serve; serve({os.getpid()})"
        )
        isolated = ["-I"] if sys.flags.isolated else []
        with _STARTING:
            self._process = subprocess.Popen(
                [sys.executable, *isolated, "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, **environment},
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def ask(self, content: bytes) -> Any:
        """Return or raise what comes of a call, dumped.

        Raises
        ------
        LostError
            If it ends before it answers.
        """
        requests: Any = self._process.stdin
        answers: Any = self._process.stdout
        try:
            pickle.dump(content, requests)
            requests.flush()
            # the first time after what others print as it begins
            while answers.readline() not in (_LISTENS, b""):
                pass
            answer = pickle.load(answers)
        except (OSError, EOFError):
            self.close()
            code = self._process.returncode
            how = f"exit code {code}" if code >= 0 else _name_of(-code)
            raise LostError(f"the process that was to do it has ended: {how}") from None
        returned, error, where = pickle.loads(answer)
        if error is not None:
            raise error from ElsewhereError(f"\n{where}")
        return returned

    @property
    def is_there(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End it with what it has started, whatever it is at."""
        with suppress(ProcessLookupError, PermissionError):
            if self.is_there and hasattr(os, "killpg"):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.kill()

    def close(self) -> None:
        """End it, and leave nothing open; only for who asks."""
        self.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]


def _name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def dumped(thing: Any) -> bytes:
    """Return an object as another interpreter loads it, with what the main program defines.

    Raises
    ------
    Exception
        Of whatever kind, if it holds what cannot be sent: a lock, an open file, a connection.

    Examples
    --------
    >>> import pickle
    >>> pickle.loads(dumped(lambda n: n + 1))(2)
    3
    """
    import cloudpickle

    content: bytes = cloudpickle.dumps(thing)
    return content


class ByValue:
    """A stand-in for an object, which pickles and copies, and is the object when unpickled.

    Parameters
    ----------
    thing : object
        What `dumped` takes, such as a function of the main program.

    Examples
    --------
    >>> import pickle
    >>> pickle.loads(pickle.dumps(ByValue(lambda n: n + 1)))(2)
    3
    """

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __reduce__(self) -> tuple[Callable[[bytes], Any], tuple[bytes]]:
        return pickle.loads, (dumped(self.thing),)


def serve(parent: int) -> None:
    """Make the calls that another process asks for, until it ends."""
    nothing = os.open(os.devnull, os.O_RDWR)  # is the standard error where that is closed
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(nothing, 0)
    if nothing != 2:
        os.close(nothing)
    os.dup2(2, 1)  # what calls print is no answer
    _end_with(parent)
    with suppress(EOFError), seldom_searched():
        while True:
            answer = _answer(pickle.load(requests))
            answers.write(_LISTENS)
            pickle.dump(answer, answers)
            answers.flush()
            # a belief and its draws refer to each other: Python would find late that nobody
            # needs them
            gc.collect()


def _answer(content: bytes) -> bytes:
    """Return what a call returned, or what it raised and where."""
    try:
        function, given, named = pickle.loads(content)
        return dumped((function(*given, **named), None, ""))
    except Exception as error:
        where = "".join(traceback.format_exception(error))
        with suppress(Exception):
            raised = dumped((None, error, where))
            pickle.loads(raised)  # which some errors refuse
            return raised
        described = RuntimeError(f"{type(error).__name__}: {error}")
        return dumped((None, described, where))


_parent: int | None = None  # with which this process ends


def is_worker() -> bool:
    """Say whether this process works for another one, whose terminal is not its own."""
    return _parent is not None


def _end_with(parent: int) -> None:
    """Have this process end when its parent does, also when that is killed.

    Whoever kills the parent cannot know its workers, which would go on for minutes.
    """
    global _parent
    _parent = parent
    Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)


# ---------------------------------------------------------------------- several


class Workers:
    """Interpreters that make calls, each started when there is something to do.

    One that dies loses its call; for the next one another is started.

    Parameters
    ----------
    count : int
        The most that work at a time.
    environment : mapping of str to str, optional
        Variables that differ from this process's.

    Examples
    --------
    >>> workers = Workers(1)
    >>> workers.submit(divmod, 7, 2).result()
    (3, 1)
    >>> workers.end()
    """

    def __init__(self, count: int, environment: Mapping[str, str] | None = None) -> None:
        self.count = count
        self._environment = environment or {}
        self._calls: SimpleQueue[tuple[Future[Any], bytes] | None] = SimpleQueue()
        self._threads: list[Thread] = []
        self._interpreters: list[Interpreter] = []
        self._changing = Lock()
        self._over = False

    def submit(self, function: Callable[..., Any], *given: Any, **named: Any) -> Future[Any]:
        """Have a call made; one that cannot be sent has failed."""
        future: Future[Any] = Future()
        try:
            content = dumped((function, given, named))
        except Exception as error:
            future.set_exception(error)
            return future
        if len(self._threads) < self.count:
            # a program that ends does not wait for it
            thread = Thread(target=self._work, daemon=True)
            thread.start()
            self._threads.append(thread)
        self._calls.put((future, content))
        return future

    def _work(self) -> None:
        """Have an interpreter make calls until there are no more."""
        beside: Interpreter | None = None
        while (call := self._calls.get()) is not None:
            future, content = call
            if future.set_running_or_notify_cancel():
                try:
                    if beside is None or not beside.is_there:
                        beside = self._another(beside)
                    future.set_result(beside.ask(content))
                except BaseException as error:
                    future.set_exception(error)
            del call, future, content  # it holds nothing while it waits
        if beside is not None:
            beside.close()

    def _another(self, lost: Interpreter | None) -> Interpreter:
        with self._changing:
            if self._over:
                raise LostError("the work is given up")
            if lost is not None:
                lost.close()
                self._interpreters.remove(lost)
            self._interpreters.append(Interpreter(self._environment))
            return self._interpreters[-1]

    def end(self) -> None:
        """End the interpreters, whatever they are at; calls that were not begun are given up."""
        with self._changing:
            self._over = True
        with suppress(Empty):
            while True:
                call = self._calls.get_nowait()
                if call is not None:
                    call[0].cancel()
        for interpreter in self._interpreters:
            interpreter.kill()
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads:
            if thread is not this_thread():
                thread.join(_PATIENCE)


def awaited(future: Future[_T], meanwhile: Callable[[], object] = lambda: None) -> _T:
    """Return what an interpreter answers, or raise it, and do something every now and then."""
    while not wait([future], timeout=_WAIT).done:
        meanwhile()
    return future.result()


def may_have_workers() -> bool:
    """Say whether this process may start others; what others work with may not."""
    return not is_worker() and not current_process().daemon


def _made(call: tuple[Any, ...]) -> Any:
    """Make a delayed call."""
    function, positional, named = call
    return function(*positional, **named)


def _let_go(call: tuple[Any, ...]) -> Any:
    """Make a delayed call in a worker, which holds nothing of it but its answer afterwards.

    A belief and its draws refer to each other, so that Python finds late that nobody needs them.
    """
    answer = _made(call)
    gc.collect()
    return answer


@contextmanager
def workers_of(scheduler: str | None, *, module: str = "hpo_explain") -> Iterator[None]:
    """Return a context in which joblib's workers are those of a dask scheduler, if one is named.

    The work of a worker that dies is done by others. While there is none at all, the scheduler
    waits for new ones.

    Parameters
    ----------
    scheduler : str or None
        Its address, such as "tcp://10.0.0.1:8786"; None leaves the workers as they are.
    module : str, default "hpo_explain"
        What the workers must have.

    Raises
    ------
    ImportError
        If a worker does not have the module, for whose answer joblib would wait for ever.
    ValueError
        If dask is not installed.
    OSError
        If no scheduler answers, or no worker: work is given up of which several die.

    Examples
    --------
    >>> with workers_of(None):
    ...     list(by_workers(None, ()))
    []
    """
    if scheduler is None:
        yield
        return
    from joblib import parallel_config
    from joblib.parallel import get_active_backend

    with parallel_config(backend="dask", scheduler_host=scheduler):
        backend = get_active_backend()[0]
        _tell_errors(backend)
        client = backend.client
        try:
            client.run(exec, f"import {module}")
            yield
        finally:
            client.close()


def _tell_errors(backend: Any) -> None:
    """Have joblib's backend for dask raise what becomes of work that no worker answers.

    It calls back for results alone: of work that killed all its workers it would wait for ever.
    """
    submit = backend.submit
    retrieve = backend.retrieve_result_callback

    def submitted(work: Any, callback: Callable[[Any], object]) -> Future[Any]:
        def tell(done: Future[Any]) -> None:
            error = done.exception()
            if error is not None:
                callback(_Unanswered(error))

        answer: Future[Any] = submit(work, callback)
        answer.add_done_callback(tell)
        return answer

    def retrieved(answer: Any) -> Any:
        if not isinstance(answer, _Unanswered):
            return retrieve(answer)
        raise ChildProcessError(f"no worker answers: {answer.error}") from answer.error

    backend.submit = submitted
    backend.retrieve_result_callback = retrieved


@dataclass(frozen=True)
class _Unanswered:
    """What became of work without an answer."""

    error: BaseException


def by_workers(n_jobs: int | None, work: Iterable[Any]) -> Iterator[Any]:
    """Return what workers make of delayed calls, in their order, as it comes.

    Parameters
    ----------
    n_jobs : int or None
        Number of workers; None takes what ``joblib.parallel_config`` says, whose threads or dask do
        the work in place of processes of ours. 1 does the work here, also in a worker of dask,
        which would share it with the others.
    work : iterable
        The calls as ``joblib.delayed`` makes them: a function, its arguments, and named ones.

    Examples
    --------
    >>> from joblib import delayed
    >>> list(by_workers(1, (delayed(abs)(x) for x in (-1, 2))))
    [1, 2]
    """
    if n_jobs == 1:
        return map(_made, work)
    from joblib.parallel import LokyBackend, Parallel, delayed, effective_n_jobs, get_active_backend

    if not isinstance(get_active_backend()[0], LokyBackend):
        calls = (delayed(_let_go)(call) for call in work)
        answers: Iterator[Any] = Parallel(n_jobs, return_as="generator")(calls)
        return answers
    count = effective_n_jobs(n_jobs) if may_have_workers() else 1
    return map(_made, work) if count == 1 else _beside(count, work)


def _beside(count: int, work: Iterable[Any]) -> Iterator[Any]:
    """Return what so many interpreters make of calls, some of which wait for their turn."""
    workers = Workers(count, SIDE_BY_SIDE)
    answers: deque[Future[Any]] = deque()
    try:
        for function, given, named in work:
            answers.append(workers.submit(function, *given, **named))
            if len(answers) > 2 * count:
                yield awaited(answers.popleft())
        while answers:
            yield awaited(answers.popleft())
    finally:
        workers.end()
