"""Supervised contrastive losses, bounds on mutual information, and label audits.

>>> import torch, projnce
>>> loss = projnce.ProjNCELoss(temperature=0.07)
>>> z = torch.nn.functional.normalize(torch.randn(8, 2, 16), dim=2).requires_grad_()
>>> loss(z, torch.arange(8) % 4).backward()

Losses take embeddings ``[rows, dim]`` or, for several views of each sample,
``[samples, views, dim]``, and integer labels. They do not normalize embeddings unless
``normalize=True``.
"""
import warnings
from typing import Any

from projnce._library import __version__
from projnce.losses.class_vectors import ProjNCEMedLoss, ProjNCEMLPLoss, ProjNCEPerpLoss
from projnce.losses.classifier import CELoss, SCELoss
from projnce.losses.contrastive import ContrastiveLoss, Loss
from projnce.losses.joint import JointLoss
from projnce.losses.pairs import InfoNCELoss, RINCELoss, SimCLRLoss, SupConLoss, SymNCELoss
from projnce.losses.projections import GeneralizedInfoNCELoss, ProjNCELoss
from projnce.measures import (
    Audit,
    MiBounds,
    audit,
    label_entropy,
    label_information,
    mi_bounds,
    mixed_ksg,
    tsne,
)
from projnce.weights import load_weights, save_weights

__all__ = [
    "Audit",
    "CELoss",
    "ContrastiveLoss",
    "GeneralizedInfoNCELoss",
    "InfoNCELoss",
    "JointLoss",
    "Loss",
    "MiBounds",
    "ProjNCELoss",
    "ProjNCEMLPLoss",
    "ProjNCEMedLoss",
    "ProjNCEPerpLoss",
    "RINCELoss",
    "SCELoss",
    "SimCLRLoss",
    "SupConLoss",
    "SymNCELoss",
    "__version__",
    "audit",
    "label_entropy",
    "label_information",
    "load_weights",
    "mi_bounds",
    "mixed_ksg",
    "save_weights",
    "tsne",
]


_RENAMED = {"SelfPLoss": GeneralizedInfoNCELoss}


def __getattr__(name: str) -> Any:
    if name not in _RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    present = _RENAMED[name]
    message = f"projnce.{name} is deprecated, use projnce.{present.__name__}"
    warnings.warn(message, DeprecationWarning, stacklevel=2)
    return present
