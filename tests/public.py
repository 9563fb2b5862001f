"""What users call, found among the public names."""

import inspect

import hpo_explain as hx


def functions() -> list[str]:
    """The functions that answer a question about a run."""
    found = []
    for name in hx.__all__:
        public = getattr(hx, name)
        if inspect.isfunction(public) and not name.startswith("from_") and name != "report":
            first = next(iter(inspect.signature(public).parameters), "")
            if first in ("run", "runs", "study", "studies", "source") or name == "guide":
                found.append(name)
    return sorted(found)
