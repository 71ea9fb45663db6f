"""The package as a user meets it: from a checkout, installed, with the wrong torch; its examples."""
import doctest
import importlib
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import cases
import projnce
import torch

PACKAGE = cases.ROOT / "python"


def run_python(program, path, **more):
    environment = {**os.environ, "PYTHONPATH": str(path)}
    return subprocess.run([sys.executable, "-c", program], text=True, env=environment, cwd="/",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


class PackageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_checkout_is_enough(self):
        said = run_python("import projnce; print(projnce.__version__)", PACKAGE, check=True)
        self.assertEqual(said.stdout.strip(), projnce.__version__)

    def pip_install(self, package, target, **more):
        pip = [sys.executable, "-m", "pip"]
        if subprocess.run(pip + ["--version"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("this Python has no pip")
        ran = subprocess.run(pip + ["install", "--no-build-isolation", "--no-deps", "--no-index",
                                    "--quiet", "--upgrade", "--target", target, package],
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
        self.assertEqual(ran.returncode, 0, ran.stdout)

    def test_pip_installs_it(self):
        self.pip_install(PACKAGE, self.folder)
        program = ("import projnce, torch; print(projnce.__file__);"
                   "print(projnce.SupConLoss()(torch.eye(4), torch.tensor([0, 0, 1, 1])).item())")
        said = run_python(program, self.folder, check=True).stdout.splitlines()
        self.assertTrue(said[0].startswith(str(self.folder)))
        expected = projnce.SupConLoss()(torch.eye(4), torch.tensor([0, 0, 1, 1])).item()
        self.assertEqual(float(said[1]), expected)
        self.assertTrue((self.folder / "projnce" / "py.typed").exists())

    def test_pip_builds_for_the_torch_that_is_installed(self):
        """A build directory for another torch is left alone; pip's hiding of torch is looked through."""
        tree, commands = self.folder / "tree", self.folder / "commands"
        shutil.copytree(PACKAGE, tree / "python",
                        ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        shutil.copy(cases.ROOT / "CMakeLists.txt", tree)
        (tree / "build").mkdir()
        (tree / "build" / "CMakeCache.txt").touch()
        (tree / "build" / "projnce_ops.json").write_text('{"projnce": "9.9", "torch": "2.99.1"}')
        hidden = self.folder / "hidden"
        hidden.mkdir()
        (hidden / "torch.py").write_text("raise ImportError('hidden')")
        cmake = self.folder / "bin" / "cmake"
        cmake.parent.mkdir()
        cmake.write_text(f"""#!/bin/sh
echo "$@" >> {commands}
[ "$1" = --build ] || exit 0
mkdir -p "$2" && cd "$2"
touch CMakeCache.txt libprojnce.so.0.1 libprojnce_ops.so
echo '{{"projnce": "0.1", "torch": "{torch.__version__}"}}' > projnce_ops.json
""")
        cmake.chmod(0o755)
        environment = {**os.environ, "PATH": f"{cmake.parent}:{os.environ['PATH']}",
                       "PYTHONPATH": str(hidden)}
        for _ in range(2):
            self.pip_install(tree / "python", self.folder / "target", env=environment)
        first, _, second, _ = commands.read_text().splitlines()
        self.assertIn(f"-B {tree}/build-python", first)
        self.assertIn(f"-DCMAKE_PREFIX_PATH={torch.utils.cmake_prefix_path}", first)
        self.assertTrue(first.startswith("--fresh "))
        self.assertFalse(second.startswith("--fresh "))  # it fits now

    def copied_package(self):
        """The package with libraries beside it, to be spoilt."""
        shutil.copytree(PACKAGE / "projnce", self.folder / "projnce",
                        ignore=shutil.ignore_patterns("__pycache__", "lib"))
        library = self.folder / "projnce" / "lib"
        library.mkdir()
        return library

    def test_operators_for_another_torch_are_refused(self):
        library = self.copied_package()
        (library / "libprojnce_ops.so").write_bytes(b"not even a library")
        (library / "projnce_ops.json").write_text('{"projnce": "9.9", "torch": "2.99.1"}')
        said = run_python("import projnce", self.folder)
        self.assertEqual(said.returncode, 1)
        self.assertIn("were built for torch 2.99.1, but this is torch " + torch.__version__,
                      said.stderr)

    def test_a_damaged_or_absent_library_is_an_import_error(self):
        library = self.copied_package()
        said = run_python("import projnce", self.folder)
        self.assertIn("ImportError: projnce's operators are not built", said.stderr)
        (library / "libprojnce_ops.so").write_bytes(b"not even a library")
        (library / "projnce_ops.json").write_text(
            json.dumps({"projnce": "9.9", "torch": torch.__version__}))
        said = run_python("import projnce", self.folder)
        self.assertIn("ImportError: projnce's operators in", said.stderr)
        self.assertIn("do not load", said.stderr)


class DocumentationTest(unittest.TestCase):
    def test_examples_in_docstrings_work(self):
        torch.manual_seed(0)
        attempted = 0
        for module in pkgutil.walk_packages(projnce.__path__, "projnce."):
            result = doctest.testmod(importlib.import_module(module.name))
            self.assertEqual(result.failed, 0, module.name)
            attempted += result.attempted
        self.assertEqual(doctest.testmod(projnce).failed, 0)
        self.assertGreater(attempted, 30)

    def test_everything_public_has_a_docstring(self):
        for name in projnce.__all__:
            thing = getattr(projnce, name)
            if callable(thing):
                self.assertTrue(thing.__doc__, name)
                if isinstance(thing, type) and issubclass(thing, torch.nn.Module):
                    if thing is projnce.ContrastiveLoss:
                        continue
                    self.assertTrue(thing.forward.__doc__, name)
                    self.assertIn(".. math::", thing.__doc__, name)
                    self.assertIn(">>> ", thing.__doc__, name)

    def test_programs_in_the_guide_run(self):
        guide = (cases.ROOT / "docs" / "python.md").read_text()
        programs = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
        self.assertGreater(len(programs), 3)
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                for program in programs:
                    with self.subTest(program=program):
                        exec(compile(program, "docs/python.md", "exec"), {})
            finally:
                os.chdir(before)


if __name__ == "__main__":
    unittest.main()
