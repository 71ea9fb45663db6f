"""The package in a checkout, with an unsupported torch, and its documentation. tests/cli/wheel_test.py installs it."""
import doctest
import importlib
import inspect
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

    def test_runs_from_a_checkout(self):
        ran = run_python("import projnce; print(projnce.__version__)", PACKAGE, check=True)
        self.assertEqual(ran.stdout.strip(), projnce.__version__)

    def test_the_former_name_of_a_loss_is_accepted_with_a_warning(self):
        with self.assertWarnsRegex(DeprecationWarning, "use projnce.GeneralizedInfoNCELoss"):
            self.assertIs(projnce.SelfPLoss, projnce.GeneralizedInfoNCELoss)
        with self.assertRaises(AttributeError):
            projnce.SelfQLoss  # noqa: B018

    def copied_package(self):
        """Copies the package, with a folder for libraries."""
        shutil.copytree(PACKAGE / "projnce", self.folder / "projnce",
                        ignore=shutil.ignore_patterns("__pycache__", "lib"))
        library = self.folder / "projnce" / "lib"
        library.mkdir()
        return library

    def test_operators_for_another_torch_are_rejected(self):
        library = self.copied_package()
        (library / "libprojnce_ops.so").write_bytes(b"not even a library")
        (library / "projnce_ops.json").write_text('{"projnce": "9.9", "torch": "2.99.1"}')
        ran = run_python("import projnce", self.folder)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("were built for torch 2.99.1, but this is torch " + torch.__version__,
                      ran.stderr)

    def test_a_corrupt_or_absent_library_is_an_import_error(self):
        library = self.copied_package()
        ran = run_python("import projnce", self.folder)
        self.assertIn("ImportError: projnce's operators are not built", ran.stderr)
        (library / "libprojnce_ops.so").write_bytes(b"not even a library")
        (library / "projnce_ops.json").write_text(
            json.dumps({"projnce": "9.9", "torch": torch.__version__}))
        ran = run_python("import projnce", self.folder)
        self.assertIn("ImportError: projnce's operators in", ran.stderr)
        self.assertIn("do not load", ran.stderr)


def documented_arguments(doc):
    """Names in the section Args of a docstring; several names may share an entry."""
    section = re.search(r"\n( *)Args:\n(.*?)(?:\n\s*\n|$)", doc, re.DOTALL)
    if section is None:
        return set()
    entry = re.compile(rf"^{section.group(1)}    (\w[\w, ]*):", re.MULTILINE)
    return {name for names in entry.findall(section.group(2)) for name in names.split(", ")}


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

    def check_sections(self, function, doc):
        """Checks that ``doc`` documents the arguments, the result and the errors of ``function``."""
        signature = inspect.signature(function)
        if ":meth:`" not in doc:  # "arguments are as in :meth:`...`"
            arguments = [name for name, parameter in signature.parameters.items()
                         if name != "self" and parameter.kind is not parameter.VAR_KEYWORD]
            self.assertEqual([name for name in arguments if name not in documented_arguments(doc)], [])
            self.assertEqual(sorted(documented_arguments(doc) - signature.parameters.keys()), [])
        if signature.return_annotation not in (None, "None"):
            self.assertRegex(doc, r"\n *Returns:\n")
        if signature.parameters.keys() - {"self"}:
            self.assertRegex(doc, r"\n *Raises:\n")

    def test_everything_public_is_documented(self):
        for name in projnce.__all__:
            thing = getattr(projnce, name)
            if not callable(thing):
                continue
            with self.subTest(name):
                self.assertTrue(thing.__doc__)
                if inspect.isfunction(thing):
                    self.check_sections(thing, thing.__doc__)
                    self.assertIn(">>> ", thing.__doc__)
                elif issubclass(thing, torch.nn.Module):
                    self.check_sections(thing.__init__, thing.__doc__)

    def test_losses_have_a_formula_a_source_and_an_example(self):
        bases = (projnce.Loss, projnce.ContrastiveLoss)
        losses = [thing for thing in vars(projnce).values()
                  if inspect.isclass(thing) and issubclass(thing, torch.nn.Module) and thing not in bases]
        self.assertGreater(len(losses), 10)
        for loss in losses:
            with self.subTest(loss.__name__):
                for required in (".. math::", " <https://", ">>> "):
                    self.assertIn(required, re.sub(r"\s+", " ", loss.__doc__))
                self.check_sections(loss.forward, loss.forward.__doc__)

    def test_methods_of_losses_are_documented(self):
        for method in (projnce.Loss.parts, projnce.Loss.options, projnce.ProjNCEMLPLoss.class_vectors):
            with self.subTest(method.__qualname__):
                self.assertTrue(method.__doc__)
        self.check_sections(projnce.Loss.parts, projnce.Loss.parts.__doc__)

    def test_programs_in_the_guide_run(self):
        guide = (cases.ROOT / "docs" / "python.md").read_text()
        programs = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
        self.assertGreater(len(programs), 3)
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            torch.manual_seed(1)
            try:
                for program in programs:
                    with self.subTest(program=program):
                        exec(compile(program, "docs/python.md", "exec"), {})
            finally:
                os.chdir(before)


if __name__ == "__main__":
    unittest.main()
