"""All snippets in README.md, docs/ and docs/reports/ work: C++ compiles, Python runs, TOML is a valid
configuration, and commands use existing commands, options and settings."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from doc_snippets import PAGES, ROOT, all_snippets, inline_commands, program_calls, snippets_of
from support import PROGRAM, CommandLineTest

sys.path.insert(0, str(ROOT / "tools"))
from unittest_file import python_with_torch  # noqa: E402

BUILD = Path(PROGRAM).resolve().parent
COMMANDS = BUILD / "compile_commands.json"

# Headers that a C++ fragment without #include lines may assume (see CONTRIBUTING.md).
INCLUDES = ("#include <projnce/projnce.h>", "#include <torch/torch.h>")
GIVEN = ("torch::nn::Sequential encoder, torch::Tensor images, torch::Tensor embeddings, "
         "torch::Tensor labels, torch::Tensor instances, torch::Tensor features, int64_t first, "
         "int64_t own")


def compiler_command():
    """Returns compiler and flags of the library's sources, without output and precompiled header."""
    entry = next(entry for entry in json.loads(COMMANDS.read_text())
                 if "/projnce.dir/" in entry["command"])
    words, kept = shlex.split(entry["command"]), []
    skip = 0
    for word in words:
        if skip:
            skip -= 1
        elif word in ("-o", "-include"):
            skip = 1
        elif word not in ("-c", "-Winvalid-pch", entry["file"]) and "ccache" not in word:
            kept.append(word)
    return kept, entry["directory"]


def translation_units(snippets):
    """Returns one source per set of #include lines: a snippet must compile with the headers it shows."""
    units = {}
    for number, snippet in enumerate(snippets):
        lines = snippet.code.splitlines()
        includes = tuple(sorted(line for line in lines if line.startswith("#include")))
        body = "\n".join("" if line.startswith("#include") else line for line in lines)
        body = f'#line {snippet.line} "{snippet.page}"\n{body}\n'
        if re.search(r"\bint main\(", body):
            wrapped = f"namespace snippet_{number} {{\n{body}}}\n"
        else:
            wrapped = f"void snippet_{number}({GIVEN}) {{ {{\n{body}}} }}\n"
        units.setdefault(includes or INCLUDES, []).append(wrapped)
    return ["\n".join(includes) + "\n" + "".join(bodies) for includes, bodies in units.items()]


@unittest.skipUnless(COMMANDS.exists(), f"{BUILD} has no compile_commands.json")
class Cpp(unittest.TestCase):
    def compile(self, source):
        command, directory = compiler_command()
        with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
            file.write(source)
            file.flush()
            # A snippet omits unrelated code; its names may shadow those of GIVEN.
            allowed = ["-Wno-unused", "-Wno-shadow", "-Wno-return-type"]
            return subprocess.run([*command, "-fsyntax-only", "-O0", *allowed, file.name],
                                  cwd=directory, text=True, capture_output=True)

    def test_every_snippet_compiles_with_its_includes(self):
        snippets = all_snippets("cpp")
        self.assertGreaterEqual(len(snippets), 8)
        for source in translation_units(snippets):
            ran = self.compile(source)
            self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_a_wrong_snippet_does_not_compile(self):
        page = "```cpp\n#include <cstdint>\nint main() { return missing; }\n```\n"
        source, = translation_units(snippets_of(page, "page.md"))
        ran = self.compile(source)
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("page.md:3", ran.stderr)


RUN_BLOCKS = """
import importlib.util, json, sys, traceback
results = {}
for place, code, modules in json.load(sys.stdin):
    absent = [name for name in modules if importlib.util.find_spec(name) is None]
    if absent:
        results[place] = "absent: " + ", ".join(absent)
        continue
    try:
        exec(compile(code, place, "exec"), {"__name__": "__main__"})
        results[place] = "ran"
    except BaseException:
        results[place] = traceback.format_exc()
print(json.dumps(results))
"""


def imported_modules(code):
    names = set()
    for match in re.finditer(r"^(?:import (.+)|from (\w+)[\w.]* import .*)$", code, re.MULTILINE):
        for part in (match.group(1) or match.group(2)).split(","):
            names.add(part.split("#")[0].split(" as ")[0].strip().split(".")[0])
    return sorted(names)


