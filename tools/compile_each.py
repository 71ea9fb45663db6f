#!/usr/bin/env python3
"""Checks that every source compiles by itself, without unity builds and the precompiled header, which hide
missing includes. Generates no code (-fsyntax-only).

    compile_each.py                all sources of the library, the program and the operators; an hour of CPU time
    compile_each.py FILE...        only these sources
    compile_each.py --since REV    only sources that changed since a revision
"""
import json
import os
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-each"


def configure():
    subprocess.run(["cmake", "--preset", "dev", "-B", str(BUILD), "--log-level=WARNING", "-DPROJNCE_BUILD_TESTS=OFF",
                    "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return json.loads((BUILD / "compile_commands.json").read_text())


def compiler_call(entry):
    """Returns the compiler command without ccache, output file and dependency file."""
    words = shlex.split(entry["command"])
    while "ccache" in " ".join(words[:-1]) and not Path(words[0]).name.endswith(("++", "cc", "clang")):
        words.pop(0)
    for option in ("-o", "-MF", "-MT"):
        if option in words:
            at = words.index(option)
            del words[at:at + 2]
    return [word for word in words if word not in ("-MD", "-c")] + ["-O0", "-fsyntax-only"]


def check(entry):
    ran = subprocess.run(compiler_call(entry), cwd=entry["directory"], text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT)
    return Path(entry["file"]).relative_to(ROOT), ran.returncode, ran.stdout


def changed_since(revision):
    listing = subprocess.run(["git", "diff", "--name-only", "--diff-filter=d", revision, "--", "*.cpp"], cwd=ROOT,
                             check=True, text=True, stdout=subprocess.PIPE).stdout
    return {ROOT / name for name in listing.splitlines()}


def main(arguments):
    if arguments[:1] == ["--since"]:
        wanted = changed_since(arguments[1])
        if not wanted:
            print("no source has changed")
            return 0
    else:
        wanted = {(Path.cwd() / name).resolve() for name in arguments}
    entries = configure()
    # Sources compiled for several instruction sets occur once per set.
    entries = [entry for entry in entries if Path(entry["file"]).is_relative_to(ROOT)
               and BUILD not in Path(entry["file"]).parents and (not wanted or Path(entry["file"]) in wanted)]
    started, failed = time.monotonic(), 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, status, output in pool.map(check, entries):
            if status != 0:
                failed += 1
                print(f"{path} does not compile by itself\n{output}", flush=True)
    print(f"{len(entries) - failed} of {len(entries)} sources compile by themselves "
          f"({time.monotonic() - started:.0f} s)")
    return 1 if failed or not entries else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
