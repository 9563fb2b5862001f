"""Where the project's own source lies."""

from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"  # of papers, beside the project
PACKAGE = ROOT / "hpo_explain"


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name; those of adapters/ through the link."""
    found = {}
    for path in sorted(
        [*PACKAGE.rglob("*.py"), *(PACKAGE / "adapters").rglob("*.py")]
    ):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = (
            path
        )
    return found
