"""The command `projnce` of an installed wheel: runs the program that is packaged next to it.

A module of its own, because importing the package imports torch, which takes seconds.
"""
import json
import os
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent / "projnce"


def check_torch() -> None:
    """Ends with one sentence unless the torch that the program was built for is installed."""
    built_for = json.loads((PACKAGE / "lib" / "projnce_ops.json").read_text())["torch"]
    release = ".".join(built_for.split(".")[:2])
    try:
        found = version("torch")
    except PackageNotFoundError:
        sys.exit(f"projnce: this program was built for torch {built_for}, and {sys.executable} has no torch; "
                 f"run `pip install 'torch=={release}.*'`")
    if found.split("+")[0].split(".")[:2] != release.split("."):
        sys.exit(f"projnce: this program was built for torch {built_for}, and {sys.executable} has torch "
                 f"{found}; run `pip install 'torch=={release}.*'`, or `pip install .` in a checkout of projnce "
                 f"to build it for torch {found}")


def library_path() -> str:
    """LD_LIBRARY_PATH, needed only if torch is not in the directory that the package is in."""
    path = os.environ.get("LD_LIBRARY_PATH", "")
    spec = find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        return path
    torch = Path(spec.submodule_search_locations[0])
    if torch.parent.resolve() == PACKAGE.parent:
        return path
    return os.pathsep.join(filter(None, [str(torch / "lib"), path]))


def main() -> None:
    check_torch()
    path = library_path()
    if path:
        os.environ["LD_LIBRARY_PATH"] = path
    program = str(PACKAGE / "bin" / "projnce")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
