"""projnce export: other programs compute the same results from the exported files."""
import array
import gzip
import json
import os
import shutil
import struct
import unittest
import wave
import zlib
from pathlib import Path

try:
    import numpy
    import onnx
    import onnxruntime
except ImportError:
    numpy = onnx = onnxruntime = None
try:
    import reference_resnet
    import torch
except ImportError:
    reference_resnet = torch = None

from arrays_test import clouds, write_npy
from support import CommandLineTest, make_folder, read_safetensors, write_png, write_wav

FASHION = Path("/usr/share/datasets/fashion-mnist")
QUICK = ["--set", "train.epochs=1", "--set", "threads=1", "--set", "report.page=false"]
NEAR = 1e-4


def read_floats(path):
    """Returns the rows of a float32 .npy matrix."""
    data = path.read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    header = data[10:10 + length].decode()
    columns = int(header.split("(")[1].split(")")[0].split(",")[1])
    values = array.array("f", data[10 + length:])
    return [list(values[i:i + columns]) for i in range(0, len(values), columns)]


def read_header(path):
    """Returns the JSON header of a safetensors file."""
    data = path.read_bytes()
    return json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])


def read_tensors(path):
    """Returns the tensors of a safetensors file by name."""
    types = {"F32": numpy.float32, "I64": numpy.int64}
    return {name: torch.from_numpy(numpy.frombuffer(data, types[kind]).reshape(shape).copy())
            for name, (kind, shape, data) in read_safetensors(path).items()}


def write_color_png(path, size, pixel):
    """Writes a color PNG; pixel(x, y) returns three values in 0..255."""
    rows = b"".join(b"\0" + bytes(v for x in range(size) for v in pixel(x, y)) for y in range(size))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" +
                     chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)) +
                     chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class ExportTest(CommandLineTest):
    def train(self, *arguments):
        self.run_json("train", "--out", "run", *QUICK, *arguments)

    def set(self, *settings):
        return [word for setting in settings for word in ("--set", setting)]

    def check_model(self, model):
        if onnx is None:
            self.skipTest("onnx is not installed; `script/setup test` installs it")
        onnx.checker.check_model(self.scratch / model, full_check=True)
        read = onnx.load(self.scratch / model)
        self.assertLessEqual(read.ir_version, 8)
        self.assertLessEqual(read.opset_import[0].version, 17)

    def compute(self, model, name, samples, sides):
        """Returns the rows of each output of onnxruntime for samples of `sides`."""
        if onnxruntime is None:
            self.skipTest("onnxruntime is not installed; `script/setup test` installs it")
        session = onnxruntime.InferenceSession(self.scratch / model, providers=["CPUExecutionProvider"])
        values = numpy.array(samples, numpy.float32).reshape(len(samples), *sides)
        outputs = {}
        for output, found in zip(session.get_outputs(), session.run(None, {name: values})):
            self.assertEqual(len(found), len(samples), output.name)
            outputs[output.name] = found.reshape(len(samples), -1).tolist()
        return outputs

    def assert_near(self, found, expected):
        self.assertEqual([len(row) for row in found], [len(row) for row in expected])
        worst = max(abs(a - b) for one, other in zip(found, expected) for a, b in zip(one, other))
        self.assertLess(worst, NEAR)

    def compare_with_projnce(self, name, files, samples, sides, classes):
        """Compares embeddings and classes of the exported model with embed and predict, for one sample
        and for all."""
        outputs = self.run_json("export", "run", "--onnx", "model.onnx", "--classes")["onnx"]
        self.assertEqual(outputs["inputs"], {name: ["batch", *sides]})
        self.assertEqual(list(outputs["outputs"]), ["embedding", "features", "scores", "class", "probability"])
        self.check_model("model.onnx")
        self.run_json("embed", "run", *files, "-o", "expected.npy")
        embeddings = read_floats(self.scratch / "expected.npy")
        predictions = self.run_json("predict", "run", *files)["predictions"]
        for count in (1, len(samples)):
            found = self.compute("model.onnx", name, samples[:count], sides)
            self.assert_near(found["embedding"], embeddings[:count])
            for row in found["embedding"]:
                self.assertAlmostEqual(sum(v * v for v in row), 1, 4)
            best = [int(row[0]) for row in found["class"]]
            self.assertEqual([classes[c] for c in best], [p["class"] for p in predictions[:count]])
            self.assert_near([[shares[c]] for shares, c in zip(found["probability"], best)],
                             [[p["probability"]] for p in predictions[:count]])
        return found


