"""What the tests share: batches, the losses under test, and the reference numbers."""
import json
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

try:
    import torch
except ImportError:
    raise unittest.SkipTest("this Python has no torch")

import projnce  # noqa: E402


def unit_rows(*shape, dtype=torch.float64, seed=0):
    generator = torch.Generator().manual_seed(seed)
    rows = torch.randn(*shape, generator=generator, dtype=torch.float64)
    return torch.nn.functional.normalize(rows, dim=-1).to(dtype)


def golden(name):
    text = (ROOT / "tests" / "golden" / f"{name}.json").read_text()
    return json.loads(text)["cases"]


def plain_supcon(features, labels, temperature):
    """The formula, with every pair in memory."""
    rows = features.flatten(0, 1) if features.dim() == 3 else features
    if features.dim() == 3:
        labels = labels.repeat_interleave(features.shape[1])
    scores = rows @ rows.t() / temperature
    other = ~torch.eye(len(rows), dtype=torch.bool)
    positive = (labels[:, None] == labels[None, :]) & other
    mass = torch.logsumexp(scores.masked_fill(~other, float("-inf")), dim=1)
    pull = (scores * positive).sum(1) / positive.sum(1).clamp(min=1)
    return torch.where(positive.any(1), mass - pull, torch.zeros(())).mean()


def all_losses(dim=6, classes=3, dtype=torch.float64):
    """Every loss with settings in which all of its code is at work."""
    torch.manual_seed(3)
    return {
        "supcon": projnce.SupConLoss(0.3),
        "supcon-in": projnce.SupConLoss(0.3, variant="in", normalize=True),
        "simclr": projnce.SimCLRLoss(0.3),
        "rince": projnce.RINCELoss(0.5, q=0.5, lam=0.1),
        "rince-one": projnce.RINCELoss(0.5, q=0.5, lam=0.1, denom="one_pos"),
        "symnce": projnce.SymNCELoss(0.3),
        "symnce-pairwise": projnce.SymNCELoss(0.3, form="pairwise"),
        "projnce": projnce.ProjNCELoss(0.3, beta=2.0),
        "projnce-paper": projnce.ProjNCELoss(0.3, preset="paper"),
        "projnce-perp": projnce.ProjNCEPerpLoss(0.3, metric="cosine", bandwidth=0.7, detach_q=False),
        "projnce-med": projnce.ProjNCEMedLoss(0.3, median="geometric"),
        "projnce-mlp": projnce.ProjNCEMLPLoss(classes, dim, 0.3).to(dtype),
        "projnce-mlp-hidden": projnce.ProjNCEMLPLoss(classes, dim, 0.3, hidden=5).to(dtype),
        "selfp": projnce.SelfPLoss("centroid", "sample", 0.3),
        "selfp-median": projnce.SelfPLoss("median", "median", 0.3),
        "joint": projnce.JointLoss(projnce.ProjNCELoss(0.3), theta=0.4),
    }
