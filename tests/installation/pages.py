"""Do what the README and the pages of the frameworks say, as a newcomer does.

``python -m tests.installation.pages [PAGE ...]`` builds the wheel. For each page it makes a new
environment without the repository, installs there what the page names, runs the page's program,
and then the commands that it shows. This needs a network, and takes minutes a page.
"""

import os
import re
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.installation.__main__ import build, run
from tests.source_tree import ROOT

PAGES = {"README": ROOT / "README.md"}
PAGES |= {path.stem: path for path in sorted((ROOT / "docs" / "frameworks").glob("*.md"))}
del PAGES["index"]  # which lists the others
STORED = """
optuna.copy_study(
    from_study_name=study.study_name, from_storage=study._storage, to_storage="sqlite:///study.db"
)
"""


def lines(text: str) -> list[str]:
    """What a page has a shell run, without what is a comment."""
    shown = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    found = [line.partition("#")[0].strip() for block in shown for line in block.splitlines()]
    return [*filter(None, found), *re.findall(r"`(hpo-explain [^`]+)`", text)]


def check(name: str, wheel: Path, folder: Path) -> None:
    """Do what one page says, in a folder of its own."""
    text = PAGES[name].read_text(encoding="utf-8")
    program = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    if "study = optuna.create_study(" in program:  # which the commands are about
        program += STORED
    (folder / "program.py").write_text(program, encoding="utf-8")
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    places = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    before = dict(os.environ)
    for line in lines(text):
        first, *others = line.replace('"', "").split()
        if first == "export":
            os.environ.update([others[0].split("=")])
        if re.match(r'pip install "?hpo_explain', line):
            # the wheel in place of the repository
            named = re.sub(r" @ \S+", "", " ".join(others[1:])).split()
            asked = [re.sub(r"^hpo_explain", str(wheel), one) for one in named]
            run(places / "python", "-m", "pip", "install", "--quiet", *asked, cwd=folder)
    run(places / "python", "program.py", cwd=folder)
    assert (folder / "report.html").exists(), f"the program of {name} wrote no report"
    for line in lines(text):
        if line.startswith("hpo-explain "):
            run(places / "hpo-explain", *line.split()[1:], cwd=folder)
    os.environ.clear()
    os.environ |= before


def main(names: list[str]) -> None:
    with TemporaryDirectory() as folder:
        wheel = build(Path(folder))["wheel"]
        for name in names or PAGES:
            began = time.perf_counter()
            with TemporaryDirectory() as work:
                check(name, wheel, Path(work))
            print(f"{name}: {time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
