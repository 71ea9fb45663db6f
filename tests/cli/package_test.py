"""The installed package as used by other projects: relocated, found by CMake, linked against."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from doc_snippets import ROOT, all_snippets
from support import PROGRAM, TINY, make_folder

BUILD = Path(PROGRAM).resolve().parent
# Threads of tests that run concurrently must not spin while waiting.
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}


def run(*command):
    return subprocess.run(list(map(str, command)), text=True, capture_output=True, env=ENVIRONMENT)


def blocks_of_page(language):
    """Returns the code blocks of a language in docs/cpp.md."""
    return [snippet.code for snippet in all_snippets(language) if snippet.page == "docs/cpp.md"]


def program_of_page():
    """Returns the program of the page; its other blocks are functions that are compiled but not called."""
    first, *others = blocks_of_page("cpp")
    tensors = ("torch::Tensor embeddings, torch::Tensor labels, torch::Tensor instances, "
               "torch::Tensor features, int64_t first, int64_t own")
    return first + "".join(f"\nvoid block_{number}({tensors}) {{\n{block}}}\n"
                           for number, block in enumerate(others))


@unittest.skipUnless(shutil.which("cmake"), "cmake is not installed")
@unittest.skipUnless((BUILD / "cmake_install.cmake").exists(), f"{BUILD} is no build directory")
class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = Path(scratch.name)
        cls.first_prefix, cls.prefix = cls.scratch / "first", cls.scratch / "moved"
        installed = run("cmake", "--install", BUILD, "--prefix", cls.first_prefix)
        assert installed.returncode == 0, installed.stderr
        cls.first_prefix.rename(cls.prefix)

    def configure(self, name, *arguments, **files):
        """Configures a separate project with the given files (`path__txt`) against the package."""
        folder = self.scratch / name
        for file, text in files.items():
            path = folder / file.replace("__", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return run("cmake", "-S", folder, "-B", folder / "build",
                   f"-DCMAKE_PREFIX_PATH={self.prefix}",
                   f"-DPROJNCE_PYTHON={ROOT / 'script' / 'python'}",  # selects torch, unless the system's is used
                   "-DCMAKE_CXX_FLAGS=-O0 -Wall -Werror -Wno-unused-variable",
                   *arguments)

    def find_package(self, name, find, *arguments):
        project = f"cmake_minimum_required(VERSION 3.24)\nproject({name} LANGUAGES CXX)\n{find}\n"
        return self.configure(name, *arguments, CMakeLists__txt=project)

    def assert_sentence(self, configured, sentence):
        self.assertNotEqual(configured.returncode, 0)
        self.assertIn(sentence, " ".join(configured.stderr.split()))

    def test_examples_and_documentation_build_and_run(self):
        shutil.copytree(ROOT / "examples", self.scratch / "user" / "examples")
        page = self.scratch / "user" / "page"
        page.mkdir()
        (page / "CMakeLists.txt").write_text(blocks_of_page("cmake")[0])
        (page / "main.cpp").write_text(program_of_page())
        configured = self.configure("user", CMakeLists__txt="""
            cmake_minimum_required(VERSION 3.24)
            project(user LANGUAGES CXX)
            add_subdirectory(examples)
            add_subdirectory(page)
            """)
        self.assertEqual(configured.returncode, 0, configured.stderr)
        build = self.scratch / "user" / "build"
        built = run("cmake", "--build", build, "-j2")
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
        self.check_page(build / "page" / "app")
        self.check_training(build / "examples" / "train_tiny")
        self.check_projection(build / "examples" / "custom_projection")
        self.check_folder(build / "examples" / "embed_folder")

    def output(self, *command):
        ran = run(*command)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def check_page(self, program):
        loss, gradient = re.match(r"loss (\S+), gradient (\S+)", self.output(program)).groups()
        self.assertGreater(float(loss), 1)
        self.assertGreater(float(gradient), 0)

    def check_training(self, program):
        output = self.output(program)
        losses = [float(number) for number in re.findall(r"loss (\S+)", output)]
        self.assertGreater(len(losses), 3)
        self.assertLess(losses[-1], 0.7 * losses[0])
        before, after = (float(number) for number in re.findall(r"centroid, \w+: (\S+) %", output))
        self.assertLess(before, 60)
        self.assertGreater(after, 95)

    def check_projection(self, program):
        rows = re.findall(r"(.+): loss (\S+), R (\S+), gradient (\S+)",
                          self.output(program))
        self.assertEqual([row[0] for row in rows], ["centroid", "trimmed mean"])
        plain, trimmed = ([float(number) for number in row[1:]] for row in rows)
        self.assertLess(trimmed[0], plain[0])
        self.assertGreater(min(*plain[1:], *trimmed[1:]), 0)

    def check_folder(self, program):
        photos, model = make_folder(self.scratch / "photos"), self.scratch / "run"
        self.output(self.prefix / "bin" / "projnce", "train", "--data", photos, "--out", model,
                    *TINY)
        array = self.scratch / "embeddings.npy"
        lines = self.output(program, model, photos, array).splitlines()
        self.assertEqual(len(lines), 40)
        self.assertIn(b"'shape': (40, ", array.read_bytes()[:128])
        nearest = [re.match(r"(\w+)/\d+\.png:  (\w+)/", line).groups() for line in lines]
        same = sum(kind == kind_of_nearest for kind, kind_of_nearest in nearest)
        self.assertGreater(same, 30)
        rejected = run(program, self.scratch / "nowhere", photos, array)
        self.assertEqual(rejected.returncode, 1)
        self.assertIn("nowhere", rejected.stderr)

    def test_package_files_contain_no_absolute_paths(self):
        files = list(self.prefix.rglob("*.cmake"))
        self.assertGreater(len(files), 4)
        for path in files:
            for line in path.read_text().splitlines():
                for place in (ROOT, BUILD, self.first_prefix, "libtorch.so", "libtorch_cpu", "site-packages", "_flags"):
                    self.assertNotIn(str(place), line, path)

    def test_headers_include_what_is_installed(self):
        include = self.prefix / "include"
        headers = list(include.rglob("*.h"))
        self.assertIn(include / "projnce" / "core" / "version.h", headers)
        for path in headers:
            for target in re.findall(r'#include "(projnce/[^"]+)"', path.read_text()):
                self.assertTrue((include / target).exists(), f"{path} includes {target}")

    def test_headers_of_the_library_compile_as_cpp17(self):
        configured = self.configure("cpp17", CMakeLists__txt="""
            cmake_minimum_required(VERSION 3.24)
            project(cpp17 LANGUAGES CXX)
            find_package(projnce REQUIRED)
            set(CMAKE_CXX_STANDARD 17)
            set(CMAKE_CXX_EXTENSIONS OFF)
            add_compile_options(-fsyntax-only -pedantic-errors)
            add_library(user OBJECT user.cpp)
            target_link_libraries(user PRIVATE projnce::projnce)
            """, user__cpp="#include <projnce/projnce.h>\nstatic_assert(__cplusplus == 201703L);\n")
        self.assertEqual(configured.returncode, 0, configured.stderr)
        built = run("cmake", "--build", self.scratch / "cpp17" / "build")
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)

    def test_the_program_runs_where_it_was_moved(self):
        version = self.output(self.prefix / "bin" / "projnce", "--version")
        self.assertRegex(version, r"\d+\.\d+\.\d+")

    def test_an_unknown_component_is_answered(self):
        configured = self.find_package("unknown",
                                       "find_package(projnce REQUIRED COMPONENTS trainr)")
        self.assert_sentence(configured,
                             "projnce has no component 'trainr', expected none or trainer")

    def test_reports_missing_packages_of_the_trainer(self):
        configured = self.find_package("missing",
                                       "find_package(projnce REQUIRED COMPONENTS trainer)",
                                       "-DCMAKE_DISABLE_FIND_PACKAGE_spdlog=ON",
                                       "-DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON")
        self.assert_sentence(configured, "projnce's component 'trainer' needs spdlog, PNG")

    def test_another_minor_version_is_rejected(self):
        configured = self.find_package("version", "find_package(projnce 0.0.1 REQUIRED)")
        self.assert_sentence(configured, 'compatible with requested version "0.0.1"')

    def test_another_libtorch_is_rejected(self):
        other = self.scratch / "other"
        shutil.copytree(self.prefix, other, symlinks=True)
        config = next(other.rglob("projnceConfig.cmake"))
        text = config.read_text()
        built_with = re.search(r'projnce_built_with "([\d.]+)"', text)[1]
        config.write_text(text.replace(built_with, "99.1.0"))
        configured = self.find_package("torch", "find_package(projnce REQUIRED)",
                                       f"-DCMAKE_PREFIX_PATH={other}")
        self.assert_sentence(configured, f"projnce was built with torch 99.1.0, but found {built_with}: ")

    def test_subproject_builds_only_the_library(self):
        """Does not change any global CMake setting of the parent project."""
        configured = self.configure("outer", "-G", "Ninja", app__cpp="", CMakeLists__txt=f"""
            cmake_minimum_required(VERSION 3.24)
            project(outer LANGUAGES CXX)
            set(CMAKE_CXX_STANDARD 17)
            set(variables CMAKE_BUILD_TYPE CMAKE_CXX_COMPILER_LAUNCHER CMAKE_CXX_STANDARD CMAKE_CXX_STANDARD_REQUIRED
                          CMAKE_CXX_EXTENSIONS CMAKE_CXX_FLAGS CMAKE_EXPORT_COMPILE_COMMANDS CMAKE_UNITY_BUILD
                          CMAKE_MODULE_PATH CMAKE_PREFIX_PATH CMAKE_POSITION_INDEPENDENT_CODE BUILD_TESTING)
            set(properties COMPILE_DEFINITIONS COMPILE_OPTIONS INCLUDE_DIRECTORIES LINK_OPTIONS LINK_LIBRARIES)
            macro(describe text)
              set(${{text}} "")
              foreach(name IN LISTS variables)
                string(APPEND ${{text}} "${{name}}=${{${{name}}}}\\n")
              endforeach()
              foreach(name IN LISTS properties)
                get_directory_property(value ${{name}})
                string(APPEND ${{text}} "${{name}}=${{value}}\\n")
              endforeach()
            endmacro()
            describe(before)
            add_subdirectory({ROOT} projnce)
            describe(after)
            if(NOT before STREQUAL after)
              message(FATAL_ERROR "before:\\n${{before}}after:\\n${{after}}")
            endif()
            add_library(app app.cpp)
            target_link_libraries(app PRIVATE projnce::projnce)
            if(TARGET projnce_program OR TARGET projnce_trainer)
              message(FATAL_ERROR "the program is built too")
            endif()
            """)
        self.assertEqual(configured.returncode, 0, configured.stderr)
        build = self.scratch / "outer" / "build"
        self.assertFalse((build / "compile_commands.json").exists())
        commands = self.output("ninja", "-C", build, "-t", "commands").splitlines()
        own, = (line for line in commands if " -c " in line and line.endswith("app.cpp"))
        self.assertIn("torch/csrc/api/include", own)
        self.assertIn(f"-I{ROOT} ", own)
        self.assertNotIn("++20", own)
        loss = next(line for line in commands if line.endswith(f"{ROOT}/projnce/loss/registry.cpp"))
        self.assertIn("-std=gnu++20", loss)
        self.assertNotIn("ccache", loss)
        self.assertNotIn("-DNDEBUG", loss)


if __name__ == "__main__":
    unittest.main()
