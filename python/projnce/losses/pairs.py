"""Losses that compare rows with rows."""
from typing import Optional

import torch
from torch import Tensor

from projnce.losses.contrastive import ContrastiveLoss, RowLoss, check_tensor, check_tensors


class SupConLoss(RowLoss):
    r"""Supervised contrastive loss (Khosla et al., 2020).

    With :math:`s_{ij} = z_i \cdot z_j / \tau`, :math:`P(i)` the other rows of the same class and
    :math:`D(i)` all other rows, the mean over i of

    .. math::
        \ell_i = -\frac{1}{|P(i)|} \sum_{p \in P(i)} s_{ip} + \log \sum_{j \in D(i)} e^{s_{ij}}

    Without labels the views of a sample are its class, which is SimCLR's loss.

    Args:
        temperature: divides similarities; above 0.
        variant: ``"out"`` as above, ``"in"`` with the mean inside the logarithm.
        include_self_pos: counts the anchor among its own positives.
        include_self_denom: keeps the anchor in its own denominator.
        empty_pos: anchors without positives count as ``"zero"``, or not at all, ``"skip"``.
        base_tau: multiplies the loss by temperature / base_tau.
        detach_pos: treats positives as constants.
        normalize: brings rows to unit length first.

    ``SupConLoss(0.07)`` is SupContrast's; ``SupConLoss(0.1, empty_pos="skip", normalize=True)`` is
    pytorch-metric-learning's.

    >>> loss = SupConLoss(temperature=0.1)
    >>> views = torch.nn.functional.normalize(torch.ones(4, 2, 8), dim=2)
    >>> print(f"{loss(views, torch.tensor([0, 0, 1, 1])):.4f}")  # all alike: log(7)
    1.9459
    """

    _operator = "supcon"
    temperature: float
    variant: str
    include_self_pos: bool
    include_self_denom: bool
    empty_pos: str
    base_tau: Optional[float]
    detach_pos: bool

    def __init__(
        self,
        temperature: float = 0.07,
        *,
        variant: str = "out",
        include_self_pos: bool = False,
        include_self_denom: bool = False,
        empty_pos: str = "zero",
        base_tau: Optional[float] = None,
        detach_pos: bool = False,
        normalize: bool = False,
    ) -> None:
        options = dict(
            temperature=temperature,
            variant=variant,
            include_self_pos=include_self_pos,
            include_self_denom=include_self_denom,
            empty_pos=empty_pos,
            base_tau=base_tau,
            detach_pos=detach_pos,
        )
        super().__init__(options, normalize)

    def forward(
        self,
        features: Tensor,
        labels: Optional[Tensor] = None,
        instances: Optional[Tensor] = None,
        candidates: Optional[Tensor] = None,
        candidate_labels: Optional[Tensor] = None,
        candidate_instances: Optional[Tensor] = None,
        anchor_offset: int = 0,
    ) -> Tensor:
        """Features ``[N, D]`` with labels ``[N]``, or ``[B, V, D]`` with labels ``[B]``. Where
        ``candidates`` are given (rows of all processes), features are the rows of them that begin
        at ``anchor_offset``."""
        check_tensors(
            features, labels, instances, candidates, candidate_labels, candidate_instances
        )
        return torch.ops.projnce.supcon(
            features,
            labels,
            instances=instances,
            candidates=candidates,
            candidate_labels=candidate_labels,
            candidate_instances=candidate_instances,
            anchor_offset=anchor_offset,
            normalize=self.normalize,
            temperature=self.temperature,
            variant=self.variant,
            include_self_pos=self.include_self_pos,
            include_self_denom=self.include_self_denom,
            empty_pos=self.empty_pos,
            base_tau=self.base_tau,
            detach_pos=self.detach_pos,
        )


class SimCLRLoss(SupConLoss):
    r"""SimCLR's NT-Xent (Chen et al., 2020): views of one sample attract each other.

    .. math::
        \ell_i = -\frac{1}{V-1} \sum_{p \text{ other views of } i} s_{ip}
                 + \log \sum_{j \neq i} e^{s_{ij}}

    Labels may be given and play no role. The options are those of :class:`SupConLoss`.

    >>> loss = SimCLRLoss(temperature=0.5)
    >>> views = torch.nn.functional.normalize(torch.ones(4, 2, 8), dim=2)
    >>> print(f"{loss(views):.4f}")  # all alike: log(7)
    1.9459
    """

    _operator = "simclr"

    def forward(
        self,
        features: Tensor,
        labels: Optional[Tensor] = None,
        instances: Optional[Tensor] = None,
        candidates: Optional[Tensor] = None,
        candidate_labels: Optional[Tensor] = None,
        candidate_instances: Optional[Tensor] = None,
        anchor_offset: int = 0,
    ) -> Tensor:
        """Features ``[B, V, D]``, or ``[N, D]`` with instances ``[N]``, equal for views of one
        sample. Candidates as in :class:`SupConLoss`."""
        check_tensors(
            features, labels, instances, candidates, candidate_labels, candidate_instances
        )
        return torch.ops.projnce.simclr(
            features,
            labels,
            instances=instances,
            candidates=candidates,
            candidate_labels=candidate_labels,
            candidate_instances=candidate_instances,
            anchor_offset=anchor_offset,
            normalize=self.normalize,
            temperature=self.temperature,
            variant=self.variant,
            include_self_pos=self.include_self_pos,
            include_self_denom=self.include_self_denom,
            empty_pos=self.empty_pos,
            base_tau=self.base_tau,
            detach_pos=self.detach_pos,
        )


