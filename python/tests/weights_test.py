"""Safetensors files from Python: round trips, other programs' models, corrupt files."""
import json
import tempfile
import unittest
from pathlib import Path

import torch

import cases  # noqa: F401  finds the package
import projnce


class WeightsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "weights.safetensors"

    def test_every_type_and_shape_comes_back(self):
        types = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64,
                 torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)
        numbers = torch.arange(6).reshape(2, 3)
        tensors = {f"t{i}": numbers.to(dtype) for i, dtype in enumerate(types)}
        tensors["scalar"] = torch.tensor(3)
        tensors["empty"] = torch.empty(0, 4)
        tensors["turned"] = torch.arange(6.0).reshape(2, 3).t()
        projnce.save_weights(tensors, self.path, {"made by": "a test"})
        found = projnce.load_weights(self.path)
        self.assertEqual(sorted(found), sorted(tensors))
        for name, tensor in tensors.items():
            self.assertEqual(found[name].dtype, tensor.dtype)
            self.assertTrue(torch.equal(found[name], tensor), name)

    def test_torchvision_model_round_trips(self):
        try:
            from torchvision.models import resnet18
        except ImportError:
            self.skipTest("this Python has no torchvision")
        torch.manual_seed(0)
        model = resnet18(num_classes=7)
        projnce.save_weights(model.state_dict(), self.path)
        other = resnet18(num_classes=7)
        other.load_state_dict(projnce.load_weights(self.path))
        images = torch.rand(2, 3, 64, 64)
        self.assertTrue(torch.equal(other.eval()(images), model.eval()(images)))

    def test_tensors_that_share_memory_round_trip(self):
        shared = torch.arange(6.0)
        projnce.save_weights({"whole": shared, "part": shared[2:4]}, self.path)
        found = projnce.load_weights(self.path)
        self.assertTrue(torch.equal(found["part"], shared[2:4]))
        self.assertTrue(torch.equal(found["whole"], shared))

    def test_reserved_names_are_rejected(self):
        for name in ("~integrity", "__metadata__"):
            with self.assertRaisesRegex(ValueError, name):
                projnce.save_weights({name: torch.ones(2)}, self.path)

    def test_failed_write_leaves_no_file(self):
        with self.assertRaises(TypeError):
            projnce.save_weights({"a": torch.ones(2), "b": "text"}, self.path)
        self.assertEqual(list(self.path.parent.iterdir()), [])

    def test_rejects_corrupt_files(self):
        def file(header, data=b"", length=None):
            text = header if isinstance(header, bytes) else json.dumps(header).encode()
            return (len(text) if length is None else length).to_bytes(8, "little") + text + data

        entry = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
        corrupt = {
            "empty": b"",
            "short": b"\x01\x02",
            "header beyond the file": file({}, length=1 << 40),
            "no JSON": file(b"{oops"),
            "no object": file([1, 2]),
            "deep": file(b"[" * 100000),
            "fields missing": file({"a": {"dtype": "F32"}}, bytes(8)),
            "unknown type": file({"a": {**entry, "dtype": "F31"}}, bytes(8)),
            "negative shape": file({"a": {**entry, "shape": [-2]}}, bytes(8)),
            "wrong size": file({"a": {**entry, "shape": [3]}}, bytes(8)),
            "huge shape": file({"a": {**entry, "shape": [1 << 62, 1 << 62]}}, bytes(8)),
            "cut": file({"a": entry}, bytes(7)),
            "overlap": file({"a": entry, "b": entry}, bytes(8)),
            "bytes left over": file({"a": entry}, bytes(9)),
            "offsets are text": file({"a": {**entry, "data_offsets": ["0", "8"]}}, bytes(8)),
        }
        for name, content in corrupt.items():
            with self.subTest(name):
                self.path.write_bytes(content)
                with self.assertRaises(ValueError) as caught:
                    projnce.load_weights(self.path)
                self.assertIn("weights.safetensors", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
