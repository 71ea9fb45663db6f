#!/usr/bin/env python3
"""Runs all tests of a build directory. The last line is: N passed, N failed[, N skipped].

Runs the GoogleTest binaries registered with CTest, the command-line tests in tests/cli, the Python
tests in python/tests, the fault-injection tests in tests/faults (each file counts as one test), and the
browser tests of the report page in web/test. A binary that crashes counts as one more failure.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

from unittest_file import python_with_torch, run_test_file

ROOT = Path(__file__).resolve().parent.parent


class Tally:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, 0, []
        self.failures = []

    def fail(self, name):
        self.failed += 1
        self.failures.append(name)

    def add_unittests(self, failed, skipped, count, output):
        if failed:
            print(output)
        for test in failed:
            self.fail(test)
        self.skipped += skipped
        self.passed += count - len(set(failed)) - len(skipped)

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.failures += other.failures


def run_binary(name, command, directory, tally):
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        ran = subprocess.run(command + [f"--gtest_output=xml:{report}", "--gtest_brief=1"],
                             cwd=directory, text=True, errors="replace",
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        tests = ElementTree.parse(report).iter("testcase") if report.exists() else []
        failed_before = tally.failed
        for test in tests:
            full_name = f"{name}: {test.get('classname')}.{test.get('name')}"
            if test.find("failure") is not None:
                tally.fail(full_name)
            elif test.find("skipped") is not None:
                reason = test.find("skipped").get("message", "").strip().splitlines()
                tally.skipped.append(f"{full_name}: {reason[-1] if reason else 'no reason given'}")
            else:
                tally.passed += 1
    if ran.returncode != 0 and tally.failed == failed_before:
        tally.fail(f"{name}: exit status {ran.returncode}")
    if tally.failed > failed_before:
        print(ran.stdout)


def run_cpp(build, tally):
    """Runs two binaries at a time, because most tests use one thread."""
    listing = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, check=True, text=True,
                             stdout=subprocess.PIPE).stdout

    def run(test):
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        own = Tally()
        started = time.monotonic()
        run_binary(test["name"], test["command"], properties["WORKING_DIRECTORY"], own)
        return test["name"], time.monotonic() - started, own

    with ThreadPoolExecutor(2) as pool:
        for name, seconds, own in pool.map(run, json.loads(listing)["tests"]):
            tally.add(own)
            print(f"{name:<14} {seconds:6.1f} s", flush=True)


def run_command_line(tally):
    """Runs two files at a time, longest first, because most trainings use one thread."""
    files = sorted((ROOT / "tests" / "cli").glob("*_test.py"), key=lambda p: -p.stat().st_size)
    started = time.monotonic()
    with ProcessPoolExecutor(2) as pool:
        for results in pool.map(run_test_file, files):
            tally.add_unittests(*results)
    print(f"{'command line':<14} {time.monotonic() - started:6.1f} s", flush=True)


def run_python(build, tally):
    """Runs the tests of the Python package, two files at a time, longest first."""
    python = python_with_torch()
    if python is None or not (Path(build) / "libprojnce_ops.so").exists():
        tally.skipped.append("Python binding: no Python with torch, or its operators are not built")
        return

    def run(path):
        return subprocess.run([python, ROOT / "tools" / "unittest_file.py", path], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    files = sorted((ROOT / "python" / "tests").glob("*_test.py"), key=lambda p: -p.stat().st_size)
    started = time.monotonic()
    with ThreadPoolExecutor(2) as pool:
        for path, ran in zip(files, pool.map(run, files)):
            try:
                tally.add_unittests(*json.loads(ran.stdout.splitlines()[-1]))
            except (IndexError, ValueError):
                print(ran.stdout + ran.stderr)
                tally.fail(f"{path.name}: exit status {ran.returncode}")
    print(f"{'Python':<14} {time.monotonic() - started:6.1f} s", flush=True)


def run_faults(tally):
    sys.path.insert(0, str(ROOT / "tests" / "faults"))
    from run import run_all
    started = time.monotonic()
    for result in run_all():
        print(result.output, end="")
        if result.skipped:
            tally.skipped.append(result.details)
        elif result.passed:
            tally.passed += 1
        else:
            tally.fail(f"faults: {result.name}")
    print(f"{'faults':<14} {time.monotonic() - started:6.1f} s", flush=True)


def run_page_file(name):
    """Runs one test file of the report page; parses node's TAP output."""
    own = Tally()
    ran = subprocess.run(["node", "--test", "--test-reporter=tap", name], cwd=ROOT / "web",
                         text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    counts = {kind: int(number) for kind, number in
              re.findall(r"^# (pass|fail|cancelled) (\d+)$", ran.stdout, re.MULTILINE)}
    own.passed = counts.get("pass", 0)
    own.skipped = [f"{name}: {line}" for line in
                   re.findall(r"^ *ok \d+ - (.* # SKIP.*)$", ran.stdout, re.MULTILINE)]
    failed = counts.get("fail", 0) + counts.get("cancelled", 0)
    for test in re.findall(r"^ *not ok \d+ - (.*)$", ran.stdout, re.MULTILINE)[:failed]:
        own.fail(f"{name}: {test}")
    if ran.returncode != 0:
        print(ran.stdout)
        if failed == 0:
            own.fail(f"{name}: node exit status {ran.returncode}")
    return own


def run_page(tally):
    """Type-checks the report page and runs its tests, two files at a time, longest first."""
    web = ROOT / "web"
    missing = [what for what, found in (("node", shutil.which("node")),
                                        ("web/node_modules", (web / "node_modules").exists()),
                                        ("chromium", shutil.which("chromium"))) if not found]
    if missing:
        tally.skipped.append(f"report page: {', '.join(missing)} not installed")
        return
    started = time.monotonic()
    types = subprocess.run(["node", "node_modules/typescript/bin/tsc", "--noEmit"], cwd=web,
                           text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if types.returncode == 0:
        tally.passed += 1
    else:
        print(types.stdout)
        tally.fail("report page: type check failed")
    files = sorted(web.glob("test/*.test.mjs"), key=lambda path: -path.stat().st_size)
    with ThreadPoolExecutor(2) as pool:
        for own in pool.map(run_page_file, [f"test/{path.name}" for path in files]):
            tally.add(own)
    print(f"{'report page':<14} {time.monotonic() - started:6.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", help="build directory")
    parser.add_argument("--cpp-only", action="store_true", help="run only the C++ tests")
    arguments = parser.parse_args()
    tally = Tally()
    # Two tests run at a time: waiting threads must yield their core.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    run_cpp(arguments.build, tally)
    if not arguments.cpp_only:
        os.environ["PROJNCE_PROGRAM"] = str(Path(arguments.build).resolve() / "projnce")
        run_command_line(tally)
        run_python(arguments.build, tally)
        run_faults(tally)
        run_page(tally)
    for line in tally.skipped:
        print(f"skipped  {line}")
    for line in tally.failures:
        print(f"FAILED   {line}")
    skipped = f", {len(tally.skipped)} skipped" if tally.skipped else ""
    print(f"{tally.passed} passed, {tally.failed} failed{skipped}")
    return 1 if tally.failed or not tally.passed else 0


if __name__ == "__main__":
    sys.exit(main())
