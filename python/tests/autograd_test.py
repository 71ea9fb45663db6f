"""Gradients, shapes, no_grad and inference mode."""
import threading
import unittest

import torch

import cases
import projnce
from cases import all_losses, unit_rows

LABELS = torch.tensor([0, 1, 2, 0, 1])


class GradientTest(unittest.TestCase):
    def test_every_loss_passes_gradcheck(self):
        features = unit_rows(5, 2, 6).requires_grad_()
        for name, loss in all_losses().items():
            with self.subTest(loss=name):
                self.assertTrue(torch.autograd.gradcheck(lambda z: loss(z, LABELS), (features,)))

    def test_pairs_and_classifiers_pass_gradcheck(self):
        a, b = unit_rows(5, 4, seed=1).requires_grad_(), unit_rows(5, 4, seed=2).requires_grad_()
        self.assertTrue(torch.autograd.gradcheck(projnce.InfoNCELoss(0.3, symmetric=True), (a, b)))
        for loss in (projnce.CELoss(), projnce.SCELoss()):
            self.assertTrue(torch.autograd.gradcheck(lambda x: loss(x, LABELS % 4), (a,)))

    def test_class_vectors_and_own_projections_pass_gradcheck(self):
        loss = projnce.GeneralizedInfoNCELoss(temperature=0.3)
        pos, neg = unit_rows(5, 4, seed=1), unit_rows(5, 4, seed=2)
        tensors = [t.requires_grad_() for t in (unit_rows(5, 4), pos, neg)]
        self.assertTrue(
            torch.autograd.gradcheck(lambda z, p, n: loss(z, LABELS, pos=p, neg=n), tensors)
        )
        torch.manual_seed(0)
        mlp = projnce.ProjNCEMLPLoss(3, 4, 0.3).double()
        self.assertTrue(
            torch.autograd.gradcheck(
                lambda z, w: torch.func.functional_call(mlp, {"weight": w}, (z, LABELS)),
                (unit_rows(5, 4).requires_grad_(), mlp.weight),
            )
        )

    def test_every_learned_class_vector_gets_its_gradient(self):
        torch.manual_seed(0)
        for hidden in (0, 5):
            loss = projnce.ProjNCEMLPLoss(3, 6, 0.3, hidden=hidden)
            loss(unit_rows(5, 6, dtype=torch.float32), LABELS).backward()
            for name, parameter in loss.named_parameters():
                self.assertGreater(float(parameter.grad.abs().sum()), 0, name)


class ShapeTest(unittest.TestCase):
    def test_views_equal_rows_with_repeated_labels(self):
        features = unit_rows(5, 2, 6)
        rows, labels = features.flatten(0, 1), LABELS.repeat_interleave(2)
        instances = torch.arange(5).repeat_interleave(2)
        for name, loss in all_losses().items():
            with self.subTest(loss=name):
                if name == "joint":
                    flat = loss(rows, labels, instances)
                else:
                    by_instance = name == "simclr" or "instance" in name
                    views = {"instances": instances} if by_instance else {}
                    flat = loss(rows, labels, **views)
                torch.testing.assert_close(loss(features, LABELS), flat)

    def test_labels_may_be_a_column(self):
        features = unit_rows(5, 2, 6)
        for name, loss in all_losses().items():
            with self.subTest(loss=name):
                self.assertEqual(loss(features, LABELS.view(-1, 1)).item(),
                                 loss(features, LABELS).item())

    def test_supcon_matches_its_formula_for_two_views(self):
        features = unit_rows(32, 2, 16, dtype=torch.float32).requires_grad_()
        labels = torch.arange(32) % 5
        found = projnce.SupConLoss(0.1)(features, labels)
        expected = cases.plain_supcon(features, labels, 0.1)
        torch.testing.assert_close(found, expected)
        torch.testing.assert_close(
            torch.autograd.grad(found, features), torch.autograd.grad(expected, features)
        )

    def test_without_labels_supcon_is_simclr(self):
        features = unit_rows(8, 2, 6)
        self.assertEqual(
            projnce.SupConLoss(0.2)(features).item(), projnce.SimCLRLoss(0.2)(features).item()
        )

    def test_normalize_l2_normalizes_rows(self):
        torch.manual_seed(0)
        features = unit_rows(8, 6)
        labels = torch.arange(8) % 3
        long = features * torch.rand(8, 1, dtype=torch.float64).add(0.5)
        torch.testing.assert_close(
            projnce.ProjNCELoss(normalize=True)(long, labels),
            projnce.ProjNCELoss()(features, labels),
        )

    def test_half_batches_with_gathered_candidates_equal_the_batch(self):
        features = unit_rows(8, 6)
        labels = torch.arange(8) % 3
        for name in (
            "supcon",
            "projnce",
            "symnce",
            "projnce-perp-instance",
            "projnce-med",
            "projnce-mlp",
        ):
            with self.subTest(loss=name):
                loss = all_losses()[name]
                halves = [
                    loss(
                        features[at : at + 4],
                        labels[at : at + 4],
                        candidates=features,
                        candidate_labels=labels,
                        anchor_offset=at,
                    )
                    for at in (0, 4)
                ]
                torch.testing.assert_close(sum(halves) / 2, loss(features, labels))

    def test_parts_sum_to_the_loss(self):
        for name, loss in all_losses().items():
            if name == "joint":
                continue
            with self.subTest(loss=name):
                features = unit_rows(5, 2, 6)
                parts = loss.parts(features, LABELS)
                torch.testing.assert_close(parts["loss"], loss(features, LABELS))
                self.assertGreater(len(parts), 1)
        parts = projnce.SupConLoss().parts(unit_rows(5, 2, 6), LABELS)
        torch.testing.assert_close(parts["alignment"] + parts["uniformity"], parts["loss"])


class ModeTest(unittest.TestCase):
    def setUp(self):
        self.features = unit_rows(8, 2, 6, dtype=torch.float32)
        self.labels = torch.arange(8) % 3
        self.loss = projnce.ProjNCELoss(0.1)

    def test_no_grad_and_inference_mode(self):
        expected = self.loss(self.features, self.labels)
        with torch.no_grad():
            found = self.loss(self.features.requires_grad_(), self.labels)
        self.assertFalse(found.requires_grad)
        with torch.inference_mode():
            inferred = self.loss(self.features.detach(), self.labels)
        self.assertEqual(found.item(), expected.item())
        self.assertEqual(inferred.item(), expected.item())

    def test_autocast_computes_in_float32(self):
        half = self.features.to(torch.bfloat16)
        expected = self.loss(half.float(), self.labels)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            found = self.loss(half.requires_grad_(), self.labels)
        self.assertEqual(found.dtype, torch.float32)
        self.assertEqual(found.item(), expected.item())
        found.backward()
        self.assertEqual(half.grad.dtype, torch.bfloat16)

    def test_float64_stays_float64(self):
        for name, loss in all_losses().items():
            with self.subTest(loss=name):
                self.assertEqual(loss(unit_rows(5, 2, 6), LABELS).dtype, torch.float64)

    def test_releases_the_gil(self):
        features = unit_rows(6000, 64, dtype=torch.float32)
        labels = torch.arange(6000) % 10
        turns, done = [0], threading.Event()

        def count():
            while not done.is_set():
                turns[0] += 1

        counter = threading.Thread(target=count)
        counter.start()
        before = turns[0]
        projnce.SupConLoss()(features, labels)
        after = turns[0]
        done.set()
        counter.join()
        # With the lock held, the counter could not have moved at all.
        self.assertGreater(after - before, 1000)


if __name__ == "__main__":
    unittest.main()
