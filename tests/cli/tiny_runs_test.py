"""Trains on folders of a few files; every report opens in a browser without errors."""
import json
import signal
import subprocess
import unittest
import urllib.request

from pages import BROWSER, look_at, page_data
from support import PROGRAM, CommandLineTest, make_clips, stripes, write_png

QUICK = ["--set", "encoder.name=resnet-small", "--set", "train.epochs=1", "--set",
         "train.batch_size=8", "--set", "threads=1"]


def write_classes(root, sizes, side=16):
    """Makes a folder with the given number of images per class."""
    for label, (name, size) in enumerate(sizes.items()):
        for number in range(size):
            kind = "lying" if label % 2 else "upright"
            write_png(root / name / f"{number:03}.png", side, side, stripes(kind, number + label))
    return root


class TinyRuns(CommandLineTest):
    def train(self, data, run, *settings):
        ran = self.run_program("train", "--data", data, "--out", run, *QUICK, *settings)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran

    def summary(self, run):
        return json.loads((self.scratch / run / "summary.json").read_text())

    def assert_opens(self, page, *words):
        if not BROWSER:
            return
        seen = look_at(page)
        self.assertEqual(seen["problems"], [])
        self.assertEqual(seen["failures"], [])
        self.assertEqual(seen["plain_numbers"], 0)
        for word in words:
            self.assertIn(word, seen["text"])

    def test_pages_of_few_files(self):
        folders = {"six": {"a": 3, "b": 3},
                   "unequal": {"many": 24, "one": 1, "two": 2},
                   "long": {"x" * 200: 8, "y" * 200: 8, "z": 8}}
        for name, sizes in folders.items():
            with self.subTest(name):
                write_classes(self.scratch / name, sizes)
                ran = self.train(name, f"runs/{name}")
                self.assertIn("classes have fewer than 10 test samples", ran.stdout)
                summary = self.summary(f"runs/{name}")
                tests = summary["samples"]["test"]
                accuracy = summary["protocols"]["nearest-centroid"]
                self.assertLess(accuracy["top1_interval"][0], 1, "few samples prove little")
                self.assertNotIn("calibration_error", accuracy)
                self.assertTrue(summary["information"] is None or
                                summary["information"]["mixed_ksg"] is None)
                page = self.scratch / f"runs/{name}/report.html"
                self.assert_opens(page, "95 % interval", f"{tests}\xa0test image")
                self.run_json("report", f"runs/{name}")
                self.assert_opens(page, "95 % interval")
        self.run_json("report", "runs/six", "runs/unequal", "-o", "pair.html")
        self.assert_opens(self.scratch / "pair.html", "six", "unequal", "2 different test sets")

    def test_the_same_folder_is_one_test_set_and_a_changed_one_is_another(self):
        write_classes(self.scratch / "photos", {"a": 10, "b": 10})
        self.train("photos", "runs/first", "--set", "loss.name=supcon")
        self.train("photos", "runs/second", "--set", "seed=2", "--set",
                   "dataset.label_noise.rate=0.3")
        first, second = (self.summary(f"runs/{name}")["data"] for name in ("first", "second"))
        self.assertEqual(first, second, "neither seeds nor label noise change the data")
        for file in sorted((self.scratch / "photos/a").iterdir())[:5]:
            file.rename(self.scratch / "photos/b" / f"moved-{file.name}")
        self.train("photos", "runs/third")
        third = self.summary("runs/third")["data"]
        self.assertNotEqual(first["test_fingerprint"] + first["train_fingerprint"],
                            third["test_fingerprint"] + third["train_fingerprint"])

    def test_label_issues_of_audio_can_be_played(self):
        make_clips(self.scratch / "tones")
        self.train("tones", "runs/tones", "--set", "encoder.name=audio-cnn")
        page = self.scratch / "runs/tones/report.html"
        data, text = page_data(page)
        audit = data["runs"][0]["audit"]
        self.assertEqual(len(audit["clips"]), len(audit["worst"]))
        self.assertTrue(audit["clips"][0]["wav"].startswith("UklGR"))  # RIFF
        self.assertIn("media-src data: blob:", text)
        self.assert_opens(page, "▶")

    def test_served_report_opens_in_a_browser(self):
        write_classes(self.scratch / "photos", {"a": 5, "b": 5})
        self.train("photos", "runs/a")
        server = subprocess.Popen([PROGRAM, "serve", "runs", "--port", "0"], text=True,
                                  cwd=self.scratch, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(server.communicate)
        self.addCleanup(server.send_signal, signal.SIGINT)
        address = next(word for word in server.stderr.readline().split()
                       if word.startswith("http"))
        with urllib.request.urlopen(address + "run/a/") as response:
            (self.scratch / "served.html").write_bytes(response.read())
        self.assert_opens(self.scratch / "served.html", "95 % interval")

    @unittest.skipUnless(BROWSER, "no Chromium, node or web/node_modules")
    def test_report_shows_static_numbers_if_the_script_fails(self):
        write_classes(self.scratch / "photos", {"a": 5, "b": 5})
        self.train("photos", "runs/a")
        page = self.scratch / "runs/a/report.html"
        page.write_text(page.read_text().replace('id="data">{', 'id="data">{corrupt', 1))
        seen = look_at(page)
        self.assertEqual(len(seen["failures"]), 1)
        self.assertEqual(seen["plain_numbers"], 1)
        for words in ("could not be displayed", "SyntaxError", "Accuracy, nearest-centroid",
                      "95 % interval"):
            self.assertIn(words, seen["text"])


if __name__ == "__main__":
    unittest.main()
