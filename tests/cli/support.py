"""Runs the program, and makes tiny image folders."""
import json
import math
import os
import struct
import subprocess
import tempfile
import unittest
import wave
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("PROJNCE_PROGRAM", str(ROOT / "build" / "projnce"))

# Settings that train a few hundred images in seconds.
TINY = ["--set", "encoder.name=resnet-small", "--set", "train.epochs=2", "--set",
        "train.batch_size=32", "--set", "train.learning_rate=0.003", "--set", "threads=1"]


def write_png(path, width, height, pixel):
    """Writes a gray PNG; pixel(x, y) returns 0..255."""
    rows = b"".join(b"\0" + bytes(pixel(x, y) for x in range(width)) for y in range(height))

    def chunk(kind, data):
        checksum = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
                     chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def stripes(kind, number):
    """Two classes that differ in the direction of their stripes."""
    def pixel(x, y):
        position = x if kind == "upright" else y
        return (60 + 10 * (number % 7)) if (position + number) // 3 % 2 else 200
    return pixel


def make_folder(root, per_class=20, size=16):
    for kind in ("lying", "upright"):
        for number in range(per_class):
            write_png(root / kind / f"{number:03}.png", size, size, stripes(kind, number))
    return root


def write_wav(path, rate, seconds, hertz):
    path.parent.mkdir(parents=True, exist_ok=True)
    count = int(rate * seconds)
    values = [int(9000 * math.sin(2 * math.pi * hertz * i / rate)) for i in range(count)]
    with wave.open(str(path), "wb") as audio:
        audio.setparams((1, 2, rate, count, "NONE", ""))
        audio.writeframes(struct.pack(f"<{count}h", *values))


def make_clips(root, per_class=10, rate=8000):
    for kind, hertz in (("high", 2000), ("low", 300)):
        for number in range(per_class):
            write_wav(root / kind / f"{number:03}.wav", rate, 0.2 + 0.01 * number, hertz)
    return root


def write_safetensors(path, tensors):
    """Writes a safetensors file as other programs do; tensors are (type, shape, bytes) by name."""
    header, data = {}, b""
    for name, (kind, shape, values) in tensors.items():
        header[name] = {"dtype": kind, "shape": list(shape),
                        "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read_safetensors(path):
    """Returns the tensors of such a file, without metadata and checksum."""
    stored = Path(path).read_bytes()
    begin = 8 + struct.unpack("<Q", stored[:8])[0]
    return {name: (field["dtype"], field["shape"],
                   stored[begin + field["data_offsets"][0]:begin + field["data_offsets"][1]])
            for name, field in json.loads(stored[8:begin]).items()
            if name not in ("__metadata__", "~integrity")}


class CommandLineTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)

    def run_program(self, *arguments, env=None):
        return subprocess.run([PROGRAM, *map(str, arguments)], text=True, cwd=self.scratch,
                              capture_output=True, env={**os.environ, **(env or {})})

    def run_json(self, *arguments):
        ran = self.run_program(*arguments, "--json")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads(ran.stdout)

    def assert_rejected(self, *arguments, says):
        """Checks for exit status 2, an error message, no standard output and no files written."""
        before = sorted(p for p in self.scratch.rglob("*"))
        ran = self.run_program(*arguments)
        self.assertEqual(ran.returncode, 2, ran.stderr)
        self.assertIn(says, ran.stderr)
        self.assertEqual(ran.stdout, "")
        self.assertEqual(before, sorted(p for p in self.scratch.rglob("*")))
