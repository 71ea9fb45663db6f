"""Weights in safetensors files: what projnce writes and reads, and no code inside."""
import ctypes
import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Optional, Union

import torch

_NAMES = {
    "BOOL": torch.bool,
    "U8": torch.uint8,
    "I8": torch.int8,
    "I16": torch.int16,
    "I32": torch.int32,
    "I64": torch.int64,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F32": torch.float32,
    "F64": torch.float64,
}
_TYPES = {dtype: name for name, dtype in _NAMES.items()}
_METADATA = "__metadata__"
_CHECKSUM = "~integrity"  # the last tensor of the files that projnce writes
_LARGEST_HEADER = 16 << 20


def save_weights(
    tensors: Mapping[str, torch.Tensor],
    path: Union[str, "os.PathLike[str]"],
    metadata: Optional[Mapping[str, str]] = None,
) -> None:
    """Writes named tensors, such as a ``state_dict()``, for ``projnce train --init``. The file
    appears whole or not at all.

    >>> import tempfile
    >>> model = torch.nn.Linear(3, 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_weights(model.state_dict(), folder + "/linear.safetensors")
    ...     sorted(load_weights(folder + "/linear.safetensors"))
    ['bias', 'weight']
    """
    header: dict[str, object] = {_METADATA: dict(metadata)} if metadata else {}
    chunks, end = [], 0
    for name, tensor in tensors.items():
        if not isinstance(tensor, torch.Tensor) or tensor.dtype not in _TYPES:
            raise TypeError(f"'{name}' cannot be saved: expected a tensor of numbers")
        if name in (_METADATA, _CHECKSUM):
            raise ValueError(f"'{name}' is a name that the format keeps for itself")
        flat = tensor.detach().cpu().contiguous().reshape(-1)
        data = ctypes.string_at(flat.data_ptr(), flat.nbytes) if flat.numel() else b""
        header[name] = {
            "dtype": _TYPES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [end, end + len(data)],
        }
        chunks.append(data)
        end += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-(len(text) + 8) % 64)
    _write_whole(Path(path), [len(text).to_bytes(8, "little"), text, *chunks])


def load_weights(path: Union[str, "os.PathLike[str]"]) -> dict[str, torch.Tensor]:
    """The tensors of a safetensors file by name, for ``model.load_state_dict``. Raises ValueError
    where the file is not what the format says."""
    data = bytearray(Path(path).read_bytes())
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > min(_LARGEST_HEADER, len(data) - 8):
        raise ValueError(f"{path} is no safetensors file: its header does not fit into it")
    try:
        header = json.loads(data[8 : 8 + length].decode())
        entries = {
            name: (entry["dtype"], entry["shape"], entry["data_offsets"])
            for name, entry in header.items()
            if name != _METADATA
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path} has a damaged safetensors header") from error
    return _tensors(entries, data, 8 + length, str(path))


def _tensors(
    entries: dict[str, Any], data: bytearray, start: int, path: str
) -> dict[str, torch.Tensor]:
    """Every byte behind the header belongs to one tensor: no holes, no overlaps."""
    tensors, position = {}, 0
    for name, (kind, shape, offsets) in sorted(entries.items(), key=lambda e: _offsets(e, path)):
        begin, end = offsets
        dtype = _NAMES.get(kind)
        if dtype is None or not all(type(n) is int and n >= 0 for n in shape):
            raise ValueError(f"{path} has a tensor '{name}' of unknown type or shape")
        count = 1
        for size in shape:
            count *= size
        width = torch.empty((), dtype=dtype).element_size()
        if begin != position or end - begin != count * width or start + end > len(data):
            raise ValueError(
                f"{path} has bytes {begin} to {end} for tensor '{name}', which do not fit"
            )
        values = torch.empty(0, dtype=dtype)
        if count > 0:
            values = torch.frombuffer(data, dtype=dtype, count=count, offset=start + begin)
        if name != _CHECKSUM:
            tensors[name] = values.reshape(shape).clone()
        position = end
    if start + position != len(data):
        raise ValueError(f"{path} has bytes that belong to no tensor")
    return tensors


def _offsets(entry: tuple[str, Any], path: str) -> tuple[int, ...]:
    name, (_, shape, offsets) = entry
    if (
        not isinstance(shape, list)
        or not isinstance(offsets, list)
        or len(offsets) != 2
        or not all(type(n) is int and n >= 0 for n in offsets)
    ):
        raise ValueError(f"{path} has no proper place for tensor '{name}'")
    return tuple(offsets)


def _write_whole(path: Path, chunks: Iterable[bytes]) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(chunks)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
