"""After a public function the process is as it was: threads, start method, warnings, signals."""

import json
import os
import subprocess
import sys

import pytest

from tests.source_tree import ROOT

pytestmark = pytest.mark.merge

# not imported: it imports all that changes a process
PROGRAM = ROOT / "tests" / "hostile" / "left_as_it_was.py"
IN_A_DAEMON = """
import multiprocessing
import sys
from concurrent.futures import ThreadPoolExecutor
import hpo_explain as hx
from tests.hostile.left_as_it_was import table
def work():
    hx.report(
        table(40), "report.html", objective="loss", direction="minimize", n_jobs=2
    )
if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=work, daemon=True)
    process.start()
    process.join()
    sys.exit(process.exitcode)
"""


def ran(tmp_path, *arguments):
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done


def changed(tmp_path, *names):
    printed = ran(tmp_path, str(PROGRAM), *names).stdout
    return json.loads(printed.splitlines()[-1])


def test_shap_and_a_callback_leave_no_thread_and_no_start_method(tmp_path):
    assert changed(tmp_path, "ablation", "watched") == {}


@pytest.mark.thorough
def test_every_public_function(tmp_path):
    assert changed(tmp_path) == {}


@pytest.mark.thorough
def test_a_report_in_a_daemon(tmp_path):
    (file := tmp_path / "program.py").write_text(IN_A_DAEMON)
    done = ran(tmp_path, str(file))
    assert "Warning" not in done.stderr
    assert (tmp_path / "report.html").exists()
