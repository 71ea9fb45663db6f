"""Folders and tables of many kinds through train, report, audit, tsne, mi and predict.

Some of them are part of every test run; PROJNCE_ALL_FOLDERS=1 takes all of them.
"""
import json
import os
import random
import re
import shutil
import struct
import tarfile
import unittest

from formats_test import FORMATS, MODES, Image, image, save
from pages import BROWSER, look_at
from support import CommandLineTest, make_clips, stripes, write_png, write_wav

# "1 samples", "1 test samples": a plural after the number one.
PLURAL_OF_ONE = re.compile(r"(?<![\d.,/])\b1 (?:[a-z]+ )?(?:batches|cells|checkpoints|classes|dimensions|embeddings|entries|"
                           r"epochs|files|folds|images|iterations|labels|predictions|ranks|rows|runs|samples|clips|"
                           r"tensors|threads|values|vectors|views)\b")
QUICK = ["--set", "train.epochs=2", "--set", "train.batch_size=16", "--set", "threads=1"]
IMAGES = QUICK + ["--set", "encoder.name=resnet-small"]


def images(root, sizes, side=16, name="{:03}.png"):
    """Makes a folder with the given number of images per class; odd classes have other stripes."""
    for label, (folder, size) in enumerate(sizes.items()):
        for number in range(size):
            kind = "lying" if label % 2 else "upright"
            write_png(root / folder / name.format(number), side, side + label // 2,
                      stripes(kind, number + 5 * label))
    return root


def write_npy(path, rows, kind="<f4"):
    code = {"<f4": "f", "<i8": "q"}[kind]
    matrix = isinstance(rows[0], list)
    shape = (len(rows), len(rows[0])) if matrix else (len(rows),)
    flat = [v for row in rows for v in row] if matrix else rows
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(flat)}{code}", *flat))


