"""Builds libprojnce and its operators for the torch that is installed, and puts them into the package.

A build directory that script/build made is used as it is; otherwise the libraries alone are built.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import torch
from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(projnce VERSION ([0-9.]+)", text).group(1)


def run(*command):
    subprocess.run(command, check=True, stdout=sys.stderr)


def build_libraries():
    build = ROOT / "build"
    if not (build / "CMakeCache.txt").exists():
        build = ROOT / "build-python"
        run("cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON",
            "-DPROJNCE_BUILD_PROGRAM=OFF", f"-DCMAKE_PREFIX_PATH={torch.utils.cmake_prefix_path}")
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
