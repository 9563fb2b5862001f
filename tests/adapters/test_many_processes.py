"""Several processes optimize one study, one is killed, and another one watches them."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState

import hpo_explain as hx
from tests.adapters.servers import postgresql

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them"),
]
TRIALS, WORKERS, SECTIONS = 12, 3, ("short", "overview")
OPTIMIZE = f"""
import sys, time
import optuna
from hpo_explain.adapters.optuna import ExplanationCallback
from tests.adapters.test_many_processes import storage_at

place, number = sys.argv[1:]
study = optuna.load_study(
    storage=storage_at(place), study_name="shared",
    sampler=optuna.samplers.TPESampler(seed=int(number)),
)
callback = ExplanationCallback("report.html", every=3, budget=None, sections={SECTIONS!r})

def objective(trial):
    time.sleep(0.15)
    return (trial.suggest_float("x", 0.0, 1.0) - 0.3) ** 2 + trial.suggest_int("k", 1, 4)

def tell(study, trial):
    print(trial.number, trial.value.hex(), flush=True)

study.optimize(objective, n_trials={TRIALS}, callbacks=[callback, tell])
print("report:", callback.finish(study).name)
"""
COMMAND = f"""
from hpo_explain.cli import main
from hpo_explain.reporting import page
page.SECTIONS = tuple(part for part in page.SECTIONS if part.name in {SECTIONS!r})
main()
"""


def storage_at(place):
    """What Optuna takes for an address, or for the path of a journal."""
    return place if "://" in place else JournalStorage(JournalFileBackend(place))


@contextmanager
def sqlite():
    yield "sqlite:///study.db"


@contextmanager
def journal():
    yield "journal.log"


@pytest.fixture(params=[postgresql, sqlite, journal], ids=lambda storage: storage.__name__)
def place(request, tmp_path, monkeypatch):
    """Where a study is that has no trial yet."""
    monkeypatch.chdir(tmp_path)
    with request.param() as found:
        optuna.create_study(storage=storage_at(found), study_name="shared")
        yield found


@contextmanager
def python(code, *arguments):
    """A Python process that does not outlive the test."""
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments], text=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


def page(path):
    return Path(path).read_text(encoding="utf-8")


def test_no_trial_is_lost_and_the_reports_are_right_at_the_end(place):
    with (
        python(COMMAND, "watch", place, "--out", "watched.html", "--every", "1s") as watching,
        python(OPTIMIZE, place, "0") as killed,
        python(OPTIMIZE, place, "1") as one,
        python(OPTIMIZE, place, "2") as other,
    ):
        told = [killed.stdout.readline() for _ in range(TRIALS // 2)]
        killed.send_signal(signal.SIGKILL)
        rest = [process.communicate(timeout=120) for process in (killed, one, other)]
        assert [p.returncode for p in (killed, one, other)] == [-signal.SIGKILL, 0, 0], rest
        for stdout, _ in rest:
            told += stdout.splitlines()
        study = optuna.load_study(storage=storage_at(place), study_name="shared")
        finished = study.get_trials(states=[TrialState.COMPLETE])
        seen = [watching.stdout.readline()]
        while f"({len(finished)} trials" not in seen[-1]:
            seen.append(watching.stdout.readline())
            assert seen[-1], watching.stderr.read()
        watching.send_signal(signal.SIGINT)
        assert watching.communicate(timeout=60)[1].endswith("stopped\n")
        assert watching.returncode == 0

    numbers = [trial.number for trial in study.trials]
    assert numbers == [*range(len(numbers))]
    values = dict(line.split() for line in told if not line.startswith("report"))
    found = {str(trial.number): trial.value.hex() for trial in finished}
    assert values.items() <= found.items()
    assert len(found) - len(values) <= 1  # the killed process may not have come to tell
    assert len(values) >= 2 * TRIALS + TRIALS // 2

    with python(COMMAND, "report", place, "--out", "again.html") as again:
        assert again.wait(120) == 0
    assert page("watched.html") == page("again.html")
    sampler = optuna.samplers.TPESampler()
    hx.report(study, "here.html", sections=SECTIONS, sampler=sampler, progress=False)
    assert page("report.html") == page("here.html")
    assert not list(Path().glob(".*"))  # no lock, nothing half written
