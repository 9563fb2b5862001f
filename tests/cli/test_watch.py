"""A report that follows a run, whatever happens to the storage, the folder or the terminal."""

import gc
import signal
import sqlite3
import weakref
from pathlib import Path

import optuna
import pandas as pd
import pytest

from hpo_explain import reporting
from tests.cli.conftest import tune

pytestmark = pytest.mark.usefixtures("brief_reports")
SECTIONS = ("history",)
PAGE = "report.html"


@pytest.fixture
def watch(run, monkeypatch):
    """Watch, and let these things happen one after the other between the looks; then Ctrl-C."""

    def watching(*arguments, happen=()):
        waiting = iter(happen)
        waited = []

        def pause(seconds):
            waited.append(seconds)
            event = next(waiting, None)
            if event is None:
                raise KeyboardInterrupt
            event()

        monkeypatch.setattr("hpo_explain.reporting.watching.sleep", pause)
        outcome = run("watch", *arguments)
        outcome.waited = waited
        return outcome

    return watching


def more_trials():
    study = optuna.load_study(study_name="first", storage="sqlite:///study.db")
    tune(study, 1)
    study._storage.remove_session()


def reports(outcome):
    return [line.rpartition("(")[2].rstrip(")") for line in outcome.stdout.splitlines()]


def page():
    return Path(PAGE).read_text(encoding="utf-8")


def test_the_report_is_written_anew_when_trials_arrive_and_only_then(study, watch):
    outcome = watch("study.db", "--every", "2m", happen=[str, more_trials, str])
    assert outcome.exit_code == 0
    assert reports(outcome) == ["15 trials", "16 trials"]
    assert outcome.waited == [120.0] * 4
    assert "17 trials (1 without a result" in page()
    assert outcome.stderr.endswith("stopped\n")


@pytest.mark.merge
def test_between_two_looks_nothing_is_remembered(study, watch, monkeypatch):
    beliefs = []
    made = reporting.Report.of

    def report_of(runs, **options):
        for run in runs.values():
            beliefs.append(weakref.ref(run.belief()))
        return made(runs, **options)

    monkeypatch.setattr(reporting.Report, "of", report_of)

    def nothing_is_held():
        gc.collect()
        assert [ref() for ref in beliefs] == [None] * len(beliefs)
        more_trials()

    outcome = watch("study.db", happen=[nothing_is_held, nothing_is_held])
    assert outcome.exit_code == 0
    assert len(beliefs) == 3


def test_what_a_running_trial_chooses_is_news(study, watch):
    running = optuna.load_study(study_name="first", storage="sqlite:///study.db").ask()
    outcome = watch("study.db", happen=[str, lambda: running.suggest_float("x", 0.0, 1.0)])
    assert reports(outcome) == ["15 trials; running: 16"] * 2


def test_a_lock_while_watching_leaves_the_last_report(study, watch):
    other = sqlite3.connect("study.db", isolation_level=None)
    outcome = watch(
        "sqlite:///study.db?timeout=0.01",
        happen=[lambda: other.execute("begin exclusive"), lambda: other.execute("rollback")],
    )
    other.close()
    assert reports(outcome) == ["15 trials"]
    assert "is locked" in outcome.stderr


def test_a_study_that_has_just_begun_is_waited_for(folder, watch):
    study = optuna.create_study(
        storage="sqlite:///study.db",
        study_name="first",
        sampler=optuna.samplers.RandomSampler(seed=0),
    )
    outcome = watch("study.db", happen=[lambda: tune(study, 6)])
    study._storage.remove_session()
    assert outcome.exit_code == 0
    assert "waiting: study has no trial" in outcome.stderr
    assert reports(outcome) == ["5 trials"]


def test_a_table_is_followed_as_well(folder, watch):
    frame = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3], "loss": [1.0, 9.0, 4.0, 2.0]})
    frame[:3].to_csv("t.csv", index=False)
    outcome = watch(
        "t.csv", "--objective", "loss", happen=[lambda: frame.to_csv("t.csv", index=False)]
    )
    assert reports(outcome) == ["3 trials", "4 trials"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["nowhere.db"], 1),
        (["study.db", "--study-name", "second"], 1),
        (["study.db", "--target", "speed"], 1),
        (["study.db", "--out", "no/report.html"], 1),
        (["t.csv", "--objective", "los"], 1),
        (["u.csv"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_is_not_waited_for(study, watch, arguments, code):
    Path("t.csv").write_text("x,loss\n1,2\n")
    Path("u.csv").write_text("x,y\n1,2\n")
    outcome = watch(*arguments, happen=[str])
    assert outcome.exit_code == code
    assert outcome.waited == []


class Clumsy:
    """Something during whose cleaning up Ctrl-C is pressed, which Python then drops."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


@pytest.fixture
def ctrl_c_interrupts():
    """Ctrl-C as on a terminal: what a shell starts in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c_interrupts")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_python_drops_is_heeded_before_the_next_wait(study, watch, monkeypatch):
    before = signal.getsignal(signal.SIGINT)
    write = reporting.Report.write

    def clumsy(*arguments):
        write(*arguments)
        Clumsy()

    monkeypatch.setattr(reporting.Report, "write", clumsy)
    outcome = watch("study.db", happen=[str])
    assert (outcome.exit_code, outcome.waited) == (0, [])
    assert outcome.stderr.endswith("stopped\n")
    assert signal.getsignal(signal.SIGINT) is before
