"""Build the documentation: ``python -m docs`` writes docs/build/html.

Pages that follow from the package are written first. Sphinx then runs their code, and fails at a
warning. Last, every link within the site is followed.
"""

import gc
import os
import re
import shutil
import subprocess
import sys
import time
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

from docs import pages

HERE = Path(__file__).parent
SITE = HERE / "build" / "html"


def broken_links(site: Path) -> list[str]:
    """Return the links between the pages of a site that lead nowhere."""
    pages = [str(path) for path in site.rglob("*.html") if path.parent.name != "_static"]
    texts = {page: Path(page).read_text(encoding="utf-8") for page in pages}
    anchors = {page: {*re.findall(r'\sid="([^"]+)"', text)} for page, text in texts.items()}
    is_there = cache(os.path.exists)  # all pages have the same menu
    broken = []
    for page, text in texts.items():
        for link in {*re.findall(r'\s(?:href|src)="([^"]+)"', text)}:
            address = urlsplit(unescape(link))
            if address.scheme or address.netloc:
                continue
            target = page
            if address.path:
                path = Path(page).parent / unquote(address.path)
                target = os.path.normpath(path)
            lost = address.fragment and unquote(address.fragment) not in anchors.get(target, ())
            if lost or not is_there(target):
                broken.append(f"{os.path.relpath(page, site)}: {link}")
    return sorted(broken)


def main() -> int:
    """Build the site, and say how long it took."""
    os.environ |= {"MPLBACKEND": "agg", "TQDM_DISABLE": "1"}
    began = time.perf_counter()
    shutil.rmtree(HERE / "build", ignore_errors=True)
    (HERE / "build").mkdir()
    tuning = subprocess.Popen([sys.executable, "-m", "docs.studies", HERE / "build" / "study.db"])
    pages.write(HERE)
    from sphinx.cmd.build import build_main

    if tuning.wait():
        return 1
    for folder in (HERE / "build" / "scripts").glob("*/*/"):  # where scripts are run
        shutil.copy(HERE / "build" / "study.db", folder)
    # Pages are many small objects that refer to each other; hardly any is garbage before the end.
    gc.freeze()
    gc.set_threshold(100_000)
    failed = build_main(["-W", "-q", "-j", "auto", "-b", "html", str(HERE), str(SITE)])
    broken = [] if failed else broken_links(SITE)
    print(*(f"broken: {link}" for link in broken), sep="\n")
    print(f"{SITE / 'index.html'} in {time.perf_counter() - began:.0f} s")
    return failed or bool(broken)


if __name__ == "__main__":
    sys.exit(main())
