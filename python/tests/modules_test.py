"""Every loss as a module: reductions, precision, copies, transforms."""

import copy
import importlib.util
import pickle
import unittest

import torch

import cases
import projnce
from cases import SAMPLES


class ClassTest(unittest.TestCase):
    def test_losses_of_classifiers_are_not_contrastive(self):
        for name, sample in SAMPLES.items():
            loss = sample.loss()
            if name == "joint":  # combines two losses
                continue
            self.assertIsInstance(loss, projnce.Loss, name)
            self.assertEqual(
                isinstance(loss, projnce.ContrastiveLoss), name not in ("ce", "sce"), name
            )


class GradientTest(unittest.TestCase):
    def test_gradcheck_with_every_reduction(self):
        for name, sample in SAMPLES.items():
            for reduction in ("mean", "sum", "none"):
                with self.subTest(loss=name, reduction=reduction):
                    loss = sample.loss(reduction=reduction)
                    self.assertTrue(torch.autograd.gradcheck(loss, sample.arguments(5)))

    def test_gradcheck_of_candidates_and_other_inputs(self):
        """Gradients by candidates, soft labels, class vectors, pos and neg."""
        torch.manual_seed(0)
        y = torch.tensor([0, 1, 2, 0, 1, 2])
        z, candidates = cases.unit_rows(3, 4, seed=1), cases.unit_rows(6, 4, seed=2)
        soft = torch.rand(6, 3, dtype=torch.float64)
        for reduction in ("mean", "none"):
            rows = projnce.SupConLoss(0.3, reduction=reduction)
            perp = projnce.ProjNCEPerpLoss(0.3, soft_source="given", reduction=reduction)
            general = projnce.GeneralizedInfoNCELoss(temperature=0.3, reduction=reduction)
            inputs = [x.clone().requires_grad_() for x in (z, candidates, soft)]
            self.assertTrue(
                torch.autograd.gradcheck(
                    lambda z, c, _: rows(
                        z, y[3:], candidates=c, candidate_labels=y, anchor_offset=3
                    ),
                    inputs,
                )
            )
            self.assertTrue(torch.autograd.gradcheck(lambda _, c, q: perp(c, y, q), inputs))
            pos = cases.unit_rows(6, 4, seed=3).requires_grad_()
            neg = cases.unit_rows(6, 4, seed=4).requires_grad_()
            self.assertTrue(
                torch.autograd.gradcheck(
                    lambda c, p, n: general(c, y, pos=p, neg=n), (inputs[1], pos, neg)
                )
            )

    def test_only_the_gradients_that_are_needed(self):
        y = torch.arange(6) % 3
        z, candidates = cases.unit_rows(6, 4), cases.unit_rows(6, 4).requires_grad_()
        for reduction in ("mean", "none"):
            loss = projnce.SupConLoss(0.3, reduction=reduction)
            loss(z, y, candidates=candidates, candidate_labels=y).sum().backward()
            self.assertIsNone(z.grad)
            self.assertGreater(float(candidates.grad.abs().sum()), 0)
        self.assertFalse(loss(z, y).requires_grad)

    def test_second_derivatives_are_an_error(self):
        for name, sample in SAMPLES.items():
            for reduction in ("mean", "none"):
                with self.subTest(loss=name, reduction=reduction):
                    loss, arguments = sample.loss(reduction=reduction), sample.arguments()
                    value = loss(*arguments).sum()
                    (gradient,) = torch.autograd.grad(value, arguments[:1], create_graph=True)
                    with self.assertRaisesRegex(RuntimeError, "no second derivative"):
                        gradient.sum().backward()

    def test_func_grad(self):
        for name, sample in SAMPLES.items():
            for reduction in ("sum", "none"):
                with self.subTest(loss=name, reduction=reduction):
                    loss = sample.loss(reduction=reduction)
                    arguments = sample.arguments()
                    expected = torch.autograd.grad(loss(*arguments).sum(), arguments[:1])[0]
                    found = torch.func.grad(lambda *x: loss(*x).sum())(
                        *(x.detach() for x in arguments)
                    )
                    torch.testing.assert_close(found, expected)


