"""Builds libprojnce and its operators for the torch that is installed, and puts them into the package.

A build directory that script/build made for that torch is used as it is; otherwise the libraries
alone are built.
"""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(projnce VERSION ([0-9.]+)", text).group(1)


def run(*command):
    subprocess.run(command, check=True, stdout=sys.stderr)


def find_torch():
    """Version of the interpreter's torch, and where CMake finds it. pip's build environment hides
    what is installed by these two variables."""
    hiding = ("PYTHONPATH", "PYTHONNOUSERSITE")
    open_environment = {name: value for name, value in os.environ.items() if name not in hiding}
    program = "import torch; print(torch.__version__); print(torch.utils.cmake_prefix_path)"
    for environment in (os.environ, open_environment):
        asked = subprocess.run([sys.executable, "-c", program], env=environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if asked.returncode == 0:
            return asked.stdout.split("\n")[:2]
    raise SystemExit(f"projnce is built for the torch that is installed, and {sys.executable} has "
                     f"none that can be imported; install torch first\n{asked.stderr}")


def is_for(build, torch_version):
    """Whether a build directory was configured for a torch of this release."""
    known = build / "projnce_ops.json"
    if not known.exists() or not (build / "CMakeCache.txt").exists():
        return False
    release = torch_version.split("+")[0].split(".")[:2]
    return json.loads(known.read_text())["torch"].split(".")[:2] == release


def build_libraries():
    torch_version, torch_place = find_torch()
    build = ROOT / "build"
    if not is_for(build, torch_version):
        build = ROOT / "build-python"
        fresh = [] if is_for(build, torch_version) else ["--fresh"]
        run("cmake", *fresh, "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release",
            "-DCMAKE_UNITY_BUILD=ON", "-DPROJNCE_BUILD_PROGRAM=OFF",
            f"-DCMAKE_PREFIX_PATH={torch_place}")
    run("cmake", "--build", build, "--target", "projnce_ops", "-j", str(os.cpu_count() or 1))
    return build


class BuildWithLibraries(build_py):
    def run(self):
        super().run()
        target = Path(self.build_lib) / "projnce" / "lib"
        target.mkdir(parents=True, exist_ok=True)
        build = build_libraries()
        release = ".".join(version().split(".")[:2])  # as the library's name has it
        for name in (f"libprojnce.so.{release}", "libprojnce_ops.so", "projnce_ops.json"):
            shutil.copy2(build / name, target / name)
        shutil.copy2(HERE / "projnce" / "py.typed", target.parent)


class BinaryDistribution(Distribution):
    def has_ext_modules(self):
        return True  # the wheel fits this platform alone


setup(version=version(), cmdclass={"build_py": BuildWithLibraries}, distclass=BinaryDistribution)
