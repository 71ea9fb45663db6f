"""Losses that compare rows with one vector for each class."""

from __future__ import annotations

from typing import Any, Callable, Optional

import torch
from torch import Tensor

from projnce.losses.contrastive import RowLoss, RowLossBase, check_tensor


class ProjNCEPerpLoss(RowLossBase, operator="projnce_perp"):
    r"""ProjNCE-perp (`Jeong and Hero, 2025 <https://arxiv.org/abs/2506.09810>`_): rows against
    class vectors that estimate E[Z | C] from soft labels, by default those of Nadaraya and Watson.

    .. math::
        \ell_i = -z_i \cdot g_{y_i} / \tau + \log \sum_c n_c e^{z_i \cdot g_c / \tau}, \qquad
        g_c = \frac{\sum_j q_{jc} z_j}{\sum_j q_{jc}}

    With ``leave_one_out="instance"`` the class vectors are made of the rows of other instances,
    :math:`O(i)`, and classes have priors :math:`\pi`, normalized over the classes with soft labels
    in :math:`O(i)`:

    .. math::
        \ell_i = -z_i \cdot g^{(i)}_{y_i} / \tau
                 + \log \sum_c \rho_c e^{z_i \cdot g^{(i)}_c / \tau}, \qquad
        g^{(i)}_c = \frac{\sum_{k \in O(i)} q_{kc} z_k}{\sum_{k \in O(i)} q_{kc}}, \qquad
        \rho_c = \frac{\pi_c}{\sum_b \pi_b}

    An anchor whose class does not occur in :math:`O(i)` counts as 0. The mean of
    :math:`-\ell_i` is a certified lower bound on I(Z;C) only for held-out rows, priors of the
    population (not ``"batch"``) and soft labels that do not depend on the anchor (``"hard"``,
    ``"given"``); see :func:`projnce.mi_bounds`.

    Args:
        temperature: divides similarities; above 0.
        soft_source: ``"nw"`` estimates soft labels from the batch, ``"given"`` takes those of the
            call, ``"hard"`` is one-hot labels: class centroids.
        kernel: ``"epanechnikov"``, ``"triangular"``, ``"mixed"`` or ``"exponential"``.
        metric: ``"l1"``, ``"l2"`` or ``"cosine"``.
        bandwidth: of the kernel; above 0.
        distance_scale: ``"none"``, or ``"unit"`` to divide distances by the largest possible one.
        nw_exclude_self: estimates the soft labels of a row without that row.
        detach_q: no gradient through estimated soft labels.
        denominator: ``"all"`` rows count in the denominator, or ``"exclude_self"``.
        normalize_g: unit class vectors.
        detach_g: no gradient into class vectors.
        leave_one_out: ``"none"``, or ``"instance"``: class vectors exclude the anchor's instance.
            Instances are those of the call, the samples of ``[B, V, D]``, or single rows.
        priors: with ``"instance"``: ``"batch"`` frequencies, ``"uniform"``, or ``"training"``:
            ``class_priors``.
        class_priors: ``[C]``, class frequencies of the training set, which sum to 1; for
            ``priors="training"``. Moves with the module and keeps its type.
        normalize: brings rows to unit length first.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``, as in :class:`SupConLoss`.

    Raises:
        TypeError: if ``class_priors`` is not a tensor.
        ValueError: if an option is unknown or out of range, or options contradict each other.

    >>> loss = ProjNCEPerpLoss(temperature=0.1, metric="cosine", bandwidth=0.3)
    >>> z = torch.nn.functional.normalize(torch.randn(8, 16), dim=1)
    >>> bool(loss(z, torch.arange(8) % 2).isfinite())
    True
    >>> loss = ProjNCEPerpLoss(soft_source="hard", leave_one_out="instance", priors="uniform")
    >>> print(f"{loss(torch.eye(2)[[0, 1, 0, 1]], torch.arange(4) % 2):.4f}")  # log 1/2
    -0.6931
    """

    temperature: float
    soft_source: str
    kernel: str
    metric: str
    bandwidth: float
    distance_scale: str
    nw_exclude_self: bool
    detach_q: bool
    denominator: str
    normalize_g: bool
    detach_g: bool
    leave_one_out: str
    priors: str
    class_priors: Optional[Tensor]

    def __init__(
        self,
        temperature: float = 0.07,
        *,
        soft_source: str = "nw",
        kernel: str = "epanechnikov",
        metric: str = "l1",
        bandwidth: float = 0.5,
        distance_scale: str = "none",
        nw_exclude_self: bool = False,
        detach_q: bool = True,
        denominator: str = "all",
        normalize_g: bool = False,
        detach_g: bool = False,
        leave_one_out: str = "none",
        priors: str = "batch",
        class_priors: Optional[Tensor] = None,
        normalize: bool = False,
        reduction: str = "mean",
    ) -> None:
        options = {
            "temperature": temperature,
            "soft_source": soft_source,
            "kernel": kernel,
            "metric": metric,
            "bandwidth": bandwidth,
            "distance_scale": distance_scale,
            "nw_exclude_self": nw_exclude_self,
            "detach_q": detach_q,
            "denominator": denominator,
            "normalize_g": normalize_g,
            "detach_g": detach_g,
            "leave_one_out": leave_one_out,
            "priors": priors,
        }
        super().__init__(options, normalize, reduction)
        if class_priors is not None:
            check_tensor(class_priors, "class_priors")
            class_priors = class_priors.detach().clone()
        if (class_priors is None) == (priors == "training"):
            raise ValueError("class_priors belong to priors='training', which needs them")
        self.register_buffer("class_priors", class_priors, persistent=False)

    def _apply(
        self, fn: Callable[[Tensor], Tensor], recurse: bool = True
    ) -> ProjNCEPerpLoss:
        given = self.class_priors
        super()._apply(fn, recurse)
        if given is not None and self.class_priors is not None:
            # In half precision they would not sum to 1.
            self.class_priors = given.to(self.class_priors.device)
        return self

    def forward(
        self,
        features: Tensor,
        labels: Optional[Tensor] = None,
        soft_labels: Optional[Tensor] = None,
        instances: Optional[Tensor] = None,
        candidates: Optional[Tensor] = None,
        candidate_labels: Optional[Tensor] = None,
        candidate_instances: Optional[Tensor] = None,
        anchor_offset: int = 0,
    ) -> Tensor:
        """Arguments as in :meth:`RowLoss.forward`; ``soft_labels`` is ``[N, C]``, or ``[B, C]`` for
        ``[B, V, D]``, with labels in 0 .. C - 1."""
        return self._evaluate(
            features,
            labels,
            soft_labels,
            instances,
            candidates,
            candidate_labels,
            candidate_instances,
            anchor_offset,
        )

    def _arguments(
        self,
        features: Tensor,
        labels: Optional[Tensor] = None,
        soft_labels: Optional[Tensor] = None,
        instances: Optional[Tensor] = None,
        candidates: Optional[Tensor] = None,
        candidate_labels: Optional[Tensor] = None,
        candidate_instances: Optional[Tensor] = None,
        anchor_offset: int = 0,
    ) -> tuple[Any, ...]:
        if soft_labels is not None:
            check_tensor(soft_labels, "soft_labels")
        return self._row_arguments(
            features,
            labels,
            instances,
            candidates,
            candidate_labels,
            candidate_instances,
            anchor_offset,
            soft_labels,
            self.class_priors,
        )