class Images(ExportTest):
    @unittest.skipUnless(FASHION.is_dir(), "the package dataset-fashion-mnist is not installed")
    def test_real_images_get_the_same_embeddings_and_classes(self):
        self.train(*self.set("dataset.name=fashion-mnist", "dataset.max_train=600",
                             "dataset.max_test=100", "encoder.name=resnet-small",
                             "train.batch_size=64", "train.learning_rate=0.003"))
        images = gzip.open(FASHION / "t10k-images-idx3-ubyte.gz").read()[16:]
        images = [images[i * 784:(i + 1) * 784] for i in range(24)]
        files = [f"{number}.png" for number in range(24)]
        for file, image in zip(files, images):
            write_png(self.scratch / file, 28, 28, lambda x, y: image[28 * y + x])
        known = read_header(self.scratch / "run/encoder.safetensors")["__metadata__"]
        found = self.compare_with_projnce(
            "image", files, [[value / 255 for value in image] for image in images],
            [1, 28, 28], json.loads(known["class_names"]))
        self.assertGreater(len({row[0] for row in found["class"]}), 2)

    def make_colors(self):
        """Red and blue images that all differ."""
        def pixel_of(kind, number):
            def pixel(x, y):
                strong, weak = 255 - 5 * number - 3 * x, 20 + (x * y + number) % 50
                return (strong, 40 + y, weak) if kind == "red" else (weak, 40 + y, strong)
            return pixel

        files, samples = [], []
        for kind in ("blue", "red"):
            for number in range(8):
                files.append(f"photos/{kind}/{number}.png")
                pixel = pixel_of(kind, number)
                write_color_png(self.scratch / files[-1], 40, pixel)
                samples.append([pixel(x, y)[c] / 255 for c in range(3) for y in range(40)
                                for x in range(40)])
        return files, samples

    def test_a_classifier_and_the_standard_stem(self):
        files, samples = self.make_colors()
        self.train("--data", "photos",
                   *self.set("loss.name=ce", "encoder.name=resnet18", "encoder.stem=standard",
                             "encoder.head=none", "train.batch_size=8", "dataset.test_fraction=0.25"))
        found = self.compare_with_projnce("image", files[4:12], samples[4:12], [3, 40, 40],
                                          ["blue", "red"])
        for row in found["scores"]:
            self.assertAlmostEqual(sum(row), 1, 4)
        self.compare_with_torchvision(samples[:2])

    def compare_with_torchvision(self, samples):
        """Loads the weights into a network with torchvision's parameter names (reference_resnet.py)."""
        if torch is None:
            self.skipTest("torch is not installed; `script/setup test` installs it")
        self.run_json("export", "run", "--safetensors", "w.safetensors")
        features = self.compute("model.onnx", "image", samples, [3, 40, 40])["features"]
        header = read_header(self.scratch / "w.safetensors")
        metadata = header["__metadata__"]
        self.assertEqual((metadata["format"], metadata["image_size"]), ("pt", "40"))
        self.assertEqual(json.loads(metadata["class_names"]), ["blue", "red"])
        self.assertEqual(header["bn1.num_batches_tracked"]["shape"], [])
        self.assertEqual(header["bn1.num_batches_tracked"]["dtype"], "I64")
        self.assertFalse([name for name in header if name.startswith("~")])
        means, deviations = json.loads(metadata["mean"]), json.loads(metadata["std"])
        standardized = [(value - means[i // 1600]) / deviations[i // 1600]
                        for sample in samples for i, value in enumerate(sample)]
        weights = read_tensors(self.scratch / "w.safetensors")
        self.assertEqual(set(weights), set(reference_resnet.shapes()))
        expected = reference_resnet.features(
            weights, torch.tensor(standardized).reshape(len(samples), 3, 40, 40))
        self.assert_near(features, expected.tolist())


class Audio(ExportTest):
    def test_waveforms_get_the_same_embeddings(self):
        files, samples = [], []
        for kind, hertz in (("high", 1900), ("low", 300)):
            for number in range(10):
                files.append(f"tones/{kind}/{number}.wav")
                path = self.scratch / files[-1]
                write_wav(path, 8000, 0.25, hertz + 20 * number)
                with wave.open(str(path)) as audio:
                    values = array.array("h", audio.readframes(2000))
                samples.append([value / 32768 for value in values])
        # Final maps of 5 x 2, not divisible by a 4 x 4 grid; frame length is not a power of two.
        self.train("--data", "tones",
                   *self.set("input.audio.rate=8000", "input.audio.seconds=0.25",
                             "input.audio.fft=200", "input.audio.hop=110", "input.audio.mels=40",
                             "encoder.width=8", "encoder.head=linear", "train.batch_size=8"))
        self.compare_with_projnce("waveform", files, samples, [2000], ["high", "low"])


class Vectors(ExportTest):
    def matches(self, row, rows):
        return [other for other in rows if max(abs(a - b) for a, b in zip(row, other)) < NEAR]

    def test_vectors_get_the_same_embeddings(self):
        (self.scratch / "vectors").mkdir()
        rows, labels = clouds(60, dim=5)
        write_npy(self.scratch / "vectors/x.npy", "<f4", (60, 5), [v for row in rows for v in row])
        write_npy(self.scratch / "vectors/x.labels.npy", "<i8", (60,), labels)
        for settings in (("encoder.layers=2", "encoder.width=6", "encoder.head=none"),
                         ("encoder.layers=0", "encoder.head=mlp", "encoder.dim=7")):
            with self.subTest(settings):
                shutil.rmtree(self.scratch / "run", ignore_errors=True)
                self.train("--data", "vectors", *self.set("train.batch_size=16", *settings))
                self.run_json("export", "run", "--onnx", "model.onnx")
                self.check_model("model.onnx")
                self.run_json("embed", "run", "vectors", "-o", "expected.npy")
                expected = read_floats(self.scratch / "expected.npy")  # in another order
                found = self.compute("model.onnx", "vector", rows, [5])
                self.assertEqual(list(found), ["embedding", "features"])
                for row in found["embedding"]:
                    self.assertTrue(self.matches(row, expected))
                for row in expected:
                    self.assertTrue(self.matches(row, found["embedding"]))
        self.assert_rejected("export", "run", "--safetensors", "w.safetensors",
                            says="the encoder of this run has no weights")  # without layers


class Files(ExportTest):
    def test_files_are_written_atomically(self):
        make_folder(self.scratch / "photos", per_class=8)
        self.train("--data", "photos", *self.set("encoder.name=resnet-small", "encoder.width=8",
                                                 "train.batch_size=8"))
        both = ("export", "run", "--onnx", "m.onnx", "--safetensors", "w.safetensors")
        ran = self.run_program(*both)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertRegex(ran.stdout, r"m.onnx: image \[batch, 1, 16, 16\] -> embedding \[batch, 128\], "
                                     r"features \[batch, 32\]\nw.safetensors: \d+ tensors, \d+ values\n")
        files = [self.scratch / name for name in ("m.onnx", "w.safetensors")]
        first = [path.read_bytes() for path in files]
        for path in files:
            path.write_bytes(b"x" * 5_000_000)
        self.run_json(*both)
        self.assertEqual([path.read_bytes() for path in files], first)
        (self.scratch / "folder").mkdir()
        for option in ("--onnx", "--safetensors"):
            for target in ("nowhere/m", "folder"):
                ran = self.run_program("export", "run", option, target)
                self.assertEqual((ran.returncode, ran.stdout), (1, ""), ran.stderr)
                self.assertIn(target, ran.stderr)
        self.assertEqual(os.listdir(self.scratch / "folder"), [])
        self.assert_rejected("export", "run", "--onnx", "m", "--safetensors", "./m",
                            says="the same file")

    def test_wrong_usage(self):
        self.assert_rejected("export", "run", says="requires --onnx FILE, --safetensors FILE or both")
        self.assert_rejected("export", "--onnx", "m.onnx", says="RUN")
        self.assert_rejected("export", "run", "--safetensors", "w", "--classes", says="--onnx")

    def test_a_run_without_an_encoder(self):
        self.assert_rejected("export", "nowhere", "--onnx", "m.onnx", says="nowhere")
        (self.scratch / "run").mkdir()
        (self.scratch / "run/config.toml").write_text("seed = 1\n")
        self.assert_rejected("export", "run", "--onnx", "m.onnx", says="no trained encoder")


if __name__ == "__main__":
    unittest.main()
