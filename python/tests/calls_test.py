"""Invalid calls raise errors with clear messages and never crash the interpreter."""
import inspect
import unittest

import numpy as np
import torch

import cases  # noqa: F401  finds the package
import projnce
from cases import all_losses, unit_rows

FEATURES = unit_rows(6, 4)
LABELS = torch.arange(6) % 3


class WrongCallTest(unittest.TestCase):
    def rejected(self, error, sentence, call):
        with self.assertRaises(error) as caught:
            call()
        self.assertRegex(str(caught.exception), sentence)
        self.assertNotIn("Exception raised from", str(caught.exception))

    def test_numpy_arrays(self):
        loss = projnce.SupConLoss()
        self.rejected(TypeError, "features must be a torch.Tensor, not ndarray",
                     lambda: loss(FEATURES.numpy(), LABELS))
        self.rejected(TypeError, "labels must be a torch.Tensor, not ndarray",
                     lambda: loss(FEATURES, LABELS.numpy()))
        self.rejected(TypeError, "labels .* not list", lambda: loss(FEATURES, LABELS.tolist()))
        others = (("instances", loss), ("candidates", loss), ("candidate_labels", loss),
                  ("candidate_instances", loss), ("soft_labels", projnce.ProjNCEPerpLoss()),
                  ("pos", projnce.GeneralizedInfoNCELoss()), ("neg", projnce.GeneralizedInfoNCELoss()))
        for name, loss in others:
            self.rejected(TypeError, f"{name} must be a torch.Tensor, not ndarray",
                         lambda: loss(FEATURES, LABELS, **{name: FEATURES.numpy()}))
        self.rejected(TypeError, "logits must be a torch.Tensor, not ndarray",
                     lambda: projnce.CELoss()(FEATURES.numpy(), LABELS))
        self.rejected(TypeError, "b must be a torch.Tensor, not NoneType",
                     lambda: projnce.InfoNCELoss()(FEATURES, None))

    def test_class_priors(self):
        def perp(class_priors, **options):
            return projnce.ProjNCEPerpLoss(
                soft_source="hard",
                leave_one_out="instance",
                class_priors=class_priors,
                **options,
            )

        training = {"priors": "training"}
        self.rejected(TypeError, "class_priors must be a torch.Tensor, not list",
                     lambda: perp([0.5, 0.5], **training))
        self.rejected(ValueError, "class_priors and priors='training'",
                     lambda: perp(None, **training))
        self.rejected(ValueError, "class_priors and priors='training'",
                     lambda: perp(torch.ones(2) / 2))
        self.rejected(ValueError, "priors other than 'batch' belong to leave_one_out",
                     lambda: projnce.ProjNCEPerpLoss(priors="uniform"))
        self.rejected(ValueError, "denominator = 'exclude_self' has no meaning",
                     lambda: perp(None, denominator="exclude_self"))
        for priors, sentence in (
            ([0.5, 0.5], "label 2 is outside 0..1"),
            ([0.5, 0.5, 0.5], "sum to 1.5, expected 1"),
            ([0.5, 0.5, 0.0], "the prior of class 2 is 0"),
        ):
            loss = perp(torch.tensor(priors), **training)
            self.rejected(ValueError, sentence, lambda: loss(FEATURES, LABELS))
        loss = perp(torch.tensor([0.1, 0.2, 0.7]), **training)
        expected = loss(FEATURES, LABELS)
        self.assertEqual(loss.half()(FEATURES, LABELS).item(), expected.item())
        self.rejected(ValueError, r"instances have shape \[5\], expected 6",
                     lambda: loss(FEATURES, LABELS, instances=LABELS[:5]))
        self.rejected(ValueError, "another view of its instance",
                     lambda: loss(FEATURES, LABELS, instances=torch.arange(6) // 2))

    def test_labels_of_another_length_type_or_device(self):
        for name, loss in all_losses(dim=4).items():
            with self.subTest(loss=name):
                views = torch.stack([FEATURES, FEATURES], 1)
                self.rejected(
                    ValueError, r"labels have shape \[5\], expected 6, one for each sample",
                    lambda: loss(views, LABELS[:5]),
                )
        loss = projnce.ProjNCELoss()
        self.rejected(ValueError, r"labels have shape \[5\], expected 6, one for each row",
                     lambda: loss(FEATURES, LABELS[:5]))
        self.rejected(ValueError, "type Float, expected integers",
                     lambda: loss(FEATURES, LABELS.float()))
        self.rejected(ValueError, r"features are on cpu, labels on meta; move them",
                     lambda: loss(FEATURES, LABELS.to("meta")))

    def test_features_of_another_type_or_shape(self):
        loss = projnce.ProjNCELoss()
        for features, found in (
            (FEATURES.long(), "type Long"),
            (FEATURES[:, 0], r"\[6\]"),
            (FEATURES[:0], r"\[0, 4\]"),
            (FEATURES.to(torch.complex64), "type ComplexFloat"),
            (FEATURES.long().to("meta"), "type torch.int64"),
        ):
            with self.subTest(found=found):
                self.rejected(ValueError, f"features are .*{found}.*expected",
                             lambda: loss(features, LABELS[: len(features)].to(features.device)))
        self.rejected(ValueError, "features are Sparse, expected a dense tensor",
                     lambda: loss(FEATURES.to_sparse(), LABELS))
        self.rejected(ValueError, "labels are Sparse", lambda: loss(FEATURES, LABELS.to_sparse()))

    def test_tensors_of_another_device(self):
        if torch.cuda.is_available():
            self.skipTest("this torch has CUDA")
        with self.assertRaises(AssertionError) as caught:
            projnce.SupConLoss()(FEATURES.to("cuda"), LABELS)
        self.assertIn("not compiled with CUDA", str(caught.exception))

    def test_constructor_rejects_invalid_options(self):
        self.rejected(ValueError, "temperature = 0 is out of range, expected above 0",
                     lambda: projnce.SupConLoss(0.0))
        self.rejected(ValueError, "variant = 'inn' .* did you mean 'in'",
                     lambda: projnce.SupConLoss(variant="inn"))
        self.rejected(ValueError, "theta = 2 is out of range",
                     lambda: projnce.JointLoss(projnce.SupConLoss(), theta=2))
        self.rejected(ValueError, "num_classes = 0", lambda: projnce.ProjNCEMLPLoss(0, 4))
        self.rejected(ValueError, "projection_pos = 'centriod' .* did you mean 'centroid'",
                     lambda: projnce.GeneralizedInfoNCELoss("centriod"))
        self.rejected(ValueError, "base_temperature = 0 is out of range, expected above 0",
                     lambda: projnce.SupConLoss(base_temperature=0.0))
        self.rejected(TypeError, "temprature", lambda: projnce.SupConLoss(temprature=0.1))
        self.rejected(RuntimeError, "temperature", lambda: projnce.SupConLoss("warm"))

    def test_missing_arguments(self):
        torch.manual_seed(0)
        self.rejected(ValueError, "simclr compares views", lambda: projnce.SimCLRLoss()(FEATURES))
        self.rejected(ValueError, "no anchor_labels", lambda: projnce.ProjNCELoss()(FEATURES, None))
        self.rejected(ValueError, "outside|out of range",
                     lambda: projnce.ProjNCEMLPLoss(2, 4).double()(FEATURES, LABELS))
        self.rejected(ValueError, "widths must be equal",
                     lambda: projnce.ProjNCEMLPLoss(3, 5).double()(FEATURES, LABELS))
        self.rejected(ValueError, "do not lie within",
                     lambda: projnce.SupConLoss()(FEATURES, LABELS, candidates=FEATURES,
                                                  candidate_labels=LABELS, anchor_offset=3))

    def test_rejects_projected_vectors_of_another_shape(self):
        loss = projnce.GeneralizedInfoNCELoss()
        views = torch.stack([FEATURES, FEATURES], 1)  # [6, 2, 4]
        for side in ("pos", "neg"):
            wrong = (FEATURES[:2], FEATURES[:, :3], FEATURES[:, 0], FEATURES.t(),
                     FEATURES.unsqueeze(0), FEATURES[0, 0], torch.zeros(0, 4), views)
            for given in wrong:
                shape = ", ".join(map(str, given.shape))
                self.rejected(ValueError, rf"generalized-infonce: {side} has shape \[{shape}\], expected \[6, 4\]",
                             lambda: loss(FEATURES, LABELS, **{side: given}))
            for given in (FEATURES, views.transpose(0, 1), views[:, :1], views[:, :, :3]):
                self.rejected(ValueError, rf"{side} has shape .* expected \[6, 2, 4\]",
                             lambda: loss(views, LABELS, **{side: given}))
            self.rejected(ValueError, f"{side} has type Long, expected a floating-point",
                         lambda: loss(FEATURES, LABELS, **{side: FEATURES.long()}))
            self.rejected(ValueError, "move them to one device",
                         lambda: loss(FEATURES, LABELS, **{side: FEATURES.to("meta")}))
            self.rejected(ValueError, "expected a dense tensor",
                         lambda: loss(FEATURES, LABELS, **{side: FEATURES.to_sparse()}))
            corrupted = FEATURES.clone()
            corrupted[1, 2] = float("nan")
            self.assertTrue(loss(FEATURES, LABELS, **{side: corrupted}).isnan())

    def test_projected_vectors_in_the_shape_of_features_or_rows(self):
        loss = projnce.GeneralizedInfoNCELoss()
        views = torch.stack([FEATURES, FEATURES.flip(0)], 1)
        flat = views.flatten(0, 1)
        expected = loss(flat, LABELS.repeat_interleave(2), pos=flat.roll(1, 0))
        for given in (flat.roll(1, 0), flat.roll(1, 0).reshape(6, 2, 4),
                      flat.roll(1, 0).t().contiguous().t(), flat.roll(1, 0).float().double()):
            torch.testing.assert_close(loss(views, LABELS, pos=given), expected, atol=1e-5, rtol=0)

    def test_measures(self):
        z, y = FEATURES.numpy(), LABELS.numpy()
        self.rejected(TypeError, "embeddings must be", lambda: projnce.audit("file.npy", y))
        self.rejected(ValueError, "embeddings of shape .1, 1.", lambda: projnce.audit([[1.0]], y))
        self.rejected(ValueError, "embeddings have rows of different lengths",
                     lambda: projnce.audit([[1.0], [1.0, 2.0]], y[:2]))
        self.rejected(ValueError, "labels have shape", lambda: projnce.label_entropy(FEATURES))
        self.rejected(ValueError, "perplexity", lambda: projnce.tsne(z, perplexity=30))
        self.rejected(ValueError, "init", lambda: projnce.tsne(z, init="zeros"))
        self.rejected(ValueError, "k = 9|neighbors|k", lambda: projnce.mixed_ksg(z, y, k=9))
        self.rejected(ValueError, "finite|nan|NaN", lambda: projnce.audit(z * np.nan, y))
        self.rejected(TypeError, "embeddings have type <U1, expected numbers",
                     lambda: projnce.audit(np.array([["a"]] * 6), y))
        self.rejected(TypeError, "expected real numbers",
                     lambda: projnce.mixed_ksg(FEATURES.to(torch.complex64), LABELS))
        self.rejected(ValueError, "label 2 is outside 0..1",
                     lambda: projnce.mi_bounds(z, y, FEATURES[:2]))

    def test_nan_propagates(self):
        features = FEATURES.clone()
        features[0, 0] = float("nan")
        for name, loss in all_losses(dim=4).items():
            with self.subTest(loss=name):
                views = torch.stack([features, features], 1)
                self.assertTrue(bool(loss(views, LABELS).isnan()))


class DefaultTest(unittest.TestCase):
    def test_defaults_match_the_library(self):
        for loss in (projnce.SupConLoss, projnce.SimCLRLoss, projnce.RINCELoss, projnce.SymNCELoss,
                     projnce.InfoNCELoss, projnce.ProjNCELoss, projnce.ProjNCEPerpLoss,
                     projnce.ProjNCEMedLoss, projnce.ProjNCEMLPLoss, projnce.GeneralizedInfoNCELoss,
                     projnce.SCELoss):
            with self.subTest(loss=loss.__name__):
                names = loss._operator.option_names
                library = dict(zip(names, loss._operator.options()))
                signature = inspect.signature(loss.__init__).parameters
                given = {
                    name: parameter.default
                    for name, parameter in signature.items()
                    if name not in ("self", "normalize", "reduction", "num_classes",
                                    "embedding_dim", "contrast_mode", "class_priors")
                }
                for name, default in given.items():
                    if default is not None:
                        self.assertEqual(default, library[name], name)
                self.assertLessEqual(set(library), set(given))

    def test_options_include_defaults(self):
        options = projnce.ProjNCELoss(preset="paper", beta=3).options()
        self.assertEqual((options["beta"], options["include_self_pos"]), (3.0, True))
        self.assertIn("temperature=0.07", repr(projnce.SupConLoss()))


if __name__ == "__main__":
    unittest.main()
