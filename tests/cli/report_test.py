"""projnce report: reports of one and of several runs, tested without a browser."""
import json
import subprocess
import time
import unittest

from pages import BROWSER, look_at, page_data
from support import PROGRAM, TINY, CommandLineTest, make_folder, make_clips, stripes, write_png


class Report(CommandLineTest):
    def train(self, run, *settings, data="photos"):
        ran = self.run_program("train", "--data", data, "--out", run, *TINY, *settings)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran

    def test_training_ends_with_the_page_of_its_run(self):
        make_folder(self.scratch / "photos")
        ran = self.train("runs/a", "--set", "dataset.label_noise.rate=0.2", "--live")
        self.assertIn("runs/a/report.html", ran.stdout)
        data, text = page_data(self.scratch / "runs/a/report.html")
        run, = data["runs"]
        self.assertEqual(data["refresh"], 0)
        self.assertEqual(run["state"], "finished")
        self.assertEqual(run["classes"], ["lying", "upright"])
        self.assertEqual(run["summary"],
                         json.loads((self.scratch / "runs/a/summary.json").read_text()))
        self.assertEqual(run["test"]["count"], run["summary"]["samples"]["test"])
        self.assertEqual(run["train"]["count"], run["summary"]["samples"]["train"])
        self.assertIsNotNone(run["train"]["truth"])
        self.assertEqual(len(run["train"]["names"].split("\n")), run["train"]["count"])
        self.assertEqual(len(run["audit"]["worst"]), 12)
        self.assertEqual(run["curves"]["epochs"]["epoch"], [1, 2])
        self.assertEqual(run["commands"][0].split()[:2], ["projnce", "train"])
        settings = {s["key"]: s for s in run["config"]}
        self.assertEqual(settings["train.epochs"]["value"], "2")
        self.assertEqual(settings["train.epochs"]["standard"], "500")
        self.assertEqual(settings["dataset.label_noise.rate"]["standard"], "0.0")
        self.assertIsNone(settings["input.image_size"]["standard"])
        self.assertNotIn("src=\"http", text)

    def test_live_report_exists_during_training(self):
        make_folder(self.scratch / "photos")
        page = self.scratch / "runs/a/report.html"
        command = [PROGRAM, "train", "--data", "photos", "--out", "runs/a", "--live", *TINY,
                   "--set", "train.epochs=100000"]
        with subprocess.Popen(command, cwd=self.scratch, stderr=subprocess.DEVNULL) as training:
            deadline = time.monotonic() + 60
            while not page.exists() and training.poll() is None:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            data = page_data(page)[0]
            training.terminate()
        self.assertEqual(data["runs"][0]["state"], "running")
        self.assertGreater(data["refresh"], 0)
        self.assertIsNone(data["runs"][0]["summary"])
        self.run_json("report", "runs/a")
        stopped = page_data(page)[0]
        self.assertEqual((stopped["runs"][0]["state"], stopped["refresh"]), ("stopped", 0))

    def test_report_creates_files_missing_from_older_runs(self):
        make_folder(self.scratch / "photos")
        self.train("runs/a", "--set", "report.page=false")
        run = self.scratch / "runs/a"
        self.assertFalse((run / "samples.safetensors").exists())
        result = self.run_json("report", "runs/a")
        self.assertEqual(result["files"], ["runs/a/report.html"])
        made = page_data(run / "report.html")[0]["runs"][0]
        self.assertIsNotNone(made["test"])
        self.assertIsNotNone(made["audit"])
        self.assertTrue((run / "label_issues.csv").exists())
        # Without the data, the rest is still shown.
        (run / "samples.safetensors").unlink()
        (self.scratch / "photos").rename(self.scratch / "elsewhere")
        ran = self.run_program("report", "runs/a")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("has no map, audit and images", ran.stderr)
        left = page_data(run / "report.html")[0]["runs"][0]
        self.assertIsNone(left["test"])
        self.assertTrue(left["missing"])

    def compare_two(self):
        make_folder(self.scratch / "photos", per_class=10)
        for name, loss in (("a", "supcon"), ("b", "projnce")):
            self.train(f"runs/{name}", "--set", f"loss.name={loss}")
        return self.run_json("report", "runs")

    def test_several_runs_share_a_page(self):
        result = self.compare_two()
        self.assertEqual(result["files"], ["runs/report.html"])
        data = page_data(self.scratch / "runs/report.html")[0]
        self.assertEqual([run["name"] for run in data["runs"]], ["a", "b"])
        self.assertEqual([run["summary"]["loss"] for run in data["runs"]], ["supcon", "projnce"])
        self.assertIsNone(data["runs"][0]["test"]["images"])

    @unittest.skipUnless(BROWSER, "needs chromium, node and the packages of web/")
    def test_names_from_folders_are_text_in_a_browser(self):
        hostile = "<img src=x onerror=window.hit=1>"
        for number in range(12):
            for name, kind in ((hostile, "lying"), ("'\"&amp;<b>", "upright")):
                write_png(self.scratch / "photos" / name / f"{number}.png", 16, 16,
                          stripes(kind, number))
        self.train("runs/a")
        seen = look_at(self.scratch / "runs/a/report.html")
        self.assertEqual(seen["problems"], [])
        self.assertIsNone(seen["hit"])
        self.assertIn(hostile, seen["text"])
        self.assertEqual(seen["heading"], "a")
        for section in ("Map", "Classes", "Labels", "Training", "Settings"):
            self.assertIn(section, seen["sections"])
        self.assertGreaterEqual(seen["figures"], 6)

    @unittest.skipUnless(BROWSER, "needs chromium, node and the packages of web/")
    def test_a_comparison_opens_in_a_browser(self):
        self.compare_two()
        seen = look_at(self.scratch / "runs/report.html")
        self.assertEqual(seen["problems"], [])
        self.assertIn("Comparison of 2 runs", seen["heading"])
        self.assertIn("supcon", seen["text"])

    def test_contact_sheet_shows_spectrograms(self):
        make_clips(self.scratch / "tones")
        self.train("runs/a", "--set", "encoder.name=audio-cnn", data="tones")
        run = page_data(self.scratch / "runs/a/report.html")[0]["runs"][0]
        self.assertEqual(run["kind"], "audio")
        self.assertEqual(run["train"]["images"]["side"], 64)

    def test_report_without_valid_samples_file_lacks_only_its_contents(self):
        make_folder(self.scratch / "photos", per_class=10)
        self.train("runs/a")
        samples = self.scratch / "runs/a/samples.safetensors"
        samples.write_bytes(samples.read_bytes()[:-1])
        self.run_json("report", "runs/a")
        run = page_data(self.scratch / "runs/a/report.html")[0]["runs"][0]
        self.assertIsNone(run["confusion"])
        self.assertIn("samples.safetensors", run["missing"][0])

    def test_rejects_directories_without_run(self):
        (self.scratch / "empty").mkdir()
        self.assert_rejected("report", "empty", says="does not contain a run")
        self.assert_rejected("report", "nowhere", says="does not contain a run")
        self.assert_rejected("report", says="RUN")


if __name__ == "__main__":
    unittest.main()
