import json
import unittest
from pathlib import Path

from support import CommandLineTest

GOLDEN = sorted((Path(__file__).resolve().parent.parent / "golden").glob("*.json"))


class Loss(CommandLineTest):
    def test_every_golden_file_passes_in_both_precisions(self):
        self.assertEqual(len(GOLDEN), 19)
        for path in GOLDEN:
            for dtype in ("float64", "float32"):
                with self.subTest(path.stem, dtype=dtype):
                    ran = self.run_program("loss", path, "--check", "--dtype", dtype)
                    self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_prints_every_field_that_the_file_expects(self):
        for path in GOLDEN:
            with self.subTest(path.stem):
                cases = json.loads(path.read_text())["cases"]
                results = self.run_json("loss", path)["cases"]
                self.assertEqual([r["id"] for r in results], [c["id"] for c in cases])
                for case, result in zip(cases, results):
                    self.assertLessEqual(set(case["expected"]), set(result))

    def test_fails_if_values_differ(self):
        file = json.loads((GOLDEN[0].parent / "supcon.json").read_text())
        file["cases"][0]["expected"]["loss"] += 1e-6
        (self.scratch / "off.json").write_text(json.dumps(file))
        ran = self.run_program("loss", "off.json", "--check")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("1 of 18", ran.stdout)
        self.assertIn("1 value differs", ran.stderr)

    def test_malformed_files_are_rejected_with_a_message(self):
        (self.scratch / "bad.json").write_text("{")
        self.assert_rejected("loss", "bad.json", says="bad.json")
        (self.scratch / "kind.json").write_text('{"format":1,"loss":"supcn","cases":[]}')
        self.assert_rejected("loss", "kind.json", says="supcon")
        self.assert_rejected("loss", "none.json", says="none.json")


if __name__ == "__main__":
    unittest.main()
