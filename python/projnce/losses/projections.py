"""Losses that project the class label into the embedding space."""

from __future__ import annotations

from typing import Any, Optional

from torch import Tensor

from projnce.losses.contrastive import RowLoss, RowLossBase, check_tensor


class ProjNCELoss(RowLoss, operator="projnce"):
    r"""ProjNCE (`Jeong and Hero, 2025 <https://arxiv.org/abs/2506.09810>`_): SupCon plus
    an adjustment term R.

    .. math::
        L = \text{SupCon} + \beta \, \text{mean}_i R_i, \qquad
        R_i = \frac{\sum_k e^{z_i \cdot m_{y_k} / \tau}}{\sum_k e^{z_i \cdot z_k / \tau}}

    where :math:`m_c` is the centroid of class c. :func:`projnce.mi_bounds` computes the corresponding
    certified lower bound on the mutual information between held-out embeddings and classes.

    Args:
        temperature: temperature that divides similarities; above 0.
        beta: weight of R; 0 is SupCon.
        preset: ``"leave_one_out"`` excludes the anchor everywhere, ``"paper"`` follows the formulas
            literally, ``"allpairs"`` includes the anchor everywhere. The options below override it.
        include_self_pos: if true, the anchor is one of its own positives.
        include_self_denom: if true, the denominator includes the anchor.
        r_exclude: rows that both sums of R exclude: ``"none"``, ``"self"`` or ``"class"``.
        r_centroid: rows of the centroids in R: ``"leave_one_out"``, ``"full"`` or ``"leave_row_out"``.
        empty_positives: anchors without positives count as 0 (``"zero"``) or are excluded from the
            mean (``"skip"``).
        detach_centroid: if true, no gradient flows through centroids.
        normalize_g: if true, centroids are L2-normalized (cosine critic); R may then exceed 1.
        normalize: if true, L2-normalizes the rows first.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``, as in :class:`SupConLoss`.

    Raises:
        ValueError: if an option is unknown or out of range.

    >>> import torch
    >>> loss = ProjNCELoss(temperature=0.1, beta=2.0)
    >>> z = torch.nn.functional.normalize(torch.randn(8, 16), dim=1)
    >>> sorted(loss.parts(z, torch.arange(8) % 2))
    ['R', 'alignment', 'loss', 'uniformity', 'valid_anchors']
    """

    temperature: float
    beta: float
    preset: str
    include_self_pos: bool
    include_self_denom: bool
    r_exclude: str
    r_centroid: str
    empty_positives: str
    detach_centroid: bool
    normalize_g: bool

    def __init__(
        self,
        temperature: float = 0.07,
        beta: float = 1.0,
        *,
        preset: str = "leave_one_out",
        include_self_pos: Optional[bool] = None,
        include_self_denom: Optional[bool] = None,
        r_exclude: Optional[str] = None,
        r_centroid: Optional[str] = None,
        empty_positives: Optional[str] = None,
        detach_centroid: bool = False,
        normalize_g: bool = False,
        normalize: bool = False,
        reduction: str = "mean",
    ) -> None:
        options = {
            "temperature": temperature,
            "beta": beta,
            "preset": preset,
            "include_self_pos": include_self_pos,
            "include_self_denom": include_self_denom,
            "r_exclude": r_exclude,
            "r_centroid": r_centroid,
            "empty_positives": empty_positives,
            "detach_centroid": detach_centroid,
            "normalize_g": normalize_g,
        }
        super().__init__(options, normalize, reduction)


