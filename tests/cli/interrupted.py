"""Runs a command again and again, each time interrupted elsewhere; run as a script.

``python -m tests.cli.interrupted POINTS COMMAND...`` writes, as JSON, what became of each run: the
exit code, what was said, and what the folder then held. Each is a fork of this process, which has
imported everything, and gets the signal of Ctrl-C at one of its calls of a function.
"""

import json
import os
import signal
import sys
import tempfile
from pathlib import Path

import optuna

from hpo_explain import reporting
from hpo_explain.cli import main
from hpo_explain.reporting import page


def run(arguments, at, folder):
    """Run a command, interrupted at that call; return its exit code and the number of calls."""
    calls = 0

    def profile(frame, event, argument):
        nonlocal calls
        calls += 1
        if calls == at:
            sys.setprofile(None)
            signal.raise_signal(signal.SIGINT)

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job may ignore it
    os.chdir(folder)
    with Path("said.txt").open("w") as said:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
    sys.setprofile(profile)
    try:
        main(arguments)
    except SystemExit as end:
        sys.setprofile(None)
        Path("calls.txt").write_text(str(calls))
        return end.code or 0
    return 99


def forked(arguments, at, source):
    """Run a command in a process and a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for path in source.iterdir():
            (Path(folder) / path.name).write_bytes(path.read_bytes())
        if (child := os.fork()) == 0:
            code = 98
            try:
                code = run(arguments, at, folder)
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        held = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    said, calls = held.pop("said.txt").decode(), int(held.pop("calls.txt", b"0"))
    files = {name: data.decode(errors="replace") for name, data in held.items()}
    return {"at": at, "code": code, "said": said, "calls": calls, "files": files}


if __name__ == "__main__":
    points, arguments, here = int(sys.argv[1]), sys.argv[2:], Path.cwd()
    page.SECTIONS = tuple(part for part in page.SECTIONS if part.name in reporting.BRIEF)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    whole = forked(arguments, 0, here)
    places = [round(whole["calls"] * (i + 0.5) / points) for i in range(points)]
    print(json.dumps([whole, *(forked(arguments, at, here) for at in places)]))