def vectors(root, classes, per_class, dim, spread, scale=1.0):
    """Embeddings of another model: train.npy and test.npy with labels."""
    rng = random.Random(7)
    places = [[rng.gauss(0, 1) for _ in range(dim)] for _ in range(classes)]
    root.mkdir()
    for part, count in (("train", per_class), ("test", max(1, per_class // 4))):
        labels = [c for c in range(classes) for _ in range(count)]
        rows = [[scale * (p + spread * rng.gauss(0, 1)) for p in places[c]] for c in labels]
        write_npy(root / f"{part}.npy", rows)
        write_npy(root / f"{part}_labels.npy", labels, "<i8")
    return root


def nested(root):
    images(root / "inner" / "deeper", {"a": 12, "b": 12})
    return root / "inner" / "deeper"


def archive(root):
    images(root, {"a": 12, "b": 12})
    with tarfile.open(root.with_suffix(".tar.gz"), "w:gz") as file:
        file.add(root, "data")
    return root.with_suffix(".tar.gz")


def with_test_split(root):
    images(root / "train", {"a": 14, "b": 14})
    images(root / "test", {"a": 3, "b": 3})
    return root


def mixed_formats(root):
    """JPEG, PNG, BMP, GIF, WebP and TIFF in gray, palettes and color, and of different sizes."""
    for number in range(18):
        ending = list(FORMATS)[number % len(FORMATS)]
        for kind in ("lying", "upright"):
            modes = MODES.get(ending, ("RGB",))
            made = image(kind, number, modes[number % len(modes)])
            save(root / kind / f"{number:03}.{ending}", made.resize((16 + number, 16)), ending)
    return root


def with_rubbish(root):
    images(root, {"a": 20, "b": 20})
    (root / "a" / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnot an image")
    (root / "a" / "notes.txt").write_text("notes")
    (root / "b" / "photo.heic").write_bytes(b"\0\0\0\x18ftypheic")
    (root / "empty").mkdir()
    return root


def duplicates(root):
    images(root, {"a": 12, "b": 12})
    for number in range(6):
        shutil.copy(root / "a" / f"{number:03}.png", root / "a" / f"copy-{number}.png")
    return root


def mislabeled(root):
    images(root, {"a": 40, "b": 40})
    for number in range(8):
        (root / "a" / f"{number:03}.png").rename(root / "b" / f"wrong-{number}.png")
    return root


def long_clips(root):
    for kind, hertz in (("bell", 1500), ("drum", 200), ("wind", 700)):
        for number in range(8):
            write_wav(root / kind / f"{number}.wav", 8000, 1.0 + 0.2 * number, hertz + 10 * number)
    return root


DATASETS = {
    "tiny": lambda root: images(root, {"a": 3, "b": 3}),
    "unequal": lambda root: images(root, {"many": 60, "some": 12, "few": 3}),
    "mislabeled": mislabeled,
    "unicode": lambda root: images(root, {"Größe": 12, "日本": 12, "emoji 🐈": 12}),
    "rubbish": with_rubbish,
    "mixed-formats": mixed_formats,
    "clips": lambda root: make_clips(root, per_class=10),
    "vectors": lambda root: vectors(root, 3, 40, 24, 0.4),
    "two": lambda root: images(root, {"a": 10, "b": 2}),
    "one-each": lambda root: images(root, {"a": 12, "b": 12, "c": 1}),
    "many-classes": lambda root: images(root, {f"class {c}": 4 for c in range(30)}),
    "long-names": lambda root: images(root, {"x" * 200: 10, "y" * 200: 10}),
    "spaces": lambda root: images(root, {"a b": 12, " c": 12}, name="image {:03} (1).png"),
    "nested": nested,
    "archive": archive,
    "test-split": with_test_split,
    "duplicates": duplicates,
    "large-images": lambda root: images(root, {"a": 10, "b": 10}, side=90),
    "long-clips": long_clips,
    "random-vectors": lambda root: vectors(root, 4, 30, 16, 50.0),
    "large-vectors": lambda root: vectors(root, 5, 30, 300, 1.0, scale=1e4),
}
ALWAYS = ("tiny", "unequal", "unicode", "rubbish", "clips", "vectors")


class UnseenData(CommandLineTest):
    def run_and_read(self, *arguments):
        ran = self.run_program(*arguments)
        self.assertNotRegex(ran.stdout + ran.stderr, PLURAL_OF_ONE, arguments)
        return ran

    def succeeds(self, *arguments):
        ran = self.run_and_read(*arguments)
        self.assertEqual(ran.returncode, 0, f"{arguments}: {ran.stderr}")
        return ran

    def predict(self, name, run, data):
        if "vectors" in name:
            ran = self.run_and_read("predict", run, data / "test.npy")
        else:
            ran = self.run_and_read("predict", run, self.scratch / name if name == "archive" else data)
        self.assertEqual(ran.returncode, 2 if name == "rubbish" else 0, ran.stderr)
        self.assertIn("probability", ran.stdout.splitlines()[0])

    def go_through(self, name):
        data = DATASETS[name](self.scratch / name)
        self.succeeds("data", "info", data)
        verified = self.run_and_read("data", "verify", data)
        self.assertEqual(verified.returncode, 2 if name == "rubbish" else 0, verified.stdout)
        run = self.scratch / f"run-{name}"
        settings = QUICK + ["--set", "encoder.name=mlp"] if "vectors" in name else \
            QUICK if "clips" in name else IMAGES
        self.succeeds("train", "--data", data, "--out", run, *settings)
        summary = json.loads((run / "summary.json").read_text())
        self.assertEqual(summary["accuracy"]["reported"], summary["delivered"]["top1"])
        self.succeeds("report", run)
        if BROWSER:
            seen = look_at(run / "report.html")
            self.assertEqual((seen["problems"], seen["failures"]), ([], []))
            self.assertNotRegex(seen["text"].replace("\u00a0", " "), PLURAL_OF_ONE)
        audit = json.loads(self.succeeds("audit", run, "--json").stdout)
        self.assertEqual(audit["samples"], summary["samples"]["train"] + summary["samples"]["test"])
        self.assertLessEqual(audit["flagged"], 0.2 * audit["samples"], "at most a tenth of the labels are wrong")
        if summary["samples"]["train"] + summary["samples"]["test"] >= 30:
            self.succeeds("tsne", run, "-o", run / "map.svg")
        self.succeeds("embed", run, "-o", run / "e.npy")
        rows = (run / "e.names.txt").read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(rows), audit["samples"])
        self.succeeds("mi", run / "e.npy", run / "e.labels.npy")
        self.succeeds("eval", run)
        self.predict(name, run, data)

    def test_every_kind_of_data(self):
        chosen = DATASETS if os.environ.get("PROJNCE_ALL_FOLDERS") else ALWAYS
        for name in chosen:
            with self.subTest(name):
                if name == "mixed-formats" and not Image:
                    self.skipTest("Pillow is not installed; `script/setup test` installs it")
                self.go_through(name)

    def test_one_of_everything(self):
        """Two images per class: one batch in each of one epoch on one thread, and one test sample per class."""
        images(self.scratch / "pairs", {"a": 2, "b": 2})
        ran = self.succeeds("train", "--data", self.scratch / "pairs", "--out", "run", *IMAGES, "--set",
                            "train.epochs=1", "--set", "train.batch_size=2")
        self.assertIn("1 epoch of 1 batch on 1 thread\n", ran.stderr)
        for command in ("eval", "audit", "report"):
            self.succeeds(command, "run")
        shutil.copy(self.scratch / "pairs/a/000.png", self.scratch / "new.png")
        self.assertEqual(self.succeeds("predict", "run", "new.png", "--csv", "new.csv").stdout,
                         "wrote 1 prediction to new.csv\n")
        self.assertIn("wrote 1 embedding of", self.succeeds("embed", "run", "new.png", "-o", "new.npy").stdout)


if __name__ == "__main__":
    unittest.main()
