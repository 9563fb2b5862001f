"""Each promise of SECURITY.md names tests that exist."""

import re

from tests.source_tree import ROOT


def test_every_promise_names_its_test():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    promised = text.partition("## What is promised")[2].partition("\n## ")[0]
    for promise in re.split(r"\n- ", promised)[1:]:
        named = re.findall(r"`(tests/[\w/]+\.py)`", promise)
        assert named, promise
        assert all((ROOT / name).is_file() for name in named), named
    whole = {path.name for path in (ROOT / "tests/hostile").glob("test_*.py")}
    named = set(re.findall(r"tests/hostile/(\w+\.py)", promised))
    assert named == whole - {"test_promises.py"}
