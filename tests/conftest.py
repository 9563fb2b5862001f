"""What holds for all tests."""

import gc
import os
import runpy
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import import_module
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from markupsafe import Markup

from tests.chromium import as_new, opened
from tests.source_tree import ROOT
from tests.tiers import OPTIONS, may_run, runs

# There is a process per core already; numpy reads this when it is imported.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
# -1 workers are one, as where there is one core
os.environ.setdefault("LOKY_MAX_CPU_COUNT", "1")

# Processes that tests start import this source too, whatever is installed.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))

# The examples are the same on every machine, and a busy machine fails none of them. They are fewer
# than hypothesis' 100, as everything has to be checked within ten minutes: "long" takes many.
settings.register_profile("reproducible", max_examples=50, derandomize=True, deadline=None)
settings.register_profile(
    "long",
    max_examples=5000,  # of which random runs take 18 %
    deadline=None,
)
settings.load_profile("reproducible")
# Hypothesis would read the source of all that is imported for constants to draw: ten seconds in
# each worker, and other examples after a change anywhere.
providers._get_local_constants = lambda: providers._local_constants


def pytest_addoption(parser):
    parser.addoption(
        "--merge",
        action="store_true",
        help="run what is looked at before a merge, in place of a commit",
    )
    parser.addoption("--thorough", action="store_true", help="run everything, at full size")


# Compiled where all tests were collected before.
COMPILED = Path(cache_from_source(str(ROOT / "tests" / "handmade.py")))


def _is_compiled():
    return sys.dont_write_bytecode or COMPILED.exists()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """In a new clone one worker compiles all modules; the others collect when it has done so."""
    if hasattr(session.config, "workerinput") and not _is_compiled():
        COMPILED.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(COMPILED.with_name("collecting.lock")):
            if not _is_compiled():
                return (yield)
    return (yield)


def _options(config):
    return {name for name in OPTIONS if config.getoption(f"--{name}")}


def pytest_ignore_collect(collection_path, config):
    """Files of which no test is of the tier are not imported; nor are libraries for them."""
    if collection_path.suffix != ".py" or may_run(collection_path, _options(config)):
        return None
    return True


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """No test has examples."""
    return [one for one in (yield) if type(one) is pytest.Module]


def _look_again(items):
    """Of cases that are alike, all but the first look again at what it looks at."""
    first = {}
    for item in items:
        if item.get_closest_marker("alike") and not item.get_closest_marker("thorough"):
            test = item.nodeid.partition("[")[0]
            if first.setdefault(test, item) is not item:
                item.add_marker("thorough")


def pytest_collection_modifyitems(config, items):
    """Leave out what is of another tier, but for tests that are named one by one."""
    if any("::" in argument for argument in config.args):
        return
    options = _options(config)
    _look_again(items)
    chosen = [item for item in items if runs({mark.name for mark in item.iter_markers()}, options)]
    kept = set(chosen)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = chosen


def pytest_collection_finish():
    """What was collected stays to the end: nobody looks through it for what can be let go."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _close_figures():
    """Figures of pyplot, which knows those of a test that imports it, are closed after it."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def _forget_answers():
    if "hpo_explain.question.answers" in sys.modules:
        sys.modules["hpo_explain.question.answers"].forget()


@pytest.fixture(scope="module")
def answers_stay():
    """The tests of a module ask the same of the same trials, which is computed once for all.

    Only for modules that change nothing of what computes.
    """
    _forget_answers()


@pytest.fixture(autouse=True)
def _nothing_is_kept(request, monkeypatch):
    """No test is answered by what another one has asked, or leaves answers to the user."""
    monkeypatch.setattr("hpo_explain.cli._cache.folder", lambda: Path(os.devnull, "nowhere"))
    if "answers_stay" not in request.fixturenames:
        _forget_answers()


@pytest.fixture(scope="session", autouse=True)
def _schema_is_read_once():
    """Optuna runs the scripts of all versions of its schema for each storage, here for the first.

    They take more than half of the time in which a storage is opened.
    """
    from alembic.script import ScriptDirectory

    read, latest = ScriptDirectory.get_current_head, {}

    def read_once(scripts):
        if scripts.dir not in latest:
            latest[scripts.dir] = read(scripts)
        return latest[scripts.dir]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ScriptDirectory, "get_current_head", read_once)
        yield


@cache
def _believed_by_few():
    """The beliefs of few draws: of the same trials one, whichever tests ask for it."""
    from hpo_explain.belief import Belief
    from hpo_explain.run import fits

    return fits._remembers(200)(Belief)


@contextmanager
def _few_draws(config):
    """Beliefs are fewer draws in fewer rows, for what holds of any; --thorough takes all of them.

    Nothing is tested with it that is said of a number, or of how often a claim is right.
    """
    with pytest.MonkeyPatch.context() as patched:
        if not config.getoption("--thorough"):
            from hpo_explain.belief import landscape, mixture

            # no belief of few draws is one of the tests that take all
            patched.setattr(import_module("hpo_explain.run.run"), "believed", _believed_by_few())
            patched.setattr(mixture, "KERNELS", 8)
            patched.setattr(mixture, "DRAWS", 8)
            patched.setattr(landscape, "ROWS", 1024)
        yield


@pytest.fixture(scope="module")
def few_draws(pytestconfig):
    """The tests of a module do with few draws."""
    with _few_draws(pytestconfig):
        yield


@pytest.fixture
def few_draws_here(pytestconfig):
    """A test does with few draws."""
    with _few_draws(pytestconfig):
        yield


@pytest.fixture(scope="session")
def _browser():
    """The one browser of all tests, as each takes long to start and to end."""
    driver = opened()
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def browser(_browser):
    """A browser without a window, in which a module finds nothing of others."""
    as_new(_browser)
    return _browser


@pytest.fixture
def quiet_optuna():
    """Optuna says nothing of single trials."""
    import optuna

    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    yield
    optuna.logging.set_verbosity(verbosity)


@pytest.fixture
def papers(monkeypatch):
    """The scripts that reproduce papers can be imported."""
    monkeypatch.syspath_prepend(ROOT / "examples" / "papers")


@pytest.fixture
def output(monkeypatch, capsys, papers):
    """What an example prints; in this process, as another one would take its time to import."""

    def run(path, *options):
        monkeypatch.setattr(sys, "argv", [path, *map(str, options)])
        runpy.run_path(str(ROOT / "examples" / path), run_name="__main__")
        return capsys.readouterr().out

    return run


def _empty(description, alt, caption, interactive):
    """A figure of a report that shows nothing."""
    figure = Markup('<figure><svg aria-label="{}"></svg><figcaption>{}</figcaption></figure>')
    return figure.format(alt, caption)


@contextmanager
def _empty_figures(config):
    """Figures of reports are not drawn, which takes long; --thorough draws them."""
    with pytest.MonkeyPatch.context() as patched:
        if not config.getoption("--thorough"):
            from hpo_explain.reporting import _render

            draws = ContextVar("draws", default=_empty)
            patched.setattr(_render, "_draws", draws)
        yield


@pytest.fixture(scope="module")
def empty_figures(pytestconfig):
    """The tests of a module do without figures in reports."""
    with _empty_figures(pytestconfig):
        yield


@pytest.fixture
def empty_figures_here(pytestconfig):
    """A test does without figures in reports."""
    with _empty_figures(pytestconfig):
        yield
