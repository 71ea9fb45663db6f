"""Losses that compare rows with one vector per class."""

from __future__ import annotations

from typing import Any, Callable, Optional

import torch
from torch import Tensor

from projnce.losses.contrastive import RowLoss, RowLossBase, check_tensor


class ProjNCEPerpLoss(RowLossBase, operator="projnce_perp"):
    r"""ProjNCE-perp (`Jeong and Hero, 2025 <https://arxiv.org/abs/2506.09810>`_): compares rows
    with class vectors that estimate E[Z | C] from soft labels, by default from Nadaraya-Watson
    regression.

    .. math::
        \ell_i = -z_i \cdot g_{y_i} / \tau + \log \sum_c n_c e^{z_i \cdot g_c / \tau}, \qquad
        g_c = \frac{\sum_j q_{jc} z_j}{\sum_j q_{jc}}

    With ``leave_one_out="instance"``, class vectors are computed from the rows of other instances,
    :math:`O(i)`, and classes are weighted by priors :math:`\pi`, normalized over the classes with
    soft labels in :math:`O(i)`:

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
        temperature: temperature that divides similarities; above 0.
        soft_source: ``"nw"``: soft labels estimated from the batch; ``"given"``: the argument
            ``soft_labels`` of the call; ``"hard"``: one-hot labels, which gives class centroids.
        kernel: kernel of the regression: ``"epanechnikov"``, ``"triangular"``, ``"mixed"`` or ``"exponential"``.
        metric: distance between rows: ``"l1"``, ``"l2"`` or ``"cosine"``.
        bandwidth: bandwidth of the kernel; above 0.
        distance_scale: ``"none"``, or ``"unit"`` to divide distances by the diameter of the unit sphere.
        nw_exclude_self: if true, the soft labels of a row are estimated without that row.
        detach_q: if true, no gradient flows through estimated soft labels.
        denominator: rows in the denominator: ``"all"`` or ``"exclude_self"``.
        normalize_g: if true, class vectors are L2-normalized.
        detach_g: if true, no gradient flows into class vectors.
        leave_one_out: ``"none"``, or ``"instance"``: class vectors exclude the anchor's instance.
            Instances are the argument ``instances``, the samples of ``[B, V, D]``, or single rows.
        priors: class priors of ``"instance"``: ``"batch"`` (frequencies in the batch), ``"uniform"``
            or ``"training"`` (``class_priors``).
        class_priors: ``[C]``, class frequencies of the training set, sum 1; for ``priors="training"``.
            Moved with the module, but never converted to another type.
        normalize: if true, L2-normalizes the rows first.
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
            raise ValueError("class_priors and priors='training' require each other")
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
        """Computes the loss. All arguments but ``soft_labels`` are as in :meth:`ProjNCELoss.forward`.

        Args:
            soft_labels: ``[N, C]``, or ``[B, C]`` for features ``[B, V, D]``: probabilities of the
                classes, with labels in 0 .. C - 1; for ``soft_source="given"``.

        Returns:
            A scalar, or one value per anchor with ``reduction="none"``.

        Raises:
            ValueError: if ``soft_labels`` do not fit, and as in :meth:`ProjNCELoss.forward`.
        """
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
    r"""ProjNCE-med (`Jeong and Hero, 2025 <https://arxiv.org/abs/2506.09810>`_): compares rows
    with class medians, which a few wrong labels barely change.

    .. math::
        \ell_i = -z_i \cdot g_{y_i} / \tau + \log \sum_c n_c e^{z_i \cdot g_c / \tau}, \qquad
        g_c = \text{median}_{j: y_j = c} \, z_j

    Args:
        temperature: temperature that divides similarities; above 0.
        median: ``"lower"`` or ``"mean"`` of the two middle values of each coordinate, or
            ``"geometric"``.
        denominator: rows in the denominator: ``"all"`` or ``"exclude_self"``.
        normalize_g: if true, class vectors are L2-normalized.
        detach_g: if true, no gradient flows into class vectors.
        normalize: if true, L2-normalizes the rows first.
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
    r"""ProjNCE-MLP (`Jeong and Hero, 2025 <https://arxiv.org/abs/2506.09810>`_): compares rows
    with one learned vector per class.

    .. math::
        \ell_i = -z_i \cdot g_{y_i} / \tau + \log \sum_c n_c e^{z_i \cdot g_c / \tau}

    where :math:`n_c` is the number of rows of class c in the batch. The class vectors :math:`g_c` are
    parameters of the module, so pass ``loss.parameters()`` to the optimizer too.

    Args:
        num_classes: number of classes C; labels are in 0 .. C - 1.
        embedding_dim: dimension D of the embeddings.
        temperature: temperature that divides similarities; above 0.
        normalize_g: if true, class vectors are L2-normalized.
        denominator: rows in the denominator: ``"all"`` or ``"exclude_self"``.
        class_weight: weight of a class in the denominator: ``"count"``, its number of rows, or
            ``"uniform"``.
        hidden: 0: one free vector per class; above 0: size of the hidden layer of a network of the
            one-hot label.
        normalize: if true, L2-normalizes the rows first.
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
            # The input is one-hot, so each hidden unit receives a single weight: variance 1.
            self.weight = _normal(num_classes, hidden, 1)
            self.hidden_bias = torch.nn.Parameter(torch.zeros(hidden))
            self.output = torch.nn.Linear(hidden, embedding_dim)

    def class_vectors(self) -> Tensor:
        """Returns the vectors of all classes, ``[C, D]``."""
        bias = self.hidden_bias
        if bias is None:
            return self.weight
        units = torch.relu(self.weight + bias)
        device = units.device.type
        if not torch.amp.is_autocast_available(device):  # meta
            return self.output(units)
        # Autocast would compute the layer in half precision, and the loss would not be float32's.
        with torch.autocast(device, enabled=False):
            return self.output(units)

    def _own_inputs(self) -> tuple[Tensor, ...]:
        return (self.class_vectors(),)


def _normal(rows: int, columns: int, fan: int) -> torch.nn.Parameter:
    return torch.nn.Parameter(torch.randn(rows, columns) / fan**0.5)
