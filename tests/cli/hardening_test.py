"""The program was built with the compiler's protections against memory errors."""
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from support import PROGRAM


@unittest.skipUnless(shutil.which("readelf"), "readelf is not installed")
class Hardening(unittest.TestCase):
    def readelf(self, option, path=PROGRAM):
        listed = subprocess.run(["readelf", option, "-W", str(path)], capture_output=True, text=True)
        self.assertEqual(listed.returncode, 0, listed.stderr)
        return listed.stdout

    def test_addresses_are_random(self):
        self.assertRegex(self.readelf("-h"), r"Type:\s+DYN")
        self.assertIn("PIE", self.readelf("-d"))

    def test_tables_of_functions_are_read_only(self):
        for path in (PROGRAM, Path(PROGRAM).parent / "libprojnce.so"):
            self.assertIn("GNU_RELRO", self.readelf("-l", path), path)
            self.assertRegex(self.readelf("-d", path), r"BIND_NOW|FLAGS_1.*NOW", path)

    def test_the_stack_is_not_executable(self):
        stack = re.search(r"GNU_STACK\s.*", self.readelf("-l"))
        self.assertIsNotNone(stack)
        self.assertRegex(stack.group(), r"\sRW\s")

    def test_readers_check_their_buffers(self):
        symbols = self.readelf("--dyn-syms")
        self.assertIn("__stack_chk_fail", symbols)
        if "__asan_init" in symbols:
            self.skipTest("the sanitizers replace the checked functions of the C library")
        self.assertRegex(symbols, r"__(memcpy|snprintf|vsnprintf|read|poll|recv)_chk")


if __name__ == "__main__":
    unittest.main()
