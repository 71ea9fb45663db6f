#!/usr/bin/env python3
"""Runs all fault tests and prints the results; the exit status is 1 if any test failed.

--long runs the exhaustive version; the default is a short version for each commit.
"""
import argparse
import re
import subprocess
import sys
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
FAULTS = {
    "ranks": "a rank killed or stopped, the launcher ended",
    "sigkill": "killed at random moments",
    "disk_full": "disk full or read-only",
    "resume_changed": "resumed with other settings, data, threads, ranks",
    "io_errors": "an operation of writing a checkpoint fails",
    "two_writers": "a second training on the same run",
    "stop_everywhere": "SIGTERM and SIGINT after each step",
    "corrupt_checkpoint": "corrupt checkpoints",
}
SKIPPED = 77  # same as in support.py

Result = namedtuple("Result", "name passed skipped tried survived details output")


def run_test(name, long=False):
    ran = subprocess.run([sys.executable, FOLDER / f"{name}.py", *["--long"] * long], text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    last = (ran.stdout.splitlines() or [""])[-1]
    numbers = re.match(r"\w+: (\d+) tried, (\d+) survived(?:; (.*))?$", last)
    tried, survived, details = numbers.groups("") if numbers else ("0", "0", last)
    return Result(name, ran.returncode == 0, ran.returncode == SKIPPED, tried, survived, details,
                  ran.stdout)


def run_all(long=False):
    """Yields the results, running two tests at a time."""
    with ThreadPoolExecutor(2) as pool:
        yield from pool.map(lambda name: run_test(name, long), FAULTS)


def table(results):
    lines = ["| Fault | Tried | Survived | Details |", "|---|---:|---:|---|"]
    return lines + [f"| {FAULTS[each.name]} | {each.tried} | {each.survived} | {each.details} |"
                    for each in results]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="exhaustive version")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the table to this file")
    options = parser.parse_args()
    results = []
    for result in run_all(options.long):
        results.append(result)
        print(result.output, end="", flush=True)
    text = "\n".join(table(results)) + "\n"
    print("\n" + text, end="")
    if options.write:
        options.write.write_text(text)
    return 0 if all(each.passed or each.skipped for each in results) else 1


if __name__ == "__main__":
    sys.exit(main())
