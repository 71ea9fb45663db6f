"""What embeddings know about their classes, what they look like, and which labels are wrong.

Tensors and numpy arrays are taken alike; what comes back is of the kind that was given. They are
computed on the CPU, wherever a tensor is.
"""
from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

import torch

import projnce._library  # noqa: F401  the operators must be there

if TYPE_CHECKING:  # torch works without numpy, and so do these functions
    import numpy as np

    Array = Union[torch.Tensor, np.ndarray]


class MiBounds(NamedTuple):
    """Information about the class in nats."""

    label_entropy: float
    """The most that there is to know."""
    mixed_ksg: float
    """The estimate; NaN if a class has ``k`` rows or fewer, or there is one class only."""
    projnce: float
    """Lower bound: every row against all others (ProjNCE with the anchor left out)."""
    class_vectors: float
    """Lower bound: rows against class vectors that other rows made."""


class Audit(NamedTuple):
    """What is known about each label, and about the labels together."""

    score: Array
    """[N]: probability that the label is wrong."""
    suggested: Array
    """[N]: the likeliest other class if the score is above 0.5, else the label."""
    noise_matrix: Array
    """[C, C]: of true class c (row) the share that carries label g."""
    noise_rate: float
    """Estimated share of wrong labels; NaN if the audit is not informative."""
    expected_precision: float
    """Share of the samples with a score above 0.5 that are expected to be wrong; NaN if none is."""
    held_out_accuracy: float
    """Share of the given labels that classifiers predict which have not seen them."""
    chance_accuracy: float
    """Share of the most frequent label."""
    informative: bool
    """False if the embeddings cannot tell the classes apart: do not use the scores."""


def mixed_ksg(x: Array, y: Array, k: int = 5) -> float:
    r"""Estimate of the information between x and y in nats, which may be continuous, discrete or a
    mixture (Gao et al., 2017), by k nearest neighbours in the maximum norm.

    .. math::
        I = \text{mean}_i \left( \psi(\tilde k_i) + \log N - \psi(n_{x,i}) - \psi(n_{y,i}) \right)

    >>> x = torch.arange(100) % 2  # one bit, known twice
    >>> print(f"{mixed_ksg(x, x):.1f}")
    0.7
    """
    return torch.ops.projnce.mixed_ksg(_matrix(x, "x"), _matrix(y, "y"), k)


def label_entropy(labels: Array) -> float:
    r"""Entropy of the labels in nats: what embeddings can at most know about them.

    .. math::
        H = -\sum_c p_c \log p_c, \qquad p_c = n_c / N

    >>> print(f"{label_entropy(torch.tensor([0, 1, 0, 1])):.3f}")
    0.693
    """
    return torch.ops.projnce.label_entropy(_labels(labels))


def label_information(
    embeddings: Array, labels: Array, k: int = 5, label_scale: Optional[float] = None
) -> float:
    """Mixed-KSG estimate of what embeddings ``[N, D]`` know about labels ``[N]``, in nats.

    ``label_scale`` is the distance between two classes; by default 2 for embeddings of unit length
    and the widest range of a coordinate for others. Raises ``ValueError`` if a class has ``k`` rows
    or fewer, whose nearest neighbors are of other classes.

    >>> z = torch.nn.functional.one_hot(torch.arange(40) % 4).float()
    >>> print(f"{label_information(z, torch.arange(40) % 4):.1f}")  # log(4)
    1.4
    """
    return torch.ops.projnce.label_information(
        _matrix(embeddings, "embeddings"), _labels(labels), k, label_scale or 0.0
    )


def mi_bounds(
    embeddings: Array,
    labels: Array,
    class_vectors: Optional[Array] = None,
    *,
    temperature: float = 0.07,
    k: int = 5,
) -> MiBounds:
    r"""What embeddings ``[N, D]`` know about labels ``[N]``: the estimate between its bounds, in
    nats, as ``projnce mi`` prints them. Rows are brought to unit length for the bounds. The one by
    class vectors :math:`g_c`, with :math:`n_c` rows of class c, is

    .. math::
        \log N + \text{mean}_i \left( z_i \cdot g_{y_i} / \tau
        - \log \sum_c n_c e^{z_i \cdot g_c / \tau} \right)

    ``class_vectors [C, D]`` come from other samples, with labels in 0 .. C - 1. Without them the
    rows are halved, and each half is measured with the centroids of the other.

    >>> z = torch.nn.functional.one_hot(torch.arange(40) % 4).float()
    >>> bounds = mi_bounds(z, torch.arange(40) % 4)
    >>> bool(bounds.class_vectors <= bounds.label_entropy + 1e-6)
    True
    """
    rows, numbers = _matrix(embeddings, "embeddings"), _labels(labels)
    if class_vectors is None:
        numbers = torch.unique(numbers, return_inverse=True)[1]
    else:
        class_vectors = _matrix(class_vectors, "class_vectors")
    pairs, classes = torch.ops.projnce.mi_bounds(rows, numbers, class_vectors, temperature)
    sizes = torch.unique(numbers, return_counts=True)[1]
    enough = len(sizes) > 1 and int(sizes.min()) > k
    estimate = label_information(rows, numbers, k) if enough else float("nan")
    return MiBounds(label_entropy(numbers), estimate, pairs, classes)


