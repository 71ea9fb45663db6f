"""The package in a checkout and with the wrong torch, and its examples. tests/cli/wheel_test.py installs it."""
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

    def test_the_former_name_of_a_loss_is_accepted_with_a_warning(self):
        with self.assertWarnsRegex(DeprecationWarning, "use projnce.GeneralizedInfoNCELoss"):
            self.assertIs(projnce.SelfPLoss, projnce.GeneralizedInfoNCELoss)
        with self.assertRaises(AttributeError):
            projnce.SelfQLoss  # noqa: B018

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

    def test_a_corrupt_or_absent_library_is_an_import_error(self):
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
                    if thing in (projnce.Loss, projnce.ContrastiveLoss):
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
