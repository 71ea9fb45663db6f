"""Information, maps and audits on tensors and arrays."""
import math
import unittest
import warnings

import numpy as np
import torch

import cases  # noqa: F401  finds the package
import projnce
from cases import unit_rows


def clusters(count=120, classes=3, dim=8, spread=0.3):
    labels = torch.arange(count) % classes
    centers = unit_rows(classes, dim, seed=1)
    return centers[labels] + spread * unit_rows(count, dim, seed=2), labels


class MeasuresTest(unittest.TestCase):
    def test_estimate_lies_between_the_bound_and_the_entropy(self):
        z, y = clusters()
        bound = projnce.mi_bounds(z, y)
        estimate = projnce.label_information(z, y)
        self.assertLess(bound.mi_bound_normalized, projnce.label_entropy(y) + 1e-9)
        self.assertAlmostEqual(estimate, math.log(3), delta=0.1)

    def test_classes_smaller_than_their_neighborhoods_have_no_estimate(self):
        z, y = unit_rows(30, 16, seed=3), torch.arange(30) % 10
        with self.assertRaisesRegex(ValueError, "the smallest class has 3 rows"):
            projnce.label_information(z, y)
        self.assertLess(projnce.label_information(z, y, k=2), 0.3)

    def test_numpy_arguments_return_numpy_arrays(self):
        z, y = clusters()
        found = projnce.tsne(z.numpy(), perplexity=10, iterations=30)
        self.assertIsInstance(found, np.ndarray)
        kept = projnce.tsne(z, perplexity=10, iterations=30)
        self.assertIsInstance(kept, torch.Tensor)
        np.testing.assert_array_equal(found, kept.numpy())
        self.assertIsInstance(projnce.audit(z.numpy(), y.numpy()).score, np.ndarray)

    def test_accepts_numpy_byte_orders_and_layouts(self):
        z, y = (values.numpy() for values in clusters())
        expected = projnce.label_information(z, y)
        fixed = z.copy()
        fixed.flags.writeable = False
        for rows, labels in ((z[::-1][::-1], y), (np.asfortranarray(z), y.astype(np.uint16)),
                             (z.astype(">f8"), y.astype(">i4")), (fixed, y.astype(np.uint64))):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertEqual(projnce.label_information(rows, labels), expected)
        backwards = projnce.label_information(z[::-1], y[::-1])
        self.assertAlmostEqual(backwards, expected, places=9)

    def test_map_keeps_clusters_together(self):
        z, y = clusters()
        plane = projnce.tsne(z, perplexity=10, iterations=300)
        distances = torch.cdist(plane, plane).fill_diagonal_(float("inf"))
        share = (y[distances.argmin(1)] == y).float().mean()
        self.assertGreater(float(share), 0.95)

    def test_maps_of_rows_without_clusters_fill_the_plane(self):
        rows = np.random.default_rng(0).normal(size=(2000, 16)).astype("f4")
        spread = projnce.tsne(rows, iterations=300).std(0)
        self.assertGreater(spread.min(), 5)

    def test_few_rows_are_mapped_or_rejected(self):
        z, _ = clusters(30)
        for count in (4, 5, 10):
            plane = projnce.tsne(z[:count])
            self.assertTrue(bool(plane.isfinite().all()))
            self.assertGreater(float(plane.std(0).min()), 0.1)
        for count in (0, 1, 2, 3):
            with self.assertRaisesRegex(ValueError, "expected at least 4"):
                projnce.tsne(z[:count])
        self.assertTrue(bool(projnce.tsne(torch.ones(50, 3)).isfinite().all()))
        z[3, 1] = float("nan")
        with self.assertRaisesRegex(ValueError, "not finite"):
            projnce.tsne(z)

    def test_audit_finds_wrong_labels(self):
        z, y = clusters(300)
        given = y.clone()
        wrong = torch.arange(0, 300, 20)
        given[wrong] = (given[wrong] + 1) % 3
        found = projnce.audit(z, given)
        worst = set(found.score.argsort(descending=True)[: len(wrong)].tolist())
        self.assertGreaterEqual(len(worst & set(wrong.tolist())), 14)
        self.assertAlmostEqual(found.noise_rate, len(wrong) / 300, delta=0.03)
        self.assertGreaterEqual(int((found.suggested[wrong] == y[wrong]).sum()), 14)
        self.assertTrue(found.informative)
        self.assertGreater(found.expected_precision, 0.8)
        self.assertGreater(found.held_out_accuracy, 0.9)

    def test_audit_of_random_rows_is_not_informative(self):
        torch.manual_seed(0)
        found = projnce.audit(torch.randn(200, 32), torch.arange(200) % 4)
        self.assertFalse(found.informative)
        self.assertTrue(found.noise_rate != found.noise_rate)
        self.assertLessEqual(float(found.score.max()), 0.5)


if __name__ == "__main__":
    unittest.main()
