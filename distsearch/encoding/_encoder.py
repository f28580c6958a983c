"""Ordered target statistics as a scikit-learn transformer."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from distsearch._sklearn import HasMethods, Interval, StrOptions, output_container
from distsearch._wording import count, listed
from distsearch.backends import Backend, open_backend, seed_sequence
from distsearch.encoding._categories import Codes, Column, factorize, locate
from distsearch.encoding._columns import Columns, find_column, is_category
from distsearch.encoding._learned import Learned
from distsearch.encoding._names import name_outputs
from distsearch.encoding._orders import add_noise, make_orders
from distsearch.encoding._output import assemble
from distsearch.encoding._passes import encode_columns, is_worth_sending, learn_columns
from distsearch.encoding._policies import Policies, set_fixed
from distsearch.encoding._target import Target, read_target
from distsearch.encoding._totals import Formula, Totals
from distsearch.errors import DistsearchWarning, InvalidInputError

__all__ = ["OrderedTargetEncoder"]

Floats = NDArray[np.float64]

_POLICY_NAMES = {"prior", "own", "nan", "error"}


@dataclass(frozen=True, eq=False, slots=True)
class Located:
    """A column of new rows beside what was learned of it.

    Parameters
    ----------
    name : str
        The column.
    codes : ndarray of int of shape (n_rows,)
        Places of the rows among its own categories; -1 for missing.
    places : ndarray of int of shape (n_categories,)
        Places of these among the categories learned; -1 for unknown.
    totals : Totals
        What was learned of these.
    """

    name: str
    codes: Codes
    places: Codes
    totals: Totals


class OrderedTargetEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Encode categories by the targets of the rows before them, as CatBoost does.

    Use it for categories of which there are many, in place of one-hot columns. It has two faces.
    Training rows, given with their targets, are encoded in order: each by the *earlier* rows of
    its category, so that no row sees its own target. All later rows get the statistics of the
    whole training set. So equal categories get different values in `fit_transform`, and
    ``fit(X, y).transform(X)`` is not ``fit_transform(X, y)``: a model fitted on the former would
    see its own targets.

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
        Where blocks of rows are encoded if there are many: "serial", "processes", "processes:8",
        "ray", "ray:HOST:PORT" or a `Backend`. The result does not depend on it.
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
        The prior of each output.
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
    category; 1 and "1" are two. Rows are matched by position, never by their index.

    Sums are exact: they are kept as integers and rounded once. So what was learned in batches, in
    shards or on any number of workers is the same to the last bit.

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
        self._learned = self._learn(table, target)
        self._settle()
        self._training: dict[str, Any] | None = {
            "told": False, "print": self._fingerprint(table),
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
        self._learned = bare.with_columns(totals)
        self._settle()
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
        self._learned = more if first else self._learned + more
        self._settle(partial=True)
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
            if not hasattr(self, "_learned"):
                self._adopt(other)
                continue
            self._check_same_columns(other)
            self._learned = self._learned + other._learned
        if others:
            self._settle(partial=True)
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
        flat = [name for own in self._name_outputs(names) for name in own]
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
        j = find_column(column, self._names(), self.n_features_in_, "column")
        if j not in self.encoded_features_:
            raise InvalidInputError(f"Column {column!r} is not encoded, so it has no statistics.")
        totals = self._learned.columns[self.encoded_features_.tolist().index(j)]
        names = self._name_outputs(self._known_names())[j]
        frame = pd.DataFrame({"category": [*totals.categories.tolist(), None]}, dtype=object)
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

    def _read(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> tuple[Columns, Target]:
        """Read training rows."""
        table = Columns.read(X, self, reset=reset)
        if reset:
            self._choose_columns(table)
        known = None if reset else self._learned
        numbers = known is not None and known.labels is None
        target_type = "continuous" if numbers else self.target_type
        target = read_target(y, target_type, sample_weight, len(table), type(self).__name__)
        self._policies().check_training(self._encoded(table), self._encoded_names())
        return table, target

    def _choose_columns(self, table: Columns) -> None:
        n, names = self.n_features_in_, self._names()
        by = None
        if not (isinstance(self.order, str) and self.order in {"given", "random"}):
            by = find_column(self.order, names, n, "order")
        if self.n_permutations > 1 and self.order != "random":
            raise InvalidInputError(
                f"n_permutations={self.n_permutations} needs order='random'. "
                f"Got order={self.order!r} instead."
            )
        if isinstance(self.columns, str):
            chosen = [j for j in range(n) if self.columns == "all" or is_category(table[j])]
            chosen = [j for j in chosen if j != by]
        else:
            chosen = sorted({find_column(each, names, n, "columns") for each in self.columns})
        if not chosen and isinstance(self.columns, str):
            warnings.warn(
                "None of the columns is categorical, so nothing is encoded. Name the columns to "
                "encode, or use columns='all'.",
                DistsearchWarning,
                stacklevel=4,
            )
        self._ordered_by = by
        self.encoded_features_ = np.array(chosen, dtype=np.intp)

    def _learn(self, table: Columns, target: Target) -> Learned:
        columns = self._encoded(table)
        with self._backend(len(table) * len(columns) * target.n_sums) as backend:
            totals = learn_columns(columns, target, backend)
        return Learned.of(self.target_type, target, totals)

    def _encode_training(
        self, table: Columns, target: Target, formula: Formula,
        starts: Sequence[Totals | None], n_before: int,
    ) -> tuple[Floats, list[Totals]]:  # fmt: skip
        columns = self._encoded(table)
        if self.smoothing == 0 and columns:
            warnings.warn(
                "Without smoothing, the first row of each category is 0/0 and becomes NaN. Use "
                "smoothing > 0, or a model that takes NaN.",
                DistsearchWarning,
                stacklevel=4,
            )
        seed = seed_sequence(self.random_state)
        orders = make_orders(
            len(table),
            self.n_permutations,
            None if self._ordered_by is None else table[self._ordered_by],
            seed if self.order == "random" else None,
        )
        n_values = len(table) * len(columns) * len(formula.outputs) * len(orders)
        with self._backend(n_values) as backend:
            values, totals = encode_columns(columns, target, formula, starts, orders, backend)
        width = len(formula.outputs)
        for slot, column in enumerate(columns):
            view = values[:, slot * width : (slot + 1) * width]
            self._policies().set_training(view, column, formula.prior)
        add_noise(values, self.noise, seed, n_before)
        return values, totals

    def _transform_training(
        self, table: Columns, y: Any, sample_weight: Any, earlier: Any
    ) -> Floats:
        learned = self._learned
        target_type = "continuous" if learned.labels is None else self.target_type
        target = read_target(y, target_type, sample_weight, len(table), type(self).__name__)
        target = learned.place(target)
        starts: list[Totals | None] = [None] * len(learned.columns)
        n_before = 0
        if earlier is not None:
            starts, target, n_before = self._start_after(earlier, target)
        self._policies().check_training(self._encoded(table), self._encoded_names())
        formula = self._formula(learned)
        values, _ = self._encode_training(table, target, formula, starts, n_before)
        if self.handle_unknown != "own":
            for view, located in zip(self._views(values), self._locate(table), strict=True):
                set_fixed(view, self._fixed(located)[:1], formula.prior, located.codes)
        return values

    def _start_after(self, earlier: Any, target: Target) -> tuple[list[Totals | None], Target, int]:
        check_is_fitted(earlier, "_learned")
        self._check_same_columns(earlier)
        if self.order == "random":
            raise InvalidInputError(
                "earlier means that rows have an order, and order is 'random'. Use order='given'."
            )
        before = earlier._learned
        weight_grid = target.weight_grid | before.overall.weight_grid
        sum_grid = target.sum_grid | before.overall.sum_grid
        starts: list[Totals | None] = [*before.before(self._learned.labels)]
        return starts, target.with_grids(weight_grid, sum_grid), before.n_rows

    def _transform_later(self, table: Columns) -> Floats:
        formula = self._formula(self._learned)
        width = len(formula.outputs)
        values = np.empty((len(table), width * len(self.encoded_features_)), order="F")
        for view, located in zip(self._views(values), self._locate(table), strict=True):
            by_category = formula.table(located.totals)
            set_fixed(by_category, self._fixed(located), formula.prior)
            for k in range(width):
                view[:, k] = by_category[located.codes, k]
        self._tell_training_rows(table)
        return values

    def _locate(self, table: Columns) -> Iterator[Located]:
        """Yield how each encoded column relates to what was learned of it."""
        for slot, (column, name) in enumerate(
            zip(self._encoded(table), self._encoded_names(), strict=True)
        ):
            codes, categories = factorize(column, name)
            places = locate(self._indexes[slot], categories)
            totals = self._learned.columns[slot].take(places, categories)
            yield Located(name, codes, places, totals)

    def _fixed(self, located: Located) -> list[tuple[str, NDArray[np.bool_]]]:
        return self._policies().replacements(
            located.codes, located.totals.categories, located.places,
            bool(located.totals.weight[-1].any()), located.name,
        )  # fmt: skip

    def _views(self, values: Floats) -> Iterator[Floats]:
        n = len(self.encoded_features_)
        width = values.shape[1] // n if n else 0
        return (values[:, slot * width : (slot + 1) * width] for slot in range(n))

    def _fingerprint(self, table: Columns) -> list[int]:
        return [
            zlib.crc32(np.append(located.places, -2)[located.codes].data)
            for located in self._locate(table)
        ]

    def _tell_training_rows(self, table: Columns) -> None:
        training = self._training
        if training is None or training["told"] or len(table) != self.n_samples_seen_:
            return
        if len(self.encoded_features_) and self._fingerprint(table) == training["print"]:
            training["told"] = True
            warnings.warn(
                "These are the rows that the encoder was fitted on, and transform encodes them by "
                "their own targets too. Fit a model on fit_transform(X, y), which does not.",
                DistsearchWarning,
                stacklevel=4,
            )

    def _settle(self, *, partial: bool = False) -> None:
        """Set what follows from what was learned."""
        learned = self._learned
        self.n_samples_seen_ = learned.n_rows
        self.classes_ = learned.classes
        self.target_type_ = learned.kind
        self._indexes = [totals.index() for totals in learned.columns]
        if not partial or learned.classes is None or len(learned.classes) > 1:
            self.prior_ = self._formula(learned).prior

    def _adopt(self, other: OrderedTargetEncoder) -> None:
        for name in (
            "_learned", "_ordered_by", "encoded_features_", "n_features_in_", "feature_names_in_",
        ):  # fmt: skip
            if hasattr(other, name):
                setattr(self, name, getattr(other, name))

    def _check_same_columns(self, other: OrderedTargetEncoder) -> None:
        if (
            self.n_features_in_ == other.n_features_in_
            and np.array_equal(self.encoded_features_, other.encoded_features_)
            and self._names() == other._names()
        ):
            return
        raise InvalidInputError(
            f"Encoders belong together when they were fitted on the same columns. These encode "
            f"{listed(self._encoded_names(), 10)} of {count(self.n_features_in_, 'column')} and "
            f"{listed(other._encoded_names(), 10)} of {count(other.n_features_in_, 'column')}."
        )

    def _formula(self, learned: Learned) -> Formula:
        return learned.formula(self.smoothing, self.prior, self.drop)

    def _policies(self) -> Policies:
        return Policies(self.handle_unknown, self.handle_missing)

    @contextmanager
    def _backend(self, n_values: int) -> Iterator[Backend | None]:
        """Open the backend if there is so much to do; else None."""
        if self.backend == "serial":
            yield None
            return
        with open_backend(self.backend) as backend:
            yield backend if is_worth_sending(n_values, backend) else None

    def _encoded(self, table: Columns) -> list[Column]:
        return [table[j] for j in self.encoded_features_.tolist()]

    def _names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else [str(name) for name in names]

    def _known_names(self) -> list[str]:
        return self._names() or [f"x{j}" for j in range(self.n_features_in_)]

    def _encoded_names(self) -> list[str]:
        names = self._known_names()
        return [names[j] for j in self.encoded_features_.tolist()]

    def _name_outputs(self, names: Sequence[str]) -> list[list[str]]:
        labels = None
        if self.target_type_ == "multiclass" and self.classes_ is not None:
            left_out = self._learned.dropped(self.drop)
            labels = [label for k, label in enumerate(self.classes_.tolist()) if k != left_out]
        return name_outputs([str(name) for name in names], self.encoded_features_.tolist(), labels)

    def _assemble(self, table: Columns, values: Floats) -> Any:
        return assemble(
            table, self.encoded_features_.tolist(), values,
            self._name_outputs(self._known_names()), output_container(self),
        )  # fmt: skip

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_indexes", None)
        if "_learned" in state:
            state["_learned"] = self._learned.to_plain()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if hasattr(self, "_learned"):
            self._learned = Learned.from_plain(self._learned)  # type: ignore[arg-type]
            self._indexes = [totals.index() for totals in self._learned.columns]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.target_tags.required = True
        return tags
