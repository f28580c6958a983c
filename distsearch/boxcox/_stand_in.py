"""What lets a fitted search stand in for the estimator that it searched for."""

from __future__ import annotations

import copy
from functools import partial
from inspect import Parameter, signature
from typing import Any

from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted

from distsearch._scoring import make_scorer
from distsearch._sklearn import available_when, routing_enabled
from distsearch.errors import InvalidInputError

__all__ = ["StandIn"]

_has = partial(available_when, lambda self: getattr(self, "best_estimator_", self.estimator))


class StandIn(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Predicts, scores, routes metadata and describes itself as its estimator does.

    A subclass has the parameters ``estimator``, ``scoring`` and ``cv``, and sets
    ``best_estimator_`` and ``scorer_`` in `fit`.
    """

    def _route(self, params: dict[str, Any]) -> Any:
        if routing_enabled():
            return process_routing(self, "fit", **params)
        params = {key: value for key, value in params.items() if value is not None}
        accepted = signature(self.estimator.fit).parameters
        takes_any = any(p.kind is Parameter.VAR_KEYWORD for p in accepted.values())
        for key in params.keys() - accepted.keys() - {"groups"}:
            if not takes_any:
                raise InvalidInputError(
                    f"{type(self.estimator).__name__}.fit takes no {key!r}. Leave it out, or use "
                    f"an estimator that takes it."
                )
        split = {"groups": params.pop("groups")} if "groups" in params else {}
        return Bunch(
            estimator=Bunch(fit=params), splitter=Bunch(split=split), scorer=Bunch(score={})
        )

    def get_metadata_routing(self) -> MetadataRouter:
        """Return who asks for which metadata: the estimator, the scorer and the splitter."""
        router = MetadataRouter(owner=self)
        router.add(
            estimator=self.estimator,
            method_mapping=MethodMapping().add(caller="fit", callee="fit"),
        )
        router.add(
            scorer=make_scorer(self.estimator, self.scoring),
            method_mapping=MethodMapping()
            .add(caller="fit", callee="score")
            .add(caller="score", callee="score"),
        )
        router.add(
            splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split")
        )
        return router

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels, where the estimator is a classifier."""
        check_is_fitted(self)
        labels: NDArray[Any] = self.best_estimator_.classes_
        return labels

    @_has("predict")
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the target of each row of ``X``."""
        return self._delegate("predict", X)

    @_has("predict_proba")
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return the probability of each class, a column, for each row of ``X``."""
        return self._delegate("predict_proba", X)

    @_has("decision_function")
    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the estimator's decision values for each row of ``X``."""
        return self._delegate("decision_function", X)

    def _delegate(self, method: str, X: Any) -> NDArray[Any]:
        check_is_fitted(self)
        answer: NDArray[Any] = getattr(self.best_estimator_, method)(X)
        return answer

    def score(self, X: Any, y: Any, **params: Any) -> float:
        """Return the metric of the search on other data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Their targets.
        **params : dict
            With metadata routing, passed to the scorer.
        """
        check_is_fitted(self)
        if routing_enabled():
            params = process_routing(self, "score", **params).scorer.score
        return float(self.scorer_(self.best_estimator_, X, y, **params))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "best_estimator_")

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = copy.deepcopy(inner.classifier_tags)
        tags.regressor_tags = copy.deepcopy(inner.regressor_tags)
        tags.target_tags = copy.deepcopy(inner.target_tags)
        tags.input_tags.allow_nan = _accepts_nan(self.estimator)
        return tags


def _accepts_nan(estimator: Any) -> bool:
    """Say whether the estimator takes missing values; a pipeline does if its first step does."""
    if isinstance(estimator, Pipeline):
        steps = [step for _, step in estimator.steps if step not in ("passthrough", None)]
        return not steps or _accepts_nan(steps[0])
    accepts: bool = get_tags(estimator).input_tags.allow_nan
    return accepts