class RINCELoss(RowLoss):
    r"""Robust InfoNCE (Chuang et al., 2022).

    .. math::
        \ell_i = \frac{1}{|P(i)|} \sum_{p \in P(i)}
                 \frac{-e^{q s_{ip}} + (\lambda S_{ip})^q}{q}

    with :math:`S_{ip}` the exponential mass of the denominator. Without labels the views of a
    sample are its class.

    Args:
        temperature: divides similarities; above 0.
        q: 0 < q <= 1; towards 0 InfoNCE, 1 symmetric and most robust. Gradients grow with
            exp(q / temperature).
        lam: 0 < lam <= 1, weight of the denominator.
        denom: ``"all"`` other rows, or ``"one_pos"``: that positive and the negatives.
        empty_pos: anchors without positives count as ``"zero"``, or not at all, ``"skip"``.
        normalize: brings rows to unit length first.

    >>> loss = RINCELoss(temperature=0.5, q=0.5, lam=0.1)
    >>> z = torch.nn.functional.normalize(torch.randn(6, 4), dim=1)
    >>> bool(loss(z, torch.tensor([0, 0, 0, 1, 1, 1])).isfinite())
    True
    """

    _operator = "rince"
    temperature: float
    q: float
    lam: float
    denom: str
    empty_pos: str

    def __init__(
        self,
        temperature: float = 0.07,
        *,
        q: float = 0.1,
        lam: float = 0.01,
        denom: str = "all",
        empty_pos: str = "zero",
        normalize: bool = False,
    ) -> None:
        options = dict(temperature=temperature, q=q, lam=lam, denom=denom, empty_pos=empty_pos)
        super().__init__(options, normalize)

    def forward(
        self,
        features: Tensor,
        labels: Optional[Tensor] = None,
        instances: Optional[Tensor] = None,
        candidates: Optional[Tensor] = None,
        candidate_labels: Optional[Tensor] = None,
        candidate_instances: Optional[Tensor] = None,
        anchor_offset: int = 0,
    ) -> Tensor:
        """Arguments as in :class:`SupConLoss`."""
        check_tensors(
            features, labels, instances, candidates, candidate_labels, candidate_instances
        )
        return torch.ops.projnce.rince(
            features,
            labels,
            instances=instances,
            candidates=candidates,
            candidate_labels=candidate_labels,
            candidate_instances=candidate_instances,
            anchor_offset=anchor_offset,
            normalize=self.normalize,
            temperature=self.temperature,
            q=self.q,
            lam=self.lam,
            denom=self.denom,
            empty_pos=self.empty_pos,
        )


class SymNCELoss(RowLoss):
    r"""SymNCE (after Cui et al., 2025): InfoNCE less a reversed InfoNCE, so that symmetric label
    noise adds a constant. With P the other rows of the class and Q those of other classes

    .. math::
        \ell_i = F(P, Q) - \beta F(Q, P)

    Args:
        temperature: divides similarities; above 0.
        beta: weight of the reversed term; below 1 with ``"lout"``.
        form: of F: ``"lout"``, ``"lin"`` or ``"pairwise"``.
        empty_pos: anchors without positives count as ``"zero"``, or not at all, ``"skip"``.
        normalize: brings rows to unit length first.

    >>> loss = SymNCELoss(temperature=0.5)
    >>> float(loss(torch.eye(4), torch.zeros(4, dtype=torch.long)))  # one class: nothing to tell
    0.0
    """

    _operator = "symnce"
    temperature: float
    beta: float
    form: str
    empty_pos: str

    def __init__(
        self,
        temperature: float = 0.07,
        *,
        beta: float = 0.6,
        form: str = "lout",
        empty_pos: str = "zero",
        normalize: bool = False,
    ) -> None:
        options = dict(temperature=temperature, beta=beta, form=form, empty_pos=empty_pos)
        super().__init__(options, normalize)

    def forward(
        self,
        features: Tensor,
        labels: Tensor,
        instances: Optional[Tensor] = None,
        candidates: Optional[Tensor] = None,
        candidate_labels: Optional[Tensor] = None,
        candidate_instances: Optional[Tensor] = None,
        anchor_offset: int = 0,
    ) -> Tensor:
        """Arguments as in :class:`SupConLoss`."""
        check_tensors(
            features, labels, instances, candidates, candidate_labels, candidate_instances
        )
        return torch.ops.projnce.symnce(
            features,
            labels,
            instances=instances,
            candidates=candidates,
            candidate_labels=candidate_labels,
            candidate_instances=candidate_instances,
            anchor_offset=anchor_offset,
            normalize=self.normalize,
            temperature=self.temperature,
            beta=self.beta,
            form=self.form,
            empty_pos=self.empty_pos,
        )


class InfoNCELoss(ContrastiveLoss):
    r"""InfoNCE on pairs (van den Oord et al., 2018).

    .. math::
        \ell_i = -a_i \cdot b_i / \tau + \log \sum_j e^{a_i \cdot b_j / \tau}

    Args:
        temperature: divides similarities; above 0.
        symmetric: averages with the same loss from b to a.

    >>> loss = InfoNCELoss(temperature=1.0)
    >>> a = torch.nn.functional.normalize(torch.ones(5, 3), dim=1)
    >>> print(f"{loss(a, a):.4f}")  # all alike: log(5)
    1.6094
    """

    _operator = "infonce"
    temperature: float
    symmetric: bool

    def __init__(self, temperature: float = 0.07, *, symmetric: bool = False) -> None:
        super().__init__(dict(temperature=temperature, symmetric=symmetric))

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        """Row i of ``a [N, D]`` belongs to row i of ``b [N, D]``."""
        check_tensor(a, "a")
        check_tensor(b, "b")
        return torch.ops.projnce.infonce(
            a, b, temperature=self.temperature, symmetric=self.symmetric
        )
