#!/usr/bin/env python3
"""Checks that every source compiles by itself, without unity builds and the precompiled header, which hide
missing includes and let names clash. Generates no code (-fsyntax-only).

    compile_each.py                all sources of the library, the program, the operators and the tests;
                                   an hour of CPU time
    compile_each.py FILE...        only these sources and headers
    compile_each.py --changed      only sources and headers that differ from main, or from the last commit if
                                   this is main
    compile_each.py --seconds N    starts no compilation after N seconds and tells how many files were left out;
                                   the order is random
"""
import argparse
import json
import os
import random
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-each"
FOLDERS = ("projnce", "apps", "python", "tests")  # bench/ is built by script/bench only


def configure():
    """Returns the compile commands of our sources. Sources compiled for several instruction sets have several."""
    subprocess.run(["cmake", "--preset", "dev", "-B", str(BUILD), "--log-level=WARNING",
                    "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    return [entry for entry in entries if is_below(ROOT, entry["file"]) and not is_below(BUILD, entry["file"])]


def is_below(folder, path):
    return folder in Path(path).parents


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


def header_call(header, entries):
    """Returns the command that compiles a source of one line, which includes `header`, with the options of the
    source that is nearest to it: of the same name, else of the same folder."""
    def nearness(entry):
        source = Path(entry["file"])
        shared = len(os.path.commonpath([source, header]))
        return shared, source.parent == header.parent, source.stem == header.stem

    entry = max(entries, key=nearness)
    call = [word for word in compiler_call(entry) if word != entry["file"]]
    return [*call, "-x", "c++", "-"], entry["directory"], f'#include "{header}"\n'


def calls_for(paths, entries):
    """Returns (path, command, directory, standard input) of each compilation; of all sources if `paths` is None."""
    calls = [(Path(entry["file"]), compiler_call(entry), entry["directory"], None)
             for entry in entries if paths is None or Path(entry["file"]) in paths]
    headers = sorted(path for path in paths or () if path.suffix == ".h")
    return calls + [(header, *header_call(header, entries)) for header in headers]


def check(call):
    path, command, directory, text = call
    ran = subprocess.run(command, cwd=directory, input=text, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT)
    return path, ran.returncode, ran.stdout


def git(*arguments, root=ROOT):
    ran = subprocess.run(["git", *arguments], cwd=root, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return ran.stdout.strip() if ran.returncode == 0 else ""


def changed_files(root=ROOT):
    """Sources and headers that differ from main, or from the last commit if this is main."""
    head = git("rev-parse", "HEAD", root=root)
    base = git("merge-base", "HEAD", "origin/main", root=root) or git("merge-base", "HEAD", "main", root=root)
    if base in ("", head):
        base = git("rev-parse", "--verify", "HEAD~1", root=root)
    patterns = [f"{folder}/*.{kind}" for folder in FOLDERS for kind in ("cpp", "h")]
    names = git("diff", "--name-only", "--diff-filter=d", base, "--", *patterns, root=root) if base else ""
    return {root / name for name in names.splitlines()}


def check_all(calls, seconds):
    """Checks as many as can be started in time. Returns the number of files that compile, fail and were left out."""
    started = time.monotonic()
    compiled = failed = 0

    def check_in_time(call):
        return check(call) if seconds is None or time.monotonic() - started < seconds else None

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for result in filter(None, pool.map(check_in_time, random.sample(calls, len(calls)))):
            path, status, output = result
            compiled += status == 0
            failed += status != 0
            if status != 0:
                print(f"{path.relative_to(ROOT)} does not compile by itself\n{output}", flush=True)
    print(f"{compiled} of {len(calls)} files compile by themselves ({time.monotonic() - started:.0f} s)")
    left_out = len(calls) - compiled - failed
    if left_out:
        print(f"{left_out} were left out after {seconds} s")
    return compiled, failed, left_out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("--seconds", type=float)
    options = parser.parse_args()
    paths = changed_files() if options.changed else {path.resolve() for path in options.files} or None
    if options.changed and not paths:
        print("no source has changed")
        return 0
    calls = calls_for(paths, configure())
    if not calls:
        print("none of these files is compiled")
        return 1
    return 1 if check_all(calls, options.seconds)[1] else 0


if __name__ == "__main__":
    sys.exit(main())