class GeneralizedInfoNCELoss(RowLossBase, operator="generalized_infonce"):
    r"""InfoNCE with any projections g+ and g-
    (`Jeong and Hero, 2025 <https://arxiv.org/abs/2506.09810>`_), adjusted by R.

    .. math::
        \ell_i = -z_i \cdot g^+_i / \tau + \log \sum_k e^{z_i \cdot g^-_k / \tau} + \beta R_i,
        \qquad R_i = \frac{\sum_k e^{z_i \cdot g^+_k / \tau}}{\sum_k e^{z_i \cdot g^-_k / \tau}}

    Projections are given by name, or as vectors, which may be any function of labels and embeddings.

    Args:
        projection_pos: g+: ``"centroid"``, ``"sample"``, ``"perp"`` or ``"median"``.
        projection_neg: g-, one of the same names.
        temperature: temperature that divides similarities; above 0.
        beta: weight of R.
        denominator: rows in the denominator: ``"exclude_self"`` or ``"all"``.
        r_exclude: rows that both sums of R exclude: ``"none"``, ``"self"`` or ``"class"``.
        empty_positives: anchors without g+ count as 0 (``"zero"``) or are excluded from the mean
            (``"skip"``).
        normalize_g: if true, g+ and g- are L2-normalized, except ``"sample"``.
        normalize: if true, L2-normalizes the rows first.
        reduction: ``"mean"``, ``"sum"`` or ``"none"``, as in :class:`SupConLoss`.

    Raises:
        ValueError: if an option is unknown or out of range.

    >>> import torch
    >>> z = torch.nn.functional.normalize(torch.randn(8, 16), dim=1)
    >>> y = torch.arange(8) % 2
    >>> pos = torch.nn.functional.one_hot(y, 16).float()  # one vector per class
    >>> bool(GeneralizedInfoNCELoss(temperature=0.1)(z, y, pos=pos, neg=z).isfinite())
    True
    """

    projection_pos: str
    projection_neg: str
    temperature: float
    beta: float
    denominator: str
    r_exclude: str
    empty_positives: str
    normalize_g: bool

    def __init__(
        self,
        projection_pos: str = "centroid",
        projection_neg: str = "sample",
        temperature: float = 0.07,
        *,
        beta: float = 1.0,
        denominator: str = "exclude_self",
        r_exclude: str = "self",
        empty_positives: str = "zero",
        normalize_g: bool = False,
        normalize: bool = False,
        reduction: str = "mean",
    ) -> None:
        options = {
            "projection_pos": projection_pos,
            "projection_neg": projection_neg,
            "temperature": temperature,
            "beta": beta,
            "denominator": denominator,
            "r_exclude": r_exclude,
            "empty_positives": empty_positives,
            "normalize_g": normalize_g,
        }
        super().__init__(options, normalize, reduction)

    def forward(
        self,
        features: Tensor,
        labels: Optional[Tensor] = None,
        pos: Optional[Tensor] = None,
        neg: Optional[Tensor] = None,
        candidates: Optional[Tensor] = None,
        candidate_labels: Optional[Tensor] = None,
        anchor_offset: int = 0,
    ) -> Tensor:
        """Computes the loss. All arguments but ``pos`` and ``neg`` are as in :meth:`ProjNCELoss.forward`.

        Args:
            pos: g+ of each row, in the shape of the features (of the candidates, if given); replaces
                ``projection_pos``.
            neg: g- of each row, in the same shape; replaces ``projection_neg``.

        Returns:
            A scalar, or one value per anchor with ``reduction="none"``.

        Raises:
            ValueError: if ``pos`` or ``neg`` has another shape, and as in :meth:`ProjNCELoss.forward`.
        """
        return self._evaluate(
            features, labels, pos, neg, candidates, candidate_labels, anchor_offset
        )

    def _arguments(
        self,
        features: Tensor,
        labels: Optional[Tensor] = None,
        pos: Optional[Tensor] = None,
        neg: Optional[Tensor] = None,
        candidates: Optional[Tensor] = None,
        candidate_labels: Optional[Tensor] = None,
        anchor_offset: int = 0,
    ) -> tuple[Any, ...]:
        if pos is not None:
            check_tensor(pos, "pos")
        if neg is not None:
            check_tensor(neg, "neg")
        return self._row_arguments(
            features, labels, None, candidates, candidate_labels, None, anchor_offset, pos, neg
        )
