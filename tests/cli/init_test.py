"""Training that starts from existing weights: `train --init`."""
import array
import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

try:
    import numpy
    import reference_resnet
    import torch
except ImportError:
    torch = None

from export_test import read_tensors
from support import (PROGRAM, TINY, CommandLineTest, make_folder, read_safetensors, stripes,
                     write_safetensors)

ONCE = [*TINY, "--set", "train.epochs=1", "--set", "report.page=false"]
# Learning rate so small that weights do not change.
STILL = [*ONCE, "--set", "train.learning_rate=1e-12"]


def largest_difference(first, second):
    return max((abs(a - b) for a, b in zip(array.array("f", first), array.array("f", second))),
               default=0)


def standardized_photos(size=16, per_class=20):
    """Images of make_folder(), in the input format of ImageNet weights."""
    gray = numpy.array([[[stripes(kind, number)(x, y) for x in range(size)] for y in range(size)]
                        for kind in ("lying", "upright") for number in range(per_class)], numpy.float32)
    mean, std = (numpy.array(v, numpy.float32)[:, None, None]
                 for v in ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]))
    return torch.from_numpy((gray[:, None] / 255 - mean) / std)


@unittest.skipIf(torch is None, "torch is not installed; `script/setup test` installs it")
class Torchvision(CommandLineTest):
    def test_reference_resnet_matches_torchvision(self):
        recorded = torch.tensor(json.loads(reference_resnet.RECORDED.read_text())["features"])
        found = reference_resnet.features(reference_resnet.made_up_weights(),
                                          reference_resnet.made_up_images())
        self.assertGreater(recorded.std(), 0.1)
        self.assertLess((found - recorded).abs().max() / recorded.abs().max(), 1e-6)

    def write_weights(self, path):
        """Weights as in torchvision's files: the encoder and `fc`."""
        weights = reference_resnet.made_up_weights()
        weights.update({"fc.weight": torch.zeros(1000, 512), "fc.bias": torch.zeros(1000)})
        write_safetensors(path, {name: ("F32" if tensor.is_floating_point() else "I64", tensor.shape,
                                        tensor.numpy().tobytes())
                                 for name, tensor in weights.items()})

    def test_torchvision_resnet18_gives_the_same_features(self):
        make_folder(self.scratch / "photos")
        self.write_weights(self.scratch / "resnet18.safetensors")
        ran = self.run_program(
            "train", "--data", "photos", "--init", "resnet18.safetensors", "--out", "run", *STILL,
            "--set", "encoder.name=resnet18", "--set", "encoder.stem=standard", "--set",
            "encoder.head=none", "--set", "input.channels=3", "--set",
            "input.mean=[0.485, 0.456, 0.406]", "--set", "input.std=[0.229, 0.224, 0.225]")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("initial weights from resnet18.safetensors: 120 encoder tensors, loss not loaded; unused: "
                      "fc.weight, fc.bias", ran.stderr)
        given = read_safetensors(self.scratch / "resnet18.safetensors")
        trained = read_safetensors(self.scratch / "run/encoder.safetensors")
        for name, (kind, shape, values) in trained.items():
            if name.endswith(("weight", "bias")):
                self.assertEqual((kind, shape), given[name][:2], name)
                self.assertLess(largest_difference(values, given[name][2]), 1e-9, name)
        name = "layer4.1.bn2.running_var"  # one batch moves it by a tenth of the difference
        for before, after in zip(array.array("f", given[name][2]),
                                 array.array("f", trained[name][2])):
            self.assertGreater(after, 0.9 * before - 1e-6)
        self.run_json("embed", "run", *sorted((self.scratch / "photos").rglob("*.png")), "-o",
                      "e.npy")
        weights = read_tensors(self.scratch / "run/encoder.safetensors")
        expected = torch.nn.functional.normalize(
            reference_resnet.features(weights, standardized_photos()))
        found = torch.from_numpy(numpy.load(self.scratch / "e.npy"))
        self.assertLess((found - expected).abs().max(), 1e-4)


