"""Losses that compare rows with rows."""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor

from projnce._operators import grad_mask
from projnce.losses.contrastive import ContrastiveLoss, RowLoss, check_choice, check_tensor


class SupConLoss(RowLoss, operator="supcon"):
    r"""Supervised contrastive loss (`Khosla et al., 2020 <https://arxiv.org/abs/2004.11362>`_).

    With :math:`s_{ij} = z_i \cdot z_j / \tau`, :math:`P(i)` the other rows of the same class and
    :math:`D(i)` all other rows, the mean over i of

    .. math::
        \ell_i = -\frac{1}{|P(i)|} \sum_{p \in P(i)} s_{ip} + \log \sum_{j \in D(i)} e^{s_{ij}}

    Without labels, the positives are the other views of the same sample, which is SimCLR's loss.

    Args:
        temperature: temperature that divides similarities; above 0.
        contrast_mode: ``"all"``: every view is an anchor; ``"one"``: only the first view of each sample
            (requires features ``[B, V, D]``).
        base_temperature: multiplies the loss by temperature / base_temperature; default: no factor,
            unlike SupContrast, whose default is 0.07.
        variant: ``"out"``, the formula above, or ``"in"``, with the mean inside the logarithm.
        include_self_pos: if true, the anchor is one of its own positives.
        include_self_denom: if true, the denominator includes the anchor.
        empty_positives: anchors without positives count as 0 (``"zero"``) or are excluded from the
            mean (``"skip"``).
        detach_pos: if true, no gradient flows into positives.
        normalize: if true, L2-normalizes the rows first.
        reduction: ``"mean"`` or ``"sum"`` over the anchors, or ``"none"`` for one value per anchor,
            which is 0 for anchors that do not count.

    Raises:
        ValueError: if an option is unknown or out of range.

    ``SupConLoss(0.07)`` equals SupContrast with its defaults, and
    ``SupConLoss(0.1, empty_positives="skip", normalize=True)`` equals pytorch-metric-learning.

    >>> loss = SupConLoss(temperature=0.1)
    >>> views = torch.nn.functional.normalize(torch.ones(4, 2, 8), dim=2)
    >>> print(f"{loss(views, torch.tensor([0, 0, 1, 1])):.4f}")  # equal rows: log(7)
    1.9459
    """

    temperature: float
    contrast_mode: str
    base_temperature: Optional[float]
    variant: str
    include_self_pos: bool
    include_self_denom: bool
    empty_positives: str
    detach_pos: bool

    def __init__(
        self,
        temperature: float = 0.07,
        contrast_mode: str = "all",
        base_temperature: Optional[float] = None,
        *,
        variant: str = "out",
        include_self_pos: bool = False,
        include_self_denom: bool = False,
        empty_positives: str = "zero",
        detach_pos: bool = False,
        normalize: bool = False,
        reduction: str = "mean",
    ) -> None:
        options = {
            "temperature": temperature,
            "base_temperature": base_temperature,
            "variant": variant,
            "include_self_pos": include_self_pos,
            "include_self_denom": include_self_denom,
            "empty_positives": empty_positives,
            "detach_pos": detach_pos,
        }
        super().__init__(options, normalize, reduction)
        check_choice(contrast_mode, "contrast_mode", ("all", "one"))
        self.contrast_mode = contrast_mode

    def forward(
        self,
        features: Tensor,
        labels: Optional[Tensor] = None,
        instances: Optional[Tensor] = None,
        candidates: Optional[Tensor] = None,
        candidate_labels: Optional[Tensor] = None,
        candidate_instances: Optional[Tensor] = None,
        anchor_offset: int = 0,
        *,
        mask: None = None,
    ) -> Tensor:
        """Computes the loss. ``features`` to ``anchor_offset`` are as in :meth:`ProjNCELoss.forward`.

        Args:
            mask: not supported; positives are given by ``labels``, or by ``instances`` without
                labels.

        Returns:
            A scalar, or one value per anchor with ``reduction="none"``.

        Raises:
            ValueError: if ``mask`` is given, and as in :meth:`ProjNCELoss.forward`.
        """
        if mask is not None:
            raise ValueError(
                "mask is not supported; pass labels, or instances that are equal for positives"
            )
        return self._evaluate(
            features,
            labels,
            instances,
            candidates,
            candidate_labels,
            candidate_instances,
            anchor_offset,
        )

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, contrast_mode={self.contrast_mode!r}"

    def _arguments(
        self,
        features: Tensor,
        labels: Optional[Tensor] = None,
        instances: Optional[Tensor] = None,
        candidates: Optional[Tensor] = None,
        *more: Any,
        **named: Any,
    ) -> tuple[Any, ...]:
        if self.contrast_mode == "all":
            return self._row_arguments(features, labels, instances, candidates, *more, **named)
        check_tensor(features, "features")
        if candidates is not None or features.dim() < 3:
            raise ValueError(
                "contrast_mode = 'one' needs features [samples, views, dim] and no candidates, "
                f"found features {list(features.shape)}"
            )
        views = features.shape[1]
        rows = features.transpose(0, 1).flatten(2).flatten(0, 1)  # the first views come first
        if instances is None:
            instances = torch.arange(features.shape[0], device=features.device)
        if labels is not None:
            check_tensor(labels, "labels")
            labels = labels.flatten()
        return self._row_arguments(
            features[:, 0].flatten(1),
            labels,
            instances,
            rows,
            None if labels is None else labels.repeat(views),
            instances.repeat(views),
        )


