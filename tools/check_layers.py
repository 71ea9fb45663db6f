#!/usr/bin/env python3
"""Checks that each module includes only the modules that the table allows.

Also fails if a source file is missing from the CMake lists (and so is never built), if a file is too
long, or if a type is defined twice: within a namespace that violates the one-definition rule without a
linker error, in two modules it confuses readers.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Module -> modules that it may include besides itself. A subfolder listed here is a separate module.
# docs/architecture.md explains the order.
ALLOWED = {
    "core": [],
    "io": ["core"],
    "augment": ["core"],
    "kernel": ["core"],
    "encoder": ["kernel", "core"],
    "projection": ["kernel", "core"],
    "information": ["kernel", "core"],
    "loss": ["projection", "kernel", "core"],
    "eval": ["information", "loss", "projection", "kernel", "core"],
    "dataset": ["augment", "io", "core"],
    "report": ["dataset", "augment", "io", "core"],
    "checkpoint": ["io", "core"],
    "distributed": ["io", "core"],
    "loader": ["dataset", "augment", "core"],
    "train": ["loader", "dataset", "encoder", "loss", "checkpoint", "distributed", "core"],
    "onnx": ["encoder", "augment", "io", "core"],
    "config": ["train", "loader", "eval", "loss", "projection", "encoder", "dataset", "augment", "io", "core"],
    "data": ["config", "train", "report", "dataset", "augment", "io", "core"],
    "inference": ["data", "config", "onnx", "loader", "eval", "information", "loss", "projection", "encoder", "checkpoint",
                  "distributed", "report", "dataset", "augment", "io", "core"],
    "report/build": ["inference", "data", "config", "eval", "report", "checkpoint", "dataset", "io", "core"],
    "run": ["report/build", "inference", "data", "config", "train", "loader", "eval", "information", "loss", "projection",
            "encoder", "kernel", "checkpoint", "distributed", "report", "dataset", "augment", "io", "core"],
    "golden": ["eval", "information", "loss", "projection", "dataset", "augment", "core"],
    "reproduce": ["run", "inference", "config", "report/build", "report", "dataset", "io", "core"],
    "theory": ["eval", "information", "loss", "projection", "report", "io", "core"],
}
# Folders of libprojnce.so, whose only dependency is LibTorch.
LIBRARY = ["core", "kernel", "projection", "loss", "information", "encoder", "eval"]
OUTSIDE_LIBRARY = re.compile(r"#include <(spdlog|fmt|toml\+\+|nlohmann|CLI|png|turbojpeg|jpeglib|zlib|xxhash|archive|sndfile|samplerate|kissfft|openssl|cairo|httplib)")
# The umbrella header of the library; may include only folders of the library.
UMBRELLA = "projnce.h"
# Sources in core that are compiled into the program, not into the library.
PROGRAM_CORE = {"json", "logging", "progress", "toml"}
# Folders that compile without LibTorch, so that their parsers build quickly and can be fuzzed.
TORCH_FREE = ["io", "dataset", "augment", "kernel", "report"]
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)
# Folders whose types are checked for duplicate definitions.
TYPED = ["projnce", "apps", "bench", "python", "tests"]
# Further sources that a CMakeLists.txt must list. Not all builds configure these folders.
BUILT = ["apps/**/*.cpp", "bench/**/*.cpp", "python/ops/*.cpp", "tests/**/*_test.cpp"]
# Files whose length is checked, and the maximum.
MEASURED = {"projnce", "apps", "bench", "examples", "python", "tests", "tools", "web/src", "web/test"}
SOURCES = {".h", ".cpp", ".py", ".ts", ".mjs"}
MOST_LINES = 400
# Text without scopes: comments, raw strings, strings, characters (not the ' of 1'000), directives.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'
                     r"(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*", re.DOTALL | re.MULTILINE)
NAMESPACE = re.compile(r"\bnamespace\b\s*([\w:]*)\s*$")
# `class Name`, `enum class Name : int`, `struct alignas(64) Name final : Base`; neither a specialization
# (`struct Name<int>`) nor a member defined outside its class (`class Outer::Name`).
TYPE = re.compile(r"\b(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+(?:(?:alignas\s*\([^)]*\)|\[\[.*?\]\])\s*)*"
                  r"(\w+)\s*(?:final\s*)?(?::(?!:).*)?$", re.DOTALL)


def module_of(path):
    """Returns the module of a path relative to projnce/: its longest prefix in the table."""
    parts = path.split("/")[:-1]
    while parts and "/".join(parts) not in ALLOWED:
        parts.pop()
    return "/".join(parts)


def check_includes(path, folder, text, problems):
    for target in INCLUDE.findall(text):
        parts = target.split("/")
        module = module_of("/".join(parts[1:]))
        if parts[0] != "projnce" or len(parts) < 3:
            problems.append(f"{path}: write #include \"{target}\" from the root of the repository")
        elif module != folder and module not in ALLOWED[folder]:
            problems.append(f"{path}: {folder}/ must not include {module}/ ({target})")


def check_umbrella(path, problems):
    for target in INCLUDE.findall(path.read_text()):
        if module_of(target.removeprefix("projnce/")) not in LIBRARY:
            problems.append(f"{path}: {target} is not part of libprojnce.so")


def check_libraries(path, folder, text, problems):
    if folder in TORCH_FREE and re.search(r"#include <(torch|ATen|c10)/", text):
        problems.append(f"{path}: {folder}/ must not include LibTorch")
    in_library = folder in LIBRARY and not (folder == "core" and path.stem in PROGRAM_CORE)
    if in_library and OUTSIDE_LIBRARY.search(text):
        problems.append(f"{path}: LibTorch is the only dependency of libprojnce.so")


def check_listed(path, problems):
    """Checks that a source is listed in the nearest CMakeLists.txt above it, by its relative path."""
    folder = path.parent
    while not (folder / "CMakeLists.txt").exists():
        folder = folder.parent
    name = path.relative_to(folder).as_posix()
    if path.suffix == ".cpp" and not re.search(rf"(?<![\w/]){re.escape(name)}\b", (folder / "CMakeLists.txt").read_text()):
        problems.append(f"{path}: not listed in {(folder / 'CMakeLists.txt').relative_to(ROOT)}")


def check_length(path, text, problems):
    lines = len(text.splitlines())
    if lines > MOST_LINES:
        problems.append(f"{path}: has {lines} lines, expected at most {MOST_LINES}")


def defined_types(text):
    """Returns the types that a source defines in named namespaces: "projnce::Dataset"."""
    found, scopes, head = [], [], 0
    text = NO_CODE.sub(" ", text)
    for brace in re.finditer(r"[{};]", text):
        before, head = text[head:brace.start()], brace.end()
        if brace[0] == "}":
            scopes = scopes[:-1]
        elif brace[0] == "{":
            namespace, type_ = NAMESPACE.search(before), TYPE.search(before)
            if type_ and not namespace and "" not in scopes:
                found.append("::".join(scopes + [type_[1]]))
            scopes = scopes + [namespace[1] if namespace else ""]  # anonymous namespaces and bodies hide their types
    return found


def without_module(name):
    """"projnce::io::FileTree" as "projnce::FileTree": C++ lets two modules have types of the same name, readers mix them up."""
    parts = name.split("::")
    return "::".join(parts[:1] + parts[2:]) if len(parts) > 2 and parts[0] == "projnce" and parts[1] in ALLOWED else name


def check_types(sources, problems):
    """`sources` maps a path to its text."""
    places = {}
    for path, text in sources.items():
        for name in {without_module(name) for name in defined_types(text)}:
            places.setdefault(name, []).append(str(path))
    for name, paths in sorted(places.items()):
        if len(paths) > 1:
            problems.append(f"{paths[0]}: {name} is also defined in {', '.join(paths[1:])}")


def main():
    problems = []
    for path in sorted((ROOT / "projnce").rglob("*.[hc]*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        folder = module_of(path.relative_to(ROOT / "projnce").as_posix())
        if path == ROOT / "projnce" / UMBRELLA:
            check_umbrella(path, problems)
            continue
        if folder not in ALLOWED:
            problems.append(f"{path}: its folder is not in the table of tools/check_layers.py")
            continue
        text = path.read_text()
        check_includes(path, folder, text, problems)
        check_libraries(path, folder, text, problems)
        check_listed(path, problems)
    for path in sorted(path for pattern in BUILT for path in ROOT.glob(pattern)):
        check_listed(path, problems)
    for path in sorted(path for folder in MEASURED for path in (ROOT / folder).rglob("*")):
        if path.suffix in SOURCES:
            check_length(path, path.read_text(), problems)
    typed = [path for folder in TYPED for path in sorted((ROOT / folder).rglob("*.[hc]*"))]
    check_types({path: path.read_text() for path in typed if path.suffix in (".h", ".cpp")}, problems)
    for problem in problems:
        print(problem.replace(f"{ROOT}/", ""))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