class Init(CommandLineTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.shared = Path(folder.name)
        make_folder(cls.shared / "photos")
        subprocess.run([PROGRAM, "train", "--data", cls.shared / "photos", "--out",
                        cls.shared / "first", *ONCE], check=True, capture_output=True)
        cls.encoder = read_safetensors(cls.shared / "first/encoder.safetensors")

    def train(self, *arguments, out="run"):
        return self.run_program("train", "--data", self.shared / "photos", "--out", out, *STILL,
                                *arguments)

    def assert_starts(self, ran, says, out="run"):
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn(says, ran.stderr)
        trained = read_safetensors(self.scratch / out / "encoder.safetensors")
        for name in ("conv1.weight", "layer3.0.conv2.weight"):
            self.assertLess(largest_difference(trained[name][2], self.encoder[name][2]), 1e-9, name)
        return trained

    def test_initializes_encoder_and_head_from_another_run(self):
        first = self.shared / "first"
        ran = self.train("--init", first)
        trained = self.assert_starts(ran, f"initial weights from {first}/encoder.safetensors: "
                                          "54 encoder tensors, head, loss; unused: class_centroids")
        self.assertLess(largest_difference(trained["head.layers.0.weight"][2],
                                           self.encoder["head.layers.0.weight"][2]), 1e-9)
        config = (self.scratch / "run/config.toml").read_text()
        self.assertIn(f'init = "{first}"', config.replace("'", '"'))
        again = self.run_program("train", "run/config.toml", "--out", "again")
        self.assert_starts(again, "initial weights from", out="again")
        self.assertEqual((self.scratch / "again/metrics.jsonl").read_bytes(),
                         (self.scratch / "run/metrics.jsonl").read_bytes())

    def test_strips_prefixes_and_reinitializes_a_mismatched_head(self):
        write_safetensors(self.scratch / "w.safetensors",
                          {f"module.encoder.{name}": tensor for name, tensor in self.encoder.items()
                           if not name.endswith("num_batches_tracked")})
        ran = self.train("--init", "w.safetensors", "--set", "encoder.dim=32")
        self.assert_starts(ran, "45 encoder tensors, head not loaded, loss not loaded; unused: "
                                "module.encoder.head.layers.0.weight")

    def test_resuming_does_not_need_the_weights_file(self):
        weights = self.scratch / "w.safetensors"
        weights.write_bytes((self.shared / "first/encoder.safetensors").read_bytes())
        self.assert_starts(self.train("--init", weights.name), "initial weights from w.safetensors")
        weights.unlink()
        more = ("train", "--resume", "--force", "--out", "run", "--set", "train.epochs=2")
        ran = self.run_program(*more)
        self.assert_starts(ran, "resuming at epoch 2")
        self.assertNotIn("initial weights from", ran.stderr)
        shutil.rmtree(self.scratch / "run/checkpoints")  # forces a restart
        self.assert_rejected(*more[:-1], "train.epochs=3", says="w.safetensors")

    def rejected(self, says, *arguments, init="w.safetensors"):
        self.assert_rejected("train", "--data", self.shared / "photos", "--out", "run", *STILL,
                            "--init", init, *arguments, says=says)

    def with_first_convolution(self, shape):
        count = shape[0] * shape[1] * shape[2] * shape[3]
        write_safetensors(self.scratch / "w.safetensors",
                          {**self.encoder, "conv1.weight": ("F32", shape, bytes(4 * count))})

    def test_weights_of_another_stem_or_of_colors(self):
        self.with_first_convolution([16, 3, 7, 7])
        self.rejected("w.safetensors does not fit the encoder: wrong shape conv1.weight [16, 3, 7, 7] "
                     "instead of [16, 1, 3, 3]\n  hint: the weights may fit with --set "
                     "encoder.stem=standard --set input.channels=3\n")
        ran = self.train("--init", "w.safetensors", "--set", "encoder.stem=standard", "--set",
                         "input.channels=3")
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_weights_of_another_encoder(self):
        self.with_first_convolution([16, 1, 3, 3])
        self.rejected("wrong shape conv1.weight [16, 1, 3, 3] instead of [32, 1, 3, 3], "
                     "bn1.weight [16] instead of [32]", "--set", "encoder.width=32")
        write_safetensors(self.scratch / "w.safetensors",
                          {name: tensor for name, tensor in self.encoder.items()
                           if name != "bn1.weight"})
        self.rejected("does not fit the encoder: missing bn1.weight")

    def test_files_of_another_kind(self):
        write_safetensors(self.scratch / "w.safetensors",
                          {"blocks.0.attn.qkv.weight": ("F32", [1], bytes(4))})
        self.rejected("w.safetensors has none of the encoder's tensors: found "
                     "blocks.0.attn.qkv.weight; expected conv1.weight, bn1.weight")
        self.rejected("none.safetensors cannot be read: No such file", init="none.safetensors")
        self.rejected("has the extension of a pickle file, which is never loaded", init="resnet18.pth")
        self.rejected("a folder", init=self.shared / "photos")
        (self.scratch / "unfinished").mkdir()
        (self.scratch / "unfinished/config.toml").write_text("")
        self.rejected("no trained encoder at unfinished/encoder.safetensors",
                     init="unfinished")


if __name__ == "__main__":
    unittest.main()
