#!/usr/bin/env python3
"""Runs the tests of one file and returns the results; as a script, prints them as JSON."""
import io
import json
import subprocess
import sys
import unittest
from pathlib import Path


PROJECT_PYTHON = Path(__file__).resolve().parents[1] / "script" / "python"


def python_with_torch():
    """Returns the project's Python if it has torch and numpy, else None."""
    program = "from importlib.util import find_spec\nraise SystemExit(not all(map(find_spec, ('torch', 'numpy'))))"
    completed = subprocess.run([PROJECT_PYTHON, "-c", program], stderr=subprocess.DEVNULL)
    return PROJECT_PYTHON if completed.returncode == 0 else None


UNSEEDED = 0x5EED1E55


class SeededResult(unittest.TextTestResult):
    """Fails tests that draw from torch's global generator without seeding it: their numbers would depend on the
    tests before them."""

    def startTest(self, test):
        super().startTest(test)
        self.torch = sys.modules.get("torch")
        if self.torch:
            self.torch.manual_seed(UNSEEDED)
            self.state = self.torch.get_rng_state()

    def stopTest(self, test):
        super().stopTest(test)
        if self.torch and self.torch.initial_seed() == UNSEEDED and not self.torch.equal(
                self.state, self.torch.get_rng_state()):
            self.failures.append((test, "draws from the global generator but does not seed it; call torch.manual_seed\n"))


def run_test_file(path):
    """Returns failures, skipped tests with reasons, the number of tests and the output."""
    path = Path(path)
    suite = unittest.defaultTestLoader.discover(str(path.parent), pattern=path.name)
    output = io.StringIO()
    result = unittest.TextTestRunner(stream=output, verbosity=0, resultclass=SeededResult).run(suite)
    failed = [str(test) for test, _ in result.failures + result.errors]
    skipped = [f"{test}: {reason}" for test, reason in result.skipped]
    return failed, skipped, result.testsRun, output.getvalue()


if __name__ == "__main__":
    print(json.dumps(run_test_file(sys.argv[1])))
