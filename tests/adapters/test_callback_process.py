"""The callback as users have it: reports are drawn elsewhere, and leave no trace here."""

import io
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import matplotlib
import optuna
import pytest
from matplotlib.figure import Figure
from optuna.samplers import RandomSampler

from hpo_explain.adapters.optuna import ExplanationCallback

posix = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
MINE = 17.0  # a size of the font


class Ran:
    """A study whose objective looks at its settings, while reports are drawn."""

    def __init__(self, folder):
        self.looks, self.warned, self.heard, self.widths = [], [], [], []
        self.drawn = threading.Event()
        self.path = folder / "r.html"
        self.callback = ExplanationCallback(
            self.path, every=3, budget=None, sections=["overview"], on_update=self._told
        )
        self.study = optuna.create_study(sampler=RandomSampler(seed=0))
        self.filters = [*warnings.filters]
        self.study.optimize(
            self._objective, timeout=60.0, n_jobs=2, callbacks=[self.callback, self._enough]
        )
        self.callback._drawing.stop()  # the next one, which nobody waits for
        self.left = [*warnings.filters]
        self.width = matplotlib.rcParams["lines.linewidth"]

    def _told(self, path):
        self.threads = (threading.current_thread(), threading.main_thread())
        self.drawn.set()

    def _objective(self, trial):
        time.sleep(0.05)  # the processor is left to the other process
        x = trial.suggest_float("x", 0.0, 1.0)
        y = trial.suggest_float("y", 0.0, 1.0)
        title = Figure().suptitle("mine")
        title.figure.savefig(io.BytesIO())
        size = matplotlib.font_manager.FontProperties(size="medium").get_size_in_points()
        self.looks += [size == MINE, matplotlib.rcParams["font.size"] == MINE]
        warnings.warn(f"mine {trial.number}", stacklevel=1)
        self.warned.append(f"mine {trial.number}")
        if trial.number == 3:
            matplotlib.rcParams["lines.linewidth"] = 4.5
        self.widths.append((trial.number, matplotlib.rcParams["lines.linewidth"]))
        return 10.0 * x + y

    def _enough(self, study, trial):
        if self.drawn.is_set() and len(study.trials) >= 12:
            study.stop()


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Settings of the user's own, which are changed by nobody else."""
    heard = []
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with matplotlib.rc_context({"font.size": MINE}), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_, **__: heard.append(str(message))
        ran = Ran(tmp_path_factory.mktemp("ran"))
        ran.heard = heard
        ran.at_the_end = matplotlib.rcParams["font.size"]
    optuna.logging.set_verbosity(verbosity)
    return ran


def test_a_report_is_drawn_while_the_study_goes_on(ran):
    assert ran.drawn.is_set()
    assert "<html" in ran.path.read_text(encoding="utf-8")
    own, main = ran.threads
    assert own is not main


def test_the_users_settings_are_theirs_in_every_look(ran):
    assert all(ran.looks)
    assert ran.at_the_end == MINE
    assert {width for number, width in ran.widths if number > 5} == {4.5}
    assert ran.width == 4.5


def test_no_warning_of_theirs_is_lost(ran):
    assert set(ran.warned) <= set(ran.heard)
    assert ran.left == ran.filters


# ---------------------------------------------------------------------- programs


PROGRAM = """
import signal
import time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
import optuna
from markupsafe import Markup
from hpo_explain.adapters.optuna import ExplanationCallback
from hpo_explain.reporting import Content, Section

print("begun", flush=True)
word = "my own words"
def content(context):
    return Content(word, Markup(f"<p>{word} on {len(context.run)} trials</p>"))
callback = ExplanationCallback(
    "r.html", every=2, budget=None, sections=["overview", Section("mine", "Mine", "", content)]
)
study = optuna.create_study()
def objective(trial):
    if trial.number == 2:
        print("drawing", flush=True)
    time.sleep(0.01 if trial.number < 2 else 60.0)
    return trial.suggest_float("x", 0, 1)
try:
    study.optimize(objective, n_trials=5, callbacks=[callback])
except KeyboardInterrupt:
    print(callback.finish(study).name)
"""


@posix
def test_a_program_without_a_guard_runs_once_and_if_interrupted_still_gets_its_own_report(
    tmp_path,
):
    (tmp_path / "program.py").write_text(PROGRAM)
    with subprocess.Popen(
        [sys.executable, "program.py"], cwd=tmp_path, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as program:  # fmt: skip
        assert [program.stdout.readline() for _ in range(2)] == ["begun\n", "drawing\n"]
        time.sleep(0.2)
        os.killpg(program.pid, signal.SIGINT)  # as the terminal does
        out, err = program.communicate(timeout=120)
    assert out == "r.html\n", err
    assert "_drawing" not in err  # the process that drew was not interrupted
    assert "my own words on 2 trials" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["program.py", "r.html"]
