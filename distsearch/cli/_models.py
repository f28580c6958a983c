"""Model files: written whole or not at all, read without running code from them.

A file holds a dictionary in skops' format. Of the types in it, those that skops vouches for are
read, our own map, and some insides of scikit-learn's neighbours and networks, which skops leaves
to us; anything else only if the caller trusts its module. So no code comes from a file. A forged
one can still crash the process that predicts with it: decision trees are known for that, and skops
has us ask; search trees of neighbours are read all the same, for they are in every such model.
"""

from __future__ import annotations

import platform
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import skops.io
from sklearn.pipeline import Pipeline

from distsearch._version import __version__
from distsearch.encoding import OrderedTargetEncoder
from distsearch.errors import DataError, DistsearchWarning, InvalidInputError
from distsearch.registry import is_trusted
from distsearch.tables import ReadOptions, Table, whole_file

__all__ = ["load", "save", "untrusted"]

_FORMAT = 1
_ENTRIES = {"format", "model", "features", "target", "classes", "reading", "versions", "report"}
_TRUSTED = {
    "distsearch.boosting._adaboost.ResamplingAdaBoostClassifier",
    "distsearch.boosting._adaboost_kl.AdaBoostKLClassifier",
    "distsearch.boosting._brownboost.BrownBoostClassifier",
    "distsearch.boosting._c45.C45TreeClassifier",
    "distsearch.boosting._cbb.CBBClassifier",
    "distsearch.boosting._perceptron.PerceptronClassifier",
    "distsearch.boosting._pruneboost.PruneBoostClassifier",
    "distsearch.boosting._rbf_network.RBFNetworkClassifier",
    "distsearch.boosting._space.ClusterSpace",
    "distsearch.boosting._stump.DecisionStumpClassifier",
    "distsearch.boosting._x_means.XMeans",
    "distsearch.boxcox._transformer.BoxCoxTransformer",
    "distsearch.encoding._encoder.OrderedTargetEncoder",
    "distsearch.odd._classifier.ODDClassifier",
    "distsearch.odd._direct_lda.DirectLDA",
    "distsearch.odd._schedule.PaperSchedule",
    "numpy.dtype",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.metrics._dist_metrics.ManhattanDistance64",
    "sklearn.metrics._dist_metrics.MinkowskiDistance64",
    "sklearn.neighbors._ball_tree.BallTree",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
}
_PACKAGES = ("numpy", "scipy", "scikit-learn", "skops")

Kind = Literal["model", "encoder"]


@dataclass(frozen=True)
class _Content:
    """What sets one kind of file apart.

    Parameters
    ----------
    type : type
        Of the estimator.
    report : tuple of str
        Entries of the report that are read again; they are text.
    what : str
        What a person would call it.
    use : str
        The command that uses a file of this kind.
    """

    type: type
    report: tuple[str, ...]
    what: str
    use: str


_KINDS: Mapping[str, _Content] = {
    "model": _Content(
        Pipeline, ("data", "scoring", "impute"), "a model that distsearch fit saved",
        "distsearch predict {} DATA",
    ),
    "encoder": _Content(
        OrderedTargetEncoder, ("data",), "an encoder that distsearch encode saved",
        "distsearch encode DATA --apply {} -o OUT",
    ),
}  # fmt: skip


def save(
    path: Path, model: Any, table: Table, report: Mapping[str, Any], kind: Kind = "model"
) -> None:
    """Write a model file.

    Parameters
    ----------
    path : Path
        Where; an existing file is replaced.
    model : estimator
        Fitted.
    table : Table
        What it was fitted on.
    report : mapping
        What was found.
    kind : {"model", "encoder"}, default="model"
        What it is.
    """
    classes = getattr(model, "classes_", None)
    content = {
        "format": _FORMAT,
        "kind": kind,
        "model": model,
        "features": [str(name) for name in table.X.columns],
        "target": table.target,
        "classes": None if classes is None else classes.tolist(),
        "reading": table.options.to_dict(),
        "versions": {
            "python": platform.python_version(),
            "distsearch": __version__,
            **{name: version(name) for name in _PACKAGES},
        },
        "report": dict(report),
    }
    with whole_file(path) as file:
        skops.io.dump(content, file)
    modules = sorted({_module(name) for name in untrusted(path)})
    if modules:
        trust = " ".join(f"--trust {module}" for module in modules)
        warnings.warn(f"To predict with {path}, add {trust}.", DistsearchWarning, stacklevel=2)


