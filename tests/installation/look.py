"""What an installation imports and unpickles; run in it as a script.

Its arguments are the installation's folder, a pickle, and where to pickle its content again.
"""

import pickle
import sys
from pathlib import Path

import hpo_explain.adapters


def place_of(module: str) -> Path:
    return Path(sys.modules[module].__file__)


def main(installed: Path, here: Path, back: Path) -> None:
    expected = installed / "hpo_explain" / "adapters" / "__init__.py"
    assert Path(hpo_explain.adapters.__file__) == expected
    try:
        import adapters
    except ModuleNotFoundError:
        pass
    else:
        raise AssertionError(f"the adapters are found as {adapters.__name__!r} too")

    space, from_frame = pickle.loads(here.read_bytes())
    for value in (type(space), from_frame):
        assert place_of(value.__module__).is_relative_to(installed)
    back.write_bytes(pickle.dumps((space, from_frame)))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
