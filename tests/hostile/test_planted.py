"""What another user put into a shared folder is neither run nor followed."""

import os
import pickle
import re
import stat
import tempfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numba
import pytest

from hpo_explain.base import cache_folder
from hpo_explain.base.links import is_ours_alone
from hpo_explain.models._compiled import compiled
from hpo_explain.reporting import _file
from hpo_explain.reporting._file import check_place, write_atomically
from tests.source_tree import modules

pytestmark = pytest.mark.skipif(os.name != "posix", reason="owners and modes of POSIX")
OF_ROOT = pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() != 0, reason="gives files away")

NOBODY = 65534


@pytest.fixture
def shared():
    """A folder for all, in which others remove nothing of ours."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o1777)
        yield Path(folder)


# ---------------------------------------------------------------------- caches


def of_others(place):
    os.lchown(place, NOBODY, NOBODY)


def behind(place):
    """A link of ours, to a folder that another user's link leads to."""
    elsewhere = place.with_name("elsewhere")
    place.rename(elsewhere)
    of_others(elsewhere)
    place.symlink_to(elsewhere)


def linked_by_others(place):
    elsewhere = place.with_name("elsewhere")
    place.rename(elsewhere)
    place.symlink_to(elsewhere)
    of_others(place)


PLANTED = {
    "for all": lambda place: place.chmod(0o777),
    "for a group": lambda place: place.chmod(0o775),
    "in a folder for all": lambda place: place.parent.chmod(0o777),
    "of others": pytest.param(of_others, marks=OF_ROOT),
    "in a folder of others": pytest.param(lambda place: of_others(place.parent), marks=OF_ROOT),
    "behind a link": pytest.param(behind, marks=OF_ROOT),
    "a link of others": pytest.param(linked_by_others, marks=OF_ROOT),
}


class Harm:
    """What is run when it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


def twice(folder):
    """A function of a file, compiled anew."""
    spec = spec_from_file_location("program", folder / "program.py")
    program = module_from_spec(spec)
    spec.loader.exec_module(program)
    return compiled()(program.twice)


@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_compiled_code_of_another_user(plant, shared, tmp_path, monkeypatch):
    (tmp_path / "program.py").write_text("def twice(x):\n    return 2.0 * x\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    usual = shared / "home" / "numba"
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(usual))
    assert twice(tmp_path)(2.0) == 4.0
    indices = [*usual.rglob("*.nbi")]
    assert indices  # a folder of ours in one for all is used
    harm = pickle.dumps(numba.__version__) + pickle.dumps(Harm(tmp_path / "harm"))
    for index in indices:
        index.write_bytes(harm)
    plant(usual)
    assert twice(tmp_path)(3.0) == 6.0
    assert not (tmp_path / "harm").exists()
    assert [*(tmp_path / "cache").rglob("*.nbi")]


@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_folders_of_caches(plant, shared, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared / "cache"))
    usual = cache_folder.cache_folder("answers")
    assert usual.is_relative_to(shared)
    assert is_ours_alone(usual)
    plant(usual)
    assert not is_ours_alone(usual)
    assert not cache_folder.cache_folder("answers").is_relative_to(shared)


@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_without_a_home_a_folder_among_the_temporary_ones(plant, shared, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    monkeypatch.setattr(tempfile, "tempdir", str(shared))
    own = cache_folder.cache_folder("answers")
    assert own.parent.parent == shared
    assert own.parent.stat().st_mode & 0o777 == 0o700
    plant(own)
    assert cache_folder.cache_folder("answers") is None


UNPICKLES = r"pickle\.loads?\b|joblib\.load\b|read_pickle|allow_pickle=True|\bcache=True|\bMemory\("


def test_pickles_are_loaded_in_three_places():
    loading = [
        module
        for module, path in modules().items()
        if module.startswith("hpo_explain") and re.search(UNPICKLES, path.read_text("utf-8"))
    ]
    # of a source that is trusted, of interpreters that we started, and what is compiled, which
    # numba loads
    assert loading == ["hpo_explain.adapters.pickled", "hpo_explain.base.workers"]
    source = modules()["hpo_explain.models._compiled"].read_text(encoding="utf-8")
    assert source.count("_Cache(function)") == 2
    assert source.count("is_ours_alone(") == 1


# ---------------------------------------------------------------------- links


@pytest.fixture
def victim(tmp_path):
    file = tmp_path / "victim" / "settings"
    file.parent.mkdir()
    file.write_text("theirs")
    file.chmod(0o600)
    return file


@OF_ROOT
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("of_folder", [False, True])
def test_a_link_that_another_user_put_there(shared, victim, of_folder, missing):
    place = shared / "reports" / victim.name if of_folder else shared / "report.html"
    link = place.parent if of_folder else place
    link.symlink_to(victim.parent if of_folder else victim)
    if missing:
        victim.unlink()
    of_others(link)
    for write in (check_place, lambda path: write_atomically(path, "ours")):
        with pytest.raises(PermissionError, match="is a link that another user put there"):
            write(place)
    assert victim.exists() != missing
    assert missing or victim.read_text() == "theirs"
    os.lchown(link, 0, 0)  # one of ours is followed
    write_atomically(place, "ours")
    assert victim.read_text() == "ours"


@OF_ROOT
def test_nothing_is_given_away_that_is_put_in_place_of_what_is_written(shared, victim, monkeypatch):
    """By its name, a link to any file would give that to the owner of the report."""
    report = shared / "report.html"
    report.touch(mode=0o644)
    of_others(report)

    def exchanges(file):
        partial = Path(file.name)
        if partial.suffix == ".part":
            partial.unlink()
            partial.symlink_to(victim)
        return True

    monkeypatch.setattr(_file, "_is_locked", exchanges)
    write_atomically(report, "ours")
    state = victim.stat()
    assert (state.st_uid, stat.S_IMODE(state.st_mode)) == (0, 0o600)
    assert victim.read_text() == "theirs"


def test_what_is_put_in_place_of_a_file_that_is_written_into(shared, victim, monkeypatch):
    other = shared / "other"
    other.touch()
    state = other.stat()
    monkeypatch.setattr(_file, "_may_be_replaced", lambda state: False)
    monkeypatch.setattr(_file, "_state", lambda path: state)
    with pytest.raises(PermissionError):
        write_atomically(victim, "ours")
    assert victim.read_text() == "theirs"
