#!/usr/bin/env python3
"""Checks that code compiled for AVX2 or AVX-512 cannot be called on older CPUs.

The linker keeps one copy of every inline function. If a kernel source emits one as a weak symbol, the
copy with instructions that older CPUs lack may be the one that all callers use.
Usage: check_kernel_symbols.py BUILD_DIR
"""
import re
import subprocess
import sys
from pathlib import Path

ALLOWED = re.compile(r"projnce::kernel::\w+_kernels<|^DW\.ref\.")


def leaked_symbols(path):
    listing = subprocess.run(["nm", "--demangle", path], check=True, capture_output=True, text=True)
    for line in listing.stdout.splitlines():
        found = re.match(r"[0-9a-f]+ [WVu] (.+)", line)
        if found and not ALLOWED.search(found.group(1)):
            yield found.group(1)


def main():
    objects = sorted(Path(sys.argv[1]).glob("**/kernel/table_avx*.o"))
    if not objects:
        print(f"no kernels for specific instruction sets in {sys.argv[1]}: nothing to check")
    leaks = [(path.name, symbol) for path in objects for symbol in leaked_symbols(path)]
    for name, symbol in leaks:
        print(f"{name}: {symbol} could be called on a CPU without these instructions")
    return 1 if leaks else 0


if __name__ == "__main__":
    sys.exit(main())
