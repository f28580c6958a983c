"""Ordered target statistics as a scikit-learn transformer."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from distsearch._sklearn import HasMethods, Interval, StrOptions
from distsearch.encoding._categories import as_objects
from distsearch.encoding._columns import Columns, find_column
from distsearch.encoding._learned import Learned
from distsearch.encoding._locating import fingerprint
from distsearch.encoding._totals import Totals
from distsearch.encoding._workings import EncoderWorkings
from distsearch.errors import InvalidInputError

__all__ = ["OrderedTargetEncoder"]

Floats = NDArray[np.float64]

_POLICY_NAMES = {"prior", "own", "nan", "error"}


class OrderedTargetEncoder(EncoderWorkings):
    """Encode categories by the targets of the rows before them, as CatBoost does.

    Use it for categories of which there are many, in place of one-hot columns. It has two faces.
    Training rows, given with their targets, are encoded in order: each by the *earlier* rows of
    its category, so that no row sees its own target. All later rows get the statistics of the
    whole training set. So ``fit(X, y).transform(X)`` is not ``fit_transform(X, y)``: a model fitted
    on the former would see its own targets.

    Parameters
    ----------
    columns : "categorical", "all" or array-like of str or int, default="categorical"
        The columns to encode, by name or position: those that are not numbers (text, categories,
        truth values, dates), all, or these. Other columns are passed through in place.
    target_type : {"auto", "binary", "continuous", "multiclass"}, default="auto"
        What the target is. With "auto", text, truth values and up to 100 distinct whole numbers
        are labels of classes, and other numbers are a continuous target.
    smoothing : float, default=1.0
        How many rows with the prior as their target every category is given besides its own: the
        *a* of the formula. With 0 a category's first row is 0/0, which is not a number.
    prior : "mean" or float, default="mean"
        What is expected of a category of which nothing is known: the mean of all training targets
        (of each class, its share), or a number.
    order : "given", "random", or str or int, default="given"
        The order of the training rows: as they stand, drawn at random, or by a column such as a
        time, given by its name or position; ties keep the order of the rows. Rows that are sorted
        by target or class should not be taken as given.
    n_permutations : int, default=1
        With ``order="random"``, how many orders the training values are averaged over.
    noise : float, default=0.0
        Training values are multiplied by 1 + noise · z, z being standard normal.
    drop : label, "first" or None, default=None
        A class whose column is left out, for a target of more than two classes.
    handle_unknown : {"prior", "own", "nan", "error"}, default="prior"
        The value of categories that training had not: the prior; what the formula says of no rows
        (the prior again, but 0/0 without smoothing); not a number; or an error.
    handle_missing : {"own", "prior", "nan", "error"}, default="own"
        The value where the category is missing: with "own", missing is a category of its own;
        with the others, the prior, not a number, or an error.
    backend : str or Backend, default="serial"
        Where blocks of rows are encoded if there are tens of millions of values: "serial",
        "processes", "processes:8", "ray", "ray:HOST:PORT" or a `Backend`. The result does not
        depend on it; a table that a few workers are sent is encoded about as fast without them.
    random_state : int, RandomState, Generator, SeedSequence or None, default=None
        Seed of random orders and of noise.

    Attributes
    ----------
    encoded_features_ : ndarray of int
        Positions of the encoded columns.
    categories_ : list of ndarray
        The categories of each encoded column, without the missing one.
    encodings_ : list of ndarray of shape (n_categories + 1, n_outputs)
        The values that later rows get, that of missing values last.
    target_type_ : {"binary", "continuous", "multiclass"}
        What the target is.
    classes_ : ndarray or None
        The labels in sorted order, the second being the positive class of a binary target; None
        for a continuous one.
    prior_ : ndarray of shape (n_outputs,)
        The prior of each output; empty while only one class was seen.
    n_samples_seen_ : int
        Number of training rows.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    With weights w, targets y, smoothing a and prior p, a training row i of category v becomes

        (Σ w_j y_j + a·p) / (Σ w_j + a),    over the rows j of category v before i,

    and a later row the same over all rows of category v. A target of K classes gives K columns
    that sum to 1, each for one class against the others, in one pass.

    None, NaN, pandas.NA and NaT are one missing value. Values that are equal in Python are one
    category; 1 and "1" are two. Rows are matched by position, never by their index. Sums are kept
    as integers and rounded once, so that batches, shards and workers give the same bits.

    References
    ----------
    Prokhorenkova, L., Gusev, G., Vorobev, A., Dorogush, A. V. and Gulin, A. (2018). CatBoost:
    unbiased boosting with categorical features. NeurIPS 31, section 3.2 ("ordered TS").

    Examples
    --------
    >>> import pandas as pd
    >>> from distsearch.encoding import OrderedTargetEncoder
    >>> X = pd.DataFrame({"fruit": ["apple", "apple", "apple", "cherry", "cherry", "cherry"]})
    >>> y = [0, 0, 1, 1, 1, 1]
    >>> encoder = OrderedTargetEncoder()
    >>> encoder.fit_transform(X, y).round(3).ravel()  # training rows: by the rows before them
    array([0.667, 0.333, 0.222, 0.667, 0.833, 0.889])
    >>> encoder.transform(X).round(3).ravel()  # later rows: by all training rows
    array([0.417, 0.417, 0.417, 0.917, 0.917, 0.917])

    Shards of a large table, each of which may be on another machine:

    >>> shards = [(X[:2], y[:2]), (X[2:], y[2:])]
    >>> parts = [OrderedTargetEncoder().partial_fit(*shard) for shard in shards]
    >>> whole = OrderedTargetEncoder().merge(*parts)
    >>> whole.transform(*shards[0]).round(3).ravel()
    array([0.667, 0.333])
    >>> whole.transform(*shards[1], earlier=parts[0]).round(3).ravel()
    array([0.222, 0.667, 0.833, 0.889])
    """

    # Weights of `transform` belong to the rows of a shard; a pipeline routes those of `fit`.
    __metadata_request__transform: ClassVar[dict[str, str]] = {
        "sample_weight": UNUSED,
        "earlier": UNUSED,
    }

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "columns": [StrOptions({"categorical", "all"}), "array-like"],
        "target_type": [StrOptions({"auto", "binary", "continuous", "multiclass"})],
        "smoothing": [Interval(Real, 0, None, closed="left")],
        "prior": [StrOptions({"mean"}), Interval(Real, None, None, closed="neither")],
        "order": [str, Integral],
        "n_permutations": [Interval(Integral, 1, None, closed="left")],
        "noise": [Interval(Real, 0, None, closed="left")],
        "drop": "no_validation",
        "handle_unknown": [StrOptions(_POLICY_NAMES)],
        "handle_missing": [StrOptions(_POLICY_NAMES)],
        "backend": [str, HasMethods(["share", "run", "close"])],
        "random_state": ["random_state", np.random.Generator, np.random.SeedSequence],
    }

    def __init__(
        self,
        columns: Any = "categorical",
        *,
        target_type: str = "auto",
        smoothing: float = 1.0,
        prior: Any = "mean",
        order: Any = "given",
        n_permutations: int = 1,
        noise: float = 0.0,
        drop: Any = None,
        handle_unknown: str = "prior",
        handle_missing: str = "own",
        backend: Any = "serial",
        random_state: Any = None,
    ) -> None:
        self.columns = columns
        self.target_type = target_type
        self.smoothing = smoothing
        self.prior = prior
        self.order = order
        self.n_permutations = n_permutations
        self.noise = noise
        self.drop = drop
        self.handle_unknown = handle_unknown
        self.handle_missing = handle_missing
        self.backend = backend
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the statistics of each category.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts; not negative.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            When a column is not there, or the target is missing, has one class only or is not of
            its type.
        """
        self._validate_params()
        table, target = self._read(X, y, sample_weight, reset=True)
        self._settle(self._learn(table, target))
        self._training: dict[str, Any] | None = {
            "told": False, "print": fingerprint(self._locate(table)),
        }  # fmt: skip
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Learn the statistics, and encode each training row by the rows before it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts; not negative.

        Returns
        -------
        ndarray of shape (n_samples, n_outputs)
            Or a frame, see `set_output`.

        Raises
        ------
        InvalidInputError
            As in `fit`.
        """
        self._validate_params()
        table, target = self._read(X, y, sample_weight, reset=True)
        bare = Learned.of(self.target_type, target, ())
        nothing: list[Totals | None] = [None] * len(self.encoded_features_)
        values, totals = self._encode_training(table, target, self._formula(bare), nothing, 0)
        self._settle(bare.with_columns(totals))
        self._training = None
        return self._assemble(table, values)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from further rows, as if they had stood below those of before.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Their targets; labels may be new.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts; not negative.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            As in `fit`, and when the target is not of the type of the rows before.
        """
        self._validate_params()
        first = not hasattr(self, "_learned")
        table, target = self._read(X, y, sample_weight, reset=first)
        more = self._learn(table, target)
        self._settle(more if first else self._learned + more, partial=True)
        self._training = None
        return self

    def merge(self, *others: OrderedTargetEncoder) -> Self:
        """Add what other encoders have learned, as if their rows had stood below those of this.

        Parameters
        ----------
        *others : OrderedTargetEncoder
            Fitted on other rows of the same table; this encoder need not be fitted.

        Returns
        -------
        self

        Raises
        ------
        InvalidInputError
            When they were not fitted on the same columns and the same type of target.
        """
        self._validate_params()
        for other in others:
            check_is_fitted(other, "_learned")
        learned = getattr(self, "_learned", None)
        for other in others:
            if learned is None:
                self._adopt(other)
                learned = other._learned
            else:
                self._features.check_same(other._features)
                learned = learned + other._learned
        if learned is not None:
            self._settle(learned, partial=True)
            self._training = None
        return self

    def transform(
        self, X: Any, y: Any = None, *, sample_weight: Any = None, earlier: Any = None
    ) -> Any:
        """Encode later rows by all training rows, or training rows by the rows before them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,), optional
            Their targets, if they are training rows, which are then encoded in order under the
            prior that was learned.
        sample_weight : array-like of shape (n_samples,), optional
            The weights of training rows.
        earlier : OrderedTargetEncoder, optional
            Fitted on the training rows that come before these, where these are not the first.

        Returns
        -------
        ndarray of shape (n_samples, n_outputs)
            Or a frame, see `set_output`.

        Raises
        ------
        InvalidInputError
            When a missing or unknown category is to be an error, or a label is unknown.
        """
        check_is_fitted(self, "_learned")
        table = Columns.read(X, self, reset=False)
        if y is not None:
            return self._assemble(table, self._transform_training(table, y, sample_weight, earlier))
        if sample_weight is not None or earlier is not None:
            raise InvalidInputError(
                "sample_weight and earlier are about training rows, which have targets. Pass y "
                "too, or leave them out."
            )
        return self._assemble(table, self._transform_later(table))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the outputs: ``column``, or ``column_class`` for several classes.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the features where they had none in fit.

        Returns
        -------
        ndarray of str
            No two alike: a name that is taken gets a number.
        """
        check_is_fitted(self, "_learned")
        names = _check_feature_names_in(self, input_features)
        flat = [name for own in self._output_names([str(name) for name in names]) for name in own]
        return np.asarray(flat, dtype=object)

    def statistics(self, column: Any) -> pd.DataFrame:
        """Return what was learned of an encoded column.

        Parameters
        ----------
        column : str or int
            Its name or position.

        Returns
        -------
        DataFrame
            One row a category, the missing one (None) last where it occurred: ``category``,
            ``weight`` of its training rows, and the value of each output for later rows.
        """
        check_is_fitted(self, "_learned")
        j = find_column(column, self._features.names, self.n_features_in_, "column")
        if j not in self.encoded_features_:
            raise InvalidInputError(f"Column {column!r} is not encoded, so it has no statistics.")
        totals = self._learned.columns[self.encoded_features_.tolist().index(j)]
        names = self._output_names()[j]
        frame = pd.DataFrame({"category": [*as_objects(totals.categories), None]}, dtype=object)
        frame["weight"] = totals.total_weight()
        frame[names] = self._formula(self._learned).table(totals)
        return frame if totals.weight[-1].any() else frame[:-1]

    @property
    def categories_(self) -> list[NDArray[Any]]:
        """The categories of each encoded column, without the missing one."""
        return [totals.categories for totals in self._learned.columns]

    @property
    def encodings_(self) -> list[Floats]:
        """The values that later rows get, that of missing values last."""
        formula = self._formula(self._learned)
        return [formula.table(totals) for totals in self._learned.columns]
