"""Ctrl-C at any moment leaves nothing behind and nothing half-written."""

import json
import os
import subprocess
import sys

import pytest

from tests.hostile.interrupts import WORK
from tests.source_tree import ROOT

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(os.name != "posix", reason="signals of POSIX"),
]


@pytest.mark.parametrize("name", WORK)
def test_an_interrupt_at_any_moment(name):
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.interrupts", "14", "0", name],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
        timeout=900,
    )
    assert json.loads(done.stdout) == [[]] * 14
