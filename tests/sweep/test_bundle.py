from __future__ import annotations

import json
import os
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from sweep.toys import study as toy

import distsearch
from distsearch.errors import InvalidInputError
from distsearch.sweep import make_bundle, make_plan
from distsearch.sweep._bundle import _places
from distsearch.sweep.spec import read_spec

PACKAGE = Path(distsearch.__file__).parent

STUDY = """
study = "travel"

[protocol]
kind = "given"

[[data]]
label = "flowers"
source = "data/flowers.csv"
target = "kind"
splits = "data/splits.csv"

[[data]]
source = "$ELSEWHERE/wine.csv"
target = "kind"
splits = "../splits.csv"

[[estimators]]
name = "knn"
table = "knn.csv"

[[estimators]]
name = "tree"
table = "FOLDER/tree.csv"
"""


def write_data(path: Path, load: object) -> int:
    X, y = load(return_X_y=True, as_frame=True)  # type: ignore[operator]
    X.assign(kind=y).to_csv(path, index=False)
    return len(y)


def write_splits(path: Path, rows: int) -> None:
    lines = ["test" if row % 3 == 0 else "train" for row in range(rows)]
    path.write_text("\n".join(["one", *lines, ""]))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study whose files are named in every way there is."""
    folder = tmp_path / "home" / "study"
    (folder / "data").mkdir(parents=True)
    away = tmp_path / "home" / "away"
    away.mkdir()
    monkeypatch.setenv("ELSEWHERE", str(away))
    write_splits(folder / "data" / "splits.csv", write_data(folder / "data/flowers.csv", load_iris))
    write_splits(folder.parent / "splits.csv", write_data(away / "wine.csv", load_wine))
    (folder / "knn.csv").write_text("n_neighbors\n1\n3\n")
    (folder / "tree.csv").write_text("max_depth\n1\n2\n")
    (folder / "study.toml").write_text(STUDY.replace("FOLDER", str(folder)))
    (folder / "private.txt").write_text("stays here")
    (folder / "data" / "other.csv").write_text("stays here")
    return folder


def names(path: Path) -> set[str]:
    with ZipFile(path) as archive:
        return set(archive.namelist())


def code() -> set[str]:
    return {
        str(PurePosixPath("distsearch", *path.relative_to(PACKAGE).parts))
        for path in PACKAGE.rglob("*")
        if path.suffix == ".py" or path.name in {"py.typed", "schema.json"}
    }


def test_it_has_what_the_study_needs_and_nothing_else(home: Path, tmp_path: Path) -> None:
    bundle = make_bundle(read_spec(home / "study.toml"), tmp_path / "b.zip")
    found = names(bundle.path)
    assert found - code() == {
        "relocated.json",
        "study-files/0/study.toml",
        "study-files/1/flowers.csv",
        "study-files/2/splits.csv",
        "study-files/3/wine.csv",
        "study-files/4/splits.csv",
        "study-files/5/knn.csv",
        "study-files/6/tree.csv",
    }
    assert code() <= found
    assert {"distsearch/cli/__main__.py", "distsearch/sweep/spec/schema.json"} <= code()
    assert (bundle.study, bundle.relocated) == ("study-files/0/study.toml", "relocated.json")
    assert bundle.elsewhere == ()


def test_the_study_is_the_same_where_it_is_unpacked(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = read_spec(home / "study.toml")
    here = make_plan(spec).study
    bundle = make_bundle(spec, tmp_path / "b.zip")
    monkeypatch.delenv("ELSEWHERE")
    home.parent.rename(tmp_path / "gone")
    there = tmp_path / "there"
    with ZipFile(bundle.path) as archive:
        archive.extractall(there)
    files = json.loads((there / bundle.relocated).read_text())
    again = read_spec(there / bundle.study, files=files)
    assert make_plan(again).study.units == here.units
    assert len(here.units) == 2 * 4
    assert {each.parents[1] for each in again.files} == {there / "study-files"}


def test_equal_content_has_equal_bytes(home: Path, tmp_path: Path) -> None:
    spec = read_spec(home / "study.toml")
    one = make_bundle(spec, tmp_path / "1.zip").path.read_bytes()
    os.utime(home / "knn.csv", (1e9, 1e9))
    assert make_bundle(spec, tmp_path / "2.zip").path.read_bytes() == one


def test_too_much_is_refused_and_the_largest_named(home: Path, tmp_path: Path) -> None:
    (home / "data" / "flowers.csv").write_bytes(os.urandom(3 * 2**20))
    spec = toy(path=home / "study.toml", written={"x": home / "data" / "flowers.csv"})
    with pytest.raises(InvalidInputError) as caught:
        make_bundle(spec, tmp_path / "b.zip", limit=2 * 2**20)
    message = str(caught.value)
    assert "have more than 2 MiB when they are compressed" in message
    assert f"The largest are {home}/data/flowers.csv (3 MiB), " in message
    assert "\n" not in message


def test_a_bundle_of_exactly_the_limit_is_made(home: Path, tmp_path: Path) -> None:
    spec = read_spec(home / "study.toml")
    size = make_bundle(spec, tmp_path / "b.zip").path.stat().st_size
    make_bundle(spec, tmp_path / "b.zip", limit=size)
    with pytest.raises(InvalidInputError):
        make_bundle(spec, tmp_path / "b.zip", limit=size - 1)


def test_trusted_modules_of_the_current_folder_go_along(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    for name in (
        "one_bundled.py", "not_trusted.py", "two_bundled/__init__.py", "two_bundled/deep/code.py",
        "two_bundled/table.csv", "two_bundled/.git/config", "two_bundled/__pycache__/code.pyc",
    ):  # fmt: skip
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).touch()
    monkeypatch.chdir(work)
    monkeypatch.syspath_prepend(work)
    trust = ("one_bundled", "two_bundled.deep.code", "sklearn.tree", "distsearch.boxcox", "no_such")
    spec = toy(path=home / "study.toml", trust=trust)
    bundle = make_bundle(spec, tmp_path / "b.zip")
    assert names(bundle.path) - code() == {
        "relocated.json", "study-files/0/study.toml", "one_bundled.py", "two_bundled/__init__.py",
        "two_bundled/deep/code.py", "two_bundled/table.csv",
    }  # fmt: skip
    assert bundle.elsewhere == ("sklearn", "no_such")


parts = st.sampled_from(["a", "b.csv", "..", "$X", "ü", "distsearch", "study.toml", "0"])


@given(st.dictionaries(st.lists(parts, min_size=1).map("/".join), st.lists(parts, min_size=1)))
def test_every_file_has_a_place_that_the_study_finds(written: dict[str, list[str]]) -> None:
    files = {text: Path("/", *path, "name.csv") for text, path in written.items()}
    spec = toy(path=Path("/home/study.toml"), written=files)
    places, moved = _places(spec)
    assert len(set(places.values())) == len(places) == len({spec.path, *files.values()})
    folder = os.path.dirname(places[spec.path])
    for text, path in files.items():
        assert os.path.normpath(os.path.join(folder, moved[text])) == places[path]
        assert os.path.basename(moved[text]) == "name.csv"
