"""Mutual information of embeddings and classes, t-SNE maps, and label audits.

Functions accept tensors, numpy arrays, lists, and pandas objects. They compute on the CPU; for
tensors, they return tensors on the same device, for all others numpy arrays.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Optional

import torch

import projnce._library  # noqa: F401  loads the operators
from projnce._arrays import class_indices, like, to_integers, to_labels, to_matrix, to_tensor

if TYPE_CHECKING:
    import pandas as pd

    from projnce._arrays import Array


class MiBounds(NamedTuple):
    """A certified lower bound on I(Z;C) in nats, and its terms by row."""

    mi_bound: float
    """Mean of T_i, minus the correction for estimated priors."""
    mi_bound_normalized: float
    """Same for T'_i; never below ``mi_bound``, and the value to report first."""
    mi_bound_se: Optional[float]
    """Standard error of ``mi_bound``; None with a single batch or instance."""
    mi_bound_normalized_se: Optional[float]
    """Standard error of ``mi_bound_normalized``."""
    entropy: float
    """H(C), the upper limit of both values."""
    rows: int
    """Number of evaluated rows."""
    terms: Array
    """[N] float64: T_i."""
    log_ratio: Array
    """[N] float64: log r_i of the row's class."""
    mean_ratio: Array
    """[N] float64: mean of r_i over the class priors."""


class Audit(NamedTuple):
    """Result of :func:`audit`: scores of the labels, and statistics of all labels."""

    score: Array
    """[N]: probability that the label is wrong."""
    suggested: Array
    """[N]: the most likely other class if the score is above 0.5, else the label."""
    noise_matrix: Array
    """[C, C]: fraction of samples of true class c (row) that have label g (column)."""
    noise_rate: float
    """Estimated fraction of wrong labels; NaN if the audit is not informative."""
    expected_precision: float
    """Expected precision of the labels with a score above 0.5; NaN if there are none."""
    held_out_accuracy: float
    """Cross-validated accuracy of the classifiers on the given labels."""
    chance_accuracy: float
    """Fraction of the most frequent label."""
    informative: bool
    """False if the embeddings do not separate the classes: do not use the scores."""
    labels: Array
    """[N]: the given labels."""
    classes: Optional[Array] = None
    """The classes in the order of ``noise_matrix``, if the labels are not integers."""

    def to_frame(self) -> pd.DataFrame:
        """Returns a table with one row for each sample.

        Returns:
            A DataFrame with the columns of the program's ``issues.csv``: ``given_label``,
            ``predicted_label``, ``label_quality`` (1: certainly correct) and ``is_label_issue``.
        """
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
    r"""Mixed KSG estimate (`Gao et al., 2017 <https://arxiv.org/abs/1709.06212>`_) of the mutual
    information between x and y, which may be continuous, discrete or a mixture.

    .. math::
        I = \text{mean}_i \left( \psi(\tilde k_i) + \log N - \psi(n_{x,i}) - \psi(n_{y,i}) \right)

    Args:
        x: ``[N, D]`` or ``[N]``.
        y: ``[N, E]`` or ``[N]``.
        k: number of nearest neighbors, in the maximum norm.

    Returns:
        The estimate in nats; it may be slightly negative.

    Raises:
        TypeError: if an argument is neither a tensor nor a numpy array of numbers.
        ValueError: if ``k`` is not in 1 .. N - 1, the numbers of rows differ, or a value is not
            finite.

    >>> x = torch.arange(100) % 2  # I(X;X) = H(X) = log(2)
    >>> print(f"{mixed_ksg(x, x):.1f}")
    0.7
    """
    return torch.ops.projnce.mixed_ksg(to_matrix(x, "x"), to_matrix(y, "y"), k)


def label_entropy(labels: Array) -> float:
    r"""Entropy of the labels, the maximum of the mutual information with any embeddings.

    .. math::
        H = -\sum_c p_c \log p_c, \qquad p_c = n_c / N

    Args:
        labels: ``[N]`` integers.

    Returns:
        The entropy in nats.

    Raises:
        TypeError: if ``labels`` are neither a tensor nor a numpy array.
        ValueError: if ``labels`` are empty or not a list of integers.

    >>> print(f"{label_entropy(torch.tensor([0, 1, 0, 1])):.3f}")
    0.693
    """
    return torch.ops.projnce.label_entropy(to_labels(labels))


