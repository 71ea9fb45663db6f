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

    Without labels the views of a sample are its class, which is SimCLR's loss.

    Args:
        temperature: divides similarities; above 0.
        contrast_mode: ``"all"`` views are anchors, or ``"one"``: the first view of each sample
            (needs features ``[B, V, D]``).
        base_temperature: multiplies the loss by temperature / base_temperature; default: 1, whereas
            SupContrast's default is a base temperature of 0.07.
        variant: ``"out"`` as above, ``"in"`` with the mean inside the logarithm.
        include_self_pos: counts the anchor among its own positives.
        include_self_denom: keeps the anchor in its own denominator.
        empty_positives: anchors without positives count as ``"zero"``, or not at all, ``"skip"``.
        detach_pos: treats positives as constants.
        normalize: brings rows to unit length first.
        reduction: ``"mean"`` or ``"sum"`` over the anchors, or ``"none"`` for the loss of each of
            them, 0 for those that do not count.

    Raises:
        ValueError: if an option is unknown or out of range.

    ``SupConLoss(0.07)`` is SupContrast's; ``SupConLoss(0.1, empty_positives="skip", normalize=True)`` is
    pytorch-metric-learning's.

    >>> loss = SupConLoss(temperature=0.1)
    >>> views = torch.nn.functional.normalize(torch.ones(4, 2, 8), dim=2)
    >>> print(f"{loss(views, torch.tensor([0, 0, 1, 1])):.4f}")  # all alike: log(7)
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
        """Arguments as in :meth:`RowLoss.forward`. SupContrast's ``mask`` is refused: positives
        follow from ``labels``, or from ``instances`` without labels."""
        if mask is not None:
            raise ValueError(
                "mask is not supported; give labels, or instances that are equal for positives"
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
    r"""SimCLR's NT-Xent (`Chen et al., 2020 <https://arxiv.org/abs/2002.05709>`_): views of one
    sample attract each other.

    .. math::
        \ell_i = -\frac{1}{V-1} \sum_{p \text{ other views of } i} s_{ip}
                 + \log \sum_{j \neq i} e^{s_{ij}}

    Features are ``[B, V, D]``, or ``[N, D]`` with instances. Labels may be given and play no role.
    The options are those of :class:`SupConLoss`.

    >>> loss = SimCLRLoss(temperature=0.5)
    >>> views = torch.nn.functional.normalize(torch.ones(4, 2, 8), dim=2)
    >>> print(f"{loss(views):.4f}")  # all alike: log(7)
    1.9459
    """


class RINCELoss(RowLoss, operator="rince"):
    r"""Robust InfoNCE (`Chuang et al., 2022 <https://arxiv.org/abs/2201.04309>`_).

    .. math::
        \ell_i = \frac{1}{|P(i)|} \sum_{p \in P(i)}
                 \frac{-e^{q s_{ip}} + (\lambda S_{ip})^q}{q}

    with :math:`S_{ip}` the sum of exponentials in the denominator. Without labels the views of a
    sample are its class.

    Args:
        temperature: divides similarities; above 0.
        q: 0 < q <= 1; toward 0 InfoNCE, 1 symmetric and most robust. Gradients grow with
            exp(q / temperature).
        lambda_: 0 < lambda <= 1, weight of the denominator.
        denominator: ``"all"`` other rows, or ``"one_pos"``: that positive and the negatives.
        empty_positives: anchors without positives count as ``"zero"``, or not at all, ``"skip"``.
        normalize: brings rows to unit length first.
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
    r"""SymNCE (after `Cui et al., 2025 <https://arxiv.org/abs/2501.01130>`_): InfoNCE less a
    reversed InfoNCE, so that symmetric label noise adds a constant. With P the other rows of the
    class and Q those of other classes

    .. math::
        \ell_i = F(P, Q) - \beta F(Q, P)

    Args:
        temperature: divides similarities; above 0.
        beta: weight of the reversed term; below 1 with ``"lout"``.
        form: of F: ``"lout"``, ``"lin"`` or ``"pairwise"``.
        empty_positives: anchors without positives count as ``"zero"``, or not at all, ``"skip"``.
        normalize: brings rows to unit length first.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``, as in :class:`SupConLoss`.

    Raises:
        ValueError: if an option is unknown or out of range.

    >>> loss = SymNCELoss(temperature=0.5)
    >>> float(loss(torch.eye(4), torch.zeros(4, dtype=torch.long)))  # one class: nothing to tell
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
        temperature: divides similarities; above 0.
        symmetric: averages with the same loss from b to a.
        reduction: ``"mean"`` or ``"sum"`` over the pairs, or ``"none"`` for ``[N]``.

    Raises:
        ValueError: if an option is unknown or out of range.

    >>> loss = InfoNCELoss(temperature=1.0)
    >>> a = torch.nn.functional.normalize(torch.ones(5, 3), dim=1)
    >>> print(f"{loss(a, a):.4f}")  # all alike: log(5)
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