class ProjNCEMedLoss(RowLoss, operator="projnce_med"):
    r"""ProjNCE-med (`Jeong and Hero, 2025 <https://arxiv.org/abs/2506.09810>`_): rows against
    class medians, which a few wrong labels barely move.

    .. math::
        \ell_i = -z_i \cdot g_{y_i} / \tau + \log \sum_c n_c e^{z_i \cdot g_c / \tau}, \qquad
        g_c = \text{median}_{j: y_j = c} \, z_j

    Args:
        temperature: divides similarities; above 0.
        median: ``"lower"`` or ``"mean"`` of the two middle values of each coordinate, or
            ``"geometric"``.
        denominator: ``"all"`` rows count in the denominator, or ``"exclude_self"``.
        normalize_g: unit class vectors.
        detach_g: no gradient into class vectors.
        normalize: brings rows to unit length first.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``, as in :class:`SupConLoss`.

    Raises:
        ValueError: if an option is unknown or out of range.

    >>> loss = ProjNCEMedLoss(temperature=0.1, median="geometric")
    >>> z = torch.nn.functional.normalize(torch.randn(8, 16), dim=1)
    >>> bool(loss(z, torch.arange(8) % 2).isfinite())
    True
    """

    temperature: float
    median: str
    denominator: str
    normalize_g: bool
    detach_g: bool

    def __init__(
        self,
        temperature: float = 0.07,
        *,
        median: str = "lower",
        denominator: str = "all",
        normalize_g: bool = False,
        detach_g: bool = False,
        normalize: bool = False,
        reduction: str = "mean",
    ) -> None:
        options = {
            "temperature": temperature,
            "median": median,
            "denominator": denominator,
            "normalize_g": normalize_g,
            "detach_g": detach_g,
        }
        super().__init__(options, normalize, reduction)


