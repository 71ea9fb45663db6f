"""Estimators for scikit-learn 1.6 or newer, on embeddings of any model.

>>> import numpy as np
>>> from projnce.sklearn import LabelAuditor
>>> rng = np.random.default_rng(0)
>>> y = np.repeat(["cat", "dog"], 30)
>>> X = rng.normal(size=(60, 4)) + 5 * (y == "dog")[:, None]
>>> y[3] = "dog"  # wrong
>>> auditor = LabelAuditor().fit(X, y)
>>> print(np.flatnonzero(auditor.is_label_issue_), auditor.predicted_label_[3])
[3] cat
>>> from projnce.sklearn import ProjNCEClassifier
>>> print(ProjNCEClassifier(dim=8, random_state=0).fit(X, y).predict(X[:1]))
['cat']
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from projnce._head import Head, train_head, unit_rows
from projnce.measures import Audit, audit

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LabelAuditor", "ProjNCEClassifier", "ProjNCETransformer"]


def _seed_of(random_state: Any) -> int:
    """Returns the seed of a random_state; None is 0."""
    if random_state is None:
        return 0
    return int(check_random_state(random_state).randint(2**31 - 1))


class _HeadEstimator(BaseEstimator):  # type: ignore[misc]
    """Parameters and training of the estimators with a head."""

    head_: Head

    def __init__(
        self,
        *,
        dim: int = 128,
        temperature: float = 0.2,
        epochs: Optional[int] = None,
        batch_size: int = 256,
        learning_rate: float = 0.003,
        random_state: Any = None,
    ) -> None:
        self.dim = dim
        self.temperature = temperature
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.random_state = random_state

    def _fit_head(self, X: Any, y: Any) -> None:
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, numbers = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y has 1 class, {self.classes_[0]!r}, expected at least two classes")
        self.head_ = train_head(
            X,
            numbers,
            len(self.classes_),
            dim=self.dim,
            temperature=self.temperature,
            epochs=self.epochs,
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            seed=_seed_of(self.random_state),
        )

    def _embed(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return unit_rows(X @ self.head_.weight.T + self.head_.bias)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


_HEAD_ARGUMENTS = """
    Args:
        dim: dimension of the embeddings.
        temperature: temperature of the loss.
        epochs: number of passes over the rows; default: 20, within 200 to 2000 steps.
        batch_size: rows per step.
        learning_rate: initial learning rate of AdamW, with a cosine schedule.
        random_state: seed of the weights and batches; None is 0.

    Attributes:
        classes_: the classes, sorted.
        head_: weights and bias of the linear head, and the unit class vectors.
"""


class ProjNCETransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _HeadEstimator):  # type: ignore[misc]
    """Maps rows to unit embeddings [N, dim] by a linear head trained with
    :class:`projnce.ProjNCEMLPLoss`.
    """

    def fit(self, X: Any, y: Any) -> ProjNCETransformer:
        """Trains the head on rows ``X`` [N, F] with labels ``y``."""
        self._fit_head(X, y)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Returns unit embeddings [N, dim]."""
        return self._embed(X)

    @property
    def _n_features_out(self) -> int:
        return len(self.head_.bias)


class ProjNCEClassifier(ClassifierMixin, _HeadEstimator):  # type: ignore[misc]
    """Classifies rows by the cosine of their embeddings with the class vectors, both trained with
    :class:`projnce.ProjNCEMLPLoss`.
    """

    def fit(self, X: Any, y: Any) -> ProjNCEClassifier:
        """Trains head and class vectors on rows ``X`` [N, F] with labels ``y``."""
        self._fit_head(X, y)
        return self

    def _logits(self, X: Any) -> np.ndarray:
        return self._embed(X) @ self.head_.class_vectors.T / self.temperature

    def decision_function(self, X: Any) -> np.ndarray:
        """Returns similarities with the classes, [N, C]; for two classes, their difference [N]."""
        logits = self._logits(X)
        return logits[:, 1] - logits[:, 0] if len(self.classes_) == 2 else logits

    def predict_proba(self, X: Any) -> np.ndarray:
        """Returns class probabilities [N, C]: the softmax of the similarities."""
        logits = self._logits(X)
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> np.ndarray:
        """Returns the most similar class of each row."""
        logits = self._logits(X)
        return self.classes_[logits.argmax(axis=1)]


for _estimator in (ProjNCETransformer, ProjNCEClassifier):
    _estimator.__doc__ = (_estimator.__doc__ or "") + _HEAD_ARGUMENTS


class LabelAuditor(BaseEstimator):  # type: ignore[misc]
    """Finds labels that are probably wrong; see :func:`projnce.audit`.

    Args:
        folds: number of cross-validation folds.
        random_state: seed of the folds; None is 0.

    Attributes:
        audit_: the :class:`projnce.Audit`.
        classes_: the classes, sorted.
        label_quality_: ``[N]``: probability that the label is right.
        is_label_issue_: ``[N]``: True if that is below 0.5.
        predicted_label_: ``[N]``: the most likely other class of an issue, else the label.
    """

    audit_: Audit

    def __init__(self, *, folds: int = 5, random_state: Any = None) -> None:
        self.folds = folds
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> LabelAuditor:
        """Audits the labels ``y`` of the rows ``X`` [N, F]."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_ = np.unique(y)
        self.audit_ = audit(X, y, folds=self.folds, seed=_seed_of(self.random_state))
        self.label_quality_ = 1 - np.asarray(self.audit_.score)
        self.is_label_issue_ = np.asarray(self.audit_.score) > 0.5
        self.predicted_label_ = np.asarray(self.audit_.suggested)
        return self

    def find_label_issues(self, X: Any, y: Any) -> pd.DataFrame:
        """Audits the labels and returns a row for each, with the columns of ``Audit.to_frame``."""
        frame = self.fit(X, y).audit_.to_frame()
        index: Optional[Any] = getattr(X, "index", None)
        return frame if index is None or callable(index) else frame.set_index(index)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

