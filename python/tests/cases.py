"""Shared by the tests: batches, the losses under test, and golden values."""
import json
import sys
import unittest
from pathlib import Path
from typing import Callable, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

try:
    import torch
except ImportError:
    raise unittest.SkipTest("this Python has no torch") from None

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


def _perp_instance(**options):
    return projnce.ProjNCEPerpLoss(
        0.3,
        soft_source="hard",
        leave_one_out="instance",
        priors="training",
        class_priors=torch.tensor([0.5, 0.2, 0.3], dtype=torch.float64),
        **options,
    )


def all_losses(dim=6, classes=3, dtype=torch.float64):
    """Every loss with settings in which all of its code is at work."""
    with torch.random.fork_rng():  # the global generator is the test's to seed
        torch.manual_seed(3)
        return _all_losses(dim, classes, dtype)


def _all_losses(dim, classes, dtype):
    return {
        "supcon": projnce.SupConLoss(0.3),
        "supcon-in": projnce.SupConLoss(0.3, variant="in", normalize=True),
        "simclr": projnce.SimCLRLoss(0.3),
        "rince": projnce.RINCELoss(0.5, q=0.5, lambda_=0.1),
        "rince-one": projnce.RINCELoss(0.5, q=0.5, lambda_=0.1, denominator="one_pos"),
        "symnce": projnce.SymNCELoss(0.3),
        "symnce-pairwise": projnce.SymNCELoss(0.3, form="pairwise"),
        "projnce": projnce.ProjNCELoss(0.3, beta=2.0),
        "projnce-paper": projnce.ProjNCELoss(0.3, preset="paper"),
        "projnce-perp": projnce.ProjNCEPerpLoss(
            0.3, metric="cosine", bandwidth=0.7, detach_q=False
        ),
        "projnce-unit": projnce.ProjNCELoss(0.3, beta=2.0, normalize_g=True),
        "projnce-perp-instance": _perp_instance(),
        "projnce-perp-instance-nw": projnce.ProjNCEPerpLoss(
            0.3, metric="cosine", bandwidth=0.7, detach_q=False, leave_one_out="instance"
        ),
        "projnce-med": projnce.ProjNCEMedLoss(0.3, median="geometric"),
        "projnce-mlp": projnce.ProjNCEMLPLoss(classes, dim, 0.3).to(dtype),
        "projnce-mlp-hidden": projnce.ProjNCEMLPLoss(classes, dim, 0.3, hidden=5).to(dtype),
        "generalized_infonce": projnce.GeneralizedInfoNCELoss("centroid", "sample", 0.3),
        "generalized_infonce-median": projnce.GeneralizedInfoNCELoss("median", "median", 0.3),
        "generalized_infonce-unit": projnce.GeneralizedInfoNCELoss(
            "centroid", "sample", 0.3, normalize_g=True
        ),
        "joint": projnce.JointLoss(projnce.ProjNCELoss(0.3), theta=0.4),
    }


def _row_inputs(samples, dtype, dim=6, classes=3):
    return unit_rows(samples, 2, dim, dtype=dtype), torch.arange(samples) % classes


def _pair_inputs(samples, dtype):
    return unit_rows(samples, 6, dtype=dtype, seed=1), unit_rows(samples, 6, dtype=dtype, seed=2)


def _logit_inputs(samples, dtype):
    return 3 * unit_rows(samples, 4, dtype=dtype), torch.arange(samples) % 4


class Sample(NamedTuple):
    """A loss with inputs for it: floating-point ones are differentiable."""

    make: Callable
    inputs: Callable  # (samples, dtype) -> arguments of forward

    def loss(self, dtype=torch.float64, **options):
        with torch.random.fork_rng():
            torch.manual_seed(3)
            return self.make(**options).to(dtype)

    def arguments(self, samples=6, dtype=torch.float64, requires_grad=True):
        inputs = self.inputs(samples, dtype)
        return tuple(
            x.requires_grad_(requires_grad) if x.is_floating_point() else x for x in inputs
        )


def _joint(**options):
    return projnce.JointLoss(projnce.SupConLoss(0.3, **options), theta=0.4)


# By the name of the operator, and a variant of its options.
SAMPLES = {
    "ce": Sample(projnce.CELoss, _logit_inputs),
    "sce": Sample(projnce.SCELoss, _logit_inputs),
    "infonce": Sample(lambda **o: projnce.InfoNCELoss(0.3, symmetric=True, **o), _pair_inputs),
    "simclr": Sample(lambda **o: projnce.SimCLRLoss(0.3, **o), _row_inputs),
    "supcon": Sample(lambda **o: projnce.SupConLoss(0.3, base_temperature=0.2, **o), _row_inputs),
    "supcon:one": Sample(lambda **o: projnce.SupConLoss(0.3, "one", **o), _row_inputs),
    "rince": Sample(lambda **o: projnce.RINCELoss(0.5, q=0.5, lambda_=0.1, **o), _row_inputs),
    "symnce": Sample(lambda **o: projnce.SymNCELoss(0.3, form="pairwise", **o), _row_inputs),
    "projnce": Sample(lambda **o: projnce.ProjNCELoss(0.3, beta=2.0, **o), _row_inputs),
    "projnce_perp": Sample(
        lambda **o: projnce.ProjNCEPerpLoss(
            0.3, metric="cosine", bandwidth=0.7, detach_q=False, **o
        ),
        _row_inputs,
    ),
    "projnce_perp:instance": Sample(_perp_instance, _row_inputs),
    "projnce_perp:instance-nw": Sample(
        lambda **o: projnce.ProjNCEPerpLoss(
            0.3, metric="cosine", bandwidth=0.7, detach_q=False, leave_one_out="instance", **o
        ),
        _row_inputs,
    ),
    "projnce:unit": Sample(
        lambda **o: projnce.ProjNCELoss(0.3, beta=2.0, normalize_g=True, **o), _row_inputs
    ),
    "projnce_med": Sample(
        lambda **o: projnce.ProjNCEMedLoss(0.3, median="geometric", **o), _row_inputs
    ),
    "projnce_mlp": Sample(lambda **o: projnce.ProjNCEMLPLoss(3, 6, 0.3, **o), _row_inputs),
    "projnce_mlp:hidden": Sample(
        lambda **o: projnce.ProjNCEMLPLoss(3, 6, 0.3, hidden=4, **o), _row_inputs
    ),
    "generalized_infonce": Sample(
        lambda **o: projnce.GeneralizedInfoNCELoss("centroid", "sample", 0.3, **o), _row_inputs
    ),
    "joint": Sample(_joint, _row_inputs),
}


class Model(torch.nn.Module):
    """A loss behind a layer, so that its input is computed within the graph."""

    def __init__(self, loss, dim):
        super().__init__()
        self.layer = torch.nn.Linear(dim, dim)
        self.loss = loss

    def forward(self, features, *others):
        rows = torch.nn.functional.normalize(self.layer(features), dim=-1)
        return self.loss(rows, *others)


def gradients(loss, arguments, weights=None):
    """The value, and its gradients by the inputs and parameters that require them."""
    value = loss(*arguments)
    leaves = [x for x in (*arguments, *loss.parameters()) if x.requires_grad]
    total = value if weights is None else (value * weights).sum()
    return value.detach(), torch.autograd.grad(total, leaves)
