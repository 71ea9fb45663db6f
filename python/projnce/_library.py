"""Finds the compiled operators and loads them into torch."""
import json
import sys
from pathlib import Path
from typing import Tuple

try:
    import torch
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise ImportError(
        f"projnce needs torch, and {sys.executable} has none; run `pip install torch==2.13.0`"
    ) from None

_HERE = Path(__file__).resolve().parent
# Installed next to the package, or built by script/build in a checkout.
_PLACES = (_HERE / "lib", _HERE.parents[1] / "build")
_LIBRARY = "libprojnce_ops.so"
_BUILT_WITH = "projnce_ops.json"


def _release(version: str) -> Tuple[str, ...]:
    """Returns the major and minor version; libraries work with any patch version of torch."""
    return tuple(version.split("+")[0].split(".")[:2])


def _load() -> str:
    for place in _PLACES:
        if (place / _LIBRARY).exists() and (place / _BUILT_WITH).exists():
            break
    else:
        raise ImportError(
            f"projnce's operators are not built: found no {_LIBRARY} in "
            f"{' or '.join(map(str, _PLACES))}; run `script/build` or `pip install .` in a checkout"
        )
    built_with = json.loads((place / _BUILT_WITH).read_text())
    release = ".".join(_release(built_with["torch"]))
    if _release(built_with["torch"]) != _release(torch.__version__):
        raise ImportError(
            f"projnce's operators in {place} were built for torch {built_with['torch']}, but this "
            f"is torch {torch.__version__}; run `pip install 'torch=={release}.*'`, or `pip install .` "
            f"in a checkout of projnce to build them for torch {torch.__version__}"
        )
    try:
        torch.ops.load_library(str(place / _LIBRARY))
    except OSError as error:
        raise ImportError(
            f"projnce's operators in {place} do not load into torch {torch.__version__} ({error}); "
            "run `pip install .` in a checkout of projnce to rebuild them"
        ) from error
    return built_with["projnce"]


__version__ = _load()
