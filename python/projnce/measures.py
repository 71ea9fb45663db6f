"""What embeddings know about their classes, what they look like, and which labels are wrong.

Tensors, numpy arrays, lists, and pandas frames and series are accepted; tensors give tensors, all
others numpy arrays. Everything is computed on the CPU, wherever a tensor is.
"""
from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

import torch

import projnce._library  # noqa: F401  the operators must be there

if TYPE_CHECKING:  # torch works without numpy and pandas, and so do these functions
    import numpy as np
    import pandas as pd

    Array = Union[torch.Tensor, np.ndarray, Sequence[Any], pd.DataFrame, pd.Series]


class MiBounds(NamedTuple):
    """A certified lower bound on I(Z;C) in nats, and its terms by row."""

    mi_bound: float
    """Mean of T_i, minus the correction for estimated priors."""
    mi_bound_normalized: float
    """The same of T'_i; never below ``mi_bound``, and the value to show first."""
    mi_bound_se: Optional[float]
    """Standard error of ``mi_bound``; None if there is one batch or one instance only."""
    mi_bound_normalized_se: Optional[float]
    """Standard error of ``mi_bound_normalized``."""
    entropy: float
    """H(C), which neither value can exceed."""
    rows: int
    """Number of evaluated rows."""
    terms: Array
    """[N] float64: T_i."""
    log_ratio: Array
    """[N] float64: log r_i of the row's own class."""
    mean_ratio: Array
    """[N] float64: mean of r_i over the class priors."""


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
    labels: Array
    """[N]: the given labels."""
    classes: Optional[Array] = None
    """The classes in the order of ``noise_matrix``, if the labels are not integers."""

    def to_frame(self) -> pd.DataFrame:
        """A pandas DataFrame with the columns of the program's ``issues.csv``: ``given_label``,
        ``predicted_label``, ``label_quality`` (1: surely right) and ``is_label_issue``."""
        import numpy as np
        import pandas as pd

        score = np.asarray(self.score)
        return pd.DataFrame(
            {
                "given_label": np.asarray(self.labels),
                "predicted_label": np.asarray(self.suggested),
                "label_quality": 1 - score,
                "is_label_issue": score > 0.5,
            }
        )


def mixed_ksg(x: Array, y: Array, k: int = 5) -> float:
    r"""Estimate of the information between x and y in nats, which may be continuous, discrete or a
    mixture (Gao et al., 2017), by k nearest neighbors in the maximum norm.

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
    form: Optional[str] = None,
    negatives: Optional[Array] = None,
    instances: Optional[Array] = None,
    num_classes: Optional[int] = None,
    priors: Optional[Array] = None,
    priors_estimated: bool = False,
    temperature: float = 0.07,
    batches: Optional[int] = None,
    seed: int = 0,
) -> MiBounds:
    r"""Certified lower bound on the information between held-out embeddings and their labels.

    For every ratio :math:`r_i(c) > 0` that does not depend on row i,
    :math:`T_i = 1 + \log r_i(c_i) - \sum_c \pi_c r_i(c)` and
    :math:`T'_i = \log r_i(c_i) - \log \sum_c \pi_c r_i(c)` are at most :math:`I(Z;C)` on average.
    The forms differ in the ratio (:math:`O(i)` are the rows of other instances):

    * ``"pair"``: :math:`r_i(c) = e^{z_i \cdot m_c / \tau} / \text{mean}_{k \in O(i)}
      e^{z_i \cdot z_k / \tau}` with :math:`m_c` the mean of class c in :math:`O(i)`;
    * ``"general"``: :math:`r_i(c) = e^{z_i \cdot g_c / \tau} / \text{mean}_k e^{z_i \cdot h_k /
      \tau}` with class vectors g and negatives h;
    * ``"class"``: :math:`r_i(c) = e^{s_{ic}} / \sum_b \pi_b e^{s_{ib}}` with :math:`s_{ic} = z_i
      \cdot g_c / \tau`;
    * ``"logits"``: the class form of a classifier: H(C) minus its cross entropy.

    The values are bounds only if the instances are independent draws, and neither the encoder (in
    evaluation mode) nor class vectors, negatives, temperature or priors were fitted to these rows.
    See `ProjNCE <https://arxiv.org/abs/2506.09810>`_ for the objective that the pair form belongs to.

    Args:
        embeddings: rows ``[N, D]`` of any norm; for ``form="logits"`` logits ``[N, M]``.
        labels: classes ``[N]`` in 0 .. M - 1.
        class_vectors: ``[M, D]`` from other rows; a row of NaN is a class that has none.
        form: default: ``"class"`` with class vectors, else ``"pair"``.
        negatives: ``[K, D]`` from other rows, for the general form; default: :math:`O(i)`.
        instances: ``[N]`` ids that views of one sample share; default: all different.
        num_classes: M; default: from ``priors``, ``class_vectors`` or logits, else the largest
            label plus one.
        priors: ``[M]`` class probabilities of the population, sum 1; default: uniform.
        priors_estimated: if true, ``priors`` are frequencies of other rows, and the divergence of
            the evaluated labels from them is subtracted, which keeps the bound certified.
        temperature: :math:`\tau`.
        batches: number of disjoint random batches that the pair form averages, which gives its
            standard error; default: one for every 512 instances, at most 10.
        seed: assigns instances to batches.

    Returns:
        The bound with its standard error, H(C) and the terms by row.

    Raises:
        ValueError: if a label is outside 0 .. M - 1, priors do not sum to 1 or exclude a class that
            occurs, the temperature is not positive, a row is not finite, or shapes do not fit.

    >>> labels = torch.arange(40) % 4
    >>> z = torch.nn.functional.one_hot(labels).double()
    >>> bound = mi_bounds(z, labels)
    >>> print(f"{bound.mi_bound_normalized:.3f} of {bound.entropy:.3f} nats")
    1.386 of 1.386 nats
    """
    rows, numbers = _matrix(embeddings, "embeddings"), _labels(labels)
    form = form or ("pair" if class_vectors is None else "class")
    vectors = None if class_vectors is None else _matrix(class_vectors, "class_vectors")
    if num_classes is None:
        num_classes = _class_count(rows, numbers, vectors, priors, form)
    *values, terms, log_ratio, mean_ratio = torch.ops.projnce.mi_bounds(
        rows,
        numbers,
        form,
        vectors,
        None if negatives is None else _matrix(negatives, "negatives"),
        None if instances is None else _integers(instances, "instances"),
        None if priors is None else _tensor(priors, "priors"),
        num_classes,
        priors_estimated,
        temperature,
        batches or 0,
        seed,
    )
    value, normalized, se, normalized_se, entropy = values
    return MiBounds(
        value,
        normalized,
        se if se == se else None,
        normalized_se if normalized_se == normalized_se else None,
        entropy,
        len(numbers),
        _like(labels, terms),
        _like(labels, log_ratio),
        _like(labels, mean_ratio),
    )


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
    Barnes and Hut, exact neighbors). The same map for the same seed, whatever the threads.

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
    """Finds labels ``[N]`` of embeddings ``[N, D]`` that are probably wrong.

    Each label is scored by cross-validated classifiers that have not seen it, under a label noise
    model that is estimated at the same time. Embeddings of any model, dimension and norm will do;
    look at ``informative`` and ``expected_precision`` before you use the scores.

    Args:
        embeddings: one row per sample.
        labels: integers in 0 .. C - 1, or strings or other values of which the different ones are
            the classes.
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
    given, classes = _class_indices(labels)
    numbers = _labels(given)
    if num_classes is None:
        num_classes = int(numbers.max()) + 1 if numbers.numel() > 0 else 0
    score, suggested, matrix, rate, precision, accuracy, chance, informative = torch.ops.projnce.audit(
        _matrix(embeddings, "embeddings"), numbers, num_classes, folds, seed
    )
    found = _like(labels, suggested)
    return Audit(
        _like(labels, score),
        found if classes is None else classes[found],
        _like(labels, matrix),
        rate,
        precision,
        accuracy,
        chance,
        informative,
        given if classes is None else classes[given],
        classes,
    )


