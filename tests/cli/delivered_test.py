"""summary.json, eval, predict and export use the same weights and the same readout."""
import csv
import io
import json
import random
import shutil
import struct
import unittest
import zlib

from arrays_test import write_npy
from export_test import ExportTest
from support import TINY, CommandLineTest, make_folder, stripes, write_png

QUICK = [*TINY, "--set", "report.page=false", "--set", "report.events=false"]


def make_hard_folder(root, per_class=40, size=12, seed=1):
    """Three classes of noisy images that a short training separates only partly."""
    draw = random.Random(seed)
    for kind, lift in (("dark", 0), ("light", 45), ("middle", 20)):
        for number in range(per_class):
            values = [[min(255, max(0, int(draw.gauss(100 + lift, 60)))) for _ in range(size)]
                      for _ in range(size)]
            split = "test" if number % 4 == 0 else "train"
            write_png(root / split / kind / f"{number:03}.png", size, size,
                      lambda x, y, rows=values: rows[y][x])
    return root


class Delivered(CommandLineTest):
    def train(self, out, *settings):
        words = [word for setting in settings for word in ("--set", setting)]
        return self.run_json("train", "--data", "photos", "--out", out, *QUICK, *words)

    def assert_one_model(self, run, summary):
        """predict on the test files, eval and the summary agree exactly."""
        delivered = summary["delivered"]
        found = self.run_json("predict", run, "photos/test")
        self.assertEqual(found["readout"], delivered["readout"])
        self.assertEqual(found["epoch"], delivered["epoch"])
        self.assertEqual(len(found["predictions"]), summary["samples"]["test"])
        right = sum(f"/{row['class']}/" in row["file"] for row in found["predictions"])
        self.assertAlmostEqual(right / len(found["predictions"]), delivered["top1"], 12)
        evaluated = self.run_json("eval", run)
        self.assertEqual(evaluated["protocol"], delivered["readout"])
        self.assertAlmostEqual(evaluated["top1"], delivered["top1"], 12)
        self.assertEqual(summary["protocol"], delivered["readout"])
        self.assertAlmostEqual(summary["protocols"][delivered["readout"]]["top1"],
                               delivered["top1"], 12)
        self.assertTrue(summary["protocols"][delivered["readout"]]["calibrated"])
        bounds = summary["information"]["bounds"]
        self.assertIn("mi_bound_class", bounds)
        self.assertEqual(evaluated["information"].keys(), bounds.keys())
        for name, value in bounds.items():
            self.assertAlmostEqual(evaluated["information"][name], value, 4, name)
        text = self.run_program("eval", run).stdout
        self.assertRegex(text, r"I\(Z;C\) >= -?\d\.\d\d.* nats \(class form.*\d+ held-out rows\), H\(C\) \d\.\d\d")

    def test_default_delivers_the_last_epoch_and_default_readout(self):
        make_hard_folder(self.scratch / "photos")
        for loss, readout in (("projnce-mlp", "projection"), ("ce", "logits"),
                              ("supcon", "nearest-centroid")):
            with self.subTest(loss):
                summary = self.train(loss, f"loss.name={loss}", "train.epochs=4")
                delivered = summary["delivered"]
                self.assertEqual((delivered["epoch"], delivered["rule"], delivered["readout"]),
                                 (4, "last", readout))
                self.assertEqual(delivered["calibrated_on"], "test")
                self.assertEqual(summary["accuracy"]["reported"], delivered["top1"])
                self.assertEqual(summary["accuracy"]["last"], delivered["top1"])
                self.assertEqual(summary["accuracy"]["reported_epoch"], "last")
                self.assert_one_model(loss, summary)

    def test_every_readout_can_be_delivered(self):
        make_hard_folder(self.scratch / "photos")
        for readout in ("nearest-centroid", "knn", "probe", "paper"):
            with self.subTest(readout):
                summary = self.train(readout, f"eval.readout={readout}", "train.epochs=2")
                self.assertEqual(summary["delivered"]["readout"],
                                 "nearest-centroid" if readout == "paper" else readout)
                self.assert_one_model(readout, summary)
        self.assert_rejected("export", "knn", "--onnx", "m.onnx", "--classes",
                            says="k-NN over its training samples")

    def test_validation_split_selects_epoch_and_readout(self):
        make_hard_folder(self.scratch / "photos")
        # The learning rate is far too high at the end, so later epochs are worse.
        summary = self.train("run", "train.validation=0.2", "train.epochs=8",
                             "train.learning_rate=0.02", "train.schedule=constant")
        delivered = summary["delivered"]
        self.assertEqual(summary["samples"]["validation"], delivered["validation"]["samples"])
        self.assertEqual(summary["samples"]["train"] + summary["samples"]["validation"] +
                         summary["samples"]["test"], 120)
        self.assertEqual(delivered["rule"], "best-validation")
        self.assertEqual(delivered["calibrated_on"], "validation")
        lines = [json.loads(line) for line in
                 (self.scratch / "run/metrics.jsonl").read_text().splitlines()]
        chosen = [(line["value"]["top1"], line["epoch"] + 1) for line in lines
                  if line["split"] == "validation"]
        self.assertEqual(len(chosen), 8)
        self.assertEqual(delivered["epoch"], max(chosen)[1])  # the later one of equal epochs
        self.assertIn("validation = 0.2", (self.scratch / "run/config.toml").read_text())
        self.assert_one_model("run", summary)
        # Audit and embed load the same weights, and work without the validation samples.
        self.run_json("audit", "run")

    def test_delivers_an_epoch_other_than_the_last(self):
        make_hard_folder(self.scratch / "photos")
        for rate in ("0.02", "0.05", "0.01", "0.1"):
            summary = self.train("run", "train.validation=0.3", "train.epochs=6",
                                 f"train.learning_rate={rate}", "train.schedule=constant")
            if summary["delivered"]["epoch"] < 6:
                break
            shutil.rmtree(self.scratch / "run")
        epoch = summary["delivered"]["epoch"]
        self.assertLess(epoch, 6)
        self.assert_one_model("run", summary)
        # A run with this number of epochs has the delivered weights.
        shorter = self.train("shorter", "train.validation=0.3", f"train.epochs={epoch}",
                             f"train.learning_rate={rate}", "train.schedule=constant")
        self.assertEqual(shorter["delivered"]["epoch"], epoch)
        self.assertEqual((self.scratch / "run/embeddings.npy").read_bytes(),
                         (self.scratch / "shorter/embeddings.npy").read_bytes())

    def test_the_papers_rule_is_named_and_excludes_a_validation_split(self):
        make_hard_folder(self.scratch / "photos")
        summary = self.train("run", "eval.report=best-test-epoch", "eval.readout=paper",
                             "train.epochs=5")
        accuracy = summary["accuracy"]
        self.assertEqual((accuracy["report"], accuracy["reported_epoch"]),
                         ("best-test-epoch", "best"))
        self.assertEqual(accuracy["reported"], accuracy["best"])
        self.assertEqual(summary["delivered"]["rule"], "last")
        self.assert_one_model("run", summary)
        self.assert_rejected("train", "--data", "photos", "--out", "x", "--set",
                            "train.validation=0.1", "--set", "eval.report=best-test-epoch",
                            says="best-test-epoch")
        self.assert_rejected("train", "--data", "photos", "--out", "x", "--set",
                            "train.validation=0.6", says="validation")
        self.assert_rejected("train", "--data", "photos", "--out", "x", "--set",
                            "eval.readout=magic", says="magic")


