"""Losses that project the class label into the space of the embeddings."""
from typing import Any, Dict, Optional

import torch
from torch import Tensor

from projnce.losses.contrastive import RowLoss, check_optional, check_tensors


class ProjNCELoss(RowLoss):
    r"""ProjNCE (Jeong and Hero): SupCon plus the adjustment that makes it a lower bound on the
    information between embeddings and classes.

    .. math::
        L = \text{SupCon} + \beta \, \text{mean}_i R_i, \qquad
        R_i = \frac{\sum_k e^{z_i \cdot m_{y_k} / \tau}}{\sum_k e^{z_i \cdot z_k / \tau}}

    with :math:`m_c` the centroid of class c. ``parts(...)["mi_bound"]`` is the bound in nats.

    Args:
        temperature: divides similarities; above 0.
        beta: weight of R; 0 leaves SupCon.
        preset: ``"loo"`` leaves the anchor out everywhere, ``"paper"`` takes the formulas by the
            letter, ``"allpairs"`` includes the anchor. The following options override it.
        include_self_pos: counts the anchor among its own positives.
        include_self_denom: keeps the anchor in its own denominator.
        r_exclude: rows that both sums of R leave out: ``"none"``, ``"index"`` or ``"class"``.
        r_centroid: rows that make the centroids of R: ``"loo_i"``, ``"full"`` or ``"loo_k"``.
        empty_pos: anchors without positives count as ``"zero"``, or not at all, ``"skip"``.
        detach_centroid: no gradient through centroids.
        normalize: brings rows to unit length first.

    >>> loss = ProjNCELoss(temperature=0.1, beta=2.0)
    >>> z = torch.nn.functional.normalize(torch.randn(8, 16), dim=1)
    >>> sorted(loss.parts(z, torch.arange(8) % 2))
    ['R', 'alignment', 'loss', 'mi_bound', 'uniformity', 'valid_anchors']
    """

    _operator = "projnce"
    temperature: float
    beta: float
    preset: str
    include_self_pos: Optional[bool]
    include_self_denom: Optional[bool]
    r_exclude: Optional[str]
    r_centroid: Optional[str]
    empty_pos: Optional[str]
    detach_centroid: bool

    def __init__(
        self,
        temperature: float = 0.07,
        beta: float = 1.0,
        *,
        preset: str = "loo",
        include_self_pos: Optional[bool] = None,
        include_self_denom: Optional[bool] = None,
        r_exclude: Optional[str] = None,
        r_centroid: Optional[str] = None,
        empty_pos: Optional[str] = None,
        detach_centroid: bool = False,
        normalize: bool = False,
    ) -> None:
        options = dict(
            temperature=temperature,
            beta=beta,
            preset=preset,
            include_self_pos=include_self_pos,
            include_self_denom=include_self_denom,
            r_exclude=r_exclude,
            r_centroid=r_centroid,
            empty_pos=empty_pos,
            detach_centroid=detach_centroid,
        )
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
        return torch.ops.projnce.projnce(
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
            preset=self.preset,
            include_self_pos=self.include_self_pos,
            include_self_denom=self.include_self_denom,
            r_exclude=self.r_exclude,
            r_centroid=self.r_centroid,
            empty_pos=self.empty_pos,
            detach_centroid=self.detach_centroid,
        )


