"""Ctrl-C ends what takes long, soon and without leaving anything."""

import json
import os
import subprocess
import sys

import pytest

from tests.interrupted import LONG, SHARES
from tests.source_tree import ROOT

pytestmark = pytest.mark.thorough

LATE = 2.0  # seconds of the processor until an interrupted function has ended
posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


def interrupted(trials, names):
    done = subprocess.run(
        [sys.executable, "-m", "tests.interrupted", str(trials), *names],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
        timeout=900,
    )
    return json.loads(done.stdout)


def check(attempts):
    assert len(attempts) == len(SHARES)
    assert not all(one["ended"] for one in attempts), "too quick to be interrupted"
    for one in attempts:
        assert one["threads"] == one["processes"] == []
        assert one["blas"]
        if not one["ended"]:
            assert one["late"] < LATE
            assert one["files"] == []


@posix
@pytest.mark.parametrize("name", LONG)
def test_an_interrupt_ends_what_takes_long_and_leaves_nothing(name):
    check(interrupted(150, [name])[name])
