"""Weights in safetensors files, as ``projnce train --init`` reads and ``projnce export`` writes them."""
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Optional, Union

import torch

_CHECKSUM = "~integrity"  # the last tensor of the files that projnce writes


def save_weights(
    tensors: Mapping[str, torch.Tensor],
    path: Union[str, "os.PathLike[str]"],
    metadata: Optional[Mapping[str, str]] = None,
) -> None:
    """Writes named tensors, such as a ``state_dict()``, for ``projnce train --init``. The file
    appears whole or not at all. Needs the package ``safetensors``.

    Raises:
        TypeError: If a value is not a tensor.
        ValueError: If a name is reserved by the format.

    >>> import tempfile
    >>> model = torch.nn.Linear(3, 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_weights(model.state_dict(), folder + "/linear.safetensors")
    ...     sorted(load_weights(folder + "/linear.safetensors"))
    ['bias', 'weight']
    """
    from safetensors.torch import save_file

    copies = {}
    for name, tensor in tensors.items():
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"'{name}' cannot be saved: expected a tensor, got {type(tensor).__name__}")
        if name in ("__metadata__", _CHECKSUM):
            raise ValueError(f"'{name}' is a name that the format reserves")
        # A copy: the format has no way to say that two tensors share memory.
        copies[name] = tensor.detach().cpu().clone(memory_format=torch.contiguous_format)
    path = Path(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        os.close(handle)
        save_file(copies, temporary, dict(metadata) if metadata else None)
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def load_weights(path: Union[str, "os.PathLike[str]"]) -> dict[str, torch.Tensor]:
    """The tensors of a safetensors file by name, for ``model.load_state_dict``. Needs the package
    ``safetensors``.

    Raises:
        ValueError: If the file is not a valid safetensors file.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        tensors = load(Path(path).read_bytes())
    except (SafetensorError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise ValueError(f"{path} is not a valid safetensors file: {error}") from error
    tensors.pop(_CHECKSUM, None)
    return tensors
