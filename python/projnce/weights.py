"""Reads and writes weights as safetensors files, for ``projnce train --init`` and ``projnce export``."""
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
    """Writes named tensors, such as a ``state_dict()``, for ``projnce train --init``. The file is
    written atomically. Requires the package ``safetensors``.

    Args:
        tensors: tensors by name.
        path: file to write.
        metadata: texts to store in the header of the file.

    Raises:
        TypeError: if a value is not a tensor.
        ValueError: if a name is reserved by the format.

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
            raise ValueError(f"'{name}' is a name reserved by the format")
        # Copied, because tensors in the file cannot share memory.
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
    """Reads a safetensors file, for ``model.load_state_dict``. Requires the package ``safetensors``.

    Args:
        path: file to read.

    Returns:
        The tensors by name.

    Raises:
        ValueError: if the file is not a valid safetensors file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_weights({"bias": torch.zeros(3)}, folder + "/bias.safetensors")
    ...     load_weights(folder + "/bias.safetensors")
    {'bias': tensor([0., 0., 0.])}
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        tensors = load(Path(path).read_bytes())
    except (SafetensorError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise ValueError(f"{path} is not a valid safetensors file: {error}") from error
    tensors.pop(_CHECKSUM, None)
    return tensors