class SimCLRLoss(SupConLoss, operator="simclr"):
    r"""SimCLR's NT-Xent (`Chen et al., 2020 <https://arxiv.org/abs/2002.05709>`_): the positives are the
    other views of the same sample.

    .. math::
        \ell_i = -\frac{1}{V-1} \sum_{p \text{ other views of } i} s_{ip}
                 + \log \sum_{j \neq i} e^{s_{ij}}

    Features are ``[B, V, D]``, or ``[N, D]`` with instances. Labels are ignored.

    Args:
        temperature: temperature that divides similarities; above 0.
        contrast_mode, base_temperature, variant, detach_pos: as in :class:`SupConLoss`.
        include_self_pos, include_self_denom, empty_positives: as in :class:`SupConLoss`.
        normalize, reduction: as in :class:`SupConLoss`.

    Raises:
        ValueError: if an option is unknown or out of range.

    >>> loss = SimCLRLoss(temperature=0.5)
    >>> views = torch.nn.functional.normalize(torch.ones(4, 2, 8), dim=2)
    >>> print(f"{loss(views):.4f}")  # equal rows: log(7)
    1.9459
    """


class RINCELoss(RowLoss, operator="rince"):
    r"""Robust InfoNCE (`Chuang et al., 2022 <https://arxiv.org/abs/2201.04309>`_).

    .. math::
        \ell_i = \frac{1}{|P(i)|} \sum_{p \in P(i)}
                 \frac{-e^{q s_{ip}} + (\lambda S_{ip})^q}{q}

    where :math:`S_{ip}` is the sum of exponentials in the denominator. Without labels, the positives
    are the other views of the same sample.

    Args:
        temperature: temperature that divides similarities; above 0.
        q: 0 < q <= 1; InfoNCE in the limit 0, symmetric and most robust at 1. Gradients scale with
            exp(q / temperature).
        lambda_: 0 < lambda <= 1, weight of the denominator.
        denominator: rows in the denominator: ``"all"`` other rows, or ``"one_pos"``, the positive and
            the negatives.
        empty_positives: anchors without positives count as 0 (``"zero"``) or are excluded from the
            mean (``"skip"``).
        normalize: if true, L2-normalizes the rows first.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``, as in :class:`SupConLoss`.

    Raises:
        ValueError: if an option is unknown or out of range.

    >>> loss = RINCELoss(temperature=0.5, q=0.5, lambda_=0.1)
    >>> z = torch.nn.functional.normalize(torch.randn(6, 4), dim=1)
    >>> bool(loss(z, torch.tensor([0, 0, 0, 1, 1, 1])).isfinite())
    True
    """

    temperature: float
    q: float
    lambda_: float
    denominator: str
    empty_positives: str

    def __init__(
        self,
        temperature: float = 0.07,
        *,
        q: float = 0.1,
        lambda_: float = 0.01,
        denominator: str = "all",
        empty_positives: str = "zero",
        normalize: bool = False,
        reduction: str = "mean",
    ) -> None:
        options = {
            "temperature": temperature,
            "q": q,
            "lambda_": lambda_,
            "denominator": denominator,
            "empty_positives": empty_positives,
        }
        super().__init__(options, normalize, reduction)