def label_information(
    embeddings: Array, labels: Array, k: int = 5, label_scale: Optional[float] = None
) -> float:
    """Mixed KSG estimate (`Gao et al., 2017 <https://arxiv.org/abs/1709.06212>`_) of the mutual
    information between embeddings and labels.

    Args:
        embeddings: ``[N, D]``.
        labels: ``[N]`` integers.
        k: number of nearest neighbors.
        label_scale: distance between two classes; default: 2 for unit embeddings, otherwise the
            widest range of a coordinate.

    Returns:
        The estimate in nats; it may be slightly negative.

    Raises:
        TypeError: if an argument is neither a tensor nor a numpy array of numbers.
        ValueError: if a class has ``k`` rows or fewer, because their nearest neighbors would belong
            to other classes.

    >>> z = torch.nn.functional.one_hot(torch.arange(40) % 4).float()
    >>> print(f"{label_information(z, torch.arange(40) % 4):.1f}")  # log(4)
    1.4
    """
    return torch.ops.projnce.label_information(
        to_matrix(embeddings, "embeddings"), to_labels(labels), k, label_scale or 0.0
    )


_USED_BY = {"class_vectors": "general or class", "negatives": "general"}


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

    The values are bounds only if instances are independent, neither the encoder (in evaluation mode)
    nor class vectors, negatives, temperature or priors were fitted to these rows, and ``priors`` are
    those of the population or ``priors_estimated`` is true. Pass ``num_classes`` if some classes have
    no rows: uniform priors over too few classes give no bound. The pair form corresponds to the
    objective of `ProjNCE <https://arxiv.org/abs/2506.09810>`_.

    Args:
        embeddings: rows ``[N, D]`` of any norm; for ``form="logits"`` logits ``[N, M]``.
        labels: classes ``[N]`` in 0 .. M - 1.
        class_vectors: ``[M, D]`` from other rows; a row of NaN marks a class without vector.
        form: default: ``"class"`` with class vectors, else ``"pair"``.
        negatives: ``[K, D]`` from other rows, for the general form; default: :math:`O(i)`.
        instances: ``[N]`` ids, equal for views of one sample; default: all different.
        num_classes: M; default: from ``priors``, ``class_vectors`` or logits, else the largest
            label plus one.
        priors: ``[M]`` class probabilities of the population, sum 1; default: uniform.
        priors_estimated: if true, ``priors`` are frequencies of other rows, and the KL divergence of
            the evaluated labels from them is subtracted to keep the bound certified.
        temperature: temperature :math:`\tau`; above 0.
        batches: number of disjoint random batches over which the pair form is averaged, from which
            its standard error is computed; default: one per 512 instances, at most 10.
        seed: random seed of the assignment of instances to batches.

    Returns:
        The bound with its standard error, H(C) and the terms by row.

    Raises:
        ValueError: if a label is outside 0 .. M - 1, priors do not sum to 1 or exclude a class that
            occurs, the temperature is not positive, a row is not finite, shapes do not match, or the
            form does not use an argument.

    >>> labels = torch.arange(40) % 4
    >>> z = torch.nn.functional.one_hot(labels).double()
    >>> bound = mi_bounds(z, labels)
    >>> print(f"{bound.mi_bound_normalized:.3f} of {bound.entropy:.3f} nats")
    1.386 of 1.386 nats
    """
    rows, numbers = to_matrix(embeddings, "embeddings"), to_labels(labels)
    form = form or ("pair" if class_vectors is None else "class")
    for name, value in {"class_vectors": class_vectors, "negatives": negatives}.items():
        if value is not None and form not in _USED_BY[name]:
            raise ValueError(f"{name} have no effect with form={form!r}, expected {_USED_BY[name]}")
    vectors = None if class_vectors is None else to_matrix(class_vectors, "class_vectors")
    if num_classes is None:
        num_classes = _class_count(rows, numbers, vectors, priors, form)
    *values, terms, log_ratio, mean_ratio = torch.ops.projnce.mi_bounds(
        rows,
        numbers,
        form,
        vectors,
        None if negatives is None else to_matrix(negatives, "negatives"),
        None if instances is None else to_integers(instances, "instances"),
        None if priors is None else to_tensor(priors, "priors"),
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
        like(labels, terms),
        like(labels, log_ratio),
        like(labels, mean_ratio),
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
    """Barnes-Hut t-SNE (`van der Maaten, 2014 <https://jmlr.org/papers/v15/vandermaaten14a.html>`_)
    with exact nearest neighbors. The result does not depend on the number of threads.

    Args:
        rows: ``[N, D]`` with at least 4 rows.
        perplexity: effective number of neighbors, at most (N - 1) / 3; default: 30, or (N - 1) / 3
            if that is less.
        iterations: number of iterations.
        exaggeration: early exaggeration factor.
        exaggeration_iterations: number of iterations with early exaggeration.
        learning_rate: learning rate; 0: N / exaggeration / 4, and after the early exaggeration at
            least N / 20, clamped to 10 .. 50.
        theta: Barnes-Hut angle; 0 = exact.
        seed: random seed of ``init="random"``.
        init: initial positions: ``"pca"`` or ``"random"``.

    Returns:
        The positions ``[N, 2]``.

    Raises:
        TypeError: if ``rows`` are neither a tensor nor a numpy array of numbers.
        ValueError: if an option is out of range or a value is not finite.

    >>> tsne(torch.randn(50, 8), perplexity=5.0, iterations=10).shape
    torch.Size([50, 2])
    """
    if init not in ("pca", "random"):
        raise ValueError(f"init = {init!r} is not one of 'pca', 'random'")
    positions, _ = torch.ops.projnce.tsne(
        to_matrix(rows, "rows"),
        0.0 if perplexity is None else perplexity,
        iterations,
        exaggeration,
        exaggeration_iterations,
        learning_rate,
        theta,
        seed,
        init == "pca",
    )
    return like(rows, positions)


def audit(
    embeddings: Array,
    labels: Array,
    num_classes: Optional[int] = None,
    *,
    folds: int = 5,
    seed: int = 0,
) -> Audit:
    """Estimates for each label the probability that it is wrong.

    Labels are scored by cross-validated classifiers under an estimated label noise model. Embeddings
    of any model, dimension and norm can be used. Check ``informative`` and ``expected_precision``
    before you use the scores.

    Args:
        embeddings: ``[N, D]``, one row per sample.
        labels: ``[N]`` integers in 0 .. C - 1, or strings or booleans, whose distinct values are
            the classes.
        num_classes: number of classes C; default: the largest label plus one.
        folds: number of cross-validation folds.
        seed: random seed of the folds.

    Returns:
        The scores, suggested labels, noise matrix and statistics.

    Raises:
        TypeError: if embeddings are not numbers, or labels are of several types.
        ValueError: if embeddings are not finite or all equal, or fewer than two classes occur.

    >>> z = torch.eye(2).repeat(20, 1) + 0.01 * torch.randn(40, 2)
    >>> labels = torch.arange(40) % 2
    >>> labels[0] = 1  # wrong
    >>> int(audit(z, labels).score.argmax())
    0
    """
    given, classes = class_indices(labels)
    numbers = to_labels(given)
    if num_classes is None:
        num_classes = int(numbers.max()) + 1 if numbers.numel() > 0 else 0
    score, suggested, matrix, rate, precision, accuracy, chance, informative = (
        torch.ops.projnce.audit(
            to_matrix(embeddings, "embeddings"), numbers, num_classes, folds, seed
        )
    )
    found = like(labels, suggested)
    return Audit(
        score=like(labels, score),
        suggested=found if classes is None else classes[found],
        noise_matrix=like(labels, matrix),
        noise_rate=rate,
        expected_precision=precision,
        held_out_accuracy=accuracy,
        chance_accuracy=chance,
        informative=informative,
        labels=given if classes is None else classes[given],
        classes=classes,
    )


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
