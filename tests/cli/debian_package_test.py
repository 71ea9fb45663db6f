"""`cpack -G DEB`: a package that depends on the Debian packages that the program is linked with."""
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import PROGRAM

BUILD = Path(PROGRAM).resolve().parent
TOOLS = ("cpack", "dpkg-deb", "dpkg-shlibdeps", "file")


def run(*command):
    return subprocess.run(list(map(str, command)), text=True, capture_output=True, check=False)


def uses_system_torch():
    return "/usr/lib" in re.search(r'CPACK_PROJNCE_TORCH "(.*)"', (BUILD / "CPackConfig.cmake").read_text())[1]


@unittest.skipUnless(all(map(shutil.which, TOOLS)), f"one of {', '.join(TOOLS)} is not installed")
@unittest.skipUnless((BUILD / "CPackConfig.cmake").exists() and Path(PROGRAM).exists(), f"{BUILD} has no program")
class DebianPackage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def pack(self, *arguments):
        return run("cpack", "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", self.folder, *arguments)

    def test_rejects_a_torch_version_that_does_not_exist(self):
        if uses_system_torch():
            self.skipTest("the build uses the system's torch")
        packed = self.pack()
        self.assertNotEqual(packed.returncode, 0)
        self.assertRegex(" ".join(packed.stderr.split()),
                         r"A \.deb of projnce depends on Debian's libtorch, but this build uses the torch in \S+: "
                         r"run `apt-get install libtorch-dev`")
        self.assertEqual(list(self.folder.glob("*.deb")), [])

    def test_the_package_has_the_program_and_names_its_dependencies(self):
        pretended = [] if uses_system_torch() else ["-D", "CPACK_PROJNCE_TORCH=/usr/lib"]
        packed = self.pack(*pretended)
        self.assertEqual(packed.returncode, 0, packed.stdout + packed.stderr)
        (package,) = self.folder.glob("projnce_*.deb")
        fields = run("dpkg-deb", "--field", package, "Package", "Depends").stdout
        self.assertIn("Package: projnce\n", fields)
        depends = re.findall(r"[a-z0-9.+-]+(?= \(|,|$)", fields.split("Depends: ")[1].strip())
        for library in ("libc6", "libcairo2", "libsndfile1", "libarchive13"):
            self.assertTrue([name for name in depends if name.startswith(library)], fields)
        if not pretended:
            self.assertTrue([name for name in depends if name.startswith("libtorch")], fields)
        files = run("dpkg-deb", "--contents", package).stdout
        self.assertIn(" ./usr/bin/projnce\n", files)
        self.assertRegex(files, r" \./usr/lib/\S*libprojnce\.so\.\d+\.\d+ -> ")
        self.assertNotIn("/usr/include", files)
        self.assertNotIn("cmake", files)


if __name__ == "__main__":
    unittest.main()
