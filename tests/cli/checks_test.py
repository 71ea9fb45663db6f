"""Checks that a commit must pass: tools/check_layers.py and the pre-commit hooks."""
import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import compile_each  # noqa: E402
from check_layers import MOST_LINES, check_length, check_types, defined_types  # noqa: E402
from unittest_file import python_with_torch  # noqa: E402


class DefinedTypes(unittest.TestCase):
    def test_include_types_in_named_namespaces(self):
        text = """
            #define BRACE {
            struct Global { int a; };
            namespace projnce {
            class Forward; struct Plain { enum Inner { kOne }; };  // struct Comment {
            enum class Color : int { kRed = '{' };
            template <class T> class alignas(64) Derived final : public std::vector<T> { };
            template <> struct Derived<int> { };
            class Outer::Nested { };
            const char* text = "namespace other { struct Text {"; auto raw = R"(struct Raw {)";
            constexpr int kMany = 1'000; struct Counted { };
            struct Plain make(struct Plain value) { struct Local { }; return {}; }
            namespace { struct Hidden { }; }
            namespace inner::most { union Deep { }; }
            }  // namespace projnce
            """
        self.assertEqual(defined_types(text),
                         ["Global", "projnce::Plain", "projnce::Color", "projnce::Derived", "projnce::Counted",
                          "projnce::inner::most::Deep"])

    def problems(self, **sources):
        found = []
        check_types({name: f"namespace projnce {{\n{text}\n}}" for name, text in sources.items()}, found)
        return found

    def test_the_same_name_in_two_files_is_a_problem(self):
        self.assertEqual(self.problems(a="struct Request { int a; };", b="class Request { };"),
                         ["a: projnce::Request is also defined in b"])

    def test_the_same_name_in_two_modules_is_a_problem(self):
        self.assertEqual(self.problems(a="namespace io { struct Request { }; }", b="namespace run { struct Request { }; }",
                                       c="struct Request { };"),
                         ["a: projnce::Request is also defined in b, c"])

    def test_ignores_other_and_anonymous_namespaces(self):
        self.assertEqual(self.problems(a="struct Request { };", b="namespace app { struct Request { }; }",
                                       c="namespace { struct Request { }; }", d="struct Request;"), [])


class Length(unittest.TestCase):
    def problems(self, lines):
        found = []
        check_length("a.cpp", "int a;\n" * lines, found)
        return found

    def test_a_file_has_at_most_400_lines(self):
        self.assertEqual(MOST_LINES, 400)
        self.assertEqual(self.problems(400), [])
        self.assertEqual(self.problems(401), ["a.cpp: has 401 lines, expected at most 400"])


class Layers(unittest.TestCase):
    def test_the_tree_passes(self):
        """No include upwards, no long file, no type that is defined twice."""
        ran = subprocess.run([sys.executable, ROOT / "tools/check_layers.py"], text=True, capture_output=True)
        self.assertEqual((ran.returncode, ran.stdout), (0, ""))