def _class_indices(labels: Any) -> tuple[Any, Optional[np.ndarray]]:
    """Labels as integers, and the classes that they index; None if they are integers already."""
    if isinstance(labels, torch.Tensor):
        return labels, None
    import numpy as np

    # numpy would turn a list of numbers and texts into texts.
    is_list = isinstance(labels, (list, tuple))
    array = np.asarray(labels, dtype=object) if is_list else np.asarray(labels)
    if array.ndim != 1 or array.dtype.kind in "iu":
        return array, None
    if array.dtype.kind == "O":
        kinds = {type(label) for label in array.tolist()}
        if kinds == {int}:
            return array.astype(np.int64), None
        if not kinds <= {str} and not kinds <= {bool}:
            named = ", ".join(sorted(kind.__name__ for kind in kinds))
            raise TypeError(f"labels hold {named}, expected values of one of the types str, int and bool")
    classes, numbers = np.unique(array, return_inverse=True)
    return numbers, classes


def _tensor(values: Any, name: str) -> torch.Tensor:
    if isinstance(values, torch.Tensor):
        return values.detach().cpu()
    if hasattr(values, "to_numpy"):  # pandas
        values = values.to_numpy()
    elif isinstance(values, (list, tuple)):
        import numpy as np

        values = np.asarray(values)
    if _is_numpy_array(values):
        return torch.as_tensor(_native(values, name))
    raise TypeError(
        f"{name} must be a torch.Tensor, a numpy array, a list or a pandas object, not {type(values).__name__}"
    )


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
    """[N, D] floating-point values; [N] becomes a column."""
    tensor = _tensor(values, name)
    if tensor.dim() not in (1, 2):
        raise ValueError(f"{name} have shape {list(tensor.shape)}, expected [N, D]")
    if tensor.is_complex():
        raise TypeError(f"{name} hold {tensor.dtype}, expected real numbers")
    if tensor.dtype not in (torch.float32, torch.float64):
        tensor = tensor.to(torch.float32 if tensor.is_floating_point() else torch.float64)
    return tensor if tensor.dim() == 2 else tensor.unsqueeze(1)


def _class_count(
    rows: torch.Tensor,
    labels: torch.Tensor,
    class_vectors: Optional[torch.Tensor],
    priors: Optional[Array],
    form: str,
) -> int:
    if priors is not None:
        return len(priors)
    if class_vectors is not None:
        return len(class_vectors)
    if form == "logits":
        return rows.shape[1]
    return int(labels.max()) + 1 if labels.numel() > 0 else 1


def _labels(values: Any) -> torch.Tensor:
    return _integers(values, "labels")


def _integers(values: Any, name: str) -> torch.Tensor:
    tensor = _tensor(values, name)
    if tensor.dim() != 1 or tensor.is_floating_point() or tensor.is_complex():
        raise ValueError(
            f"{name} have shape {list(tensor.shape)} and type {tensor.dtype}, expected whole "
            "numbers as [N]"
        )
    return tensor.to(torch.int64)


def _like(given: Array, result: torch.Tensor) -> Array:
    return result.to(given.device) if isinstance(given, torch.Tensor) else result.numpy()