class Predict(CommandLineTest):
    def setUp(self):
        super().setUp()
        make_folder(self.scratch / "photos", per_class=12)
        self.run_json("train", "--data", "photos", "--out", "run", *QUICK)

    def rows(self, text):
        return list(csv.reader(io.StringIO(text)))

    def test_folders_give_a_table_with_a_header(self):
        write_png(self.scratch / "new/deep/er/a.png", 16, 16, stripes("lying", 1))
        write_png(self.scratch / "new/b.png", 16, 16, stripes("upright", 2))
        (self.scratch / "new/notes.txt").write_text("no image")
        ran = self.run_program("predict", "run", "new", "photos/lying/000.png")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        rows = self.rows(ran.stdout)
        self.assertEqual(rows[0], ["file", "class", "probability"])
        self.assertEqual([row[0] for row in rows[1:]],
                         ["new/b.png", "new/deep/er/a.png", "photos/lying/000.png"])
        for row in rows[1:]:
            self.assertIn(row[1], ("lying", "upright"))
            self.assertTrue(0.5 <= float(row[2]) <= 1, row)

    def test_more_classes_and_a_file(self):
        ran = self.run_program("predict", "run", "photos", "--top-k", "5", "--csv", "all.csv")
        self.assertEqual((ran.returncode, ran.stdout), (0, "wrote 24 predictions to all.csv\n"))
        rows = self.rows((self.scratch / "all.csv").read_text())
        self.assertEqual(rows[0], ["file", "class", "probability", "class_2", "probability_2"])
        for row in rows[1:]:
            self.assertEqual({row[1], row[3]}, {"lying", "upright"})
            self.assertAlmostEqual(float(row[2]) + float(row[4]), 1, 4)
        found = self.run_json("predict", "run", "photos/lying/001.png", "--top-k", "2")
        self.assertTrue(found["calibrated"])
        top = found["predictions"][0]["top"]
        self.assertEqual(top[0]["class"], found["predictions"][0]["class"])
        self.assertGreaterEqual(top[0]["probability"], top[1]["probability"])

    def test_without_inputs_the_test_split_of_the_run_is_predicted(self):
        summary = json.loads((self.scratch / "run/summary.json").read_text())
        found = self.run_json("predict", "run")["predictions"]
        self.assertEqual(len(found), summary["samples"]["test"])
        right = sum(row["file"].startswith(row["class"]) for row in found)
        self.assertAlmostEqual(right / len(found), summary["delivered"]["top1"])
        (self.scratch / "photos").rename(self.scratch / "moved")
        self.assert_rejected("predict", "run", says="was moved or removed")
        self.assertEqual(self.run_json("predict", "run", "--data", "moved")["predictions"], found)
        self.assert_rejected("predict", "run", "moved", "--data", "moved", says="--data")

    def test_unreadable_samples_are_listed(self):
        (self.scratch / "new").mkdir()
        self.assert_rejected("predict", "run", "new", says="has no file that this run can read")
        (self.scratch / "new/bad.png").write_bytes(b"no image")
        write_png(self.scratch / "new/good.png", 16, 16, stripes("lying", 3))
        ran = self.run_program("predict", "run", "new", "nowhere.png")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("bad.png", ran.stderr)
        self.assertIn("nowhere.png", ran.stderr)
        self.assertEqual([row[0] for row in self.rows(ran.stdout)], ["file", "new/good.png"])
        self.assert_rejected("predict", "run", "photos", "--top-k", "0", says="--top-k")

    def test_embed_writes_sample_names(self):
        result = self.run_json("embed", "run", "photos", "-o", "e.npy")
        self.assertEqual(result["names"], "e.names.txt")
        names = (self.scratch / "e.names.txt").read_text().splitlines()
        self.assertEqual(len(names), result["rows"])
        self.assertEqual(set(names), {f"{kind}/{n:03}.png" for kind in ("lying", "upright")
                                      for n in range(12)})
        self.run_json("embed", "run", "photos/lying/001.png", "-o", "one.npy")
        self.assertEqual((self.scratch / "one.names.txt").read_text(), "photos/lying/001.png\n")