class ProjNCEPerpLoss(RowLoss):
    r"""ProjNCE-perp (Jeong and Hero): rows against class vectors that estimate E[Z | C] from soft
    labels, by default of Nadaraya and Watson.

    .. math::
        \ell_i = -z_i \cdot g_{y_i} / \tau + \log \sum_c n_c e^{z_i \cdot g_c / \tau}, \qquad
        g_c = \frac{\sum_j q_{jc} z_j}{\sum_j q_{jc}}

    Args:
        temperature: divides similarities; above 0.
        soft_source: ``"nw"`` estimates soft labels from the batch, ``"given"`` takes those of the
            call.
        kernel: ``"epanechnikov"``, ``"triangular"``, ``"mixed"`` or ``"exponential"``.
        metric: ``"l1"``, ``"l2"`` or ``"cosine"``.
        bandwidth: of the kernel; above 0.
        distance_scale: ``"none"``, or ``"unit"`` to divide distances by the largest possible one.
        nw_exclude_self: estimates the soft labels of a row without that row.
        detach_q: no gradient through estimated soft labels.
        denom: ``"all"`` rows count in the denominator, or ``"exclude_self"``.
        normalize_g: unit class vectors.
        detach_g: no gradient into class vectors.
        normalize: brings rows to unit length first.

    >>> loss = ProjNCEPerpLoss(temperature=0.1, metric="cosine", bandwidth=0.3)
    >>> z = torch.nn.functional.normalize(torch.randn(8, 16), dim=1)
    >>> bool(loss(z, torch.arange(8) % 2).isfinite())
    True
    """

    _operator = "projnce_perp"
    temperature: float
    soft_source: str
    kernel: str
    metric: str
    bandwidth: float
    distance_scale: str
    nw_exclude_self: bool
    detach_q: bool
    denom: str
    normalize_g: bool
    detach_g: bool

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
        denom: str = "all",
        normalize_g: bool = False,
        detach_g: bool = False,
        normalize: bool = False,
    ) -> None:
        options = dict(
            temperature=temperature,
            soft_source=soft_source,
            kernel=kernel,
            metric=metric,
            bandwidth=bandwidth,
            distance_scale=distance_scale,
            nw_exclude_self=nw_exclude_self,
            detach_q=detach_q,
            denom=denom,
            normalize_g=normalize_g,
            detach_g=detach_g,
        )
        super().__init__(options, normalize)

    def forward(
        self,
        features: Tensor,
        labels: Tensor,
        soft_labels: Optional[Tensor] = None,
        instances: Optional[Tensor] = None,
        candidates: Optional[Tensor] = None,
        candidate_labels: Optional[Tensor] = None,
        candidate_instances: Optional[Tensor] = None,
        anchor_offset: int = 0,
    ) -> Tensor:
        """Arguments as in :class:`SupConLoss`; ``soft_labels`` is ``[N, C]``, or ``[B, C]`` for
        ``[B, V, D]``, with labels in 0 .. C - 1."""
        check_tensors(
            features, labels, instances, candidates, candidate_labels, candidate_instances
        )
        check_optional(soft_labels, "soft_labels")
        return torch.ops.projnce.projnce_perp(
            features,
            labels,
            instances=instances,
            candidates=candidates,
            candidate_labels=candidate_labels,
            candidate_instances=candidate_instances,
            anchor_offset=anchor_offset,
            normalize=self.normalize,
            soft_labels=soft_labels,
            temperature=self.temperature,
            soft_source=self.soft_source,
            kernel=self.kernel,
            metric=self.metric,
            bandwidth=self.bandwidth,
            distance_scale=self.distance_scale,
            nw_exclude_self=self.nw_exclude_self,
            detach_q=self.detach_q,
            denom=self.denom,
            normalize_g=self.normalize_g,
            detach_g=self.detach_g,
        )


class ProjNCEMedLoss(RowLoss):
    r"""ProjNCE-med (Jeong and Hero): rows against class medians, which a few wrong labels barely
    move.

    .. math::
        \ell_i = -z_i \cdot g_{y_i} / \tau + \log \sum_c n_c e^{z_i \cdot g_c / \tau}, \qquad
        g_c = \text{median}_{j: y_j = c} \, z_j

    Args:
        temperature: divides similarities; above 0.
        median: ``"lower"`` or ``"mean"`` of the two middle values of each coordinate, or
            ``"geometric"``.
        denom: ``"all"`` rows count in the denominator, or ``"exclude_self"``.
        normalize_g: unit class vectors.
        detach_g: no gradient into class vectors.
        normalize: brings rows to unit length first.

    >>> loss = ProjNCEMedLoss(temperature=0.1, median="geometric")
    >>> z = torch.nn.functional.normalize(torch.randn(8, 16), dim=1)
    >>> bool(loss(z, torch.arange(8) % 2).isfinite())
    True
    """

    _operator = "projnce_med"
    temperature: float
    median: str
    denom: str
    normalize_g: bool
    detach_g: bool

    def __init__(
        self,
        temperature: float = 0.07,
        *,
        median: str = "lower",
        denom: str = "all",
        normalize_g: bool = False,
        detach_g: bool = False,
        normalize: bool = False,
    ) -> None:
        options = dict(
            temperature=temperature,
            median=median,
            denom=denom,
            normalize_g=normalize_g,
            detach_g=detach_g,
        )
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
        return torch.ops.projnce.projnce_med(
            features,
            labels,
            instances=instances,
            candidates=candidates,
            candidate_labels=candidate_labels,
            candidate_instances=candidate_instances,
            anchor_offset=anchor_offset,
            normalize=self.normalize,
            temperature=self.temperature,
            median=self.median,
            denom=self.denom,
            normalize_g=self.normalize_g,
            detach_g=self.detach_g,
        )


