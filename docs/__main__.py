"""Build the documentation: ``python -m docs`` writes docs/build/html.

Pages that follow from the package are written first. Sphinx then runs their code, and fails at a
warning. Last, every link within the site is followed.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

from docs import pages

HERE = Path(__file__).parent
SITE = HERE / "build" / "html"


def broken_links(site: Path) -> list[str]:
    """Return the links between the pages of a site that lead nowhere."""
    there = [
        path
        for path in site.resolve().rglob("*.html")
        if path.parent.name != "_static"
    ]
    texts = {path: path.read_text(encoding="utf-8") for path in there}
    anchors = {
        path: {*re.findall(r'\sid="([^"]+)"', text)}
        for path, text in texts.items()
    }
    broken = []
    for path, text in texts.items():
        for link in {*re.findall(r'\s(?:href|src)="([^"]+)"', text)}:
            parts = urlsplit(unescape(link))
            target = (
                (path.parent / unquote(parts.path)).resolve()
                if parts.path
                else path
            )
            lost = parts.fragment and unquote(
                parts.fragment
            ) not in anchors.get(target, ())
            if not (parts.scheme or parts.netloc) and (
                lost or not target.exists()
            ):
                broken.append(f"{path.relative_to(site.resolve())}: {link}")
    return sorted(broken)


def main() -> int:
    """Build the site, and say how long it took."""
    os.environ |= {"MPLBACKEND": "agg", "TQDM_DISABLE": "1"}
    began = time.perf_counter()
    shutil.rmtree(HERE / "build", ignore_errors=True)
    (HERE / "build").mkdir()
    tuning = subprocess.Popen(
        [sys.executable, "-m", "docs.studies", HERE / "build" / "study.db"]
    )
    pages.write(HERE)
    from sphinx.cmd.build import build_main

    if tuning.wait():
        return 1
    for folder in (HERE / "build" / "scripts").glob(
        "*/*/"
    ):  # where scripts are run
        shutil.copy(HERE / "build" / "study.db", folder)
    failed = build_main(
        ["-W", "-q", "-j", "auto", "-b", "html", str(HERE), str(SITE)]
    )
    broken = [] if failed else broken_links(SITE)
    print(*(f"broken: {link}" for link in broken), sep="\n")
    print(f"{SITE / 'index.html'} in {time.perf_counter() - began:.0f} s")
    return failed or bool(broken)


if __name__ == "__main__":
    sys.exit(main())