class CompileEach(unittest.TestCase):
    """tools/compile_each.py, with a project of two files in place of ours."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)
        (self.root / "projnce").mkdir()

    def write(self, name, text):
        path = self.root / "projnce" / name
        path.write_text(text)
        return path

    def statuses(self, *paths):
        source = self.write("a.cpp", '#include "a.h"\nint main() { return size_of({}); }\n')
        entry = {"file": str(source), "directory": str(self.root), "command": f"c++ -std=c++20 -o a.o -c {source}"}
        return [compile_each.check(call)[1] for call in compile_each.calls_for(set(paths) or None, [entry])]

    @unittest.skipUnless(shutil.which("c++"), "no compiler")
    def test_a_header_must_compile_without_the_includes_of_its_users(self):
        header = self.write("a.h", "#pragma once\n#include <string>\ninline int size_of(std::string s) { return s.size(); }\n")
        self.assertEqual(self.statuses(), [0])
        self.assertEqual(self.statuses(self.root / "projnce/a.cpp", header), [0, 0])
        header.write_text(header.read_text().replace("#include <string>\n", ""))
        self.assertEqual(self.statuses(header), [1])

    def test_files_are_left_out_when_time_is_up(self):
        calls = [(compile_each.ROOT / f"{number}.cpp", ["true"], self.root, None) for number in range(3)]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            self.assertEqual(compile_each.check_all(calls, 0), (0, 0, 3))
            self.assertEqual(compile_each.check_all(calls, None), (3, 0, 0))
        self.assertRegex(printed.getvalue(), "0 of 3 files compile .*\n3 were left out after 0 s\n3 of 3 files compile ")

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_changed_files_are_those_that_differ_from_main_or_from_the_last_commit(self):
        def git(*arguments):
            subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=self.root, check=True,
                           capture_output=True)

        def changed():
            return sorted(path.name for path in compile_each.changed_files(self.root))

        git("init", "--initial-branch=main")
        for message in ("first", "second"):
            self.write(f"{message}.cpp", "")
            self.write("common.h", message)
            git("add", ".")
            git("commit", "-m", message)
        self.assertEqual(changed(), ["common.h", "second.cpp"])
        git("switch", "-c", "branch")
        self.write("third.cpp", "")
        self.write("third.md", "")
        git("rm", "projnce/first.cpp")
        git("add", ".")
        git("commit", "-m", "third")
        self.assertEqual(changed(), ["third.cpp"])


class Seeds(unittest.TestCase):
    def run_tests(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "drawing_test.py"
            file.write_text("import unittest\nimport torch\n\nclass Drawing(unittest.TestCase):\n" + text)
            ran = subprocess.run([python_with_torch(), ROOT / "tools/unittest_file.py", file], text=True,
                                 capture_output=True)
        failed, _, count, _ = json.loads(ran.stdout)
        return count, failed

    @unittest.skipUnless(python_with_torch(), "no Python with torch")
    def test_a_python_test_that_draws_without_seeding_fails(self):
        count, failed = self.run_tests("    def test_unseeded(self): torch.rand(1)\n"
                                       "    def test_without(self): torch.zeros(1)\n"
                                       "    def test_seeded(self): torch.manual_seed(1); torch.rand(1)\n"
                                       "    def test_unseeded_again(self): torch.rand(1)\n")
        self.assertEqual(count, 4)
        self.assertEqual([re.match(r"\w+", name)[0] for name in failed], ["test_unseeded", "test_unseeded_again"])


class Presets(unittest.TestCase):
    PRESETS = json.loads((ROOT / "CMakePresets.json").read_text())

    def test_name_no_number_of_jobs(self):
        for kind in ("buildPresets", "testPresets"):
            for preset in self.PRESETS[kind]:
                self.assertNotIn("jobs", {**preset, **preset.get("execution", {})}, preset["name"])

    def test_build_in_directories_of_their_own(self):
        visible = [preset for preset in self.PRESETS["configurePresets"] if not preset.get("hidden")]
        directories = {preset["binaryDir"] for preset in visible}
        self.assertEqual(len(directories), len(visible))
        self.assertGreater(len(visible), 3)


@unittest.skipUnless(shutil.which("git") and (ROOT / ".git").exists(), "not a git checkout")
class Hooks(unittest.TestCase):
    INSTALLERS = ("apt", "apt-get", "dpkg", "sudo", "pip", "pip3", "npm", "pre-commit")
    NEEDED = ("bash", "cat", "dirname", "env", "git", "python3", "sh")

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.bin = Path(scratch.name)
        self.called = self.bin / "called.txt"
        for name in self.NEEDED:
            (self.bin / name).symlink_to(shutil.which(name))
        for name in self.INSTALLERS:
            self.write_stub(name)

    def write_stub(self, name):
        stub = self.bin / name
        stub.write_text(f'#!/bin/sh\necho {name} >> "{self.called}"\n')
        stub.chmod(0o755)

    def run_hook(self, entry):
        return subprocess.run(entry.split(), cwd=ROOT, text=True, capture_output=True,
                              env={**os.environ, "PATH": str(self.bin)})

    def test_checks_install_nothing(self):
        self.write_stub("clang-format")
        entries = re.findall(r"entry: ([^,]+),", (ROOT / ".pre-commit-config.yaml").read_text())
        self.assertGreater(len(entries), 1)
        for entry in entries:
            ran = self.run_hook(entry)
            self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertEqual(set(self.called.read_text().split()), {"clang-format"})

    def test_checks_report_missing_tools(self):
        ran = self.run_hook("script/format --check")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("clang-format not found", ran.stderr)
        self.assertFalse(self.called.exists())


if __name__ == "__main__":
    unittest.main()
