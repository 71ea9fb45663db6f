"""tools/check_words.py finds forbidden words, and the tree has none."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TOOL = ROOT / "tools" / "check_words.py"
sys.path.insert(0, str(ROOT / "tools"))

from check_words import WORDS, find_words, tracked_files  # noqa: E402


class Findings(unittest.TestCase):
    def found(self, text, path="docs/page.md"):
        return [(finding.line, finding.text, finding.replacement) for finding in find_words(text, path)]

    def test_findings_have_line_text_and_replacement(self):
        self.assertEqual(self.found("One.\nThe Colours of\nneighbours.\n"),
                         [(2, "Colour", "color"), (3, "neighbour", "neighbor")])

    def test_phrases_may_continue_in_the_next_line_of_a_comment(self):
        for text in ("what is taken\nfor what", "/// what is taken\n  /// for what", "# what is taken\n# for what"):
            found, = self.found(text)
            self.assertEqual((found[0], found[2]), (1, "confusion matrix"))

    def test_are_parts_of_identifiers_too(self):
        self.assertEqual([word for _, word, _ in self.found("nearest_neighbours(labelledRows)")],
                         ["labelled", "neighbour"])

    def test_terms_of_the_field(self):
        for text, replacement in (("the test part", "split"), ("embed --part test", "split"),
                                  ("a whole number", "integer"), ("complaint_about(x)", "error, message"),
                                  ("kSound", "audio, clip"), ("assert_refused(x)", "reject"),
                                  ("leaving out the row", "exclude"), ("logits tell the classes apart", "separate, distinguish")):
            self.assertEqual([found[2] for found in self.found(text)], [replacement], text)
        self.assertEqual(self.found("part of the test; it has two parts; a whole row of numbers"), [])

    def test_similar_words_are_not_findings(self):
        self.assertEqual(self.found("optimistic, promise, analyses, a precise color; --pictures, judge_by, "
                                    "passed_over; some passes over the rows; it is not a TOML file"), [])

    def test_files_that_are_allowed_to_use_a_word_are_not_reported(self):
        self.assertEqual(len(self.found("x is no TOML file")), 1)
        self.assertEqual(self.found("x is no TOML file", "CONTRIBUTING.md"), [])

    def test_replacements_are_not_findings(self):
        for word in WORDS:
            self.assertEqual(self.found(word.replacement), [])


class Program(unittest.TestCase):
    def run_tool(self, *arguments):
        return subprocess.run([sys.executable, TOOL, *arguments], text=True, capture_output=True)

    def test_prints_file_and_line_and_fails(self):
        with tempfile.TemporaryDirectory() as scratch:
            page = Path(scratch, "page.md")
            page.write_text("fine\na grey image\n")
            ran = self.run_tool(str(page))
            self.assertEqual((ran.returncode, ran.stdout), (1, f"{page}:2: grey -> gray\n"))
            page.write_text("a gray image\n")
            self.assertEqual(self.run_tool(str(page)).returncode, 0)

    @unittest.skipUnless((ROOT / ".git").exists(), "not a git checkout")
    def test_repository_has_no_findings(self):
        ran = self.run_tool()
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, "", ""))

    @unittest.skipUnless((ROOT / ".git").exists(), "not a git checkout")
    def test_checks_code_but_neither_data_nor_generated_files(self):
        files = tracked_files()
        self.assertIn("apps/projnce/main.cpp", files)
        self.assertIn("docs/architecture.md", files)
        self.assertNotIn("tools/check_words.py", files)
        self.assertFalse([path for path in files if path.endswith(".csv") or path.startswith("web/dist/")])


if __name__ == "__main__":
    unittest.main()