def untrusted(path: Path) -> list[str]:
    """Return the types in a model file that are read only if their module is trusted."""
    return [name for name in skops.io.get_untrusted_types(file=path) if name not in _TRUSTED]


def load(path: Path, trust: Collection[str] = (), kind: Kind = "model") -> dict[str, Any]:
    """Read a model file.

    Parameters
    ----------
    path : Path
        The file.
    trust : collection of str
        Modules whose types may be read besides.
    kind : {"model", "encoder"}, default="model"
        What it has to be.

    Returns
    -------
    dict
        What `save` wrote.

    Raises
    ------
    DataError
        For a file that is not there, is damaged or is not of that kind.
    InvalidInputError
        For one with types from a module that is not trusted.
    """
    if path.is_dir():
        raise DataError(f"{path} is a folder; name a model file in it.")
    if not path.exists():
        raise DataError(f"There is no model file {path}.")
    try:
        strange = untrusted(path)
    except Exception as error:
        raise DataError(_no_file(path, kind)) from error
    if strange and kind == "encoder":  # needs no other types, but a model may
        raise DataError(
            f"{path} is not {_KINDS[kind].what}. If it is {_KINDS['model'].what}, use it with "
            f"{_KINDS['model'].use.format(path)}."
        )
    for name in strange:
        module = _module(name)
        if not is_trusted(module, trust):
            raise InvalidInputError(
                f"The model file {path} contains {name}, which could run code or crash. If you "
                f"trust the file's origin, say so: --trust {module}."
            )
    try:
        content = skops.io.load(path, trusted=sorted({*strange, *_TRUSTED}))
    except Exception as error:
        made_with = "It may come from other versions of scikit-learn or distsearch."
        raise DataError(
            f"{path} cannot be read: {type(error).__name__}: {error}. {made_with}"
        ) from error
    if not (isinstance(content, dict) and content.keys() >= _ENTRIES):
        raise DataError(_no_file(path, kind))
    if content["format"] != _FORMAT:
        raise DataError(
            f"{path} has format {content['format']!r}, and this version of distsearch reads "
            f"{_FORMAT}. Use the version that wrote it, or fit again."
        )
    found = content.get("kind", "model")  # files of models once had none
    if found != kind and found in list(_KINDS):
        raise DataError(
            f"{path} is {_KINDS[found].what}, not {_KINDS[kind].what}. Use it with "
            f"{_KINDS[found].use.format(path)}."
        )
    if found != kind or not _is_sound(content, _KINDS[kind]):
        raise DataError(_no_file(path, kind))
    return content


def _is_sound(content: Mapping[str, Any], kind: _Content) -> bool:
    """Say whether the entries are of the kinds that `save` writes."""
    features, report, classes = content["features"], content["report"], content["classes"]
    try:
        ReadOptions.from_dict(content["reading"])
    except (InvalidInputError, TypeError):
        return False
    return (
        isinstance(content["model"], kind.type)
        and isinstance(content["target"], str)
        and isinstance(features, list)
        and all(isinstance(name, str) for name in features)
        and isinstance(classes, list | None)
        and isinstance(report, dict)
        and all(isinstance(report.get(name), str) for name in kind.report)
    )


def _module(name: str) -> str:
    return name.rpartition(".")[0]


def _no_file(path: Path, kind: Kind) -> str:
    return f"{path} is not {_KINDS[kind].what}, or it is damaged."
