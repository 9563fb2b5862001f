"""Processes that others have started, and waiting for what they do."""

import os
import subprocess
import time


def until(holds, seconds=10.0):
    """Wait until something holds, at most so long, and return whether it does."""
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


def is_there(process):
    """Say whether a process runs."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    # a process that ended and that nobody waits for is still listed
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True
    )
    return state.stdout.strip()[:1] not in ("Z", "")


def started_by(parent):
    """The processes that one has started and that run, but for trackers and what lists them."""
    found = subprocess.run(
        ["ps", "-ww", "-o", "pid=,stat=,args=", "--ppid", str(parent)],
        capture_output=True,
        text=True,
    )
    rows = [line.split(maxsplit=2) for line in found.stdout.splitlines()]
    return [
        int(row[0])
        for row in rows
        if row[1][:1] != "Z" and "tracker" not in row[2] and row[2][:3] != "ps "
    ]
