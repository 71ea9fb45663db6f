"""Weighted sum of a supervised loss and SimCLR."""

from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor

from projnce.losses.pairs import SimCLRLoss


class JointLoss(torch.nn.Module):
    r"""Weighted sum of a supervised loss and SimCLR (after `Cui et al., 2023
    <https://arxiv.org/abs/2306.04160>`_), which limits the influence of wrong labels.

    .. math::
        L = \theta L_\text{sup} + (1 - \theta) L_\text{SimCLR}

    The reduction is taken from the supervised loss.

    Args:
        supervised: any loss of features and labels.
        theta: 0 <= theta <= 1, weight of the supervised loss.
        temperature: temperature of SimCLR; default: that of the supervised loss.
        normalize: if true, SimCLR L2-normalizes the rows; default: as the supervised loss.

    Raises:
        ValueError: if ``theta`` is out of range.

    >>> from projnce import ProjNCELoss
    >>> loss = JointLoss(ProjNCELoss(temperature=0.1), theta=0.5)
    >>> views = torch.nn.functional.normalize(torch.randn(4, 2, 8), dim=2)
    >>> loss(views, torch.tensor([0, 0, 1, 1])).shape
    torch.Size([])
    """

    theta: float

    def __init__(
        self,
        supervised: torch.nn.Module,
        theta: float = 0.5,
        *,
        temperature: Optional[float] = None,
        normalize: Optional[bool] = None,
    ) -> None:
        super().__init__()
        if not 0 <= theta <= 1:
            raise ValueError(f"theta = {theta} is out of range, expected 0 to 1")
        self.theta = float(theta)
        self.supervised = supervised
        if temperature is None:
            temperature = getattr(supervised, "temperature", 0.07)
        if normalize is None:
            normalize = getattr(supervised, "normalize", False)
        self.self_supervised = SimCLRLoss(
            temperature,
            empty_positives=getattr(supervised, "empty_positives", "zero"),
            normalize=normalize,
            reduction=getattr(supervised, "reduction", "mean"),
        )

    def forward(
        self, features: Tensor, labels: Tensor, instances: Optional[Tensor] = None
    ) -> Tensor:
        """Computes the weighted sum of both losses.

        Args:
            features: ``[B, V, D]``, or ``[N, D]`` with instances.
            labels: ``[B]`` or ``[N]`` integers.
            instances: ``[N]`` integers, equal for views of one sample.

        Returns:
            A scalar, or ``[N]`` if the reduction of the supervised loss is ``"none"``.

        Raises:
            TypeError: if an argument is not a tensor.
            ValueError: if shapes, types or devices do not match.
        """
        supervised = self.supervised(features, labels)
        return self.theta * supervised + (1 - self.theta) * self.self_supervised(
            features, None, instances
        )

    def extra_repr(self) -> str:
        return f"theta={self.theta}"
