"""Training on audio, vectors, archives and deliberately degraded data."""
import json
import random
import struct
import tarfile
import unittest

from arrays_test import write_npy
from support import TINY, CommandLineTest, make_folder, make_clips, write_wav

AUDIO = ["--set", "train.epochs=4", "--set", "train.batch_size=16", "--set", "threads=1", "--set",
         "encoder.width=8"]


def read_npy(path):
    """Returns shape and values of an int64 .npy file."""
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = data[10:10 + length].decode()
    shape = [int(n) for n in header.split("(")[1].split(")")[0].split(",") if n.strip()]
    count = (len(data) - 10 - length) // 8
    return shape, struct.unpack(f"<{count}q", data[10 + length:])


def make_cifar10(root, per_batch=40):
    """Two shades of gray per class, in the binary layout of CIFAR-10."""
    root.mkdir(parents=True)
    for name in [*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"]:
        records = b"".join(bytes([i % 10]) + bytes([20 * (i % 10) + i // 10]) * 3072
                           for i in range(per_batch))
        (root / name).write_bytes(records)
    (root / "batches.meta.txt").write_text("\n".join(
        "airplane automobile bird cat deer dog frog horse ship truck".split()) + "\n\n")
    return root


class Audio(CommandLineTest):
    def test_trains_on_audio_and_uses_the_model(self):
        make_clips(self.scratch / "tones", per_class=16)
        home = {"HOME": str(self.scratch / "home")}
        ran = self.run_program("train", "--data", "tones", "--out", "run", *AUDIO, "--json", env=home)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        summary = json.loads(ran.stdout)
        self.assertEqual(summary["encoder"], "audio-cnn")
        self.assertGreaterEqual(summary["accuracy"]["last"], 0.9)
        cache = self.scratch / "home/.cache/projnce/features"
        self.assertEqual(len([p for p in cache.rglob("*") if p.is_file()]), 32)

        result = self.run_json("eval", "run")
        self.assertEqual(result["top1"], summary["accuracy"]["last"])
        write_wav(self.scratch / "new.wav", 16000, 0.5, 2000)
        rows = self.run_json("predict", "run", "new.wav", "tones/low/003.wav")["predictions"]
        self.assertEqual([row["class"] for row in rows], ["high", "low"])
        self.assertEqual(self.run_json("embed", "run", "tones", "-o", "all.npy")["rows"], 32)

    def test_cache_does_not_change_results(self):
        make_clips(self.scratch / "tones")
        home = {"HOME": str(self.scratch / "home")}
        for run in ("first", "second"):  # the second uses the cached spectrograms
            ran = self.run_program("train", "--data", "tones", "--out", run, *AUDIO, env=home)
            self.assertEqual(ran.returncode, 0, ran.stderr)
        for name in ("metrics.jsonl", "embeddings.npy", "config.toml"):
            self.assertEqual((self.scratch / "first" / name).read_bytes(),
                             (self.scratch / "second" / name).read_bytes(), name)

    def test_settings_of_images_are_rejected(self):
        make_clips(self.scratch / "tones")
        self.assert_rejected("train", "--data", "tones", "--set", "input.image_size=32", "--out",
                            "run", says="image_size does not apply")


class Vectors(CommandLineTest):
    def test_trains_on_the_output_of_embed(self):
        make_folder(self.scratch / "photos")
        self.run_json("train", "--data", "photos", "--out", "run", *TINY)
        (self.scratch / "vectors").mkdir()
        self.run_json("embed", "run", "photos", "-o", "vectors/photos.npy")
        summary = self.run_json("train", "--data", "vectors", "--out", "head", "--set",
                                "train.epochs=5", "--set", "threads=1")
        self.assertEqual((summary["dataset"], summary["encoder"]), ("embeddings", "mlp"))
        self.assertGreaterEqual(summary["accuracy"]["last"], 0.7)

    def test_float16_trains_like_float32(self):
        rng = random.Random(4)
        labels = [i % 2 for i in range(60)]
        values = [struct.unpack("<e", struct.pack("<e", rng.gauss(2 * label - 1, 0.5)))[0]
                  for label in labels for _ in range(3)]
        for name, code, label_code in (("halves", "<f2", ">i4"), ("floats", "<f4", "<i8")):
            (self.scratch / name).mkdir()
            write_npy(self.scratch / name / "embeddings.npy", code, (60, 3), values)
            write_npy(self.scratch / name / "labels.npy", label_code, (60,), labels)
            self.run_json("train", "--data", name, "--out", f"run-{name}", "--set",
                          "train.epochs=2", "--set", "threads=1", "--set", "report.page=false")
        self.assertEqual((self.scratch / "run-halves/metrics.jsonl").read_bytes(),
                         (self.scratch / "run-floats/metrics.jsonl").read_bytes())


class Archives(CommandLineTest):
    def test_archive_and_folder_train_equally(self):
        make_folder(self.scratch / "photos")
        for name, mode in (("photos.tar", "w"), ("photos.tar.gz", "w:gz")):
            with tarfile.open(self.scratch / name, mode) as archive:
                archive.add(self.scratch / "photos", "photos")
        self.run_json("train", "--data", "photos", "--out", "run-folder", *TINY)
        for name in ("photos.tar", "photos.tar.gz"):
            self.run_json("train", "--data", name, "--out", f"run-{name}", *TINY)
            self.assertEqual((self.scratch / f"run-{name}/metrics.jsonl").read_bytes(),
                             (self.scratch / "run-folder/metrics.jsonl").read_bytes())

    def test_memory_limit_does_not_change_results(self):
        make_folder(self.scratch / "photos")
        self.run_json("train", "--data", "photos", "--out", "held", *TINY)
        self.run_json("train", "--data", "photos", "--out", "streamed", *TINY, "--set",
                      "dataset.memory_mb=0")
        self.assertEqual((self.scratch / "held/metrics.jsonl").read_bytes(),
                         (self.scratch / "streamed/metrics.jsonl").read_bytes())
        self.assertIn("reading files in each epoch", (self.scratch / "streamed/log.txt").read_text())

    def test_corrupt_samples_found_while_streaming_are_skipped_and_counted(self):
        make_folder(self.scratch / "photos", per_class=150)
        (self.scratch / "photos/lying/007.png").write_bytes(b"no image")
        ran = self.run_program("train", "--data", "photos", "--out", "run", *TINY, "--set",
                               "dataset.memory_mb=0", "--set", "dataset.test_fraction=0.1", "--json")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(json.loads(ran.stdout)["samples"]["skipped"], 1)
        self.assertIn("lying/007.png", ran.stderr)


class Corruption(CommandLineTest):
    def test_wrong_labels_are_recorded(self):
        make_folder(self.scratch / "photos", per_class=50)
        summary = self.run_json("train", "--data", "photos", "--out", "run", *TINY, "--set",
                                "dataset.label_noise.rate=0.3", "--set", "dataset.split=shuffle")
        shape, values = read_npy(self.scratch / "run/train_labels.npy")
        self.assertEqual(shape, [80, 2])
        wrong = sum(used != given for used, given in zip(values[::2], values[1::2]))
        self.assertEqual(wrong, summary["wrong_labels"])
        self.assertGreater(wrong, 10)
        self.assertEqual(sorted(values[1::2]), [0] * 40 + [1] * 40)

    def test_feature_noise_clipped_and_unclipped(self):
        make_folder(self.scratch / "photos")
        losses = set()
        for clip in ("true", "false"):
            self.run_json("train", "--data", "photos", "--out", clip, *TINY, "--set",
                          "dataset.feature_noise.deviation=70", "--set",
                          f"dataset.feature_noise.clip={clip}")
            losses.add((self.scratch / clip / "metrics.jsonl").read_text())
        self.assertEqual(len(losses), 2)

    def test_coarse_training_is_evaluated_on_the_fine_classes(self):
        make_cifar10(self.scratch / "cifar-10-batches-bin")
        summary = self.run_json("train", "--data", "cifar-10-batches-bin", "--out", "run", *TINY,
                                "--set", "dataset.coarse_training=true")
        self.assertEqual((summary["dataset"], summary["classes"]), ("cifar10", 10))
        result = self.run_json("eval", "run")
        self.assertEqual(len(result["classes"]), 10)
        self.assertEqual(result["top1"], summary["accuracy"]["last"])

    def test_images_without_labels_need_simclr(self):
        root = self.scratch / "stl10_binary"
        root.mkdir()
        shades = random.Random(1)
        for part, count in (("train", 20), ("test", 10), ("unlabeled", 24)):
            (root / f"{part}_X.bin").write_bytes(
                b"".join(bytes([shades.randrange(256)]) * 27648 for _ in range(count)))
        for part, count in (("train", 20), ("test", 10)):
            (root / f"{part}_y.bin").write_bytes(bytes(1 + i % 10 for i in range(count)))
        unlabeled = ["--set", "dataset.train_split=unlabeled", "--set", "input.image_size=16"]
        self.assert_rejected("train", "--data", "stl10_binary", "--out", "run", *unlabeled, *TINY,
                            says="has no labels")
        summary = self.run_json("train", "--data", "stl10_binary", "--out", "run", *unlabeled,
                                *TINY, "--set", "loss.name=simclr")
        self.assertEqual(summary["samples"], {"train": 24, "test": 10, "skipped": 0})
        self.assertEqual(summary["classes"], 10)


if __name__ == "__main__":
    unittest.main()
