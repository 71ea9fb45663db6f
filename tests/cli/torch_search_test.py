"""A build without torch, with an unsupported torch or without a compiler fails with a helpful message."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from doc_snippets import ROOT


def make_torch(folder, version, abi=1, library=True):
    """Makes the files that CMake reads from a LibTorch, without code."""
    header = folder / "include" / "torch" / "headeronly" / "version.h"
    header.parent.mkdir(parents=True)
    parts = zip(("MAJOR", "MINOR", "PATCH"), version.split("."))
    header.write_text("".join(f"#define TORCH_VERSION_{name} {number}\n" for name, number in parts))
    config = folder / "share" / "cmake" / "Torch" / "TorchConfig.cmake"
    config.parent.mkdir(parents=True)
    config.write_text(f'set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI={abi}")\n')
    (folder / "lib").mkdir()
    if library:
        (folder / "lib" / "libtorch_cpu.so").touch()
    return folder


def system_torch_is_old():
    header = Path("/usr/include/torch/csrc/api/include/torch/version.h")
    return not header.exists() or "MAJOR 1" in header.read_text()


@unittest.skipUnless(shutil.which("cmake") and shutil.which("ninja"), "cmake or ninja is not installed")
class Configure(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def rejected(self, *arguments, **environment):
        """Returns the error message on one line."""
        variables = {name: value for name, value in os.environ.items() if name != "PROJNCE_PYTHON"}
        ran = subprocess.run([shutil.which("cmake"), "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={shutil.which('ninja')}",
                              "-S", ROOT, "-B", self.folder / "build", *arguments],
                             text=True, capture_output=True, check=False, env={**variables, **environment})
        self.assertNotEqual(ran.returncode, 0, ran.stdout)
        self.assertFalse((self.folder / "build" / "build.ninja").exists())
        self.assertEqual(ran.stderr.count("CMake Error"), 1, ran.stderr)
        return " ".join(ran.stderr.split())

    def test_a_torch_that_is_too_old(self):
        torch = make_torch(self.folder / "torch", "2.4.1")
        said = self.rejected(f"-DCMAKE_PREFIX_PATH={torch}")
        self.assertIn(f"projnce needs PyTorch 2.6 or newer, but found torch 2.4.1 in {torch} (CMAKE_PREFIX_PATH). "
                      "Run `script/setup`", said)

    def test_a_torch_without_libraries(self):
        torch = make_torch(self.folder / "torch", "2.13.0", library=False)
        said = self.rejected(f"-DCMAKE_PREFIX_PATH={torch}/share/cmake")
        self.assertIn(f"found headers without libraries in {torch} (CMAKE_PREFIX_PATH)", said)

    @unittest.skipUnless(system_torch_is_old(), "the system's own torch is suitable")
    def test_no_torch(self):
        python = self.folder / "python"
        python.write_text("#!/bin/sh\nexit 1\n")
        python.chmod(0o755)
        said = self.rejected(f"-DPROJNCE_PYTHON={python}")
        self.assertRegex(said, r"projnce needs PyTorch 2.6 or newer, but found (none|torch 1\S+ in /usr "
                               r"\(system package\))\. Run `script/setup`.* or `pip install torch")

    def test_a_torch_with_the_old_abi(self):
        torch = make_torch(self.folder / "torch", "2.6.0", abi=0)
        said = self.rejected(f"-DCMAKE_PREFIX_PATH={torch}")
        self.assertIn(f"torch 2.6.0 in {torch}/lib was built with the old C++ ABI (_GLIBCXX_USE_CXX11_ABI=0)", said)
        self.assertIn("Install torch 2.7 or newer", said)

    def test_no_compiler(self):
        nothing = self.folder / "nothing"
        nothing.mkdir()
        for variables in ({"PATH": str(nothing), "CXX": ""}, {"CXX": f"{nothing}/g++"}):
            with self.subTest(variables):
                said = self.rejected(**variables)
                self.assertIn("projnce needs a C++20 compiler, but none was found: run `script/setup build`", said)


class Setup(unittest.TestCase):
    def run_script(self, *command, **environment):
        return subprocess.run(list(map(str, command)), text=True, capture_output=True, check=False, cwd=ROOT,
                              env={**os.environ, **environment})

    def test_unknown_dependency_group_is_an_error(self):
        ran = self.run_script("script/setup", "tests")
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        for fact in ("script/setup", "'tests'", "expected build, test, web or all"):
            self.assertIn(fact, ran.stderr)

    def test_formatters_name_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("bash", "env", "dirname"):
                (Path(folder) / name).symlink_to(shutil.which(name))
            for script, tool in (("format", "clang-format"), ("docs", "doxygen")):
                ran = self.run_script(ROOT / "script" / script, "--check", PATH=folder)
                self.assertEqual(ran.returncode, 1)
                for fact in (f"script/{script}", f"{tool} not found", "`script/setup test`"):
                    self.assertIn(fact, ran.stderr)

    def test_the_projects_python_is_chosen_by_a_variable(self):
        with tempfile.TemporaryDirectory() as folder:
            chosen = Path(folder) / "python"
            chosen.write_text("#!/bin/sh\necho chosen $1\n")
            chosen.chmod(0o755)
            ran = self.run_script("script/python", "--version", PROJNCE_PYTHON=str(chosen))
        self.assertEqual((ran.returncode, ran.stdout), (0, "chosen --version\n"))


if __name__ == "__main__":
    unittest.main()