class Vectors(CommandLineTest):
    def test_rows_of_a_matrix_are_predicted(self):
        (self.scratch / "table").mkdir()
        rows = [[float(i % 2), 1 - float(i % 2), 0.01 * i] for i in range(40)]
        write_npy(self.scratch / "table/x.npy", "<f4", (40, 3), [v for row in rows for v in row])
        write_npy(self.scratch / "table/x.labels.npy", "<i8", (40,), [i % 2 for i in range(40)])
        summary = self.run_json("train", "--data", "table", "--out", "run", "--set",
                                "train.epochs=20", "--set", "train.batch_size=16", "--set",
                                "threads=1", "--set", "report.page=false")
        found = self.run_json("predict", "run", "table/x.npy")["predictions"]
        right = sum(int(row["class"]) == i % 2 for i, row in enumerate(found))
        self.assertGreaterEqual(right, 38 * summary["delivered"]["top1"])
        self.assertEqual(found[7]["file"], "table/x.npy:7")
        write_npy(self.scratch / "y.npy", "<f4", (2, 2), [1, 2, 3, 4])
        self.assert_rejected("predict", "run", "y.npy", says="has 2 columns, expected 3")


class Exported(ExportTest):
    def test_onnx_includes_the_readout_and_probabilities(self):
        make_hard_folder(self.scratch / "photos")
        for loss, readout in (("projnce-mlp", "auto"), ("ce", "auto"), ("supcon", "probe")):
            with self.subTest(loss=loss, readout=readout):
                shutil.rmtree(self.scratch / "run", ignore_errors=True)
                self.train("--data", "photos", *self.set(
                    "encoder.name=resnet-small", "encoder.width=8", "train.batch_size=32",
                    "train.epochs=3", f"loss.name={loss}", f"eval.readout={readout}"))
                self.run_json("export", "run", "--onnx", "m.onnx", "--classes")
                files = sorted((self.scratch / "photos").rglob("*.png"))[::7]
                pixels = [self.pixels(file) for file in files]
                found = self.compute("m.onnx", "image", pixels, [1, 12, 12])
                predicted = self.run_json("predict", "run", *files, "--top-k", "3")["predictions"]
                classes = ["dark", "light", "middle"]
                self.assertEqual([classes[int(row[0])] for row in found["class"]],
                                 [row["class"] for row in predicted])
                for shares, row in zip(found["probability"], predicted):
                    for guess in row["top"]:
                        self.assertAlmostEqual(shares[classes.index(guess["class"])],
                                               guess["probability"], 3)

    def pixels(self, file):
        """Returns the pixels of a gray PNG of write_png, in 0..1."""
        data = file.read_bytes()
        begin = data.index(b"IDAT")
        length = struct.unpack(">I", data[begin - 4:begin])[0]
        raw = zlib.decompress(data[begin + 4:begin + 4 + length])
        return [raw[13 * y + 1 + x] / 255 for y in range(12) for x in range(12)]


if __name__ == "__main__":
    unittest.main()
