"""An estimator for scikit-learn 1.6 or newer, on embeddings of any model.

>>> import numpy as np
>>> from projnce.sklearn import LabelAuditor
>>> rng = np.random.default_rng(0)
>>> y = np.repeat(["cat", "dog"], 30)
>>> X = rng.normal(size=(60, 4)) + 5 * (y == "dog")[:, None]
>>> y[3] = "dog"  # wrong
>>> auditor = LabelAuditor().fit(X, y)
>>> print(np.flatnonzero(auditor.is_label_issue_), auditor.predicted_label_[3])
[3] cat
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from projnce.measures import Audit, audit

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LabelAuditor"]


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
        seed = 0
        if self.random_state is not None:
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        self.audit_ = audit(X, y, folds=self.folds, seed=seed)
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

