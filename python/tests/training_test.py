"""Replacing the loss of a training loop gives the same accuracy."""
import sys
import unittest
from pathlib import Path

import torch

import cases
import projnce

sys.path.insert(0, str(cases.ROOT / "examples"))
import train_in_python  # noqa: E402

DATA = Path("/usr/share/datasets/fashion-mnist")


class PlainSupCon(torch.nn.Module):
    def forward(self, features, labels):
        return cases.plain_supcon(features, labels, 0.1)


@unittest.skipUnless(DATA.exists(), "Debian's package dataset-fashion-mnist is not installed")
class TrainingTest(unittest.TestCase):
    def train(self, criterion):
        images, labels = train_in_python.read_split(DATA, "train", 2000)
        encoder = train_in_python.train(criterion, images, labels, epochs=3)
        test, test_labels = train_in_python.read_split(DATA, "t10k", 2000)
        return train_in_python.accuracy(encoder, images, labels, test, test_labels)

    def test_supcon_trains_like_its_formula(self):
        plain = self.train(PlainSupCon())
        ours = self.train(projnce.SupConLoss(0.1))
        self.assertGreater(plain, 0.6)
        self.assertAlmostEqual(ours, plain, delta=0.01)

    def test_projnce_mlp_trains_its_class_vectors_too(self):
        torch.manual_seed(1)
        criterion = projnce.ProjNCEMLPLoss(10, 64, 0.1)
        before = criterion.weight.detach().clone()
        self.assertGreater(self.train(criterion), 0.55)
        self.assertGreater(float((criterion.weight - before).norm()), 0.1)


if __name__ == "__main__":
    unittest.main()