class SymNCELoss(RowLoss, operator="symnce"):
    r"""SymNCE (after `Cui et al., 2025 <https://arxiv.org/abs/2501.01130>`_): InfoNCE minus
    a reversed InfoNCE, so that symmetric label noise adds a constant. P are the other rows of the
    class, Q the rows of other classes:

    .. math::
        \ell_i = F(P, Q) - \beta F(Q, P)

    Args:
        temperature: temperature that divides similarities; above 0.
        beta: weight of the reversed term; keep it below 1 with ``"lout"``.
        form: the InfoNCE F: ``"lout"``, ``"lin"`` or ``"pairwise"``.
        empty_positives: anchors without positives count as 0 (``"zero"``) or are excluded from the
            mean (``"skip"``).
        normalize: if true, L2-normalizes the rows first.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``, as in :class:`SupConLoss`.

    Raises:
        ValueError: if an option is unknown or out of range.

    >>> loss = SymNCELoss(temperature=0.5)
    >>> float(loss(torch.eye(4), torch.zeros(4, dtype=torch.long)))  # a single class
    0.0
    """

    temperature: float
    beta: float
    form: str
    empty_positives: str

    def __init__(
        self,
        temperature: float = 0.07,
        *,
        beta: float = 0.6,
        form: str = "lout",
        empty_positives: str = "zero",
        normalize: bool = False,
        reduction: str = "mean",
    ) -> None:
        options = {"temperature": temperature, "beta": beta, "form": form, "empty_positives": empty_positives}
        super().__init__(options, normalize, reduction)


class InfoNCELoss(ContrastiveLoss, operator="infonce"):
    r"""InfoNCE on pairs (`van den Oord et al., 2018 <https://arxiv.org/abs/1807.03748>`_).

    .. math::
        \ell_i = -a_i \cdot b_i / \tau + \log \sum_j e^{a_i \cdot b_j / \tau}

    Args:
        temperature: temperature that divides similarities; above 0.
        symmetric: if true, averages the losses from a to b and from b to a.
        reduction: ``"mean"`` or ``"sum"`` over the pairs, or ``"none"`` for ``[N]``.

    Raises:
        ValueError: if an option is unknown or out of range.

    >>> loss = InfoNCELoss(temperature=1.0)
    >>> a = torch.nn.functional.normalize(torch.ones(5, 3), dim=1)
    >>> print(f"{loss(a, a):.4f}")  # equal rows: log(5)
    1.6094
    """

    temperature: float
    symmetric: bool

    def __init__(
        self, temperature: float = 0.07, *, symmetric: bool = False, reduction: str = "mean"
    ) -> None:
        super().__init__({"temperature": temperature, "symmetric": symmetric}, reduction=reduction)

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        """The loss of the pairs.

        Args:
            a: ``[N, D]``.
            b: ``[N, D]``; row i belongs to row i of ``a``.

        Returns:
            A scalar, or ``[N]`` with ``reduction="none"``.

        Raises:
            TypeError: if an argument is not a tensor.
            ValueError: if the shapes or types differ.
        """
        return self._evaluate(a, b)

    def _arguments(self, a: Tensor, b: Tensor) -> tuple[Any, ...]:
        check_tensor(a, "a")
        check_tensor(b, "b")
        return (a, b, *self._scalars, grad_mask(a, b))
