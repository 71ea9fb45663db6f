"""Baseline losses of a classifier's logits."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from projnce._operators import grad_mask
from projnce.losses.contrastive import Loss, check_tensor


class _ClassifierLoss(Loss):
    def forward(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Computes the loss.

        Args:
            logits: ``[N, C]``, unnormalized.
            labels: ``[N]`` integers in 0 .. C - 1.

        Returns:
            A scalar, or ``[N]`` with ``reduction="none"``.

        Raises:
            TypeError: if an argument is not a tensor.
            ValueError: if shapes do not match or a label is out of range.
        """
        return self._evaluate(logits, labels)

    def _arguments(self, logits: Tensor, labels: Tensor) -> tuple[Any, ...]:
        check_tensor(logits, "logits")
        check_tensor(labels, "labels")
        return (logits, labels, *self._scalars, grad_mask(logits))


class CELoss(_ClassifierLoss, operator="ce"):
    r"""Cross entropy of logits, the non-contrastive baseline (the same as
    `torch.nn.CrossEntropyLoss <https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html>`_).

    .. math::
        \ell_i = -x_{i, y_i} + \log \sum_c e^{x_{ic}}

    Args:
        reduction: ``"mean"`` or ``"sum"`` over the rows, or ``"none"`` for ``[N]``.

    Raises:
        ValueError: if ``reduction`` is unknown.

    >>> import torch
    >>> print(f"{CELoss()(torch.zeros(3, 10), torch.tensor([1, 2, 3])):.4f}")  # log(10)
    2.3026
    """

    def __init__(self, *, reduction: str = "mean") -> None:
        super().__init__({}, reduction=reduction)


class SCELoss(_ClassifierLoss, operator="sce"):
    r"""Symmetric cross entropy (`Wang et al., 2019 <https://arxiv.org/abs/1908.06112>`_), robust to
    label noise.

    .. math::
        L = \alpha \, \text{CE} + \beta \, \text{mean}_i \, (-A) (1 - p_{i, y_i})

    Args:
        alpha: weight of cross entropy; at least 0.
        beta: weight of reverse cross entropy; at least 0.
        A: value used for log 0; below 0. The default is log 1e-4.
        reduction: ``"mean"`` or ``"sum"`` over the rows, or ``"none"`` for ``[N]``.

    Raises:
        ValueError: if an option is out of range.

    >>> import torch
    >>> loss = SCELoss(alpha=1.0, beta=0.0)
    >>> print(f"{loss(torch.zeros(3, 10), torch.tensor([1, 2, 3])):.4f}")
    2.3026
    """

    alpha: float
    beta: float
    A: float

    def __init__(
        self,
        alpha: float = 0.1,
        beta: float = 1.0,
        A: float = -9.210340371976182,
        *,
        reduction: str = "mean",
    ) -> None:
        super().__init__({"alpha": alpha, "beta": beta, "A": A}, reduction=reduction)
