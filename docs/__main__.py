"""Build the documentation: ``python -m docs`` writes docs/build/html.

Pages that follow from the package are written first: the questions, the API, the gallery. Sphinx
then runs their code, and stops at the first warning. Last, every link within the site is followed.
"""

import os
import shutil
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from docs import pages, studies

HERE = Path(__file__).parent
SITE = HERE / "build" / "html"


class Page(HTMLParser):
    """What a page of HTML links to, and what in it can be linked to."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the links and anchors of one tag."""
        for name, value in attrs:
            if value and name in ("href", "src"):
                self.links.add(value)
            elif value and name == "id":
                self.anchors.add(value)


def broken_links(site: Path) -> list[str]:
    """Return the links between the pages of a site that lead nowhere."""
    read = {path.resolve(): Page(path) for path in site.rglob("*.html")}
    broken = []
    for path, page in read.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            missing = anchor and target in read and anchor not in read[target].anchors
            if not target.exists() or missing:
                broken.append(f"{path.relative_to(site.resolve())}: {link}")
    return sorted(broken)


def main() -> int:
    """Build the site, and say how long it took."""
    os.environ.setdefault("MPLBACKEND", "agg")
    from sphinx.cmd.build import build_main

    began = time.perf_counter()
    shutil.rmtree(HERE / "build", ignore_errors=True)
    pages.write(HERE)
    studies.write(HERE / "build" / "study.db")
    for folder in (HERE / "build" / "scripts").glob("*/*/"):  # where scripts are run
        shutil.copy(HERE / "build" / "study.db", folder)
    failed = build_main(["-W", "-q", "-b", "html", str(HERE), str(SITE)])
    broken = [] if failed else broken_links(SITE)
    for link in broken:
        print("broken:", link)
    print(f"{SITE / 'index.html'} in {time.perf_counter() - began:.0f} s")
    return failed or bool(broken)


if __name__ == "__main__":
    sys.exit(main())
