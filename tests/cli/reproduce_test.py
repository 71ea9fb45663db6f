"""Tables and figures of the paper at the smallest scale, on synthetic data."""
import csv
import json
import os
import re
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from made_datasets import MAKERS, make_all
from support import PROGRAM, CommandLineTest

SMOKE = ["--scale", "smoke", "--out", "out"]


class ReproduceTest(CommandLineTest):
    """Creates the data once; sets HOME to hide real datasets and caches of the machine."""

    @classmethod
    def setUpClass(cls):
        data = tempfile.TemporaryDirectory()
        cls.addClassCleanup(data.cleanup)
        cls.data = Path(data.name)
        make_all(cls.data)

    def reproduce(self, *arguments, data=None):
        root = str(data or self.data)
        return self.run_program("reproduce", *arguments, env={"PROJNCE_DATA": root, "HOME": root})

    def result(self, *arguments, data=None):
        """Returns the JSON output of the command and its messages."""
        ran = self.reproduce(*arguments, "--json", data=data)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads(ran.stdout), ran.stderr


class EveryTableAndFigure(ReproduceTest):
    """Uses one folder for all tests, so that cells are shared."""

    def check(self, name, methods, columns):
        result, _ = self.result(name, *SMOKE)
        for table in result["tables"]:
            self.assertEqual(len(table["rows"]), methods)
            self.assertEqual(len(table["columns"]), columns)
            for row in table["cells"]:
                for cell in row:
                    # A smoke test has few samples per class, so the information estimate is withheld.
                    if cell.get("absent") != "too few test samples per class for an estimate":
                        self.assertEqual(len(cell["runs"]), 1, cell)
        self.check_files(name, result)

    def check_files(self, name, result):
        folder = self.scratch / "out" / "smoke"
        for ending in ("md", "html", "csv"):
            self.assertGreater((folder / f"{name}.{ending}").stat().st_size, 500)
        lines = list(csv.DictReader((folder / f"{name}.csv").open()))
        self.assertEqual(len(lines), sum(len(cell["runs"]) for table in result["tables"]
                                         for row in table["cells"] for cell in row))
        for line in lines:  # each number links to the configuration of its run
            self.assertTrue((self.scratch / line["directory"] / "config.toml").exists())
        for image in result["images"]:
            self.assertIn("<svg", (folder / image["file"]).read_text()[:300])
        self.assertIn("The numbers mean nothing", (folder / f"{name}.md").read_text())

    def test_few_samples_are_trained_and_reported(self):
        for name, methods, columns in (("table1", 2, 3), ("table2", 2, 1), ("table3", 5, 7),
                                       ("table4", 9, 2), ("table5", 12, 1), ("figure1", 4, 1),
                                       ("figure2", 3, 4), ("figure3", 3, 2)):
            with self.subTest(name):
                self.check(name, methods, columns)
        maps = list((self.scratch / "out" / "smoke").glob("figure1-*-map.svg"))
        self.assertEqual(len(maps), 4)


