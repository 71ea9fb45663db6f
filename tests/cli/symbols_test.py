"""Loaded files cannot run code: the program does not contain the functions that would allow it."""
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from support import PROGRAM

# torch::load, torch::jit::load and similar functions call these.
FORBIDDEN = re.compile(r"InputArchive|torch::jit::(load|import_ir_module|pickle|unpickle|"
                       r"Unpickler|_load)|torch::load|torch::pickle_load|PyTorchStreamReader")

# A virtual function of every LibTorch module, hence in the vtables of our classes. It needs an input
# archive, which nothing in the program can create.
IN_EVERY_MODULE = "torch::nn::Module::load(torch::serialize::InputArchive&)"


@unittest.skipUnless(shutil.which("nm"), "nm is not installed")
class Symbols(unittest.TestCase):
    def symbols(self, path):
        listed = subprocess.run(["nm", "-D", "-C", str(path)], capture_output=True, text=True)
        self.assertEqual(listed.returncode, 0, listed.stderr)
        return listed.stdout.splitlines()

    def test_no_function_that_unpickles_is_used(self):
        program = Path(PROGRAM)
        for path in (program, program.parent / "libprojnce.so"):
            names = self.symbols(path)
            self.assertTrue(any("torch::" in name or "at::" in name for name in names), path)
            found = [name for name in names
                     if FORBIDDEN.search(name) and not name.endswith(IN_EVERY_MODULE)]
            self.assertEqual(found, [], path)

    def test_pattern_matches_type_definitions(self):
        for name in ("torch::jit::load(std::string const&)", "torch::serialize::InputArchive::read",
                     "torch::jit::pickle_load(std::vector<char> const&)",
                     "caffe2::serialize::PyTorchStreamReader::getRecord"):
            self.assertRegex(name, FORBIDDEN)


if __name__ == "__main__":
    unittest.main()
