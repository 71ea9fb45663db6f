"""Losses over the logits of a classifier, for comparison."""
import torch
from torch import Tensor

from projnce.losses.contrastive import ContrastiveLoss, check_tensor


class CELoss(ContrastiveLoss):
    r"""Cross entropy of logits, the baseline without contrast.

    .. math::
        \ell_i = -x_{i, y_i} + \log \sum_c e^{x_{ic}}

    >>> print(f"{CELoss()(torch.zeros(3, 10), torch.tensor([1, 2, 3])):.4f}")  # log(10)
    2.3026
    """

    _operator = "ce"

    def __init__(self) -> None:
        super().__init__({})

    def forward(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Logits ``[N, C]`` and labels ``[N]``."""
        check_tensor(logits, "logits")
        check_tensor(labels, "labels")
        return torch.ops.projnce.ce(logits, labels)


class SCELoss(ContrastiveLoss):
    r"""Symmetric cross entropy (Wang et al., 2019), robust to wrong labels.

    .. math::
        L = \alpha \, \text{CE} + \beta \, \text{mean}_i \, (-A) (1 - p_{i, y_i})

    Args:
        alpha: weight of cross entropy.
        beta: weight of reverse cross entropy.
        A: what stands for log 0; below 0. The default is log 1e-4.

    >>> loss = SCELoss(alpha=1.0, beta=0.0)
    >>> print(f"{loss(torch.zeros(3, 10), torch.tensor([1, 2, 3])):.4f}")
    2.3026
    """

    _operator = "sce"
    alpha: float
    beta: float
    A: float

    def __init__(
        self, alpha: float = 0.1, beta: float = 1.0, A: float = -9.210340371976182
    ) -> None:
        super().__init__(dict(alpha=alpha, beta=beta, A=A))

    def forward(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Logits ``[N, C]`` and labels ``[N]``."""
        check_tensor(logits, "logits")
        check_tensor(labels, "labels")
        return torch.ops.projnce.sce(logits, labels, alpha=self.alpha, beta=self.beta, A=self.A)