class ReductionTest(unittest.TestCase):
    def test_mean_sum_and_none_agree(self):
        torch.manual_seed(0)
        for name, sample in SAMPLES.items():
            with self.subTest(loss=name):
                arguments = sample.arguments(6)
                values = {
                    reduction: cases.gradients(sample.loss(reduction=reduction), arguments)
                    for reduction in ("mean", "sum")
                }
                each = sample.loss(reduction="none")
                none = each(*arguments)
                self.assertEqual(none.dim(), 1)
                torch.testing.assert_close(none.sum(), values["sum"][0])
                torch.testing.assert_close(none.mean(), values["mean"][0])
                # A random direction of the Jacobian, against that of the sum of single anchors.
                weights = torch.rand_like(none)
                _, found = cases.gradients(each, arguments, weights)
                ones = cases.gradients(each, arguments, torch.ones_like(none))[1]
                torch.testing.assert_close(ones, values["sum"][1])
                self.assertGreater(float((found[0] - ones[0]).abs().max()), 0)

    def test_anchors_that_do_not_count_are_zero(self):
        z, y = cases.unit_rows(5, 4), torch.tensor([0, 0, 1, 1, 2])
        for empty in ("zero", "skip"):
            each = projnce.SupConLoss(0.3, empty_positives=empty, reduction="none")(z, y)
            self.assertEqual(each[4].item(), 0)
            mean = projnce.SupConLoss(0.3, empty_positives=empty)(z, y)
            torch.testing.assert_close(each.sum() / (5 if empty == "zero" else 4), mean)

    def test_parts_are_means_whatever_the_reduction(self):
        z, y = cases.unit_rows(6, 4), torch.arange(6) % 3
        mean = projnce.ProjNCELoss(0.3).parts(z, y)
        for reduction in ("sum", "none"):
            loss = projnce.ProjNCELoss(0.3, reduction=reduction)
            parts = loss.parts(z, y)
            torch.testing.assert_close(parts.pop("loss"), loss(z, y))
            torch.testing.assert_close(parts, {k: v for k, v in mean.items() if k != "loss"})

    def test_an_unknown_reduction_is_rejected(self):
        with self.assertRaisesRegex(ValueError, "reduction = 'meen' .* did you mean 'mean'"):
            projnce.SupConLoss(reduction="meen")


class PrecisionTest(unittest.TestCase):
    def test_half_precision_and_autocast_compute_in_float32(self):
        for dtype in (torch.bfloat16, torch.float16):
            for name, sample in SAMPLES.items():
                with self.subTest(loss=name, dtype=dtype):
                    loss = sample.loss(torch.float32)
                    half = sample.arguments(dtype=dtype)
                    wide = [
                        x.detach().float().requires_grad_() if x.is_floating_point() else x
                        for x in half
                    ]
                    expected, expected_gradients = cases.gradients(loss, wide)
                    with torch.autocast("cpu", dtype=dtype):
                        found, gradients = cases.gradients(loss, half)
                    self.assertEqual(found.dtype, torch.float32)
                    self.assertEqual(found.item(), expected.item())
                    leaves = [x for x in (*half, *loss.parameters()) if x.requires_grad]
                    # Autograd adds the two terms of joint in half precision.
                    bound = torch.finfo(dtype).eps * (2 if name == "joint" else 1)
                    for gradient, wanted, leaf in zip(gradients, expected_gradients, leaves):
                        self.assertEqual(gradient.dtype, leaf.dtype)
                        torch.testing.assert_close(
                            gradient.float(), wanted, rtol=bound, atol=bound * float(wanted.max())
                        )

    def test_scaled_gradients_do_not_underflow(self):
        """A loss scale of 2^20 keeps gradients that float16 alone would lose."""
        half = cases.unit_rows(64, 8, dtype=torch.float16).mul(1e-3).requires_grad_()
        loss = projnce.SupConLoss(50.0, reduction="mean")
        (loss(half, torch.arange(64) % 8) * 2.0**20).backward()
        wide = half.detach().float().requires_grad_()
        loss(wide, torch.arange(64) % 8).backward()
        self.assertTrue(bool((wide.grad.half() == 0).any()))
        torch.testing.assert_close(half.grad, (wide.grad * 2.0**20).half())