class ProjNCEMLPLoss(RowLoss):
    r"""ProjNCE-MLP (Jeong and Hero): rows against one learned vector for each class.

    .. math::
        \ell_i = -z_i \cdot g_{y_i} / \tau + \log \sum_c n_c e^{z_i \cdot g_c / \tau}

    with :math:`n_c` rows of class c in the batch. The class vectors :math:`g_c` are parameters of
    the module, so give ``loss.parameters()`` to the optimizer too.

    Args:
        num_classes: C; labels run from 0 to C - 1.
        embedding_dim: D.
        temperature: divides similarities; above 0.
        normalize_g: unit class vectors.
        denom: ``"all"`` rows count in the denominator, or ``"exclude_self"``.
        class_weight: in the denominator: ``"count"`` of its rows, or ``"uniform"``.
        hidden: 0 for a free vector for each class, else units of a hidden layer from the label.
        normalize: brings rows to unit length first.

    >>> loss = ProjNCEMLPLoss(num_classes=10, embedding_dim=16)
    >>> loss.class_vectors().shape
    torch.Size([10, 16])
    """

    _operator = "projnce_mlp"
    temperature: float
    normalize_g: bool
    denom: str
    class_weight: str
    hidden: int

    def __init__(
        self,
        num_classes: int,
        embedding_dim: int,
        temperature: float = 0.07,
        *,
        normalize_g: bool = True,
        denom: str = "all",
        class_weight: str = "count",
        hidden: int = 0,
        normalize: bool = False,
    ) -> None:
        options = dict(
            temperature=temperature,
            normalize_g=normalize_g,
            denom=denom,
            class_weight=class_weight,
            hidden=hidden,
        )
        super().__init__(options, normalize)
        if num_classes < 1 or embedding_dim < 1:
            raise ValueError(
                f"num_classes = {num_classes} and embedding_dim = {embedding_dim} must be at least 1"
            )
        if hidden == 0:
            self.weight = _normal(num_classes, embedding_dim, embedding_dim)
            self.register_parameter("hidden_bias", None)
            self.output = torch.nn.Identity()
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
        return torch.ops.projnce.projnce_mlp(
            features,
            labels,
            self.class_vectors(),
            instances=instances,
            candidates=candidates,
            candidate_labels=candidate_labels,
            candidate_instances=candidate_instances,
            anchor_offset=anchor_offset,
            normalize=self.normalize,
            temperature=self.temperature,
            normalize_g=self.normalize_g,
            denom=self.denom,
            class_weight=self.class_weight,
        )

    def _extra_arguments(self) -> Dict[str, Any]:
        return {"class_vectors": self.class_vectors(), **super()._extra_arguments()}


class SelfPLoss(RowLoss):
    r"""InfoNCE with any projections g+ and g- (Jeong and Hero), adjusted by R.

    .. math::
        \ell_i = -z_i \cdot g^+_i / \tau + \log \sum_k e^{z_i \cdot g^-_k / \tau} + \beta R_i,
        \qquad R_i = \frac{\sum_k e^{z_i \cdot g^+_k / \tau}}{\sum_k e^{z_i \cdot g^-_k / \tau}}

    The projections are named, or made by the caller: any function of labels and embeddings.

    Args:
        projection_pos: g+: ``"centroid"``, ``"sample"``, ``"perp"`` or ``"median"``.
        projection_neg: g-, likewise.
        temperature: divides similarities; above 0.
        beta: weight of R.
        denom: ``"exclude_self"``, or ``"all"`` rows count in the denominator.
        r_exclude: rows that both sums of R leave out: ``"none"``, ``"index"`` or ``"class"``.
        empty_pos: anchors without g+ count as ``"zero"``, or not at all, ``"skip"``.
        normalize: brings rows to unit length first.

    >>> z = torch.nn.functional.normalize(torch.randn(8, 16), dim=1)
    >>> y = torch.arange(8) % 2
    >>> own = torch.nn.functional.one_hot(y, 16).float()  # a corner for each class
    >>> bool(SelfPLoss(temperature=0.1)(z, y, pos=own, neg=z).isfinite())
    True
    """

    _operator = "selfp"
    projection_pos: str
    projection_neg: str
    temperature: float
    beta: float
    denom: str
    r_exclude: str
    empty_pos: str

    def __init__(
        self,
        projection_pos: str = "centroid",
        projection_neg: str = "sample",
        temperature: float = 0.07,
        *,
        beta: float = 1.0,
        denom: str = "exclude_self",
        r_exclude: str = "index",
        empty_pos: str = "zero",
        normalize: bool = False,
    ) -> None:
        options = dict(
            projection_pos=projection_pos,
            projection_neg=projection_neg,
            temperature=temperature,
            beta=beta,
            denom=denom,
            r_exclude=r_exclude,
            empty_pos=empty_pos,
        )
        super().__init__(options, normalize)

    def forward(
        self,
        features: Tensor,
        labels: Tensor,
        pos: Optional[Tensor] = None,
        neg: Optional[Tensor] = None,
        candidates: Optional[Tensor] = None,
        candidate_labels: Optional[Tensor] = None,
        anchor_offset: int = 0,
    ) -> Tensor:
        """Arguments as in :class:`SupConLoss`; ``pos`` and ``neg`` have a vector for each row, in
        the shape of the features (of the candidates, where given), and take the place of the named
        projections."""
        check_tensors(features, labels, None, candidates, candidate_labels)
        check_optional(pos, "pos")
        check_optional(neg, "neg")
        return torch.ops.projnce.selfp(
            features,
            labels,
            candidates=candidates,
            candidate_labels=candidate_labels,
            anchor_offset=anchor_offset,
            normalize=self.normalize,
            pos=pos,
            neg=neg,
            projection_pos=self.projection_pos,
            projection_neg=self.projection_neg,
            temperature=self.temperature,
            beta=self.beta,
            denom=self.denom,
            r_exclude=self.r_exclude,
            empty_pos=self.empty_pos,
        )


def _normal(rows: int, columns: int, fan: int) -> torch.nn.Parameter:
    return torch.nn.Parameter(torch.randn(rows, columns) / fan**0.5)
