"""Conversion of the callers' tensors, numpy arrays, lists and pandas objects."""
from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import torch

if TYPE_CHECKING:  # torch works without numpy and pandas, and so does this module
    import numpy as np
    import pandas as pd

    Array = Union[torch.Tensor, np.ndarray, Sequence[Any], pd.DataFrame, pd.Series]


def class_indices(labels: Any) -> tuple[Any, Optional[np.ndarray]]:
    """Returns labels as integers, and the classes that they index; None for integer labels."""
    if isinstance(labels, torch.Tensor):
        return labels, None
    import numpy as np

    # Without dtype=object, numpy would convert the numbers of a mixed list to strings.
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


def to_tensor(values: Any, name: str) -> torch.Tensor:
    if isinstance(values, torch.Tensor):
        return values.detach().cpu()
    if hasattr(values, "to_numpy"):  # pandas
        values = values.to_numpy()
    elif isinstance(values, (list, tuple)):
        import numpy as np

        try:
            values = np.asarray(values)
        except ValueError as error:
            raise ValueError(f"{name} have rows of different lengths") from error
    if _is_numpy_array(values):
        return torch.as_tensor(_native(values, name))
    raise TypeError(
        f"{name} must be a torch.Tensor, a numpy array, a list or a pandas object, "
        f"not {type(values).__name__}"
    )


def _is_numpy_array(values: Any) -> bool:
    numpy = sys.modules.get("numpy")  # imported, if the caller has an array
    return numpy is not None and isinstance(values, numpy.ndarray)


def _native(values: np.ndarray, name: str) -> np.ndarray:
    """Converts to a type, byte order and memory layout that torch supports."""
    import numpy as np

    if values.dtype.kind not in "biuf":
        raise TypeError(f"{name} have type {values.dtype}, expected numbers")
    dtype = np.dtype(np.int64) if values.dtype.kind == "u" else values.dtype.newbyteorder("=")
    return np.require(values, dtype, ["C", "W"])


def to_matrix(values: Any, name: str) -> torch.Tensor:
    """Converts to a floating-point matrix [N, D]; [N] becomes a column."""
    tensor = to_tensor(values, name)
    if tensor.dim() not in (1, 2):
        raise ValueError(f"{name} have shape {list(tensor.shape)}, expected [N, D]")
    if tensor.is_complex():
        raise TypeError(f"{name} have type {tensor.dtype}, expected real numbers")
    if tensor.dtype not in (torch.float32, torch.float64):
        tensor = tensor.to(torch.float32 if tensor.is_floating_point() else torch.float64)
    return tensor if tensor.dim() == 2 else tensor.unsqueeze(1)


def to_labels(values: Any) -> torch.Tensor:
    return to_integers(values, "labels")


def to_integers(values: Any, name: str) -> torch.Tensor:
    tensor = to_tensor(values, name)
    if tensor.dim() != 1 or tensor.is_floating_point() or tensor.is_complex():
        raise ValueError(
            f"{name} have shape {list(tensor.shape)} and type {tensor.dtype}, expected integers [N]"
        )
    return tensor.to(torch.int64)


def like(given: Array, result: torch.Tensor) -> Array:
    return result.to(given.device) if isinstance(given, torch.Tensor) else result.numpy()
