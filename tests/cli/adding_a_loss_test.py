"""docs/architecture.md lists every file that mentions a loss, so that adding one touches no others."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NAME = "symnce"
# The library, the Python package and the loss tests. Experiments, results and other tests may use a
# loss but need not.
SCOPE = ("projnce", "python/ops", "python/projnce", "tests/loss", "tests/golden", "docs/losses.md")


def files_of(scope):
    path = ROOT / scope
    return [path] if path.is_file() else [p for p in sorted(path.rglob("*")) if p.is_file()]


def mentions(path):
    if path.suffix in (".pyc", ".so"):
        return False
    return NAME in path.name.lower() or NAME in path.read_text(errors="replace").lower()


class AddingALoss(unittest.TestCase):
    def section(self):
        page = (ROOT / "docs" / "architecture.md").read_text()
        section = re.search(r"### Adding a loss\n(.*?)(?=\n## |\Z)", page, re.DOTALL)
        self.assertIsNotNone(section, "docs/architecture.md has no section 'Adding a loss'")
        return section.group(1)

    def listed(self):
        rows = [line for line in self.section().splitlines() if line.startswith("|")]
        paths = re.findall(r"`([^`]+/[^`]+)`", "\n".join(rows))
        return sorted(path.replace("NAME", NAME) for path in paths)

    def test_the_documented_files_are_those_that_mention_a_loss(self):
        found = sorted(str(path.relative_to(ROOT)) for scope in SCOPE for path in files_of(scope)
                       if mentions(path))
        self.assertEqual(self.listed(), found)
        self.assertIn(f"these {len(found)} files", self.section())

    def test_every_loss_has_a_test_of_its_own(self):
        registry = (ROOT / "projnce" / "loss" / "registry.cpp").read_text()
        names = re.findall(r'LossEntry\{"([^"]+)"', registry)
        self.assertGreater(len(names), 10)
        files = {"rince-self": "rince", "joint-supcon": "joint",
                 "joint-projnce": "joint"}
        for name in names:
            stem = files.get(name, name.replace("-", "_"))
            self.assertTrue((ROOT / "tests" / "loss" / f"{stem}_test.cpp").is_file(), name)
            self.assertTrue((ROOT / "projnce" / "loss" / f"{stem}.cpp").is_file(), name)


if __name__ == "__main__":
    unittest.main()
