"""Interfaces between the Python parts of the benchmarks, without running a benchmark."""
import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent.parent


class BenchTools(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)

    def send_to_peers(self, *requests):
        ran = subprocess.run([sys.executable, ROOT / "bench/peers/serve.py", self.scratch, "1"],
                             input="".join(json.dumps(request) + "\n" for request in requests),
                             text=True, capture_output=True, check=True)
        return [json.loads(line) for line in ran.stdout.splitlines()]

    def test_missing_peer_is_reported_with_the_reason(self):
        response, = self.send_to_peers({"peer": "mixed_KSG", "action": "import"})
        self.assertIn("mixed.py", response["error"])

    def test_output_of_a_peer_is_separated_from_results(self):
        (self.scratch / "mixed_KSG").mkdir()
        (self.scratch / "mixed_KSG" / "mixed.py").write_text(
            "print('hello')\ndef Mixed_KSG(x, y, k):\n\tz = 1\n   \treturn z\n")
        request = {"peer": "mixed_KSG", "action": "import"}
        self.assertEqual(self.send_to_peers(request, request), [{"ready": True}] * 2)

    @unittest.skipUnless(importlib.util.find_spec("numpy") and importlib.util.find_spec("sklearn"),
                         "numpy or scikit-learn is not installed")
    def test_audited_labels_of_the_test_split_count_as_correct(self):
        """An audit covers the test split too; the wrong labels are known for the training split."""
        import numpy
        truth = numpy.arange(50) % 2
        given = truth.copy()
        given[:4] = 1 - given[:4]
        features = numpy.eye(2)[truth] + 0.1 * numpy.random.default_rng(0).normal(size=(50, 2))
        run, program = self.scratch / "run", self.scratch / "program"
        run.mkdir()
        numpy.save(run / "train_labels.npy", numpy.stack([given, truth], 1)[:40])
        numpy.save(self.scratch / "features.npy", features)
        numpy.save(self.scratch / "features.labels.npy", given)
        check = dict.fromkeys(("average_precision", "precision", "recall", "worst", "worst_wrong", "corrected"), 1)
        response = json.dumps({"check": check, "noise_rate": 0.1, "flagged": 4, "seconds": 1})
        program.write_text(f"#!/bin/sh\n# audit RUN -o FILE --save-features FILE --json\ncp {self.scratch}/features*.npy "
                           f"$(dirname $6)\necho '{response}'\n")
        program.chmod(0o755)
        ran = subprocess.run([sys.executable, ROOT / "bench/peers/confident_learning.py", program, run, "--json",
                              self.scratch / "out.json"], text=True, capture_output=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        (result,) = json.loads((self.scratch / "out.json").read_text())
        self.assertEqual((result["samples"], result["wrong"]), (50, 4 / 50))
        self.assertEqual(result["peer"]["average_precision"], 1)

    def plot(self, cases):
        report = {"machine": {"processor": "A & B", "threads": 2, "instructions": "plain",
                              "torch": "2.13", "blas": "none"}, "rounds": 1, "cases": cases}
        (self.scratch / "bench.json").write_text(json.dumps(report))
        return subprocess.run([sys.executable, ROOT / "tools/plot_bench.py", "bench.json", "b.svg"],
                              cwd=self.scratch, text=True, capture_output=True)

    def test_the_plot_has_a_marker_for_each_result(self):
        ours = {"name": "ours", "seconds": 0.01, "peak_bytes": 4096}
        absent = {"name": "SupContrast", "unavailable": "no --peers"}
        ran = self.plot([{"case": "supcon", "rows": rows, "dims": 128, "contestants": [ours, absent]}
                         for rows in (512, 2048)])
        self.assertEqual(ran.returncode, 0, ran.stderr)
        image = ElementTree.parse(self.scratch / "b.svg")
        circles = image.findall(".//{http://www.w3.org/2000/svg}circle")
        self.assertEqual(len(circles), 5)  # two in each panel, one in the legend

    def test_rejects_a_report_without_supcon(self):
        ran = self.plot([])
        self.assertEqual(ran.returncode, 2)
        self.assertIn("no result", ran.stderr)

    def test_the_manual_has_the_summary_of_the_published_audit_grid(self):
        ran = subprocess.run([sys.executable, ROOT / "bench/peers/audit_summary.py"], text=True,
                             capture_output=True, check=True)
        self.assertIn("| all cells of the main grid | 84 |", ran.stdout)
        self.assertIn("| all cells that nothing was tuned on | 36 |", ran.stdout)
        self.assertIn(ran.stdout, (ROOT / "docs/audit.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
