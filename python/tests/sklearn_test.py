"""The estimators for scikit-learn, inputs of any kind, and data frames of audits."""
import unittest

import numpy as np

import cases  # noqa: F401  finds the package
import projnce
import torch

try:
    import pandas as pd
except ImportError:
    pd = None
try:
    from projnce.sklearn import LabelAuditor, ProjNCEClassifier, ProjNCETransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils.estimator_checks import check_estimator
except ImportError as error:
    raise unittest.SkipTest(f"needs scikit-learn 1.6 or newer: {error}") from None

NAMES = np.array(["ant", "bee", "cow"])


def clouds(count=150, spread=0.4, seed=0):
    """Rows around three corners, and the names of their classes."""
    numbers = np.arange(count) % 3
    rows = np.eye(3, 6)[numbers] + spread * np.random.default_rng(seed).normal(size=(count, 6))
    return rows, NAMES[numbers]


class EstimatorChecks(unittest.TestCase):
    def check(self, estimator):
        failed = [f"{check['check_name']}: {check['exception']}"
                  for check in check_estimator(estimator, on_fail=None, on_skip=None)
                  if check["status"] == "failed"]
        self.assertEqual(failed, [])

    def test_the_auditor_is_an_estimator(self):
        self.check(LabelAuditor())

    def test_the_classifier_is_an_estimator(self):
        self.check(ProjNCEClassifier(dim=16))

    def test_the_transformer_is_an_estimator(self):
        self.check(ProjNCETransformer(dim=16))


class Heads(unittest.TestCase):
    def test_heads_tolerate_wrong_labels(self):
        X, truth = clouds(600)
        y = truth.copy()
        wrong = np.random.default_rng(1).random(400) < 0.3
        y[:400][wrong] = np.roll(NAMES, 1)[np.searchsorted(NAMES, y[:400][wrong])]
        model = ProjNCEClassifier(dim=8, random_state=0).fit(X[:400], y[:400])
        linear = LogisticRegression().fit(X[:400], y[:400])
        accuracy = [np.mean(fitted.predict(X[400:]) == truth[400:]) for fitted in (model, linear)]
        self.assertGreater(accuracy[0], 0.8)
        self.assertGreater(accuracy[0], accuracy[1])
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
        np.testing.assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X))

    def test_seeds_reproduce_heads(self):
        X, y = clouds()
        first, same, other = (ProjNCETransformer(dim=4, random_state=seed).fit(X, y).transform(X) for seed in (1, 1, 2))
        np.testing.assert_array_equal(first, same)
        self.assertFalse(np.allclose(first, other))
        np.testing.assert_allclose(np.linalg.norm(first, axis=1), 1)

    def test_one_class_is_rejected(self):
        with self.assertRaisesRegex(ValueError, "two classes"):
            ProjNCEClassifier().fit(np.eye(4), ["a"] * 4)

    def test_heads_work_in_pipelines_and_searches(self):
        X, y = clouds()
        pipeline = make_pipeline(StandardScaler(), ProjNCETransformer(dim=8), LogisticRegression())
        self.assertGreater(np.mean(cross_val_predict(pipeline, X, y, cv=3) == y), 0.85)
        search = GridSearchCV(ProjNCEClassifier(), {"dim": [4, 8]}, cv=2).fit(X, y)
        self.assertIn(search.best_params_["dim"], (4, 8))

    @unittest.skipIf(pd is None, "needs pandas")
    def test_frames_in_and_out(self):
        X, y = clouds()
        frame = pd.DataFrame(X, columns=list("abcdef"), index=np.arange(150) + 1000)
        out = ProjNCETransformer(dim=2).set_output(transform="pandas").fit_transform(frame, pd.Series(y, index=frame.index))
        self.assertEqual(list(out.columns), ["projncetransformer0", "projncetransformer1"])
        self.assertEqual(list(out.index), list(frame.index))


class Auditor(unittest.TestCase):
    @unittest.skipIf(pd is None, "needs pandas")
    def test_the_issues_have_the_index_of_the_rows(self):
        X, y = clouds()
        frame = pd.DataFrame(X, columns=list("abcdef"), index=np.arange(150) + 1000)
        y[7] = "cow"  # wrong
        issues = LabelAuditor().find_label_issues(frame, pd.Series(y))
        self.assertEqual(list(issues.index), list(frame.index))
        self.assertTrue(issues.loc[1007, "is_label_issue"])
        self.assertEqual(issues.loc[1007, "predicted_label"], "bee")


class Inputs(unittest.TestCase):
    def test_labels_may_be_text_and_rows_lists(self):
        X, y = clouds()
        y[7] = "cow"  # wrong
        numbers = np.searchsorted(NAMES, y)
        expected = projnce.audit(X, numbers)
        for rows, labels in ((X, y), (X.tolist(), y.tolist()), (torch.from_numpy(X), y.astype(object))):
            found = projnce.audit(rows, labels)
            np.testing.assert_array_equal(found.score, expected.score)
            np.testing.assert_array_equal(found.suggested, NAMES[expected.suggested])
            np.testing.assert_array_equal(found.classes, NAMES)
            np.testing.assert_array_equal(found.labels, y)
        self.assertIsNone(expected.classes)
        with self.assertRaisesRegex(TypeError, "int, str"):
            projnce.audit(X, [*y.tolist()[:-1], 3])
        with self.assertRaisesRegex(TypeError, "rows must be"):
            projnce.tsne("rows")

    @unittest.skipIf(pd is None, "needs pandas")
    def test_frames_are_accepted_and_returned(self):
        X, y = clouds()
        y[7] = "cow"  # wrong
        audit = projnce.audit(pd.DataFrame(X), pd.Series(y, dtype="category"))
        frame = audit.to_frame()
        self.assertEqual(list(frame.columns), ["given_label", "predicted_label", "label_quality", "is_label_issue"])
        self.assertEqual(list(frame.given_label), list(y))
        np.testing.assert_allclose(frame.label_quality, 1 - audit.score)
        self.assertTrue(frame.is_label_issue[7])
        tensors = projnce.audit(torch.from_numpy(X), torch.from_numpy(np.searchsorted(NAMES, y)))
        self.assertEqual(list(tensors.to_frame().is_label_issue), list(frame.is_label_issue))


if __name__ == "__main__":
    unittest.main()