class ProjNCEMLPLoss(RowLoss, operator="projnce_mlp"):
    r"""ProjNCE-MLP (`Jeong and Hero, 2025 <https://arxiv.org/abs/2506.09810>`_): rows against one
    learned vector for each class.

    .. math::
        \ell_i = -z_i \cdot g_{y_i} / \tau + \log \sum_c n_c e^{z_i \cdot g_c / \tau}

    with :math:`n_c` rows of class c in the batch. The class vectors :math:`g_c` are parameters of
    the module, so give ``loss.parameters()`` to the optimizer too.

    Args:
        num_classes: C; labels run from 0 to C - 1.
        embedding_dim: D.
        temperature: divides similarities; above 0.
        normalize_g: unit class vectors.
        denominator: ``"all"`` rows count in the denominator, or ``"exclude_self"``.
        class_weight: in the denominator: ``"count"`` of its rows, or ``"uniform"``.
        hidden: 0 for a free vector for each class, else units of a hidden layer from the label.
        normalize: brings rows to unit length first.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``, as in :class:`SupConLoss`.

    Raises:
        ValueError: if an option is unknown or out of range.

    >>> loss = ProjNCEMLPLoss(num_classes=10, embedding_dim=16)
    >>> loss.class_vectors().shape
    torch.Size([10, 16])
    """

    temperature: float
    normalize_g: bool
    denominator: str
    class_weight: str
    hidden: int
    _fixed = ("hidden",)

    def __init__(
        self,
        num_classes: int,
        embedding_dim: int,
        temperature: float = 0.07,
        *,
        normalize_g: bool = True,
        denominator: str = "all",
        class_weight: str = "count",
        hidden: int = 0,
        normalize: bool = False,
        reduction: str = "mean",
    ) -> None:
        options = {
            "temperature": temperature,
            "normalize_g": normalize_g,
            "denominator": denominator,
            "class_weight": class_weight,
            "hidden": hidden,
        }
        super().__init__(options, normalize, reduction)
        if num_classes < 1 or embedding_dim < 1:
            raise ValueError(
                f"num_classes = {num_classes} and embedding_dim = {embedding_dim} must be at least "
                "1"
            )
        if hidden == 0:
            self.weight = _normal(num_classes, embedding_dim, embedding_dim)
            self.register_parameter("hidden_bias", None)
            self.output: torch.nn.Module = torch.nn.Identity()
        else:
            # Behind a one-hot label a unit sees a single weight: variance 1.
            self.weight = _normal(num_classes, hidden, 1)
            self.hidden_bias = torch.nn.Parameter(torch.zeros(hidden))
            self.output = torch.nn.Linear(hidden, embedding_dim)

    def class_vectors(self) -> Tensor:
        """The vectors of all classes, ``[C, D]``."""
        bias = self.hidden_bias
        if bias is None:
            return self.weight
        return self.output(torch.relu(self.weight + bias))

    def _own_inputs(self) -> tuple[Tensor, ...]:
        return (self.class_vectors(),)


def _normal(rows: int, columns: int, fan: int) -> torch.nn.Parameter:
    return torch.nn.Parameter(torch.randn(rows, columns) / fan**0.5)