class Reproduce(ReproduceTest):
    def test_keeps_finished_cells_and_trains_the_others(self):
        first = self.reproduce("table1", *SMOKE, "--only", "supcon")
        self.assertEqual(first.returncode, 0, first.stderr)
        run = self.scratch / "out" / "smoke" / "cifar10" / "clean" / "supcon" / "seed-1"
        before = (run / "summary.json").stat().st_mtime_ns
        second = self.reproduce("table1", *SMOKE)
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertIn("6 cells, 3 finished", second.stderr)
        self.assertEqual(before, (run / "summary.json").stat().st_mtime_ns)

    def test_reports_absent_datasets_and_continues(self):
        with tempfile.TemporaryDirectory() as data:
            MAKERS["cifar10"](Path(data))
            result, messages = self.result("figure3", *SMOKE, data=data)
        self.assertIn("STL10 is not on this machine: get it from cs.stanford.edu", messages)
        cells = result["tables"][0]["cells"]
        self.assertEqual([len(cell["runs"]) for cell in cells[0]], [1, 0])
        self.assertIsNone(cells[0][1]["mean"])

    def test_rejects_missing_datasets(self):
        with tempfile.TemporaryDirectory() as data:
            ran = self.reproduce("table2", *SMOKE, data=data)
        self.assertEqual(ran.returncode, 2, ran.stderr)
        self.assertIn("ImageNet is not on this machine", ran.stderr)
        self.assertIn("--dataset", ran.stderr)
        self.assertFalse((self.scratch / "out").exists())

    def test_replaces_the_dataset(self):
        result, _ = self.result("table4", *SMOKE, "--dataset", "mnist", "--only", "simclr", "--only", "symnce")
        self.assertEqual(result["name"], "table4-mnist")
        table = result["tables"][0]
        self.assertEqual(table["columns"][0]["title"], "MNIST in place of STL10, clean")
        # Values of another dataset are not comparable, only the ranking of the methods.
        self.assertIsNone(table["cells"][0][0]["paper"])
        self.assertIsNone(table["cells"][0][0]["difference"])
        self.assertNotIn("(paper", (self.scratch / "out" / "smoke" / "table4-mnist.md").read_text())

    def test_dry_run_trains_nothing(self):
        ran = self.reproduce("table1", *SMOKE, "--dry-run", "--json")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        plan = json.loads(ran.stdout)
        self.assertEqual(plan["unfinished"], 6)
        self.assertGreater(plan["seconds"], 0)
        self.assertIn("name = 'projnce'", plan["cells"][1]["settings"])
        self.assertFalse((self.scratch / "out").exists())

    def interrupt(self, number):
        """Sends the signal after the first of six cells. Returns status and messages."""
        arguments = ["reproduce", "table4", *SMOKE, "--only", "ce", "--only", "simclr", "--only", "supcon"]
        env = {**os.environ, "PROJNCE_DATA": str(self.data), "HOME": str(self.data)}
        with subprocess.Popen([PROGRAM, *arguments, "--jobs", "1"], text=True, env=env, cwd=self.scratch,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as running:
            for line in running.stderr:
                if line.startswith("1 of"):
                    break
            running.send_signal(number)
            rest = running.stderr.read()
        again, messages = self.result(*arguments[1:])
        self.assertRegex(messages, r"6 cells, [1-5] finished")
        for row in again["tables"][0]["cells"]:
            self.assertEqual([len(cell["runs"]) for cell in row], [1, 1])
        return running.returncode, rest

    def test_stopping_loses_no_work(self):
        status, rest = self.interrupt(signal.SIGINT)
        self.assertEqual(status, 128 + signal.SIGINT, rest)
        self.assertIn("run the same command to resume", rest)

    def test_kill_loses_no_finished_cell(self):
        self.assertEqual(self.interrupt(signal.SIGKILL)[0], -signal.SIGKILL)

    def test_reports_conflicting_cells(self):
        self.reproduce("table1", *SMOKE, "--only", "supcon")
        config = self.scratch / "out" / "smoke" / "cifar10" / "clean" / "supcon" / "seed-1" / "config.toml"
        config.write_text(re.sub("epochs = 1", "epochs = 7", config.read_text()))
        ran = self.reproduce("table1", *SMOKE, "--only", "supcon")
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertIn("was trained with different settings", ran.stderr)

    def test_rejects_unknown_names(self):
        self.assert_rejected("reproduce", "table9", says="table1")
        self.assert_rejected("reproduce", "table1", "--scale", "huge", says="laptop")
        self.assert_rejected("reproduce", "table1", "--only", "supkon", says="supcon")
        self.assert_rejected("reproduce", "table1", "--seeds", "0", says="--seeds")
        self.assert_rejected("reproduce", "table1", "--dataset", "nowhere", says="nowhere")


if __name__ == "__main__":
    unittest.main()
