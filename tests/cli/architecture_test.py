"""docs/architecture.md names files, functions and modules that exist."""
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

from check_layers import ALLOWED  # noqa: E402

PAGE = (ROOT / "docs" / "architecture.md").read_text()
CODE = re.compile(r"`([^`\n]+)`")
SUFFIXES = (".cpp", ".h", ".py", ".ts", ".md")


def rows():
    """Cells of all table rows."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("|")]


def find(path):
    """Returns a file that the page names relative to the repository, docs/ or projnce/, or by its name alone."""
    for folder in (ROOT, ROOT / "docs", ROOT / "projnce"):
        if (folder / path).is_file():
            return folder / path
    if "/" in path:
        return None
    return next((file for folder in ("projnce", "apps", "python") for file in (ROOT / folder).rglob(path)), None)


class Architecture(unittest.TestCase):
    def test_every_file_exists(self):
        named = {name for name in CODE.findall(PAGE) if re.fullmatch(r"[\w./-]+", name) and name.endswith(SUFFIXES)}
        files = sorted(name for name in named if "NAME" not in name)
        self.assertGreater(len(files), 30)
        self.assertEqual([name for name in files if find(name) is None], [])

    def test_every_function_of_a_call_stack_is_in_its_file(self):
        stacks = [row for row in rows() if len(row) > 1 and (file := CODE.fullmatch(row[1])) and file[1].endswith(SUFFIXES)]
        self.assertGreater(len(stacks), 12)
        for functions, file, *_ in stacks:
            text = find(CODE.fullmatch(file)[1]).read_text()
            for function in CODE.findall(functions):
                for name in re.findall(r"[A-Za-z_]\w*", re.sub(r"[(<].*", "", function)):
                    self.assertTrue(re.search(rf"\b{name}\b", text), f"{function} is not in {file}")

    def test_the_modules_are_those_of_check_layers(self):
        listed = {CODE.fullmatch(row[0])[1]: row[2] for row in rows() if len(row) == 3 and CODE.fullmatch(row[0])}
        self.assertEqual(list(ALLOWED), [name for name in listed if name in ALLOWED])
        for module, allowed in ALLOWED.items():
            words = re.findall(r"[\w/]+", listed[module].replace("their dependencies", ""))
            named = [word for word in words if word in ALLOWED]
            with self.subTest(module):
                if "dependencies" in listed[module]:
                    self.assertLessEqual(set(named), set(allowed))
                else:
                    self.assertEqual(sorted(named), sorted(allowed))


if __name__ == "__main__":
    unittest.main()
