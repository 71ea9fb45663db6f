import os
import struct
import subprocess
import unittest
from pathlib import Path

from support import PROGRAM, CommandLineTest

IDS = ["T2", "T3"]  # seconds


class Theory(CommandLineTest):
    def test_claims_hold_and_outputs_are_written(self):
        ran = self.run_program("theory", "--only", ",".join(IDS), "-o", "out/deep")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertIn("T3: ", ran.stdout)
        self.assertNotIn("VIOLATED", ran.stdout)
        out = self.scratch / "out" / "deep"
        self.assertEqual(sorted(path.name for path in out.iterdir()), ["T2.svg", "T3.svg", "theory.html"])
        page = (out / "theory.html").read_text()
        for text in ("T2: ", "T3: ", "projnce theory --only T2,T3 -o out/deep", "claims hold"):
            self.assertIn(text, page)
        self.assertEqual(page.count("<svg"), len(IDS))
        self.assertTrue((out / "T3.svg").read_text().rstrip().endswith("</svg>"))

    def test_a_claim_that_does_not_hold_makes_the_exit_status_one(self):
        """Of a copy of the program that has another reference value."""
        program = Path(PROGRAM).read_bytes()
        reference, other = struct.pack("=d", -22.2391), struct.pack("=d", -23)
        if reference not in program:
            self.skipTest("the compiler does not store the reference value as such")
        copy = self.scratch / "projnce"
        copy.write_bytes(program.replace(reference, other))
        copy.chmod(0o755)
        folders = (Path(PROGRAM).resolve().parent, os.environ.get("LD_LIBRARY_PATH"))
        libraries = ":".join(str(folder) for folder in folders if folder)
        ran = subprocess.run([copy, "theory", "--only", "T3"], text=True, capture_output=True,
                             env={**os.environ, "LD_LIBRARY_PATH": libraries})
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertIn("VIOLATED: limit with R at alpha = 2", ran.stdout)
        self.assertIn("46 of 47 claims hold", ran.stdout)
        self.assertIn("claims that do not hold: 1", ran.stderr)

    def test_json_has_every_claim(self):
        result = self.run_json("theory", "--only", "T3", "--seed", "3")
        self.assertEqual(result["violated"], 0)
        (experiment,) = result["experiments"]
        self.assertEqual(experiment["id"], "T3")
        self.assertTrue(experiment["claims"])
        self.assertTrue(all(claim["holds"] for claim in experiment["claims"]))
        series = {line["name"]: line["points"] for line in experiment["series"]}
        without = {point["x"]: point["y"] for point in series["without R"]}
        self.assertGreater(without[2], 4)  # of I = 1.066
        for point in series["with R (certified)"]:
            self.assertLessEqual(point["y"], 1.0664335 + 4 * point["se"] + 0.001)

    def test_certified_bounds_of_random_labels_are_not_positive(self):
        """Many classes and two views, as the program itself shows them."""
        (experiment,) = self.run_json("theory", "--only", "T5")["experiments"]
        for line in experiment["series"]:
            if "certified" not in line["name"]:
                continue
            for point in line["points"]:
                self.assertLessEqual(point["y"], 4 * point["se"] + 0.001, line["name"])
            self.assertEqual(line["points"][-1]["x"], 1000)
            self.assertLess(line["points"][-1]["y"], 0)

    def test_unknown_experiment_suggests_the_nearest(self):
        self.assert_rejected("theory", "--only", "T3,T44", says="T4")
        self.assert_rejected("theory", "--only", "t3", says="T3")

    def test_unusable_output_directories_are_rejected_first(self):
        Path(self.scratch / "file").write_text("x")
        for directory in ("file", "file/below"):
            self.assert_rejected("theory", "--only", "T3", "-o", directory, says="output directory")

    def test_rejects_invalid_options(self):
        self.assert_rejected("theory", "--seed", "-1", says="--seed")
        self.assert_rejected("theory", "--effort", "2", says="--effort")


if __name__ == "__main__":
    unittest.main()