class Python(unittest.TestCase):
    def test_every_snippet_is_python(self):
        for snippet in all_snippets("python"):
            with self.subTest(snippet.place):
                compile(snippet.code, snippet.place, "exec")

    @unittest.skipUnless((ROOT / "build" / "libprojnce_ops.so").exists(),
                         "the operators are not built")
    def test_every_snippet_runs(self):
        python = python_with_torch()
        if python is None:
            self.skipTest("no Python with torch")
        blocks = [(snippet.place, snippet.code, imported_modules(snippet.code))
                  for snippet in all_snippets("python") if "compile-only" not in snippet.marks]
        self.assertGreaterEqual(len(blocks), 8)
        with tempfile.TemporaryDirectory() as scratch:
            ran = subprocess.run([python, "-c", RUN_BLOCKS], input=json.dumps(blocks), text=True,
                                 cwd=scratch, capture_output=True,
                                 env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        self.assertEqual(ran.returncode, 0, ran.stderr)
        results = json.loads(ran.stdout.splitlines()[-1])
        self.assertEqual(len(results), len(blocks))
        for place, result in results.items():
            with self.subTest(place):
                self.assertEqual(result, "ran")


class Json(unittest.TestCase):
    def test_every_snippet_is_json(self):
        for snippet in all_snippets("json"):
            with self.subTest(snippet.place):
                json.loads(snippet.code)


@unittest.skipUnless(shutil.which("node"), "node is not installed")
class JavaScript(unittest.TestCase):
    def test_every_snippet_parses(self):
        for snippet in all_snippets("js"):
            with self.subTest(snippet.place), tempfile.NamedTemporaryFile("w", suffix=".mjs") as file:
                file.write(snippet.code)
                file.flush()
                ran = subprocess.run(["node", "--check", file.name], text=True, capture_output=True)
                self.assertEqual(ran.returncode, 0, ran.stderr)


class Toml(CommandLineTest):
    """Keys and values are read before the data, which does not exist."""

    def compile_errors(self, code):
        (self.scratch / "snippet.toml").write_text(code)
        if re.search(r"^compare = ", code, re.MULTILINE):
            ran = self.run_program("reproduce", "snippet.toml", "--dataset", "nowhere")
        else:
            name = [] if re.search(r"^\[dataset\]$", code, re.MULTILINE) else ["--set", "dataset.name=folder"]
            ran = self.run_program("train", "snippet.toml", *name, "--set", "dataset.root=nowhere")
        self.assertEqual(ran.returncode, 2, ran.stderr)
        return ran.stderr.splitlines()[0]

    def test_projnce_accepts_every_snippet(self):
        snippets = all_snippets("toml")
        self.assertGreaterEqual(len(snippets), 4)
        for snippet in snippets:
            with self.subTest(snippet.place):
                self.assertRegex(self.compile_errors(snippet.code),
                                 r"no (folder|dataset, folder).*nowhere|nowhere is not a table")

    def test_reports_unknown_keys_and_invalid_values(self):
        for code, found in (("[train]\nepoch = 3\n", "unknown key 'epoch'"),
                            ("[dataset]\nname = 'cifar10'\nmax_trian = 1\n", "unknown key 'max_trian'"),
                            ("[loss]\nname = 'supconn'\n", "supconn"),
                            ("title = 'x'\ncompare = ['supconn']\ndatasets = ['mnist']\n"
                             "conditions = ['clean']\n", "supconn")):
            self.assertIn(found, self.compile_errors(code))


class Shell(CommandLineTest):
    """Commands, options and settings shown in the pages and help texts."""

    help_texts = {}

    def help_of(self, *command):
        if command not in self.help_texts:
            ran = self.run_program(*command, "--help")
            self.assertEqual(ran.returncode, 0, f"projnce {' '.join(command)}: {ran.stderr}")
            self.help_texts[command] = ran.stdout
        return self.help_texts[command]

    def commands_of(self, text):
        listed = text.split("Subcommands:\n")
        return re.findall(r"^  (\w+) ", listed[1], re.MULTILINE) if len(listed) > 1 else []

    def check(self, arguments):
        """Raises if the call uses unknown commands, options or settings."""
        command, text = (), self.help_of()
        while self.commands_of(text) and arguments and not arguments[0].startswith("-"):
            self.assertIn(arguments[0], self.commands_of(text))
            command = (*command, arguments[0])
            text, arguments = self.help_of(*command), arguments[1:]
        self.check_settings(arguments)
        options = set(re.findall(r"(?<![\w-])-{1,2}[a-z][\w-]*", text.split("Examples:")[0]))
        for number, argument in enumerate(arguments):
            if argument == "--":
                return self.check(arguments[number + 1:])
            if argument.startswith("-") and len(argument) > 1:
                self.assertIn(argument.split("=")[0], options, f"projnce {' '.join(command)}")

    def check_settings(self, arguments):
        settings = [word for name, setting in zip(arguments, arguments[1:])
                    if name == "--set" and "$" not in setting and "…" not in setting
                    for word in (name, setting)]
        if not settings:
            return
        ran = self.run_program("train", "--set", "dataset.name=folder", *settings, "--set",
                               "dataset.root=nowhere")
        self.assertIn("nowhere", ran.stderr.splitlines()[0])

    def check_calls(self, place, text):
        calls = program_calls(text)
        for arguments in calls:
            with self.subTest(f"{place}: projnce {' '.join(arguments)}"):
                self.check([word for word in arguments if word not in ("…", "...")])
        return len(calls)

    def test_snippets(self):
        calls = sum(self.check_calls(snippet.place, snippet.code) for snippet in all_snippets("sh"))
        self.assertGreater(calls, 30)

    def test_commands_in_running_text(self):
        calls = sum(self.check_calls(place, text) for place, text in inline_commands())
        self.assertGreater(calls, 20)

    def test_examples_in_help_texts(self):
        calls = 0
        for command in self.commands_of(self.help_of()):
            examples = self.help_of(command).split("Examples:\n")[1]
            for line in examples.splitlines():
                if re.match(r"  projnce \w", line):
                    calls += self.check_calls(f"{command} --help", re.split(r"  +", line[2:])[0])
        self.assertGreater(calls, 30)

    def test_missing_references_are_reported(self):
        for text in ("projnce trian", "projnce train --dta photos", "projnce data lst",
                     "projnce launch -n 2 -- train --foo", "projnce train --set train.epoch=2"):
            arguments, = program_calls(text)
            with self.assertRaises(AssertionError):
                self.check(arguments)


class Pages(unittest.TestCase):
    def test_every_block_has_a_language_that_is_checked(self):
        known = {"cpp", "python", "toml", "sh", "json", "js", "cmake", ""}
        for page in PAGES:
            for snippet in snippets_of(page.read_text(), str(page.relative_to(ROOT))):
                with self.subTest(snippet.place):
                    self.assertIn(snippet.language, known)
                    self.assertLessEqual(set(snippet.marks), {"compile-only"})


if __name__ == "__main__":
    unittest.main()
