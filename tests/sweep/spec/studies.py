"""Study files for tests."""

from sklearn.utils import ClassifierTags, Tags, TargetTags

from distsearch.errors import SpecError
from distsearch.sweep.spec import read_spec

TRUST = ["sweep.spec.studies"]


class Thing:
    """A classifier without declarations, whose parameters have types only by their defaults."""

    def __init__(self, epochs=10, shuffle=True, eta=0.1, mode=None):
        self.epochs = epochs
        self.shuffle = shuffle
        self.eta = eta
        self.mode = mode

    def get_params(self, deep=True):
        return dict(vars(self))

    def set_params(self, **params):
        vars(self).update(params)
        return self

    def fit(self, X, y):
        return self

    def __sklearn_tags__(self):
        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
        )


class Broken(Thing):
    """One that cannot be made."""

    def __init__(self):
        raise ZeroDivisionError("not today")


class Neither(Thing):
    """One that learns no target."""

    def __sklearn_tags__(self):
        return Tags(estimator_type=None, target_tags=TargetTags(required=False))


def write(folder, text, **tables):
    """Write a study file, and tables of settings beside it."""
    for name, cells in tables.items():
        (folder / f"{name}.csv").write_bytes(_raw(cells))
    path = folder / "study.toml"
    path.write_bytes(_raw(text))
    return path


def _raw(text):
    return text if isinstance(text, bytes) else text.encode()


def problems(path, **options):
    """Return the mistakes in a study file."""
    try:
        read_spec(path, **options)
    except SpecError as error:
        return list(error.problems)
    return []


THINGS = """\
[[data]]
source = "iris"
[[estimators]]
label = "T"
name = "sweep.spec.studies:Thing"
"""


def things(folder, form, **tables):
    """Return the settings of a study of the estimator above; its form begins on line 6."""
    return read_spec(write(folder, THINGS + form, **tables), trust=TRUST).estimators


def wrong_things(folder, form, **tables):
    """Return the mistakes in such a study."""
    return problems(write(folder, THINGS + form, **tables), trust=TRUST)
