"""The workings of the encoder: what its public methods are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from distsearch._sklearn import output_container
from distsearch._warn import warn_caller
from distsearch.backends import Backend, open_backend, seed_sequence
from distsearch.encoding._columns import Columns
from distsearch.encoding._features import Features, choose_features
from distsearch.encoding._learned import Learned
from distsearch.encoding._locating import Located, fingerprint, locate_columns
from distsearch.encoding._orders import add_noise, make_orders
from distsearch.encoding._output import assemble
from distsearch.encoding._passes import encode_columns, is_worth_sending, learn_columns
from distsearch.encoding._policies import Policies, set_fixed
from distsearch.encoding._target import Target, read_target
from distsearch.encoding._totals import Formula, Totals
from distsearch.errors import InvalidInputError

__all__ = ["EncoderWorkings"]

Floats = NDArray[np.float64]


class EncoderWorkings(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The private half of `OrderedTargetEncoder`, which has the parameters and their meaning."""

    columns: Any
    target_type: str
    smoothing: float
    prior: Any
    order: Any
    n_permutations: int
    noise: float
    drop: Any
    handle_unknown: str
    handle_missing: str
    backend: Any
    random_state: Any
    n_features_in_: int
    _learned: Learned

    def _read(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> tuple[Columns, Target]:
        """Read training rows."""
        table = Columns.read(X, self, reset=reset)
        if reset:  # a fit that fails leaves the encoder unfitted, not with columns of another one
            self.__dict__.pop("_learned", None)
            self._choose_columns(table)
        known = None if reset else self._learned
        numbers = known is not None and known.labels is None
        target_type = "continuous" if numbers else self.target_type
        target = read_target(y, target_type, sample_weight, len(table), type(self).__name__)
        self._check_missing(table)
        return table, target

    def _choose_columns(self, table: Columns) -> None:
        if self.n_permutations > 1 and self.order != "random":
            raise InvalidInputError(
                f"n_permutations={self.n_permutations} needs order='random'. "
                f"Got order={self.order!r} instead."
            )
        names = getattr(self, "feature_names_in_", None)
        names = None if names is None else [str(name) for name in names]
        features = choose_features(table, names, self.columns, self.order)
        self._ordered_by = features.ordered_by
        self.encoded_features_ = np.array(features.encoded, dtype=np.intp)

    def _learn(self, table: Columns, target: Target) -> Learned:
        columns = self._features.take_encoded(table)
        with self._backend(len(table) * len(columns) * target.n_sums) as backend:
            totals = learn_columns(columns, target, backend)
        return Learned.of(self.target_type, target, totals)

    def _encode_training(
        self, table: Columns, target: Target, formula: Formula,
        starts: Sequence[Totals | None], n_before: int,
    ) -> tuple[Floats, list[Totals]]:  # fmt: skip
        columns = self._features.take_encoded(table)
        if self.smoothing == 0 and columns:
            warn_caller(
                "Without smoothing, the first row of each category is 0/0 and becomes NaN. Use "
                "smoothing > 0, or a model that takes NaN."
            )
        random = self.order == "random"
        seed = seed_sequence(self.random_state if random or self.noise else 0)
        orders = make_orders(
            len(table),
            self.n_permutations,
            None if self._ordered_by is None else table[self._ordered_by],
            seed if random else None,
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
        self._check_missing(table)
        formula = self._formula(learned)
        values, _ = self._encode_training(table, target, formula, starts, n_before)
        if self.handle_unknown != "own":
            for view, located in zip(self._views(values), self._locate(table), strict=True):
                set_fixed(view, located.fixed(self._policies())[:1], formula.prior, located.codes)
        return values

    def _start_after(self, earlier: Any, target: Target) -> tuple[list[Totals | None], Target, int]:
        check_is_fitted(earlier, "_learned")
        self._features.check_same(earlier._features)
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
            fixed = located.fixed(self._policies())
            set_fixed(by_category, fixed, formula.prior)
            if self.smoothing == 0 and self.handle_unknown == "own":
                by_category[fixed[0][1]] = np.nan
            for k in range(width):
                view[:, k] = by_category[located.codes, k]
        self._tell_training_rows(table)
        return values

    def _views(self, values: Floats) -> Iterator[Floats]:
        n = len(self.encoded_features_)
        width = values.shape[1] // n if n else 0
        return (values[:, slot * width : (slot + 1) * width] for slot in range(n))

    def _tell_training_rows(self, table: Columns) -> None:
        training = self._training
        if training is None or training["told"] or len(table) != self.n_samples_seen_:
            return
        if len(self.encoded_features_) and fingerprint(self._locate(table)) == training["print"]:
            training["told"] = True
            warn_caller(
                "These are the rows that the encoder was fitted on, and transform encodes them by "
                "their own targets too. Fit a model on fit_transform(X, y), which does not."
            )

    def _settle(self, learned: Learned, *, partial: bool = False) -> None:
        """Keep what was learned and what follows from it."""
        ready = not partial or learned.is_ready(self.drop)
        prior = self._formula(learned).prior if ready else np.empty(0)
        self._learned = learned
        self.n_samples_seen_ = learned.n_rows
        self.classes_ = learned.classes
        self.target_type_ = learned.kind
        self.prior_ = prior
        self._indexes = [totals.index() for totals in learned.columns]

    def _adopt(self, other: EncoderWorkings) -> None:
        for name in (
            "_ordered_by", "encoded_features_", "n_features_in_", "feature_names_in_",
        ):  # fmt: skip
            if hasattr(other, name):
                setattr(self, name, getattr(other, name))

    def _formula(self, learned: Learned) -> Formula:
        return learned.formula(self.smoothing, self.prior, self.drop)

    def _check_missing(self, table: Columns) -> None:
        features = self._features
        self._policies().check_training(features.take_encoded(table), features.encoded_names)

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

    def _locate(self, table: Columns) -> Iterator[Located]:
        features = self._features
        return locate_columns(
            features.take_encoded(table), features.encoded_names,
            self._learned.columns, self._indexes,
        )  # fmt: skip

    @property
    def _features(self) -> Features:
        names = getattr(self, "feature_names_in_", None)
        return Features(
            self.n_features_in_,
            None if names is None else tuple(map(str, names)),
            tuple(self.encoded_features_.tolist()),
            self._ordered_by,
        )

    def _output_names(self, names: Sequence[str] | None = None) -> list[list[str]]:
        labels = None
        if self.target_type_ == "multiclass" and self.classes_ is not None:
            left_out = self._learned.dropped(self.drop)
            labels = [label for k, label in enumerate(self.classes_.tolist()) if k != left_out]
        return self._features.name_outputs(labels, names)

    def _assemble(self, table: Columns, values: Floats) -> Any:
        return assemble(
            table, self._features.encoded, values, self._output_names(), output_container(self)
        )

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