class ModuleTest(unittest.TestCase):
    def test_copies_and_state(self):
        torch.manual_seed(0)
        for name, sample in SAMPLES.items():
            with self.subTest(loss=name):
                loss, arguments = sample.loss(), sample.arguments()
                expected = loss(*arguments).item()
                restored = sample.make().double()
                restored.load_state_dict(loss.state_dict())
                others = (copy.deepcopy(loss), pickle.loads(pickle.dumps(loss)), restored)
                for other in others:
                    self.assertEqual(other(*arguments).item(), expected)
                    self.assertEqual(repr(other), repr(loss))

    def test_options_may_be_set_and_are_checked(self):
        torch.manual_seed(0)
        arguments = SAMPLES["supcon"].arguments()
        loss = projnce.SupConLoss(0.3)
        loss.temperature = 0.1
        self.assertEqual(loss(*arguments).item(), projnce.SupConLoss(0.1)(*arguments).item())
        with self.assertRaisesRegex(ValueError, "temperature = -1 is out of range"):
            loss.temperature = -1.0
        self.assertEqual(loss.temperature, 0.1)
        with self.assertRaisesRegex(AttributeError, "hidden cannot be changed"):
            projnce.ProjNCEMLPLoss(3, 4).hidden = 5

    def test_degenerate_batches(self):
        for name, sample in SAMPLES.items():
            for samples in (1, 2):
                with self.subTest(loss=name, samples=samples):
                    loss, arguments = sample.loss(), sample.arguments(samples)
                    value, gradients = cases.gradients(loss, arguments)
                    self.assertTrue(bool(value.isfinite()))
                    for gradient in gradients:
                        self.assertTrue(bool(gradient.isfinite().all()))

    def test_strided_inputs(self):
        for name, sample in SAMPLES.items():
            with self.subTest(loss=name):
                loss, arguments = sample.loss(), sample.arguments()
                strided = tuple(
                    x.detach().transpose(0, -1).contiguous().transpose(0, -1).requires_grad_()
                    if x.is_floating_point()
                    else torch.stack([x, x], 1)[:, 0]
                    for x in arguments
                )
                torch.testing.assert_close(
                    cases.gradients(loss, strided), cases.gradients(loss, arguments)
                )


class DeprecatedNamesTest(unittest.TestCase):
    def test_former_argument_names_warn(self):
        with self.assertWarnsRegex(DeprecationWarning, "lam is deprecated, use lambda_"):
            former = projnce.RINCELoss(0.5, lam=0.1)
        self.assertEqual(former.options(), projnce.RINCELoss(0.5, lambda_=0.1).options())
        with self.assertRaisesRegex(TypeError, "both given"):
            projnce.RINCELoss(0.5, lam=0.1, lambda_=0.1)

    def test_former_values_warn(self):
        with self.assertWarnsRegex(DeprecationWarning, "'index' is deprecated, use 'self'"):
            former = projnce.ProjNCELoss(r_exclude="index")
        self.assertEqual(former.r_exclude, "self")


class SupContrastTest(unittest.TestCase):
    def test_signature(self):
        views, labels = SAMPLES["supcon"].arguments()
        found = projnce.SupConLoss(0.1, "all", 0.07)(views, labels)
        torch.testing.assert_close(found, cases.plain_supcon(views, labels, 0.1) * (0.1 / 0.07))

    def test_contrast_mode_one(self):
        """The first view of each sample is compared with all views."""
        views, labels = SAMPLES["supcon"].arguments(5)
        for given in (labels, None, labels[:, None]):
            each = projnce.SupConLoss(0.3, reduction="none")(views, given).view(5, 2)
            one = projnce.SupConLoss(0.3, "one", reduction="none")(views, given)
            torch.testing.assert_close(one, each[:, 0])
        loss = projnce.SupConLoss(0.3, "one")
        self.assertTrue(torch.autograd.gradcheck(lambda z: loss(z, labels), (views,)))
        with self.assertRaisesRegex(ValueError, "contrast_mode = 'one' needs features"):
            loss(views[:, 0], labels)
        with self.assertRaisesRegex(ValueError, "contrast_mode = 'two' is not one of"):
            projnce.SupConLoss(0.3, "two")

    def test_mask_is_rejected(self):
        views, labels = SAMPLES["supcon"].arguments()
        with self.assertRaisesRegex(ValueError, "mask is not supported; pass labels"):
            projnce.SupConLoss()(views, labels, mask=torch.eye(len(labels)))


@unittest.skipUnless(
    importlib.util.find_spec("pytorch_metric_learning"), "pytorch-metric-learning is not installed"
)
class MetricLearningTest(unittest.TestCase):
    def test_the_documented_options_give_its_loss(self):
        from pytorch_metric_learning import losses

        torch.manual_seed(0)
        rows = 2 * cases.unit_rows(9, 4, dtype=torch.float32)
        labels = torch.tensor([0, 0, 1, 1, 2, 2, 3, 3, 4])  # the last row has no positive
        for labels_of in (labels, labels[:8]):
            given = rows[: len(labels_of)], labels_of
            found = projnce.SupConLoss(0.1, empty_positives="skip", normalize=True)(*given)
            torch.testing.assert_close(found, losses.SupConLoss(temperature=0.1)(*given))


if __name__ == "__main__":
    unittest.main()
