"""A study that someone else wrote runs no code but that of scikit-learn and distsearch."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from sweep.spec.studies import write

from distsearch.errors import DataError, SpecError
from distsearch.sweep import read_plan

IRIS = '[[data]]\nsource = "iris"\n'
NB = '[[estimators]]\nname = "nb"\n'


class Touch:
    """When unpickled it makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> object:
        return Path.touch, (self.path,)


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is there as soon as code of the study's author has run."""
    path = tmp_path / "mark"
    (tmp_path / "evil_module.py").write_text(
        f"from pathlib import Path\nPath({str(path)!r}).touch()\n"
        "from sklearn.naive_bayes import GaussianNB\nclass Run(GaussianNB): pass\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return path


def refused(folder: Path, text: str, **tables: str) -> str:
    with pytest.raises((SpecError, DataError)) as caught:
        read_plan(write(folder, text, **tables))
    return str(caught.value)


def check_nothing_ran(mark: Path) -> None:
    assert not mark.exists()
    assert "evil_module" not in sys.modules


def test_the_traps_work(mark: Path) -> None:
    """Or else the tests below would say nothing."""
    pickle.loads(pickle.dumps(Touch(mark)))
    assert mark.exists()
    mark.unlink()
    read_plan(write(mark.parent, IRIS + NB.replace("nb", "evil_module:Run")), trust=["evil_module"])
    assert mark.exists()
    del sys.modules["evil_module"]


@pytest.mark.parametrize(
    "name",
    [
        "evil_module:Run", "evil_module", "evil_module.Run", ".evil_module:Run", "evil_module:",
        "os:system", "builtins:eval", "__import__('evil_module')", "__class__", ":Run",
        "sklearn.svm:SVC.__init__.__globals__", "distsearch.registry:import_module",
        "distsearch.registry:evil_module:Run", "importlib:import_module", "FunctionTransformer",
        "../evil_module:Run", "evil_module.py",
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", ["estimators", "methods", "scorers"])
def test_names(mark: Path, name: str, place: str) -> None:
    forms = {
        "estimators": f'{IRIS}[[estimators]]\nname = "{name}"\n',
        "methods": f'{IRIS}{NB}[[methods]]\nname = "{name}"\n',
        "scorers": f'scorers = ["{name}"]\n{IRIS}{NB}',
    }
    assert place in refused(mark.parent, forms[place])
    check_nothing_ran(mark)


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("knn", 'metric = "evil_module:Run"'),
        ("knn", "weights = \"lambda d: __import__('evil_module')\""),
        ("knn", 'metric = { name = "evil_module:Run" }'),
        ("svc", 'kernel = "evil_module:Run"'),
        ("BaggingClassifier", 'estimator = "evil_module:Run"'),
        ("BaggingClassifier", 'estimator = { name = "evil_module:Run" }'),
        ("BaggingClassifier", 'estimator = "nb"'),
        ("BaggingClassifier", 'estimator__metric = "evil_module:Run"'),
        ("VotingClassifier", 'estimators = [["a", "evil_module:Run"]]'),
        ("nb", '__class__ = "evil_module:Run"'),
        ("nb", 'fit = "evil_module:Run"'),
        ("nb", '"set_params" = "evil_module:Run"'),
    ],
)
def test_parameters_are_values_and_no_objects(mark: Path, name: str, params: str) -> None:
    text = f'{IRIS}[[estimators]]\nname = "{name}"\nparams = {{ {params} }}\n'
    assert "estimators[0]" in refused(mark.parent, text)
    check_nothing_ran(mark)


@pytest.mark.parametrize(
    "cell",
    [
        "__import__('evil_module')", "evil_module:Run", "!!python/object/apply:evil_module.Run []",
        "=cmd|' /C touch mark'!A0", "${evil_module}", "lambda d: d", "{{ evil_module }}",
    ],
)  # fmt: skip
def test_cells_of_tables_are_values(mark: Path, cell: str) -> None:
    text = f'{IRIS}[[estimators]]\nname = "knn"\ntable = "k.csv"\n'
    assert "k.csv:2" in refused(mark.parent, text, k=f'weights\n"{cell}"\n')
    check_nothing_ran(mark)


@pytest.mark.parametrize(
    "source",
    [
        "|touch mark", "$(touch mark)", "`touch mark`", "; touch mark", "evil_module.py", "a.pkl",
        "a.npz", "objects.npz", "http://127.0.0.1:9/a.csv", "file:///proc/self/environ",
        "evil_module:Run",
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", ["source", "splits", "table"])
def test_paths_are_read_and_nothing_else(mark: Path, source: str, place: str) -> None:
    (mark.parent / "a.pkl").write_bytes(pickle.dumps(Touch(mark)))
    (mark.parent / "a.npz").write_bytes(pickle.dumps(Touch(mark)))
    objects = np.array([[Touch(mark)]] * 4, dtype=object)
    np.savez(mark.parent / "objects.npz", X=objects, y=objects)
    forms = {
        "source": f'[[data]]\nsource = "{source}"\ntarget = "y"\n{NB}',
        "splits": f'[protocol]\nkind = "given"\n{IRIS}splits = "{source}"\n{NB}',
        "table": f'{IRIS}[[estimators]]\nname = "knn"\ntable = "{source}"\n',
    }
    refused(mark.parent, forms[place])
    check_nothing_ran(mark)
