"""The callback as users have it: reports are drawn elsewhere, and leave no trace here."""

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.merge

posix = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")


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
    "r.html", every=2, budget=None, sections=["history", Section("mine", "Mine", "", content)]
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
def test_a_program_without_a_guard_runs_once_and_if_interrupted_still_gets_its_own_report(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    with subprocess.Popen(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as program:
        assert [program.stdout.readline() for _ in range(2)] == ["begun\n", "drawing\n"]
        time.sleep(0.2)
        os.killpg(program.pid, signal.SIGINT)  # as the terminal does
        out, err = program.communicate(timeout=120)
    assert out == "r.html\n", err
    assert "_drawing" not in err  # the process that drew was not interrupted
    assert "my own words on 2 trials" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["program.py", "r.html"]
