"""Certified bounds on mutual information against an independent NumPy form."""
import math
import unittest
import warnings

import numpy as np
import torch

import cases
import projnce
from cases import unit_rows

PRECISIONS = {torch.float64: (1e-9, 1e-12), torch.float32: (2e-4, 1e-5)}


def plain_terms(log_ratios, labels, priors):
    """T and T' of each row from log r [N, M]."""
    own = log_ratios[np.arange(len(labels)), labels]
    mean = np.exp(log_ratios) @ priors
    return 1 + own - mean, own - np.log(mean)


def plain_pair_log_ratios(z, labels, instances, classes, tau):
    """log r_i(c) with every quantity recomputed for every row."""
    result = np.zeros((len(z), classes))
    for i, row in enumerate(z):
        others = instances != instances[i]
        if not others.any():
            continue
        denominator = np.exp(z[others] @ row / tau).mean()
        for c in range(classes):
            members = z[others & (labels == c)]
            if len(members) > 0:
                result[i, c] = row @ members.mean(axis=0) / tau - np.log(denominator)
    return result


def batch(rows=60, classes=5, dim=4, seed=0):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(rows, dim))
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    return z, rng.integers(classes, size=rows), rng.integers(rows // 2, size=rows)


class MiBoundsTest(unittest.TestCase):
    def test_golden_cases(self):
        for case in cases.golden("bounds"):
            for dtype, (relative, absolute) in PRECISIONS.items():
                if case.get("f64_only") and dtype != torch.float64:
                    continue
                with self.subTest(case["id"], dtype=dtype):
                    found = evaluate_case(case, dtype)
                    for field, expected in case["expected"].items():
                        expected = np.asarray(expected)
                        error = np.abs(np.asarray(getattr(found, field)) - expected).max()
                        self.assertLessEqual(error, absolute + relative * np.abs(expected).max())

    def test_pair_form_matches_its_formula(self):
        z, labels, instances = batch()
        priors = np.array([0.3, 0.3, 0.2, 0.1, 0.1])
        ratios = plain_pair_log_ratios(z, labels, instances, 5, 0.2)
        terms, normalized = plain_terms(ratios, labels, priors)
        found = projnce.mi_bounds(z, labels, instances=instances, priors=priors, temperature=0.2)
        np.testing.assert_allclose(found.terms, terms, rtol=0, atol=1e-11)
        self.assertAlmostEqual(found.mi_bound, terms.mean(), places=11)
        self.assertAlmostEqual(found.mi_bound_normalized, normalized.mean(), places=11)
        self.assertAlmostEqual(found.entropy, -np.log(priors[labels]).mean(), places=11)
        self.assertIsNone(found.mi_bound_se)
        self.assertEqual(found.rows, 60)

    def test_class_and_general_forms_match_their_formulas(self):
        z, labels, _ = batch(classes=4)
        rng = np.random.default_rng(5)
        vectors, negatives = rng.normal(size=(4, 4)), rng.normal(size=(9, 4))
        scores = z @ vectors.T / 0.5
        normalizer = np.log(np.exp(scores).mean(axis=1))
        terms = scores[np.arange(60), labels] - normalizer
        found = projnce.mi_bounds(z, labels, vectors, temperature=0.5)
        np.testing.assert_allclose(found.terms, terms, rtol=0, atol=1e-12)
        self.assertAlmostEqual(found.mi_bound_se, terms.std(ddof=1) / math.sqrt(60), places=12)
        ratios = scores - np.log(np.exp(z @ negatives.T / 0.5).mean(axis=1, keepdims=True))
        terms, normalized = plain_terms(ratios, labels, np.full(4, 0.25))
        found = projnce.mi_bounds(
            z, labels, vectors, form="general", negatives=negatives, temperature=0.5
        )
        np.testing.assert_allclose(found.terms, terms, rtol=1e-12, atol=1e-12)
        self.assertAlmostEqual(found.mi_bound_normalized, normalized.mean(), places=11)

    def test_logits_give_entropy_minus_cross_entropy(self):
        logits, labels = 4 * unit_rows(30, 3), torch.arange(30) % 3
        found = projnce.mi_bounds(logits, labels, form="logits")
        loss = float(torch.nn.functional.cross_entropy(logits, labels))
        self.assertAlmostEqual(found.mi_bound, math.log(3) - loss, places=12)

    def test_batches_give_a_standard_error(self):
        z, labels = unit_rows(2000, 3, seed=4), torch.arange(2000) % 3
        found = projnce.mi_bounds(z, labels, temperature=0.5)
        self.assertGreater(found.mi_bound_se, 0)
        self.assertLessEqual(found.mi_bound_normalized, 3 * found.mi_bound_normalized_se + 0.001)
        self.assertIsNone(projnce.mi_bounds(z, labels, batches=1).mi_bound_se)

    def test_random_labels_of_two_views_and_many_classes_are_not_informative(self):
        rng = np.random.default_rng(0)
        views = np.repeat(unit_rows(256, 64).numpy(), 2, axis=0)
        views = views + rng.normal(size=views.shape) / 8
        labels = np.repeat(rng.integers(500, size=256), 2)
        found = projnce.mi_bounds(views, labels, instances=np.repeat(np.arange(256), 2),
                                  num_classes=500)
        self.assertLessEqual(found.mi_bound, 0)
        self.assertLessEqual(found.mi_bound_normalized, 0)

    def test_accepts_numpy_byte_orders_and_layouts(self):
        z, labels, _ = batch()
        expected = projnce.mi_bounds(z, labels).mi_bound
        fixed = z.copy()
        fixed.flags.writeable = False
        for rows, classes in ((z[::-1][::-1], labels), (fixed, labels.astype(np.uint16)),
                              (z.astype(">f8"), labels.astype(">i4"))):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertEqual(projnce.mi_bounds(rows, classes).mi_bound, expected)
        self.assertIsInstance(projnce.mi_bounds(z, labels).terms, np.ndarray)
        tensors = projnce.mi_bounds(torch.tensor(z), torch.tensor(labels))
        self.assertIsInstance(tensors.terms, torch.Tensor)
        self.assertEqual(tensors.mi_bound, expected)

    def test_invalid_input_is_an_error_message(self):
        z, labels, _ = batch(classes=3)
        rejected = {
            "sum to 0.9": dict(priors=np.array([0.3, 0.3, 0.3])),
            "prior of class": dict(priors=np.array([1.0, 0.0, 0.0])),
            "label 2 is outside 0..1": dict(num_classes=2),
            "expected 4 numbers": dict(priors=np.array([0.5, 0.3, 0.2]), num_classes=4),
            "temperature = 0": dict(temperature=0.0),
            "instances has 3 entries": dict(instances=np.arange(3)),
            "form = 'pairs' is not one of": dict(form="pairs"),
            "class vectors are none": dict(form="class"),
            "negatives have no effect with form='pair'": dict(negatives=z),
            "class_vectors have no effect with form='pair'": dict(form="pair", class_vectors=z[:3]),
            "expected general or class": dict(form="logits", class_vectors=z[:3]),
        }
        for sentence, arguments in rejected.items():
            with self.subTest(sentence), self.assertRaisesRegex(ValueError, sentence):
                projnce.mi_bounds(z, labels, **arguments)
        z[3, 1] = np.nan
        with self.assertRaisesRegex(ValueError, "row 3 of embeddings"):
            projnce.mi_bounds(z, labels)
        with self.assertRaisesRegex(ValueError, "at least one row"):
            projnce.mi_bounds(z[:0], labels[:0])


def evaluate_case(case, dtype):
    params, inputs = case["params"], case["inputs"]

    def tensor(name):
        return torch.tensor(inputs[name], dtype=dtype) if name in inputs else None

    vectors = tensor("class_vectors")
    if vectors is not None:
        vectors[params.get("missing", [])] = float("nan")
    priors, instances = params["priors"], inputs.get("instance")
    return projnce.mi_bounds(
        tensor("z"),
        torch.tensor(inputs["labels"]),
        vectors,
        form=params["form"],
        negatives=tensor("negatives"),
        instances=None if instances is None else torch.tensor(instances),
        num_classes=params["num_classes"],
        priors=None if priors is None else torch.tensor(priors, dtype=torch.float64),
        priors_estimated=params["priors_estimated"],
        temperature=params["tau"],
        batches=1,
    )


if __name__ == "__main__":
    unittest.main()