def tsne(
    rows: Array,
    perplexity: Optional[float] = None,
    *,
    iterations: int = 1000,
    exaggeration: float = 12.0,
    exaggeration_iterations: int = 250,
    learning_rate: float = 0.0,
    theta: float = 0.5,
    seed: int = 0,
    init: str = "pca",
) -> Array:
    """A map ``[N, 2]`` of rows ``[N, D]`` in which near rows are near (t-SNE with the tree of
    Barnes and Hut, exact neighbours). The same map for the same seed, whatever the threads.

    Args:
        perplexity: effective number of neighbors of a row, at most (N - 1) / 3; default: 30, or
            (N - 1) / 3 if that is less. At least 4 rows are needed.
        iterations: steps.
        exaggeration: pulls count this many times at first.
        exaggeration_iterations: for so many steps.
        learning_rate: 0 takes N / exaggeration / 4, and after the exaggeration at least N / 20,
            which is limited to 10 .. 50.
        theta: how coarse far points are seen; 0 sees each of them.
        seed: for ``init="random"``.
        init: ``"pca"`` or ``"random"``.

    >>> tsne(torch.randn(50, 8), perplexity=5.0, iterations=10).shape
    torch.Size([50, 2])
    """
    if init not in ("pca", "random"):
        raise ValueError(f"init = {init!r} is not one of 'pca', 'random'")
    positions, _ = torch.ops.projnce.tsne(
        _matrix(rows, "rows"),
        0.0 if perplexity is None else perplexity,
        iterations,
        exaggeration,
        exaggeration_iterations,
        learning_rate,
        theta,
        seed,
        init == "pca",
    )
    return _like(rows, positions)


def audit(
    embeddings: Array,
    labels: Array,
    num_classes: Optional[int] = None,
    *,
    folds: int = 5,
    seed: int = 0,
) -> Audit:
    """Finds labels ``[N]`` in 0 .. C - 1 of embeddings ``[N, D]`` that are probably wrong.

    Each label is scored by cross-validated classifiers that have not seen it, under a label noise
    model that is estimated at the same time. Embeddings of any model, dimension and norm will do;
    look at ``informative`` and ``expected_precision`` before you use the scores.

    Args:
        embeddings: one row per sample.
        labels: integers.
        num_classes: number of classes C; by default the largest label plus one.
        folds: number of cross-validation folds.
        seed: draws the folds.

    Raises:
        ValueError: if embeddings are not finite or all equal, or fewer than two classes occur.

    >>> z = torch.eye(2).repeat(20, 1) + 0.01 * torch.randn(40, 2)
    >>> labels = torch.arange(40) % 2
    >>> labels[0] = 1  # wrong
    >>> int(audit(z, labels).score.argmax())
    0
    """
    numbers = _labels(labels)
    if num_classes is None:
        num_classes = int(numbers.max()) + 1 if numbers.numel() > 0 else 0
    score, suggested, matrix, *numbers_of_all = torch.ops.projnce.audit(
        _matrix(embeddings, "embeddings"), numbers, num_classes, folds, seed
    )
    return Audit(
        _like(labels, score), _like(labels, suggested), _like(labels, matrix), *numbers_of_all
    )


def _tensor(values: Any, name: str) -> torch.Tensor:
    if isinstance(values, torch.Tensor):
        return values.detach().cpu()
    if _is_numpy_array(values):
        return torch.as_tensor(_native(values, name))
    raise TypeError(f"{name} must be a torch.Tensor or a numpy array, not {type(values).__name__}")


def _is_numpy_array(values: Any) -> bool:
    numpy = sys.modules.get("numpy")  # whoever made an array has imported it
    return numpy is not None and isinstance(values, numpy.ndarray)


def _native(values: np.ndarray, name: str) -> np.ndarray:
    """As torch takes it: of its types and byte order, in memory of its own if that is needed."""
    import numpy as np

    if values.dtype.kind not in "biuf":
        raise TypeError(f"{name} hold {values.dtype}, expected numbers")
    dtype = np.dtype(np.int64) if values.dtype.kind == "u" else values.dtype.newbyteorder("=")
    return np.require(values, dtype, ["C", "W"])


def _matrix(values: Any, name: str) -> torch.Tensor:
    """[N, D] numbers with a fraction; [N] becomes a column."""
    tensor = _tensor(values, name)
    if tensor.dim() not in (1, 2):
        raise ValueError(f"{name} have shape {list(tensor.shape)}, expected [N, D]")
    if tensor.is_complex():
        raise TypeError(f"{name} hold {tensor.dtype}, expected real numbers")
    if tensor.dtype not in (torch.float32, torch.float64):
        tensor = tensor.to(torch.float32 if tensor.is_floating_point() else torch.float64)
    return tensor if tensor.dim() == 2 else tensor.unsqueeze(1)


def _labels(values: Any) -> torch.Tensor:
    tensor = _tensor(values, "labels")
    if tensor.dim() != 1 or tensor.is_floating_point() or tensor.is_complex():
        raise ValueError(
            f"labels have shape {list(tensor.shape)} and type {tensor.dtype}, expected whole "
            "numbers as [N]"
        )
    return tensor.to(torch.int64)


def _like(given: Array, result: torch.Tensor) -> Array:
    return result.to(given.device) if isinstance(given, torch.Tensor) else result.numpy()
